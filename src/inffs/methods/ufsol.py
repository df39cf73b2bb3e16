"""UFSOL: a projection that keeps the order of near distances and forms clusters."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from threadpoolctl import threadpool_limits

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.methods.solvers.neighbours import directed_graph, nearest_neighbours
from inffs.methods.solvers.quadratic import (
    QuadraticForm,
    cheap_first,
    cheapest_features,
    row_norms_squared,
    usable_clusters,
)
from inffs.validation.checks import identical_columns

_VISIBLE = 1e-10  # the paper's smoothing of a row norm
_STILL = 5e-7  # a move of W below this ends the run


class UFSOL(FeatureSelector):
    """Rank features by a projection that preserves the ordinal locality of the samples.

    The method minimises |XW - V'U'|^2 + beta sum_i |w_i| + alpha tr(W'X'LXW) over W with W'W = I
    and rows w_i, cluster centres U and memberships V (Guo et al. 2017). L is the Laplacian of a
    graph in which the nearest neighbour of a sample has weight 1 and the farthest 0. The projection
    therefore keeps the order of the neighbours. W holds the c eigenvectors of X'(I - V'V + alpha
    L)X + beta diag(1 / (2 |w_i|)) with the smallest eigenvalues. V is the best k-means partition of
    XW so far. Both are updated in turn until W converges. The score is |w_i|^2.

    This deviates from the published program. The program starts from the first c features and gives
    rows of length zero a weight of 2e6 that they never leave. For most alpha and beta it returns
    the first c columns of the table. Here the weights are 1 / (2 sqrt(|w_i|^2 + 1e-10)), as in the
    paper. The start consists of the c features with the lowest individual cost for the k-means
    partition of all features, which is the solution for a large beta. Rows that vanished (|w_i|^2
    below about 1e-8) are ordered by that cost. Signs of eigenvectors are aligned before W is
    compared with the previous one. Identical columns are counted once and share their score. As in
    the program, but unlike in the text of the paper, the Laplacian is not normalised.

    For T < n each step takes O(T^2 n) time, by Lanczos iterations on the Woodbury inverse, and
    O(Tn) memory; otherwise O(n^3) time and O(n^2) memory. Samples are scaled to unit length, so the
    result depends on the scales of the columns. Bring columns of different units to the range from
    0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    n_clusters : int, default=2
        The number c of clusters and of columns of W, at most T. No more than n - 1 are used.
    alpha : float, default=1.0
        The weight of the graph.
    beta : float, default=1.0
        The weight of the row norms. A larger weight gives fewer features.
    n_neighbors : int, default=5
        The number of neighbours in the graph, less than the number of samples.
    max_iter : int, default=100
        The maximum number of steps.
    random_state : int, RandomState or None, default=None
        The random state of k-means.

    Attributes
    ----------
    n_iter_ : int
        The number of steps.

    See Also
    --------
    inffs.methods.UDFS : Local discriminative information with row sparsity.
    inffs.methods.MCFS : Spectral clusters, explained by sparse regressions.

    References
    ----------
    J. Guo, Y. Guo, X. Kong, R. He, "Unsupervised feature selection with ordinal locality", ICME
    2017.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import UFSOL
    >>> X = scale(load_wine().data)
    >>> selector = UFSOL(n_features_to_select=3, random_state=0).fit(X)
    >>> selector.get_support(indices=True)
    array([5, 6, 9])
    """

    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_clusters: int = 2,
        alpha: float = 1.0,
        beta: float = 1.0,
        n_neighbors: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.random_state = random_state

    def _score(self, X: np.ndarray, y: None) -> np.ndarray:
        once, place = np.unique(identical_columns(X), return_inverse=True)
        X = X if once.size == place.size else X[:, once]
        problem = Problem(np.asarray(X, dtype=np.float64), self.n_neighbors, self.alpha, self.beta)
        count = usable_clusters(self.n_clusters, *problem.X.shape)
        random = check_random_state(self.random_state)

        def memberships(points: np.ndarray) -> np.ndarray:
            return _k_means(points, count, random)

        # hundreds of tiny k-means: threads would mostly wait for each other
        with threadpool_limits(limits=1, user_api="openmp"):
            V = memberships(problem.X)
            W = cheapest_features(problem.form(V).diagonal(), count)
            W, V, self.n_iter_ = alternate(problem, W, V, memberships, _smoothed, self.max_iter)
        return (row_norms_squared(W) + cheap_first(problem.form(V).diagonal()))[place]


class Problem:
    """The samples at unit length, the Laplacian of their graph, and the weights."""

    def __init__(self, X: np.ndarray, n_neighbors: int, alpha: float, beta: float) -> None:
        self.X = _unit_rows(X)
        self.laplacian = ordinal_laplacian(self.X, n_neighbors)
        self.alpha, self.beta = alpha, beta

    def form(self, V: np.ndarray) -> QuadraticForm:
        """X'(I - V'V + alpha L)X."""
        return QuadraticForm(
            self.X, lambda M: M - V.T @ (V @ M) + self.alpha * (self.laplacian @ M)
        )


def alternate(
    problem: Problem,
    W: np.ndarray,
    V: np.ndarray,
    memberships: Callable[[np.ndarray], np.ndarray],
    weigh: Callable[[np.ndarray], np.ndarray],
    max_iter: int,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Update W and V in turn until W converges; return them and the number of steps.

    A new partition is accepted if it fits the projected samples better than the last one with its
    own centres.
    """
    centres, form = V @ problem.X @ W, problem.form(V)
    for steps in track(range(1, max_iter + 1), "UFSOL steps"):  # noqa: B007
        points = problem.X @ W
        proposed = memberships(points)
        if _misfit(points, proposed, proposed @ points) < _misfit(points, V, centres):
            V, centres, form = proposed, proposed @ points, problem.form(proposed)
        last, W = W, form.least(problem.beta * weigh(W), W.shape[1], near=W)
        if np.linalg.norm(W - last) <= _STILL:
            break
    return W, V, steps


