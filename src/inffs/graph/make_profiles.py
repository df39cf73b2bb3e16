"""From the columns of a table to their profiles: rank or centre, then scale to norm 1."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
from scipy import sparse

from inffs._engine.memory import available_memory
from inffs._engine.threads import column_blocks, threaded
from inffs.graph.profiles import DenseProfiles, SparseProfiles, profile_type

_RANKED_AT_ONCE = 2**18  # values
_CLIP = 2.0  # standard deviations beyond which a clipped profile does not follow its column


def dense_profiles(X: Any, kind: str = "spearman", dtype: Any = None) -> DenseProfiles:
    """Profiles of a dense or lazy table."""
    T, n = X.shape
    profiles = _room_for(n, T, np.dtype(dtype or profile_type(n, T)))
    fill = _FILL[kind]
    few = max(1, _RANKED_AT_ONCE // T)

    def of_block(columns: slice) -> None:
        rows, out = np.ascontiguousarray(X[:, columns].T), profiles[columns]
        for start in range(0, rows.shape[0], few):
            fill(rows[start : start + few], out[start : start + few])

    threaded(of_block, column_blocks(n, T), "ranking columns")
    return DenseProfiles(profiles)


def _room_for(n: int, T: int, dtype: np.dtype) -> np.ndarray:
    """An (n, T) array: in memory, or in a nameless temporary file where that would not fit."""
    if n * T * dtype.itemsize <= available_memory() / 2:
        return np.empty((n, T), dtype=dtype)
    with tempfile.TemporaryFile(prefix="inffs-ranks-") as file:  # gone with its last user
        file.truncate(n * T * dtype.itemsize)
        return np.memmap(file, dtype=dtype, mode="r+", shape=(n, T))


def _fill_with_ranks(columns: np.ndarray, out: np.ndarray) -> None:
    """Write the rank profiles of ``columns`` (one a row) to ``out``; ties get their mean rank."""
    count, T = columns.shape
    order = np.argsort(columns, axis=1)
    ranked = np.take_along_axis(columns, order, axis=1)
    tied = np.flatnonzero((ranked[:, 1:] == ranked[:, :-1]).any(axis=1))
    centred = np.arange(T) - (T - 1) / 2
    profile = (centred / np.sqrt(centred @ centred)).astype(out.dtype)
    order += np.arange(0, count * T, T)[:, None]
    out.reshape(-1)[order.ravel()] = np.broadcast_to(profile, (count, T)).ravel()
    if tied.size:
        places = order[tied] - (tied * T)[:, None]
        out[tied] = _tied_profiles(ranked[tied], places)


def _tied_profiles(ranked: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Centred unit mean ranks of rows sorted as ``ranked`` whose values stood at ``places``."""
    count, T = ranked.shape
    first = np.ones((count, T), dtype=bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, count * T))
    mean_rank = np.repeat(starts % T + (sizes - 1) / 2, sizes).reshape(count, T)
    profiles = np.empty((count, T))
    np.put_along_axis(profiles, places, mean_rank - (T - 1) / 2, axis=1)
    return _unit_rows(profiles)


def _fill_with_values(columns: np.ndarray, out: np.ndarray) -> None:
    values = columns.astype(np.float64)
    values -= values.mean(axis=1, keepdims=True)
    largest = np.abs(values).max(axis=1, keepdims=True)
    np.divide(values, largest, out=values, where=largest > 0)  # squares neither over- nor underflow
    out[:] = _unit_rows(values)


def _fill_with_clipped(columns: np.ndarray, out: np.ndarray) -> None:
    values = columns.astype(np.float64)
    _fill_with_values(values, values)
    values *= np.sqrt(columns.shape[1])
    np.clip(values, -_CLIP, _CLIP, out=values)
    _fill_with_values(values, out)


_FILL = {
    "spearman": _fill_with_ranks,
    "pearson": _fill_with_values,
    "clipped": _fill_with_clipped,
}


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    norms = np.sqrt(np.einsum("it,it->i", rows, rows))[:, None]
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)


def sparse_profiles(X: Any, kind: str) -> SparseProfiles:
    """Profiles of a sparse table: the values less what all zeros share, and a shift per column."""
    X = X.astype(np.float64)
    X.eliminate_zeros()
    T = X.shape[0]
    zero = np.zeros(X.shape[1])
    if kind == "spearman":
        zero = _ranks_of_zero(X)
        X = sparse.csc_array((_sparse_ranks(X), X.indices, X.indptr), shape=X.shape)
        X.data -= np.repeat(zero, np.diff(X.indptr))  # relative to the rank all zeros share
    if kind == "clipped":
        X.data = _clipped_above_zero(X)
    sums = np.asarray(X.sum(axis=0)).ravel()
    squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
    norms = np.sqrt(np.maximum(squares - sums**2 / T, 0.0))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 1e-12 * np.sqrt(squares))
    return SparseProfiles(
        rows=sparse.csr_array(X.T.multiply(scale[:, None])), shift=-sums / T * scale
    )


def _ranks_of_zero(X: Any) -> np.ndarray:
    """The mean rank (from 0) that the zeros of each column share."""
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    below = np.bincount(column[X.data < 0], minlength=X.shape[1])
    zeros = X.shape[0] - np.diff(X.indptr)
    return below + (zeros - 1) / 2


def _sparse_ranks(X: Any) -> np.ndarray:
    """Mean ranks (from 0, zeros counted) of the stored values, in their storage order."""
    counts = np.diff(X.indptr)
    column = np.repeat(np.arange(X.shape[1]), counts)
    order = np.lexsort((X.data, column))
    ranked = X.data[order]
    first = np.ones(ranked.size, dtype=bool)
    first[1:] = (ranked[1:] != ranked[:-1]) | (column[1:] != column[:-1])
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, ranked.size))
    mean_place = np.repeat(starts + (sizes - 1) / 2, sizes) - X.indptr[column]
    mean_place += np.where(ranked > 0, (X.shape[0] - counts)[column], 0)
    ranks = np.empty(ranked.size)
    ranks[order] = mean_place
    return ranks


def _clipped_above_zero(X: Any) -> np.ndarray:
    """Standardised, clipped values of the stored entries less the one all zeros share."""
    T, counts = X.shape[0], np.diff(X.indptr)
    largest = np.maximum(abs(X).max(axis=0).toarray().ravel(), np.finfo(float).tiny)
    values = X.data / np.repeat(largest, counts)  # squares neither over- nor underflow
    column = np.repeat(np.arange(X.shape[1]), counts)
    mean = np.bincount(column, values, minlength=X.shape[1]) / T
    values -= mean[column]
    squares = np.bincount(column, values**2, minlength=X.shape[1]) + (T - counts) * mean**2
    deviation = np.sqrt(np.maximum(squares / T, np.finfo(float).tiny))
    zero = np.clip(-mean / deviation, -_CLIP, _CLIP)
    return np.clip(values / deviation[column], -_CLIP, _CLIP) - zero[column]
