"""Shared functions of the methods with a number of clusters."""

from __future__ import annotations

import numpy as np


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
