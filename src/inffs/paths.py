"""The value of all paths of every length, by a short Krylov walk.

The paper (Eq. 14) inverts I - rA; here k products with A build a basis Q of the space that A^l e
lives in, and c = sqrt(n) Q f(r Q'AQ) e_1 (Lanczos; Arnoldi where A is not symmetric). The same
basis gives every finite length, both regularisations and any other generating function. About
eight products reach machine precision for the graphs of the paper; the walk ends when the scores
no longer change.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, cg, gmres
from sklearn.exceptions import ConvergenceWarning

from inffs._utils.progress import expect_passes, in_passes
from inffs.graph.operators import Graph, RankOne

MAX_STEPS = 300
USUAL_STEPS = 5  # for large tables; used to estimate the remaining time
Series = str | Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Regularization:
    """The rule for the weight r of an edge."""

    kind: str = "spectral"
    factor: float = 0.9
    series: Series = "geometric"

    def __post_init__(self) -> None:
        origin = float(self.on_numbers(np.zeros(1))[0])
        if abs(origin) > 1e-12:
            raise ValueError(
                f"The series must be 0 at 0 (paths have at least one edge); it gave {origin:g}."
            )

    def r(self, spectral_radius: float, largest_row_sum: float) -> float:
        bound = spectral_radius if self.kind == "spectral" else largest_row_sum
        return self.factor / bound if bound > 0 else 0.0

    def on_numbers(self, x: np.ndarray | float) -> Any:
        """f(x), the sum of the terms of the series from length 1 on."""
        if callable(self.series):
            return np.asarray(self.series(np.asarray(x)))
        return x / (1 - x) if self.series == "geometric" else np.expm1(x)

    def on_matrix(self, matrix: np.ndarray, symmetric: bool) -> np.ndarray:
        """f(matrix) e_1 for a small matrix."""
        if self.series == "geometric":
            one = np.eye(matrix.shape[0])
            return np.linalg.solve(one - matrix, matrix[:, 0])
        if symmetric:
            values, vectors = np.linalg.eigh(matrix)
            return vectors @ (self.on_numbers(values) * vectors[0])
        if self.series == "exponential":
            return linalg.expm(matrix)[:, 0] - np.eye(matrix.shape[0])[:, 0]
        return np.real(linalg.funm(matrix, self.on_numbers)[:, 0])


@dataclass(frozen=True)
class Paths:
    """The paths of a graph, by the indices of the features of the input.

    Features that are not in the graph (constant columns) have score 0. ``scores`` needs only the
    small basis of the walk. ``visits``, ``between`` and ``value`` need the graph, which fitted
    selectors do not store; ``selector.trace_paths(X, y)`` returns paths with their graph.
    """

    regularization: Regularization
    spectral_radius: float
    row_sums: np.ndarray
    steps: int
    basis: np.ndarray
    projected: np.ndarray
    symmetric: bool
    columns: np.ndarray
    copies: np.ndarray
    n_features: int
    graph: Graph | None = None

    @property
    def r(self) -> float:
        """The weight of an edge: paths of length l are weighted by r^l."""
        largest = float(self.row_sums.max(initial=0.0))
        return self.regularization.r(self.spectral_radius, largest)

    def scores(self, length: int | None = None) -> np.ndarray:
        """Return the value of the paths of one length, or of all lengths (paper, Eq. 12)."""
        matrix = self.r * self.projected
        if length is None:
            weights = self.regularization.on_matrix(matrix, self.symmetric)
        else:
            weights = np.linalg.matrix_power(matrix, _length(length))[:, 0]
        values = np.sqrt(self.basis.shape[0]) * (self.basis @ weights)
        return self._spread(values[self.copies])

    def stop_probabilities(self) -> np.ndarray:
        """Return the probability that the walk ends at each feature (paper, Sec. 3.5)."""
        if self.regularization.kind != "markov":
            raise ValueError("Stop probabilities need regularization='markov'.")
        return self._spread(1.0 - self.r * self.row_sums, outside=1.0)

    def visits(self, i: int) -> np.ndarray:
        """Return the expected visits of a walk from one feature to every feature."""
        graph, node = self._graph(), self._node(i)
        if node is None:
            return np.eye(1, self.n_features, i)[0]
        start = np.zeros(graph.n)
        start[node] = 1.0
        operator = LinearOperator(
            (graph.n, graph.n),
            matvec=lambda x: x - self.r * graph.dot_transposed(x.reshape(-1, 1)).ravel(),
            dtype=float,
        )
        solve = cg if self.symmetric else gmres
        visits, left = solve(operator, start, rtol=max(1e-12, graph.precision), maxiter=1000)
        if left:
            warnings.warn("The visits have not converged.", ConvergenceWarning, stacklevel=2)
        return self._spread(visits)

    def between(self, i: int, j: int, length: int) -> float:
        """Return the value of all paths of one length between two features."""
        graph, start, end = self._graph(), self._node(i), self._node(j)
        if start is None or end is None:
            return 0.0
        vector = np.zeros((graph.n, 1))
        vector[end] = 1.0
        for _ in range(_length(length)):
            vector = self.r * graph.dot(vector)
        return float(vector[start, 0])

    def value(self, path: Any) -> float:
        """Return the value of one path, the product of its edges (paper, Eq. 7)."""
        graph, nodes = self._graph(), [self._node(i) for i in path]
        if len(nodes) < 2:
            raise ValueError("A path needs at least two features.")
        edges = [
            0.0 if i is None or j is None else graph.block([i], [j])[0, 0]
            for i, j in pairwise(nodes)
        ]
        return float(np.prod(edges))

    def without_graph(self) -> Paths:
        """Return the same paths without the graph, which may be large."""
        return replace(self, graph=None)

    def _graph(self) -> Graph:
        if self.graph is None:
            raise ValueError(
                "A fitted selector does not store the graph: call selector.trace_paths(X, y)."
            )
        return self.graph

    def _node(self, feature: int) -> int | None:
        """The node of a feature; None if the feature is not in the graph."""
        if not 0 <= feature < self.n_features:
            raise ValueError(f"There is no feature {feature}: they are 0 to {self.n_features - 1}.")
        places = np.flatnonzero(self.columns == feature)
        return int(places[0]) if places.size else None

    def _spread(self, values: np.ndarray, outside: float = 0.0) -> np.ndarray:
        out = np.full(self.n_features, outside)
        out[self.columns] = values
        return out


class _RankOnePaths(Paths):
    """Paths of A = u v' in closed form: A^l e = u (v.u)^(l-1) (v.e)."""

    def scores(self, length: int | None = None) -> np.ndarray:
        if self.spectral_radius == 0:
            return self._spread(np.zeros(self.basis.shape[0]))
        x = self.r * self.spectral_radius
        series = self.regularization.on_numbers(x) if length is None else x ** _length(length)
        values = self.row_sums * (float(series) / self.spectral_radius)
        return self._spread(values[self.copies])


