"""``inffs status``: the progress of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inffs.cli._run import Terminal, UsageError

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)]


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds no run."""
    from inffs.comparison.store import PACKED

    if not (folder / "parts").is_dir() and not (folder / PACKED).is_file():
        raise UsageError(f"{folder} is not the folder of a run.")


def status(terminal: Terminal, folder: Folder) -> None:
    """Show how many trials are done, skipped, failed and left, and the time left."""
    from inffs.comparison import status as state_of

    check_folder(folder)
    state = state_of(folder)
    if state.empty:
        terminal.note("No run has begun here yet.")
        return
    state["hours_left"] = state["hours_left"].round(2)
    if not terminal.out.is_terminal:
        typer.echo(state.to_csv(sep="\t", index=False).rstrip())
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in state.columns:
        shown.add_column(
            name.replace("_", " "), justify="left" if name in ("dataset", "setting") else "right"
        )
    for row in state.itertuples(index=False):
        shown.add_row(*(Text(str(value)) for value in row))
    terminal.out.print(shown)
