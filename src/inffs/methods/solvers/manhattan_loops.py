"""The loops of ReliefF, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

_COLUMNS = 1024  # at once: sixty-four rows of them stay in the cache
_any_order = {"reassoc", "contract", "nsz"}  # of additions: as BLAS adds


@njit(nogil=True, cache=True, fastmath=_any_order)
def add_distances(  # pragma: no cover
    X: np.ndarray, first: int, last: int, below: bool, total: np.ndarray
) -> None:
    """Add the distances of rows first ... last - 1 to all rows (to those above, if ``below``)."""
    T, n = X.shape
    for start in range(0, n, _COLUMNS):
        stop = min(start + _COLUMNS, n)
        for j in range(last if below else T):
            other = X[j, start:stop]
            for i in range(max(first, j + 1) if below else first, last):
                row, distance = X[i, start:stop], 0.0
                for f in range(stop - start):
                    distance += abs(row[f] - other[f])
                total[i - first, j] += distance


@njit(nogil=True, cache=True, fastmath=_any_order)
def sum_differences(  # pragma: no cover
    X: np.ndarray, first: int, last: int, a: np.ndarray, b: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Weighted sums of |x_aj - x_bj| over the pairs, for the columns j = first ... last - 1."""
    total = np.zeros(last - first)
    for start in range(first, last, _COLUMNS):
        stop = min(start + _COLUMNS, last)
        part = total[start - first : stop - first]
        for p in range(a.size):
            x, y, w = X[a[p], start:stop], X[b[p], start:stop], weight[p]
            for f in range(stop - start):
                part[f] += w * abs(x[f] - y[f])
    return total
