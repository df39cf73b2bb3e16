"""scikit-learn's callbacks (1.9 and later) receive the progress of the long loops of a fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from inffs._utils.progress import listen

try:
    from sklearn.callback import CallbackSupportMixin as TakesCallbacks
except ImportError:

    class TakesCallbacks:  # type: ignore[no-redef]
        """An empty base class: this version of scikit-learn has no callbacks."""


_STEPS = 100  # into which every loop is divided, however many turns it takes
_running: ContextVar[bool] = ContextVar("inffs_callbacks", default=False)


@dataclass
class _Task:
    """A loop that is running: its context, and how many of its steps were reported."""

    context: Any
    reported: int = 0


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
        if done == total:
            self._end(self._tasks.pop(what).context)

    def finish(self) -> None:
        """Report the end of every loop and of the fit."""
        for task in self._tasks.values():
            self._end(task.context)
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
