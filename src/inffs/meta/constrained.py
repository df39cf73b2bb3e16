"""Constraints on the subset that any selector selects."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils._tags import Tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)

from inffs._utils.words import counted
from inffs.base import RankedSubset
from inffs.cuts import Cut, Samples
from inffs.scores import count_ties
from inffs.subset import Constraints, Similarity, choose_subset
from inffs.target import Target
from inffs.validation.adjustment import check_covariates
from inffs.validation.checks import find_columns, number_groups
from inffs.validation.intake import CheckedInput

_SIZES = ("n_features_to_select", "k")  # parameters under which selectors take a number of features


class Constrained(MetaEstimatorMixin, RankedSubset):
    """Select features under constraints: required, excluded, uncorrelated, grouped or limited.

    The selector ranks all features. Features are then selected from the best one on, and a feature
    is skipped if a constraint forbids it. The scores do not change, so an excluded feature still
    takes part in them.

    If you ask for a number of features, the next feature in the ranking replaces a skipped one. If
    a cut or a threshold decides, no feature below it is selected, except by ``include`` and
    ``min_features``.

    It takes the time of one fit of the selector. ``max_correlation`` adds O(n k T) for k selected
    features. The matrix of all correlations is never stored.

    Parameters
    ----------
    estimator : selector
        Any selector of this package or of scikit-learn. One without scores ranks the features it
        selects first; ties go to the earlier column.
    include : str, int or list, optional
        Features that are always selected, by name, position or pattern (``*`` and ``?``). They
        count in the number of features.
    exclude : str, int or list, optional
        Features that are never selected.
    max_correlation : float in [0, 1), optional
        No two selected features have a higher absolute Spearman correlation. Features of
        ``include`` are selected in any case.
    feature_groups : array of shape (n_features,) or dict, optional
        Features that are selected together or not at all. An array holds a label for every
        feature, a dict the features of every group by name or position.
    group_score : {"best", "mean"}, optional
        Whether a group ranks by its best feature (the default) or by the mean of its features.
    min_features : int, optional
        The least number of features.
    max_features : int, optional
        The largest number of features.

    Attributes
    ----------
    estimator_ : selector
        The fitted selector, without constraints.
    scores_ : ndarray of shape (n_features,)
        The scores of the selector, larger is better.
    order_ : ndarray of shape (n_features,)
        Feature indices: the selected features first, each part in the order of the ranking.
    ranking_ : ndarray of shape (n_features,)
        Place of each feature in ``order_``, from 1.
    support_ : ndarray of shape (n_features,)
        True for the selected features.
    n_features_ : int
        The number of selected features.
    ties_ : ndarray of shape (n_features,)
        The number of other features with the same score up to rounding.
    cut_ : inffs.cuts.Cut
        Where the ranking was cut, and why.
    represented_by_ : ndarray of shape (n_features,)
        For a feature that is skipped because of ``max_correlation``: the selected feature it
        correlates with most, else -1. Only with ``max_correlation``.

    See Also
    --------
    inffs.InfFSS : A selector to put inside.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import Constrained, InfFSS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = Constrained(InfFSS(n_features_to_select=3), include="ash", max_correlation=0.8)
    >>> list(selector.fit(X, y).get_feature_names_out())
    ['ash', 'flavanoids', 'proline']
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "get_support"])],
        "include": [str, Integral, "array-like", None],
        "exclude": [str, Integral, "array-like", None],
        "max_correlation": [Interval(Real, 0, 1, closed="left"), None],
        "feature_groups": [dict, "array-like", None],
        "group_score": [StrOptions({"best", "mean"}), None],
        "min_features": [Interval(Integral, 1, None, closed="left"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
    }
    # the selector inside refuses what it cannot take
    _any_magnitude = _sparse = _ignores_missing = True

    def __init__(
        self,
        estimator: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        max_correlation: float | None = None,
        feature_groups: Any = None,
        group_score: str | None = None,
        min_features: int | None = None,
        max_features: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.include = include
        self.exclude = exclude
        self.max_correlation = max_correlation
        self.feature_groups = feature_groups
        self.group_score = group_score
        self.min_features = min_features
        self.max_features = max_features

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Constrained:
        """Fit the selector and select features under the constraints.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Samples in rows, features in columns.
        y : array of shape (n_samples,), optional
            The target, if the selector uses one.
        **fit_params
            Passed to ``fit`` of the selector (``sample_weight``, ``groups``), by scikit-learn's
            metadata routing where it is enabled.
        """
        if _routing_enabled():
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        plain = isinstance(y, Target) and not isinstance(self.estimator, CheckedInput)
        own = y.original() if plain else y  # scikit-learn's selectors take an array
        self.estimator_ = clone(self.estimator).fit(X, own, **fit_params)
        self._copy_columns(self.estimator_)
        n, names = self.n_features_in_, getattr(self, "feature_names_in_", None)
        constraints = Constraints.resolve(n, names, **constraints_of(self))
        order, self.scores_ = _ranked(self.estimator_)
        cut = _cut_of(self.estimator_)
        self.ties_ = _ties_of(self.estimator_, order, self.scores_)
        known = (fit_params.get(name) for name in ("sample_weight", "covariates"))
        similarity = self._similarity(X, *known)
        subset = choose_subset(
            constraints, order, self.scores_, cut.size,
            refill=cut.name == "given", similarity=similarity,
        )  # fmt: skip
        self.order_, self.n_features_ = subset.order, subset.size
        self.ranking_ = np.argsort(subset.order) + 1
        self.support_ = self.ranking_ <= subset.size
        added = int(np.sum(self.support_ & ~self.estimator_.get_support()))
        self.cut_ = _explained(cut, constraints, subset.size, n, added)
        self.__dict__.pop("represented_by_", None)
        if similarity is not None:
            self.represented_by_ = subset.represented_by
        return self

    def _copy_columns(self, fitted: Any) -> None:
        """Copy the number of columns and their names from the fitted selector."""
        self.n_features_in_ = getattr(fitted, "n_features_in_", fitted.get_support().size)
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_

    def _similarity(self, X: Any, sample_weight: Any, covariates: Any) -> Similarity | None:
        """Correlations of the table that the selector was fitted on; None where not needed."""
        if self.max_correlation is None:
            return None
        X = self._check_X(X, reset=False)
        if covariates is not None:
            covariates = check_covariates(covariates, X.shape[0], X)
        weight = self._weight_of_samples(X, sample_weight)
        samples = Samples(X, None, weight, covariates=covariates).adjusted()
        if weight is not None and not weight.all():
            samples = samples.take(np.flatnonzero(weight))
        return Similarity(self.max_correlation, samples.X, samples.sample_weight)

    def _ranking_columns(self) -> dict[str, np.ndarray]:
        """Further columns of the ranking by name, one value per feature."""
        own = getattr(self.estimator_, "_ranking_columns", None)
        return {} if own is None else own()

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata reaches the selector."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    @property
    def missing(self) -> str:  # type: ignore[override]
        """What the selector does with missing values."""
        return "ignore" if get_tags(self.estimator).input_tags.allow_nan else "refuse"

    @property
    def _lazy(self) -> bool:  # type: ignore[override]
        return bool(getattr(self.estimator, "_lazy", False))

    @property
    def _supervised(self) -> bool:  # type: ignore[override]
        return bool(get_tags(self.estimator).target_tags.required)

    def __sklearn_tags__(self) -> Tags:
        tags, inside = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse = inside.input_tags.sparse
        tags.input_tags.allow_nan = inside.input_tags.allow_nan
        tags.target_tags = inside.target_tags
        return tags


_CONSTRAINTS = tuple(name for name in Constrained._parameter_constraints if name != "estimator")


def unconstrained(selector: Any) -> Any:
    """The selector inside the constraints, fitted if they are; any other selector as it is."""
    if not isinstance(selector, Constrained):
        return selector
    return getattr(selector, "estimator_", selector.estimator)


def constraints_of(selector: Any) -> dict[str, Any]:
    """The constraints that are set, by parameter; empty for a selector without any."""
    if not isinstance(selector, Constrained):
        return {}
    values = {name: getattr(selector, name) for name in _CONSTRAINTS}
    return {name: value for name, value in values.items() if value is not None}


def by_position(constraints: dict[str, Any], n: int, names: Any) -> dict[str, Any]:
    """The same constraints for a table without column names."""
    found = dict(constraints)
    for name in found.keys() & {"include", "exclude"}:
        found[name] = list(find_columns(found[name], n, names, name))
    if "feature_groups" in found:
        found["feature_groups"] = number_groups(found["feature_groups"], n, names)
    return found


def size_parameter(selector: Any) -> str | None:
    """The parameter under which a selector takes a number of features, if it has one."""
    params = selector.get_params(deep=False)
    return next((name for name in _SIZES if name in params), None)


def with_size(selector: Any, size: Any) -> Any:
    """An unfitted copy that selects so many features, for a table without column names."""
    copy, inside = clone(selector), unconstrained(selector)
    name = size_parameter(inside)
    if inside is selector:
        return copy if name is None else copy.set_params(**{name: size})
    names = getattr(selector, "feature_names_in_", None)
    copy.set_params(**by_position(constraints_of(selector), selector.n_features_in_, names))
    return copy if name is None else copy.set_params(**{f"estimator__{name}": size})


def _ranked(fitted: Any) -> tuple[np.ndarray, np.ndarray]:
    """The order, best first, and the scores; selected features come first."""
    support = np.asarray(fitted.get_support(), dtype=bool)
    scores = _scores_of(fitted, support)
    if hasattr(fitted, "order_"):
        return np.asarray(fitted.order_), scores
    places = getattr(fitted, "ranking_", -scores)
    return np.lexsort((places, ~support)), scores


def _scores_of(fitted: Any, support: np.ndarray) -> np.ndarray:
    """A finite number per feature, larger is better."""
    ranking = getattr(fitted, "ranking_", None)
    candidates = (
        getattr(fitted, "scores_", None),
        getattr(fitted, "variances_", None),
        _importances(getattr(fitted, "estimator_", None)),
        None if ranking is None else -np.asarray(ranking, dtype=float),
        support,
    )
    found: Any = next(
        each for each in candidates if np.shape(() if each is None else each) == support.shape
    )
    scores = np.array(found, dtype=float)
    finite = scores[np.isfinite(scores)]
    scores[np.isnan(scores)] = min(0.0, finite.min(initial=0.0))  # constants, in scikit-learn
    return scores


def _importances(model: Any) -> Any:
    """The importances of a fitted model, or the size of its coefficients."""
    coefficients = getattr(model, "coef_", None)
    if hasattr(model, "feature_importances_") or coefficients is None:
        return getattr(model, "feature_importances_", None)
    return np.abs(np.atleast_2d(coefficients)).sum(axis=0)


def _cut_of(fitted: Any) -> Cut:
    """The cut of the selector; for one from elsewhere, whether a number of features was given."""
    if hasattr(fitted, "cut_"):
        return fitted.cut_
    support = fitted.get_support()
    params, size = fitted.get_params(deep=False), int(np.count_nonzero(support))
    given = any(isinstance(params.get(name), Real) for name in _SIZES)
    why = f"{type(fitted).__name__} selected {size:,} of {counted(support.size, 'feature')}."
    return Cut("given" if given else "own", size, why)


def _ties_of(fitted: Any, order: np.ndarray, scores: np.ndarray) -> np.ndarray:
    if hasattr(fitted, "ties_"):
        return fitted.ties_
    falls = np.isfinite(scores).all() and not np.any(np.diff(scores[order]) > 0)
    return count_ties(scores) if falls else np.zeros(order.size, dtype=int)


def _explained(cut: Cut, constraints: Constraints, size: int, n: int, added: int) -> Cut:
    """The cut with the number of features under the constraints, and which they are.

    A rule that tested the features has found none of those that constraints add to its own.
    """
    words = constraints.words()
    if not words:
        return replace(cut, size=size)
    why = cut.why
    if cut.evidence is not None:  # its scores are those of a selection without the constraints
        why = f"Without constraints, cross-validation selects {counted(cut.size, 'feature')}."
    why += f" Under the constraints ({words}) {size:,} of {n:,} features are selected."
    if added and cut.name not in ("given", "all"):
        why += f" {added:,} of them are not among those that the rule {cut.name!r} found."
    return replace(cut, size=size, why=why)
