"""Whether the expected accuracies held, as benchmarks/expected_accuracy.py measured it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).parents[1] / "data" / "expected-accuracy-independent.csv"
NOTHING = "Not measured yet: `python benchmarks/expected_accuracy.py` does."


def read_trials(path: Path = DATA) -> pd.DataFrame:
    """A line for every half; shares in percent, and whether the interval held."""
    table = pd.read_csv(path)
    shares = ["stated", "low", "high", "uncorrected", "found"]
    table[shares] *= 100
    table["held"] = table["found"].between(table["low"], table["high"])
    table["data set"] = table["table"].str.rpartition(", cut ")[0]
    return table


def sampling(rows: pd.DataFrame) -> float:
    """Mean distance that the samples of both halves alone would cause, were nothing else wrong."""
    share = rows["stated"] / 100
    error = 100 * np.sqrt(2 * share * (1 - share) / rows["samples"])
    return float(np.sqrt(2 / np.pi) * error.mean())


def signed(values: pd.Series) -> str:
    """The mean with its sign, one digit, and no minus before zero."""
    return f"{round(values.mean(), 1) + 0.0:+.1f}"


def verdict(table: pd.DataFrame) -> list[str]:
    """What was aimed at, and what came out."""
    off = table["stated"] - table["found"]
    by_set = off.groupby(table["data set"], sort=False).mean()
    error = by_set.std() / len(by_set) ** 0.5
    below, above = table["found"] < table["low"], table["found"] > table["high"]
    return [
        "| quantity | aim | found |",
        "|---|---|---|",
        f"| halves inside the interval | at least 93 % (it states 95 %) | {table['held'].sum()} of "
        f"{len(table)} ({100 * table['held'].mean():.1f} %) |",
        f"| halves below and above the interval | some on either side | {below.sum()} and "
        f"{above.sum()} |",
        f"| stated minus found accuracy | within one point | {signed(off)} points (standard error "
        f"over {len(by_set)} data sets {error:.1f}) |",
        "| the same without the bias correction | | "
        f"{signed(table['uncorrected'] - table['found'])} points |",
        f"| mean distance of a single statement | | {off.abs().mean():.1f} points (the sampling of "
        f"the halves alone would give {sampling(table):.1f}) |",
    ]


def every_set(table: pd.DataFrame) -> list[str]:
    """The means of every data set over its halves."""
    lines = [
        "| data set | samples of a half x features, classes | stated | found | difference | held |",
        "|---|---|---|---|---|---|",
    ]
    for name, rows in table.groupby("data set", sort=False):
        first = rows.iloc[0]
        lines.append(
            f"| {name} | {first['samples']} x {first['features']}, {first['classes']} | "
            f"{rows['stated'].mean():.1f} | {rows['found'].mean():.1f} | "
            f"{signed(rows['stated'] - rows['found'])} | {rows['held'].sum()} of {len(rows)} |"
        )
    return lines


def write(folder: Path, path: Path = DATA) -> None:
    """What docs/guide/comparing-evidence.md includes."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"expected-accuracy": [NOTHING], "expected-accuracy-sets": []}
    if path.exists():
        table = read_trials(path)
        parts = {"expected-accuracy": verdict(table), "expected-accuracy-sets": every_set(table)}
    for name, lines in parts.items():
        (folder / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
