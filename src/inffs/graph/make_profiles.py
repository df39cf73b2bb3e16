"""From the columns of a table to their profiles: rank or centre, then scale to norm 1."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from scipy import sparse

from inffs._engine.memory import available_memory
from inffs._engine.threads import column_blocks, threaded
from inffs.graph.profiles import DenseProfiles, SparseProfiles, profile_type
from inffs.graph.weighted_profiles import weighted_fill
from inffs.measures.moments import class_moments

_RANKED_AT_ONCE = 2**18  # values
_PLAIN_EXPONENTS = 400  # of two: beyond, sums of squares may leave the range of floating point
_CLIP = 2.0  # standard deviations beyond which a clipped profile does not follow its column


def dense_profiles(
    X: Any, kind: str = "spearman", dtype: Any = None, sample_weight: np.ndarray | None = None
) -> DenseProfiles:
    """Profiles of a dense or lazy table; with weights also of a sparse one, block by block."""
    T, n = X.shape
    profiles = _room_for(n, T, np.dtype(dtype or profile_type(n, T)))
    fill = _FILL[kind] if sample_weight is None else weighted_fill(kind, sample_weight, _CLIP)
    few = max(1, _RANKED_AT_ONCE // T)

    def of_block(columns: slice) -> None:
        block = X[:, columns].toarray() if sparse.issparse(X) else X[:, columns]
        rows, out = np.ascontiguousarray(block.T), profiles[columns]
        for start in range(0, rows.shape[0], few):
            fill(rows[start : start + few], out[start : start + few])

    threaded(of_block, column_blocks(n, T), "ranking columns")
    return DenseProfiles(profiles)


def _room_for(n: int, T: int, dtype: np.dtype) -> np.ndarray:
    """An (n, T) array: in memory, or in a nameless temporary file where that would not fit."""
    size = n * T * dtype.itemsize
    if size <= available_memory() / 2:
        return np.empty((n, T), dtype=dtype)
    with tempfile.TemporaryFile(prefix="inffs-ranks-") as file:  # gone with its last user
        _reserve(file, size)
        return np.memmap(file, dtype=dtype, mode="r+", shape=(n, T))


def _reserve(file: Any, size: int) -> None:
    """Take the room on the disk now: a mapped page that finds it full later kills the process."""
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
    except OSError as error:
        raise OSError(
            error.errno,
            f"The ranks take {size / 2**30:.3g} GiB, more than half of the free memory, and the "
            f"temporary folder {tempfile.gettempdir()} has no room for them: "
            "let TMPDIR name a folder that has.",
        ) from error


def _fill_with_ranks(columns: np.ndarray, out: np.ndarray) -> None:
    """Write the rank profiles of ``columns`` (one per row) to ``out``; ties get their mean rank."""
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
    """Write centred unit values: centred twice, as a rounded mean leaves an offset behind."""
    values = columns.astype(np.float64)
    size = np.frexp(np.abs(values).max(axis=1, keepdims=True))[1]
    if np.abs(size).max(initial=0) > _PLAIN_EXPONENTS:
        np.ldexp(values, -size, out=values)  # sums neither over- nor underflow, nothing is rounded
    constant = (values == values[:, :1]).all(axis=1)
    for _ in range(2):
        values -= values.mean(axis=1, keepdims=True)
    values[constant] = 0.0
    largest = np.abs(values).max(axis=1, keepdims=True)
    np.divide(values, largest, out=values, where=largest > 0)
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
    if kind == "spearman":
        zero = _ranks_of_zero(X)
        X = sparse.csc_array((_sparse_ranks(X), X.indices, X.indptr), shape=X.shape)
        X.data -= np.repeat(zero, np.diff(X.indptr))  # relative to the rank all zeros share
    if kind == "clipped":
        X.data = _clipped_above_zero(X)
    return _unit_sparse(X)


def _unit_sparse(X: Any) -> SparseProfiles:
    """Centred unit columns: what is stored, scaled, and the constant that centring adds.

    A column without zeros needs no constant and is centred itself, so that an offset costs nothing.
    """
    T, counts = X.shape[0], np.diff(X.indptr)
    moments = class_moments(X, np.zeros(T, dtype=int), 1)
    norms = moments.deviation() * np.sqrt(max(1, T - 1))
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    full, centre, rest = counts == T, moments.centre[0], moments.rest[0]
    data = np.ldexp(X.data, -np.repeat(moments.exponent, counts))
    data -= np.repeat(np.where(full, centre, 0.0), counts)
    data -= np.repeat(np.where(full, rest, 0.0), counts)
    data *= np.repeat(scale, counts)
    rows = sparse.csr_array((data, X.indices, X.indptr), shape=X.shape[::-1])
    return SparseProfiles(rows, shift=np.where(full, 0.0, -(centre + rest) * scale))


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
    moments = class_moments(X, np.zeros(T, dtype=int), 1)
    centre, rest = moments.centre[0], moments.rest[0]
    deviation = np.maximum(moments.deviation() * np.sqrt(max(1, T - 1) / T), np.finfo(float).tiny)
    values = np.ldexp(X.data, -np.repeat(moments.exponent, counts)) - np.repeat(centre, counts)
    values = (values - np.repeat(rest, counts)) / np.repeat(deviation, counts)
    zero = np.where(counts < T, np.clip(-(centre + rest) / deviation, -_CLIP, _CLIP), 0.0)
    return np.clip(values, -_CLIP, _CLIP) - np.repeat(zero, counts)
