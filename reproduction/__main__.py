"""``python -m reproduction``: run the paper's experiments, and write what came of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from inffs.cli._compare import status
from inffs.cli._run import Command, Group, command
from reproduction.commands import datasets, evaluate, report, run

_COMMANDS: dict[str, Callable[..., None]] = {
    "run": run.run,
    "datasets": datasets.datasets,
    "evaluate": evaluate.evaluate,
    "status": status,
    "report": report.report,
}


def build_app() -> Any:
    """The command with its sub-commands."""
    app = typer.Typer(
        name="python -m reproduction",
        cls=Group,
        help="Reproduce the experiments of the publication of Infinite Feature Selection.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, function in _COMMANDS.items():
        app.command(name, cls=Command)(command(function))
    return app


def main() -> None:
    """Run the command."""
    build_app()(prog_name="python -m reproduction")


if __name__ == "__main__":
    main()
