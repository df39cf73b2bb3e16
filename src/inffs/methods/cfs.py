"""CFS: the unsupervised correlation baseline of the Inf-FS experiments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inffs._utils.threads import values_at_once
from inffs.base import FeatureSelector, TakesWeights
from inffs.graph import unit_profiles
from inffs.graph.profiles import Profiles
from inffs.graph.tiles import walk_half
from inffs.validation.checks import identical_columns

_TILE = 512
_ROUNDING = 1e-13  # a column and its copy correlate to 1 but for this


class CFS(TakesWeights, FeatureSelector):
    """Rank features by their smallest absolute correlation with another feature.

    The score is 1 - min_j |r_ij|, where r is the Pearson correlation: features with an almost
    uncorrelated partner come first. The column "CFS" of the Inf-FS paper was computed by this
    program. It is not Hall's correlation-based feature selection, which needs labels. The published
    score is min_j |r_ij|, smallest first; the order is the same. If only one column varies, it
    scores 0.

    It takes O(T n^2) time and O(Tn) memory: tiles of the correlation matrix are reduced to running
    minima and discarded. The scores do not depend on the scales of the columns.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

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

    def __init__(self, *, n_features_to_select: Any = "auto", missing: str = "refuse") -> None:
        self.n_features_to_select = n_features_to_select
        self.missing = missing

    def _score(self, X: Any, y: None, sample_weight: np.ndarray | None = None) -> np.ndarray:
        least = _least_correlation(unit_profiles(X, "pearson", np.float64, sample_weight))
        least[least > 1 - _ROUNDING] = 1.0
        return 1.0 - least[identical_columns(X)]


def _least_correlation(profiles: Profiles) -> np.ndarray:
    """min over j of |r_ij|, at most 1, by tiles of the upper half."""
    n, side = profiles.shape[0], min(_TILE, math.isqrt(values_at_once()))

    def visit(own: np.ndarray, I: slice, J: slice, tile: np.ndarray) -> None:
        np.abs(tile, out=tile)
        rows, others = own[: I.stop - I.start], own[J.start - I.start : J.stop - I.start]
        np.minimum(rows, tile.min(axis=1), out=rows)
        np.minimum(others, tile.min(axis=0), out=others)

    least = np.ones(n)
    begin, what = (lambda start: np.ones(n - start)), "correlations"
    for start, own in walk_half(profiles.correlations, n, (side, side), begin, visit, what):
        np.minimum(least[start:], own, out=least[start:])
    return least
