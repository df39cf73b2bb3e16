"""Inf-FS by conditional paths: what it costs, and what its own cut keeps where the truth is known.

    python benchmarks/conditional.py [speed] [curves] [search] [growth] [million] [cut] [real]

``speed``: processor seconds of 200 picks against mRMR and SVM-RFE on the same tables, in turns.
``curves``: fits with and without curves and pairs. ``search``: one search for pairs against a fit
of Inf-FS_U. ``growth``: seconds against n, T and the number of picks, drawn to docs/images.
``million``: 100 x 1,000,000 against scipy.stats.rankdata of the table. ``cut``: recall
and share of noise of the own cut on planted tables (benchmarks/cut_truth.py makes them), to
docs/data/conditional-cut.csv. ``real``: accuracy at the own cut minus that at the best fixed size,
on the arena's data sets (INFFS_DATA), to docs/data/conditional-real.csv. Processor time throughout,
BLAS held to one thread.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import cut_truth
from benchmarks.timing import print_table
from inffs import InfFSC, InfFSU, rank
from inffs.conditional import class_axes
from inffs.graph import unit_profiles
from inffs.graph.pairs import best_pair
from inffs.target import make_target
from reproduction import datasets

DOCS = Path(__file__).parent.parent / "docs"
PICKS = 200
GROWTH = {
    "features n (T = 100, 50 picks)": [
        (100, n, 50) for n in (5000, 10_000, 20_000, 40_000, 80_000)
    ],
    "samples T (n = 5,000, 50 picks)": [(T, 5000, 50) for T in (100, 200, 400, 800, 1600)],
    "picks b (100 x 20,000)": [(100, 20_000, b) for b in (25, 50, 100, 200, 400)],
}
SHAPES = {(50, 2000): 8, (100, 2000): 8, (200, 2000): 8, (100, 20_000): 4, (100, 200_000): 1}
SETS = ("colon", "lymphoma", "leukemia", "prostate", "lung", "dexter", "madelon",
        "office-googlenet", "office-caffenet", "gina", "gisette")  # fmt: skip
FIXED = (10, 50, 100, 150, 200)
FIELDS = ["samples", "features", "table", "planted", "size", "recall", "false", "best recall"]


def table(T: int, n: int, classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Classes in turn; the first hundredth of the columns differs between them."""
    rng = np.random.default_rng(0)
    y = np.arange(T) % classes
    X = rng.standard_normal((T, n))
    X[:, : n // 100] += rng.normal(size=(classes, n // 100))[y]
    return X, y


def words(T: int, n: int, density: float = 0.01) -> tuple[Any, np.ndarray]:
    """A sparse table of counts, two classes, as a bag of words has them."""
    rng = np.random.default_rng(0)
    X = sparse.random(
        T, n, density, "csc", random_state=0, data_rvs=lambda k: rng.poisson(2, k) + 1
    )
    return X, np.arange(T) % 2


def seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def in_turns(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            spent = seconds(run)
            if turn or rounds == 0:
                taken[name].append(spent)
    return {name: median(times) for name, times in taken.items()}


def speed() -> None:
    X, y = table(119, 5748)
    ours = {"inf-fs-c": lambda: InfFSC(n_features_to_select=PICKS).fit(X, y)}
    mrmr = {"mrmr": lambda: rank(X, y, "mrmr", n_features_to_select=PICKS)}
    fast = in_turns(ours | mrmr, 5)
    slow = in_turns({"svm-rfe": lambda: rank(X, y, "svm-rfe", n_features_to_select=PICKS)}, 0)
    rows = [["119 x 5,748, four classes", name, f"{s:.3f}", f"{s / fast['inf-fs-c']:.1f}"]
            for name, s in (fast | slow).items()]  # fmt: skip
    for density in (0.01, 0.05):
        S, labels = words(420, 20_000, density)
        spent = in_turns({"": lambda: InfFSC(n_features_to_select=PICKS).fit(S, labels)}, 3)[""]  # noqa: B023
        rows.append([f"420 x 20,000 sparse ({density:.0%} stored)", "inf-fs-c", f"{spent:.3f}", ""])
    print_table(f"{PICKS} picks", ["table", "method", "processor seconds", "times ours"], rows)


def curves() -> None:
    """Fits with straight lines alone, with curves, and with curves and pairs, in turns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2000))
    ring = X, (np.hypot(X[:, 0], X[:, 1]) > 1.2).astype(int)
    tables = {"119 x 5,748, four classes": table(119, 5748), "60 x 2,000": table(60, 2000),
              "1,600 x 500": table(1600, 500), "100 x 50,000": table(100, 50_000),
              "1,000 x 2,000, a ring": ring,
              "420 x 20,000 sparse (5% stored)": words(420, 20_000, 0.05)}  # fmt: skip
    rows = []
    for name, (X, y) in tables.items():
        forms = {"lines": (False, False), "curves": (True, False), "pairs": (True, "auto")}
        runs = {form: partial(fit, X, y, *asked) for form, asked in forms.items()}
        spent = in_turns(runs, 5)
        ratios = [f"{spent[form] / spent['lines']:.2f}" for form in ("curves", "pairs")]
        rows.append([name, f"{spent['lines']:.3f}", f"{spent['pairs']:.3f}", *ratios])
    header = ["table", "lines, s", "all, s", "curves / lines", "all / lines"]
    print_table(f"Curves and pairs, {PICKS} picks", header, rows)


def fit(X: Any, y: np.ndarray, curves: bool, pairs: Any) -> InfFSC:
    return InfFSC(curves=curves, pairs=pairs, n_features_to_select=PICKS).fit(X, y)


def search() -> None:
    """One search for pairs against one pass of Inf-FS_U's tiles over the same table, in turns."""
    rows = []
    for T, n in ((200, 2000), (1000, 2000), (1000, 4000)):
        X, y = table(T, n, 2)
        profiles = unit_profiles(X, "clipped", np.float64)
        axes = class_axes(make_target(y)).axes
        runs = {"search": partial(best_pair, profiles, axes, np.ones(T)),
                "Inf-FS_U": partial(InfFSU(n_features_to_select=10).fit, X)}  # fmt: skip
        spent = in_turns(runs, 5)
        ratio = spent["search"] / spent["Inf-FS_U"]
        rows.append([f"{T:,} x {n:,}", *(f"{s:.3f}" for s in spent.values()), f"{ratio:.2f}"])
    print_table("Search for pairs", ["table", "search, s", "Inf-FS_U, s", "ratio"], rows)


def million() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 1_000_000), dtype=np.float32), np.arange(100) % 2
    ours = seconds(lambda: InfFSC(n_features_to_select=PICKS).fit(X, y))
    theirs = seconds(lambda: rankdata(X, axis=0))
    print(f"100 x 1,000,000: {ours:.1f} s, rankdata {theirs:.1f} s, ratio {ours / theirs:.2f}")


