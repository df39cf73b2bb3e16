"""A dense n x n matrix by tiles: never whole, stored only where that pays and fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inffs._engine.threads import stream

STORED_SHAPE = (512, 2048)
PASSING_SHAPE = (256, 1024)


class Tiles:
    """Products with a matrix that is known by its blocks.

    ``block(I, J)`` gives the entries of two slices. A symmetric matrix is computed by half, and
    each tile serves both of its products. Tiles are kept as long as ``budget`` bytes hold them and
    computed anew in every product otherwise. Products are summed in a fixed order, so the answer
    does not depend on the number of threads.
    """

    def __init__(
        self,
        block: Callable[[slice, slice], np.ndarray],
        n: int,
        *,
        symmetric: bool = True,
        dtype: Any = np.float64,
        budget: float = 0.0,
        threads: bool = True,
    ) -> None:
        self._block = block
        self._n = n
        self._symmetric = symmetric
        self._dtype = np.dtype(dtype)
        self._threads = threads
        whole = self._dtype.itemsize * n * (n + STORED_SHAPE[0]) / (2 if symmetric else 1)
        self._keep = whole <= budget
        self.shape = STORED_SHAPE if self._keep else PASSING_SHAPE
        self._kept: dict[tuple[int, int], np.ndarray] = {}

    def dot(self, V: np.ndarray, transposed: bool = False) -> np.ndarray:
        """The matrix, or its transpose, times V of shape (n, k)."""
        V = V.astype(self._dtype)
        total = np.zeros(V.shape)
        starts = range(0, self._n, self.shape[0])
        strip = self._symmetric_strip if self._symmetric else self._plain_strip

        def of_strip(start: int) -> tuple[int, np.ndarray]:
            return strip(start, V, transposed)

        tiles = [self._tiles_in(start) for start in starts]
        for start, part in stream(of_strip, starts, "walking the graph", self._threads, tiles):
            total[start : start + part.shape[0]] += part
        return total

    def _tiles_in(self, start: int) -> int:
        """Tiles of the strip of rows from ``start``: of a symmetric matrix the later ones."""
        left = min(start + self.shape[0], self._n) if self._symmetric else 0
        return -(-(self._n - left) // self.shape[1]) + int(self._symmetric)

    def _symmetric_strip(self, start: int, V: np.ndarray, _: bool) -> tuple[int, np.ndarray]:
        """What the rows from ``start`` and their mirror image add to the entries from there on."""
        I = slice(start, min(start + self.shape[0], self._n))
        part = np.zeros((self._n - start, V.shape[1]))
        height = I.stop - start
        part[:height] += self._tile(I, I) @ V[I]
        for left in range(I.stop, self._n, self.shape[1]):
            J = slice(left, min(left + self.shape[1], self._n))
            tile = self._tile(I, J)
            part[:height] += tile @ V[J]
            part[J.start - start : J.stop - start] += tile.T @ V[I]
        return start, part

    def _plain_strip(self, start: int, V: np.ndarray, transposed: bool) -> tuple[int, np.ndarray]:
        I = slice(start, min(start + self.shape[0], self._n))
        part = np.zeros((I.stop - start, V.shape[1]))
        for left in range(0, self._n, self.shape[1]):
            J = slice(left, min(left + self.shape[1], self._n))
            part += self._block(J, I).T @ V[J] if transposed else self._tile(I, J) @ V[J]
        return start, part

    def _tile(self, I: slice, J: slice) -> np.ndarray:
        if not self._keep:
            return self._block(I, J)
        key = (I.start, J.start)
        if key not in self._kept:
            self._kept[key] = self._block(I, J)
        return self._kept[key]
