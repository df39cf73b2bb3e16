"""DGUFS: features and clusters with the largest mutual dependence."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs._utils.threads import column_blocks
from inffs.base import FeatureSelector
from inffs.methods.solvers.neighbours import neighbour_graph
from inffs.methods.solvers.quadratic import row_norms_squared


class DGUFS(FeatureSelector):
    """Rank features by their dependence on clusters that are learned from them.

    The model of Guo and Zhu 2018 chooses m features Y and a T x T kernel L of cluster labels that
    maximise beta tr(SL) + (1 - beta) tr(Y'Y HLH) - alpha rank(L). S is the 0/1 neighbour graph of
    the samples, H centres, and the second term is the Hilbert-Schmidt dependence of features and
    clusters.

    The published program is degenerate. Its ADMM starts from L = 0, where its two copies of the
    features agree on the m columns of smallest Euclidean norm, and it never leaves them. In all our
    comparisons it returned exactly these columns, whatever the clusters. On standardised columns
    all norms are equal, and its choice is a tie.

    Here the same model is maximised by exact alternating steps. The condition that L has entries 0
    and 1 is relaxed to a term -|L|^2 / 2 in the objective. For given features, L keeps the
    eigenvalues above sqrt(2 alpha) of G = beta S + (1 - beta) K, where K = HY'YH is scaled so that
    its diagonal is 1 on average over the samples and over the choices of m features. For given L,
    the best features are the m with the largest dependence f'HLHf. The objective never decreases,
    so the steps end when the choice of features repeats. They start from L for all features. The
    score of each feature is its dependence f'HLHf on the final clusters.

    It takes O(T^2 n) time for the neighbours and O(T^3 + T^2 (m + n)) per step, usually a handful
    of steps, and O(Tn + T^2) memory. The result depends on the scales of the columns. Bring
    columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. It is also the number m of features that shape the
        clusters, which without a number is a tenth of the features, but at least 10.
    alpha : float, default=0.5
        The cost of a direction of L.
    beta : float, default=0.5
        The weight of the neighbour graph against the features, from 0 to 1.
    n_neighbors : int, default=5
        The number of neighbours of a sample, not counting itself (the program counts it); less
        than T.
    max_iter : int, default=100
        The maximum number of steps.

    Attributes
    ----------
    n_iter_ : int
        The number of steps.
    kernel_rank_ : int
        The rank of L: the number of directions whose gain exceeds their cost.

    See Also
    --------
    inffs.methods.UDFS : Local discriminative information with row sparsity.
    inffs.methods.FSASL : The samples' graph is learned with the features.

    References
    ----------
    J. Guo, W. Zhu, "Dependence guided unsupervised feature selection", AAAI 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import DGUFS
    >>> selector = DGUFS(n_features_to_select=3).fit(scale(load_wine().data))
    >>> selector.get_support(indices=True)
    array([ 5,  6, 11])
    """

    _size_matters = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        alpha: float = 0.5,
        beta: float = 0.5,
        n_neighbors: int = 5,
        max_iter: int = 100,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def _score(self, X: np.ndarray, y: None) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        asked = self._size_asked(self.n_features_in_)
        m = min(X.shape[1], asked or max(10, X.shape[1] // 10))
        S = neighbour_graph(X, self.n_neighbors, weight="binary").toarray()
        np.fill_diagonal(S, 1.0)
        return self._alternate(X - X.mean(axis=0), S, m)

    def _alternate(self, X: np.ndarray, S: np.ndarray, m: int) -> np.ndarray:
        """Dependence of every (centred) feature on the clusters of the best m features."""
        chosen: np.ndarray | None = None
        for step in track(range(self.max_iter), "DGUFS steps"):
            self.n_iter_ = step + 1
            clusters = cluster_factor(_guide(X, S, chosen, self.beta), self.alpha)
            dependence = _dependence(clusters, X)
            best = np.sort(np.argsort(-dependence, kind="stable")[:m])
            if chosen is not None and np.array_equal(best, chosen):
                break
            chosen = best
        self.kernel_rank_ = clusters.shape[1]
        return dependence


def _guide(X: np.ndarray, S: np.ndarray, chosen: np.ndarray | None, beta: float) -> np.ndarray:
    """G = beta S + (1 - beta) K."""
    T, n = X.shape
    Y = X if chosen is None else X[:, chosen]
    expected = Y.shape[1] / n * np.einsum("ij,ij->", X, X) / T
    return beta * S + (1 - beta) / expected * (Y @ Y.T)


def _dependence(clusters: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Squared length of every column's projection on the clusters."""
    return np.concatenate(
        [
            row_norms_squared(X[:, columns].T @ clusters)
            for columns in column_blocks(X.shape[1], X.shape[0])
        ]
    )


def cluster_factor(G: np.ndarray, alpha: float) -> np.ndarray:
    """F with L = F F' the maximiser of tr(GL) - |L|^2 / 2 - alpha rank(L).

    If no direction is worth alpha, the best one is kept.
    """
    values, vectors = eigh(G)
    kept = values > min(np.sqrt(2 * alpha), values[-1] * (1 - 1e-12))
    return vectors[:, kept] * np.sqrt(values[kept])
