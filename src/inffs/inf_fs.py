"""Infinite Feature Selection: unsupervised, supervised, and with a relation of your own."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from inffs.base import FeatureSelector, TakesWeights
from inffs.cuts import Samples
from inffs.graph.operators import RankOne
from inffs.measures.batch import number_of_bins, rescale_fisher, rescale_information
from inffs.paths import Paths, Regularization, walk
from inffs.relations import BoundTable, Coupling, Decorrelation, Dispersion, Relation, check_weights
from inffs.streaming import RunningMeasures, StreamingSelector
from inffs.target import Target, make_target
from inffs.validation.checks import identical_columns, require_varying_columns
from inffs.validation.intake import as_numpy

PATH_CONSTRAINTS: dict = {
    **FeatureSelector._parameter_constraints,
    "regularization": [StrOptions({"spectral", "markov"})],
    "factor": [Interval(Real, 0, 1, closed="neither")],
    "series": [StrOptions({"geometric", "exponential"}), callable],
    "memory_limit": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
}


class _PathSelector(FeatureSelector):
    """Base of the Inf-FS estimators: relation -> graph -> paths -> scores."""

    _sparse = True
    _lazy = True
    _parameter_constraints: dict = PATH_CONSTRAINTS

    # estimators on a graph of rank one have no such parameters: none would change the ranking
    regularization: str = "spectral"
    factor: float = 0.9
    series: Any = "geometric"
    memory_limit: Any = "auto"

    def _relation(self) -> Relation:
        raise TypeError(f"{type(self).__name__} does not define _relation")

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> np.ndarray:
        paths = self._walk(samples, columns)
        self.walk_ = paths.without_graph()
        return paths.scores()[columns]

    def _walk(self, samples: Samples, columns: np.ndarray) -> Paths:
        n, X, weight = self.n_features_in_, samples.X, samples.sample_weight
        table = BoundTable(X, samples.target, columns, n, self.memory_limit, weight)
        paths = walk(self._relation().bind(table), self._path_rule())
        return replace(paths, columns=columns, n_features=n, copies=identical_columns(X))

    def _path_rule(self) -> Regularization:
        return Regularization(self.regularization, self.factor, self.series)

    def trace_paths(self, X: Any, y: Any = None) -> Paths:
        """Return the paths of the graph of a table, which also give single paths and visits.

        X and y need not be the table of ``fit``.
        """
        check_is_fitted(self)
        samples = self._check_samples(X, y)
        varying = require_varying_columns(samples.X, samples.sample_weight is not None)
        return self._walk(samples.of_columns(varying), varying)


class InfFSU(TakesWeights, _PathSelector):
    """Rank the features of X without labels by Infinite Feature Selection (Inf-FS_U).

    The features are the nodes of a graph with the edges A_ij = alpha max(sigma_i, sigma_j) +
    (1 - alpha) (1 - abs(Spearman(f_i, f_j))) (Eq. 2 of the paper). The score of a feature is the
    value of all paths of every length that start at it, ((I - rA)^-1 - I) e (Eqs. 12 to 15). A few
    products with A give the scores up to rounding, so no matrix is inverted.

    Constant columns are left out of the graph, because the printed formula would rank them first at
    small alpha. Identical columns share one score. Only sigma depends on the scales of the columns:
    at alpha = 0 a monotone map of a column changes no score. Otherwise bring columns of different
    units to the range from 0 to 1 first.

    A fit takes O(nT log T + n^2 T) time, and O(nT) memory in addition to the tiles that
    ``memory_limit`` allows. All tiles together are n^2 / 2 float32 values. For 100,000 features and
    more, ``InfFS(0.5 * Dispersion() + 0.5 * Decorrelation(power=2))`` is much faster; it is a
    relation of its own with a ranking of its own.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        The weight of dispersion against decorrelation.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    regularization : {"spectral", "markov"}, default="spectral"
        The weight r of an edge is ``factor`` divided by the spectral radius of A ("spectral") or by
        its largest row sum ("markov"). With "markov" rA describes a random walk that stops, and
        1 + score is its expected length. The two rankings agree closely, but not always exactly.
    factor : float in (0, 1), default=0.9
        The ratio of r to its upper bound.
    series : {"geometric", "exponential"} or callable, default="geometric"
        The weights of the path lengths: sum_l x^l, sum_l x^l / l!, or a function f with f(0) = 0.
    memory_limit : "auto" or float, default="auto"
        The memory for stored tiles in MiB. "auto" is half of the memory that is available.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

    Attributes
    ----------
    walk_ : inffs.paths.Paths
        The scores by path length, r, the spectral radius and the steps.

    See Also
    --------
    InfFSS : Uses labels.

    References
    ----------
    G. Roffo, S. Melzi, U. Castellani, A. Vinciarelli, M. Cristani, "Infinite Feature Selection: A
    Graph-based Feature Filtering Approach", IEEE TPAMI 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs import InfFSU
    >>> X, _ = load_iris(return_X_y=True)
    >>> InfFSU(n_features_to_select=2).fit(X).order_
    array([2, 1, 0, 3])
    """

    _parameter_constraints = {
        **PATH_CONSTRAINTS,
        "alpha": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        alpha: float = 0.5,
        *,
        n_features_to_select: Any = "auto",
        regularization: str = "spectral",
        factor: float = 0.9,
        series: Any = "geometric",
        memory_limit: Any = "auto",
        missing: str = "refuse",
    ) -> None:
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select
        self.regularization = regularization
        self.factor = factor
        self.series = series
        self.memory_limit = memory_limit
        self.missing = missing

    @property
    def _scale_free(self) -> bool:  # type: ignore[override]
        return self.alpha == 0

    def _relation(self) -> Relation:
        return self.alpha * Dispersion() + (1 - self.alpha) * Decorrelation()


class InfFSS(TakesWeights, _PathSelector, StreamingSelector):
    """Rank the features of X by a target with Infinite Feature Selection (Inf-FS_S).

    Every feature has the weight s = a1 h + a2 m + a3 sigma, made of the Fisher criterion h, the
    mutual information m with the label and the dispersion sigma. An edge is A_ij = s_i s_j (Sec.
    3.2 of the paper). This graph has rank one: the value of all paths has a closed form, and the
    ranking is that of s.

    For a multilabel y (a matrix of 0 and 1) the measures are means over the labels, one against the
    rest. For regression the squared correlation replaces the Fisher criterion, and y is divided
    into bins of equal frequency for the mutual information. For survival times (a structured array
    of event and time) the score test of a Cox model and the concordance replace both. Only the
    dispersion depends on the scales of the columns. Unless its weight is 0, bring columns of
    different units to the range from 0 to 1 first.

    A fit takes O(nT) time, O(nT^2) for survival times, and memory for a few blocks of columns.

    Parameters
    ----------
    weights : three floats, default=(1/3, 1/3, 1/3)
        The non-negative weights of the Fisher criterion, the mutual information and the dispersion,
        with sum 1. A measure with weight 0 is not computed.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    bins : "auto" or int, default="auto"
        The number of equal-width bins for the mutual information.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

    Attributes
    ----------
    walk_ : inffs.paths.Paths
        The scores by path length, r and the spectral radius.

    See Also
    --------
    InfFSU : Uses no labels.
    InfFSC : Adds features that explain what the earlier ones do not.

    References
    ----------
    G. Roffo and others, "Infinite Feature Selection", IEEE TPAMI 2020, Sec. 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs import InfFSS
    >>> X, y = load_iris(return_X_y=True)
    >>> InfFSS(n_features_to_select=2).fit(X, y).order_
    array([2, 3, 0, 1])
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression", "survival")
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "weights": ["array-like"],
        "bins": [StrOptions({"auto"}), Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        weights: Any = (1 / 3, 1 / 3, 1 / 3),
        *,
        n_features_to_select: Any = "auto",
        bins: Any = "auto",
        missing: str = "refuse",
        target_type: str = "auto",
    ) -> None:
        self.weights = weights
        self.n_features_to_select = n_features_to_select
        self.bins = bins
        self.missing = missing
        self.target_type = target_type

    @property
    def _scale_free(self) -> bool:  # type: ignore[override]
        return check_weights(self.weights)[2] == 0

    def _relation(self) -> Relation:
        return Coupling(check_weights(self.weights), self.bins)

    def _stream_bins(self, n_samples: int) -> int:
        return number_of_bins(n_samples, self.bins) if check_weights(self.weights)[1] else 0

    def _score_running(self, running: RunningMeasures, columns: np.ndarray) -> np.ndarray:
        weights, parts = check_weights(self.weights), [np.zeros(columns.size)] * 3
        if weights[0]:
            parts[0] = rescale_fisher(running.fisher()[columns])
        if weights[1]:
            found = running.mutual_information()[columns]
            parts[1] = rescale_information(found, int(running.counts.sum()))
        if weights[2]:
            parts[2] = running.dispersion()[columns]
        s = Coupling(weights).weigh(parts)
        paths = replace(
            walk(RankOne(s), self._path_rule()), columns=columns, n_features=self.n_features_in_
        )
        self.walk_ = paths.without_graph()
        return paths.scores()[columns]


