"""The ``inffs`` command. A sub-command is one file here and one line in ``_COMMANDS``."""

from __future__ import annotations

import io
import signal
import sys

try:
    import typer
except ImportError:  # the command is an extra
    typer = None  # type: ignore[assignment]

# name: the private module that holds a function of that name
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

    from inffs.cli._run import make_app

    about = "Select the features of a table: Infinite Feature Selection and other methods."
    modules = {name: import_module(f"inffs.cli.{module}") for name, module in _COMMANDS.items()}
    app = make_app("inffs", about, {name: getattr(modules[name], name) for name in modules})

    @app.callback(help=about)
    def top_level(
        version: bool = typer.Option(
            False, "--version", callback=_show_version, is_eager=True,
            help="Print the version and exit.",
        ),
    ) -> None:  # fmt: skip
        """Every sub-command does the rest."""

    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from inffs._version import __version__

        typer.echo(f"inffs {__version__}")
        raise typer.Exit


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
