"""Runs trials: in order, in parallel, within limits, and never twice."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

import joblib
import pandas as pd

from inffs._engine.progress import _listener
from inffs._version import __version__
from inffs.arena.data.datasets import Dataset
from inffs.arena.engine.contestants import Contestant
from inffs.arena.engine.judging import Judged
from inffs.arena.engine.plan import Plan, write_plan
from inffs.arena.engine.protocol import OFFICIAL, Protocol
from inffs.arena.engine.store import Store
from inffs.arena.engine.trial import (
    CRASHED,
    DONE,
    FAILED,
    SKIPPED,
    Judging,
    Row,
    Trial,
    has_gaps,
    not_done,
    protocol_key,
)
from inffs.arena.engine.worker import (
    BudgetError,
    LimitError,
    TrialError,
    Worker,
    WorkerDiedError,
)

_ATTEMPTS = 2  # a process that dies twice in the same trial is not tried a third time
_CRASHES = 2  # trials of a method that may crash before the rest of its splits is left alone
_NOTED = ("method", "status", "reason", "fit_seconds", "cpu_seconds")
_workers: list[Worker] = []
_idle: list[Worker] = []


@dataclass(frozen=True)
class Limits:
    """What a trial may take, and how many splits a slow method gets.

    ``fit_timeout`` in seconds and ``memory`` in MiB stop a trial; a method whose fit took longer
    than ``slow_fit`` seconds gets only ``slow_splits`` splits of that data set. Seconds are those
    of the processor, so that a busy machine decides nothing; a fit that only waits is stopped
    after ten times ``fit_timeout`` by the clock.

    Parameters
    ----------
    fit_timeout, slow_fit : float
        Seconds of the processor.
    slow_splits : int
        Of a slow method.
    memory : float, optional
        MiB.

    See Also
    --------
    run : Keeps them.

    Examples
    --------
    >>> from inffs.arena import Limits
    >>> Limits(fit_timeout=60).fit_timeout
    60
    """

    fit_timeout: float | None = 600.0
    memory: float | None = None
    slow_fit: float = 60.0
    slow_splits: int = 5

    def slow(self, rows: pd.DataFrame) -> bool:
        """Whether a fit of these rows was slow; by the clock where only that was recorded."""
        seconds = rows["cpu_seconds"].fillna(rows["fit_seconds"])
        return bool((seconds > self.slow_fit).any())


@dataclass(frozen=True)
class Round:
    """One data set, its protocol and the methods that take part.

    Parameters
    ----------
    dataset : Dataset
        The table.
    protocol : Protocol
        What is done with it.
    contestants : tuple of Contestant
        Who takes part.
    limits : Limits, optional
        Of this round alone.

    See Also
    --------
    run : Runs several.

    Examples
    --------
    >>> from inffs.arena import Dataset, Protocol, Round, Store, find_contestants, run
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> dataset = Dataset("iris", X, y, ["a", "b", "c", "d"])
    >>> one = Round(dataset, Protocol(sizes=(2,), n_splits=1), tuple(find_contestants(["fisher"])))
    >>> len(one.contestants)
    1
    """

    dataset: Dataset
    protocol: Protocol
    contestants: tuple[Contestant, ...]
    limits: Limits | None = None

    @property
    def plan(self) -> Plan:
        """What is to run, and on which version of everything."""
        return Plan(
            dataset=self.dataset.name,
            setting=self.protocol.setting,
            methods=tuple(contestant.name for contestant in self.contestants),
            splits=self.protocol.n_splits,
            commonest=self.dataset.commonest,
            missing=has_gaps(self.dataset.X),
            data_version=self.dataset.version,
            protocol=protocol_key(self.protocol),
            package=__version__,
            details=asdict(self.protocol),
        )

    @property
    def published(self) -> Plan | None:
        """The same on the published split, where that trains on no more samples."""
        test = self.dataset.official_test
        if test is None or self.protocol.study or test.mean() < self.protocol.test_size:
            return None
        return replace(self, protocol=replace(self.protocol, study=OFFICIAL)).plan

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
        Run again what was skipped or failed in an earlier run. What crashed always runs again.

    Returns
    -------
    bool

    See Also
    --------
    status : How far it has come.

    Examples
    --------
    >>> from inffs.arena import Dataset, Protocol, Round, Store, find_contestants, run
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> dataset = Dataset("iris", X, y, ["a", "b", "c", "d"])
    >>> one = Round(dataset, Protocol(sizes=(2,), n_splits=1), tuple(find_contestants(["fisher"])))
    >>> run([one], Store("results"))
    True
    """
    limits = limits or Limits()
    end = None if budget is None else time.monotonic() + budget
    try:
        for each in rounds:
            write_plan(store.folder, each.plan)
            with _engine(n_jobs, dask, each.dataset):
                _run_round(_Schedule(each, store, each.limits or limits, end, retry))
    finally:
        _close_workers()
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
        self._crashes: Counter[str] = Counter()
        self._done = store.done(retry)
        self._judged = Judged(store.of_plan(each.plan, judge=None))
        past = store.of_plan(each.plan)
        self._note(past[past["trial"].isin(self._done)])
        if each.published is not None:  # what took too long there would take longer here
            there = store.of_plan(each.published)
            self._note(there[there["trial"].isin(self._done) & (there["status"] == SKIPPED)])

    def learn(self, rows: list[Row]) -> None:
        """Keep the rows of a trial that ran."""
        if rows:
            self._store.append(rows)
            self._note(pd.DataFrame(rows).reindex(columns=list(_NOTED)))
        self._progress.advance()

    def _note(self, rows: pd.DataFrame) -> None:
        skipped = rows[rows["status"] == SKIPPED]
        self._stopped |= dict(zip(skipped["method"], skipped["reason"], strict=True))
        self._crashes.update(rows.loc[rows["status"] == CRASHED, "method"])
        done = rows[rows["status"] == DONE].groupby("method")
        self._slow |= {str(name) for name, each in done if self._limits.slow(each)}

    def work(self) -> Iterator[tuple[Dataset, Trial | Judging, Limits, float | None]]:
        """What is to run, until the time is up: trials, or judges of trials that are done."""
        dataset = self._round.dataset
        for trial in self._round.trials():
            work: Trial | Judging | None = trial
            if (key := trial.key(dataset.version)) in self._done:
                work = self._judged.missing(key, trial.protocol, trial.number)
            elif self._left_out(trial):
                work = None
            if work is None:
                self._progress.advance()
                continue
            if self._end is not None and time.monotonic() > self._end:
                return
            yield dataset, work, self._limits, self._end

    def _left_out(self, trial: Trial) -> bool:
        name, dataset = trial.contestant.name, self._round.dataset
        reason = trial.contestant.skip(dataset.target) or self._stopped.get(name, "")
        if reason:
            self._store.append([not_done(dataset, trial, SKIPPED, reason)])
            return True
        if self._crashes[name] >= _CRASHES:  # left for another run, so nothing is noted
            return True
        return name in self._slow and trial.number >= self._limits.slow_splits