def _misfit(points: np.ndarray, V: np.ndarray, centres: np.ndarray) -> float:
    return float(np.linalg.norm(points - V.T @ centres))


def _smoothed(W: np.ndarray) -> np.ndarray:
    return 0.5 / np.sqrt(row_norms_squared(W) + _VISIBLE)


def _k_means(points: np.ndarray, count: int, random: np.random.RandomState) -> np.ndarray:
    from sklearn.cluster import KMeans

    distinct = np.unique(points, axis=0).shape[0]
    model = KMeans(min(count, distinct), n_init=10, random_state=random)
    return unit_memberships(model.fit(points).labels_)


def unit_memberships(labels: np.ndarray) -> np.ndarray:
    """V (clusters, T): 1 / sqrt(size of the cluster) for its members, so that V V' = I."""
    codes = np.unique(labels, return_inverse=True)[1]
    V = np.zeros((codes.max() + 1, codes.size))
    V[codes, np.arange(codes.size)] = 1.0
    return V / np.sqrt(V.sum(axis=1, keepdims=True))


def ordinal_laplacian(points: np.ndarray, n_neighbors: int) -> sparse.csr_array:
    """Laplacian of the graph whose weights fall from 1 at the nearest neighbour to 0 at the last.

    A point whose neighbours are all at the same distance contributes no weight.
    """
    T = points.shape[0]
    if n_neighbors < T and np.ptp(points, axis=0).max() == 0:
        return sparse.csr_array((T, T))
    near = nearest_neighbours(points, n_neighbors)
    distance = np.sqrt(near.squared)
    span = distance[:, -1:] - distance[:, :1]
    ordered = span > 1e-12 * distance[:, -1:]
    weights = (distance[:, -1:] - distance) / np.where(ordered, span, np.inf)
    directed = directed_graph(near.indices, weights)
    graph = (directed + directed.T) / 2
    return sparse.csr_array(sparse.diags_array(graph.sum(axis=1)) - graph)


def _unit_rows(X: np.ndarray) -> np.ndarray:
    """Every sample at length 1; an all-zero sample stays."""
    length = np.sqrt(row_norms_squared(X))
    return X / np.where(length > 0, length, 1.0)[:, None]
