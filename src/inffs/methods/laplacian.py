"""Laplacian score: prefers features that change little between neighbouring samples."""

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
    """Rank features by the Laplacian score on a graph of the samples.

    Each sample is joined to its nearest neighbours with weights W. With D the diagonal matrix of
    the row sums of W, L = D - W, and g the feature minus its D-weighted mean, the paper ranks by
    g'Lg / g'Dg (Eq. 3), smallest first: a good feature varies over all samples, but little along
    the edges. The score here is 1 minus that ratio, g'Wg / g'Dg, so larger is better; it lies
    between -1 and 1.

    The published program gives the same values, except for constant features, which are removed
    here. Negative cosine weights count as 0.

    It takes O(T^2 n) time and O(Tn + T n_neighbors) memory. The graph depends on the scales of the
    columns; given the graph, a score does not. Bring columns of different units to the range from 0
    to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    n_neighbors : int, default=5
        The number of neighbours of each sample, less than the number of samples. Two samples are
        joined if either is a neighbour of the other.
    weight : {"heat", "binary", "cosine"}, default="heat"
        exp(-d^2 / (2 bandwidth^2)), 1, or the cosine of the two samples.
    bandwidth : float or None, default=None
        The scale of the heat weights. None means the mean distance between samples.

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