def attempt(
    dataset: Dataset, work: Trial | Judging, limits: Limits, end: float | None = None
) -> list[Row]:
    """Run one trial in a process of its own; nothing comes back when the budget ended it."""
    if isinstance(work, Judging):
        return _with_worker(dataset, work, None, limits.memory)
    trial, left = work, None if end is None else end - time.monotonic()
    try:
        return _with_worker(dataset, trial, limits.fit_timeout, limits.memory, left)
    except BudgetError:
        return []
    except LimitError as error:
        return [not_done(dataset, trial, SKIPPED, str(error))]
    except TrialError as error:
        return [not_done(dataset, trial, FAILED, str(error))]
    except WorkerDiedError as error:
        return [not_done(dataset, trial, CRASHED, f"{error}, {_ATTEMPTS} times")]


def judge_plan(
    dataset: Dataset, plan: Plan, store: Store, judges: tuple[str, ...], n_jobs: int = 1
) -> int:
    """Let judges judge the stored picks of a plan; returns how many trials they judged."""
    protocol = replace(Protocol.of_details(plan.details or {}), judges=judges)
    judged = Judged(store.of_plan(plan, judge=None))
    found = (judged.missing(key, protocol, number) for key, number in judged.trials().items())
    works = [work for work in found if work is not None]
    progress = _Progress(f"{plan.dataset}: trials judged", len(works))
    try:
        with _engine(n_jobs, None, dataset):
            workers = joblib.Parallel(return_as="generator_unordered", pre_dispatch="n_jobs")
            for rows in workers(joblib.delayed(attempt)(dataset, work, Limits()) for work in works):
                store.append(rows)
                progress.advance()
    finally:
        _close_workers()
    return len(works)


def _with_worker(
    dataset: Dataset,
    work: Trial | Judging,
    timeout: float | None,
    memory: float | None,
    left: float | None = None,
) -> list[Row]:
    """Do the work; once more in a new process if that one dies."""
    for more in reversed(range(_ATTEMPTS)):
        worker = _take_worker()
        try:
            return worker.run(dataset, work, timeout, memory, left)
        except WorkerDiedError:
            if not more:
                raise
        finally:
            _idle.append(worker)
    raise AssertionError("unreachable")


def _take_worker() -> Worker:
    """An idle process that lives, or a new one. Lists make this safe for threads."""
    while True:
        try:
            worker = _idle.pop()
        except IndexError:
            worker = Worker()
            _workers.append(worker)
            return worker
        if worker.alive:
            return worker
        _workers.remove(worker)


def _close_workers() -> None:
    while _workers:
        _workers.pop().close()
    _idle.clear()


@contextmanager
def _engine(n_jobs: int | None, dask: str | None, dataset: Dataset) -> Iterator[None]:
    """Where joblib sends the trials.

    A trial has a process of its own, so threads are enough to wait for it.
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
