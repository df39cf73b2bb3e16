"""Timing as ratios in one run: candidates interleaved, warmed up, medians."""

from __future__ import annotations

import csv
import gc
import multiprocessing
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Timing:
    seconds: float
    rounds: int


def interleave(
    candidates: dict[str, Callable[[], object]], rounds: int = 5, warm_up: bool = True
) -> dict[str, Timing]:
    """Median seconds of each candidate, run in turns so that a slow minute hits all of them."""
    if warm_up:
        for run in candidates.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing(statistics.median(times), rounds) for name, times in seconds.items()}


def peak_memory(job: Callable[[], Callable[[], object]]) -> int:
    """Bytes that a run adds to the peak of a fresh process after ``job()`` has made its data."""
    return measure_fresh(job)[1]


def measure_fresh(
    job: Callable[[], Callable[[], object]], start: str = "spawn"
) -> tuple[float, int]:
    """Processor seconds of a run in a fresh process, and the bytes it adds at its peak."""
    context = multiprocessing.get_context(start)
    ours, theirs = context.Pipe()
    process = context.Process(target=_measure, args=(job, theirs))
    process.start()
    theirs.close()  # a process that dies ends the wait with an EOFError
    taken = ours.recv()
    process.join()
    return taken


def _measure(job: Callable[[], Callable[[], object]], pipe: Any) -> None:
    run = job()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    before, start = _resident("VmRSS"), time.process_time()
    run()
    pipe.send((time.process_time() - start, _resident("VmHWM") - before))


def _resident(what: str) -> int:
    """Bytes of this process in memory, now (VmRSS) or at most (VmHWM)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) * 1024
    return 0


def fitted_growth(sizes: Any, costs: Any) -> tuple[float, float]:
    """Slope and start of log(cost) over log(size), from the three largest sizes."""
    import numpy as np

    slope, start = np.polyfit(np.log(sizes[-3:]), np.log(costs[-3:]), 1)
    return float(slope), float(start)


def read_rows(path: Path) -> list[dict[str, str]]:
    """What earlier runs wrote; nothing if there was none."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_row(path: Path, row: dict[str, Any]) -> None:
    """Add a line to a CSV file, which starts with the names."""
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(row)
        writer.writerow(row.values())


def print_table(title: str, header: list[str], rows: list[list[str]]) -> None:
    """A Markdown table, ready for the README."""
    print(f"\n### {title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
