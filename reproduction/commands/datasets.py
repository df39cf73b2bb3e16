"""``python -m reproduction datasets``: the benchmark's data sets, or one in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from inffs.cli._run import Terminal


def _complete(incomplete: str) -> list[str]:
    from reproduction.datasets import known

    return [entry.name for entry in known() if entry.name.startswith(incomplete)]


def datasets(
    terminal: Terminal,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One data set in full.", autocompletion=_complete),
    ] = None,
) -> None:
    """List the benchmark's data sets (the paper's Table 2), or tell all about one."""
    from reproduction.datasets import info, known

    if name is not None:
        for line in _lines(info(name)):
            terminal.out.print(line, markup=False, soft_wrap=True)
        return
    terminal.table(_HEAD, [_row(entry) for entry in known()])


_HEAD = ("name", "samples", "features", "classes", "balance", "flags", "status")


def _flags(entry: Any) -> str:
    flags = {
        "few train": entry.few_train,
        "unbalanced": entry.unbalanced,
        "overlap": entry.overlap == "yes",
        "noise": entry.noise,
        "sparse": entry.sparse,
    }
    return ", ".join(name for name, on in flags.items() if on)


def _row(entry: Any) -> tuple[str, ...]:
    return (entry.name, entry.samples, str(entry.features), str(entry.classes), entry.balance,
            _flags(entry), entry.status)  # fmt: skip


def _lines(entry: Any) -> list[str]:
    from reproduction.fetch import is_here

    lines = [
        f"{entry.name}: {entry.origin}",
        f"status: {entry.status}{'' if entry.in_paper else ' (not in the paper)'}",
        f"in the paper's Table 2: {entry.samples} samples, {entry.features} features, "
        f"{entry.classes} classes, balance {entry.balance}; {_flags(entry) or 'no flags'}; class "
        f"overlap: {entry.overlap}",
        f"as loaded: {entry.shape[0]} x {entry.shape[1]}",
    ]
    if entry.note:
        lines.append(f"remark: {entry.note}")
    for source in entry.sources:
        here = "on this machine" if all(map(is_here, source.files)) else "not on this machine"
        lines.append(f"{entry.title(source)}: {source.status}, {here}")
        for file in source.files:
            lines.append(f"  file: {file.address or file.path + ' in INFFS_DATA'}")
            lines.append(f"  {_hash(file)}")
    return lines


def _hash(file: Any) -> str:
    return f"sha256: {file.sha256}" if file.sha256 else f"git blob: {file.git_blob}"
