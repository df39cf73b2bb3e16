"""Runs trials: in order, in parallel, within limits, and never twice."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pandas as pd

from inffs._utils.progress import _listener
from inffs.comparison.dataset import Dataset, plain_name
from inffs.comparison.judging import Judged
from inffs.comparison.plan import Plan, write_plan
from inffs.comparison.pool import Work, backend, close_workers, results
from inffs.comparison.protocol import Protocol
from inffs.comparison.rounds import Limits, Round
from inffs.comparison.store import Store
from inffs.comparison.trial import CRASHED, DONE, SKIPPED, Judging, Row, Trial, not_done

_CRASHES = 2  # trials of a method that may crash before the rest of its splits is left alone
_NOTED = ("method", "status", "reason", "fit_seconds", "cpu_seconds")


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
    >>> from inffs.comparison import Dataset, Protocol, Store, find_methods, run
    >>> from inffs.comparison.rounds import Round
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> dataset = Dataset("iris", X, y, ["a", "b", "c", "d"])
    >>> one = Round(dataset, Protocol(sizes=(2,), n_splits=1), tuple(find_methods(["fisher"])))
    >>> run([one], Store("results"))
    True
    """
    limits = limits or Limits()
    end = None if budget is None else time.monotonic() + budget
    try:
        for each in rounds:
            write_plan(store.folder, each.plan)
            schedule = _Schedule(each, store, each.limits or limits, end, retry)
            with backend(n_jobs, dask, each.dataset):
                for rows in results(schedule.work()):
                    schedule.learn(rows)
    finally:
        close_workers()
    return end is None or time.monotonic() < end


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
        total = len(each.methods) * each.protocol.n_splits
        self._progress = _Progress(f"{each.dataset.name}: trials", total)
        self._slow: set[str] = set()
        self._stopped: dict[str, str] = {}
        self._crashes: Counter[str] = Counter()
        self._done = store.done(retry)
        self._judged = Judged(store.of_plan(each.plan, judge=None))
        past = store.of_plan(each.plan)
        self._note(past[past["trial"].isin(self._done)])
        for there in _easier(each, store):  # what took too long there would take longer here
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

    def work(self) -> Iterator[Work]:
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
        name, dataset = trial.method.name, self._round.dataset
        reason = trial.method.skip(dataset.target) or self._stopped.get(name, "")
        if reason:
            self._store.append([not_done(dataset, trial, SKIPPED, reason)])
            return True
        if self._crashes[name] >= _CRASHES:  # left for another run, so nothing is noted
            return True
        return name in self._slow and trial.number >= self._limits.slow_splits


def _easier(each: Round, store: Store) -> Iterator[pd.DataFrame]:
    """Rows of the published split, and of the easier table with its name in the reasons."""
    if each.published is not None:
        yield store.of_plan(each.published)
    if each.easier:
        rows, setting = store.frame(), replace(each.protocol, study="").setting
        mine = rows["dataset"].map(plain_name) == each.easier
        there = rows[mine & (rows["setting"] == setting)]
        yield there.assign(reason=there["reason"] + " on " + there["dataset"])


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
        with backend(n_jobs, None, dataset):
            for rows in results((dataset, work, Limits(), None) for work in works):
                store.append(rows)
                progress.advance()
    finally:
        close_workers()
    return len(works)


class _Progress:
    """Tells the listener of the thread that began how many trials are done."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._done, self._total = what, 0, total
        self._listener = _listener.get()

    def advance(self) -> None:
        self._done += 1
        if self._listener is not None:
            self._listener(self._what, self._done, self._total)
