"""Parts of the methods that look for an orthonormal W with few rows.

They need the least eigenvectors of A + diag(d), A = X' C X, for many d. scikit-learn and SciPy have
no solver that uses the factor of A.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils import gen_batches

from inffs._utils.threads import one_blas_thread, values_at_once
from inffs.scores import warn_of_rounding

_EPS = np.finfo(float).eps


class QuadraticForm:
    """A = X' C X, n x n: kept as such where n <= T, else as P P' with P of shape (n, T).

    C is symmetric and positive semi-definite; ``times_core(M)`` gives C M.
    """

    def __init__(self, X: np.ndarray, times_core: Callable[[np.ndarray], np.ndarray]) -> None:
        T, n = X.shape
        self.n = n
        self._dense = n <= T
        if self._dense:
            matrix = X.T @ times_core(X)
            self._matrix = (matrix + matrix.T) / 2
        else:
            self._factor = X.T @ _square_root(times_core(np.eye(T)))

    def diagonal(self) -> np.ndarray:
        """A_ii: the cost of each feature alone."""
        if self._dense:
            return np.maximum(np.diag(self._matrix), 0.0)
        return row_norms_squared(self._factor)

    def least(self, ridge: np.ndarray, count: int, near: np.ndarray | None = None) -> np.ndarray:
        """Eigenvectors (n, count) of the smallest eigenvalues of A + diag(ridge), ridge > 0.

        ``near`` (n, any) holds vectors close to the solution, which save time.
        """
        if self._dense:
            shifted = self._matrix + np.diag(ridge)
            values, vectors = eigh(shifted, subset_by_index=[0, min(count, self.n - 1)])
            self._warn_if_repeated(values[count - 1 :])
            return fix_signs(vectors[:, :count])
        with one_blas_thread():  # thin products: threads would mostly wait
            return fix_signs(self._least_by_lanczos(ridge, count, near))

    def _warn_if_repeated(self, ends: np.ndarray) -> None:
        """Warn if the last eigenvalue used equals the next, so its eigenvectors are not unique."""
        rounding = _EPS * (1e3 * abs(ends[0]) + 4 * np.trace(self._matrix))
        if ends.size > 1 and ends[1] - ends[0] <= rounding:
            warn_of_rounding(
                "The directions of least cost are not unique (columns that others add up to can "
                "cause this) and rounding chooses among them: drop such columns first."
            )

    def _least_by_lanczos(
        self, ridge: np.ndarray, count: int, near: np.ndarray | None
    ) -> np.ndarray:
        n = self.n
        start = np.random.default_rng(0).uniform(0.5, 1.5, n)  # arbitrary, but fixed
        if near is not None:
            start = near.sum(axis=1) + 1e-3 * start / np.linalg.norm(start)
        basis = min(n, 2 * count + 4)  # a product costs more than a restart, and few are needed
        inverse = self._woodbury(ridge)
        found = eigsh(inverse, k=count, which="LA", v0=start, ncv=basis, maxiter=100 * n)
        return found[1][:, ::-1]

    def _woodbury(self, ridge: np.ndarray) -> LinearOperator:
        """(diag(ridge) + P P')^-1 by the Woodbury identity: O(nT^2) once, O(nT) a product."""
        root = 1.0 / np.sqrt(ridge)
        factor = self._factor
        inner = weighted_gram(factor.T, root)
        inner[np.diag_indices_from(inner)] += 1.0
        decomposed = cho_factor(inner)

        def times(v: np.ndarray) -> np.ndarray:
            v = root * v.ravel()
            inside = factor.T @ (root * v)
            v -= root * (factor @ cho_solve(decomposed, inside, check_finite=False))
            return root * v

        return LinearOperator((self.n, self.n), matvec=times, dtype=float)


def weighted_gram(X: np.ndarray, root: np.ndarray) -> np.ndarray:
    """X diag(root^2) X' for X (T, n), summed over blocks of columns."""
    T, n = X.shape
    gram = np.zeros((T, T))
    for block in gen_batches(n, max(1, values_at_once() // T)):
        part = X[:, block] * root[block]
        gram += part @ part.T
    return gram


def _square_root(core: np.ndarray) -> np.ndarray:
    """F with F F' = core; eigenvalues that are rounding are left out."""
    values, vectors = eigh((core + core.T) / 2)
    kept = values > max(values[-1], 0.0) * 1e-14
    return vectors[:, kept] * np.sqrt(values[kept])


def check_clusters(n_clusters: int, T: int) -> None:
    """Raise an error for more clusters than samples."""
    if n_clusters > T:
        raise ValueError(
            f"n_clusters={n_clusters}, but X has only {T} samples: give n_clusters at most {T}."
        )


def usable_clusters(n_clusters: int, T: int, n: int) -> int:
    """The number of columns of an orthonormal W (n, c): ``n_clusters``, but less than n.

    With n columns every row would have length 1, and all features the same score.
    """
    check_clusters(n_clusters, T)
    return min(n_clusters, max(1, n - 1))


def row_norms_squared(W: np.ndarray) -> np.ndarray:
    """Squared Euclidean length of every row."""
    return np.einsum("ij,ij->i", W, W)


def cheapest_features(cost: np.ndarray, count: int) -> np.ndarray:
    """Unit vectors (n, count) of the cheapest features, ties to the smaller index.

    They solve min tr(W' A W) + gamma |W|_{2,1}, W'W = I, for a large gamma (cost_i = A_ii).
    """
    W = np.zeros((cost.size, count))
    W[np.argsort(cost, kind="stable")[:count], np.arange(count)] = 1.0
    return W


def cheap_first(cost: np.ndarray) -> np.ndarray:
    """A bonus of at most 1.5e-8 for cheap features, which orders rows of W that vanished."""
    dearest = cost.max()
    if dearest <= 0:
        return np.zeros_like(cost)
    return np.sqrt(np.finfo(float).eps) * (1.0 - cost / dearest)


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Flip columns so that the largest entry of each is positive."""
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(largest < 0, -1.0, 1.0)
