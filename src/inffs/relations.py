"""Relations between two features: objects that can be scaled, added and multiplied.

``0.3 * Dispersion() + 0.7 * Decorrelation()`` is the graph of Inf-FS_U at alpha = 0.3;
``Coupling() * Decorrelation(power=2)`` is a supervised graph that penalises redundancy. A relation
defines the edges; bound to a table it becomes a :class:`inffs.graph.operators.Graph`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from inffs import measures
from inffs._utils.memory import memory_budget
from inffs._utils.threads import dense
from inffs.graph import operators as graph
from inffs.graph import unit_profiles
from inffs.measures.batch import class_measures, rescale
from inffs.measures.survival import ordering
from inffs.target import CLASSIFICATION, REGRESSION, SURVIVAL, Target, make_target, varying_outputs

__all__ = [
    "BoundTable",
    "Coupling",
    "Decorrelation",
    "Dispersion",
    "Outer",
    "Pairwise",
    "Precomputed",
    "Relation",
]


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
        """Return the target as an array."""
        return self.y.values if isinstance(self.y, Target) else self.y

    @property
    def budget(self) -> float:
        """Return the bytes that stored edges may take."""
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
    """Base class of all relations.

    A relation assigns a value to every pair of features. ``bind(table)`` returns the graph.
    Relations can be scaled, added and multiplied.

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

    def needs_labels(self) -> bool:
        """Return whether the relation cannot be bound without the target."""
        return False

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

    def needs_labels(self) -> bool:
        return any(weight > 0 and part.needs_labels() for weight, part in self.terms)


@dataclass(frozen=True)
class Product(Relation):
    """The elementwise product of two relations."""

    left: Relation
    right: Relation

    def bind(self, table: BoundTable) -> graph.Graph:
        return graph.multiply(self.left.bind(table), self.right.bind(table), table.budget)

    def needs_labels(self) -> bool:
        return self.left.needs_labels() or self.right.needs_labels()


def _terms(relation: Relation) -> tuple[tuple[float, Relation], ...]:
    return relation.terms if isinstance(relation, WeightedSum) else ((1.0, relation),)


def _weight(value: Any) -> float:
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"A relation's weight must be finite and not negative, not {value!r}.")
    return float(value)


@dataclass(frozen=True)
class Dispersion(Relation):
    """max(sigma_i, sigma_j), sigma the standard deviations over their maximum (paper, Eq. 2).

    ``scale="minmax"`` maps the smallest pair to 0 and the largest to 1, as the published programs
    do.

    Parameters
    ----------
    scale : {"max", "minmax"}, default="max"
        The scale of the standard deviations.

    See Also
    --------
    inffs.measures.dispersion : Computes sigma.

    Examples
    --------
    >>> from inffs import InfFS
    >>> from inffs.relations import Dispersion
    >>> InfFS(Dispersion()).fit([[1, 2, 5], [2, 1, 7], [4, 3, 9]]).order_.tolist()
    [2, 0, 1]
    """

    scale: str = "max"

    def bind(self, table: BoundTable) -> graph.Graph:
        _choose("scale", self.scale, ("max", "minmax"))
        sigma = measures.dispersion(table.X, table.sample_weight)
        return graph.PairwiseMax(rescale(sigma) if self.scale == "minmax" else sigma)


@dataclass(frozen=True)
class Decorrelation(Relation):
    """1 - abs(correlation)^power of two features (paper, Eq. 2, with "spearman" and power 1).

    Power 2 is fast for any number of features if there are few samples, because its product needs
    no n x n matrix. It does not approximate power 1.

    Parameters
    ----------
    kind : {"spearman", "pearson"}, default="spearman"
        The correlation coefficient.
    power : {1, 2}, default=1
        The power of its absolute value.

    See Also
    --------
    Dispersion : The other relation of Inf-FS_U.

    Examples
    --------
    >>> from inffs import InfFS
    >>> from inffs.relations import Decorrelation
    >>> InfFS(Decorrelation(power=2)).fit([[1, 2, 5], [2, 1, 7], [4, 3, 9]]).order_.tolist()
    [1, 0, 2]
    """

    kind: str = "spearman"
    power: int = 1

    def bind(self, table: BoundTable) -> graph.Graph:
        _choose("kind", self.kind, ("spearman", "pearson"))
        _choose("power", self.power, (1, 2))
        profiles = unit_profiles(table.X, self.kind, sample_weight=table.sample_weight)
        return graph.Decorrelated(profiles, table.budget, self.power)


