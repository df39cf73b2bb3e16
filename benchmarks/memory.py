"""Time and peak memory of every method, on one table: the cost table of the documentation.

    python benchmarks/memory.py [T n]        (default 100 2000)

Each method runs in a fresh process; the peak is what the fit adds to it.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np

from benchmarks.timing import peak_memory, print_table
from inffs import catalogue
from inffs.methods import find_entry


def table(T: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(T) % 2
    X = np.random.default_rng(0).standard_normal((T, n))
    X[:, :10] += y[:, None]
    return X, y


def job(key: str, T: int, n: int) -> object:
    X, y = table(T, n)
    estimator = find_entry(key).estimator(n_features_to_select=10)
    estimator.fit(*table(12, 12))  # imports and thread pools are not the fit's memory
    return lambda: estimator.fit(X, y)


def seconds(key: str, T: int, n: int) -> float:
    run = job(key, T, n)
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return time.perf_counter() - start


def main() -> None:
    T, n = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (100, 2000)
    rows = []
    for entry in catalogue():
        peak = peak_memory(functools.partial(job, entry.key, T, n)) / 2**20
        rows.append([entry.key, entry.cost, f"{seconds(entry.key, T, n):.3g}", f"{peak:.0f}"])
        print(".", end="", flush=True)
    print_table(f"Cost of a fit, {T} x {n}", ["method", "time grows as", "s", "peak MiB"], rows)


if __name__ == "__main__":
    main()
