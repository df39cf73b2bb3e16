"""Speed at size: many features, T = 100 samples, as ratios in one run and as growth curves.

    python benchmarks/scale.py [tiles] [million] [exact-200000] [growth [quick]] [samples [float64]]

``growth`` measures what docs/data/growth.csv does not hold yet (``quick``: without the exact graphs
of more than 30,000 features) and draws docs/images/growth.png; ``exact-200000`` walks the exact
graph of 200,000 features and compares the time told after the first pass with the time it takes;
``samples`` ranks 1,000 features of a million samples and writes the memory that took to
docs/data/many-samples.csv. Ratios go to docs/data/speed-at-size.csv.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
from scipy.stats import rankdata

from benchmarks.timing import (
    fitted_growth,
    interleave,
    measure_fresh,
    print_table,
    read_rows,
    write_row,
)
from inffs import InfFS, InfFSS, InfFSU
from inffs._utils.progress import listen
from inffs._utils.threads import stream
from inffs.graph.tiles import PASSING_SHAPE
from inffs.paths import USUAL_STEPS
from inffs.relations import Decorrelation

T = 100
HEADER = ["what", "baseline", "inffs", "baseline takes", "ratio", "target"]
DOCS = Path(__file__).parent.parent / "docs"
IMAGES, DATA = DOCS / "images", DOCS / "data"
GROWTH, RATIOS = DATA / "growth.csv", DATA / "speed-at-size.csv"


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
    steps = selector.fit(X).walk_.steps
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
    n = 200_000
    X = gaussian(n)
    watch, processor = _Watch(), time.process_time()
    with listen(watch):
        InfFSU(memory_limit=0, solver="exact").fit(X)
    taken, processor = time.perf_counter() - watch.start, time.process_time() - processor
    write_row(GROWTH, {"form": "exact", "n": n, "processor seconds": f"{processor:.4g}"})
    what, told = f"exact, n = {n:,}, to the end", "told after one pass"
    ratio = f"{taken / watch.told:.2f}"
    return [[what, told, f"{taken:.0f} s", f"{watch.told:.0f} s", ratio, "within 30 %"]]


class _Watch:
    """Notes the time told when the first pass is over: what is past, and the rest at its pace."""

    def __init__(self) -> None:
        self.start = self.walk = time.perf_counter()
        self.told = 0.0

    def __call__(self, what: str, done: int, total: int | None) -> None:
        now = time.perf_counter()
        if what != "walking the graph" or not total:
            return
        if done == 0:
            self.walk = now
        elif not self.told and done * USUAL_STEPS >= total:
            self.told = (self.walk - self.start) + (now - self.walk) * total / done
            print(
                f"  one pass after {now - self.start:.0f} s: {self.told:.0f} s in all", flush=True
            )


EXACT = [1000, 3000, 10_000, 30_000, 100_000, 200_000]
OTHERS = [1000, 10_000, 100_000, 1_000_000]
CURVES = {
    "exact": (lambda X: InfFSU(memory_limit=0, solver="exact").fit(X), EXACT),
    "squared": (lambda X: InfFS(Decorrelation(power=2)).fit(X), OTHERS),
    "supervised": (lambda X: InfFSS().fit(X, np.arange(T) % 2), OTHERS),
}


def growth() -> list[list[str]]:
    done = {(row["form"], int(row["n"])) for row in read_rows(GROWTH)}
    for form, (fit, sizes) in CURVES.items():
        for n in (n for n in sizes if (form, n) not in done):
            if form == "exact" and n > 30_000 and "quick" in sys.argv:
                continue
            seconds = _processor_seconds(fit, gaussian(n), 1 if n > 10_000 else 3)
            write_row(GROWTH, {"form": form, "n": n, "processor seconds": f"{seconds:.4g}"})
            print(f"  {form}, n = {n:,}: {seconds:.3g} s", flush=True)
    return _draw_growth(read_rows(GROWTH))


def _draw_growth(lines: list[dict[str, str]]) -> list[list[str]]:
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    rows = []
    for color, form in enumerate(CURVES):
        mine = {int(r["n"]): float(r["processor seconds"]) for r in lines if r["form"] == form}
        n, seconds = np.array(sorted(mine.items())).T
        slope, start = fitted_growth(n, seconds)
        ax.loglog(n, seconds, f"C{color}o-", label=f"{form}: slope {slope:.2f}")
        beyond = np.array([n[-1], OTHERS[-1]])
        ax.loglog(beyond, np.exp(start) * beyond**slope, f"C{color}--")
        sizes = f"n = {n[0]:,.0f} ... {n[-1]:,.0f}"
        rows.append(
            [f"growth, {form}", sizes, f"{seconds[-1]:.3g} s", "", f"slope {slope:.2f}", ""]
        )
    ax.set(xlabel="features", ylabel="processor seconds", title=f"Cost of a fit, T = {T} samples")
    ax.legend()
    IMAGES.mkdir(parents=True, exist_ok=True)
    plt.savefig(IMAGES / "growth.png", dpi=120)
    return rows


def _processor_seconds(fit: Callable, X: np.ndarray, rounds: int) -> float:
    """Median processor time of a fit: other work on the machine does not count."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        fit(X)
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def samples() -> list[list[str]]:
    """A million samples of 1,000 features: what a fit adds to a process that holds the table."""
    T, n, dtype = 1_000_000, 1000, "float64" if "float64" in sys.argv else "float32"
    seconds, peak = measure_fresh(functools.partial(_many_samples, T, n, dtype))
    table, ranks = T * n * np.dtype(dtype).itemsize, T * n * 4
    row = {
        "T": T, "n": n, "values": dtype, "processor seconds": round(seconds),
        **{name: f"{size / 2**30:.2f}" for name, size in
           (("table GiB", table), ("ranks GiB", ranks), ("fit adds GiB", peak))},
    }  # fmt: skip
    write_row(DATA / "many-samples.csv", row)
    what, adds = f"exact, {T:,} samples x {n:,}, {dtype}", f"{peak / 2**30:.2f} GiB"
    ratio = f"{(table + peak) / (table + ranks):.2f}"
    return [[what, "table + ranks", adds, f"{ranks / 2**30:.2f} GiB", ratio, "about 1"]]


def _many_samples(T: int, n: int, dtype: str) -> object:
    X = np.random.default_rng(0).standard_normal((T, n), dtype=dtype)
    InfFSU().fit(X[:50, :50])
    return lambda: InfFSU(solver="exact").fit(X)


PARTS = {
    "tiles": tiles,
    "million": million,
    "growth": growth,
    "exact-200000": exact_200000,
    "samples": samples,
}


def main() -> None:
    asked = [word for word in sys.argv[1:] if word in PARTS] or ["tiles", "million", "growth"]
    rows = [line for name in asked for line in PARTS[name]()]
    ratios = {row["what"]: row for row in read_rows(RATIOS)}
    for row in rows:
        if row[-1]:  # it has a target
            ratios[row[0]] = dict(zip(HEADER, row, strict=True))
    RATIOS.unlink(missing_ok=True)
    for line in ratios.values():
        write_row(RATIOS, line)
    print_table(f"Speed at size, T = {T}, two cores", HEADER, rows)


if __name__ == "__main__":
    main()
