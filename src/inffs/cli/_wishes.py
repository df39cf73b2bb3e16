"""Wishes on the subset, from the command line: options and how they reach the selector."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from inffs.cli._run import UsageError

_SUBSET = "The subset"


class GroupBy(StrEnum):
    """Where a family of columns stands."""

    best = "best"
    mean = "mean"


Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="PATTERN",
        help="Keep columns of this name or pattern (* and ?); may be repeated.",
        rich_help_panel=_SUBSET,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Rank columns of this name or pattern but never keep them; may be repeated.",
        rich_help_panel=_SUBSET,
    ),
]
MaxCorrelation = Annotated[
    float | None,
    typer.Option(
        "--max-correlation",
        metavar="0.9",
        help="No two kept features correlate more (|Spearman|).",
        rich_help_panel=_SUBSET,
    ),
]
GroupScore = Annotated[
    GroupBy | None,
    typer.Option(
        "--group-score",
        help="Columns of --encode onehot stand or fall together, by their best or mean member.",
        rich_help_panel=_SUBSET,
    ),
]
MinFeatures = Annotated[
    int | None,
    typer.Option("--min-features", metavar="N", help="Keep at least N.", rich_help_panel=_SUBSET),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option("--max-features", metavar="N", help="Keep at most N.", rich_help_panel=_SUBSET),
]


def make_wishes(selector: Any, data: Any, encode: Any, **wishes: Any) -> dict[str, Any]:
    """Give the selector the wishes, columns by position; text that was encoded one-hot is a family.

    Returns what was asked, for the record of the run.
    """
    from inffs.validation.named import find_columns, one_hot_families

    wishes = {name: _plain(value) for name, value in wishes.items() if value is not None}
    made = dict(wishes)
    for name in ("include", "exclude"):
        if made.get(name):
            try:
                made[name] = find_columns(made[name], data.shape[1], data.names, f"--{name}")
            except ValueError as error:
                raise UsageError(str(error).replace("of X", "of the table")) from error
    if encode is not None and str(encode) == "onehot":
        made["feature_groups"] = one_hot_families(data.names)
    if "group_score" in made and made.get("feature_groups") is None:
        raise UsageError("--group-score needs families: text columns with --encode onehot.")
    selector.set_params(**made)
    return wishes


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, StrEnum) else value
