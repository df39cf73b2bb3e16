"""Inf-FS against the paper's formula, scikit-learn and the physical limit.

    python benchmarks/core_speed.py [formula] [limit] [supervised] [million] [cuts]

Every row is a ratio of medians measured in one run, candidate and baseline in turns.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
from scipy.stats import rankdata, spearmanr
from sklearn.feature_selection import f_classif

from benchmarks.timing import interleave, peak_memory, print_table
from inffs import InfFS, InfFSS, InfFSU
from inffs.cuts import SCORE_CUTS
from inffs.relations import Decorrelation

HEADER = ["what", "baseline", "inffs", "baseline takes", "ratio", "target", "rounds"]
T = 100


def gaussian(n: int, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((T, n), dtype=dtype)


def paper_formula(X: np.ndarray, alpha: float = 0.5) -> np.ndarray:
    """Algorithm 1 of the paper, as it is printed, with SciPy and NumPy."""
    n = X.shape[1]
    sigma = X.std(axis=0, ddof=1)
    sigma = sigma / sigma.max()
    correlation = spearmanr(X).statistic
    A = alpha * np.maximum.outer(sigma, sigma) + (1 - alpha) * (1 - np.abs(correlation))
    r = 0.9 / np.abs(np.linalg.eigvals(A)).max()
    return (np.linalg.inv(np.eye(n) - r * A) - np.eye(n)) @ np.ones(n)


def row(what: str, baseline: str, ours: float, theirs: float, target: str, rounds: str) -> list:
    faster = theirs / ours
    ratio = f"{faster:.0f} times faster" if faster > 3 else f"{ours / theirs:.2f}"
    return [what, baseline, f"{ours:.3g} s", f"{theirs:.3g} s", ratio, target, rounds]


def formula() -> list[list[str]]:
    rows = []
    for n, rounds, target in ((2000, 3, ">= 60 times"), (5000, 1, ">= 300 times")):
        X = gaussian(n)
        ours = interleave({"inffs": lambda X=X: InfFSU().fit(X)}, 5)["inffs"].seconds
        paper = interleave({"paper": lambda X=X: paper_formula(X)}, rounds, warm_up=False)["paper"]
        error = np.abs(InfFSU().fit(X).scores_ / paper_formula(X) - 1).max() if n == 2000 else None
        name = "spearmanr + eigvals + inv"
        name += "" if error is None else f" (scores equal to {error:.0e})"
        rows.append(row(f"Inf-FS_U, n = {n}", name, ours, paper.seconds, target, f"5 / {rounds}"))
    return rows


def limit() -> list[list[str]]:
    n, rng = 20_000, np.random.default_rng(1)
    X = gaussian(n)
    left = rng.standard_normal((n, T), dtype=np.float32)
    right = rng.standard_normal((T, n), dtype=np.float32)
    out = np.empty((n, n), dtype=np.float32)

    def bare() -> None:
        rankdata(X, axis=0)
        np.matmul(left, right, out=out)

    times = interleave({"bare": bare, "inffs": lambda: InfFSU().fit(X)}, 7)
    share = peak_memory(_fit_wide) / (4 * n * n)
    rows = [
        row(
            "Inf-FS_U, n = 20,000",
            "rankdata + one float32 product",
            times["inffs"].seconds,
            times["bare"].seconds,
            "<= 1.4",
            "7",
        )
    ]
    rows.append(
        ["its peak memory", "the full float32 matrix", "", "", f"{share:.2f}", "<= 0.75", "1"]
    )
    return rows


def _fit_wide() -> object:
    X = gaussian(20_000)
    InfFSU().fit(X[:, :50])  # imports and pools are not the fit's memory
    return lambda: InfFSU().fit(X)


def supervised() -> list[list[str]]:
    X = gaussian(100_000)
    y = np.arange(T) % 2
    times = interleave(
        {
            "f_classif": lambda: f_classif(X, y),
            "inffs": lambda: InfFSS(n_features_to_select=100).fit(X, y),  # the ranking, no cut
        },
        9,
    )
    ours, theirs = times["inffs"].seconds, times["f_classif"].seconds
    return [row("Inf-FS_S, n = 100,000", "f_classif", ours, theirs, "<= 1.5", "9")]


def million() -> list[list[str]]:
    X = gaussian(1_000_000, np.float32)
    squared = InfFS(Decorrelation(power=2))
    times = interleave(
        {"rankdata": lambda: rankdata(X, axis=0), "inffs": lambda: squared.fit(X)}, 3
    )
    ours, theirs = times["inffs"].seconds, times["rankdata"].seconds
    grown = peak_memory(_fit_million) / 2**30
    return [
        row("1 - Spearman^2, n = 1,000,000", "rankdata alone", ours, theirs, "<= 2.5", "3"),
        ["its peak memory", "beyond the input", "", "", f"{grown:.2f} GiB", "<= 2 GiB", "1"],
    ]


def _fit_million() -> object:
    X = gaussian(1_000_000, np.float32)
    InfFS(Decorrelation(power=2)).fit(X[:, :50])
    return lambda: InfFS(Decorrelation(power=2)).fit(X)


def cuts() -> list[list[str]]:
    scores = np.random.default_rng(0).gamma(2.0, size=1_000_000)
    runs = {"sort": lambda: np.sort(scores)}
    runs |= {name: lambda cut=cut: cut(scores) for name, cut in SCORE_CUTS.items()}
    times = interleave(runs, 7)
    base = times.pop("sort").seconds
    return [
        row(f"cut {name}, 1,000,000 scores", "np.sort", time.seconds, base, "<= 5", "7")
        for name, time in times.items()
    ]


PARTS = {
    "formula": formula,
    "limit": limit,
    "supervised": supervised,
    "million": million,
    "cuts": cuts,
}


def main() -> None:
    asked = sys.argv[1:] or list(PARTS)
    rows = [line for name in asked for line in PARTS[name]()]
    print_table(f"Inf-FS, T = {T} samples, two cores", HEADER, rows)


if __name__ == "__main__":
    main()
