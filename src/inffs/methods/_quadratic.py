"""A = X' C X in the smaller of two spaces, and the least eigenvectors of A + diag(d).

Shared by the methods that look for an orthonormal W with few rows: each of their steps needs the
eigenvectors of the smallest eigenvalues of A + diag(d), for many d and one A.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from inffs.methods._clusters import fix_signs, row_norms_squared


class QuadraticForm:
    """A = X' C X, n x n: kept as such where n <= T, else as A = P P' with P of shape (n, T).

    Parameters
    ----------
    X : ndarray of shape (T, n)
    times_core : callable
        ``times_core(M)`` gives C M for a (T, m) array; C is symmetric and positive semi-definite.
    """

    def __init__(self, X: np.ndarray, times_core: Callable[[np.ndarray], np.ndarray]) -> None:
        T, n = X.shape
        self._dense = n <= T
        if self._dense:
            matrix = X.T @ times_core(X)
            self._matrix = (matrix + matrix.T) / 2
        else:
            self._factor = X.T @ _square_root(times_core(np.eye(T)))

    def diagonal(self) -> np.ndarray:
        """A_ii: what each feature costs alone."""
        if self._dense:
            return np.maximum(np.diag(self._matrix), 0.0)
        return row_norms_squared(self._factor)

    def least(self, ridge: np.ndarray, count: int, near: np.ndarray | None = None) -> np.ndarray:
        """Eigenvectors (n, count) of the smallest eigenvalues of A + diag(ridge), ridge > 0.

        ``near`` (n, any) holds vectors close to the wanted ones: they save time, nothing else.
        """
        if self._dense:
            shifted = self._matrix + np.diag(ridge)
            return fix_signs(eigh(shifted, subset_by_index=[0, count - 1])[1])
        return fix_signs(self._least_by_lanczos(ridge, count, near))

    def _least_by_lanczos(
        self, ridge: np.ndarray, count: int, near: np.ndarray | None
    ) -> np.ndarray:
        n = ridge.size
        inverse = LinearOperator((n, n), matvec=self._inverse(ridge), dtype=float)
        start = np.random.default_rng(0).uniform(0.5, 1.5, n)  # any will do, if always the same
        if near is not None:
            start = near.sum(axis=1) + 1e-3 * start / np.linalg.norm(start)
        return eigsh(inverse, k=count, which="LA", v0=start, maxiter=100 * n)[1]

    def _inverse(self, ridge: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """v -> (diag(ridge) + P P')^-1 v by the Woodbury identity: O(nT^2) once, O(nT) each."""
        scaled = self._factor / ridge[:, None]
        inner = self._factor.T @ scaled
        inner[np.diag_indices_from(inner)] += 1.0
        decomposed = cho_factor(inner)

        def times(v: np.ndarray) -> np.ndarray:
            return v / ridge - scaled @ cho_solve(decomposed, scaled.T @ v)

        return times


def _square_root(core: np.ndarray) -> np.ndarray:
    """F with F F' = core; eigenvalues that are rounding are left out."""
    values, vectors = eigh((core + core.T) / 2)
    kept = values > max(values[-1], 0.0) * 1e-14
    return vectors[:, kept] * np.sqrt(values[kept])