def walk(graph: Graph, regularization: Regularization | None = None) -> Paths:
    """Walk the graph until its scores no longer change."""
    regularization = regularization or Regularization()
    everything = np.arange(graph.n)
    known: dict[str, Any] = {
        "regularization": regularization, "symmetric": graph.symmetric, "graph": graph,
        "columns": everything, "copies": everything, "n_features": graph.n,
    }  # fmt: skip
    if isinstance(graph, RankOne):
        return _RankOnePaths(
            spectral_radius=float(graph.v @ graph.u),
            row_sums=graph.u * graph.v.sum(),
            steps=1,
            basis=np.zeros((graph.n, 0)),
            projected=np.zeros((0, 0)),
            **known,
        )
    krylov = _Krylov(graph, regularization)
    _follow(krylov, graph)
    return Paths(
        spectral_radius=krylov.radius(),
        row_sums=krylov.row_sums,
        steps=krylov.steps,
        basis=np.stack(krylov.basis[: krylov.steps], axis=1),
        projected=krylov.matrix(),
        **known,
    )


def _follow(krylov: _Krylov, graph: Graph) -> None:
    """Take steps until the walk has ended."""
    with in_passes(USUAL_STEPS):
        for _ in range(min(graph.n, MAX_STEPS)):
            krylov.add(graph.dot(krylov.basis[-1][:, None])[:, 0])
            if krylov.ended:
                return
            expect_passes(krylov.expected)
    if graph.n > MAX_STEPS:
        warnings.warn(
            f"The scores still change after {MAX_STEPS} steps: lower the factor.",
            ConvergenceWarning,
            stacklevel=4,
        )


