"""Costs of a fit by method, as measured by benchmarks/memory.py and scale.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import inffs

DATA = Path(__file__).parents[1] / "data"
USUAL = (100, 2000)
LEAST = 4.0  # MiB: below, the peak is that of Python's own work and grows with nothing
HEADER = """\
| method | s | MiB | time grows with n | with T | memory with n | with T | kept beside the table |
|---|---|---|---|---|---|---|---|"""


def measured(folder: Path = DATA) -> pd.DataFrame:
    """Rows of method, T, n, processor seconds, MiB; none where nothing was measured."""
    columns = ["method", "T", "n", "processor seconds", "MiB"]
    path = folder / "cost.csv"
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)


def power(sizes: Any, costs: Any) -> float | None:
    """Slope of log(cost) over log(size) on the three largest sizes; None for fewer."""
    if len(sizes) < 3:
        return None
    order = np.argsort(sizes)[-3:]
    sizes, costs = np.asarray(sizes, dtype=float)[order], np.asarray(costs, dtype=float)[order]
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(costs, 1e-9)), 1)[0])


def growth(rows: pd.DataFrame, size: str, cost: str) -> str:
    """``n^1.0``, from the rows that differ in ``size`` alone; a dash where there are too few."""
    other, fixed = ("T", 100) if size == "n" else ("n", 1000)
    rows = rows[rows[other] == fixed]
    if cost == "MiB" and (rows.empty or rows[cost].max() < LEAST):
        return "little" if len(rows) >= 3 else "–"
    slope = power(rows[size], rows[cost])
    return "–" if slope is None else f"{size}<sup>{round(slope, 1) + 0.0}</sup>"


def usual(rows: pd.DataFrame, key: str) -> tuple[str, str]:
    """Seconds and MiB of the table that all methods are shown on."""
    mine = rows[(rows["method"] == key) & (rows["T"] == USUAL[0]) & (rows["n"] == USUAL[1])]
    if mine.empty:
        return "–", "–"
    return f"{mine['processor seconds'].iloc[-1]:.2g}", f"{mine['MiB'].iloc[-1]:.0f}"


def kept(entry: Any, power: str = r"<sup>\1</sup>") -> str:
    """Return the float64 numbers that a fit keeps in addition to the table."""
    if not entry.keeps:
        return "a few vectors"
    text = re.sub(r"\^(\d)", power, entry.keeps)
    return text + (", tiles up to ``memory_limit``" if entry.key == "inf-fs-u" else "")


def overview(rows: pd.DataFrame) -> list[str]:
    """The table of all methods, in Markdown."""
    lines = [HEADER]
    for entry in inffs.catalogue():
        mine = rows[rows["method"] == entry.key]
        grown = [growth(mine, s, c) for c in ("processor seconds", "MiB") for s in ("n", "T")]
        cells = [f"`{entry.key}`", *usual(rows, entry.key), *grown, kept(entry)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def growth_caption(folder: Path = DATA) -> str:
    """The slopes of the growth curves, and which part was measured."""
    path = folder / "growth.csv"
    if not path.exists():
        return "Not measured yet: run `python benchmarks/scale.py growth`."
    rows = pd.read_csv(path).drop_duplicates(["form", "n"], keep="last").sort_values("n")
    said = []
    for form, mine in rows.groupby("form", sort=False):
        slope = power(mine["n"], mine["processor seconds"])
        if slope is not None:
            said.append(f"{form} {slope:.2f} (measured to n = {mine['n'].max():,})")
    return (
        f"Processor time of a fit with 100 samples. The slopes of the log-log lines, fitted to the "
        f"three largest sizes, are: {', '.join(said)}. Dashed lines extrapolate. In the exact "
        "form, no tile is stored; it is faster if the tiles fit in memory."
    )


def many_samples(folder: Path = DATA) -> str:
    """Describe the fit of a million samples."""
    path = folder / "many-samples.csv"
    if not path.exists():
        return "Not measured yet: run `python benchmarks/scale.py samples`."
    return "\n".join(
        f"- {row['T']:,} samples x {row['n']:,} features in {row['values']}: the table takes "
        f"{row['table GiB']} GiB, its ranks {row['ranks GiB']} GiB, and the fit added "
        f"{row['fit adds GiB']} GiB at its peak (ranks included), in {row['processor seconds']} "
        "seconds of processor time."
        for _, row in pd.read_csv(path).iterrows()
    )


def ratios(folder: Path = DATA) -> str:
    """Return the ratios of the speed at size, each measured in one run, in Markdown."""
    path = folder / "speed-at-size.csv"
    if not path.exists():
        return "Not measured yet: run `python benchmarks/scale.py tiles million exact-200000`."
    rows = pd.read_csv(path, dtype=str).fillna("")
    lines = [list(rows.columns), ["---"] * rows.shape[1], *rows.to_numpy().tolist()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_pages(folder: Path) -> None:
    """Write the parts that docs/scale.md includes."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "cost.md": "\n".join(overview(measured())),
        "growth.md": growth_caption(),
        "many-samples.md": many_samples(),
        "speed-at-size.md": ratios(),
    }
    for name, text in parts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
