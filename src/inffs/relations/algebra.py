"""The base of all relations, and their sums and products."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from inffs._utils.memory import memory_budget
from inffs.graph import operators as graph
from inffs.target import Target


@dataclass(frozen=True)
class BoundTable:
    """The table to which a relation is bound: the columns in the graph, and the target.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n)
        The columns that are nodes.
    y : Target or array-like, optional
        The target.
    columns : ndarray of int of shape (n,), optional
        Their indices among the features of the input.
    n_features : int, optional
        The number of features of the input.
    memory_limit : "auto" or float, default=0.0
        The memory for stored edges in MiB; other edges are computed again when needed. "auto" is
        half of the memory that is available.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights.

    See Also
    --------
    inffs.InfFS : Binds its relation in ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.relations import BoundTable, Dispersion
    >>> graph = Dispersion().bind(BoundTable(np.array([[1.0, 2.0], [2.0, 6.0]])))
    >>> graph.dot(np.ones((2, 1))).ravel().tolist()
    [1.25, 2.0]
    """

    X: Any
    y: Any = None
    columns: np.ndarray | None = None
    n_features: int | None = None
    memory_limit: float | str = 0.0
    sample_weight: np.ndarray | None = None

    @property
    def n(self) -> int:
        return int(self.X.shape[1])

    @property
    def values(self) -> Any:
        """The target as an array."""
        return self.y.values if isinstance(self.y, Target) else self.y

    @property
    def budget(self) -> float:
        """Bytes that stored edges may take."""
        return memory_budget(self.memory_limit)

    def of_nodes(self, values: np.ndarray, axes: int = 1) -> np.ndarray:
        """Restrict values for all features of the input to the features in the graph."""
        if self.columns is None or values.shape[0] == self.n:
            return values
        if values.shape[0] != self.n_features:
            raise ValueError(
                f"The relation has values for {values.shape[0]} features, "
                f"but the table has {self.n_features}."
            )
        return values[self.columns] if axes == 1 else values[np.ix_(self.columns, self.columns)]


class Relation:
    """Base of all relations; ``bind(table)`` returns the graph.

    See Also
    --------
    Pairwise : A relation from a function of two columns.

    Examples
    --------
    >>> from inffs.relations import Decorrelation, Dispersion
    >>> 0.3 * Dispersion() + 0.7 * Decorrelation()  # doctest: +ELLIPSIS
    WeightedSum(terms=((0.3, Dispersion(...)), (0.7, Decorrelation(...))))
    """

    def bind(self, table: BoundTable) -> graph.Graph:
        raise TypeError(f"{type(self).__name__} does not define bind(table)")

    def label_weights(self) -> tuple[float, float]:
        """The weights of the Fisher criterion and the mutual information in this relation."""
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
class WeightedSum(Relation):
    """A weighted sum of relations; a part with weight 0 is never bound."""

    terms: tuple[tuple[float, Relation], ...]

    def bind(self, table: BoundTable) -> graph.Graph:
        terms = [(weight, part) for weight, part in self.terms if weight > 0]
        if not terms:
            return graph.RankOne(np.zeros(table.n))
        return graph.Sum([w for w, _ in terms], [part.bind(table) for _, part in terms])

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


def _terms(relation: Relation) -> tuple[tuple[float, Relation], ...]:
    return relation.terms if isinstance(relation, WeightedSum) else ((1.0, relation),)


def _weight(value: Any) -> float:
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"A relation's weight must be finite and not negative, not {value!r}.")
    return float(value)