class _Krylov:
    """An orthonormal basis of the space that A^l e lives in, and the graph projected on it.

    Re-orthogonalised in full (twice is enough), so Lanczos and Arnoldi are one recursion; the
    projection of a symmetric graph is symmetrised.
    """

    def __init__(self, graph: Graph, regularization: Regularization) -> None:
        self._graph, self._regularization, self.n = graph, regularization, graph.n
        self.basis = [np.full(self.n, 1 / np.sqrt(self.n))]
        self._columns: list[np.ndarray] = []
        self.steps, self.expected = 0, USUAL_STEPS
        self.row_sums = np.zeros(self.n)
        self.ended = False
        self._last: np.ndarray | None = None
        self._moves: list[float] = []

    def add(self, image: np.ndarray) -> None:
        """Take a step with the image of the last vector, and decide whether it is the last one."""
        self.ended = self._step(image)
        if not self.ended and self.steps > 16 and self.steps % 8:
            return  # in a long walk every eighth step is checked
        scores = self.scores()
        if self._last is not None:
            moved = _largest_move(scores, scores - self._last, self._graph.precision)
            self._moves.append(moved)
            self.ended = self.ended or moved <= 1
        self._last = scores
        if self.steps < 16 and not self.ended:
            self.expected = self.steps + _steps_left(self._moves)

    def _step(self, new: np.ndarray) -> bool:
        """Add one basis vector; True if the basis is complete."""
        if self.steps == 0:
            if new.max() * np.sqrt(self.n) <= self._graph.rounding:
                new = np.zeros(self.n)
            self.row_sums = new * np.sqrt(self.n)
        size = np.linalg.norm(new)
        column = np.zeros(self.steps + 2)
        for _ in range(2):
            for place, vector in enumerate(self.basis):
                part = vector @ new
                column[place] += part
                new = new - part * vector
        norm = np.linalg.norm(new)
        column[-1] = norm if norm > 1e-13 * size else 0.0
        self._columns.append(column)
        self.basis.append(new / norm if column[-1] else np.zeros(self.n))
        self.steps += 1
        return not column[-1]

    def matrix(self) -> np.ndarray:
        """The projected adjacency matrix."""
        out = np.zeros((self.steps, self.steps))
        for place, column in enumerate(self._columns):
            height = min(column.size, self.steps)
            out[:height, place] = column[:height]
        return (out + out.T) / 2 if self._graph.symmetric else out

    def radius(self) -> float:
        matrix, symmetric = self.matrix(), self._graph.symmetric
        values = np.linalg.eigvalsh(matrix) if symmetric else np.linalg.eigvals(matrix).real
        return max(0.0, float(values.max()))

    def scores(self) -> np.ndarray:
        r = self._regularization.r(self.radius(), float(self.row_sums.max()))
        weights = self._regularization.on_matrix(r * self.matrix(), self._graph.symmetric)
        out = np.zeros(self.n)
        for vector, weight in zip(self.basis, weights, strict=False):
            out += vector * (np.sqrt(self.n) * weight)
        return out


def _largest_move(scores: np.ndarray, moved: np.ndarray, tolerance: float) -> float:
    """The largest change of a score, relative to the tolerance."""
    size, moved = np.abs(scores), np.abs(moved)
    allowed = tolerance * (size + 1e-3 * size.max(axis=0))
    with np.errstate(divide="ignore", over="ignore"):
        moved = np.divide(moved, allowed, out=np.zeros_like(moved), where=moved > 0)
    return float(moved.max())


def _steps_left(moves: list[float]) -> int:
    """Steps until the moves, falling as in the last step, are below 1; at first the usual ones."""
    if len(moves) < 2:
        return max(1, USUAL_STEPS - 1 - len(moves))
    rate = moves[-1] / moves[-2]
    return max(1, int(np.ceil(-np.log(moves[-1]) / np.log(rate)))) if rate < 1 else USUAL_STEPS


def _length(length: int) -> int:
    if length < 1:
        raise ValueError(f"length must be at least 1, as a path has an edge, not {length}.")
    return int(length)
