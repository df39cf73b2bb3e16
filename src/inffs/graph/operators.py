"""Graphs of features as linear operators: a product with vectors, and blocks of edges.

Every operator has ``dot(V)`` for V of shape (n, k), its transpose, and ``block(I, J)``, the edges
between two index sets; matrices with structure are never stored. ``precision`` is the relative
rounding error of the products, which decides when a walk stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inffs.graph.profiles import Profiles
from inffs.graph.tiles import Tiles

FLOAT64 = 1e-12
FLOAT32 = 1e-8


class Graph:
    """A weighted graph over n features; an edge is the value of two features together."""

    n: int
    symmetric: bool = True
    precision: float = FLOAT64
    rounding: float = 0.0  # row sums up to this are rounding errors of rows without edges

    def dot(self, V: np.ndarray) -> np.ndarray:
        """The adjacency matrix times V (n, k)."""
        raise TypeError(f"{type(self).__name__} has no product")

    def dot_transposed(self, V: np.ndarray) -> np.ndarray:
        """The transposed adjacency matrix times V (n, k)."""
        if not self.symmetric:
            raise TypeError(f"{type(self).__name__} has no transposed product")
        return self.dot(V)

    def block(self, I: Any, J: Any) -> np.ndarray:
        """The edges from the features I to the features J, as a dense array."""
        raise TypeError(f"{type(self).__name__} has no blocks")


class RankOne(Graph):
    """A_ij = u_i v_j: O(n) per product."""

    def __init__(self, u: np.ndarray, v: np.ndarray | None = None) -> None:
        self.u = np.asarray(u, dtype=float)
        self.v = self.u if v is None else np.asarray(v, dtype=float)
        self.n = self.u.size
        self.symmetric = v is None or np.array_equal(self.u, self.v)

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self.u[:, None] * (self.v @ V)

    def dot_transposed(self, V: np.ndarray) -> np.ndarray:
        return self.v[:, None] * (self.u @ V)

    def block(self, I: Any, J: Any) -> np.ndarray:
        return np.outer(self.u[I], self.v[J])


class PairwiseMax(Graph):
    """A_ij = max(s_i, s_j): O(n) per product after one sort, by two prefix sums."""

    def __init__(self, s: np.ndarray) -> None:
        self.s = np.asarray(s, dtype=float)
        self.n = self.s.size
        self._order = np.argsort(self.s, kind="stable")

    def dot(self, V: np.ndarray) -> np.ndarray:
        rising = self.s[self._order, None]
        sorted_V = V[self._order]
        weighted = np.cumsum(rising * sorted_V, axis=0)
        sums = rising * np.cumsum(sorted_V, axis=0) + (weighted[-1] - weighted)
        out = np.empty_like(sums)
        out[self._order] = sums
        return out

    def block(self, I: Any, J: Any) -> np.ndarray:
        return np.maximum.outer(self.s[I], self.s[J])


class Decorrelated(Graph):
    """A_ij = 1 - |R_ij|^power, R the correlations of the profiles.

    Power 2 needs no n x n matrix where samples are fewer than features: O(n T^2) per product. All
    else is computed by BLAS tiles: O(n^2 T) once and O(n^2) per product where ``budget`` bytes hold
    the tiles, O(n^2 T) per product otherwise.
    """

    def __init__(self, profiles: Profiles, budget: float = 0.0, power: int = 1) -> None:
        self._profiles, self._power = profiles, power
        self._present = profiles.present()
        self.n, T = profiles.shape
        self.precision = FLOAT64 if profiles.dtype == np.float64 else FLOAT32
        # how far a row sum of 1 - |R| may be from 0 where every |R| is 1
        self.rounding = 16 * float(np.finfo(profiles.dtype).eps) * self.n
        if power == 2 and self.n > T:
            self._redundancy = profiles.squared_dot
        else:
            self._redundancy = profiles.tiles(power, self._present, budget).dot

    def dot(self, V: np.ndarray) -> np.ndarray:
        return V.sum(axis=0) - self._redundancy(V)

    def block(self, I: Any, J: Any) -> np.ndarray:
        """Exact where a feature meets itself."""
        rows, columns = np.arange(self.n)[I], np.arange(self.n)[J]
        redundancy = np.minimum(np.abs(self._profiles.correlations(I, J)), 1.0) ** self._power
        same = rows[:, None] == columns[None, :]
        return 1.0 - np.where(same, self._present[rows][:, None], redundancy)


class Blocks(Graph):
    """A graph from a function ``edges(I, J)`` of two slices, whose blocks are checked.

    The n^2 edges are computed in tiles, which are stored if ``budget`` bytes hold them.
    """

    def __init__(
        self,
        edges: Callable[[slice, slice], np.ndarray],
        n: int,
        *,
        symmetric: bool = True,
        budget: float = 0.0,
        precision: float = FLOAT64,
    ) -> None:
        self.n, self.symmetric, self.precision = n, symmetric, precision
        self._edges = edges
        self._tiles = Tiles(self._checked, n, symmetric=symmetric, budget=budget, threads=False)

    def _checked(self, I: slice, J: slice) -> np.ndarray:
        tile = np.asarray(self._edges(I, J), dtype=float)
        expected = (I.stop - I.start, J.stop - J.start)
        if tile.shape != expected:
            raise ValueError(
                f"The relation returned a block of shape {tile.shape} for {expected[0]} by "
                f"{expected[1]} features: it must return one value per pair."
            )
        check_edges(tile, I.start, J.start)
        if self.symmetric and I == J and not np.allclose(tile, tile.T, rtol=1e-9, atol=1e-12):
            raise ValueError(
                "The relation is not symmetric: set symmetric=False, and paths follow the "
                "direction from the first feature to the second."
            )
        return tile

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._tiles.dot(V)

    def dot_transposed(self, V: np.ndarray) -> np.ndarray:
        return self._tiles.dot(V, transposed=not self.symmetric)

    def block(self, I: Any, J: Any) -> np.ndarray:
        if isinstance(I, slice) and isinstance(J, slice):
            return self._checked(slice(*I.indices(self.n)[:2]), slice(*J.indices(self.n)[:2]))
        rows, columns = np.arange(self.n)[I], np.arange(self.n)[J]
        edges = [[self._checked(slice(i, i + 1), slice(j, j + 1)) for j in columns] for i in rows]
        return np.block(edges)


class Matrix(Graph):
    """A graph with a stored adjacency matrix."""

    def __init__(self, matrix: np.ndarray) -> None:
        self._matrix = matrix
        self.n = matrix.shape[0]
        self.symmetric = bool(np.array_equal(matrix, matrix.T))

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._matrix @ V

    def dot_transposed(self, V: np.ndarray) -> np.ndarray:
        return self._matrix.T @ V

    def block(self, I: Any, J: Any) -> np.ndarray:
        return self._matrix[I][:, J]


class Sum(Graph):
    """A weighted sum of graphs: the parts' products, added."""

    def __init__(self, weights: Sequence[float], parts: Sequence[Graph]) -> None:
        self.weights, self.parts = list(weights), list(parts)
        self.n = self.parts[0].n
        self.symmetric = all(part.symmetric for part in self.parts)
        self.precision = max(part.precision for part in self.parts)
        pairs = zip(self.weights, self.parts, strict=True)
        self.rounding = sum(weight * part.rounding for weight, part in pairs)

    def _added(self, give: Callable[[Graph], np.ndarray]) -> np.ndarray:
        pairs = zip(self.weights, self.parts, strict=True)
        return np.sum([weight * give(part) for weight, part in pairs], axis=0)

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._added(lambda part: part.dot(V))

    def dot_transposed(self, V: np.ndarray) -> np.ndarray:
        return self._added(lambda part: part.dot_transposed(V))

    def block(self, I: Any, J: Any) -> np.ndarray:
        return self._added(lambda part: part.block(I, J))


