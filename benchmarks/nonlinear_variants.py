"""Would four extensions of conditional paths rank better?

    python benchmarks/nonlinear_variants.py tables FILE.csv
    python benchmarks/nonlinear_variants.py sketch FILE.csv
    python benchmarks/nonlinear_variants.py summary FILE.csv

``tables`` compares on public tables and on tables with pairs: the method as it is ("usual"); a
search for pairs at the start of every path instead of the first one ("pairs on every path"); the
first p features after exchanges of one selected feature for one that is not, as long as the ridge
objective rises ("exchange", straight lines, beside "lines"); and axes that weigh classes by their
size ("class sizes"). Five splits of 70 / 30; accuracy and balanced accuracy of a linear SVM and
five nearest neighbors at 5, 10, 20 and 50 features. No variant has a constant that was chosen on
these tables. ``sketch`` looks for one planted product among many features: the search over all
pairs beside one that hashes the signs of random samples (after Thanei, Meinshausen, Shah, "The
xyz algorithm for fast interaction search in high-dimensional data", JMLR 19, 2018).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.nonlinear import made_table
from benchmarks.timing import print_table, read_rows, write_row
from inffs import InfFSC
from inffs.conditional import SHRINKAGE, ConditionalWalk, TargetAxes, class_axes
from inffs.graph import unit_profiles
from inffs.graph.curves import curves_of
from inffs.graph.pairs import best_pair
from inffs.graph.profiles import DenseProfiles
from inffs.target import make_target
from reproduction.datasets import load

SETS = ("colon", "lymphoma", "leukemia", "prostate", "lung", "madelon", "gina", "dexter",
        "office-caffenet", "office-googlenet")  # fmt: skip
MADE = ("xor", "ring+xor", "ring+xor+sum", "three products")
SIZES, SPLITS, MOST_SAMPLES = (5, 10, 20, 50), 5, 1000
Order = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


class PairsOnEveryPath(ConditionalWalk):
    """A new path may look for pairs, too, of features that are on no path yet."""

    def _begin(self) -> None:
        super()._begin()
        self._pairs = self.n > 1

    def _best_pair(self, level: float) -> tuple[int, int, float] | None:
        free = np.setdiff1d(np.arange(self.n), self._taken)
        if free.size < 2:
            return None
        rest = DenseProfiles(self._profiles.rows[free])
        found = best_pair(rest, self._left.axes, self._weight, level)
        return found and (int(free[found[0]]), int(free[found[1]]), found[2])


def walked(X: np.ndarray, axes: TargetAxes, count: int, form: type[ConditionalWalk]) -> np.ndarray:
    profiles = unit_profiles(X, "clipped", np.float64, None)
    walk = form(profiles, axes, None, curves_of(X, profiles), True)
    return np.concatenate([path.features for path in walk.follow(count)])


def usual(X: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    return InfFSC(n_features_to_select=count).fit(X, y).order_[:count]


def lines(X: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    selector = InfFSC(curves=False, pairs=False, n_features_to_select=count)
    return selector.fit(X, y).order_[:count]


def pairs_on_every_path(X: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    return walked(X, class_axes(make_target(y)), count, PairsOnEveryPath)[:count]


def class_sizes(X: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    """Axes scaled by the spread of the classes along them: frequent classes weigh more."""
    members = (y[:, None] == np.unique(y)).astype(float)
    members -= members.mean(axis=0)
    left, sizes, _ = np.linalg.svd(members, full_matrices=False)
    kept = sizes > 1e-10
    axes = left[:, kept] * sizes[kept] / np.sqrt(np.mean(sizes[kept] ** 2))
    return walked(X, TargetAxes(axes, axes.T @ members), count, ConditionalWalk)[:count]


def exchange(X: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    """The first features of straight lines after exchanges, two rounds at most."""
    selected = lines(X, y, count).tolist()
    rows = unit_profiles(X, "clipped", np.float64, None).rows
    axes = class_axes(make_target(y)).axes
    ridge = SHRINKAGE * np.log(rows.shape[0]) / (rows.shape[1] * axes.shape[1])
    for _ in range(2):
        changed = False
        for place in range(len(selected)):
            others = selected[:place] + selected[place + 1 :]
            gains = conditional_gains(rows, axes, others, ridge)
            best = int(np.argmax(gains))
            if gains[best] > gains[selected[place]] * (1 + 1e-9):
                selected[place], changed = best, True
        if not changed:
            break
    return np.array(selected)


def conditional_gains(
    rows: np.ndarray, axes: np.ndarray, given: list[int], ridge: float
) -> np.ndarray:
    """What each feature adds to the given ones; -1 for these."""
    known = rows[given]
    inverse = np.linalg.inv(known @ known.T + ridge * np.eye(len(given)))
    shared = rows @ known.T
    left = rows @ axes - shared @ (inverse @ (known @ axes))
    unexplained = np.einsum("it,it->i", rows, rows) - np.einsum(
        "ik,ik->i", shared @ inverse, shared
    )
    gains = (left**2).sum(axis=1) / (ridge + np.maximum(unexplained, 0))
    gains[given] = -1
    return gains


VARIANTS: dict[str, Order] = {
    "usual": usual, "pairs on every path": pairs_on_every_path, "class sizes": class_sizes,
    "lines": lines, "exchange": exchange,
}  # fmt: skip
BY_SIZE = ("exchange",)  # the selection depends on the size: it is made for every size


def table_of(name: str) -> tuple[Any, np.ndarray]:
    if name in MADE:
        rng = np.random.default_rng([SPLITS, len(name)])
        if name == "three products":
            X = rng.normal(size=(700, 200))
            signs = np.sign(X[:, :6:2] * X[:, 1:6:2]).sum(axis=1)
            return X, (signs > 0).astype(int)
        X, y, _ = made_table(name, 700, 200, rng)
        return X, y.astype(int)
    found = load(name)
    X, y = found.X, np.unique(found.y, return_inverse=True)[1]
    rows = np.flatnonzero(np.bincount(y)[y] > 3)
    rows = np.random.default_rng(0).permutation(rows)[:MOST_SAMPLES]
    X = X[rows].toarray() if hasattr(X, "toarray") else X[rows]
    return X, np.unique(y[rows], return_inverse=True)[1]


def tables(path: Path) -> None:
    done = {(row["table"], row["variant"]) for row in read_rows(path)}
    for name in (*MADE, *SETS):
        missing = [variant for variant in VARIANTS if (name, variant) not in done]
        if not missing:
            continue
        X, y = table_of(name)
        splits = list(StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=1).split(X, y))
        for variant in missing:
            found = np.array([accuracies(X, y, *split, variant) for split in splits])
            for size, (plain, balanced) in zip(SIZES, found.mean(axis=0), strict=True):
                write_row(path, {"table": name, "variant": variant, "size": size,
                                 "accuracy": f"{100 * plain:.3f}",
                                 "balanced": f"{100 * balanced:.3f}"})  # fmt: skip
        print(name, X.shape, flush=True)


def accuracies(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, variant: str
) -> np.ndarray:
    """Accuracy and balanced accuracy (sizes, 2), mean of both models."""
    varying = np.nanmax(X[train], axis=0) > np.nanmin(X[train], axis=0)
    prepared = make_pipeline(SimpleImputer(), StandardScaler()).fit(X[train][:, varying])
    known, new = prepared.transform(X[train][:, varying]), prepared.transform(X[test][:, varying])
    order = VARIANTS[variant](known, y[train], SIZES[-1])
    found = []
    for size in SIZES:
        kept = order[:size]
        if variant in BY_SIZE:
            kept = VARIANTS[variant](known, y[train], size)
        models = (LinearSVC(C=0.1), KNeighborsClassifier(5))
        guesses = [model.fit(known[:, kept], y[train]).predict(new[:, kept]) for model in models]
        found.append(
            [
                np.mean([np.mean(guess == y[test]) for guess in guesses]),
                np.mean([balanced_accuracy_score(y[test], guess) for guess in guesses]),
            ]
        )
    return np.array(found)


# --- pairs without looking at all of them -------------------------------------------------------


def sketch(path: Path) -> None:
    """One product decides two classes; 1,000 samples; ten tables of every width and strength."""
    done = {(int(row["features"]), float(row["flipped"])) for row in read_rows(path)}
    for n in (1000, 4000, 16000):
        for flipped in (0.0, 0.1, 0.2):
            if (n, flipped) in done:
                continue
            hits, spent = np.zeros(2), np.zeros(2)
            for seed in range(10):
                rng = np.random.default_rng([seed, n])
                X = rng.normal(size=(1000, n))
                i, j = sorted(rng.choice(n, 2, replace=False).tolist())
                y = (X[:, i] * X[:, j] > 0).astype(int)
                y = np.where(rng.random(1000) < flipped, 1 - y, y)
                axes, profiles = class_axes(make_target(y)).axes, unit_profiles(X, "clipped")
                start = time.perf_counter()
                hits[0] += best_pair(profiles, axes, np.ones(1000))[:2] == (i, j)
                middle = time.perf_counter()
                hits[1] += hashed_pair(profiles.rows, axes[:, 0], rng) == (i, j)
                spent += middle - start, time.perf_counter() - middle
            write_row(path, {"features": n, "flipped": flipped, "all": int(hits[0]),
                             "hashed": int(hits[1]), "seconds all": f"{spent[0] / 10:.3f}",
                             "seconds hashed": f"{spent[1] / 10:.3f}"})  # fmt: skip
            print(n, flipped, hits, spent / 10, flush=True)


def hashed_pair(
    rows: np.ndarray, residual: np.ndarray, rng: np.random.Generator, rounds: int = 100
) -> tuple[int, int]:
    """The best pair among those whose signs agree on a few random samples after a flip by y."""
    n, T = rows.shape
    bits = int(np.ceil(np.log2(n)))
    signs, flips = rows > 0, residual > 0
    powers = 2 ** np.arange(bits)
    best, found = -1.0, (-1, -1)
    for _ in range(rounds):
        chosen = rng.choice(T, bits, replace=False)
        codes = signs[:, chosen] @ powers
        wanted = (signs[:, chosen] == flips[chosen]) @ powers  # code that a partner would have
        for target in (wanted, 2**bits - 1 - wanted):
            order = np.argsort(codes, kind="stable")
            start = np.searchsorted(codes[order], target)
            stop = np.searchsorted(codes[order], target, side="right")
            left = np.repeat(np.arange(n), stop - start)
            within = np.arange(left.size) - np.repeat(
                np.cumsum(stop - start) - (stop - start), stop - start
            )
            right = order[np.repeat(start, stop - start) + within]
            apart = left < right
            left, right = left[apart], right[apart]
            for part in np.array_split(np.arange(left.size), max(1, left.size // 4096)):
                product = rows[left[part]] * rows[right[part]]
                size = np.maximum(np.einsum("it,it->i", product, product), 1e-300)
                evidence = (product @ residual) ** 2 / size
                if evidence.size and evidence.max() > best:
                    at = int(np.argmax(evidence))
                    best, found = float(evidence[at]), (int(left[part][at]), int(right[part][at]))
    return found


def summary(path: Path) -> None:
    table = pd.read_csv(path)
    for measure in ("accuracy", "balanced"):
        wide = table.pivot_table(index="table", columns="variant", values=measure)
        for variant, base in (("pairs on every path", "usual"), ("class sizes", "usual"),
                              ("exchange", "lines")):  # fmt: skip
            gain = (wide[variant] - wide[base]).dropna()
            error = 1.96 * gain.std() / np.sqrt(len(gain))
            print(f"{measure}: {variant} minus {base}: {gain.mean():+.2f} +-{error:.2f} points, "
                  f"{gain.min():+.1f} to {gain.max():+.1f}")  # fmt: skip
        cells = [[name, *(f"{value:.1f}" for value in wide.loc[name, list(VARIANTS)])]
                 for name in wide.index]  # fmt: skip
        print_table(measure, ["table", *VARIANTS], cells)


def main() -> None:
    {"tables": tables, "sketch": sketch, "summary": summary}[sys.argv[1]](Path(sys.argv[2]))


if __name__ == "__main__":
    main()
