"""Child processes that run trials, so that a trial can be stopped without harm to the others.

A child reads pickled trials on stdin and answers on stdout. A thread of the parent watches its time
and its memory, and kills it where a limit is exceeded.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import joblib
import pandas as pd

from inffs._utils.child import import_paths
from inffs.comparison.dataset import Dataset
from inffs.comparison.trial import (
    CRASHED,
    DONE,
    FAILED,
    SKIPPED,
    Row,
    Trial,
    run_trial,
)

STOPPED = "stopped"  # by the budget of the whole run: the trial has no result yet
_ATTEMPTS = 2  # a process that dies twice in the same trial is not tried a third time
_THREADS = ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
_TICK = 0.1
_CLOCK_PER_PROCESSOR = 10  # a busy machine gives a fit a share of its time
_SERVE = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from inffs.comparison.process import serve; serve(int(sys.argv[1]))"
)


@dataclass(frozen=True)
class Limits:
    """The time and memory of a trial, and the number of splits of a slow method.

    Seconds are processor time, so a busy machine has no influence. A fit that only waits is stopped
    after ten times ``fit_timeout`` by the clock.

    Parameters
    ----------
    fit_timeout : float, optional
        Seconds after which a fit is stopped.
    memory : float, optional
        MiB above which a trial is stopped.
    slow_fit : float
        Seconds; a method whose fit takes longer is slow on that data set.
    slow_splits : int
        The number of splits of a slow method.

    See Also
    --------
    compare : Applies the limits.

    Examples
    --------
    >>> from inffs.comparison import Limits
    >>> Limits(fit_timeout=60).fit_timeout
    60
    """

    fit_timeout: float | None = 600.0
    memory: float | None = None
    slow_fit: float = 60.0
    slow_splits: int = 5

    def slow(self, rows: pd.DataFrame) -> pd.Series:
        """Whether the fit of each row was slow; by the clock where only that was recorded."""
        return rows["cpu_seconds"].fillna(rows["fit_seconds"]) > self.slow_fit


class Children:
    """The child processes of a run, one for each thread that waits for a trial.

    ``path`` are further folders of modules that trials need.
    """

    def __init__(self, path: Sequence[str] = ()) -> None:
        self.path = path
        self.all: list[Child] = []
        self.idle: list[Child] = []  # appending and popping are safe between threads

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_: Any) -> None:
        while self.all:
            self.all.pop().close()

    def run_all(
        self,
        dataset: Dataset,
        trials: Iterable[Trial | None],
        limits: Limits,
        end: float | None,
        n_jobs: int,
    ) -> Iterator[list[Row]]:
        """Yield the rows of every trial as they come; threads wait for the processes."""

        def rows(trial: Trial | None) -> list[Row]:
            return [] if trial is None else self.run(dataset, trial, limits, end)

        parallel = joblib.Parallel(
            n_jobs, backend="threading", return_as="generator_unordered", pre_dispatch="n_jobs"
        )
        yield from parallel(joblib.delayed(rows)(trial) for trial in trials)

    def run(self, dataset: Dataset, trial: Trial, limits: Limits, end: float | None) -> list[Row]:
        """Return the rows of a trial; none where the budget ended it."""
        for _ in range(_ATTEMPTS):
            child = self._take()
            status, content = child.run(dataset, trial, limits, end)
            if child.alive:
                self.idle.append(child)
            if status != CRASHED:
                break
        else:
            content = f"{content}, {_ATTEMPTS} times"
        if status == DONE:
            return content
        if status != STOPPED and not trial.known:
            return [trial.not_done(dataset, status, content)]
        if status != STOPPED:
            warnings.warn(f"A trial on {dataset.name} was not evaluated: {content}", stacklevel=1)
        return []

    def _take(self) -> Child:
        """Return an idle process that is alive, or a new one."""
        while self.idle:
            with contextlib.suppress(IndexError):  # another thread was faster
                if (child := self.idle.pop()).alive:
                    return child
        self.all.append(child := Child(self.path))
        return child


class Child:
    """A running process."""

    def __init__(self, path: Sequence[str] = ()) -> None:
        self._version: str | None = None
        # isolated: neither the current folder nor the environment adds a module
        path = [*import_paths(), *path]
        command = [sys.executable, "-I", "-c", _SERVE, str(os.getpid()), *path]
        environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in _THREADS}}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def run(
        self, dataset: Dataset, trial: Trial, limits: Limits, end: float | None = None
    ) -> tuple[str, Any]:
        """Return "done" with the rows, or another status with the reason.

        ``end`` is when the budget of the whole run is spent, by the monotonic clock.
        """
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        with Watch(process, limits, end) as watch:
            try:
                news = None if self._version == dataset.version else dataset
                pickle.dump((news, trial), process.stdin, pickle.HIGHEST_PROTOCOL)
                process.stdin.flush()
                self._version = dataset.version
                while True:
                    status, content = pickle.load(process.stdout)
                    if status != "phase":
                        return status, content
                    watch.enter(content)
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                self.close()
                code = process.returncode
                return watch.stopped or (CRASHED, f"its process died (exit code {code})")

    def close(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


class Watch:
    """A thread that kills a process where it exceeds a limit; ``stopped`` is then the outcome."""

    def __init__(self, process: subprocess.Popen, limits: Limits, end: float | None) -> None:
        self._process, self._limits, self._end = process, limits, end
        self._began: tuple[float, float] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.stopped: tuple[str, str] | None = None

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._thread.join()

    def enter(self, phase: str) -> None:
        """Start or stop the time of the fit."""
        self._began = self._now() if phase == "fit" else None

    def _watch(self) -> None:
        while not self._over.wait(_TICK):
            self.stopped = self.exceeded()
            if self.stopped is not None:
                self._process.kill()
                return

    def exceeded(self) -> tuple[str, str] | None:
        """Return the outcome of the trial if a limit is exceeded."""
        timeout, memory, began = self._limits.fit_timeout, self._limits.memory, self._began
        if self._end is not None and time.monotonic() > self._end:
            return STOPPED, ""
        if timeout is not None and began is not None:
            clock, processor = self._now()
            if max(processor - began[1], (clock - began[0]) / _CLOCK_PER_PROCESSOR) > timeout:
                return SKIPPED, f"the fit took more than {timeout:g} s of processor time"
        if memory is not None and self._of_process("memory_info")[0] > memory * 2**20:
            return SKIPPED, f"it took more than {memory:g} MiB"
        return None

    def _now(self) -> tuple[float, float]:
        """Seconds by the clock, and of the processor."""
        return time.monotonic(), sum(self._of_process("cpu_times")[:2])

    def _of_process(self, what: str) -> tuple[float, ...]:
        """Return statistics of the process; zeros where it has ended."""
        import psutil

        try:
            return tuple(getattr(psutil.Process(self._process.pid), what)())
        except psutil.Error:
            return (0.0, 0.0)


def serve(parent: int) -> None:
    """Run trials until the parent closes the pipe or ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a method prints must not reach the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    gc.freeze()  # collecting before every trial need not walk all that was imported
    dataset: Any = None
    while True:
        try:
            news, trial = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        dataset = dataset if news is None else news
        try:
            rows = run_trial(dataset, trial, lambda name: _send(answers, "phase", name))
            _send(answers, DONE, rows)
        except Exception as error:
            _send(answers, FAILED, f"{type(error).__name__}: {error}")


def _send(answers: IO[bytes], status: str, content: Any) -> None:
    try:
        pickle.dump((status, content), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
    except BrokenPipeError:  # the parent was killed
        os._exit(1)


def _end_with(parent: int) -> None:
    """End when the parent has ended, even in the middle of a fit."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