def growth() -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(GROWTH), figsize=(9.5, 3.4))
    for place, (axis, (name, sizes)) in enumerate(zip(axes, GROWTH.items(), strict=True)):
        values = [size[(1, 0, 2)[place]] for size in sizes]
        spent = []
        for T, n, b in sizes:
            X, y = table(T, n)
            fit = {"": lambda: InfFSC(n_features_to_select=b).fit(X, y)}  # noqa: B023
            spent.append(in_turns(fit, 3)[""])
        line = np.polyfit(values, spent, 1)
        share = np.corrcoef(values, spent)[0, 1] ** 2
        axis.plot(values, spent, "o", color="#0072b2")
        axis.plot([0, values[-1]], np.polyval(line, [0, values[-1]]), color="#0072b2", lw=1)
        axis.set_title(f"a straight line explains {share:.1%}", fontsize=10)
        axis.set_xlabel(name)
        axis.set_ylim(bottom=0)
        axis.spines[["top", "right"]].set_visible(False)
        print(name, values, [f"{s:.3f}" for s in spent], f"line {share:.1%}", flush=True)
    axes[0].set_ylabel("processor seconds")
    figure.tight_layout()
    figure.savefig(DOCS / "images" / "conditional-growth.png", dpi=110)


def cut() -> None:
    rows = []
    for (cut_truth.T, cut_truth.N), repetitions in SHAPES.items():
        for name in cut_truth.TABLES:
            for planted in cut_truth.PLANTED:
                found = [kept(name, planted, 3000 + seed) for seed in range(repetitions)]
                means = [f"{value:.3f}" for value in np.mean(found, axis=0)]
                rows.append([cut_truth.T, cut_truth.N, name, planted, *means])
        print(cut_truth.T, cut_truth.N, flush=True)
    with (DOCS / "data" / "conditional-cut.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([FIELDS, *rows])
    header = ["samples x features", "cells", "of them findable", "false", "recall where findable"]
    print_table("The own cut on planted tables", header, summarise(rows))


def kept(name: str, planted: int, seed: int) -> tuple[int, float, float, float]:
    """Size, recall, share of noise, and the recall that a cut at the true size would have."""
    X, y = cut_truth.plant(name, planted, seed)
    selector = InfFSC().fit(X, y)
    right = np.cumsum(selector.order_ < planted)
    size = 0 if selector.cut_.forced else selector.n_features_
    hits = right[size - 1] if size else 0
    return size, hits / planted, (size - hits) / max(1, size), right[planted - 1] / planted


def summarise(rows: list[list[Any]]) -> list[list[str]]:
    """Means over the tables of a shape; findable is where the true size has a recall of 0.6."""
    lines = []
    for shape in SHAPES:
        cells = [row for row in rows if (row[0], row[1]) == shape]
        there = [row for row in cells if float(row[7]) >= 0.6]
        false = np.mean([float(row[6]) for row in cells])
        recall = np.mean([float(row[5]) for row in there])
        lines.append([f"{shape[0]} x {shape[1]:,}", str(len(cells)), str(len(there)),
                      f"{false:.2f}", f"{recall:.2f}"])  # fmt: skip
    return lines


def real() -> None:
    """20 splits of 70 / 30 (5 where there are more than 1,500 samples), a linear SVM (C = 1)."""
    rows = []
    for name in SETS:
        X, y = load(name)
        splits = StratifiedShuffleSplit(20 if y.size <= 1500 else 5, test_size=0.3, random_state=2)
        found = np.array([accuracies(X, y, *split) for split in splits.split(X, y)])
        sizes, own, fixed = found[:, 0], 100 * found[:, 1], 100 * found[:, 2:]
        best = int(fixed.mean(axis=0).argmax())
        loss = own.mean() - fixed[:, best].mean()
        numbers = [f"{own.mean():.1f}", FIXED[best], f"{fixed[:, best].mean():.1f}", f"{loss:+.1f}"]
        rows.append([name, f"{np.median(sizes):.0f}", *numbers])
        print(*rows[-1], flush=True)
    header = ["set", "median size", "accuracy", "best fixed size", "accuracy there", "difference"]
    with (DOCS / "data" / "conditional-real.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    print_table("The own cut on real data", header, [[str(cell) for cell in row] for row in rows])


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Dense, gaps filled with means, classes of one sample left out."""
    found = datasets.load(name)
    X = found.X.toarray() if sparse.issparse(found.X) else np.asarray(found.X, dtype=float)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    y = np.unique(found.y, return_inverse=True)[1]
    enough = np.bincount(y)[y] > 1
    return X[enough], np.unique(y[enough], return_inverse=True)[1]


def accuracies(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> list[float]:
    """The own size, the accuracy there, and at the fixed sizes."""
    selector = InfFSC().fit(X[train], y[train])
    found = [float(selector.n_features_)]
    for size in (selector.n_features_, *FIXED):
        kept = selector.order_[:size]
        model = make_pipeline(StandardScaler(), SVC(kernel="linear", C=1.0))
        model.fit(X[train][:, kept], y[train])
        found.append(model.score(X[test][:, kept], y[test]))
    return found


def main() -> None:
    jobs = {
        "speed": speed,
        "curves": curves,
        "search": search,
        "growth": growth,
        "million": million,
        "cut": cut,
        "real": real,
    }
    for name in sys.argv[1:] or jobs:
        jobs[name]()


if __name__ == "__main__":
    main()
