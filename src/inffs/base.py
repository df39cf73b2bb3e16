"""The base class of all selectors: validate, score, rank, cut, select."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils._tags import Tags
from sklearn.utils.validation import check_is_fitted

from inffs._utils.progress import forward_progress
from inffs.cuts import CUTS, Cut, Samples, apply_cut, default_cut, needs_table
from inffs.cuts.cut import size_asked
from inffs.guards import warn_about
from inffs.ranking import as_frame, measured, ranked_columns
from inffs.scores import Ranking
from inffs.target import ASKED_TYPES, SURVIVAL, Target, make_target, varying_outputs
from inffs.validation.adjustment import check_covariates
from inffs.validation.checks import require_varying_columns
from inffs.validation.intake import (
    CheckedInput,
    as_numpy,
    check_groups,
    is_dask,
    is_foreign,
    take_columns,
)
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import MISSING, weights_of_present

try:
    from sklearn.callback import CallbackSupportMixin as TakesCallbacks
except ImportError:  # scikit-learn before 1.9

    class TakesCallbacks:  # type: ignore[no-redef]
        """An empty base class."""


class RankedSubset(SelectorMixin, CheckedInput):
    """Base of all fitted selectors: the selected columns, and the ranking as a data frame."""

    order_: np.ndarray
    support_: np.ndarray

    _doc_link_module = "inffs"
    _doc_link_template = "https://inffs.github.io/inffs/api/{public_name}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        """The name of the page to which the HTML of the estimator links."""
        home = "inffs.methods" if "methods" in type(self).__module__ else "inffs"
        return {"public_name": f"{home}.{type(self).__name__}"}

    def ranking(self, X: Any = None, y: Any = None) -> Any:
        """Return the ranking as a data frame, best feature first, as in the file ranking.csv.

        Without X the columns are feature, score, rank, kept, tied_with, position, and those that
        the method adds.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), optional
            The table of ``fit``. It adds the dispersion of every feature.
        y : array of shape (n_samples,), optional
            Classes, numbers or survival times. With X, it adds the association of every feature
            with the target: direction, size, p-value and q-value (adjusted for the number of
            features). For classes it also adds the Fisher score and the mutual information. See
            :func:`inffs.measures.effects`.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            polars after ``set_output(transform="polars")``, pandas otherwise.
        """
        check_is_fitted(self)
        names, found = self._get_names(), None
        if X is not None:
            X = self._check_X(X, reset=False)
            weight = weights_of_present(self.missing, X)
            found = measured(X, self._target_in(y), sample_weight=weight)
        return as_frame(ranked_columns(self, names, found), self)

    def _target_in(self, y: Any) -> Target | None:
        """The target as in ``fit``; None for several outputs."""
        if y is None:
            return None
        target = make_target(y, getattr(self, "target_type_", self.target_type)).occurring()
        return None if target.has_several else target

    def _get_names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return [name if isinstance(name, str) else f"x{name}" for name in known]

    def _ranking_columns(self) -> dict[str, np.ndarray]:
        """Further columns of the ranking by name, one value per feature."""
        return {}

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Of a table on disk only these are read. The result for a dask array or data frame is lazy.
        """
        check_is_fitted(self)
        kept = self.get_support(indices=True)
        if is_dask(X):
            self._check_columns(X.shape[1], getattr(X, "columns", None), reset=False)
            return getattr(X, "iloc", X)[:, kept]
        if isinstance(X, LazyTable):
            self._check_columns(X.shape[1], X.names, reset=False)
            return X.read(kept)
        if is_foreign(X):
            self._check_array(as_numpy(X), reset=False, min_samples=1)
            return take_columns(X, kept)
        return super().transform(X)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")


