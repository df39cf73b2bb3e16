"""Small pieces that the methods with a number of clusters share."""

from __future__ import annotations

import numpy as np


def check_clusters(asked: int, T: int) -> None:
    """Refuse more clusters than samples."""
    if asked > T:
        raise ValueError(
            f"n_clusters={asked}, but X has only {T} samples: give n_clusters at most {T}."
        )


def usable_clusters(asked: int, T: int, n: int) -> int:
    """The number of columns of an orthonormal W (n, c): as asked, but below n.

    With n columns every row would have length 1 and weigh every feature alike.
    """
    check_clusters(asked, T)
    return min(asked, max(1, n - 1))


def row_norms_squared(W: np.ndarray) -> np.ndarray:
    """Squared Euclidean length of every row."""
    return np.einsum("ij,ij->i", W, W)


def cheapest_features(cost: np.ndarray, count: int) -> np.ndarray:
    """(n, count): unit vectors of the features that cost least, ties to the smaller index.

    They solve min tr(W' A W) + gamma |W|_{2,1}, W'W = I, for a large gamma (cost_i = A_ii).
    """
    W = np.zeros((cost.size, count))
    W[np.argsort(cost, kind="stable")[:count], np.arange(count)] = 1.0
    return W


def cheap_first(cost: np.ndarray) -> np.ndarray:
    """At most 1.5e-8, more for cheaper features: decides only between rows of W that vanished."""
    dearest = cost.max()
    if dearest <= 0:
        return np.zeros_like(cost)
    return np.sqrt(np.finfo(float).eps) * (1.0 - cost / dearest)


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Each column with its largest entry positive."""
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(largest < 0, -1.0, 1.0)
