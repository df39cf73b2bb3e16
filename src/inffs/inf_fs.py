"""Infinite Feature Selection: unsupervised, supervised, and with a relation of the user's own."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from inffs.base import FeatureSelector, TakesWeights
from inffs.graph import unit_profiles
from inffs.graph.operators import Decorrelated, RankOne, SquaredDecorrelated, Sum
from inffs.landmarks import landmark_walk, walk_operations
from inffs.measures.batch import rescale_fisher, rescale_information
from inffs.paths import Paths, Regularization, walk
from inffs.relations import BoundTable, Coupling, Decorrelation, Dispersion, Relation
from inffs.relations.edges import check_weights
from inffs.streaming import STREAM_BINS, RunningMeasures, StreamingSelector
from inffs.target import Target, make_target
from inffs.validation.checks import identical_columns, require_varying_columns
from inffs.validation.intake import as_numpy

PATIENCE = 8e12  # operations of the exact walk before "auto" turns to landmarks: two minutes or so
PATH_CONSTRAINTS: dict = {
    **FeatureSelector._parameter_constraints,
    "regularization": [StrOptions({"spectral", "markov"})],
    "factor": [Interval(Real, 0, 1, closed="neither")],
    "series": [StrOptions({"geometric", "exponential"}), callable],
    "memory_limit": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
}


class _PathSelector(FeatureSelector):
    """What the Inf-FS estimators share: relation -> graph -> paths -> scores."""

    _sparse = True
    _lazy = True
    _parameter_constraints: dict = PATH_CONSTRAINTS

    # for a graph of rank one, where none of them changes the ranking
    regularization: str = "spectral"
    factor: float = 0.9
    series: Any = "geometric"
    memory_limit: Any = "auto"

    def _relation(self) -> Relation:
        raise TypeError(f"{type(self).__name__} does not define _relation")

    def _score_columns(
        self, X: Any, y: Any, columns: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> np.ndarray:
        paths = self._walk(X, y, columns, sample_weight)
        self.walk_ = paths.without_graph()
        return paths.scores()[columns]

    def _walk(self, X: Any, y: Any, columns: np.ndarray, weight: Any = None) -> Paths:
        n = self.n_features_in_
        table = BoundTable(X, y, columns, n, self.memory_limit, weight)
        paths = walk(self._relation().bind(table), self._path_rule())
        return replace(paths, columns=columns, n_features=n, copies=identical_columns(X))

    def _path_rule(self) -> Regularization:
        return Regularization(self.regularization, self.factor, self.series)

    def trace_paths(self, X: Any, y: Any = None) -> Paths:
        """The paths of the graph of this table, with the graph, for questions beyond the scores.

        The answers refer to X (and y), which need not be the table of ``fit``.
        """
        check_is_fitted(self)
        X, y, weight = self._check_weighted(X, y, None)
        live = require_varying_columns(X, ignore_missing=weight is not None)
        return self._walk(X[:, live], y, live, weight)


class InfFSU(TakesWeights, _PathSelector):
    """Unsupervised Infinite Feature Selection, Inf-FS_U.

    Features are nodes of a graph; an edge is A_ij = alpha max(sigma_i, sigma_j) + (1 - alpha)
    (1 - abs(Spearman(f_i, f_j))) (Eq. 2 of the paper); the score of a feature is the value of all
    paths of every length that start at it, ((I - rA)^-1 - I) e (Eqs. 12 to 15). No matrix is
    inverted: a handful of products with A give the scores to rounding.

    Constant columns are not in the graph (the formula as printed would put them first at small
    alpha). Identical columns share one score. sigma depends on the scales of the columns: at
    alpha = 0 nothing else does, and scores do not change under monotone maps of a column.

    Time O(nT log T + n^2 T), memory O(nT) and the tiles that ``memory_limit`` allows (n^2 / 2
    float32 where all are kept; none are needed).

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        Weight of dispersion against decorrelation.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.
    regularization : {"spectral", "markov"}, default="spectral"
        r = factor / spectral radius of A, or factor / largest row sum: then rA is a random walk
        that stops, and 1 + score is its expected length. The two rankings agree closely, not
        always exactly.
    factor : float in (0, 1), default=0.9
        How near r comes to the bound.
    series : {"geometric", "exponential"} or callable, default="geometric"
        Weights of the lengths: sum_l x^l, sum_l x^l / l!, or f(x) with f(0) = 0.
    memory_limit : "auto" or float, default="auto"
        MiB that stored tiles may take; "auto" is half of what the process may still use.
    solver : {"auto", "exact", "landmarks"}, default="auto"
        "landmarks" estimates the scores from some of the features, with errors; "auto" does so,
        with a warning, where the exact walk takes more than 8e12 operations (3 n^2 (T + 40); two
        minutes on two cores of 2024): it depends on the table alone, never on the machine's load.
    n_landmarks : int, default=1024
        Features that serve as landmarks.
    random_state : int, RandomState or None, default=None
        Seed of the choice of landmarks.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN): refuse them, or measure every feature on the samples
        that have a value. :class:`sklearn.impute.SimpleImputer` in a pipeline fills them in.

    Attributes
    ----------
    walk_ : inffs.paths.Paths
        The walk: scores by length, r, spectral radius, steps (exact solver only).
    landmarks_ : inffs.landmarks.Landmarks
        The landmarks, each score's error, the expected overlap of the best k ("landmarks" only).

    See Also
    --------
    InfFSS : With labels.
    InfFSUCV : Chooses alpha by the labels.

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

    _parameter_constraints: dict = {
        **PATH_CONSTRAINTS,
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "solver": [StrOptions({"auto", "exact", "landmarks"})],
        "n_landmarks": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
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
        solver: str = "auto",
        n_landmarks: int = 1024,
        random_state: Any = None,
        missing: str = "refuse",
    ) -> None:
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select
        self.regularization = regularization
        self.factor = factor
        self.series = series
        self.memory_limit = memory_limit
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.missing = missing

    def _relation(self) -> Relation:
        return self.alpha * Dispersion() + (1 - self.alpha) * Decorrelation()

    def _score_columns(
        self, X: Any, y: Any, columns: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> np.ndarray:
        if self.solver == "exact" or (self.solver == "auto" and not self._too_long(*X.shape)):
            return super()._score_columns(X, y, columns, sample_weight)
        dispersion = Dispersion().bind(BoundTable(X, sample_weight=sample_weight))
        ranks = unit_profiles(X, sample_weight=sample_weight)
        graph, companion = (
            Sum([self.alpha, 1 - self.alpha], [dispersion, kind(ranks)])
            for kind in (Decorrelated, SquaredDecorrelated)
        )
        rng = check_random_state(self.random_state)
        walked = landmark_walk(graph, companion, self.n_landmarks, rng, self._path_rule())
        self.landmarks_ = walked.among(columns, self.n_features_in_)
        return walked.scores[identical_columns(X)]

    def _too_long(self, T: int, n: int) -> bool:
        """Whether the exact walk would take minutes, by its operations; warn if it would."""
        operations = walk_operations(T, n)
        if operations <= PATIENCE or self.n_landmarks >= n:
            return False
        warnings.warn(
            f"The exact graph of {n} features takes {operations:.1e} operations (a minute or more "
            f"per {PATIENCE / 2:.0e} of them): scores are estimated from {self.n_landmarks} "
            "landmarks; solver='exact' waits for all.",
            stacklevel=2,
        )
        return True


class InfFSS(TakesWeights, _PathSelector, StreamingSelector):
    """Supervised Infinite Feature Selection, Inf-FS_S.

    s = a1 h + a2 m + a3 sigma weighs the Fisher criterion, the mutual information with the label
    and the dispersion of a feature; an edge is A_ij = s_i s_j (Sec. 3.2 of the paper). This graph
    has rank one, so the value of all paths has a closed form and the ranking is that of s.

    A 0 / 1 matrix y is multi-label and takes the mean of the one-vs-rest measures. For numbers the
    squared correlation takes the place of Fisher, and bins of equal frequency that of classes; for
    survival times (a structured array, event and time) the score test of a Cox model and the
    concordance take both places. Only dispersion depends on the columns' scales.

    Time O(nT), for survival times O(nT^2), memory a few blocks of columns.

    Parameters
    ----------
    weights : three floats, default=(1/3, 1/3, 1/3)
        Of Fisher, mutual information and dispersion; not negative, sum 1; 0 computes nothing.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep; "auto" checks sizes by cross-validation (5 to 10 more fits).
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.
    bins : "auto" or int, default="auto"
        Equal-width bins for the mutual information.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN): refuse them, or measure every feature on the samples
        that have a value. :class:`sklearn.impute.SimpleImputer` in a pipeline fills them in.

    Attributes
    ----------
    walk_ : inffs.paths.Paths
        The walk: scores by length, r, spectral radius.

    See Also
    --------
    InfFSU : Without labels.
    InfFSSCV : Chooses the weights.
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
    _parameter_constraints: dict = {
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

    def _relation(self) -> Relation:
        return Coupling(check_weights(self.weights), self.bins)

    def _stream_bins(self) -> int:
        if check_weights(self.weights)[1] == 0:
            return 0
        return STREAM_BINS if isinstance(self.bins, str) else int(self.bins)

    def _score_running(self, running: RunningMeasures, columns: np.ndarray) -> np.ndarray:
        weights = check_weights(self.weights)
        makers = (running.fisher, running.mutual_information, running.dispersion)
        parts = [
            make()[columns] if a else np.zeros(columns.size)
            for a, make in zip(weights, makers, strict=True)
        ]
        parts[0] = rescale_fisher(parts[0])
        parts[1] = rescale_information(parts[1], int(running.counts.sum()))
        s = Coupling(weights).weigh(parts)
        paths = replace(
            walk(RankOne(s), self._path_rule()), columns=columns, n_features=self.n_features_in_
        )
        self.walk_ = paths.without_graph()
        return paths.scores()[columns]


class InfFS(TakesWeights, _PathSelector):
    """Infinite Feature Selection with a relation of your own.

    Any positive relation between two features can be the graph (Eq. 1 of the paper): the ones in
    :mod:`inffs.relations`, their sums and products, a function of two columns, a matrix. A
    relation that is not symmetric is walked from the first feature to the second.

    Time and memory are the relation's (:mod:`inffs.graph.operators`); at worst O(n^2) values of it.

    Parameters
    ----------
    relation : inffs.relations.Relation, optional
        Default: the graph of Inf-FS_U at alpha = 0.5.
    n_features_to_select, regularization, factor, series, memory_limit, missing
        As for :class:`InfFSU`.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    Attributes
    ----------
    walk_ : inffs.paths.Paths
        The walk: scores by length, r, spectral radius, steps.

    See Also
    --------
    InfFSU, InfFSS : The relations of the paper.

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
    _parameter_constraints: dict = {**PATH_CONSTRAINTS, "relation": [Relation, None]}

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

    def _relation(self) -> Relation:
        if self.relation is None:
            return 0.5 * Dispersion() + 0.5 * Decorrelation()
        return self.relation

    def _check_target(self, X: Any, y: Any) -> Target | None:
        """A relation may use y or ignore it: one that has only one value is no error."""
        if y is None:
            return None
        check_consistent_length(X, y)
        return self._note_target(make_target(as_numpy(y), self.target_type))
