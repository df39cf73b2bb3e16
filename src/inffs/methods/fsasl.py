"""FSASL: features that reconstruct an adaptively learned structure of the samples."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.methods.mcfs import solve_with_ridge
from inffs.methods.solvers.neighbours import directed_graph, nearest_neighbours, neighbour_graph
from inffs.methods.solvers.quadratic import check_clusters, row_norms_squared, weighted_gram

_EPS = np.finfo(float).eps  # keeps the weight of a vanished row finite, as in the program
_REWEIGHTINGS = 10
_LASSO_RATIO = 0.01  # the penalty of each lasso, as a share of the least that gives all zeros


class FSASL(FeatureSelector):
    """Rank features by adaptive structure learning.

    Three parts are learned in turn (Du and Shen 2015). In the global structure S, each sample is a
    sparse combination of the others. The local structure A holds the probabilities of each sample
    over its nearest neighbours. The projection W has few non-zero rows and fits the c smoothest
    vectors Y of lambda1 (I - S)(I - S)' + lambda2 (D_A - A). From the second iteration on, both
    structures are computed from the projected samples XW. W minimises |XW - Y|^2 + lambda3 sum_j
    |w_j|, by ten reweighted ridge regressions. The score of a feature is |w_j|^2.

    As in the authors' program, the joint problem is relaxed to eigenvectors and a regression. A run
    of at least five iterations starts from the local structure alone, which is first a
    heat-weighted neighbour graph. A lasso stops when its objective changes by less than 1e-3. There
    is one deviation. If the c smallest eigenvalues end inside a repeated one (a graph of more than
    c components), the program takes what its eigensolver returns. Here the vectors of that
    eigenspace along which X varies most are used.

    It takes O(max_iter (min(n, T)^2 n + T^3)) time and O(Tn + T^2) memory. The lassos share a T x T
    Gram matrix, and the regressions are solved in the smaller of the two spaces. The result depends
    on the scales of the columns. Bring columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    n_clusters : int, default=2
        The number c of columns of W, at most T. 1 is treated as 2, because the smoothest vector
        alone is constant and fits no feature.
    lambda1, lambda2 : float, default=1.0
        The weights of the global and of the local structure, not both 0.
    lambda3 : float, default=1.0
        The weight of the row norms. A larger weight gives fewer features.
    n_neighbors : int, default=5
        The number of neighbours of a sample, not counting itself; at most T - 2.
    max_iter : int, default=50
        The number of iterations. With 1 the structure is not adapted.

    Attributes
    ----------
    n_iter_ : int
        The number of iterations.

    See Also
    --------
    inffs.methods.MCFS : Spectral clusters, explained by sparse regressions.
    inffs.methods.LLCFS : Feature weights learned inside a local clustering.

    References
    ----------
    L. Du, Y.-D. Shen, "Unsupervised feature selection with adaptive structure learning", KDD 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import FSASL
    >>> selector = FSASL(n_features_to_select=3).fit(scale(load_wine().data)[::3])
    >>> selector.get_support(indices=True)
    array([0, 6, 9])
    """

    _fixed_scale = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "lambda1": [Interval(Real, 0, None, closed="left")],
        "lambda2": [Interval(Real, 0, None, closed="left")],
        "lambda3": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_clusters: int = 2,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        lambda3: float = 1.0,
        n_neighbors: int = 5,
        max_iter: int = 50,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.lambda3 = lambda3
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def _score(self, X: np.ndarray, y: None) -> np.ndarray:
        return row_norms_squared(self._projection(np.asarray(X, dtype=np.float64)))

    def _projection(self, X: np.ndarray) -> np.ndarray:
        """W (n, c) after the last turn."""
        check_clusters(self.n_clusters, X.shape[0])
        spread = self._local_spread(X)
        projected = X
        for turn in track(range(self.max_iter), "FSASL turns"):
            self.n_iter_ = turn + 1
            laplacian = self._global(projected, turn) + self._local(projected, turn, spread)
            Y = smoothest_vectors(laplacian, max(2, self.n_clusters), X)
            W = row_sparse_regression(X, Y, self.lambda3)
            projected = X @ W
            if np.ptp(projected, axis=0).max() == 0:
                break
        return W

    def _local_spread(self, X: np.ndarray) -> float:
        """eta: what makes the k nearest samples the ones with positive probability, on average."""
        if self.lambda1 == self.lambda2 == 0:
            raise ValueError("lambda1 and lambda2 are both 0: no structure is left to fit.")
        k, T = self.n_neighbors, X.shape[0]
        if k + 1 >= T:
            raise ValueError(
                f"n_neighbors={k}, but X has only {T} samples: FSASL compares the neighbours with "
                f"the next sample, so give n_neighbors at most {T - 2}."
            )
        squared = nearest_neighbours(X, k + 1).squared
        return float(np.mean(k * squared[:, k] - squared[:, :k].sum(axis=1)) / 2)

    def _global(self, Z: np.ndarray, turn: int) -> np.ndarray | float:
        if self.lambda1 == 0 or (turn == 0 and self.max_iter >= 5):
            return 0.0
        left_over = np.eye(Z.shape[0]) - represent_by_others(Z, _LASSO_RATIO)
        return self.lambda1 * (left_over @ left_over.T)

    def _local(self, Z: np.ndarray, turn: int, spread: float) -> np.ndarray:
        if turn == 0:
            weights = neighbour_graph(Z, self.n_neighbors).toarray()
        else:
            weights = _probabilities(Z, self.n_neighbors, spread)
        weights = (weights + weights.T) / 2
        return self.lambda2 * (np.diag(weights.sum(axis=0)) - weights)


def _probabilities(Z: np.ndarray, k: int, spread: float) -> np.ndarray:
    """Row i: the projection of -|z_i - z_j|^2 / (2 spread) on the simplex over the k nearest j."""
    near = nearest_neighbours(Z, k)
    weights = onto_simplex(-near.squared / max(2 * spread, _EPS))
    return directed_graph(near.indices, weights).toarray()


def onto_simplex(V: np.ndarray) -> np.ndarray:
    """The nearest probability vector of every row."""
    falling = -np.sort(-V, axis=1)
    levels = (np.cumsum(falling, axis=1) - 1) / np.arange(1, V.shape[1] + 1)
    last = (falling > levels).sum(axis=1) - 1
    return np.maximum(V - levels[np.arange(V.shape[0]), last][:, None], 0.0)


def smoothest_vectors(laplacian: np.ndarray, count: int, X: np.ndarray) -> np.ndarray:
    """Eigenvectors of the ``count`` smallest eigenvalues.

    Where they end inside a repeated eigenvalue, its eigenspace gives the directions of most
    variation of X.
    """
    T = laplacian.shape[0]
    values, vectors = eigh(laplacian, subset_by_index=[0, min(count, T - 1)])
    tiny = 1e-10 * np.trace(laplacian) / T
    if values.size <= count or values[count] - values[count - 1] > tiny:
        return vectors[:, :count]
    values, vectors = eigh(laplacian)
    tied = np.abs(values - values[count - 1]) <= tiny
    before = int(np.argmax(tied))
    basis = vectors[:, tied]
    _, _, turn = np.linalg.svd(X.T @ basis, full_matrices=False)
    return np.column_stack([vectors[:, :before], basis @ turn[: count - before].T])


def row_sparse_regression(X: np.ndarray, Y: np.ndarray, penalty: float) -> np.ndarray:
    """W of min |XW - Y|^2 + penalty sum_j |w_j| after ten reweightings from equal weights.

    Each minimises |XW - Y|^2 + penalty |W / root|^2, by a T x T system or one of n x n.
    """
    wide = X.shape[0] < X.shape[1]
    if not wide:
        gram, right = X.T @ X, X.T @ Y
    root = np.ones((X.shape[1], 1))  # 1 / sqrt(weight of each row)
    for _ in range(_REWEIGHTINGS):
        if wide:
            solved = solve_with_ridge(weighted_gram(X, root.ravel()), Y, penalty)
            W = root**2 * (X.T @ solved)
        else:
            W = root * solve_with_ridge(root * gram * root.T, root * right, penalty)
        root = np.sqrt(2.0) * (row_norms_squared(W)[:, None] + _EPS) ** 0.25
    return W


def represent_by_others(
    Z: np.ndarray, ratio: float, tolerance: float = 1e-3, max_steps: int = 10_000
) -> np.ndarray:
    """S (T, T): column i minimises |Z' s - z_i|^2 / 2 + l_i |s|_1 over s with s_i = 0.

    l_i = ratio * max_j |z_j . z_i|, j other than i. A column is done when its objective changes by
    at most ``tolerance`` (absolute), as in the published solver. Accelerated proximal gradient runs
    on all columns at once, so each step is a matrix product; scikit-learn's ``Lasso`` solves one
    column per call.
    """
    lassos = _Lassos(Z, ratio)
    active = np.arange(Z.shape[0])  # the columns that are not done
    now, product = lassos.start()
    before, before_product = now, product
    S, curvature, objective = np.zeros_like(now), np.ones(active.size), np.full(active.size, np.inf)
    momentum, last_momentum = 1.0, 0.0
    for _ in range(max_steps):
        ahead = (last_momentum - 1) / momentum
        point = now + ahead * (now - before)
        point_product = product + ahead * (product - before_product)
        before, before_product = now, product
        now, product, moved = lassos.step(active, point, point_product, curvature)
        last_momentum, momentum = momentum, (1 + np.sqrt(4 * momentum**2 + 1)) / 2
        last, objective = objective, lassos.objective(active, now, product)
        done = (moved <= 1e-20) | (np.abs(objective - last) <= tolerance)
        if done.any():
            S[:, active[done]] = now[:, done]
            left = ~done
            active, curvature, objective = active[left], curvature[left], objective[left]
            now, product = now[:, left], product[:, left]
            before, before_product = before[:, left], before_product[:, left]
        if active.size == 0:
            return S
    S[:, active] = now
    return S


class _Lassos:
    """T lassos that share a Gram matrix: T x T for T <= d, else products with Z of shape (T, d)."""

    def __init__(self, Z: np.ndarray, ratio: float) -> None:
        gram = Z @ Z.T
        through_gram = Z.shape[0] <= Z.shape[1]
        self.times_gram = (lambda V: gram @ V) if through_gram else (lambda V: Z @ (Z.T @ V))
        self.half_norms = np.diag(gram) / 2
        self.target = gram - np.diag(gram.diagonal())
        self.penalty = ratio * np.abs(self.target).max(axis=0)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """The correlations, scaled to the best multiple of themselves, and their product."""
        B = self.target
        product = self.times_gram(B)
        length = np.abs(B).sum(axis=0)
        bend = _column_dots(B, product)
        best = (_column_dots(B, B) - self.penalty * length) / np.where(bend > 0, bend, 1.0)
        scale = np.where((length < 1e-6) | (bend <= 0), 1.0, best)
        return B * scale, product * scale

    def step(
        self, active: np.ndarray, point: np.ndarray, product: np.ndarray, curvature: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Soft-threshold a gradient step; increase the curvature of a column as needed.

        Returns the new columns, their product with the Gram matrix, and the squared step lengths.
        """
        gradient = product - self.target[:, active]
        new, new_product = np.empty_like(point), np.empty_like(point)
        moved, todo = np.empty(active.size), np.arange(active.size)
        while todo.size:
            bent = curvature[todo]
            trial = point[:, todo] - gradient[:, todo] / bent
            threshold = self.penalty[active[todo]] / bent
            trial -= np.clip(trial, -threshold, threshold)
            trial[active[todo], np.arange(todo.size)] = 0.0
            step = trial - point[:, todo]
            step_product = self.times_gram(step)
            moved[todo] = length = _column_dots(step, step)
            bend = _column_dots(step, step_product)
            new[:, todo], new_product[:, todo] = trial, product[:, todo] + step_product
            short = (length > 1e-20) & (bend > bent * length)
            needed = np.divide(bend, length, out=np.zeros_like(bend), where=length > 0)
            curvature[todo[short]] = np.maximum(2 * bent, needed)[short]
            todo = todo[short]
        return new, new_product, moved

    def objective(self, active: np.ndarray, now: np.ndarray, product: np.ndarray) -> np.ndarray:
        fit = _column_dots(now, product / 2 - self.target[:, active])
        size = self.penalty[active] * np.abs(now).sum(axis=0)
        return fit + size + self.half_norms[active]


def _column_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", A, B)
