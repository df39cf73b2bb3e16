"""``python -m reproduction report``: the page about a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inffs.cli._compare import Folder, check_folder
from inffs.cli._run import Terminal


def report(
    terminal: Terminal,
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DOCS", help="Where to write. Default: DIR itself."),
    ] = None,
) -> None:
    """Write reproduction.md and its details: the paper's claims, figures and tables."""
    from reproduction.page import write_reproduction

    check_folder(folder)
    terminal.out.print(str(write_reproduction(folder, out or folder)), markup=False, soft_wrap=True)
