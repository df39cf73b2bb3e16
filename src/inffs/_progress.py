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

_listener: ContextVar[Listener | None] = ContextVar("inffs_progress", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call ``listener(what, done, total)`` as work goes on inside this block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def track(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items and report each one done; silent without a name or a listener."""
    listener = _listener.get()
    if listener is None or not what:
        yield from items
        return
    if total is None and isinstance(items, Sized):
        total = len(items)
    listener(what, 0, total)
    for done, item in enumerate(items, start=1):
        yield item
        listener(what, done, total)
