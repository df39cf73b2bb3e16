"""What do both goals claim of noise, and what does ``fdr`` find where the truth is known?

    python benchmarks/noise.py predict [--minutes 9] [--design weights]
    python benchmarks/noise.py discover [--minutes 9] [--least 0.1]
    python benchmarks/noise.py planted [--minutes 9] [--least 0.1]
    python benchmarks/noise.py grouped [--minutes 9]
    python benchmarks/noise.py draw

``predict`` and ``discover``: noise of eight kinds, 20 to 200 samples by 100 features, as it is and
with duplicated rows, weights and groups; the number of tables with any claim. ``planted``: real
expression tables (INFFS_DATA) whose labels are drawn at random and planted into 10 or 50 features;
the false share among the features claimed (a mean over tables) and the recall. ``grouped``: 60 to
200 samples, three to five of each patient, and labels of patients that follow from nothing; the
accuracy that ``auto`` states with ``groups`` beside folds of whole patients. Tables are added where
there are fewest until the minutes are over; ``--least`` goes on only with cells of which so large a
share has claims (is false), ``--design`` only with one design. Every run goes on where the last one
ended: docs/data/noise.csv, docs/data/planted.csv and docs/data/grouped-noise.csv hold the counts,
docs/images/noise.png and docs/images/planted.png show the first two.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import count, product, takewhile
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from benchmarks.timing import write_row
from inffs import InfFSC
from inffs.cuts.false_discovery_rate import p_values
from inffs.evaluation import Part, find_evaluator
from inffs.target import make_target
from reproduction.datasets import load

DOCS = Path(__file__).parents[1] / "docs"
N, Q = 100, 0.1
SAMPLES = (20, 50, 100, 200)
TABLES = ("colon", "leukemia", "lung", "lymphoma", "prostate")
PLANTED, EFFECT, WIDE, FEW = (10, 50), 1.2, 2000, 30
CELL = ["goal", "noise", "design", "samples"]
PLANTED_CELL = ["table", "samples", "planted"]

Noise = Callable[[np.random.Generator, int], np.ndarray]


def correlated(rng: np.random.Generator, T: int) -> np.ndarray:
    """Groups of twenty features with a correlation of 0.7."""
    shared = np.repeat(rng.normal(size=(T, N // 20)), 20, axis=1)
    return np.sqrt(0.7) * shared + np.sqrt(0.3) * rng.normal(size=(T, N))


def batches(rng: np.random.Generator, T: int) -> np.ndarray:
    """Three batches that shift every feature."""
    return rng.normal(size=(3, N))[rng.integers(0, 3, T)] + rng.normal(size=(T, N))


KINDS: dict[str, Noise] = {
    "Gaussian": lambda rng, T: rng.normal(size=(T, N)),
    "rare counts": lambda rng, T: rng.poisson(0.05, size=(T, N)).astype(float),
    "log-normal": lambda rng, T: rng.lognormal(0, 1.5, size=(T, N)),
    "Cauchy": lambda rng, T: rng.standard_cauchy(size=(T, N)),
    "genotypes": lambda rng, T: rng.binomial(2, rng.uniform(0.05, 0.5, N), (T, N)).astype(float),
    "correlated": correlated,
    "batches": batches,
    "4 against 44": lambda rng, T: rng.lognormal(0, 1, size=(T, N)),
}
DESIGNS = ("plain", "duplicates", "weights", "groups")


def make(kind: str, T: int, design: str, rng: np.random.Generator) -> dict[str, Any]:
    """A table of noise, its labels, and its weights or groups."""
    share = 12 if kind.startswith("4") else 2
    units = {"duplicates": T // 2, "groups": T // 4}.get(design, T)
    y = rng.permutation((np.arange(units) % share == 0).astype(int))
    X = KINDS[kind](rng, units)
    which = np.repeat(np.arange(units), T // units)
    if design == "groups":  # four samples a patient, half of every sample its patient's
        own = KINDS[kind](rng, which.size)
        X = np.where(rng.random(own.shape) < 0.5, X[which], own)
        return {"X": X, "y": y[which], "groups": which}
    if design == "duplicates":
        which = rng.permutation(which)
        return {"X": X[which], "y": y[which]}
    weight = {"sample_weight": (1 + 9 * y) * rng.integers(0, 3, T)} if design == "weights" else {}
    return {"X": X, "y": y, **weight}


def significant(seed: int, X: np.ndarray, y: np.ndarray, **known: Any) -> np.ndarray:
    """The features that ``fdr`` claims."""
    p = p_values(X, y, **known, q=Q, random_state=seed)
    return np.flatnonzero(false_discovery_control(p) <= Q)


def claims(goal: str, seed: int, **table: Any) -> bool:
    """Whether anything is claimed of a table."""
    if goal == "discover":
        return significant(seed, **table).size > 0
    weight = table.get("sample_weight", np.ones(len(table["y"])))
    if np.unique(table["y"][weight > 0]).size < 2:
        return False
    return not InfFSC().fit(**table).cut_.forced


def noise(goal: str, minutes: float, least: float, designs: tuple[str, ...]) -> None:
    """Count tables with a claim, always in the cell with the fewest tables."""
    path, end = DOCS / "data" / "noise.csv", time.monotonic() + 60 * minutes
    known = pd.read_csv(path).set_index(CELL) if path.exists() else pd.DataFrame()
    counts = {key: [int(row["tables"]), int(row["claims"])] for key, row in known.iterrows()}
    places = {(goal, *key): place for place, key in enumerate(product(KINDS, DESIGNS, SAMPLES))}
    for key in places:
        counts.setdefault(key, [0, 0])
    cells = [
        key for key in places if key[2] in designs and counts[key][1] >= least * counts[key][0]
    ]
    while time.monotonic() < end:
        key = min(cells, key=lambda cell: counts[cell][0])
        _, kind, design, T = key
        number = counts[key][0]
        rng = np.random.default_rng([places[key], number, N])  # a stream for each table of a cell
        claimed = claims(goal, number, **make(kind, T, design, rng))
        counts[key] = [number + 1, counts[key][1] + claimed]
        _save(counts, path)


def _save(counts: dict[tuple, list[int]], path: Path) -> None:
    rows = [(*key, *count) for key, count in sorted(counts.items())]
    pd.DataFrame(rows, columns=[*CELL, "tables", "claims"]).to_csv(path, index=False)


def plant(values: np.ndarray, samples: int, planted: int, seed: int) -> tuple[Any, ...]:
    """Random samples and features, random labels, and which features are shifted by them."""
    rng = np.random.default_rng([seed, samples, planted])
    rows = rng.choice(len(values), min(samples, len(values)), replace=False)
    X = values[rows][:, rng.choice(values.shape[1], min(WIDE, values.shape[1]), replace=False)]
    y = rng.permutation(np.arange(rows.size) % 2)
    true = rng.choice(X.shape[1], planted, replace=False)
    X[:, true] += EFFECT * X[:, true].std(axis=0) * rng.choice([-1, 1], planted) * y[:, None]
    return X, y, true


def planted(minutes: float, least: float) -> None:
    """False share and recall on real tables with planted labels, by turns as in ``noise``."""
    path, end = DOCS / "data" / "planted.csv", time.monotonic() + 60 * minutes
    found = pd.read_csv(path).to_dict("records")
    values = {name: np.asarray(load(name).X, dtype=float) for name in TABLES}
    tables: dict[tuple[str, int, int], list[float]] = {
        (name, samples, many): [] for name, samples, many in product(TABLES, (FEW, 1000), PLANTED)
    }
    for row in found:
        samples = FEW if row["samples"] == FEW else 1000
        false = row["claimed"] - row["right"]
        tables[row["table"], samples, row["planted"]].append(false / max(row["claimed"], 1))
    cells = [cell for cell in tables if np.mean(tables[cell]) >= least]
    while time.monotonic() < end:
        name, samples, many = cell = min(cells, key=lambda cell: len(tables[cell]))
        seed = len(tables[cell])
        X, y, true = plant(values[name], samples, many, seed)
        claimed = significant(seed, X, y)
        right = int(np.isin(claimed, true).sum())
        tables[cell].append((claimed.size - right) / max(claimed.size, 1))
        write_row(path, {"table": name, "samples": len(y), "planted": many,
                         "claimed": claimed.size, "right": right})  # fmt: skip


def patients(seed: int) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
    """Kind of noise, values, labels and patients; four of five values are those of the patient."""
    rng = np.random.default_rng([17, seed])
    kind, samples = list(KINDS)[seed % len(KINDS)], int(rng.integers(60, 201))
    which = np.repeat(np.arange(samples), rng.integers(3, 6, samples))[:samples]
    units = int(which[-1]) + 1
    X, own = KINDS[kind](rng, units)[which], KINDS[kind](rng, samples)
    X = np.where(rng.random(X.shape) < 0.8, X, own)
    return kind, X, rng.permutation(np.arange(units) % 2)[which], which


def honest(X: np.ndarray, y: np.ndarray, groups: np.ndarray, splitter: Any, size: int) -> float:
    """The accuracy on samples of other patients, ranked again without them."""
    right, evaluator, target = 0.0, find_evaluator("linear"), make_target(y)
    for train, test in splitter.split(X, y, groups):
        order = InfFSC(n_features_to_select=None).fit(X[train], y[train]).order_
        part = Part(X, target, train, test)
        right += test.size * evaluator.scores(part, [order[:size]])[0, 0]
    return right / len(y)


def grouped(minutes: float) -> None:
    """The stated accuracy beside that of two kinds of folds of whole patients, in percent."""
    path = DOCS / "data" / "grouped-noise.csv"
    first, end = len(pd.read_csv(path)) if path.exists() else 0, time.monotonic() + 60 * minutes
    for seed in takewhile(lambda _: time.monotonic() < end, count(first)):
        kind, X, y, which = patients(seed)
        selector = InfFSC().fit(X, y, groups=which)
        found = selector.size_selection_
        folds = {
            "group folds": GroupKFold(5),
            "stratified": StratifiedGroupKFold(5, shuffle=True, random_state=seed),
        }
        shares = {name: honest(X, y, which, s, found.size) for name, s in folds.items()}
        shares = {"stated": found.means[found.place(found.size)], **shares}
        write_row(path, {
            "noise": kind, "samples": len(y), "patients": which[-1] + 1, "size": found.size,
            **{name: f"{100 * share:.4g}" for name, share in shares.items()},
            "claimed": int(found.claimed),
        })  # fmt: skip


def draw() -> None:
    """The share of tables with a claim, and false share and recall, with standard errors."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    table = pd.read_csv(DOCS / "data" / "noise.csv")
    table = (
        table[table["goal"] == "discover"].groupby(["noise", "design"])[["tables", "claims"]].sum()
    )
    share = 100 * (table["claims"] / table["tables"]).unstack("design")[list(DESIGNS)]
    error = (share * (100 - share) / table["tables"].unstack("design")) ** 0.5
    figure, ax = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for place, design in enumerate(DESIGNS):
        at = np.arange(len(share)) + 0.15 * (place - 1.5)
        ax.errorbar(at, share[design], error[design], fmt="o", markersize=4, label=design)
    ax.axhline(10, color="#6b7280", linewidth=0.8)
    ax.set_xticks(range(len(share)), share.index, rotation=40, ha="right")
    ax.set(ylabel="noise tables with a claim (%)", ylim=(0, 20))
    ax.spines[["right", "top"]].set_visible(False)
    ax.legend(frameon=False, ncols=4)
    figure.savefig(DOCS / "images" / "noise.png", dpi=110)

    found = pd.read_csv(DOCS / "data" / "planted.csv")
    found["false"] = 100 * (1 - found["right"] / found["claimed"].clip(lower=1))
    found.loc[found["claimed"] == 0, "false"] = 0.0
    found["recall"] = 100 * found["right"] / found["planted"]
    cells = found.groupby(PLANTED_CELL)[["false", "recall"]].agg(["mean", "sem"])
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 5), layout="constrained", sharey=True)
    names = [f"{table}, {samples} samples, {count}" for table, samples, count in cells.index]
    for ax, measure in zip(axes, ("false", "recall"), strict=True):
        part = cells[measure]
        ax.errorbar(part["mean"], np.arange(len(part)), xerr=part["sem"], fmt="o", markersize=4)
        ax.set_yticks(range(len(part)), names)
        ax.spines[["right", "top"]].set_visible(False)
    axes[0].axvline(10, color="#6b7280", linewidth=0.8)
    axes[0].set(xlabel="false discoveries (% of the claimed features)", xlim=(0, None))
    axes[1].set(xlabel="recall (% of the planted features)", xlim=(0, 100))
    figure.savefig(DOCS / "images" / "planted.png", dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["predict", "discover", "planted", "grouped", "draw"])
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--design", choices=DESIGNS)
    given = parser.parse_args()
    if given.part == "draw":
        draw()
    elif given.part in ("planted", "grouped"):
        grouped(given.minutes) if given.part == "grouped" else planted(given.minutes, given.least)
    else:
        designs = (given.design,) if given.design else DESIGNS
        noise(given.part, given.minutes, given.least, designs)


if __name__ == "__main__":
    main()
