"""Blocks of columns, run on as many Python threads as BLAS would use, one BLAS thread each."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from inffs._progress import track

Item = TypeVar("Item")
Result = TypeVar("Result")

_lock = threading.Lock()
_inside = 0
_width = 1
_limits: Any = None


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Hold BLAS to one thread; gives the number of threads it had, for Python threads to use.

    The limit belongs to the process, so the first to enter sets it and the last to leave lifts it.
    """
    global _inside, _limits, _width
    with _lock:
        if _inside == 0:
            blas = _controller().select(user_api="blas")
            _width = max((library["num_threads"] for library in blas.info()), default=1)
            _limits = blas.limit(limits=1)
        _inside += 1
    try:
        yield _width
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()


def threaded(
    function: Callable[[Item], Result], items: Sequence[Item], what: str = ""
) -> list[Result]:
    """``[function(item) for item in items]`` on threads; order kept, an interrupt stops it."""
    with one_blas_thread() as width:
        if width == 1 or len(items) < 2:
            return [function(item) for item in _tracked(items, what)]
        pool = ThreadPoolExecutor(width)
        try:
            futures = [pool.submit(function, item) for item in items]
            return [future.result() for future in _tracked(futures, what)]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _tracked(items: Sequence[Any], what: str) -> Any:
    return track(items, what) if what else items


def column_blocks(n: int, T: int, cells: int = 2**18) -> list[slice]:
    """Slices over n columns of T values, about ``cells`` values each: they fit the cache."""
    width = max(16, cells // max(1, T))
    return [slice(start, min(start + width, n)) for start in range(0, n, width)]