@dataclass(frozen=True)
class Coupling(Relation):
    """s_i s_j with s = a1 Fisher + a2 mutual information + a3 dispersion (paper, Sec. 3.2).

    For regression the squared correlation replaces the Fisher criterion, and the target is divided
    into bins of equal frequency for the mutual information. For survival times the score test of a
    Cox model and the concordance replace both.

    Parameters
    ----------
    weights : tuple of three floats
        The weights of the three measures, each scaled to [0, 1].
    bins : int or "auto", default="auto"
        The number of bins for the mutual information.

    See Also
    --------
    inffs.measures.fisher, inffs.measures.mutual_information : Compute the measures.

    Examples
    --------
    >>> from inffs import InfFS
    >>> from inffs.relations import Coupling
    >>> X = [[1, 2, 5], [2, 1, 5], [4, 3, 9], [5, 1, 8]]
    >>> InfFS(Coupling()).fit(X, [0, 0, 1, 1]).order_.tolist()
    [2, 0, 1]
    """

    weights: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3)
    bins: int | str = "auto"

    def bind(self, table: BoundTable) -> graph.Graph:
        return graph.RankOne(self.weigh(self.measure(table.X, table.y, table.sample_weight)))

    def needs_labels(self) -> bool:
        return bool(self.weights[0] or self.weights[1])

    def measure(self, X: Any, y: Any, sample_weight: np.ndarray | None = None) -> list[np.ndarray]:
        """Return the three measures. A measure with weight 0 is not computed."""
        if y is None and self.needs_labels():
            raise ValueError("Coupling needs y for the Fisher criterion and mutual information.")
        target: Any = None if y is None else make_target(y)
        if sample_weight is None and all(self.weights) and target.type == CLASSIFICATION:
            return class_measures(X, target.values, self.bins)
        makers: tuple[Callable[[], np.ndarray], ...] = (
            lambda: _separation(X, target, sample_weight),
            lambda: _information(X, target, self.bins, sample_weight),
            lambda: measures.dispersion(X, sample_weight),
        )
        skipped = np.zeros(X.shape[1])
        return [
            make() if alpha else skipped for make, alpha in zip(makers, self.weights, strict=True)
        ]

    def weigh(self, parts: list[np.ndarray]) -> np.ndarray:
        """Return s from the measures."""
        return np.sum([a * part for a, part in zip(self.weights, parts, strict=True)], axis=0)


@dataclass(frozen=True, eq=False)
class Outer(Relation):
    """u_i v_j, where u and v hold a value per feature.

    Parameters
    ----------
    u, v : array of shape (n_features,) or callable
        The values, or functions of X and y that return them. The default of v is u.

    See Also
    --------
    Coupling : Uses the measures of the paper.

    Examples
    --------
    >>> from inffs import InfFS
    >>> from inffs.relations import Outer
    >>> InfFS(Outer([1.0, 2.0, 0.5])).fit([[1, 2, 5], [2, 1, 7], [4, 3, 9]]).order_.tolist()
    [1, 0, 2]
    """

    u: Any
    v: Any = None

    def bind(self, table: BoundTable) -> graph.Graph:
        u = self._vector(self.u, table)
        v = None if self.v is None else self._vector(self.v, table)
        return graph.RankOne(u, v)

    @staticmethod
    def _vector(given: Any, table: BoundTable) -> np.ndarray:
        values = np.asarray(given(table.X, table.values) if callable(given) else given, dtype=float)
        values = table.of_nodes(values)
        if values.shape != (table.n,):
            raise ValueError(
                f"Outer needs one value per feature: {table.n} of them, not {values.shape}."
            )
        graph.check_edges(values[:, None])
        return values


