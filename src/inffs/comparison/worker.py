"""A process of its own in which trials run, so that one can be stopped without harm to the rest.

:func:`serve` reads pickled messages on stdin and answers on stdout. The side that started it keeps
the clock and watches the memory.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import IO, Any, NoReturn

from inffs._utils.child import import_paths
from inffs.comparison.dataset import Dataset
from inffs.comparison.trial import Judging, Row, Trial, judge_again, run_trial

_THREADS = ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
_TICK = 0.1
_CLOCK_PER_PROCESSOR = 10  # a busy machine gives a fit a share of its time; a sleeping fit none
_SERVE = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from inffs.comparison.worker import serve; serve(int(sys.argv[1]))"
)


def _command() -> list[str]:
    """Start Python isolated: the current folder and the environment add no module to it."""
    return [sys.executable, "-I", "-c", _SERVE, str(os.getpid()), *import_paths()]


def _send(stream: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack("<Q", len(content)) + content)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    content = stream.read(struct.unpack("<Q", head)[0])
    return pickle.loads(content)


class LimitError(Exception):
    """A trial that was stopped because it took too much; the message says of what."""


class BudgetError(Exception):
    """The time of the whole run is up."""


class WorkerDiedError(Exception):
    """The process of a trial died: the machine's doing, not the method's answer."""


class TrialError(Exception):
    """A trial that raised an error; the message names it."""


class Worker:
    """A running process. ``run`` gives a trial's rows, or raises what kept it from them."""

    def __init__(self) -> None:
        self._known: str | None = None
        self._answers: queue.Queue = queue.Queue()
        environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in _THREADS}}
        self._process = subprocess.Popen(
            _command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        atexit.register(self.close)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            while True:
                self._answers.put(_receive(self._process.stdout))
        except (EOFError, OSError, ValueError):
            self._answers.put(("died", ""))

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def run(
        self,
        dataset: Dataset,
        work: Trial | Judging,
        fit_timeout: float | None,
        memory: float | None,
        left: float | None = None,
    ) -> list[Row]:
        """Run a trial or judge it again.

        ``fit_timeout`` in seconds of the processor, ``memory`` in MiB; ``left`` is what remains
        of the whole run's budget in seconds by the clock.
        """
        assert self._process.stdin is not None
        try:
            if self._known != dataset.version:
                _send(self._process.stdin, ("data", dataset))
                self._known = dataset.version
            _send(self._process.stdin, ("work", work))
        except OSError:  # it was killed before it could read
            self._died()
        return self._await(_Limits(fit_timeout, memory, self._process.pid, left))

    def _died(self) -> NoReturn:
        self.close()
        raise WorkerDiedError(f"its process died (exit code {self._process.returncode})")

    def _await(self, limits: _Limits) -> list[Row]:
        while True:
            try:
                kind, content = self._answers.get(timeout=_TICK)
            except queue.Empty:
                error = limits.exceeded()
                if error is not None:
                    self.close()
                    raise error from None
                continue
            if kind == "phase":
                limits.enter(content)
            elif kind == "rows":
                return content
            elif kind == "error":
                raise TrialError(content)
            else:
                self._died()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        atexit.unregister(self.close)
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


class _Limits:
    """What a process may still take; the fit's time is the processor's, so that load is no fault.

    A fit that sleeps is stopped by the clock, generously.
    """

    def __init__(
        self, fit_timeout: float | None, memory: float | None, pid: int, left: float | None
    ) -> None:
        self._timeout, self._memory, self._pid = fit_timeout, memory, pid
        self._end = None if left is None else time.monotonic() + left
        self._began: tuple[float, float] | None = None

    def enter(self, phase: str) -> None:
        self._began = self._now() if phase == "fit" else None

    def exceeded(self) -> Exception | None:
        if self._end is not None and time.monotonic() > self._end:
            return BudgetError("the budget of the run is spent")
        if self._timeout is not None and self._spent() > self._timeout:
            return LimitError(f"the fit took more than {self._timeout:g} s of processor time")
        if self._memory is not None and self._resident() > self._memory:
            return LimitError(f"it took more than {self._memory:g} MiB")
        return None

    def _spent(self) -> float:
        """Seconds of the fit so far."""
        if self._began is None:
            return 0.0
        (clock, processor), began = self._now(), self._began
        return max(processor - began[1], (clock - began[0]) / _CLOCK_PER_PROCESSOR)

    def _now(self) -> tuple[float, float]:
        """Seconds by the clock, and of the processor."""
        return time.monotonic(), sum(self._asked("cpu_times")[:2])

    def _resident(self) -> float:
        return self._asked("memory_info")[0] / 2**20

    def _asked(self, what: str) -> tuple[float, ...]:
        """The system's word on the process; zeros where it is gone."""
        import psutil

        try:
            return tuple(getattr(psutil.Process(self._pid), what)())
        except psutil.Error:
            return (0.0, 0.0)


def serve(parent: int) -> None:
    """Recommendation until the other side closes the pipe or is gone."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a method prints must not reach the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us decides when to stop
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    gc.freeze()  # collecting before every trial need not walk all that was imported
    dataset: Dataset | None = None
    while True:
        try:
            kind, content = _receive(sys.stdin.buffer)
        except EOFError:
            return
        if kind == "data":
            dataset = content
            continue
        assert dataset is not None
        try:
            _send(answers, ("rows", _rows(dataset, content, answers)))
        except Exception as error:
            _send(answers, ("error", f"{type(error).__name__}: {error}"))


def _rows(dataset: Dataset, work: Trial | Judging, answers: IO[bytes]) -> list[Row]:
    if isinstance(work, Judging):
        return judge_again(dataset, work)
    return run_trial(dataset, work, lambda name: _send(answers, ("phase", name)))


def _leave_with(parent: int) -> None:
    """End when the process that started this one is gone, even in the middle of a fit."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
