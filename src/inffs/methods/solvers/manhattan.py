"""Manhattan distances between samples, and weighted sums of their differences, feature by feature.

If numba is installed (the extra ``fast``), compiled loops take 0.4 times as long as SciPy. They are
used for large tables, or if numba is loaded already.
"""

from __future__ import annotations

import sys
from functools import reduce
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.utils import gen_batches

from inffs._utils.threads import column_blocks, threaded

_SHARES = 4  # of the columns, each with a sum of distances of its own
_VALUES = 2**16  # differences held at once by a thread: they fit the cache
_ROWS = 64  # rows that a compiled loop fills at once
_WORTH_LOADING = 5e9  # differences: numba takes a second or two to load and compile


def manhattan_distances(X: np.ndarray, batch: slice) -> np.ndarray:
    """Manhattan distances of the batch's rows to all rows of X, each pair once if it is all rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples in rows, float64 in C order.
    batch : slice
        The rows to measure from.

    Returns
    -------
    ndarray of shape (rows of the batch, n_samples)
        The distances.
    """
    T, n = X.shape
    rows = batch.stop - batch.start
    loops = compiled_loops(rows * T * n)
    return _by_library(X, batch) if loops is None else _by_loops(X, batch, loops)


def compiled_loops(differences: float) -> Any:
    """The module of compiled loops, or None where it is missing or not worth loading."""
    if "numba" not in sys.modules and differences < _WORTH_LOADING:
        return None
    if find_spec("numba") is None:
        return None
    from inffs.methods.solvers import manhattan_loops

    return manhattan_loops


def _by_library(X: np.ndarray, batch: slice) -> np.ndarray:
    """SciPy's distances, summed over blocks of columns."""
    T, n = X.shape
    whole = batch.stop - batch.start == T

    def of_blocks(blocks: list[slice]) -> np.ndarray:
        total = 0.0
        for columns in blocks:
            block = np.ascontiguousarray(X[:, columns])
            total += pdist(block, "cityblock") if whole else cdist(block[batch], block, "cityblock")
        return np.asarray(total)

    blocks = column_blocks(n, T)
    shares = [blocks[start::_SHARES] for start in range(min(_SHARES, len(blocks)))]
    total = reduce(np.add, threaded(of_blocks, shares))
    return squareform(total) if whole else total


def _by_loops(X: np.ndarray, batch: slice, loops: Any) -> np.ndarray:
    rows = batch.stop - batch.start
    whole = rows == X.shape[0]
    total = np.zeros((rows, X.shape[0]))

    def fill(some: slice) -> None:
        first, last = batch.start + some.start, batch.start + some.stop
        loops.add_distances(X, first, last, whole, total[some])

    threaded(fill, list(gen_batches(rows, _ROWS)))
    return total + total.T if whole else total


def weighted_differences(X: np.ndarray, pairs: sparse.coo_array) -> np.ndarray:
    """sum over pairs (a, b) of weight |x_aj - x_bj|, for every column j.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples in rows, float64 in C order.
    pairs : coo_array of shape (n_samples, n_samples)
        The weights.

    Returns
    -------
    ndarray of shape (n_features,)
        The sums.
    """
    a, b, weight = pairs.row, pairs.col, pairs.data
    loops = compiled_loops(a.size * X.shape[1])

    def of_block(columns: slice) -> np.ndarray:
        if loops is not None:
            return loops.sum_differences(X, columns.start, columns.stop, a, b, weight)
        block = np.ascontiguousarray(X[:, columns])
        total = np.zeros(block.shape[1])
        for batch in gen_batches(a.size, max(1, _VALUES // block.shape[1])):
            difference = block[a[batch]]
            difference -= block[b[batch]]
            total += weight[batch] @ np.abs(difference, out=difference)
        return total

    return np.concatenate(threaded(of_block, column_blocks(X.shape[1], X.shape[0])))
