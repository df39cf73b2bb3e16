"""Progress of long work, which is reported to a listener if there is one.

The library wraps its long loops in :func:`track`; a front end (the command line, a notebook)
listens with :func:`listen`, or draws bars with :func:`show_progress`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import repeat
from threading import Event, Thread
from time import monotonic
from typing import Any, TypeVar

Listener = Callable[[str, int, int | None], None]
Item = TypeVar("Item")


@dataclass
class _Passes:
    """How many passes are expected, and for each name how many there were and their size."""

    expected: int
    done: dict[str, tuple[int, int]] = field(default_factory=dict)


_STEPS = 100  # of a loop for scikit-learn's callbacks, however many turns it takes
_running: ContextVar[bool] = ContextVar("inffs_callbacks", default=False)
_listener: ContextVar[Listener | None] = ContextVar("inffs_progress", default=None)
_passes: ContextVar[_Passes | None] = ContextVar("inffs_passes", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call ``listener(what, done, total)`` as work goes on inside this block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def in_passes(expected: int) -> Iterator[None]:
    """Treat loops of the same name inside this block as passes of one loop."""
    passes = _Passes(expected)
    token = _passes.set(passes)
    try:
        yield
        listener = _listener.get()
        for what, (count, size) in passes.done.items():
            if listener is not None and count < passes.expected:  # fewer were enough
                listener(what, passes.expected * size, passes.expected * size)
    finally:
        _passes.reset(token)


def expect_passes(expected: int) -> None:
    """Change the expected number of passes."""
    passes = _passes.get()
    if passes is not None:
        passes.expected = expected


def track(
    items: Iterable[Item],
    what: str,
    total: int | None = None,
    weights: Sequence[int] | None = None,
) -> Iterator[Item]:
    """Yield the items and report each one as done, if there is a name and a listener.

    ``weights`` are the amounts of work of the items, 1 by default.
    """
    listener = _listener.get()
    if listener is None or not what:
        yield from items
        return
    if weights is not None:
        total = sum(weights)
    elif total is None and isinstance(items, Sized):
        total = len(items)
    done, whole = _so_far(what, total)
    listener(what, done, whole)
    for item, weight in zip(items, repeat(1) if weights is None else weights, strict=False):
        yield item
        done += weight
        listener(what, done, whole)


def _so_far(what: str, size: int | None) -> tuple[int, int | None]:
    """The work done by earlier passes, and the size of all passes."""
    passes = _passes.get()
    if passes is None or size is None:
        return 0, size
    count = passes.done.get(what, (0, size))[0]
    passes.done[what] = (count + 1, size)
    return count * size, max(passes.expected, count + 1) * size


class ProgressLines:
    """A listener that writes a line every ``every`` seconds, with the estimated time left.

    As a context manager it writes the line in time even if no step ends meanwhile.
    """

    def __init__(
        self, write: Callable[[str], object], every: float = 10.0, what: str = "working"
    ) -> None:
        self.write, self.every = write, every
        self._began: dict[str, float] = {}
        self._state: tuple[str, int, int | None, float] = (what, 0, None, monotonic())
        self._ended = Event()
        self._clock = Thread(target=self._run, daemon=True)

    def __enter__(self) -> ProgressLines:
        self._clock.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._clock.join()

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Note how far the work is."""
        now = monotonic()
        if not done or what not in self._began:  # a loop begins, perhaps not the first of its name
            self._began[what] = now
        self._state = what, done, total, now

    def _run(self) -> None:
        while not self._ended.wait(self.every):
            self.write(self._line())

    def _line(self) -> str:
        what, done, total, then = self._state
        if not total:
            return f"{what}: {done}" if done else what
        if done in (0, total):
            return f"{what}: {done} of {total}"
        left = (then - self._began[what]) * (total - done) / done - (monotonic() - then)
        return f"{what}: {done} of {total}, about {max(left, 0):.0f} s left"


@contextmanager
def show_progress(console: Any = None) -> Iterator[None]:
    """Show a progress bar for every long loop inside this block, in a notebook or a terminal.

    With scikit-learn 1.9 and later ``selector.set_callbacks(sklearn.callback.ProgressBar())`` does
    the same for one selector. This requires rich, which the extra ``cli`` installs.

    Parameters
    ----------
    console : rich.console.Console, optional
        The console for the bars. The default is the console of rich.

    See Also
    --------
    inffs.Report : The report of a fitted selector in a notebook.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import inffs
    >>> X, y = load_wine(return_X_y=True)
    >>> with inffs.show_progress():
    ...     selector = inffs.InfFSU().fit(X)
    """
    try:
        from rich import get_console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining
    except ImportError as error:
        raise ImportError("show_progress needs rich: pip install rich", name="rich") from error
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining()
    tasks: dict[str, Any] = {}
    console = console or get_console()
    if not (console.is_terminal or console.is_jupyter):  # in a file bars are empty lines
        yield
        return
    with Progress(*columns, console=console, transient=True) as bars:

        def show(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        with listen(show):
            yield


@dataclass
class _Task:
    """A loop: its context, how many of its steps were reported, and whether all are done."""

    context: Any
    reported: int = 0
    finished: bool = False


class _Forwarder:
    """Passes what :func:`inffs._utils.progress.track` reports on to an estimator's callbacks."""

    def __init__(self, estimator: Any, root: Any) -> None:
        self._estimator, self._root = estimator, root
        self._tasks: dict[str, _Task] = {}

    def __call__(self, what: str, done: int, total: int | None) -> None:
        task = self._tasks.get(what)
        if task is None:
            task = self._tasks[what] = _Task(self._begin(self._root, what, _STEPS))
        reached = _STEPS * done // total if total else 0
        for _ in range(task.reported, reached):
            self._end(self._begin(task.context, "step", 0))
        task.reported = max(task.reported, reached)
        task.finished = done == total
        while self._tasks and list(self._tasks.values())[-1].finished:  # the innermost ends first
            self._end(self._tasks.popitem()[1].context)

    def finish(self) -> None:
        """Report the end of every loop and of the fit."""
        while self._tasks:
            self._end(self._tasks.popitem()[1].context)
        self._end(self._root)

    def _begin(self, parent: Any, what: str, steps: int) -> Any:
        context = parent.subcontext(task_name=what, max_subtasks=steps)
        return context.call_on_fit_task_begin(estimator=self._estimator)

    def _end(self, context: Any) -> None:
        context.call_on_fit_task_end(estimator=self._estimator)


@contextmanager
def forward_progress(estimator: Any) -> Iterator[None]:
    """Report the work in this block to the callbacks of an estimator.

    Inside another such block nothing changes: the outer estimator's callbacks receive all of it.
    """
    if _running.get() or not getattr(estimator, "_skl_callbacks", None):
        yield
        return
    root = estimator._init_callback_context(max_subtasks=None)  # noqa: SLF001 - the documented hook
    forwarder = _Forwarder(estimator, root.call_on_fit_task_begin(estimator=estimator))
    token = _running.set(True)
    try:
        with listen(forwarder):
            yield
        forwarder.finish()
    finally:
        _running.reset(token)
