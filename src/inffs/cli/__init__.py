"""The ``inffs`` command. A sub-command is one file here and one line in ``_COMMANDS``."""

from __future__ import annotations

import io
import signal
import sys

try:
    import typer
except ImportError:  # the command is an extra
    typer = None  # type: ignore[assignment]

# name: the private module that holds a function of that name (dashes become underscores)
_COMMANDS = {
    "select": "_select",
    "rank": "_select",
    "apply": "_apply",
    "methods": "_methods",
    "demo": "_demo",
    "compare": "_compare",
    "status": "_compare",
    "report": "_compare",
}


def build_app() -> typer.Typer:
    """The typer application with every sub-command registered, in the order of ``_COMMANDS``."""
    from importlib import import_module

    from inffs.cli._run import Command, Group, command

    app = typer.Typer(
        name="inffs",
        cls=Group,
        help="Select the features of a table: Infinite Feature Selection and other methods.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top_level)
    for name, module in _COMMANDS.items():
        function = getattr(import_module(f"inffs.cli.{module}"), name.replace("-", "_"))
        app.command(name, cls=Command)(command(function))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from inffs._version import __version__

        typer.echo(f"inffs {__version__}")
        raise typer.Exit


if typer is not None:

    def _top_level(
        version: bool = typer.Option(
            False,
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ) -> None:
        """Select the features of a table: Infinite Feature Selection and other methods."""


def main() -> None:
    """Run the command, as ``inffs`` and ``python -m inffs`` do.

    See Also
    --------
    inffs.rank : From Python.

    Examples
    --------
    >>> from inffs.cli import main
    >>> main()  # doctest: +SKIP
    """
    if typer is None:
        sys.exit("The inffs command needs typer and rich: pip install 'inffs[cli]'")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up as after Ctrl-C
    for stream in (sys.stdout, sys.stderr):  # characters that a terminal cannot show are escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    from inffs.cli._run import show_warnings_plainly

    show_warnings_plainly()
    build_app()(prog_name="inffs")
