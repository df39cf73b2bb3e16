"""``inffs rank``: print the ranking, a table on a terminal, CSV or JSON when piped."""

from __future__ import annotations

import io
import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from inffs.cli import _options as opt
from inffs.cli._run import Terminal


class Shape(StrEnum):
    """How the ranking is printed."""

    table = "table"
    csv = "csv"
    json = "json"


def rank(
    terminal: Terminal,
    source: opt.Prepared,
    method: opt.Method,
    subset: opt.Subset,
    top: Annotated[
        int | None,
        typer.Option("--top", "-n", min=1, help="Print the best N features.", show_default=False),
    ] = None,
    shape: Annotated[
        Shape | None,
        typer.Option("--format", help="Default: a table on a terminal, CSV when piped."),
    ] = None,
) -> None:
    """Print the ranking of a table's columns.

    [dim]inffs rank genes.csv --label diagnosis --top 20[/dim]
    """
    from inffs.cli._show import as_table, ranked_rows
    from inffs.cli._work import rank_table

    found = rank_table(terminal, source, method, subset, usual_size="all")
    rows = ranked_rows(found.selector, found.table.names, found.symbols)[:top]
    shape = shape or (Shape.table if terminal.out.is_terminal else Shape.csv)
    if shape is Shape.table:
        shown = rows[: top or 30]
        terminal.out.print(as_table(shown))
        terminal.note(
            f"{found.spec.key} selects {found.selector.n_features_:,} of "
            f"{len(found.table.names):,} features."
        )
        if len(shown) < len(rows):
            terminal.note(f"The best {len(shown)} are shown; --top N or a pipe shows more.")
    elif shape is Shape.csv:
        terminal.data(_as_csv(rows))
    else:
        terminal.data(json.dumps(rows, indent=1, ensure_ascii=False))


def _as_csv(rows: list[dict[str, Any]]) -> str:
    import csv

    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().removesuffix("\n")
