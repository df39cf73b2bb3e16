"""Columns as unit vectors, so that a correlation is an inner product.

A profile is a column, or its ranks, centred and scaled to norm 1; a constant column has profile 0.
Dense tables give an (n, T) array, one feature a row. In a sparse column all zeros share one rank,
so its centred profile is a sparse vector plus a constant: nothing is made dense but the tile that
is asked for.

Where samples have weights, a profile is centred in the weighted mean and multiplied by the roots of
the weights, so that inner products are weighted correlations. Ranks are mean ranks by cumulative
weight: weight 2 is the sample twice. A missing value stands at the mean, where its profile is 0.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.memory import available_memory
from inffs._utils.threads import column_blocks, dense, stream, threaded
from inffs.graph.tiles import Tiles
from inffs.measures.moments import centred, column_units, means, positive
from inffs.validation.checks import canonical, column_extremes

EXACT_UP_TO = 2000  # features: float64 costs nothing there; float32 above
_EXACT_VALUES = 2**27  # nor where the profiles take at most a gigabyte
_FILLED = 0.2  # of the values of sparse rows, above which they are multiplied as dense ones
_SAMPLES_AT_ONCE = 4096  # longer float32 sums lose digits; their parts are added in float64

_RANKED_AT_ONCE = 2**18  # values
_CLIP = 2.0  # standard deviations beyond which a clipped profile does not follow its column


def profile_type(n: int, T: int) -> type:
    """Double precision where it costs nothing."""
    return np.float64 if n <= EXACT_UP_TO and n * T <= _EXACT_VALUES else np.float32


class Profiles:
    """What a graph needs of profiles, wherever they are: in memory, sparse, on a cluster."""

    shape: Any  # number of features, number of samples
    dtype: Any  # the precision of the products

    def present(self) -> np.ndarray:
        """1 for every column that varies, 0 for a constant one."""
        raise NotImplementedError

    def correlations(self, I: Any, J: Any) -> np.ndarray:
        """The block (I, J) of the correlation matrix."""
        raise NotImplementedError

    def row(self, i: int) -> np.ndarray:
        """The profile of feature i in double precision."""
        raise NotImplementedError

    def project(self, W: np.ndarray) -> np.ndarray:
        """Inner products (n_features, k) of all profiles with the columns of W (n_samples, k)."""
        raise NotImplementedError

    def squared_dot(self, V: np.ndarray) -> np.ndarray:
        """(R * R) V for the correlation matrix R, without R."""
        raise NotImplementedError

    def tiles(self, power: int, present: np.ndarray, budget: float) -> Any:
        """Products with |R|^power whose diagonal is ``present``, in at most ``budget`` bytes."""

        def redundancy(I: slice, J: slice) -> np.ndarray:
            tile = self.correlations(I, J)
            (np.abs if power == 1 else np.square)(tile, out=tile)
            if I == J:
                np.fill_diagonal(tile, present[I])
            return tile

        return Tiles(redundancy, self.shape[0], dtype=self.dtype, budget=budget)


@dataclass(frozen=True)
class DenseProfiles(Profiles):
    """Profiles of a dense table: ``rows`` of shape (n, T)."""

    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1]

    @property
    def dtype(self) -> Any:
        return self.rows.dtype

    def present(self) -> np.ndarray:
        return self.rows.any(axis=1).astype(float)

    def correlations(self, I: Any, J: Any) -> np.ndarray:
        return self._product(self.rows[I], self.rows[J])

    def row(self, i: int) -> np.ndarray:
        return self.rows[i].astype(np.float64)

    def project(self, W: np.ndarray) -> np.ndarray:
        return self._product(self.rows, W.T.astype(self.dtype))

    def _product(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        T = self.shape[1]
        if self.dtype == np.float64 or T <= 2 * _SAMPLES_AT_ONCE:
            return left @ right.T
        total = np.zeros((left.shape[0], right.shape[0]))
        for start in range(0, T, _SAMPLES_AT_ONCE):
            part = slice(start, start + _SAMPLES_AT_ONCE)
            total += left[:, part] @ right[:, part].T
        return total.astype(self.dtype)

    def squared_dot(self, V: np.ndarray) -> np.ndarray:
        """(R * R) V without R: z_i' (Z' diag(v) Z) z_i, O(n T^2) per vector."""
        n, T = self.shape
        V = V.astype(self.dtype, copy=False)
        blocks = column_blocks(n, T, max(2**18, T * T))  # a block's T x T sum should be worth it
        gram = np.zeros((V.shape[1], T, T))
        for part in stream(lambda rows: self.weighted_gram(rows, V), blocks):
            gram += part
        gram = gram.astype(self.dtype)
        return np.concatenate(threaded(lambda rows: self.forms(rows, gram), blocks))

    def weighted_gram(self, rows: slice, V: np.ndarray) -> np.ndarray:
        """Z' diag(v) Z over these features, for every column v of V."""
        block = self.rows[rows]
        return np.stack([block.T @ (block * v[rows, None]) for v in V.T])

    def forms(self, rows: slice, gram: np.ndarray) -> np.ndarray:
        """z_i' G z_i of these features, for every matrix G."""
        block = self.rows[rows]
        forms = [np.einsum("it,it->i", block @ one, block) for one in gram]
        return np.stack(forms, axis=1).astype(np.float64)


