"""Which methods have a null of their own? Scores under permuted labels, or features one by one.

Every method is cut by ``permuted`` twice: fitted again with permuted labels (five fits, as "auto"
allows), and with each feature tested by Fisher criterion and mutual information. Tables of 80
samples by 400 columns, independent or in groups of twenty, without signal and with 15 planted
features. Writes docs/data/own-nulls.csv; ``python benchmarks/own_nulls.py [tables]``.
"""

from __future__ import annotations

import csv
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np

from inffs.cuts import PermutedLabels
from inffs.methods import find_entry

OUT = Path(__file__).parents[1] / "docs" / "data" / "own-nulls.csv"
METHODS = ("relieff", "lasso-unhinged", "ecfs", "ilfs", "lasso-hinge", "svm-rfe", "mrmr", "icap",
           "cmim")  # fmt: skip
NULLS = ("scores", "each")
T, N, PLANTED = 80, 400, 15
FIELDS = ("method", "null", "tables", "claims", "false", "recall")


def table(planted: int, grouped: bool, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, planted, grouped])
    X, y = rng.normal(size=(T, N)), np.arange(T) % 2
    if grouped:
        X = 0.6 * X + 0.8 * np.repeat(rng.normal(size=(T, N // 20)), 20, axis=1)
    X[:, :planted] += y[:, None] * rng.choice([-1.0, 1.0], size=planted)
    return X, y


def kept(method: str, null: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What the cut claims; nothing where it is forced."""
    selector = find_entry(method).estimator(n_features_to_select=PermutedLabels(fits=5))
    selector._null = null
    selector.fit(X, y)
    return selector.order_[: 0 if selector.cut_.forced else selector.n_features_]


def measure(method: str, null: str, tables: int) -> dict[str, Any]:
    claims, false, recall = [], [], []
    for grouped, seed in product((False, True), range(tables)):
        claims.append(kept(method, null, *table(0, grouped, seed)).size > 0)
        found = kept(method, null, *table(PLANTED, grouped, seed))
        false.append(np.mean(found >= PLANTED) if found.size else 0.0)
        recall.append(np.count_nonzero(found < PLANTED) / PLANTED)
    numbers = [f"{np.mean(each):.2f}" for each in (claims, false, recall)]
    return dict(zip(FIELDS, [method, null, 2 * tables, *numbers], strict=True))


def main(tables: int = 5) -> None:
    with OUT.open("w", newline="", encoding="utf-8") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for method, null in product(METHODS, NULLS):
            writer.writerow(measure(method, null, tables))
            file.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
