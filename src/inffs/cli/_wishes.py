"""Wishes on the subset, from the command line: options and how they reach the selector."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from inffs.cli._run import UsageError

_SUBSET = "The subset"

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
MinFeatures = Annotated[
    int | None,
    typer.Option("--min-features", metavar="N", help="At least.", rich_help_panel=_SUBSET),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option("--max-features", metavar="N", help="At most.", rich_help_panel=_SUBSET),
]


def make_wishes(selector: Any, data: Any, encode: Any, **wishes: Any) -> dict[str, Any]:
    """Give the selector the wishes, columns by position; text that was encoded one-hot is a family.

    Returns what was asked, for the record of the run.
    """
    from inffs.subset import find_columns, one_hot_families

    made = {name: value for name, value in wishes.items() if value is not None}
    for name in ("include", "exclude"):
        if made.get(name):
            try:
                made[name] = find_columns(made[name], data.shape[1], data.names, f"--{name}")
            except ValueError as error:
                raise UsageError(str(error).replace("of X", "of the table")) from error
    if encode is not None and str(encode) == "onehot":
        made["feature_groups"] = one_hot_families(data.names)
    selector.set_params(**made)
    return {name: value for name, value in wishes.items() if value is not None}
