"""One ranking from several methods."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import delayed
from scipy.stats import rankdata
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from inffs._utils.threads import run_jobs
from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.meta.member import Member, SelectorOfSelectors, named
from inffs.meta.rank_aggregation import (
    AGGREGATIONS,
    kendall_matrix,
    overlap_matrix,
    rra_p_values,
)

_ROLE = "consensus"


class Consensus(SelectorOfSelectors):
    """One ranking from several: features that several methods rank high.

    Every method ranks the table; the places are aggregated. "mean-rank" weighs
    all methods alike, "median" ignores a single outlying one, and "rra" (robust rank aggregation)
    finds the features on which some of the methods agree more than random rankings would. Its
    p-values are too small, because methods on the same table are not independent.

    Time: the sum of the methods', and O(n M^3) for "rra" of M methods; memory as the largest.

    Parameters
    ----------
    selectors : list
        Keys of the catalogue as the command takes them ("relieff", "mrmr[bins=8]"), selectors of
        this package or of scikit-learn, or pairs (name, selector).
    how : {"mean-rank", "median", "rra"}, default="mean-rank"
        How places become a score.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.
    n_jobs : int, optional
        Methods that are fitted at the same time, by joblib.

    Attributes
    ----------
    names_ : list of str
        A name for every method.
    selectors_ : list of fitted selectors
        Fitted on the columns that vary.
    ranks_ : ndarray of shape (n_features, n_methods)
        Place of every feature by every method, from 1; ties share their mean place.
    p_values_ : ndarray of shape (n_features,)
        Of robust rank aggregation (``how="rra"`` only).
    agreement_ : ndarray of shape (n_methods, n_methods)
        Kendall's tau between the rankings.

    See Also
    --------
    BestOf : The ranking of the one that predicts best.
    StabilitySelection : One method on many subsamples.
    rank : One method alone.

    References
    ----------
    R. Kolde, S. Laur, P. Adler, J. Vilo, "Robust rank aggregation for gene list integration and
    meta-analysis", Bioinformatics 28, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs import Consensus
    >>> X, y = load_iris(return_X_y=True)
    >>> both = Consensus(["inf-fs-s", "fisher", "relieff"], n_features_to_select=2).fit(X, y)
    >>> both.order_
    array([2, 3, 0, 1])
    >>> float(both.overlap_at(2).min())
    1.0
    """

    _parameter_constraints: dict = {
        **FeatureSelector._parameter_constraints,
        "selectors": [list, tuple],
        "how": [StrOptions(set(AGGREGATIONS))],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        selectors: Any,
        *,
        how: str = "mean-rank",
        n_features_to_select: Any = "auto",
        target_type: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.selectors = selectors
        self.how = how
        self.n_features_to_select = n_features_to_select
        self.target_type = target_type
        self.n_jobs = n_jobs

    names_: list[str]
    selectors_: list[Any]
    ranks_: np.ndarray
    p_values_: np.ndarray
    agreement_: np.ndarray

    @property
    def _lazy(self) -> bool:  # type: ignore[override]
        return all(member.lazy for member in self._members())

    def _members(self) -> list[Member]:
        return [Member(selector) for _, selector in named(self.selectors, _ROLE)]

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> np.ndarray:
        self.names_ = [name for name, _ in named(self.selectors, _ROLE)]
        members = self._members()
        jobs = (delayed(member.without_size().fitted)(samples) for member in members)
        self.selectors_ = run_jobs(jobs, self.n_jobs, "methods", len(members))
        ranks = np.stack([_ranks(fitted) for fitted in self.selectors_], axis=1)
        n = self.n_features_in_
        self.ranks_ = np.full((n, len(members)), (columns.size + 1 + n) / 2)
        self.ranks_[columns] = ranks
        if self.how == "rra":
            self.p_values_ = np.ones(n)
            self.p_values_[columns] = rra_p_values(ranks)
        self.agreement_ = kendall_matrix(ranks)
        return AGGREGATIONS[self.how](ranks)

    def _ranking_columns(self) -> dict[str, np.ndarray]:
        """The place by every method, and the p-value where there is one."""
        columns = {f"rank_{name}": self.ranks_[:, i] for i, name in enumerate(self.names_)}
        return columns | ({"rra_p_value": self.p_values_} if self.how == "rra" else {})

    def overlap_at(self, k: int) -> np.ndarray:
        """Share of the best k features that every two methods have in common.

        Parameters
        ----------
        k : int
            Number of features, from 1.

        Returns
        -------
        ndarray of shape (n_methods, n_methods)
            Shares in [0, 1].
        """
        check_is_fitted(self)
        if not 1 <= k <= self.n_features_in_:
            raise ValueError(f"k={k!r} must be between 1 and {self.n_features_in_}.")
        return overlap_matrix(self.ranks_, k)


def _ranks(fitted: Any) -> np.ndarray:
    """Places from 1, ties at their mean place; a selector without a ranking has two places."""
    scores, own = getattr(fitted, "scores_", None), getattr(fitted, "ranking_", None)
    ties = getattr(fitted, "ties_", None)
    if own is not None and (scores is None or ties is None or not np.any(ties)):
        return rankdata(own)
    if scores is None:
        return rankdata(~fitted.get_support())
    return rankdata(-np.nan_to_num(scores, nan=-np.inf))
