"""A number per pair of features: small objects that scale, add and multiply.

``0.3 * Dispersion() + 0.7 * Decorrelation()`` is the graph of Inf-FS_U at alpha = 0.3;
``Coupling() * Decorrelation(power=2)`` a supervised graph that knows redundancy. A relation says
what the edges are; bound to a table it becomes a :class:`inffs.graph.operators.Graph`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from inffs import measures
from inffs.evaluation.kinds import is_survival
from inffs.graph import operators as graph
from inffs.graph import unit_profiles
from inffs.measures.batch import class_measures, rescale
from inffs.measures.continuous import as_codes, is_continuous
from inffs.measures.survival import ordering


@dataclass(frozen=True)
class BoundTable:
    """What a relation is bound to: the columns in the graph and where they stood in the input."""

    X: Any
    y: Any = None
    columns: np.ndarray | None = None
    n_features: int | None = None
    budget: float = 0.0
    sample_weight: np.ndarray | None = None

    @property
    def n(self) -> int:
        return int(self.X.shape[1])

    def of_nodes(self, values: np.ndarray, axes: int = 1) -> np.ndarray:
        """Restrict what was given for all features of the input to those in the graph."""
        if self.columns is None or values.shape[0] == self.n:
            return values
        if values.shape[0] != self.n_features:
            raise ValueError(
                f"The relation has values for {values.shape[0]} features, "
                f"but the table has {self.n_features}."
            )
        return values[self.columns] if axes == 1 else values[np.ix_(self.columns, self.columns)]


class Relation:
    """Base of all relations; ``bind(table)`` gives the graph."""

    def bind(self, table: BoundTable) -> graph.Graph:
        raise TypeError(f"{type(self).__name__} does not say how to bind to a table")

    def label_weights(self) -> tuple[float, float]:
        """How much the Fisher criterion and the mutual information of a feature weigh in it."""
        return 0.0, 0.0

    def __add__(self, other: Any) -> Relation:
        if not isinstance(other, Relation):
            return NotImplemented
        return WeightedSum((*_terms(self), *_terms(other)))

    def __mul__(self, other: Any) -> Relation:
        if isinstance(other, Relation):
            return Product(self, other)
        if isinstance(other, Real):
            return WeightedSum(tuple((_weight(other) * w, part) for w, part in _terms(self)))
        return NotImplemented

    __rmul__ = __mul__


@dataclass(frozen=True)
class Dispersion(Relation):
    """max(sigma_i, sigma_j), sigma the standard deviations over their maximum (paper, Eq. 2).

    ``scale="minmax"`` maps the smallest pair to 0 and the largest to 1, as the published programs
    do.
    """

    scale: str = "max"

    def bind(self, table: BoundTable) -> graph.Graph:
        _choose("scale", self.scale, ("max", "minmax"))
        sigma = measures.dispersion(table.X, table.sample_weight)
        return graph.PairwiseMax(rescale(sigma) if self.scale == "minmax" else sigma)


@dataclass(frozen=True)
class Decorrelation(Relation):
    """1 - abs(correlation)^power of two features (paper, Eq. 2, with "spearman" and power 1).

    Power 2 is a relation of its own, cheap for any number of features when samples are few: its
    product needs no n x n matrix.
    """

    kind: str = "spearman"
    power: int = 1

    def bind(self, table: BoundTable) -> graph.Graph:
        _choose("kind", self.kind, ("spearman", "pearson"))
        _choose("power", self.power, (1, 2))
        profiles = unit_profiles(table.X, self.kind, sample_weight=table.sample_weight)
        n, T = profiles.shape
        if self.power == 2 and n > T:
            return graph.SquaredDecorrelated(profiles)
        return graph.Decorrelated(profiles, table.budget, self.power)


@dataclass(frozen=True)
class Coupling(Relation):
    """s_i s_j with s = a1 Fisher + a2 mutual information + a3 dispersion (paper, Sec. 3.2).

    For a target of numbers the squared correlation stands in the place of Fisher, and the mutual
    information is that with the target in bins of equal frequency. For survival times the score
    test of a Cox model and the concordance stand in their places.
    """

    weights: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3)
    bins: int | str = "auto"

    def bind(self, table: BoundTable) -> graph.Graph:
        return graph.RankOne(self.weigh(self.measure(table.X, table.y, table.sample_weight)))

    def label_weights(self) -> tuple[float, float]:
        return self.weights[0], self.weights[1]

    def measure(self, X: Any, y: Any, sample_weight: np.ndarray | None = None) -> list[np.ndarray]:
        """The three measures, each computed only where its weight asks for it."""
        if y is None and (self.weights[0] or self.weights[1]):
            raise ValueError("Coupling weighs features by class: it needs y.")
        if sample_weight is None and all(self.weights) and _are_classes(y):
            return class_measures(X, y, self.bins)
        makers: tuple[Callable[[], np.ndarray], ...] = (
            lambda: _separation(X, y, sample_weight),
            lambda: _information(X, y, self.bins, sample_weight),
            lambda: measures.dispersion(X, sample_weight),
        )
        skipped = np.zeros(X.shape[1])
        return [
            make() if alpha else skipped for make, alpha in zip(makers, self.weights, strict=True)
        ]

    def weigh(self, parts: list[np.ndarray]) -> np.ndarray:
        """s, from the measures."""
        return np.sum([a * part for a, part in zip(self.weights, parts, strict=True)], axis=0)


@dataclass(frozen=True, eq=False)
class Outer(Relation):
    """u_i v_j; u, and v if it is another, hold a value per feature: arrays or functions of X, y."""

    u: Any
    v: Any = None

    def bind(self, table: BoundTable) -> graph.Graph:
        u = self._vector(self.u, table)
        v = None if self.v is None else self._vector(self.v, table)
        return graph.RankOne(u, v)

    @staticmethod
    def _vector(given: Any, table: BoundTable) -> np.ndarray:
        values = np.asarray(given(table.X, table.y) if callable(given) else given, dtype=float)
        values = table.of_nodes(values)
        if values.shape != (table.n,):
            raise ValueError(
                f"Outer needs one value per feature: {table.n} of them, not {values.shape}."
            )
        graph.check_edges(values[:, None])
        return values


@dataclass(frozen=True, eq=False)
class Precomputed(Relation):
    """An n x n matrix that is already there; it need not be symmetric."""

    matrix: Any

    def bind(self, table: BoundTable) -> graph.Graph:
        matrix = np.asarray(self.matrix, dtype=float)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"Precomputed needs a square matrix, not one of {matrix.shape}.")
        graph.check_edges(matrix)
        matrix = table.of_nodes(matrix, axes=2)
        if matrix.shape[0] != table.n:
            raise ValueError(
                f"The precomputed relation is of {matrix.shape[0]} features, "
                f"the table has {table.n}."
            )
        return graph.Matrix(matrix)


@dataclass(frozen=True)
class Pairwise(Relation):
    """The user's own function, positive and the higher the better the two are together.

    ``function(f, g)`` takes two columns of T values and returns a number, or with ``blocks=True``
    two blocks of columns (T, p) and (T, q) and returns a (p, q) array, which is much faster.
    """

    function: Callable[[np.ndarray, np.ndarray], Any]
    blocks: bool = False
    symmetric: bool = True

    def bind(self, table: BoundTable) -> graph.Graph:
        X = table.X
        if table.sample_weight is not None:
            raise ValueError(
                "A relation of your own (Pairwise) knows neither weights nor missing values: "
                "let the function see them by itself, or fill them in (missing='median')."
            )

        def columns(which: slice) -> np.ndarray:
            part = X[:, which]
            return part.toarray() if sparse.issparse(part) else part

        def edges(I: slice, J: slice) -> np.ndarray:
            left, right = columns(I), columns(J)
            if self.blocks:
                return np.asarray(self.function(left, right))
            return np.array([[self.function(f, g) for g in right.T] for f in left.T])

        return graph.Blocks(edges, table.n, symmetric=self.symmetric, budget=table.budget)


@dataclass(frozen=True)
class WeightedSum(Relation):
    """A sum of relations with weights; a part with weight 0 is never bound."""

    terms: tuple[tuple[float, Relation], ...]

    def bind(self, table: BoundTable) -> graph.Graph:
        live = [(weight, part) for weight, part in self.terms if weight > 0]
        if not live:
            return graph.RankOne(np.zeros(table.n))
        return graph.Sum([w for w, _ in live], [part.bind(table) for _, part in live])

    def label_weights(self) -> tuple[float, float]:
        each = [(weight, part.label_weights()) for weight, part in self.terms]
        return sum(w * labels[0] for w, labels in each), sum(w * labels[1] for w, labels in each)


@dataclass(frozen=True)
class Product(Relation):
    """The elementwise product of two relations."""

    left: Relation
    right: Relation

    def bind(self, table: BoundTable) -> graph.Graph:
        return graph.multiply(self.left.bind(table), self.right.bind(table), table.budget)

    def label_weights(self) -> tuple[float, float]:
        left, right = self.left.label_weights(), self.right.label_weights()
        return left[0] + right[0], left[1] + right[1]


def _are_classes(y: Any) -> bool:
    return np.ndim(y) == 1 and not (is_survival(y) or is_continuous(np.asarray(y)))


def _separation(X: Any, y: Any, sample_weight: Any) -> np.ndarray:
    """The Fisher criterion, or what stands in its place; min-max over the columns."""
    if is_survival(y):
        return rescale(measures.cox_score(X, y["time"], y["event"]))
    if is_continuous(np.asarray(y)):
        return rescale(measures.squared_correlation(X, y, sample_weight))
    return measures.fisher(X, y, scaled=True, sample_weight=sample_weight)


def _information(X: Any, y: Any, bins: int | str, sample_weight: Any) -> np.ndarray:
    """The mutual information with y, or what stands in its place; min-max over the columns."""
    if is_survival(y):
        return rescale(ordering(X, y["time"], y["event"]))
    codes = as_codes(np.asarray(y), sample_weight)
    return measures.mutual_information(X, codes, bins, scaled=True, sample_weight=sample_weight)


def _terms(relation: Relation) -> tuple[tuple[float, Relation], ...]:
    return relation.terms if isinstance(relation, WeightedSum) else ((1.0, relation),)


def _weight(value: Any) -> float:
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"A relation's weight must be finite and not negative, not {value!r}.")
    return float(value)


def _choose(name: str, value: Any, options: tuple) -> None:
    if value not in options:
        known = " or ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be {known}, not {value!r}.")


def simplex(count: int) -> tuple[tuple[float, float, float], ...]:
    """Three weights that sum to 1: so many equally spaced values on each edge, and equal ones."""
    last = count - 1
    cells = [(i, j, last - i - j) for i in range(count) for j in range(count - i)]
    equal = [] if last % 3 == 0 else [(last / 3,) * 3]
    return tuple((i / last, j / last, k / last) for i, j, k in [*cells, *equal])


def check_weights(weights: Any) -> tuple[float, float, float]:
    """Three weights that are not negative and sum to 1, or a sentence."""
    values = np.asarray(weights, dtype=float)
    if values.shape != (3,) or (values < 0).any() or not np.isclose(values.sum(), 1.0, atol=1e-8):
        raise ValueError(
            f"weights must be three numbers (Fisher, mutual information, dispersion) that are not "
            f"negative and sum to 1; {weights!r} are not."
        )
    return float(values[0]), float(values[1]), float(values[2])
