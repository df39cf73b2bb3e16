"""Runs trials: in order, in parallel, within limits, and never twice."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from inffs._engine.progress import _listener
from inffs.arena.data.datasets import Dataset
from inffs.arena.engine.cell import Cell, Stopped
from inffs.arena.engine.contestants import Contestant
from inffs.arena.engine.protocol import Protocol
from inffs.arena.engine.store import Store
from inffs.arena.engine.trial import FAILED, SKIPPED, Row, Trial, not_done

_cells: list[Cell] = []
_idle: list[Cell] = []


@dataclass(frozen=True)
class Limits:
    """What a trial may take, and how many splits a slow method gets.

    ``fit_timeout`` in seconds and ``memory`` in MiB stop a trial; a method whose fit took longer
    than ``slow_fit`` seconds gets only ``slow_splits`` splits of that data set.
    """

    fit_timeout: float | None = 600.0
    memory: float | None = None
    slow_fit: float = 60.0
    slow_splits: int = 5


@dataclass(frozen=True)
class Round:
    """One data set, its protocol and the methods that take part."""

    dataset: Dataset
    protocol: Protocol
    contestants: tuple[Contestant, ...]
    limits: Limits | None = None

    def trials(self) -> Iterator[Trial]:
        """Split by split over all methods, so that a run cut short is fair to all of them."""
        for number in range(self.protocol.n_splits):
            for contestant in self.contestants:
                yield Trial(contestant, number, self.protocol)


def run(
    rounds: Iterable[Round],
    store: Store,
    limits: Limits | None = None,
    *,
    n_jobs: int | None = 1,
    dask: str | None = None,
    budget: float | None = None,
    retry: bool = False,
) -> bool:
    """Run what the store does not have yet; True when all is done, False when ``budget`` ended it.

    Parameters
    ----------
    rounds : iterable of Round
        Taken one after the other.
    store : Store
        Where results go, trial by trial.
    limits : Limits, optional
        Of time and memory.
    n_jobs : int or None, default=1
        Trials at a time; None: as the surrounding ``joblib.parallel_config`` says, any backend.
    dask : str, optional
        Address of a running dask cluster that runs the trials instead.
    budget : float, optional
        Seconds after which nothing new is begun and what runs is stopped.
    retry : bool, default=False
        Run again what was skipped or failed in an earlier run.
    """
    limits = limits or Limits()
    end = None if budget is None else time.monotonic() + budget
    try:
        for each in rounds:
            _describe(store, each)
            with _engine(n_jobs, dask, each.dataset):
                _run_round(_Schedule(each, store, each.limits or limits, end, retry))
    finally:
        _close_cells()
    return end is None or time.monotonic() < end


def _run_round(schedule: _Schedule) -> None:
    workers = joblib.Parallel(return_as="generator_unordered", pre_dispatch="n_jobs")
    tasks = (joblib.delayed(attempt)(*work) for work in schedule.work())
    for rows in workers(tasks):
        schedule.learn(rows)


class _Schedule:
    """Which trials of a round are still to be run; keeps results and learns from them."""

    def __init__(
        self,
        each: Round,
        store: Store,
        limits: Limits,
        end: float | None,
        retry: bool,
    ) -> None:
        self._round, self._store, self._limits, self._end = each, store, limits, end
        total = len(each.contestants) * each.protocol.n_splits
        self._progress = _Progress(f"{each.dataset.name}: trials", total)
        self._slow: set[str] = set()
        self._stopped: dict[str, str] = {}
        self._done = store.done(retry)
        past = store.frame()
        past = past[past["trial"].isin(self._done)]
        mine = past[past["data_version"] == each.dataset.version]
        for row in mine[mine["setting"] == each.protocol.setting].to_dict("records"):
            self._note(row)

    def learn(self, rows: list[Row]) -> None:
        """Keep the rows of a trial that ran."""
        if rows:
            self._store.append(rows)
        for row in rows:
            self._note(row)
        self._progress.advance()

    def _note(self, row: Row) -> None:
        if row["status"] == SKIPPED:
            self._stopped[row["method"]] = row["reason"]
        elif (row.get("fit_seconds") or 0.0) > self._limits.slow_fit:
            self._slow.add(row["method"])

    def work(self) -> Iterator[tuple[Dataset, Trial, Limits, float | None]]:
        """The trials to run, until the time is up."""
        dataset = self._round.dataset
        for trial in self._round.trials():
            if trial.key(dataset.version) in self._done or self._left_out(trial):
                self._progress.advance()
                continue
            if self._end is not None and time.monotonic() > self._end:
                return
            yield dataset, trial, self._limits, self._end

    def _left_out(self, trial: Trial) -> bool:
        name, dataset = trial.contestant.name, self._round.dataset
        reason = trial.contestant.skip(dataset.multi_label) or self._stopped.get(name, "")
        if reason:
            self._store.append([not_done(dataset, trial, SKIPPED, reason)])
            return True
        return name in self._slow and trial.number >= self._limits.slow_splits


def attempt(dataset: Dataset, trial: Trial, limits: Limits, end: float | None = None) -> list[Row]:
    """Run one trial in a cell of this process; nothing comes back when the budget ended it."""
    timeout, cut_short = limits.fit_timeout, False
    if end is not None:
        left = max(0.0, end - time.monotonic())
        cut_short = timeout is None or left < timeout
        timeout = left if cut_short else timeout
    cell = _take_cell()
    try:
        return cell.run(dataset, trial, timeout, limits.memory)
    except Stopped as stop:
        if cut_short and "longer than" in str(stop):
            return []
        return [not_done(dataset, trial, SKIPPED, str(stop))]
    except RuntimeError as error:
        return [not_done(dataset, trial, FAILED, str(error))]
    finally:
        _idle.append(cell)


def _take_cell() -> Cell:
    """An idle cell of this process that lives, or a new one. Lists make this safe for threads."""
    while True:
        try:
            cell = _idle.pop()
        except IndexError:
            cell = Cell()
            _cells.append(cell)
            return cell
        if cell.alive:
            return cell
        _cells.remove(cell)


def _close_cells() -> None:
    while _cells:
        _cells.pop().close()
    _idle.clear()


@contextmanager
def _engine(n_jobs: int | None, dask: str | None, dataset: Dataset) -> Iterator[None]:
    """Where joblib sends the trials.

    A cell is a process of its own, so threads are enough to wait for it.
    """
    if dask is None and n_jobs is None:
        yield
        return
    if dask is None:
        with joblib.parallel_config(backend="threading", n_jobs=n_jobs):
            yield
        return
    from distributed import Client

    with (
        Client(dask, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client, scatter=[dataset]),
    ):
        yield


class _Progress:
    """Tells the listener of the thread that began how many trials are done."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._done, self._total = what, 0, total
        self._listener = _listener.get()

    def advance(self) -> None:
        self._done += 1
        if self._listener is not None:
            self._listener(self._what, self._done, self._total)


def _describe(store: Store, each: Round) -> None:
    """Note in the store what was planned, for ``status`` and the report."""
    plan, name = read_plan(store.folder), f"{each.dataset.name} / {each.protocol.setting}"
    before = plan.get(name, {"methods": [], "splits": 0})
    methods = before["methods"]
    named = [contestant.name for contestant in each.contestants]
    plan[name] = {
        "dataset": each.dataset.name,
        "setting": each.protocol.setting,
        "splits": max(before["splits"], each.protocol.n_splits),
        "methods": methods + [name for name in named if name not in methods],
        "commonest": commonest_share(each.dataset.y),
    }
    beside = store.folder / f".plan.{os.getpid()}.tmp"
    beside.write_text(json.dumps(plan, indent=1), encoding="utf-8")
    beside.replace(store.folder / "plan.json")


def commonest_share(y: np.ndarray) -> float | None:
    """Accuracy of always saying the commonest class; None where there are several labels."""
    return None if y.ndim == 2 else float(np.unique(y, return_counts=True)[1].max() / len(y))


def read_plan(folder: str | Path) -> dict[str, Any]:
    """What the runs in this folder planned, by data set and setting."""
    path = Path(folder) / "plan.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
