"""Speed at size: many features, T = 100 samples, as ratios in one run and as growth curves.

    python benchmarks/scale.py [tiles] [million] [growth] [exact-200000]

``growth`` writes docs/images/growth.png; ``exact-200000`` walks the exact graph of 200,000
features with a progress line and compares the time it estimates after the first pass with the
time it takes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
from scipy.stats import rankdata

from benchmarks.timing import interleave, print_table
from inffs import InfFS, InfFSS, InfFSU
from inffs._parallel import stream
from inffs._progress import listen
from inffs.relations import Decorrelation
from inffs.tiles import PASSING_SHAPE

T = 100
HEADER = ["what", "baseline", "inffs", "baseline takes", "ratio", "target"]
IMAGES = Path(__file__).parent.parent / "docs" / "images"


def gaussian(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((T, n), dtype=np.float32)


def bare_products(rows: np.ndarray) -> None:
    """The float32 tile products of the symmetric half, each strip into one reused buffer."""
    n, (height, width) = rows.shape[0], PASSING_SHAPE

    def strip(start: int) -> None:
        out = np.empty((height, width), dtype=np.float32)
        left = rows[start : start + height]
        for column in range(start, n, width):
            right = rows[column : column + width]
            np.matmul(left, right.T, out=out[: left.shape[0], : right.shape[0]])

    for _ in stream(strip, range(0, n, height)):
        pass


def tiles() -> list[list[str]]:
    n = 50_000
    X = gaussian(n)
    rows = np.ascontiguousarray(X.T)
    selector = InfFSU(memory_limit=0, solver="exact")
    steps = selector.fit(X).paths_.steps
    runs = {
        "product": lambda: bare_products(rows),
        "ranking": lambda: rankdata(X, axis=0),
        "inffs": lambda: selector.fit(X),
    }
    times = interleave(runs, 3, warm_up=False)
    base = steps * times["product"].seconds + times["ranking"].seconds
    ours = times["inffs"].seconds
    name = f"{steps} x bare tile products + rankdata"
    what = "exact, n = 50,000, nothing stored"
    return [[what, name, f"{ours:.3g} s", f"{base:.3g} s", f"{ours / base:.2f}", "<= 1.3"]]


def million() -> list[list[str]]:
    X = gaussian(1_000_000)
    squared = InfFS(Decorrelation(power=2))
    runs = {"rankdata": lambda: rankdata(X, axis=0), "inffs": lambda: squared.fit(X)}
    times = interleave(runs, 3, warm_up=False)
    ours, base = times["inffs"].seconds, times["rankdata"].seconds
    what = "squared, n = 1,000,000"
    return [[what, "rankdata", f"{ours:.3g} s", f"{base:.3g} s", f"{ours / base:.2f}", "<= 2.5"]]


def exact_200000() -> list[list[str]]:
    X = gaussian(200_000)
    start, guess = time.perf_counter(), 0.0

    def watch(what: str, done: int, total: int | None) -> None:
        nonlocal guess
        if what == "walking the graph" and total and done:
            spent = time.perf_counter() - start
            if not guess and done * 5 >= total:  # the first of five passes is over
                guess = spent * total / done
                print(f"  one pass after {spent:.0f} s: {guess:.0f} s in all", flush=True)

    with listen(watch):
        InfFSU(memory_limit=0, solver="exact").fit(X)
    taken = time.perf_counter() - start
    what = "exact, n = 200,000, to the end"
    ratio = f"{taken / guess:.2f}"
    told = "told after one pass"
    return [[what, told, f"{taken:.0f} s", f"{guess:.0f} s", ratio, "within 30 %"]]


def growth() -> list[list[str]]:
    import matplotlib.pyplot as plt

    curves = {
        "exact": (lambda X: InfFSU(solver="exact").fit(X), [1000, 3000, 10_000, 30_000]),
        "squared": (
            lambda X: InfFS(Decorrelation(power=2)).fit(X),
            [1000, 10_000, 100_000, 1_000_000],
        ),
        "supervised": (
            lambda X: InfFSS().fit(X, np.arange(T) % 2),
            [1000, 10_000, 100_000, 1_000_000],
        ),
    }
    _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    rows = []
    for name, (fit, sizes) in curves.items():
        seconds = [_best_of_three(fit, gaussian(n)) for n in sizes]
        slope = np.polyfit(np.log(sizes[1:]), np.log(seconds[1:]), 1)[0]
        ax.loglog(sizes, seconds, "o-", label=f"{name}: slope {slope:.2f}")
        sizes_text = f"n = {sizes[0]:,} ... {sizes[-1]:,}"
        last, first = f"{seconds[-1]:.3g} s", f"{seconds[0]:.3g} s"
        rows.append([f"growth, {name}", sizes_text, last, first, f"slope {slope:.2f}", ""])
    ax.set(xlabel="features", ylabel="seconds", title=f"Time of a fit, T = {T} samples, two cores")
    ax.legend()
    IMAGES.mkdir(parents=True, exist_ok=True)
    plt.savefig(IMAGES / "growth.png", dpi=120)
    return rows


def _best_of_three(fit: object, X: np.ndarray) -> float:
    return interleave({"fit": lambda: fit(X)}, 3, warm_up=False)["fit"].seconds  # type: ignore[operator]


PARTS = {"tiles": tiles, "million": million, "growth": growth, "exact-200000": exact_200000}


def main() -> None:
    asked = sys.argv[1:] or ["tiles", "million", "growth"]
    rows = [line for name in asked for line in PARTS[name]()]
    print_table(f"Speed at size, T = {T}, two cores", HEADER, rows)


if __name__ == "__main__":
    main()
