"""The published ADMM of DGUFS, which is degenerate: what its documentation says is tested on it.

Features are rows here: X is (n, T).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

_GAMMA = 5e-3
_CLOSE = 5e-7
_FIRST_PENALTY, _GROWTH, _LAST_PENALTY = 1e-6, 1.1, 1e10


def published_admm(
    X: np.ndarray, S: np.ndarray, m: int, alpha: float, beta: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Y (n, T) with at most m live rows, the cluster kernel L (T, T), and the steps taken."""
    T = X.shape[1]
    Y, dual_rows = np.zeros_like(X), np.zeros_like(X)
    L, M, dual_kernel = np.zeros((T, T)), np.zeros((T, T)), np.zeros((T, T))
    penalty = _FIRST_PENALTY
    for steps in range(1, max_iter + 1):  # noqa: B007
        pull = (1 - beta) * _centred(L) / penalty
        Z = _match_rows(X, Y + _live_times(Y, pull) - dual_rows / penalty, m)
        Y = _largest_rows(Z + _live_times(Z, pull) + dual_rows / penalty, m)
        guide = (1 - beta) * _unit_scale(_kernel(Y, Z)) + beta * S
        L = _large_eigenvalues((guide - dual_kernel) / penalty + M, np.sqrt(2 * alpha / penalty))
        M = _zero_or_one(L + dual_kernel / penalty, 2 * _GAMMA / penalty)
        rows_left, kernel_left = Z - Y, L - M
        if max(np.abs(rows_left).max(), np.abs(kernel_left).max()) < _CLOSE:
            break
        dual_rows += penalty * rows_left
        dual_kernel += penalty * kernel_left
        penalty = min(_GROWTH * penalty, _LAST_PENALTY)
    return Y, L, steps


def _match_rows(X: np.ndarray, wanted: np.ndarray, m: int) -> np.ndarray:
    """``wanted``, but X in the m rows where the two are closest."""
    far = _by_length(X - wanted)[: X.shape[0] - m]
    matched = X.copy()
    matched[far] = wanted[far]
    return matched


def _largest_rows(U: np.ndarray, m: int) -> np.ndarray:
    kept = _by_length(U)[:m]
    largest = np.zeros_like(U)
    largest[kept] = U[kept]
    return largest


def _by_length(U: np.ndarray) -> np.ndarray:
    """Rows from the longest to the shortest, ties to the smaller index."""
    return np.argsort(-np.linalg.norm(U, axis=1), kind="stable")


def _live_times(U: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """U @ pull; only rows that are not all zero are multiplied."""
    product = np.zeros_like(U)
    if pull.any():
        live = U.any(axis=1)
        product[live] = U[live] @ pull
    return product


def _kernel(Y: np.ndarray, Z: np.ndarray) -> np.ndarray:
    live = Y.any(axis=1)
    return _centred(Y[live].T @ Z[live])


def _centred(K: np.ndarray) -> np.ndarray:
    """H K H with H = (I - 11'/T) / (T - 1)."""
    K = K - K.mean(axis=0)
    return (K - K.mean(axis=1)[:, None]) / (K.shape[0] - 1) ** 2


def _unit_scale(C: np.ndarray) -> np.ndarray:
    """Zero diagonal, the other entries mapped to [0, 1]."""
    others = ~np.eye(C.shape[0], dtype=bool)
    low, high = C[others].min(), C[others].max()
    return np.where(others, (C - low) / (high - low), 0.0) if high > low else np.zeros_like(C)


def _large_eigenvalues(B: np.ndarray, least: float) -> np.ndarray:
    """The part of the scaled B whose eigenvalues exceed ``least``."""
    B = _unit_scale(B)
    if least >= B.shape[0] - 1:  # entries lie in [0, 1] and the diagonal is 0
        return np.zeros_like(B)
    values, vectors = eigh((B + B.T) / 2, subset_by_value=[least, np.inf])
    return (vectors * values) @ vectors.T


def _zero_or_one(Q: np.ndarray, g: float) -> np.ndarray:
    """Entries drawn to 0 and 1, the harder the larger g; the diagonal is 1."""
    if g > 1:
        M = np.where((g + 1) / 2 < Q, 1.0, 0.0)
    else:
        M = np.where(np.sqrt(g) > Q, 0.0, np.minimum(Q, 1.0))
    np.fill_diagonal(M, 1.0)
    return M
