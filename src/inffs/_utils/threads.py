"""Blocks of columns, run on as many Python threads as BLAS would use, one BLAS thread each."""

from __future__ import annotations

import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from inffs._utils.progress import track

Item = TypeVar("Item")
Result = TypeVar("Result")

_QUICK = 2**20  # values; smaller tables are processed faster than threads start
_lock = threading.Lock()
_inside = 0
_width = 1
_limits: Any = None


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Limit BLAS to one thread, and yield the number of threads it had for Python threads.

    The limit applies to the process: the first block sets it, and the last one lifts it.
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


def _lift_in_child() -> None:
    """Restore the BLAS threads in a child forked during a fit, which has none of its threads."""
    global _inside, _lock
    _lock = threading.Lock()
    if _inside:
        _inside = 0
        _limits.restore_original_limits()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lift_in_child)


def stream(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    what: str = "",
    threads: bool = True,
    weights: Sequence[int] | None = None,
) -> Iterator[Result]:
    """Yield ``function(item)`` for every item, computed on threads, in the order of the items.

    Only a few results are stored at a time. ``weights`` are the amounts of work of the items, for
    the progress.
    """
    tracked = track(items, what, weights=weights)
    with one_blas_thread() as width:
        if not threads or width == 1 or len(items) < 2:
            yield from (function(item) for item in tracked)
            return
        waiting: deque[Future[Result]] = deque()
        with ThreadPoolExecutor(width) as pool:
            for item in tracked:
                waiting.append(pool.submit(function, item))
                if len(waiting) > 2 * width:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def run_jobs(jobs: Iterable[Any], n_jobs: int | None, what: str, count: int) -> list:
    """Run joblib's delayed calls, ``n_jobs`` at a time, and return their results in order."""
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel

    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    try:
        return list(track(parallel(jobs), what, count))
    except BrokenProcessPool as error:
        raise RuntimeError(
            "A worker process ended early, most often because memory was exhausted: give a smaller "
            "n_jobs."
        ) from error


def threaded(
    function: Callable[[Item], Result], items: Sequence[Item], what: str = ""
) -> list[Result]:
    """``[function(item) for item in items]`` on threads."""
    return list(stream(function, items, what))


def over_columns(
    X: Any, function: Callable[[Any], Any], values: int = 2**18, what: str = ""
) -> list:
    """Apply ``function`` to blocks of columns of X in memory, on disk or on a cluster."""
    if hasattr(X, "map_columns"):  # a LazyTable
        return X.map_columns(function, values, what)
    blocks = column_blocks(X.shape[1], X.shape[0], values)
    if X.shape[0] * X.shape[1] <= _QUICK:
        return [function(X[:, columns]) for columns in blocks]
    return threaded(lambda columns: function(X[:, columns]), blocks, what)


def column_blocks(n: int, T: int, values: int = 2**18) -> list[slice]:
    """Slices over n columns of T values, of about ``values`` values, less if working_memory is low.

    A slice has at least 16 columns, which are adjacent in memory, if working_memory allows.
    """
    width = max(1, min(max(16, values // max(1, T)), values_at_once() // max(1, T)))
    return [slice(start, min(start + width, n)) for start in range(0, n, width)]


def values_at_once(most: int = 2**62) -> int:
    """The most values of a temporary array: eight such arrays fill working_memory."""
    from sklearn import get_config  # takes a second, which processes that only read files save

    return max(1, min(most, int(get_config()["working_memory"] * 2**20) // 64))


def dense(block: Any) -> np.ndarray:
    """A block of columns as an array, sparse or not."""
    return block.toarray() if hasattr(block, "toarray") else np.asarray(block)
