"""Steps that sub-commands share: read the table, fit the method."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from inffs.cli._options import method_or_default, parse_keep
from inffs.cli._run import Terminal, UsageError


def load(
    terminal: Terminal,
    path: Path,
    label: str | None = None,
    index: str | None = None,
    drop: list[str] | None = None,
    transpose: bool = False,
    encode: str | None = None,
    impute: str | None = None,
) -> Any:
    """Read the table with the shared options and say what came out."""
    from inffs.tables import read_table

    started = time.perf_counter()
    table = read_table(
        path,
        label=label,
        index=index,
        drop=drop or (),
        transpose=transpose,
        encode=encode and str(encode),
        impute=impute and str(impute),
    )
    for note in table.notes:
        terminal.note(note, style="yellow")
    T, n = table.shape
    spent = time.perf_counter() - started
    terminal.detail(f"Read {path}: {T:,} samples, {n:,} features, {spent:.2f} s.")
    return table


def build(method: str | None, label: Any, keep: str, seed: int) -> tuple[Any, Any]:
    """The method as it was understood and its selector; what is wrong with it is wrong usage."""
    from inffs.methods._spec import parse_method

    try:
        spec = parse_method(method_or_default(method, label))
        selector = spec.build(n_features_to_select=parse_keep(keep), random_state=seed)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if spec.entry.supervised and label is None:
        raise UsageError(
            f"The method {spec.key} is supervised: name the column of classes (--label)."
        )
    return spec, selector


def fit(terminal: Terminal, selector: Any, table: Any) -> None:
    """Fit the selector on the table with bars drawn."""
    started = time.perf_counter()
    with terminal.progress():
        selector.fit(table.X, table.y)
    name = type(selector).__name__
    terminal.detail(f"Ranked with {name} in {time.perf_counter() - started:.2f} s.")


def show_kept(
    terminal: Terminal, selector: Any, names: list[str], key: str, files: list[Path], most: int = 10
) -> None:
    """Say what was kept and why, and where the files are."""
    from inffs.cli._rank import as_table, ranked_rows

    if terminal.quiet:
        return
    rows = ranked_rows(selector, names)
    terminal.out.print(as_table(rows[:most]))
    kept, n = selector.n_features_, len(names)
    terminal.say(f"Kept {kept:,} of {n:,} features with {key}.", style="bold")
    terminal.say(f"{selector.cut_.why}\n")
    for path in files:
        terminal.say(f"  {path}")
