"""Timing as ratios in one run: candidates interleaved, warmed up, medians."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


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
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measure, args=(job, theirs))
    process.start()
    grown = ours.recv()
    process.join()
    return grown


def _measure(job: Callable[[], Callable[[], object]], pipe: object) -> None:
    run = job()
    before = _high_water()
    run()
    pipe.send(_high_water() - before)  # type: ignore[attr-defined]


def _high_water() -> int:
    """Peak resident bytes of this process; unlike ru_maxrss not inherited from the parent."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def print_table(title: str, header: list[str], rows: list[list[str]]) -> None:
    """A Markdown table, ready for the README."""
    print(f"\n### {title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
