"""Laplacian score: a good feature changes little between neighbouring samples."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._utils.threads import column_blocks, threaded
from inffs.base import FeatureSelector
from inffs.methods.solvers.neighbours import neighbour_graph
from inffs.validation.checks import identical_columns, without_offsets

_VALUES = 2**16
_FLAT = 1e-24  # weighted variance below this share of the weighted square: constant on the graph


class LaplacianScore(FeatureSelector):
    """Laplacian score, one feature at a time on a graph of the samples.

    The samples are joined to their nearest neighbours by weights W; D is the diagonal of the row
    sums and L = D - W. With g the feature less its D-weighted mean, the paper ranks by
    g'Lg / g'Dg (its Eq. 3), small first: the feature should vary much over all samples and little
    along the edges. The score here is one minus that, g'Wg / g'Dg, so that larger is better; it
    lies between -1 and 1.

    The published program does the same up to the guard for constant features, which leave
    earlier here. Cosine weights that are negative count as 0.

    Time O(T^2 n), memory O(Tn + T n_neighbors). The graph depends on the columns' scales, the
    score on its graph does not: standardise first unless the columns share a unit.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep: see the guide.
    n_neighbors : int, default=5
        Neighbours of every sample; two samples are joined if either lists the other. Must be less
        than the number of samples.
    weight : {"heat", "binary", "cosine"}, default="heat"
        exp(-d^2 / (2 bandwidth^2)), 1, or the cosine of the two samples.
    bandwidth : float or None, default=None
        Scale of the heat weights; None takes the mean distance between samples.

    See Also
    --------
    inffs.methods.MCFS : Spectral clusters, explained by sparse regressions.
    inffs.methods.LLCFS : Feature weights learned inside a local clustering.

    References
    ----------
    X. He, D. Cai, P. Niyogi, "Laplacian score for feature selection", NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.methods import LaplacianScore
    >>> LaplacianScore(n_features_to_select=2).fit(load_iris().data).order_
    array([2, 3, 0, 1])
    """

    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weight": [StrOptions({"heat", "binary", "cosine"})],
        "bandwidth": [None, Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_neighbors: int = 5,
        weight: str = "heat",
        bandwidth: float | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.bandwidth = bandwidth

    def _score(self, X: Any, y: None) -> np.ndarray:
        X = without_offsets(X)
        graph = neighbour_graph(X, self.n_neighbors, weight=self.weight, bandwidth=self.bandwidth)
        degree = graph.sum(axis=1)
        volume = degree.sum()

        def of_block(columns: slice) -> np.ndarray:
            block = X[:, columns].astype(np.float64)
            mean = degree @ block / volume
            block -= mean
            along_edges = np.einsum("ij,ij->j", block, graph @ block)
            overall = degree @ np.square(block, out=block)
            varies = overall > _FLAT * (overall + volume * mean**2)
            return np.divide(along_edges, overall, out=np.zeros_like(overall), where=varies)

        scores = np.concatenate(threaded(of_block, column_blocks(X.shape[1], X.shape[0], _VALUES)))
        return scores[identical_columns(X)]
