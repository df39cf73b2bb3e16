"""CFS: a feature is good if some other feature has next to no correlation with it."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from inffs._engine.threads import cells_at_once, column_blocks, threaded
from inffs.columns.checks import identical_columns
from inffs.selector import FeatureSelector

_TILE = 512
_ROUNDING = 1e-13  # a column and its copy correlate to 1 but for this


class CFS(FeatureSelector):
    """The unsupervised correlation baseline of the Inf-FS experiments.

    score_i = 1 - min_j |r_ij|, r the Pearson correlation: features with an almost uncorrelated
    partner come first. This is the program behind the paper's column "CFS"; it is not Hall's
    correlation-based selection, which needs labels. The program's own score is min_j |r_ij|,
    small first; the order is the same. A table with one column that varies scores 0.

    Time O(T n^2), memory O(Tn): tiles of the correlation matrix are made, reduced to running
    minima and forgotten. The score does not depend on the columns' scales.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep: see the guide.

    See Also
    --------
    inffs.InfFSU : All paths through a graph of dispersion and correlation.

    References
    ----------
    G. Roffo, S. Melzi, U. Castellani, A. Vinciarelli, M. Cristani, "Infinite Feature Selection: a
    graph-based feature filtering approach", TPAMI 2020, Table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import CFS
    >>> selector = CFS(n_features_to_select=3).fit(scale(load_wine().data))
    >>> selector.get_support(indices=True)
    array([ 2,  8, 11])
    """

    _any_magnitude = True
    _scale_free = True

    def __init__(self, *, n_features_to_select: Any = "auto") -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: None) -> np.ndarray:
        least = _least_correlation(_unit_rows(X))
        least[least > 1 - _ROUNDING] = 1.0
        return 1.0 - least[identical_columns(X)]


def _unit_rows(X: Any) -> np.ndarray:
    """The columns of X as rows, centred, of length 1."""
    rows = np.empty(X.shape[::-1])

    def fill(columns: slice) -> None:
        block = rows[columns]
        block[:] = X[:, columns].T
        block /= np.abs(block).max(axis=1, keepdims=True)  # squares of huge values stay finite
        block -= block.mean(axis=1, keepdims=True)
        block /= np.linalg.norm(block, axis=1, keepdims=True)

    threaded(fill, column_blocks(X.shape[1], X.shape[0]))
    return rows


def _least_correlation(rows: np.ndarray) -> np.ndarray:
    """min over j of |rows_i . rows_j|, at most 1, by tiles of the upper half."""
    n, side = rows.shape[0], min(_TILE, math.isqrt(cells_at_once()))
    least = np.ones(n)
    lock = threading.Lock()

    def strip(start: int) -> None:
        here = slice(start, start + side)
        for other in range(start, n, side):
            there = slice(other, other + side)
            product = rows[here] @ rows[there].T
            np.abs(product, out=product)
            with lock:
                np.minimum(least[here], product.min(axis=1), out=least[here])
                np.minimum(least[there], product.min(axis=0), out=least[there])

    threaded(strip, range(0, n, side), "correlations")
    return least
