"""A dense n x n matrix by tiles: never whole, stored only where that pays and fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from inffs._utils.threads import stream

STORED_SHAPE = (256, 512)  # small enough for the quick way of BLAS with a few vectors
PASSING_SHAPE = (256, 1024)


def walk_half(
    block: Callable[[slice, slice], np.ndarray],
    n: int,
    shape: tuple[int, int],
    begin: Callable[[int], Any],
    visit: Callable[[Any, slice, slice, np.ndarray], None],
    what: str = "",
    threads: bool = True,
) -> Iterator[tuple[int, Any]]:
    """Every tile of the upper half of a symmetric n x n matrix once, strip by strip.

    ``block(I, J)`` makes a tile; ``begin(start)`` gives a strip something of its own to add to (for
    the n - start features from its first row on), ``visit(own, I, J, tile)`` adds a tile and, where
    I is not J, its mirror image. Strips run on threads and come in order: (start, own).
    """
    height, width = shape

    def strip(start: int) -> tuple[int, Any]:
        own, I = begin(start), slice(start, min(start + height, n))
        visit(own, I, I, block(I, I))
        for left in range(I.stop, n, width):
            J = slice(left, min(left + width, n))
            visit(own, I, J, block(I, J))
        return start, own

    starts = range(0, n, height)
    tiles = [1 + -(-max(0, n - start - height) // width) for start in starts]
    yield from stream(strip, starts, what, threads, tiles)


class Tiles:
    """Products with a matrix that is known by its blocks.

    ``block(I, J)`` gives the entries of two slices. A symmetric matrix is computed by half, and
    each tile serves both of its products. Tiles are kept as long as ``budget`` bytes hold them and
    computed anew in every product otherwise. Products are summed in a fixed order, so the answer
    does not depend on the number of threads.
    """

    def __init__(
        self,
        block: Callable[..., np.ndarray],
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
        k, n = V.shape[1], self._n
        V = np.pad(V.astype(self._dtype), ((0, 0), (0, k == 3)))  # BLAS takes four quicker
        total = np.zeros(V.shape)

        def begin(start: int) -> np.ndarray:
            return np.empty((n - start, V.shape[1]))

        def visit(part: np.ndarray, I: slice, J: slice, tile: np.ndarray) -> None:
            if I == J:  # comes first
                part[: I.stop - I.start] = tile @ V[J]
                return
            part[: I.stop - I.start] += tile @ V[J]
            part[J.start - I.start : J.stop - I.start] = tile.T @ V[I]

        def strip(start: int) -> tuple[int, np.ndarray]:
            I = slice(start, min(start + self.shape[0], n))
            part = np.zeros((I.stop - start, V.shape[1]))
            for left in range(0, n, self.shape[1]):
                J = slice(left, min(left + self.shape[1], n))
                part += self._block(J, I).T @ V[J] if transposed else self._tile(I, J) @ V[J]
            return start, part

        what = "walking the graph"
        if self._symmetric:
            strips = walk_half(self._tile, n, self.shape, begin, visit, what, self._threads)
        else:
            starts = range(0, n, self.shape[0])
            tiles = [-(-n // self.shape[1])] * len(starts)
            strips = stream(strip, starts, what, self._threads, tiles)
        for start, part in strips:
            total[start : start + part.shape[0]] += part
        return total[:, :k]

    def _tile(self, I: slice, J: slice) -> np.ndarray:
        if not self._keep:
            return self._block(I, J)
        key = (I.start, J.start)
        if key not in self._kept:
            self._kept[key] = self._block(I, J)
        return self._kept[key]
