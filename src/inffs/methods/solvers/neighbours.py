"""Nearest neighbours among the samples, and their sparse weighted graph.

Distances are computed in blocks of rows, each by one matrix product. If its rounding could decide
which sample is nearer, these distances are computed again from the differences. Equal distances
are therefore ties, which go to the smaller index; scikit-learn's neighbours leave them to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from inffs._utils.progress import track
from inffs._utils.threads import values_at_once

_EPS = np.finfo(float).eps
_VALUES = 2**22  # distances held at once
_COLUMNS = 1024
_CANCELLED = 1e-3  # a squared distance below this share of the squared norms has lost digits
_LEAST_NORM = 1e-280  # squared norms below have lost digits to underflow


class Neighbours(NamedTuple):
    """The nearest samples of every sample, nearest first; ties go to the smaller index.

    ``indices`` and ``squared`` (the squared Euclidean distances) have shape (T, k).
    ``mean_distance`` is the mean of all T^2 distances, the T zeros of the diagonal included.
    """

    indices: np.ndarray
    squared: np.ndarray
    mean_distance: float


def nearest_neighbours(
    X: Any,
    n_neighbors: int,
    *,
    barred: Callable[[np.ndarray], np.ndarray] | None = None,
    gram: np.ndarray | None = None,
) -> Neighbours:
    """The ``n_neighbors`` nearest other samples of every row of X (T, n).

    A sample never counts as its own neighbour; its duplicates do.
    ``barred(rows)`` is True of shape (rows, T) where a sample may not be listed; it must leave
    every row enough. ``gram`` may hold the inner products of the centred rows, if they are at hand.
    T <= n_neighbors is refused. Time O(T^2 n), memory O(T n) and one block.
    """
    X = np.asarray(X, dtype=np.float64)
    T = X.shape[0]
    if n_neighbors >= T:
        raise ValueError(
            f"n_neighbors={n_neighbors}, but X has only {T} samples, so a sample has {T - 1} "
            f"others: give n_neighbors at most {T - 1}, or more samples."
        )
    lists, squared, total = _search(X, n_neighbors, barred, gram)
    return Neighbours(lists, squared, total / T**2)


def neighbour_graph(
    X: Any, n_neighbors: int = 5, *, weight: str = "heat", bandwidth: float | None = None
) -> sparse.csr_array:
    """The symmetric neighbour graph (T, T): two samples are joined if either lists the other.

    The weight is exp(-d^2 / (2 bandwidth^2)) for "heat", 1 for "binary", and the cosine of the two
    samples for "cosine" (0 where it is negative or one of them is all zero). The bandwidth None
    takes the mean of all T^2 distances. There are no self loops and no stored zeros.
    """
    near = nearest_neighbours(X, n_neighbors)
    directed = directed_graph(near.indices, _edge_weights(X, near, weight, bandwidth))
    graph = sparse.csr_array(directed.maximum(directed.T))
    graph.eliminate_zeros()
    if graph.nnz == 0:
        raise ValueError(_empty_graph(weight, bandwidth, near))
    return graph


def directed_graph(lists: np.ndarray, weights: np.ndarray) -> sparse.csr_array:
    """The graph (T, T) with ``weights[i]`` on the edges from sample i to those in ``lists[i]``."""
    T, k = lists.shape
    starts = np.arange(0, T * k + 1, k)
    return sparse.csr_array((weights.ravel(), lists.ravel(), starts), shape=(T, T))


def centred_gram(X: np.ndarray) -> np.ndarray:
    """Inner products of the rows less their mean, summed over blocks of columns."""
    T, n = X.shape
    width = max(1, min(max(_COLUMNS, 2 * T), values_at_once() // T))
    gram = np.zeros((T, T))
    for start in range(0, n, width):
        block = X[:, start : start + width]
        block = block - block.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):  # the search refuses such a diagonal
            gram += block @ block.T
    return gram


def centred_inverse(kernels: np.ndarray, ridge: float) -> np.ndarray:
    """H (K + ridge I)^-1 H for kernels K of shape (..., k, k) between centred members, H K = K.

    If the ridge is below the rounding of K, directions without variance are treated as exactly 0.
    """
    k = kernels.shape[-1]
    scale = np.trace(kernels, axis1=-2, axis2=-1)[..., None, None]
    if scale.max() * k * _EPS < 1e-3 * ridge:
        inverse = np.linalg.inv(kernels + ridge * np.eye(k) + scale / k**2)  # H removes the last
    else:
        values, vectors = np.linalg.eigh(kernels)
        values[values <= k * _EPS * scale[..., 0]] = 0.0
        inverse = (vectors / (values + ridge)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    inverse -= inverse.mean(axis=-1, keepdims=True)
    return inverse - inverse.mean(axis=-2, keepdims=True)


def _edge_weights(X: Any, near: Neighbours, weight: str, bandwidth: float | None) -> np.ndarray:
    if weight == "binary":
        return np.ones_like(near.squared)
    if weight == "cosine":
        norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        inner = 0.5 * (norms[:, None] + norms[near.indices] - near.squared)
        length = np.sqrt(np.where(norms > 0, norms, np.inf))
        return np.clip(inner / length[:, None] / length[near.indices], 0.0, 1.0)
    scale = near.mean_distance if bandwidth is None else bandwidth
    return np.exp(-0.5 * (np.sqrt(near.squared) / scale) ** 2)


def _empty_graph(weight: str, bandwidth: float | None, near: Neighbours) -> str:
    if weight == "cosine":
        return (
            "No two neighbouring samples have a positive cosine, so the graph has no edge: "
            'use weight="heat" or "binary".'
        )
    return (
        f"bandwidth={bandwidth} is so small that every heat weight is 0: the mean distance of "
        f"two samples is {near.mean_distance:.3g}; bandwidth=None takes that."
    )


def _search(
    X: np.ndarray,
    k: int,
    barred: Callable[[np.ndarray], np.ndarray] | None,
    gram: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Lists, squared distances and the sum of all distances."""
    T, n = X.shape
    if gram is None and values_at_once(_VALUES) >= T * T:
        gram = centred_gram(X)
    centred = X - X.mean(axis=0) if gram is None else X
    norms = np.einsum("ij,ij->i", centred, centred) if gram is None else gram.diagonal()
    _check_magnitude(norms)
    margin = 4 * _EPS * (n + 16) * (norms + norms.max())
    lists, squared, total = np.empty((T, k), dtype=np.intp), np.empty((T, k)), 0.0
    rows_at_once = max(1, values_at_once(_VALUES) // T)
    for start in track(range(0, T, rows_at_once), "measuring distances"):
        rows = np.arange(start, min(start + rows_at_once, T))
        inner = centred[rows] @ centred.T if gram is None else gram[rows]
        block = _squared_distances(inner, norms[rows], norms)
        block[rows - start, rows] = 0.0
        total += float(np.sqrt(block).sum())
        block[rows - start, rows] = np.inf
        if barred is not None:
            block[barred(rows)] = np.inf
        lists[rows], squared[rows] = _nearest_in_block(X, rows, block, k, margin[rows], norms)
    return lists, squared, total


def _squared_distances(inner: np.ndarray, here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """|a|^2 + |b|^2 - 2 ab in place of the inner products, nothing below 0."""
    inner *= -2
    inner += there
    inner += here[:, None]
    return np.maximum(inner, 0.0, out=inner)


def _check_magnitude(norms: np.ndarray) -> None:
    tiny = norms.max() < _LEAST_NORM
    if tiny or not np.isfinite(norms).all():
        what = "small" if tiny else "large"
        raise ValueError(
            f"The values of X are so {what} that squared distances between samples leave the "
            "range of floating point: scale the columns first."
        )


def _nearest_in_block(
    X: np.ndarray,
    rows: np.ndarray,
    block: np.ndarray,
    k: int,
    margin: np.ndarray,
    norms: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest samples; rows that rounding could change are computed exactly."""
    reach = min(k, block.shape[1] - 1)  # one more than k, to see how clear the last place is
    lists = np.argpartition(block, reach, axis=1)[:, : reach + 1]
    squared = np.take_along_axis(block, lists, axis=1)
    order = np.argsort(squared, axis=1)
    lists = np.take_along_axis(lists, order, axis=1)
    squared = np.take_along_axis(squared, order, axis=1)
    apart = np.diff(squared, axis=1).min(axis=1)
    unclear = (apart <= 2 * margin) | (squared[:, 0] <= _CANCELLED * (norms[rows] + norms.max()))
    lists, squared = lists[:, :k], squared[:, :k]
    features = np.ascontiguousarray(X.T) if unclear.any() else X.T
    for place in np.flatnonzero(unclear):
        within = np.flatnonzero(block[place] <= squared[place, -1] + 2 * margin[place])
        exact = _squared_differences(features, rows[place], within)
        best = np.argsort(exact, kind="stable")[:k]
        lists[place], squared[place] = within[best], exact[best]
    return lists, squared


def _squared_differences(features: np.ndarray, sample: int, others: np.ndarray) -> np.ndarray:
    """Squared distances added up feature by feature, so that equal sums round equally."""
    squared = np.empty(others.size)
    for batch in gen_batches(others.size, max(2, values_at_once() // features.shape[0])):
        difference = np.take(features, others[batch], axis=1)
        difference -= features[:, sample, None]
        np.square(difference, out=difference)
        squared[batch] = np.add.reduce(difference, axis=0)
    return squared
