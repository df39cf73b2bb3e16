"""Constraints on the subset: the flags, and how they reach the selector."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from inffs.cli._run import UsageError

_SUBSET = "The subset"


class GroupBy(StrEnum):
    """By what a group of columns ranks."""

    best = "best"
    mean = "mean"


Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="PATTERN",
        help="Select columns of this name or pattern (* and ?); may be repeated.",
        rich_help_panel=_SUBSET,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Rank columns of this name or pattern but never select them; may be repeated.",
        rich_help_panel=_SUBSET,
    ),
]
MaxCorrelation = Annotated[
    float | None,
    typer.Option(
        "--max-correlation",
        metavar="0.9",
        help="No two selected features correlate more (|Spearman|).",
        rich_help_panel=_SUBSET,
    ),
]
GroupScore = Annotated[
    GroupBy | None,
    typer.Option(
        "--group-score",
        help="Columns of --encode onehot stay together: rank them by their best or mean score.",
        rich_help_panel=_SUBSET,
    ),
]
MinFeatures = Annotated[
    int | None,
    typer.Option("--min-features", metavar="N", help="Select at least N.", rich_help_panel=_SUBSET),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option("--max-features", metavar="N", help="Select at most N.", rich_help_panel=_SUBSET),
]


def constrain(selector: Any, data: Any, encode: Any, **flags: Any) -> tuple[Any, dict[str, Any]]:
    """The selector under the constraints of the flags, and the flags that are set.

    Columns that come from one text column (``--encode onehot``) are a group. Without constraints
    the selector is returned as it is.
    """
    from inffs.meta import Constrained
    from inffs.validation.named import find_columns, one_hot_groups

    flags = {name: _plain(value) for name, value in flags.items() if value not in (None, [])}
    constraints = dict(flags)
    for name in constraints.keys() & {"include", "exclude"}:
        try:
            found = find_columns(constraints[name], data.shape[1], data.names, f"--{name}")
        except ValueError as error:
            raise UsageError(str(error).replace("of X", "of the table")) from error
        constraints[name] = list(found)
    groups = one_hot_groups(data.names) if str(encode) == "onehot" else None
    if groups is not None:
        constraints["feature_groups"] = groups
    elif "group_score" in constraints:
        raise UsageError("--group-score needs groups: text columns with --encode onehot.")
    return (Constrained(selector, **constraints) if constraints else selector), flags


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, StrEnum) else value
