"""Does the cut ``permuted`` keep its promise? False discoveries on tables whose truth is known.

    python benchmarks/false_discoveries.py

100 tables a cell, q = 0.1. Writes docs/data/false-discoveries.csv; about 15 minutes of one core.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np

from benchmarks.timing import print_table
from inffs.methods import find_entry

TARGET = Path(__file__).parents[1] / "docs" / "data" / "false-discoveries.csv"
T, N, GROUP = 60, 500, 20
TABLES, Q = 100, 0.1
PLANTED = (0, 20)
METHODS = ("fisher", "mi", "inf-fs-s", "relieff", "lasso-unhinged")
SHIFT = 1.5  # times the spread of the middle half over that of a Gaussian
FIELDS = [
    "noise", "planted", "ranking", "tables", "claimed", "kept", "recall", "false", "error",
    "false_95", "most_false",
]  # fmt: skip

Noise = Callable[[np.random.Generator], np.ndarray]


def groups(rng: np.random.Generator, share: float = 0.7) -> np.ndarray:
    """Groups of twenty columns with a correlation of 0.7."""
    shared = np.repeat(rng.normal(size=(T, N // GROUP)), GROUP, axis=1)
    return np.sqrt(share) * shared + np.sqrt(1 - share) * rng.normal(size=(T, N))


def one_factor(rng: np.random.Generator) -> np.ndarray:
    """All columns share a factor: the correlation of any two is 0.5."""
    return np.sqrt(0.5) * (rng.normal(size=(T, 1)) + rng.normal(size=(T, N)))


def mixed(rng: np.random.Generator) -> np.ndarray:
    """Gaussian, Cauchy and coarse columns side by side."""
    X = rng.normal(size=(T, N))
    X[:, 1::3] = rng.standard_cauchy(size=X[:, 1::3].shape)
    X[:, 2::3] = np.round(X[:, 2::3])
    return X


NOISES: dict[str, Noise] = {
    "Gaussian": lambda rng: rng.normal(size=(T, N)),
    "groups of 20, r = 0.7": groups,
    "one factor, r = 0.5": one_factor,
    "Student, 3 degrees": lambda rng: rng.standard_t(3, size=(T, N)),
    "Cauchy": lambda rng: rng.standard_cauchy(size=(T, N)),
    "log-normal": lambda rng: rng.lognormal(0, 1.5, size=(T, N)),
    "small counts": lambda rng: rng.poisson(0.7, size=(T, N)).astype(float),
    "mixed": mixed,
}


def make(noise: str, planted: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The first columns are shifted up or down in one of two classes."""
    rng = np.random.default_rng([seed, planted, list(NOISES).index(noise)])
    X, y = NOISES[noise](rng), np.arange(T) % 2
    spread = np.subtract(*np.quantile(X[:, :planted], [0.75, 0.25], axis=0)) / 1.349
    X[:, :planted] += SHIFT * y[:, None] * spread * rng.choice([-1.0, 1.0], size=planted)
    return X, y


def count(key: str, X: np.ndarray, y: np.ndarray, planted: int) -> tuple[int, int]:
    """Planted and noise features among those claimed; a forced pick is no claim."""
    selector = find_entry(key).estimator(n_features_to_select="permuted").fit(X, y)
    kept = selector.order_[: 0 if selector.cut_.forced else selector.n_features_]
    right = int(np.count_nonzero(kept < planted))
    return right, kept.size - right


def measure_cell(noise: str, planted: int) -> list[dict[str, Any]]:
    found: dict[str, list[tuple[int, int]]] = {key: [] for key in METHODS}
    for seed in range(TABLES):
        X, y = make(noise, planted, seed)
        for key in METHODS:
            found[key].append(count(key, X, y, planted))
    return [summarise(noise, planted, key, np.array(each)) for key, each in found.items()]


def summarise(noise: str, planted: int, key: str, found: np.ndarray) -> dict[str, Any]:
    right, wrong = found.T
    share = wrong / np.maximum(found.sum(axis=1), 1)
    values = [
        noise, planted, key, len(found), f"{np.mean(found.sum(axis=1) > 0):.2f}",
        f"{found.sum(axis=1).mean():.1f}", f"{right.mean() / max(planted, 1):.2f}",
        f"{share.mean():.3f}", f"{share.std(ddof=1) / np.sqrt(len(share)):.3f}",
        f"{np.quantile(share, 0.95):.2f}", int(wrong.max()),
    ]  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def main() -> None:
    rows = []
    for noise in NOISES:
        for planted in PLANTED:
            rows += measure_cell(noise, planted)
            print(noise, planted, [row["false"] for row in rows[-len(METHODS) :]], flush=True)
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print_table(f"Promised {Q}", FIELDS, [[str(v) for v in row.values()] for row in rows])


if __name__ == "__main__":
    main()
