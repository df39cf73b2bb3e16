"""Write the help texts of the command and its sub-commands for the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def help_texts() -> dict[str, str]:
    """Return the help of every sub-command by name; "" is the command itself."""
    from inffs.cli import _COMMANDS, build_app

    app = build_app()
    return {"": _help(app, [])} | {name: _help(app, [name]) for name in _COMMANDS}


def _help(app: Any, words: list[str]) -> str:
    """Return the help text, 100 columns wide and without colour."""
    from typer.testing import CliRunner

    plain = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    result = CliRunner().invoke(app, [*words, "--help"], prog_name="inffs", env=plain)
    if result.exit_code:
        raise RuntimeError(f"inffs {' '.join(words)} --help failed: {result.output}")
    return "\n".join(line.rstrip() for line in result.output.strip("\n").splitlines())


def _write(app: Any) -> None:
    parts = []
    for name, text in help_texts().items():
        parts.append(f"## inffs {name}\n" if name else "")
        parts.append(f"```text\n{text}\n```\n")
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    (folder / "command.md").write_text("\n".join(parts), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True}
