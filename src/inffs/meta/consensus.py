"""One ranking from several methods, and how far they agree.

All functions take ranks of shape (n_features, n_rankings): 1 is best, ties share their mean place.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from numbers import Integral
from typing import Any

import numpy as np
from joblib import delayed
from scipy.stats import beta, kendalltau, rankdata
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from inffs._utils.threads import run_jobs
from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.meta.member import SelectorOfSelectors, fitted, is_ours, named, without_size

_LEAST = 1e-300
_ROLE = "consensus"


def mean_rank(ranks: np.ndarray) -> np.ndarray:
    """1 for a feature that is first everywhere, near 0 for one that is last everywhere. O(nM)."""
    return 1 - (ranks.mean(axis=1) - 1) / ranks.shape[0]


def median_rank(ranks: np.ndarray) -> np.ndarray:
    """As :func:`mean_rank`, with the median: robust to a single outlying ranking. O(nM)."""
    return 1 - (np.median(ranks, axis=1) - 1) / ranks.shape[0]


def rra_p_values(ranks: np.ndarray) -> np.ndarray:
    """Robust rank aggregation: is a feature ranked high more often than random rankings would?

    rho is the least, over k, of the probability that the k-th best of M uniform numbers is as small
    as the feature's k-th best rank over n (Kolde, Laur, Adler, Vilo 2012, Bioinformatics, Eq. 2).
    The paper bounds the p-value of rho by M rho; here it is exact, by counting along the M
    thresholds. It assumes that the rankings are independent, which methods on one table are not: it
    orders features, and is an optimistic p-value. O(n M^3).

    Parameters
    ----------
    ranks : ndarray of shape (n_features, n_rankings)
        Places from 1.

    Returns
    -------
    ndarray of shape (n_features,)
        P-values in (0, 1].
    """
    n, M = ranks.shape
    places = np.arange(1, M + 1)
    rho = beta.cdf(np.sort(ranks, axis=1) / n, places, M - places + 1).min(axis=1)
    thresholds = beta.ppf(rho[:, None], places, M - places + 1)
    return np.clip(_chance_of_crossing(thresholds), _LEAST, 1.0)


def rra_score(ranks: np.ndarray) -> np.ndarray:
    """-log10 of the p-value of robust rank aggregation: larger is better."""
    return -np.log10(rra_p_values(ranks))


def _chance_of_crossing(thresholds: np.ndarray) -> np.ndarray:
    """P(the k-th smallest of M uniform numbers is below the k-th threshold for some k), by rows.

    ``below[c]`` is the probability that c numbers lie below the current threshold and no k was
    crossed so far; what crosses is added up, so that small probabilities keep their digits.
    """
    n, M = thresholds.shape
    below = np.zeros((M + 1, n))
    below[0] = 1.0
    crossed, before = np.zeros(n), np.zeros(n)
    for k, here in enumerate(thresholds.T, start=1):
        inside = np.clip((here - before) / np.maximum(1 - before, _LEAST), 0.0, 1.0)
        after = np.zeros_like(below)
        for c in range(k):
            for more in range(M - c + 1):
                ways = comb(M - c, more) * inside**more * (1 - inside) ** (M - c - more)
                after[c + more] += below[c] * ways
        crossed += after[k:].sum(axis=0)
        after[k:] = 0.0
        below, before = after, here
    return crossed


def kendall_matrix(ranks: np.ndarray) -> np.ndarray:
    """Kendall's tau-b between every two rankings, shape (M, M). O(M^2 n log n)."""
    out = np.eye(ranks.shape[1])
    for i, j in combinations(range(len(out)), 2):
        tau = kendalltau(ranks[:, i], ranks[:, j]).statistic
        out[i, j] = out[j, i] = np.nan_to_num(tau)
    return out


def _places(ranks: np.ndarray) -> np.ndarray:
    """Places from 0, ties by the smaller index, as in every ranking here."""
    return np.argsort(np.argsort(ranks, axis=0, kind="stable"), axis=0)


def overlap_matrix(ranks: np.ndarray, k: int) -> np.ndarray:
    """Share of the best k that every two rankings have in common, shape (M, M)."""
    best = (_places(ranks) < k).astype(float)
    return best.T @ best / k


def overlap_curves(ranks: np.ndarray) -> np.ndarray:
    """The share of the best k that every two rankings have in common, for every k at once.

    Parameters
    ----------
    ranks : ndarray of shape (n_features, n_rankings)
        Places from 1.

    Returns
    -------
    ndarray of shape (n_pairs, n_features)
        The curve of every pair, k = 1, 2, ..., n. O(n M^2).
    """
    n = len(ranks)
    later = [np.maximum(one, other) for one, other in combinations(_places(ranks).T, 2)]
    common = [np.cumsum(np.bincount(place, minlength=n)) for place in later]
    return np.array(common) / np.arange(1, n + 1)


AGGREGATIONS = {"mean-rank": mean_rank, "median": median_rank, "rra": rra_score}


class Consensus(SelectorOfSelectors):
    """Combine the rankings of several methods into one.

    Every method ranks the table, and the ranks are aggregated. "mean-rank" weighs all methods
    alike, and "median" ignores a single outlying one. "rra" (robust rank aggregation) ranks
    features high if more methods agree on them than random rankings would. Its p-values are too
    small, because methods on the same table are not independent.

    It takes the time of all methods, and O(n M^3) more for "rra" of M methods.

    Parameters
    ----------
    selectors : list
        Keys of the catalogue as the command takes them ("relieff", "mrmr[bins=8]"), selectors of
        this package or of scikit-learn, or pairs (name, selector).
    how : {"mean-rank", "median", "rra"}, default="mean-rank"
        How ranks are combined to a score.
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
        Rank of every feature by every method, from 1. Ties share their mean rank.
    p_values_ : ndarray of shape (n_features,)
        The p-values of robust rank aggregation (``how="rra"`` only).
    agreement_ : ndarray of shape (n_methods, n_methods)
        Kendall's tau between the rankings.

    See Also
    --------
    BestOf : Chooses the method that predicts best.
    StabilitySelection : Combines one method over many subsamples.
    rank : Ranks by one method.

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

    _parameter_constraints = {
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

    @property
    def _lazy(self) -> bool:  # type: ignore[override]
        return all(is_ours(each) and each._lazy for each in self._inside())

    def _inside(self) -> list[Any]:
        return [selector for _, selector in named(self.selectors, _ROLE)]

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> np.ndarray:
        self.names_ = [name for name, _ in named(self.selectors, _ROLE)]
        selectors = self._inside()
        jobs = (delayed(fitted)(without_size(each), samples) for each in selectors)
        self.selectors_ = run_jobs(jobs, self.n_jobs, "ranking by methods", len(selectors))
        ranks = np.stack([_ranks(each) for each in self.selectors_], axis=1)
        n = self.n_features_in_
        self.ranks_ = np.full((n, len(selectors)), (columns.size + 1 + n) / 2)
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
        """Return the share of the best k features that every two methods have in common.

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


def _ranks(selector: Any) -> np.ndarray:
    """Places from 1, ties at their mean place; a selector without a ranking has two places."""
    scores, own = getattr(selector, "scores_", None), getattr(selector, "ranking_", None)
    ties = getattr(selector, "ties_", None)
    if own is not None and (scores is None or ties is None or not np.any(ties)):
        return rankdata(own)
    if scores is None:
        return rankdata(~selector.get_support())
    return rankdata(-np.nan_to_num(scores, nan=-np.inf))