@dataclass(frozen=True)
class SparseProfiles(Profiles):
    """Profiles ``rows`` (n, T, sparse) + ``shift`` (n,) times ``along`` (T,).

    ``along`` is what a profile that shifts with all samples alike looks like: the roots of their
    weights, or ones.
    """

    rows: Any
    shift: np.ndarray
    along: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float64 if self.shape[0] <= EXACT_UP_TO else np.float32)

    def present(self) -> np.ndarray:
        return ((np.diff(self.rows.indptr) > 0) | (self.shift != 0)).astype(float)

    def correlations(self, I: Any, J: Any) -> np.ndarray:
        left, right = self.rows[I], self.rows[J]
        if left.nnz < _FILLED * left.shape[0] * left.shape[1]:
            block = (left @ right.T).toarray()
        else:
            block = (right @ left.toarray().T).T
        block += np.outer(left @ self.along, self.shift[J])
        total = self.along @ self.along
        block += np.outer(self.shift[I], right @ self.along + total * self.shift[J])
        return block.astype(self.dtype)

    def row(self, i: int) -> np.ndarray:
        return self.rows[[i]].toarray()[0] + self.shift[i] * self.along

    def project(self, W: np.ndarray) -> np.ndarray:
        return self.rows @ W + np.outer(self.shift, self.along @ W)

    def squared_dot(self, V: np.ndarray) -> np.ndarray:
        return np.stack([self._squared_dot_one(v) for v in V.T], axis=1)

    def _squared_dot_one(self, v: np.ndarray) -> np.ndarray:
        gram = (self.rows.T @ sparse.diags_array(v) @ self.rows).toarray()
        cross = np.outer(self.rows.T @ (v * self.shift), self.along)
        gram += cross + cross.T + (v @ self.shift**2) * np.outer(self.along, self.along)
        margins = gram @ self.along
        linear = 2 * self.shift * (self.rows @ margins) + self.shift**2 * (margins @ self.along)

        def forms(rows: slice) -> np.ndarray:
            block = self.rows[rows]
            return block.multiply(block @ gram).sum(axis=1)

        return linear + np.concatenate(threaded(forms, column_blocks(*self.shape)))


def unit_profiles(
    X: Any, kind: str = "spearman", dtype: Any = None, sample_weight: Any = None
) -> Profiles:
    """Profiles of the columns of X (n_samples, n_features).

    ``kind`` is "spearman" (ranks), "pearson" (values) or "clipped" (values, beyond two standard
    deviations cut off); ``dtype`` that of dense profiles, by default single precision above 2,000
    features. With ``sample_weight`` the correlations are weighted, and missing values (NaN) stand
    at the mean of their column; weighted ranks and missing values make the profiles of a sparse
    table dense.
    """
    if sparse.issparse(X) and (sample_weight is None or _stays_sparse(X, kind)):
        return sparse_profiles(canonical(sparse.csc_array(X)), kind, sample_weight)
    if getattr(X, "distributed", False):
        from inffs.graph.dask import dask_profiles

        return dask_profiles(X, kind, dtype, sample_weight)
    return dense_profiles(X, kind, dtype, sample_weight)


def _stays_sparse(X: Any, kind: str) -> bool:
    """Whether all zeros of a column keep one value where samples have weights."""
    return kind != "spearman" and not np.isnan(X.data).any()


