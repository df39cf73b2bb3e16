"""Conditional paths: what they cost.

    python benchmarks/conditional.py [speed] [curves] [search] [growth] [million]

``speed``: processor seconds of 200 selected features against mRMR and SVM-RFE on the same tables,
in turns. ``curves``: fits with and without curves and pairs. ``search``: one search for pairs
against a fit of Inf-FS_U. ``growth``: seconds against n, T and the number of selected features, and
the share of their variance that a straight line explains. ``million``: 100 x 1,000,000 against
scipy.stats.rankdata of the table. Processor time throughout, BLAS held to one thread.
"""

from __future__ import annotations

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

from benchmarks.timing import print_table
from inffs import InfFSC, InfFSU, rank
from inffs.conditional import class_axes
from inffs.graph import unit_profiles
from inffs.graph.pairs import best_pair
from inffs.target import make_target

PICKS = 200
GROWTH = {
    "features n (T = 100, 50 features)": [
        (100, n, 50) for n in (5000, 10_000, 20_000, 40_000, 80_000)
    ],
    "samples T (n = 5,000, 50 features)": [(T, 5000, 50) for T in (100, 200, 400, 800, 1600)],
    "selected features b (100 x 20,000)": [(100, 20_000, b) for b in (25, 50, 100, 200, 400)],
}


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
    print_table(f"{PICKS} features", ["table", "method", "processor seconds", "times ours"], rows)


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
    print_table(f"Curves and pairs, {PICKS} features", header, rows)


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
    for place, (name, sizes) in enumerate(GROWTH.items()):
        values = [size[(1, 0, 2)[place]] for size in sizes]
        spent = []
        for T, n, b in sizes:
            X, y = table(T, n)
            fit = {"": lambda: InfFSC(n_features_to_select=b).fit(X, y)}  # noqa: B023
            spent.append(in_turns(fit, 3)[""])
        share = np.corrcoef(values, spent)[0, 1] ** 2
        print(name, values, [f"{s:.3f}" for s in spent], f"line {share:.1%}", flush=True)


def main() -> None:
    jobs = {
        "speed": speed,
        "curves": curves,
        "search": search,
        "growth": growth,
        "million": million,
    }
    for name in sys.argv[1:] or jobs:
        jobs[name]()


if __name__ == "__main__":
    main()
