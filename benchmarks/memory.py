"""Time and peak memory of every method: the cost table of the documentation.

    python benchmarks/memory.py [METHOD ...]

Each fit runs in a process of its own on one core. Seconds are processor time, so that other work
on the machine does not count; the peak is what the fit adds to the process that holds the table.
Rows go to docs/data/cost.csv as they come, and a run continues where the last one ended: delete a
method's rows to measure it anew. After three sizes a method's next larger table is left out once a
fit took longer than ENOUGH seconds.
"""

from __future__ import annotations

import functools
import os
import sys
import time
import warnings
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.timing import measure_fresh, read_rows, write_row
from inffs import catalogue
from inffs.methods import find_entry

TABLE = Path(__file__).parent.parent / "docs" / "data" / "cost.csv"
WIDER = [(100, n) for n in (500, 1000, 2000, 4000, 8000, 16_000)]
LONGER = [(T, 1000) for T in (50, 100, 200, 400, 800, 1600)]
ENOUGH = 2.0


def table(T: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(T) % 2
    X = np.random.default_rng(0).standard_normal((T, n))
    X[:, :10] += y[:, None]
    return X, y


def job(key: str, T: int, n: int) -> object:
    warnings.simplefilter("ignore")
    X, y = table(T, n)
    estimator = find_entry(key).estimator(n_features_to_select=10)
    estimator.fit(*table(12, 12))  # imports and thread pools are not the fit's memory
    return lambda: estimator.fit(X, y)


def measure(key: str, T: int, n: int) -> float:
    start = time.perf_counter()
    seconds, peak = measure_fresh(functools.partial(job, key, T, n), "fork")
    row = {
        "method": key, "T": T, "n": n,
        "processor seconds": f"{seconds:.4g}", "MiB": f"{peak / 2**20:.2f}",
    }  # fmt: skip
    write_row(TABLE, row)
    print(*row.values(), f"({time.perf_counter() - start:.0f} s in all)", flush=True)
    return seconds


def main() -> None:
    keys = sys.argv[1:] or [entry.key for entry in catalogue()]
    for key in keys:
        find_entry(key).estimator  # noqa: B018 - imported here, once for all the forks
    done = {
        (row["method"], int(row["T"]), int(row["n"])): float(row["processor seconds"])
        for row in read_rows(TABLE)
    }
    for sizes in (WIDER, LONGER):
        for key in keys:
            for place, (T, n) in enumerate(sizes, start=1):
                if (key, T, n) not in done:
                    done[key, T, n] = measure(key, T, n)
                if done[key, T, n] > ENOUGH and place >= 3:
                    break


if __name__ == "__main__":
    main()