class Modulated(Graph):
    """(u v') * B elementwise; the product u * (B (v * x)) uses the structure of B."""

    def __init__(self, rank_one: RankOne, graph: Graph) -> None:
        self._rank_one, self._graph = rank_one, graph
        self.n, self.precision = graph.n, graph.precision
        self.symmetric = rank_one.symmetric and graph.symmetric
        self.rounding = graph.rounding * float(
            rank_one.u.max(initial=0) * rank_one.v.max(initial=0)
        )

    def dot(self, V: np.ndarray) -> np.ndarray:
        return self._rank_one.u[:, None] * self._graph.dot(self._rank_one.v[:, None] * V)

    def dot_transposed(self, V: np.ndarray) -> np.ndarray:
        inner = self._graph.dot_transposed(self._rank_one.u[:, None] * V)
        return self._rank_one.v[:, None] * inner

    def block(self, I: Any, J: Any) -> np.ndarray:
        return self._rank_one.block(I, J) * self._graph.block(I, J)


def multiply(left: Graph, right: Graph, budget: float = 0.0) -> Graph:
    """The elementwise product: structured where one side is rank one, by blocks otherwise."""
    if isinstance(left, RankOne) and isinstance(right, RankOne):
        return RankOne(left.u * right.u, left.v * right.v)
    if isinstance(left, RankOne):
        return Modulated(left, right)
    if isinstance(right, RankOne):
        return Modulated(right, left)
    return Blocks(
        lambda I, J: left.block(I, J) * right.block(I, J),
        left.n,
        symmetric=left.symmetric and right.symmetric,
        budget=budget,
        precision=max(left.precision, right.precision),
    )


def check_edges(values: np.ndarray, row: int = 0, column: int = 0) -> None:
    """Refuse edges that are negative or not finite, naming the first such pair."""
    good = np.isfinite(values) & (values >= 0)
    if not good.all():
        i, j = np.argwhere(~good)[0]
        raise ValueError(
            f"The relation returned {values[i, j]} for the features {row + i} and {column + j}: "
            "values must be finite and not negative."
        )
