"""Does a method pick the same features twice?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def membership(picked: Sequence[Any], n: int) -> np.ndarray:
    """Selections as a 0 / 1 matrix, one row a selection, one column a feature."""
    out = np.zeros((len(picked), n), dtype=bool)
    for row, features in enumerate(picked):
        out[row, np.asarray(features, dtype=int)] = True
    return out


def nogueira(picked: Sequence[Any], n: int) -> float:
    """Stability of selections of any sizes (Nogueira, Sechidis, Brown 2018, JMLR, Eq. 4).

    1 when all are equal, 0 on average for random ones; NaN where it is not defined.
    """
    M = len(picked)
    mean_size = float(np.mean([len(features) for features in picked])) if M > 1 else 0.0
    if mean_size in (0, n):
        return float("nan")
    share = membership(picked, n).mean(axis=0)
    variance = (M / (M - 1)) * share * (1 - share)
    return float(1 - variance.mean() / ((mean_size / n) * (1 - mean_size / n)))


def stability_curve(orders: np.ndarray) -> np.ndarray:
    """Nogueira's stability of the best k, for k = 1 ... n - 1, of M complete orders (M, n).

    Growing k by one raises the count c of M features; sum c (M - c) then changes by M - 1 - 2 c
    each, so that one sort of every feature's places gives all sizes: O(nM log M).
    """
    M, n = orders.shape
    places = np.empty((n, M), dtype=np.intp)
    for column, order in enumerate(orders):
        places[order, column] = np.arange(n)
    places.sort(axis=1)
    steps = np.broadcast_to(M - 1 - 2 * np.arange(M), places.shape)
    spread = np.cumsum(np.bincount(places.ravel(), steps.ravel(), minlength=n))[:-1]
    share = np.arange(1, n) / n
    return 1 - spread / (n * M * (M - 1)) / (share * (1 - share))
