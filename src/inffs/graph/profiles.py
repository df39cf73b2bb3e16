"""Columns as unit vectors, so that a correlation is an inner product.

A profile is a column, or its ranks, centred and scaled to norm 1; a constant column has profile 0.
Dense tables give an (n, T) array, one feature a row. In a sparse column all zeros share one rank,
so its centred profile is a sparse vector plus a constant: nothing is made dense but the tile that
is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.threads import column_blocks, stream, threaded
from inffs.graph.tiles import Tiles

EXACT_UP_TO = 2000  # features: float64 costs nothing there; float32 above
_EXACT_VALUES = 2**27  # nor where the profiles take at most a gigabyte
_FILLED = 0.2  # of the values of sparse rows, above which they are multiplied as dense ones
_SAMPLES_AT_ONCE = 4096  # longer float32 sums lose digits; their parts are added in float64


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
