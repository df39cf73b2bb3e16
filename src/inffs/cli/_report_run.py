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
    reproduction: Annotated[
        Path | None,
        typer.Option(
            "--reproduction",
            metavar="DOCS",
            help="Write instead reproduction.md into this folder: the paper's claims, one by one.",
        ),
    ] = None,
) -> None:
    """Write a run's report: one HTML page, figures as PNG and SVG, tables as CSV."""
    from inffs.arena import write_reproduction, write_run_report

    check_folder(folder)
    if reproduction is not None:
        terminal.out.print(str(write_reproduction(folder, reproduction)), markup=False)
        return
    terminal.out.print(str(write_run_report(folder, out)), markup=False, soft_wrap=True)