def dense_profiles(
    X: Any, kind: str = "spearman", dtype: Any = None, sample_weight: np.ndarray | None = None
) -> DenseProfiles:
    """Profiles of a dense or lazy table; with weights also of a sparse one, block by block."""
    T, n = X.shape
    profiles = _room_for(n, T, np.dtype(dtype or profile_type(n, T)))
    if kind == "spearman":
        fill: Any = _fill_with_ranks if sample_weight is None else _fill_with_weighted_ranks
    else:
        fill = partial(_fill_with_values, clipped=kind == "clipped")
    few = max(1, _RANKED_AT_ONCE // T)

    def of_block(columns: slice) -> None:
        rows, out = np.ascontiguousarray(dense(X[:, columns]).T), profiles[columns]
        for start in range(0, rows.shape[0], few):
            fill(rows[start : start + few], out[start : start + few], sample_weight)

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


def _fill_with_ranks(columns: np.ndarray, out: np.ndarray, _: None = None) -> None:
    """Write the rank profiles of ``columns`` (one per row) to ``out``; ties get their mean rank."""
    places, twice = twice_the_ranks(columns)
    out.reshape(-1)[places] = _unit_rows(twice / 2 - columns.shape[1] / 2)


def twice_the_ranks(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the values of rows stand in rising order, and twice their mean ranks less 1/2.

    Places count through all rows. Without any ties there is one row of ranks.
    """
    count, T = columns.shape
    places = np.argsort(columns, axis=1)
    places += np.arange(0, count * T, T)[:, None]
    ranked = columns.take(places)
    first = np.ones((count, T), dtype=bool)  # of equal values
    np.not_equal(ranked[:, 1:], ranked[:, :-1], out=first[:, 1:])
    if first.all():
        return places, np.arange(1, 2 * T, 2)[None, :]
    starts = np.flatnonzero(first)
    sizes = np.diff(starts, append=count * T)
    return places, np.repeat(2 * (starts % T) + sizes, sizes).reshape(count, T)


def weighted_ranks(columns: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Centred mean ranks of rows with a weight for every value.

    The rank of a value is half the weight of equal values and all of that of lower ones, less half
    of all.
    """
    count, T = columns.shape
    order = np.argsort(columns, axis=1)  # a missing value comes last and weighs nothing
    ranked, weight = (np.take_along_axis(each, order, axis=1) for each in (columns, weight))
    first = np.ones((count, T), dtype=bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(starts, append=count * T)
    reached = np.cumsum(weight, axis=1)
    lower = np.where(starts % T > 0, reached.ravel()[starts - 1], 0.0)
    upper = reached.ravel()[starts + sizes - 1]
    middle = np.repeat((lower + upper) / 2, sizes).reshape(count, T)
    ranks = np.empty((count, T))
    np.put_along_axis(ranks, order, middle - reached[:, -1:] / 2, axis=1)
    return ranks


def _present(columns: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
    """The weight of every value: that of its sample, 0 where it is missing."""
    return np.where(np.isnan(columns), 0.0, sample_weight)


def _fill_with_weighted_ranks(
    columns: np.ndarray, out: np.ndarray, sample_weight: np.ndarray
) -> None:
    weight = _present(columns, sample_weight)
    out[:] = _unit_rows(weighted_ranks(columns, weight) * np.sqrt(weight))


def _fill_with_values(
    columns: np.ndarray,
    out: np.ndarray,
    sample_weight: np.ndarray | None = None,
    clipped: bool = False,
) -> None:
    """Write centred unit values; those beyond two standard deviations cut off where ``clipped``."""
    weight = None if sample_weight is None else _present(columns, sample_weight).T
    values = centred(columns.T, weight)
    if clipped:
        spread = np.sqrt(means(values**2, weight))
        values = centred(np.clip(values / positive(spread), -_CLIP, _CLIP), weight)
    out[:] = _unit_rows((values if weight is None else values * np.sqrt(weight)).T)


def clipped_rows(columns: np.ndarray) -> np.ndarray:
    """Clipped profiles of ``columns`` (one per row) in double precision; NaN stands at the mean."""
    out = np.empty(columns.shape)
    weight = np.ones(columns.shape[1]) if np.isnan(columns).any() else None
    _fill_with_values(columns, out, weight, clipped=True)
    return out


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / positive(np.sqrt(np.einsum("it,it->i", rows, rows)))[:, None]


def sparse_profiles(X: Any, kind: str, sample_weight: np.ndarray | None = None) -> SparseProfiles:
    """Profiles of a sparse table: the values less what all zeros share, and a shift per column."""
    X = X.astype(np.float64)
    X.eliminate_zeros()
    if kind == "spearman":
        zero = _ranks_of_zero(X)
        X = sparse.csc_array((_sparse_ranks(X), X.indices, X.indptr), shape=X.shape)
        X.data -= np.repeat(zero, np.diff(X.indptr))  # relative to the rank all zeros share
    columns = _SparseColumns(X, np.ones(X.shape[0]) if sample_weight is None else sample_weight)
    columns.centre()
    if kind == "clipped":
        columns.divide(columns.norms() / np.sqrt(columns.total))
        columns.clip(_CLIP)
        columns.centre()
    columns.divide(columns.norms())
    return columns.profiles()


class _SparseColumns:
    """Columns as their stored values and the value that all zeros of a column share.

    A column without zeros shares nothing and is centred itself, so that an offset costs nothing.
    """

    def __init__(self, X: Any, weight: np.ndarray) -> None:
        self.X, self.weight, self.total = X, weight, weight.sum()
        self.counts = np.diff(X.indptr)
        self.column = np.repeat(np.arange(X.shape[1]), self.counts)
        self.each = weight[X.indices]
        self.full = self.counts == X.shape[0]
        self.at_zero = np.where(self.full, 0.0, self.total - self._sums(np.ones(X.nnz)))
        self.data, self.zero = _in_units(X), np.zeros(X.shape[1])

    def _sums(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self.column, values * self.each, self.X.shape[1])

    def centre(self) -> None:
        """Less the mean, twice, as a rounded mean leaves an offset behind."""
        for _ in range(2):
            mean = (self._sums(self.data) + self.at_zero * self.zero) / self.total
            self.data -= mean[self.column]
            self.zero -= mean

    def norms(self) -> np.ndarray:
        return np.sqrt(self._sums(self.data**2) + self.at_zero * self.zero**2)

    def divide(self, by: np.ndarray) -> None:
        scale = np.divide(1.0, by, out=np.zeros_like(by), where=by > 0)
        self.data *= scale[self.column]
        self.zero *= scale

    def clip(self, most: float) -> None:
        np.clip(self.data, -most, most, out=self.data)
        np.clip(self.zero, -most, most, out=self.zero)

    def profiles(self) -> SparseProfiles:
        shift, along = np.where(self.full, 0.0, self.zero), np.sqrt(self.weight)
        data = (self.data - shift[self.column]) * along[self.X.indices]
        rows = sparse.csr_array((data, self.X.indices, self.X.indptr), shape=self.X.shape[::-1])
        return SparseProfiles(rows, shift, along)


def _in_units(X: Any) -> np.ndarray:
    """The stored values; in powers of two of their columns where squares would leave the range."""
    low, high = column_extremes(X)
    units = column_units(low, high)
    counts = np.diff(X.indptr)
    values = np.ldexp(X.data, -np.repeat(units, counts)) if units.any() else X.data.copy()
    values[np.repeat(low == high, counts)] = 0.0  # a rounded mean would leave noise of a constant
    return values


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
    order, starts = sorted_within_columns(X)
    sizes = np.diff(np.append(starts, X.nnz))
    mean_place = np.repeat(starts + (sizes - 1) / 2, sizes) - X.indptr[column]
    mean_place += np.where(X.data[order] > 0, (X.shape[0] - counts)[column], 0)
    ranks = np.empty(X.nnz)
    ranks[order] = mean_place
    return ranks


def sorted_within_columns(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The order of the stored values by column and value, and where each distinct value begins."""
    columns = list(pairwise(X.indptr))
    order = np.concatenate([a + np.argsort(X.data[a:b], kind="stable") for a, b in columns])
    ranked = X.data[order]
    first = np.ones(ranked.size, dtype=bool)
    first[1:] = ranked[1:] != ranked[:-1]
    first[[a for a, b in columns if a < b]] = True
    return order, np.flatnonzero(first)