class FeatureSelector(TakesCallbacks, RankedSubset):
    """Base class of all selectors. A method implements ``_score`` and sets class attributes.

    ``_score(X, y)`` receives the columns that vary (float64 or float32, finite, dense or CSC). For
    a supervised method ``y`` holds integer codes 0 ... G-1 of ``self.classes_``; if ``_targets``
    names these types, also floats (regression) or a structured array of event and time (survival).
    The columns of a target with several outputs are passed one by one, and the scores are averaged,
    unless the method overrides ``_score_samples``. ``_score`` returns the scores, larger is better,
    or a :class:`inffs.cuts.Ranking`. Constant columns are not passed: they score min(0, lowest
    score) and are ranked last.

    ========================  ====================================================================
    ``_supervised``           requires y
    ``_sparse``, ``_lazy``    accepts sparse matrices; reads tables on disk column by column
    ``_targets``              the target types it accepts, of ``inffs.target.TARGET_TYPES``
    ``_weights``              ``fit`` takes ``sample_weight`` (:class:`TakesWeights`), and so does
                              ``_score``, which then ignores missing values as well
    ``_ignores_missing``      accepts ``missing="ignore"``
    ``_min_samples``          the smallest number of samples it can rank
    ``_any_magnitude``        accepts values whose squares overflow
    ``_scale_free``           the order does not depend on the units of the columns
    ``_fixed_scale``          the order changes even if all columns are multiplied by one factor
    ``_size_matters``         the order depends on ``n_features_to_select``
    ``_longest_search``       steps of a greedy search if no number of features is given
    ``_chooses_size``         "auto" keeps the subset that the method itself selects
    ========================  ====================================================================

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Larger is better, for every method.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first. Ties go to the smaller index.
    ranking_ : ndarray of shape (n_features,)
        Place of each feature in the order, from 1: a permutation of 1 ... n.
    support_ : ndarray of shape (n_features,)
        True for the selected features.
    n_features_ : int
        Number of selected features.
    target_type_ : str
        The type of y, of ``inffs.target.TARGET_TYPES`` (supervised methods only).
    ties_ : ndarray of shape (n_features,)
        The number of other features with the same score, up to rounding. Zero for methods that
        return an order instead of scores.
    cut_ : inffs.cuts.Cut
        Where the ranking was cut (``name``, ``size``), and why.
    size_selection_ : inffs.cuts.SizeSelection
        The cross-validation of the size (only if the cut evaluated one).
    """

    _weights = False
    _scale_free = False
    _fixed_scale = False
    _size_matters = False
    _longest_search: int | None = None
    _chooses_size = False

    _parameter_constraints: dict = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right"),
            str, callable, None,
        ],
        "missing": [StrOptions(set(MISSING))],
        "target_type": [StrOptions(set(ASKED_TYPES))],
    }  # fmt: skip

    n_features_to_select: Any

    def _score(self, X: Any, y: Any) -> np.ndarray | Ranking:
        raise TypeError(f"{type(self).__name__} does not define _score")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, groups: Any = None, covariates: Any = None) -> Any:
        """Rank the columns of X and select the first ones.

        A :class:`inffs.TableWarning` reports columns in different units if the ranking depends on
        them, columns that contain the label, and columns that number samples or groups.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Samples in rows, features in columns.
        y : array of shape (n_samples,), optional
            The target. Supervised methods require it, the others ignore it.
        groups : array of shape (n_samples,), optional
            Samples of one group (a patient) stay on one side of every split of the size rule.
        covariates : array or data frame of shape (n_samples, n_covariates), optional
            Quantities such as a batch or an age. What they explain of a feature and of a numeric
            target is removed before the ranking. In every split of the size rule, this is learned
            from the training part only. Text, booleans and whole numbers with few values are
            categories. ``transform`` does not change the values of X.
        """
        return self._fit(X, y, groups=groups, covariates=covariates)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        covariates: Any = None,
    ) -> Any:
        self._reset()
        with forward_progress(self):
            plain = sample_weight is None and groups is None and covariates is None
            if plain and is_dask(X) and self._fit_chunks(X, y):
                return self
            samples = self._check_samples(X, y, sample_weight, groups, covariates)
            self._check_size(samples.X.shape[1])
            self._check_cut(samples.sample_weight)
            target = samples.target
            warn_about(self, samples.X, None if target is None else target.original())
            return self._fit_samples(samples)

    def _fit_chunks(self, X: Any, y: Any) -> bool:
        """Whether the chunks of a dask array suffice; they do where sums over samples do."""
        return False

    def _check_samples(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, covariates: Any = None
    ) -> Samples:
        """The checked table with its target, weights, groups and covariates.

        Samples of weight zero are left out. There are no weights in the plain case; where values
        are missing, samples weigh 1.
        """
        X = self._check_X(X)
        target, weight = self._check_target(X, y), self._weight_of_samples(X, sample_weight)
        if weight is not None and target is not None and target.type == SURVIVAL:
            raise ValueError(
                f"{type(self).__name__} takes neither weights nor missing values where y "
                "holds survival times: omit sample_weight and fill in the missing values."
            )
        groups = None if groups is None else check_groups(groups, X.shape[0])
        samples = Samples(X, target, weight, groups)
        rows = np.arange(len(samples)) if weight is None else np.flatnonzero(weight)
        if rows.size < len(samples):
            samples = self._check_remaining(samples.take(rows))
        if covariates is not None:
            design = check_covariates(covariates, X.shape[0], samples.X)
            samples = replace(samples, covariates=design[rows])
        return samples

    def _check_remaining(self, samples: Samples) -> Samples:
        """The samples of a weight above zero, if they suffice."""
        if len(samples) < self._min_samples:
            raise ValueError(
                f"Only {len(samples)} sample(s) have a weight above zero and a value: "
                f"{type(self).__name__} needs at least {self._min_samples}."
            )
        return replace(samples, target=self._check_target(samples.X, samples.target))

    def _reset(self) -> None:
        """Delete the attributes of an earlier fit, some of which a new fit would not set."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def _fit_samples(self, samples: Samples) -> Any:
        """Score, rank, cut and select the features of a checked table."""
        self.n_features_in_ = samples.X.shape[1]
        self._set_ranking(*self._rank_samples(samples))
        return self

    def _rank_samples(self, samples: Samples) -> tuple[Ranking, np.ndarray, Samples]:
        """Rank the features of a checked table that vary; also their places, and their samples."""
        if samples.target is not None:
            samples = replace(samples, target=self._note_target(samples.target.occurring()))
        samples = samples.adjusted().by_columns()
        varying = require_varying_columns(samples.X, samples.sample_weight is not None)
        part = samples.of_columns(varying)
        try:
            ranking = Ranking.of(self._score_samples(part, varying))
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"{type(self).__name__} cannot solve its equations in a stable way ({error}). "
                "Values of very different magnitude can cause this: scale the columns first."
            ) from error
        if not np.isfinite(ranking.scores).all():
            raise ValueError(
                f"{type(self).__name__} computed a score that is not finite. "
                "Values of very different magnitude can cause this: scale the columns first."
            )
        return ranking, varying, part

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> np.ndarray | Ranking:
        """Score the columns that vary, which are at the places ``columns`` of the input.

        The score of several outputs is the mean of their scores. Without weights (and without
        missing values) ``_score`` does not receive ``sample_weight``.
        """
        y, weight, score = samples.target, samples.sample_weight, self._score
        if weight is not None:
            score = partial(score, sample_weight=weight)  # type: ignore[call-arg]
        if y is None or not y.has_several:
            return score(samples.X, None if y is None else y.values)
        outputs = varying_outputs(y.values)
        rankings = (Ranking.of(score(samples.X, each)) for each in outputs.T)
        return np.mean([ranking.falling_scores() for ranking in rankings], axis=0)

    def _set_ranking(
        self, ranking: Ranking, varying: np.ndarray, part: Samples | None = None
    ) -> None:
        """Cut the ranking of the columns that vary and set the public attributes.

        Constant columns get the lowest score, at most 0.
        """
        n = self.n_features_in_
        self.scores_ = np.full(n, min(0.0, ranking.scores.min()))
        self.scores_[varying] = ranking.scores
        cut = self._cut(ranking, part).among(varying, n)
        if cut.evidence is not None:
            self.size_selection_ = cut.evidence
        self.ties_ = np.full(n, n - varying.size - 1)
        self.ties_[varying] = ranking.ties
        tie = "" if cut.features is not None else ranking.tie_at(cut.size)
        self.cut_ = replace(cut, why=cut.why + tie)
        self.order_ = cut.first(constant_last(varying[ranking.order], n))
        self.ranking_ = np.argsort(self.order_) + 1
        self.n_features_ = self.cut_.size
        self.support_ = self.ranking_ <= self.n_features_

    def _cut(self, ranking: Ranking, part: Samples | None) -> Cut:
        """The number of features: as given, by the method itself, or by a size rule."""
        asked, n = self.n_features_to_select, self.n_features_in_
        size = self._size_asked(n)
        if size is not None:
            return Cut("given", size, f"{size} of {n} features were asked for.")
        if asked is None:
            return Cut("all", n, "No size was asked for: all features are kept.")
        if isinstance(asked, str) and asked == "auto":
            if ranking.size is not None and (self._chooses_size or not self._supervised):
                return Cut("own", ranking.size, ranking.why)
            asked = default_cut(self._supervised)
        return apply_cut(asked, ranking, part, RankAgain(clone(self), self._weights))

    def _size_asked(self, n: int) -> int | None:
        return size_asked(self.n_features_to_select, n)

    def _check_size(self, n: int) -> None:
        size = self._size_asked(n)
        if size is not None and size > n:
            raise ValueError(f"n_features_to_select={size}, but X has only {n} features.")

    def _check_cut(self, sample_weight: np.ndarray | None) -> None:
        asked = self.n_features_to_select
        rule = CUTS.get(asked) if isinstance(asked, str) else asked
        takes_weights = self._weights or getattr(rule, "takes_weights", False)
        if sample_weight is not None and not takes_weights and needs_table(asked):
            raise ValueError(
                f"The cut {asked!r} ranks parts of the table and takes neither weights nor missing "
                "values: give a number, 'auto' or another cut by scores, or fill in missing values."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = self.missing == "ignore" and self._ignores_missing
        tags.target_tags.required = self._supervised
        tags.target_tags.multi_output = "multilabel" in self._targets
        return tags


class TakesWeights:
    """Mix-in of selectors whose ``fit`` takes weights: ``_score`` has a ``sample_weight``."""

    _weights = True
    _ignores_missing = True

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        covariates: Any = None,
    ) -> Any:
        """Rank the columns of X and select the first ones, with weights of the samples.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Samples in rows, features in columns.
        y : array of shape (n_samples,), optional
            The target. Supervised methods require it, the others ignore it.
        sample_weight : array of shape (n_samples,), optional
            Sample weights. Weight 2 is equivalent to repeating the sample, 0 to omitting it.
        groups, covariates
            As for :meth:`inffs.base.FeatureSelector.fit`, which also describes the warnings.
        """
        return self._fit(X, y, sample_weight, groups, covariates)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class RankAgain:
    """Ranks some of the samples by the same method, for size rules."""

    selector: FeatureSelector
    takes_weights: bool = False

    def __call__(self, samples: Samples, n_features: int) -> np.ndarray:
        """The order of the features; the first ``n_features`` are the ones needed."""
        n = samples.X.shape[1]
        again = clone(self.selector).set_params(n_features_to_select=min(n_features, n))
        again.n_features_in_ = n
        ranking, varying, _ = again._rank_samples(samples)
        return constant_last(varying[ranking.order], n)


def constant_last(order: np.ndarray, n: int) -> np.ndarray:
    """All n features: those of the order, then the others, which are constant."""
    return np.concatenate([order, np.delete(np.arange(n), order)])
