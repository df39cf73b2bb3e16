"""Progress of long work, told to whoever listens; silent otherwise.

The library wraps its long loops in :func:`track`; a front end (the command line, a notebook)
listens with :func:`listen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Listener = Callable[[str, int, int | None], None]
Item = TypeVar("Item")
Passes = tuple[int, dict[str, tuple[int, int]]]

_listener: ContextVar[Listener | None] = ContextVar("inffs_progress", default=None)
_passes: ContextVar[Passes] = ContextVar("inffs_passes", default=(0, {}))


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
    """Work of the same name inside this block is one long work of so many passes."""
    passes: dict[str, tuple[int, int]] = {}
    token = _passes.set((expected, passes))
    try:
        yield
        listener = _listener.get()
        for what, (count, size) in passes.items():
            if listener is not None and count < expected:  # fewer were enough
                listener(what, expected * size, expected * size)
    finally:
        _passes.reset(token)


def track(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items and report each one done; silent without a name or a listener."""
    listener = _listener.get()
    if listener is None or not what:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    before, whole = _so_far(what, total)
    listener(what, before, whole)
    for done, item in enumerate(items, start=1):
        yield item
        listener(what, before + done, whole)


def _so_far(what: str, size: int | None) -> tuple[int, int | None]:
    """How much earlier passes have done, and the size of the whole work."""
    expected, passes = _passes.get()
    if not expected or size is None:
        return 0, size
    count = passes.get(what, (0, size))[0]
    passes[what] = (count + 1, size)
    return count * size, max(expected, count + 1) * size
