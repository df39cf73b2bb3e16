"""Feature selection by eigenvector centrality, without ever forming the graph."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils._param_validation import Interval

from inffs.measures import fisher_ratio, standard_deviation, symmetric_uncertainty
from inffs.selector import FeatureSelector

_DENSE = 32  # so few features: all eigenvectors at once


class ECFS(FeatureSelector):
    """Feature selection via eigenvector centrality (Roffo and Melzi 2016).

    The graph of the features mixes relevance with dispersion,
    A = alpha K + (1 - alpha) S: K_ij = g_i g_j with g the mean of the Fisher score and the
    normalised mutual information, S_ij = max(s_i, s_j) with s the standard deviations, each
    min-max over all its entries. The score is the feature's entry in the leading eigenvector of A
    (unit length, non-negative by Perron and Frobenius).

    The kernel is that of the authors' program; the paper has the plain outer product of Fisher
    score and mutual information and no min-max. Unlike in the program, mutual information is a
    true one (see :class:`~inffs.methods.MutualInformation`), so that a constant column is never
    rewarded, and any number of classes is taken: the Fisher score is the core's criterion over
    sum_g p_g^2 (p the class shares), which for two classes is the program's
    |mu_1 - mu_2|^2 / (sigma_1^2 + sigma_2^2).

    Time O(Tn) for the measures and O(n log n) for the rest, memory O(n): K times a vector is an
    inner product, S times a vector two running sums along the sorted standard deviations, and
    Lanczos needs a few dozen of these products. Scale dependent through S: a column in larger
    units counts as more dispersed.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        Weight of relevance against dispersion.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep: see the guide.

    References
    ----------
    G. Roffo, S. Melzi, "Features selection via eigenvector centrality", NFMCP 2016 (ECML PKDD).
    """

    _supervised = True
    _sparse = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, *, alpha: float = 0.5, n_features_to_select: Any = "auto") -> None:
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: np.ndarray) -> np.ndarray:
        share = np.bincount(y) / y.size
        fisher = fisher_ratio(X, y) / (share @ share)
        relevance = (fisher + symmetric_uncertainty(X, y)) / 2
        return centrality(relevance, standard_deviation(X), self.alpha)


def centrality(relevance: np.ndarray, deviation: np.ndarray, alpha: float) -> np.ndarray:
    """Leading eigenvector of alpha K + (1 - alpha) S, in absolute value; 0 if the graph is empty."""
    graph = RelevanceAndSpread(relevance, deviation, alpha)
    n = relevance.size
    ones = np.ones(n)
    if not graph.matvec(ones).any():
        return np.zeros(n)
    if n <= _DENSE:
        vector = np.linalg.eigh(graph.matmat(np.eye(n)))[1][:, -1]
    else:
        vector = eigsh(graph, k=1, which="LA", v0=ones)[1][:, 0]
    return np.abs(vector)


class RelevanceAndSpread(LinearOperator):
    """alpha (g g' - least) / span + (1 - alpha) (max(s_i, s_j) - least) / span as a product."""

    def __init__(self, relevance: np.ndarray, deviation: np.ndarray, alpha: float) -> None:
        n = relevance.size
        super().__init__(np.dtype(float), (n, n))
        self._relevance = relevance
        self._order = np.argsort(deviation, kind="stable")
        self._rising = deviation[self._order]
        self._couple = _weights(relevance.min() ** 2, relevance.max() ** 2, alpha)
        self._spread = _weights(self._rising[0], self._rising[-1], 1 - alpha)

    def _matvec(self, vector: np.ndarray) -> np.ndarray:
        vector = vector.ravel()
        scale, shift = self._couple
        product = scale * (self._relevance @ vector) * self._relevance
        sorted_vector = vector[self._order]
        below = np.cumsum(sorted_vector)
        above = np.cumsum((self._rising * sorted_vector)[::-1])[::-1]
        above = np.append(above[1:], 0.0)
        product[self._order] += self._spread[0] * (self._rising * below + above)
        return product - (shift + self._spread[1]) * below[-1]

    def _adjoint(self) -> LinearOperator:
        return self


def _weights(low: float, high: float, weight: float) -> tuple[float, float]:
    """Scale and shift of a weighted min-max; a constant is mapped to 0."""
    if high <= low:
        return 0.0, 0.0
    return weight / (high - low), weight * low / (high - low)
