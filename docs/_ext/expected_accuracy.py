"""Whether the expected accuracies held, as benchmarks/expected_accuracy.py measured it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).parents[1] / "data" / "expected-accuracy.csv"
INDEPENDENT = DATA.with_name("expected-accuracy-independent.csv")
NOTHING = "Not measured yet: `python benchmarks/expected_accuracy.py` does."
KINDS = {"real": "real tables", "made": "made tables", "noise": "tables of noise"}


def read_trials(path: Path = DATA) -> pd.DataFrame:
    """A line for every table; shares in percent, and whether the interval held."""
    table = pd.read_csv(path)
    shares = ["stated", "low", "high", "uncorrected", "found", "truth"]
    table[shares] *= 100
    table["held"] = table["found"].between(table["low"], table["high"])
    return table


def overview(table: pd.DataFrame) -> list[str]:
    """How often the interval held and how far the statement was off, by kind of table."""
    lines = [
        "| tables | number | interval holds | stated minus found | uncorrected minus found "
        "| mean distance | of which sampling | found below, above |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups = [(KINDS[kind], table[table["source"] == kind]) for kind in KINDS]
    return lines + [_line(name, rows) for name, rows in [*groups, ("all", table)] if len(rows)]


def _line(name: str, rows: pd.DataFrame) -> str:
    off = rows["stated"] - rows["found"]
    cells = [
        name, str(len(rows)), f"{rows['held'].sum()} of {len(rows)}", signed(off),
        signed(rows["uncorrected"] - rows["found"]), f"{off.abs().mean():.1f}",
        f"{sampling(rows):.1f}",
        f"{(rows['found'] < rows['low']).sum()}, {(rows['found'] > rows['high']).sum()}",
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
        f"it states 95 %); outside lay {missed}. {_of_real(table)}"
        f"On average over all tables the stated accuracy is {signed(off)} points from what was "
        f"found (standard error {error:.1f}); without the correction "
        f"{signed(table['uncorrected'] - table['found'])}. On the {len(known)} made "
        "tables and tables of noise the accuracy on 3,000 fresh samples lay inside on "
        f"{inside.sum()}, {signed(known['stated'] - known['truth'])} points from the stated one on "
        f"average. A single statement is off by {off.abs().mean():.1f} points on average: halves "
        f"of {table['samples'].min()} to {table['samples'].max()} samples cannot show more, "
        f"{sampling(table):.1f} points are their sampling alone."
    )


def _of_real(table: pd.DataFrame) -> str:
    """The bias on real tables alone, and of how many data sets they are cuts."""
    real = table[table["source"] == "real"]
    if real.empty:
        return ""
    sources = real["table"].str.partition(",")[0]
    off = (real["stated"] - real["found"]).groupby(sources).mean()
    return (
        f"The {len(real)} real tables are cuts of {len(off)} data sets, so they are fewer "
        f"independent trials than their number; on these alone the stated accuracy is "
        f"{signed(real['stated'] - real['found'])} points from what was found ({off.min():+.1f} "
        f"to {off.max():+.1f} by data set). "
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


def independent(table: pd.DataFrame) -> list[str]:
    """What was aimed at on tables that had no part in any choice, what came out, every table."""
    off = table["stated"] - table["found"]
    sources = table["table"].str.rpartition(", cut ")[0]
    by_source = off.groupby(sources, sort=False).mean()
    error = by_source.std() / len(by_source) ** 0.5
    below, above = table["found"] < table["low"], table["found"] > table["high"]
    lines = [
        f"The interval held on {table['held'].sum()} of {len(table)} halves of {len(by_source)} "
        f"data sets ({100 * table['held'].mean():.1f} %; aim: at least 93 %, and it states 95 %). "
        f"{below.sum()} misses lie below the interval and {above.sum()} above it (aim: some on "
        f"either side). The stated accuracy is {signed(off)} points from what was found (standard "
        f"error over the data sets {error:.1f}; aim: within one point); without the correction "
        f"{signed(table['uncorrected'] - table['found'])}. A single statement is off by "
        f"{off.abs().mean():.1f} points on average; {sampling(table):.1f} points are the sampling "
        "of the halves alone.",
        "",
        "<details>",
        f"<summary>All {len(by_source)} data sets</summary>",
        "",
        "| data set | samples of a half x features, classes | stated | found | difference | held |",
        "|---|---|---|---|---|---|",
    ]
    for name, rows in table.groupby(sources, sort=False):
        first = rows.iloc[0]
        lines.append(
            f"| {name} | {first['samples']} x {first['features']}, {first['classes']} | "
            f"{rows['stated'].mean():.1f} | {rows['found'].mean():.1f} | "
            f"{signed(rows['stated'] - rows['found'])} | {rows['held'].sum()} of {len(rows)} |"
        )
    return [*lines, "", "</details>"]


def write(folder: Path, path: Path = DATA, other: Path = INDEPENDENT) -> None:
    """What docs/guide/comparing.md includes."""
    folder.mkdir(parents=True, exist_ok=True)
    text = proof = NOTHING
    if path.exists():
        table = read_trials(path)
        text = "\n".join([verdict(table), "", *overview(table), "", *trials(table)])
    if other.exists():
        proof = "\n".join(independent(read_trials(other)))
    (folder / "expected-accuracy.md").write_text(text + "\n", encoding="utf-8")
    (folder / "expected-accuracy-independent.md").write_text(proof + "\n", encoding="utf-8")
