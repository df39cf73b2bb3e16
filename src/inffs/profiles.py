"""Columns as unit vectors, so that a correlation is an inner product.

A profile is a column, or its ranks, centred and scaled to norm 1; a constant column has profile 0.
Dense tables give an (n, T) array, one feature a row. In a sparse column all zeros share one rank,
so its centred profile is a sparse vector plus a constant: nothing is made dense but the tile that
is asked for.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from inffs._memory import available_memory
from inffs._parallel import column_blocks, stream, threaded

EXACT_UP_TO = 2000  # features: float64 costs nothing there; float32 above
_EXACT_CELLS = 2**27  # nor where the profiles take at most a gigabyte
_RANKED_AT_ONCE = 2**18  # values
_SAMPLES_AT_ONCE = 4096  # longer float32 sums lose digits; their parts are added in float64


def unit_profiles(X: Any, kind: str = "spearman", dtype: Any = None) -> Any:
    """Profiles of the columns of X (T, n): kind "spearman" takes ranks, "pearson" values."""
    if hasattr(X, "profiles"):  # a table on a cluster makes them where its columns are
        return X.profiles(kind)
    if sparse.issparse(X):
        return _sparse_profiles(sparse.csc_array(X), kind)
    T, n = X.shape
    profiles = _room_for(n, T, np.dtype(dtype or profile_type(n, T)))
    fill = _fill_with_ranks if kind == "spearman" else _fill_with_values
    few = max(1, _RANKED_AT_ONCE // T)

    def of_block(columns: slice) -> None:
        rows, out = np.ascontiguousarray(X[:, columns].T), profiles[columns]
        for start in range(0, rows.shape[0], few):
            fill(rows[start : start + few], out[start : start + few])

    threaded(of_block, column_blocks(n, T), "ranking columns")
    return DenseProfiles(profiles)


def profile_type(n: int, T: int) -> type:
    """Double precision where it costs nothing."""
    return np.float64 if n <= EXACT_UP_TO and n * T <= _EXACT_CELLS else np.float32


def _room_for(n: int, T: int, dtype: np.dtype) -> np.ndarray:
    """An (n, T) array: in memory, or in a nameless temporary file where that would not fit."""
    if n * T * dtype.itemsize <= available_memory() / 2:
        return np.empty((n, T), dtype=dtype)
    with tempfile.TemporaryFile(prefix="inffs-ranks-") as file:  # gone with its last user
        file.truncate(n * T * dtype.itemsize)
        return np.memmap(file, dtype=dtype, mode="r+", shape=(n, T))


@dataclass(frozen=True)
class DenseProfiles:
    """Profiles of a dense table: ``rows`` of shape (n, T)."""

    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1]

    @property
    def dtype(self) -> Any:
        return self.rows.dtype

    def present(self) -> np.ndarray:
        """1 for every column that varies, 0 for a constant one."""
        return self.rows.any(axis=1).astype(float)

    def correlations(self, I: Any, J: Any) -> np.ndarray:
        """The block (I, J) of the correlation matrix."""
        left, right = self.rows[I], self.rows[J]
        T = self.shape[1]
        if self.dtype == np.float64 or T <= 2 * _SAMPLES_AT_ONCE:
            return left @ right.T
        total = np.zeros((left.shape[0], right.shape[0]))
        for start in range(0, T, _SAMPLES_AT_ONCE):
            part = slice(start, start + _SAMPLES_AT_ONCE)
            total += left[:, part] @ right[:, part].T
        return total.astype(self.dtype)

    def squared_dot(self, V: np.ndarray) -> np.ndarray:
        """(R * R) V without R: z_i' (Z' diag(v) Z) z_i, O(n T^2) a vector."""
        n, T = self.shape
        V = V.astype(self.dtype, copy=False)
        blocks = column_blocks(n, T, max(2**18, T * T))  # a block's T x T sum should be worth it
        gram = np.zeros((V.shape[1], T, T))
        for part in stream(lambda rows: self._weighted_gram(rows, V), blocks):
            gram += part
        gram = gram.astype(self.dtype)
        return np.concatenate(threaded(lambda rows: self._forms(rows, gram), blocks))

    def _weighted_gram(self, rows: slice, V: np.ndarray) -> np.ndarray:
        block = self.rows[rows]
        return np.stack([block.T @ (block * v[rows, None]) for v in V.T])

    def _forms(self, rows: slice, gram: np.ndarray) -> np.ndarray:
        block = self.rows[rows]
        forms = [np.einsum("it,it->i", block @ one, block) for one in gram]
        return np.stack(forms, axis=1).astype(np.float64)


@dataclass(frozen=True)
class SparseProfiles:
    """Profiles ``rows`` (n, T, sparse) + ``shift`` (n,), the constant added to every entry."""

    rows: Any
    shift: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float64 if self.shape[0] <= EXACT_UP_TO else np.float32)

    def present(self) -> np.ndarray:
        return ((np.diff(self.rows.indptr) > 0) | (self.shift != 0)).astype(float)

    def correlations(self, I: Any, J: Any) -> np.ndarray:
        left, right, T = self.rows[I], self.rows[J], self.shape[1]
        block = (right @ left.toarray().T).T
        block += np.outer(left.sum(axis=1), self.shift[J])
        block += np.outer(self.shift[I], right.sum(axis=1) + T * self.shift[J])
        return block.astype(self.dtype)

    def squared_dot(self, V: np.ndarray) -> np.ndarray:
        return np.stack([self._squared_dot_one(v) for v in V.T], axis=1)

    def _squared_dot_one(self, v: np.ndarray) -> np.ndarray:
        gram = (self.rows.T @ sparse.diags_array(v) @ self.rows).toarray()
        cross = self.rows.T @ (v * self.shift)
        gram += cross[:, None] + cross[None, :] + v @ self.shift**2
        margins = gram.sum(axis=1)
        linear = 2 * self.shift * (self.rows @ margins) + self.shift**2 * margins.sum()

        def forms(rows: slice) -> np.ndarray:
            block = self.rows[rows]
            return block.multiply(block @ gram).sum(axis=1)

        return linear + np.concatenate(threaded(forms, column_blocks(*self.shape)))


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


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    norms = np.sqrt(np.einsum("it,it->i", rows, rows))[:, None]
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)


def _sparse_profiles(X: Any, kind: str) -> SparseProfiles:
    X = X.astype(np.float64)
    X.eliminate_zeros()
    T = X.shape[0]
    zero = np.zeros(X.shape[1])
    if kind == "spearman":
        zero = _ranks_of_zero(X)
        X = sparse.csc_array((_sparse_ranks(X, zero), X.indices, X.indptr), shape=X.shape)
        X.data -= np.repeat(zero, np.diff(X.indptr))  # relative to the rank all zeros share
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


def _sparse_ranks(X: Any, zero: np.ndarray) -> np.ndarray:
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
