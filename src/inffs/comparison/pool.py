"""Who runs it: worker processes, threads that wait for them, or a dask cluster."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import joblib

from inffs.comparison.dataset import Dataset
from inffs.comparison.rounds import Limits
from inffs.comparison.trial import (
    CRASHED,
    FAILED,
    SKIPPED,
    Judging,
    Row,
    Trial,
    not_done,
)
from inffs.comparison.worker import (
    BudgetError,
    LimitError,
    TrialError,
    Worker,
    WorkerDiedError,
)

_ATTEMPTS = 2  # a process that dies twice in the same trial is not tried a third time
_workers: list[Worker] = []
_idle: list[Worker] = []

Work = tuple[Dataset, Trial | Judging, Limits, float | None]


def results(works: Iterable[Work]) -> Iterator[list[Row]]:
    """The rows of every piece of work, as they come."""
    workers = joblib.Parallel(return_as="generator_unordered", pre_dispatch="n_jobs")
    yield from workers(joblib.delayed(attempt)(*work) for work in works)


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


def close_workers() -> None:
    """End all processes."""
    while _workers:
        _workers.pop().close()
    _idle.clear()


@contextmanager
def backend(n_jobs: int | None, dask: str | None, dataset: Dataset) -> Iterator[None]:
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