class InfFS(TakesWeights, _PathSelector):
    """Rank the features of X by Infinite Feature Selection with a relation of your own.

    Any positive relation between two features can be the graph (Eq. 1 of the paper): the relations
    in :mod:`inffs.relations`, their sums and products, a function of two columns, or a matrix. If a
    relation is not symmetric, paths follow it from the first feature to the second.

    Time and memory depend on the relation; at worst all O(n^2) values of it are computed.

    Parameters
    ----------
    relation : inffs.relations.Relation, optional
        The relation. The default is the graph of Inf-FS_U at alpha = 0.5.
    n_features_to_select, regularization, factor, series, memory_limit, missing
        As for :class:`InfFSU`.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.

    Attributes
    ----------
    walk_ : inffs.paths.Paths
        The scores by path length, r, the spectral radius and the steps.

    See Also
    --------
    InfFSU, InfFSS : Use the relations of the paper.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs import InfFS
    >>> from inffs.relations import Coupling, Decorrelation
    >>> X, y = load_iris(return_X_y=True)
    >>> InfFS(Coupling() * Decorrelation(power=2), n_features_to_select=2).fit(X, y).order_
    array([2, 3, 0, 1])
    """

    _targets = ("classification", "multilabel", "regression", "survival")
    _parameter_constraints = {**PATH_CONSTRAINTS, "relation": [Relation, None]}

    def __init__(
        self,
        relation: Relation | None = None,
        *,
        n_features_to_select: Any = "auto",
        regularization: str = "spectral",
        factor: float = 0.9,
        series: Any = "geometric",
        memory_limit: Any = "auto",
        missing: str = "refuse",
        target_type: str = "auto",
    ) -> None:
        self.relation = relation
        self.n_features_to_select = n_features_to_select
        self.regularization = regularization
        self.factor = factor
        self.series = series
        self.memory_limit = memory_limit
        self.missing = missing
        self.target_type = target_type

    @property
    def _supervised(self) -> bool:  # type: ignore[override]
        return isinstance(self.relation, Relation) and self.relation.needs_labels()

    def _relation(self) -> Relation:
        usual = 0.5 * Dispersion() + 0.5 * Decorrelation()
        return usual if self.relation is None else self.relation

    def _check_target(self, X: Any, y: Any) -> Target | None:
        """A relation may ignore y, so a single value of y is no error."""
        if y is None:
            return None
        check_consistent_length(X, y)
        return self._note_target(make_target(as_numpy(y), self.target_type))
