"""What a cut costs: score-only cuts in sorts of the scores, calibrated ones in fits of the method.

    python benchmarks/cuts.py

Targets: 20 sorts of 100,000 scores, and 20 fits (cross-validation has none).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np

from benchmarks.timing import interleave, print_table
from inffs import InfFSS
from inffs.cuts import SCORE_CUTS
from inffs.methods import FisherScore, MutualInformation

ROUNDS = 7
SHAPES = {
    "gamma": lambda rng: rng.gamma(2.0, size=100_000),
    "Pareto": lambda rng: rng.pareto(1.5, size=100_000),
    "two groups": lambda rng: np.r_[rng.normal(0, 1, 99_000), rng.normal(6, 1, 1000)],
}


def score_cuts() -> list[list[str]]:
    """Each cut on each shape, the median of its time over that of np.sort."""
    rows: dict[str, list[str]] = {name: [] for name in SCORE_CUTS}
    for make in SHAPES.values():
        scores = make(np.random.default_rng(0))
        runs: dict[str, Any] = {"sort": lambda scores=scores: np.sort(scores)}
        runs |= {
            name: lambda cut=cut, scores=scores: cut(scores) for name, cut in SCORE_CUTS.items()
        }
        times = interleave(runs, ROUNDS)
        for name in SCORE_CUTS:
            rows[name].append(f"{times[name].seconds / times['sort'].seconds:.1f}")
    return [[name, *ratios] for name, ratios in rows.items()]


def table_cuts() -> list[list[str]]:
    """A fit with the cut over a fit that is told the size."""
    rng = np.random.default_rng(0)
    rows = []
    for n in (2000, 20_000):
        X, y = rng.normal(size=(100, n)), np.arange(100) % 2
        for method in (FisherScore, MutualInformation, InfFSS):
            cuts = {"given": 10, "permuted": "permuted", "stability": "stability"}
            times = interleave(
                {
                    name: lambda size=size, method=method, X=X, y=y: method(
                        n_features_to_select=size
                    ).fit(X, y)
                    for name, size in cuts.items()
                },
                5,
            )
            base = times["given"].seconds
            ratios = [f"{times[name].seconds / base:.1f}" for name in ("permuted", "stability")]
            rows.append([method.__name__, f"{n:,}", f"{1000 * base:.1f} ms", *ratios])
    return rows


def main() -> None:
    header = ["cut", *(f"{shape}, sorts" for shape in SHAPES)]
    print_table("Cuts of 100,000 scores, in np.sort of them (target 20)", header, score_cuts())
    header = ["method", "features", "a fit", "permuted, fits", "stability, fits"]
    print_table("Cuts that read the table, 100 samples (target 20)", header, table_cuts())


if __name__ == "__main__":
    main()
