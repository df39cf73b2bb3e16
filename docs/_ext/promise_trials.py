"""Whether the arena's promises held, as benchmarks/promises.py measured it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).parents[1] / "data" / "promises.csv"
NOTHING = "Not measured yet: `python benchmarks/promises.py` does."
KINDS = {"real": "real tables", "made": "made tables", "noise": "tables of noise"}


def read_trials(path: Path = DATA) -> pd.DataFrame:
    """A line for every table; shares in percent, and whether the promise held."""
    table = pd.read_csv(path)
    shares = ["stated", "low", "high", "uncorrected", "found", "truth"]
    table[shares] *= 100
    table["held"] = table["found"].between(table["low"], table["high"])
    return table


def overview(table: pd.DataFrame) -> list[str]:
    """How often the interval held and how far the statement was off, by kind of table."""
    lines = [
        "| tables | number | interval holds | stated minus found | uncorrected minus found "
        "| mean distance | of which sampling |",
        "|---|---|---|---|---|---|---|",
    ]
    groups = [(KINDS[kind], table[table["source"] == kind]) for kind in KINDS]
    return lines + [_line(name, rows) for name, rows in [*groups, ("all", table)] if len(rows)]


def _line(name: str, rows: pd.DataFrame) -> str:
    off = rows["stated"] - rows["found"]
    cells = [
        name, str(len(rows)), f"{rows['held'].sum()} of {len(rows)}", signed(off),
        signed(rows["uncorrected"] - rows["found"]), f"{off.abs().mean():.1f}",
        f"{sampling(rows):.1f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def sampling(rows: pd.DataFrame) -> float:
    """Mean distance that the samples of both halves alone would cause, were nothing else wrong."""
    share = rows["stated"] / 100
    error = 100 * np.sqrt(2 * share * (1 - share) / rows["samples"])
    return float(np.sqrt(2 / np.pi) * error.mean())


def verdict(table: pd.DataFrame) -> str:
    """What was aimed at, and what came out."""
    off, held = table["stated"] - table["found"], table["held"]
    error = off.std() / np.sqrt(len(off))
    missed = "; ".join(table["table"][~held]) or "none"
    known = table[table["truth"].notna()]
    inside = known["truth"].between(known["low"], known["high"])
    return (
        f"The interval held on {held.sum()} of {len(table)} tables ({100 * held.mean():.0f} %; "
        f"aim: 90 %); outside lay {missed}. What was stated is {signed(off)} points from what was "
        f"found on average (standard error {error:.1f}; aim: within 1.5, without a sign); without "
        f"the correction {signed(table['uncorrected'] - table['found'])}. Of the {len(known)} made "
        "tables and tables of noise the accuracy on 3,000 fresh samples lay inside on "
        f"{inside.sum()}, {signed(known['stated'] - known['truth'])} points from the stated one on "
        f"average. A single promise is off by {off.abs().mean():.1f} points on average: halves of "
        f"{table['samples'].min()} to {table['samples'].max()} samples say no more, "
        f"{sampling(table):.1f} points are their sampling alone."
    )


def signed(values: pd.Series) -> str:
    """The mean with its sign, one digit, and no minus before zero."""
    return f"{round(values.mean(), 1) + 0.0:+.1f}"


def trials(table: pd.DataFrame) -> list[str]:
    """Every table, as it came out."""
    lines = [
        "| table | samples x features, classes | recommended | stated | interval | found |",
        "|---|---|---|---|---|---|",
    ]
    for row in table.itertuples():
        found = f"{row.found:.1f}" if row.held else f"**{row.found:.1f}**"
        lines.append(
            f"| {row.table} | {row.samples} x {row.features}, {row.classes} | `{row.method}`, "
            f"{row.size} | {row.stated:.1f} | {row.low:.1f} to {row.high:.1f} | {found} |"
        )
    return lines


def nested(table: pd.DataFrame, path: Path) -> list[str]:
    """The bootstrap beside nested splits, on the tables that were tried with both."""
    both = table.merge(pd.read_csv(path), on="table", suffixes=("", " of nested"))
    both[["nested", "low of nested", "high of nested"]] *= 100
    inside = both["found"].between(both["low of nested"], both["high of nested"])
    kinds = ", ".join(f"{n} {KINDS[kind]}" for kind, n in both["source"].value_counts().items())
    off = both["nested"] - both["found"]
    return [
        "Nested splits (the whole arena again inside each of five folds) were tried on "
        f"{len(both)} of these tables ({kinds}):", "",
        "| estimate | interval holds | stated minus found | mean distance | fits |",
        "|---|---|---|---|---|",
        f"| bootstrap | {both['held'].sum()} of {len(both)} | "
        f"{signed(both['stated'] - both['found'])} | "
        f"{(both['stated'] - both['found']).abs().mean():.1f} | 1 |",
        f"| nested | {inside.sum()} of {len(both)} | {signed(off)} | {off.abs().mean():.1f} | 6 |",
        "",
    ]  # fmt: skip


def write(folder: Path, path: Path = DATA) -> None:
    """What docs/guide/comparing.md includes."""
    folder.mkdir(parents=True, exist_ok=True)
    text = NOTHING
    if path.exists():
        table, other = read_trials(path), path.with_name("promises-nested.csv")
        compared = nested(table, other) if other.exists() else []
        text = "\n".join([verdict(table), "", *overview(table), "", *compared, *trials(table)])
    (folder / "promises.md").write_text(text + "\n", encoding="utf-8")
