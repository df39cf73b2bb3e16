"""``inffs report``: the page, figures and tables of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inffs.cli._run import Terminal
from inffs.cli._status import Folder, check_folder


def report(
    terminal: Terminal,
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where to write. Default: DIR itself."),
    ] = None,
) -> None:
    """Write a run's report: one HTML page, figures as PNG and SVG, tables as CSV."""
    from inffs.comparison import write_run_report

    check_folder(folder)
    terminal.out.print(str(write_run_report(folder, out)), markup=False, soft_wrap=True)