@dataclass(frozen=True, eq=False)
class Precomputed(Relation):
    """A given n x n matrix, which need not be symmetric.

    Parameters
    ----------
    matrix : array of shape (n_features, n_features)
        The non-negative edges.

    See Also
    --------
    Pairwise : Computes the edges when they are needed.

    Examples
    --------
    >>> from inffs import InfFS
    >>> from inffs.relations import Precomputed
    >>> relation = Precomputed([[0, 1, 1], [1, 0, 3], [1, 3, 0]])
    >>> InfFS(relation).fit([[1, 2, 5], [2, 1, 7], [4, 3, 9]]).order_.tolist()
    [1, 2, 0]
    """

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
    """A function of two columns: positive, and higher for features that are better together.

    ``function(f, g)`` takes two columns of T values and returns a number. With ``blocks=True`` it
    takes two blocks of columns, (T, p) and (T, q), and returns a (p, q) array, which is faster.

    Parameters
    ----------
    function : callable
        The function of two columns, or of two blocks of columns.
    blocks : bool, default=False
        Whether it takes blocks.
    symmetric : bool, default=True
        Whether the function is symmetric.

    See Also
    --------
    Precomputed : Takes a matrix.

    Examples
    --------
    >>> from inffs import InfFS
    >>> from inffs.relations import Pairwise
    >>> relation = Pairwise(lambda f, g: abs(f - g).mean())
    >>> InfFS(relation).fit([[1, 2, 5], [2, 1, 7], [4, 3, 9]]).order_.tolist()
    [2, 1, 0]
    """

    function: Callable[[np.ndarray, np.ndarray], Any]
    blocks: bool = False
    symmetric: bool = True

    def bind(self, table: BoundTable) -> graph.Graph:
        X = table.X
        if table.sample_weight is not None:
            raise ValueError(
                "Pairwise takes neither sample weights nor missing values: apply them in the "
                "function itself, or fill in the missing values (SimpleImputer)."
            )

        def edges(I: slice, J: slice) -> np.ndarray:
            left, right = dense(X[:, I]), dense(X[:, J])
            if self.blocks:
                return np.asarray(self.function(left, right))
            return np.array([[self.function(f, g) for g in right.T] for f in left.T])

        return graph.Blocks(edges, table.n, symmetric=self.symmetric, budget=table.budget)


def _separation(X: Any, target: Target, sample_weight: Any) -> np.ndarray:
    """The Fisher criterion or what replaces it, min-max over the columns."""
    y = target.values
    if target.type == SURVIVAL:
        return rescale(measures.cox_score(X, y["time"], y["event"]))
    if target.type == REGRESSION:
        each = [measures.squared_correlation(X, output, sample_weight) for output in _outputs(y)]
        return rescale(np.mean(each, axis=0))
    return measures.fisher(X, y, scaled=True, sample_weight=sample_weight)


def _information(X: Any, target: Target, bins: int | str, sample_weight: Any) -> np.ndarray:
    """The mutual information with y or what replaces it, min-max over the columns."""
    y = target.values
    if target.type == SURVIVAL:
        return rescale(ordering(X, y["time"], y["event"]))
    if target.type != REGRESSION:
        return measures.mutual_information(X, y, bins, scaled=True, sample_weight=sample_weight)
    codes = [
        measures.equal_frequency_codes(each, sample_weight=sample_weight) for each in _outputs(y)
    ]
    given: dict[str, Any] = {"scaled": True, "sample_weight": sample_weight}
    return np.mean([measures.mutual_information(X, each, bins, **given) for each in codes], axis=0)


def _outputs(y: np.ndarray) -> np.ndarray:
    """The columns of numbers that vary, one per row."""
    return varying_outputs(y).T if y.ndim == 2 else y[None]


def _choose(name: str, value: Any, options: tuple) -> None:
    if value not in options:
        known = " or ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be {known}, not {value!r}.")


def check_weights(weights: Any) -> tuple[float, float, float]:
    """Return three non-negative weights that sum to 1, or raise an error that names the remedy."""
    names = "(Fisher criterion, mutual information, dispersion)"
    values = np.asarray(weights, dtype=float)
    if values.shape != (3,) or not (values >= 0).all():
        raise ValueError(f"weights must be three non-negative numbers {names}; got {weights!r}.")
    if not np.isclose(values.sum(), 1.0, atol=1e-8):
        raise ValueError(
            f"The three weights {names} must sum to 1, but {weights!r} sum to "
            f"{values.sum():g}: divide each of them by their sum."
        )
    return float(values[0]), float(values[1]), float(values[2])
