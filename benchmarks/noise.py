"""What does the cut ``fdr`` claim of noise, and what does it find where the truth is known?

    python benchmarks/noise.py [--minutes N]

Noise of eight kinds, 20 to 200 samples by 100 features, as it is and with duplicated rows, weights
and groups: the share of tables with any claim at q = 0.1. Then real expression tables whose labels
are drawn at random and planted into 10 or 50 features: the false share among the features claimed
(a mean over tables) and the recall. Rounds over all cells until the minutes are over, half for each
part; errors are standard errors.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, product
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
from scipy.stats import false_discovery_control

from benchmarks.timing import print_table
from inffs.cuts.permutation_test import p_values
from reproduction.datasets import load

N, Q = 100, 0.1
SAMPLES = (20, 50, 100, 200)
TABLES = ("colon", "leukemia", "lung", "lymphoma", "prostate")
PLANTED, EFFECT, WIDE, FEW = (10, 50), 1.2, 2000, 30

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
    """A table of noise as :func:`p_values` takes it."""
    share = 12 if kind.startswith("4") else 2
    units = {"duplicates": T // 2, "groups": T // 4}.get(design, T)
    y = rng.permutation((np.arange(units) % share == 0).astype(int))
    X = KINDS[kind](rng, units)
    which = np.repeat(np.arange(units), T // units)
    if design == "groups":  # four samples a patient, half of every sample its patient's
        own = KINDS[kind](rng, which.size)
        X = np.where(rng.random(own.shape) < 0.5, X[which], own)
        return {"X": X, "target": y[which], "groups": which}
    if design == "duplicates":
        which = rng.permutation(which)
        return {"X": X[which], "target": y[which]}
    weight = {"sample_weight": (1 + 9 * y) * rng.integers(0, 3, T)} if design == "weights" else {}
    return {"X": X, "target": y, **weight}


def significant(seed: int, **table: Any) -> np.ndarray:
    """The features that are claimed."""
    p = p_values(**table, q=Q, random_state=seed)
    return np.flatnonzero(false_discovery_control(p) <= Q)


def rounds(minutes: float) -> Iterator[int]:
    """Numbers until the minutes are over."""
    end = time.monotonic() + 60 * minutes
    for seed in count():
        if seed and time.monotonic() > end:
            return
        yield seed


def noise(minutes: float) -> None:
    """The share of tables with a claim, a line per kind and design."""
    claims: dict[tuple, list[bool]] = {key: [] for key in product(KINDS, DESIGNS, SAMPLES)}
    for seed in rounds(minutes):
        for place, (key, found) in enumerate(claims.items()):
            kind, design, T = key
            table = make(kind, T, design, np.random.default_rng([seed, place]))
            found.append(significant(seed, **table).size > 0)
    tables = len(next(iter(claims.values())))
    rows = [
        [kind, design, *(f"{np.mean(claims[kind, design, T]):.3f}" for T in SAMPLES)]
        for kind, design in product(KINDS, DESIGNS)
    ]
    every = [np.mean(found) for found in claims.values()]
    header = ["noise", "design", *(f"{T} samples" for T in SAMPLES)]
    print_table(f"Tables of noise with a claim, of {tables} a cell", header, rows)
    print(f"\nmean {np.mean(every):.4f}, largest {max(every):.3f}")


def plant(values: np.ndarray, samples: int, planted: int, seed: int) -> tuple[Any, ...]:
    """Random samples and features, random labels, and which features are shifted by them."""
    rng = np.random.default_rng([seed, samples, planted])
    rows = rng.choice(len(values), min(samples, len(values)), replace=False)
    X = values[rows][:, rng.choice(values.shape[1], min(WIDE, values.shape[1]), replace=False)]
    y = rng.permutation(np.arange(rows.size) % 2)
    true = rng.choice(X.shape[1], planted, replace=False)
    X[:, true] += EFFECT * X[:, true].std(axis=0) * rng.choice([-1, 1], planted) * y[:, None]
    return X, y, true


def real(minutes: float) -> None:
    """False share and recall on real tables with planted labels."""
    values = {name: np.asarray(load(name).X, dtype=float) for name in TABLES}
    cells: dict[tuple, list] = {key: [] for key in product(TABLES, (FEW, 1000), PLANTED)}
    for seed in rounds(minutes):
        for (name, samples, planted), found in cells.items():
            X, y, true = plant(values[name], samples, planted, seed)
            claimed = significant(seed, X=X, target=y)
            right = np.isin(claimed, true).sum()
            found.append(((claimed.size - right) / max(claimed.size, 1), right / planted))
    rows = []
    for (name, samples, planted), each in cells.items():
        false, recall = np.transpose(each)
        error = false.std(ddof=1) / np.sqrt(len(false)) if len(false) > 1 else np.nan
        used = min(samples, len(values[name]))
        rows.append([name, str(used), str(planted), str(len(false)),
                     f"{false.mean():.3f} ± {error:.3f}", f"{recall.mean():.2f}"])  # fmt: skip
    header = ["table", "samples", "planted", "tables", "false share", "recall"]
    print_table(f"Planted labels, q = {Q}, effect {EFFECT} standard deviations", header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=9.0)
    minutes = parser.parse_args().minutes / 2
    noise(minutes)
    real(minutes)


if __name__ == "__main__":
    main()
