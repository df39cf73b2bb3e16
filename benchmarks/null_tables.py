"""Does the bound of stability selection hold where nothing is true? Counted on null tables.

    python benchmarks/null_tables.py

200 tables of each kind, 60 samples, 100 features, two classes that have nothing to do with them:
whatever is kept is false. Writes docs/data/null-tables.csv and docs/images/null-tables.png
(``--draw`` makes the picture only); about two minutes of one core.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np

from benchmarks.timing import print_table
from inffs import InfFSS, StabilitySelection
from inffs.meta.stability_selection import least_threshold
from inffs.methods import FisherScore

DOCS = Path(__file__).parents[1] / "docs"
T, N, PER_HALF, PAIRS, TABLES = 60, 100, 8, 50, 200
KINDS = {
    "Gaussian": lambda rng: rng.normal(size=(T, N)),
    "correlated": lambda rng: (
        np.repeat(rng.normal(size=(T, 10)), N // 10, axis=1) + 0.5 * rng.normal(size=(T, N))
    ),
    "heavy tails": lambda rng: rng.standard_t(2, size=(T, N)),
}
SELECTORS = {"fisher": FisherScore(), "inf-fs-s": InfFSS()}
PROMISES, ASSUMPTIONS = (1.0, 0.6, 0.3), ("unimodal", "r-concave")
FIELDS = ("table", "selector", "assumption", "promised", "kept", "error", "tables")


def frequencies(kind: str, selector: object) -> np.ndarray:
    """How often every feature of every table is picked."""
    asked = StabilitySelection(selector, n_per_half=PER_HALF, pairs=PAIRS)
    y = np.arange(T) % 2
    found = []
    for seed in range(TABLES):
        X = KINDS[kind](np.random.default_rng([seed, 91]))
        found.append(asked.set_params(random_state=seed).fit(X, y).frequencies_)
    return np.array(found)


def rows_of(kind: str, key: str) -> list[dict[str, Any]]:
    """False features kept at the threshold of every promise, in the mean of the tables."""
    picked, rows = frequencies(kind, SELECTORS[key]), []
    for assumption in ASSUMPTIONS:
        for promised in PROMISES:
            threshold = least_threshold(promised, PER_HALF, N, PAIRS, assumption)
            kept = (picked >= threshold - 1e-9).sum(axis=1)
            error = kept.std(ddof=1) / np.sqrt(TABLES)
            values = (kind, key, assumption, promised, kept.mean(), round(error, 3), TABLES)
            rows.append(dict(zip(FIELDS, values, strict=True)))
    return rows


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """What was kept against what was promised, with two standard errors; a panel an assumption."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for axis, assumption in zip(axes, ASSUMPTIONS, strict=True):
        for kind, marker in zip(KINDS, "os^", strict=True):
            for key, color in zip(SELECTORS, ("#2a6fdb", "#c2410c"), strict=True):
                of = (kind, key, assumption)
                line = [r for r in rows if (r["table"], r["selector"], r["assumption"]) == of]
                x, y, error = (
                    [float(row[name]) for row in line] for name in ("promised", "kept", "error")
                )
                style = {"marker": marker, "color": color, "ms": 5, "lw": 1, "capsize": 2}
                bars = [2 * one for one in error]
                axis.errorbar(x, y, yerr=bars, label=f"{kind}, {key}", **style)
        axis.plot([0, 1], [0, 1], color="black", ls="--", lw=1, label="as many as promised")
        axis.set(title=f"assumption={assumption!r}", xlabel="at most so many false promised")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("false features kept (mean)")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    path = DOCS / "data" / "null-tables.csv"
    if "--draw" in sys.argv:
        rows: list[dict[str, Any]] = list(csv.DictReader(path.open(encoding="utf-8")))
    else:
        rows = [row for kind in KINDS for key in SELECTORS for row in rows_of(kind, key)]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    draw(rows, DOCS / "images" / "null-tables.png")
    print_table("False features kept", list(FIELDS), [list(map(str, row.values())) for row in rows])


if __name__ == "__main__":
    main()
