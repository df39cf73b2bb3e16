"""Greedy selection by mutual information: relevance to the target minus redundancy.

The seven criteria differ in how a selected feature counts against a candidate: each class states
that in one or two lines, and :class:`InformationCriterion` runs the search.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._utils.progress import track
from inffs.base import FeatureSelector, TakesWeights
from inffs.cuts import Samples
from inffs.measures import equal_frequency_codes
from inffs.methods.solvers.pair_counts import BinnedTable, PairCounts
from inffs.scores import Ranking
from inffs.target import REGRESSION, varying_outputs


class InformationCriterion(TakesWeights, FeatureSelector):
    """Base class of the greedy criteria.

    The next feature is the one of largest I(X_j; Y) - share * total. The total of a candidate j
    adds up a term for every selected feature k. Equal criteria go to the more relevant feature,
    then to the smaller index.
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression")
    _scale_free = True
    _ignores_missing = False
    _longest_search = 200
    _conditional = True  # whether I(X_j; X_k | Y) is needed
    _add: ClassVar[Any] = np.add  # how the term of the last selected feature joins the total
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "bins": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        bins: int | str = "auto",
        n_features_to_select: Any = "auto",
        target_type: str = "auto",
    ) -> None:
        self.bins = bins
        self.n_features_to_select = n_features_to_select
        self.target_type = target_type

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        """How one selected feature k counts, from I(X_j; X_k) and I(X_j; X_k | Y) of every j."""
        return pair - given_class

    def _share(self, n_selected: int) -> float:
        """The weight of the total after so many selected features."""
        return 1.0

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> Any:
        """Bin the columns once for all outputs, and search once for several numeric targets."""
        y, weight = samples.known_target, samples.sample_weight
        table = BinnedTable(samples.X, self.bins, weight, several=y.has_several)
        if self.target_type_ != REGRESSION:
            return super()._score_samples(replace(samples, X=table), columns)
        outputs = varying_outputs(y.values).T if y.has_several else [y.values]
        return self._search(
            table, [equal_frequency_codes(each, sample_weight=weight) for each in outputs]
        )

    def _score(self, X: BinnedTable, y: np.ndarray, sample_weight: Any = None) -> Ranking:
        return self._search(X, [y])

    def _search(self, table: BinnedTable, labels: list[np.ndarray]) -> Ranking:
        """Select by the mean criterion over the labels; the rest follow by the last criterion."""
        counts = [PairCounts(table, y) for y in labels]
        relevance, tie = np.array([each.relevance for each in counts]), counts[0].tie
        value = relevance.mean(axis=0)
        relevant, free = np.round(value / tie), np.ones(value.size, dtype=bool)
        total: Any = None
        selected: list[int] = []
        asked = self._size_asked(self.n_features_in_)
        steps = min(value.size, self._longest_search if asked is None else asked)
        for _ in track(range(steps), "selecting features"):
            if selected:
                pairs = [each.with_chosen(selected[-1], self._conditional) for each in counts]
                term = np.array([self._term(*pair) for pair in pairs])
                total = term if total is None else self._add(total, term)
                criterion = relevance - self._share(len(selected)) * total
                value[free] = criterion.mean(axis=0)[free]
            best = np.max(value, where=free, initial=-np.inf)
            tied = free & (value >= best - tie)
            selected.append(int(np.argmax(np.where(tied, relevant, -1.0))))
            free[selected[-1]] = False
        rest = np.flatnonzero(free)
        last = np.lexsort((-relevant[rest], -np.round(value[rest] / tie)))
        return Ranking(value, own_order=np.concatenate([selected, rest[last]]).astype(int))


class MRMR(InformationCriterion):
    """Select features by minimum redundancy and maximum relevance.

    The criterion is the difference form of Peng et al. 2005 (MID, their Eq. 7),
    I(X_j; Y) - mean_k I(X_j; X_k), where k runs over the features already selected. The columns
    are binned. The published program rounds the data to integers instead, which removes columns of
    small spread, and it considers only the 1,000 most relevant features.

    A selected feature costs O(Tn) time; the memory is O(Tn). The scales of the columns do not
    matter. ``scores_`` holds the criterion of each feature when it was selected, or at the last
    selection, so the scores can rise along ``order_``.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        The number of equal-width bins per column. "auto" is max(10, T // 10) for up to 200 samples
        and 20 for more.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. Without a number the search selects min(n, 200) features,
        and "auto" then compares sizes by cross-validation (5 to 20 more fits). The remaining
        features follow in the order of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes. Other numbers are
        binned.

    See Also
    --------
    inffs.methods.MIFS : Relevance minus summed redundancy.
    inffs.methods.JMI : Joint information of pairs with the target.

    References
    ----------
    H. Peng, F. Long, C. Ding, "Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy", IEEE TPAMI 27, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.methods import MRMR
    >>> MRMR(n_features_to_select=2).fit(*load_iris(return_X_y=True)).order_[:2]
    array([3, 2])
    """

    _conditional = False

    def _share(self, n_selected: int) -> float:
        return 1 / n_selected


class MIFS(InformationCriterion):
    """Select features by mutual information minus beta times summed redundancy.

    The criterion of Battiti 1994 is I(X_j; Y) - beta sum_k I(X_j; X_k). The sum over the selected
    features k grows with their number, so ``beta`` weighs it. Cost, scales and scores are those of
    :class:`MRMR`.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of redundancy against relevance.
    bins, n_features_to_select, target_type
        See :class:`MRMR`.

    See Also
    --------
    inffs.methods.MRMR : Relevance minus mean redundancy.
    inffs.methods.CIFE : Redundancy corrected for the class.

    References
    ----------
    R. Battiti, "Using mutual information for selecting features in supervised neural net
    learning", IEEE Transactions on Neural Networks 5, 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import MIFS
    >>> X, y = load_wine(return_X_y=True)
    >>> MIFS(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([ 4,  6, 12])
    """

    _conditional = False
    _parameter_constraints = {
        **InformationCriterion._parameter_constraints,
        "beta": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        beta: float = 1.0,
        bins: int | str = "auto",
        n_features_to_select: Any = "auto",
        target_type: str = "auto",
    ) -> None:
        self.beta = beta
        self.bins = bins
        self.n_features_to_select = n_features_to_select
        self.target_type = target_type

    def _share(self, n_selected: int) -> float:
        return self.beta


class CIFE(InformationCriterion):
    """Select features by conditional infomax feature extraction.

    The criterion of Lin and Tang 2006 is I(X_j; Y) - sum_k [I(X_j; X_k) - I(X_j; X_k | Y)]: a
    selected feature k is redundant only as far as the class does not explain what it shares with
    the candidate j. Cost, scales and scores are those of :class:`MRMR`.

    Parameters
    ----------
    bins, n_features_to_select, target_type
        See :class:`MRMR`.

    See Also
    --------
    inffs.methods.ICAP : Like CIFE, but synergy is not rewarded.
    inffs.methods.JMI : Joint information of pairs with the target.

    References
    ----------
    D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction
    and fusion", ECCV 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import CIFE
    >>> X, y = load_wine(return_X_y=True)
    >>> CIFE(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([6, 7, 9])
    """


class ICAP(InformationCriterion):
    """Select features by interaction capping.

    The criterion of Jakulin 2005 is I(X_j; Y) - sum_k max(0, I(X_j; X_k) - I(X_j; X_k | Y)): as
    for :class:`CIFE`, but the synergy of a selected feature k with the candidate j adds nothing.
    Cost, scales and scores are those of :class:`MRMR`.

    Parameters
    ----------
    bins, n_features_to_select, target_type
        See :class:`MRMR`.

    See Also
    --------
    inffs.methods.CIFE : Redundancy corrected for the class.
    inffs.methods.CMIM : Only the worst conditional information counts.

    References
    ----------
    A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, Ljubljana 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import ICAP
    >>> X, y = load_wine(return_X_y=True)
    >>> ICAP(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([4, 6, 9])
    """

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        return np.maximum(pair - given_class, 0.0)


class JMI(InformationCriterion):
    """Select features by joint mutual information.

    The criterion is I(X_j; Y) - mean_k [I(X_j; X_k) - I(X_j; X_k | Y)]. Up to a constant it is the
    mean over the selected features k of I(X_j, X_k; Y), the criterion of Yang and Moody 1999 in the
    form of Brown et al. 2012 (Sec. 3.2). Cost, scales and scores are those of :class:`MRMR`.

    Parameters
    ----------
    bins, n_features_to_select, target_type
        See :class:`MRMR`.

    See Also
    --------
    inffs.methods.MRMR : Relevance minus mean redundancy.
    inffs.methods.CMIM : Only the worst conditional information counts.

    References
    ----------
    H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for nongaussian
    data", NIPS 1999.

    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying
    framework for information theoretic feature selection", JMLR 13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import JMI
    >>> X, y = load_wine(return_X_y=True)
    >>> JMI(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([ 6,  9, 12])
    """

    def _share(self, n_selected: int) -> float:
        return 1 / n_selected


class CMIM(InformationCriterion):
    """Select features by conditional mutual information maximisation.

    The criterion of Fleuret 2004 is min_k I(X_j; Y | X_k), computed as
    I(X_j; Y) - max_k [I(X_j; X_k) - I(X_j; X_k | Y)] over the selected features k: the information
    that a candidate adds to the selected feature most similar to it. Cost, scales and scores are
    those of :class:`MRMR`.

    Parameters
    ----------
    bins, n_features_to_select, target_type
        See :class:`MRMR`.

    See Also
    --------
    inffs.methods.JMI : Joint information of pairs with the target.
    inffs.methods.ICAP : Like CIFE, but synergy is not rewarded.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", JMLR 5, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import CMIM
    >>> X, y = load_wine(return_X_y=True)
    >>> CMIM(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([0, 6, 9])
    """

    _add = np.maximum


class MRI(InformationCriterion):
    """Select features by maximum relevance and maximum independence.

    The criterion of Wang et al. 2017 adds to I(X_j; Y) the independent classification information
    of the candidate with every selected feature, sum_k [I(X_j; Y | X_k) + I(X_k; Y | X_j)]. By the
    chain rule it equals, up to the factor |S| + 1 and a constant that is the same for all
    candidates, I(X_j; Y) - 2 / (|S| + 1) sum_k [I(X_j; X_k) - I(X_j; X_k | Y)] for the set S of
    selected features; this form is computed. The text of the paper was not available: the weights
    2 / (|S| + 1) are those of the criterion MRI in ITMO_FS, which is equal by the same algebra.
    Cost, scales and scores are those of :class:`MRMR`.

    Parameters
    ----------
    bins, n_features_to_select, target_type
        See :class:`MRMR`.

    See Also
    --------
    inffs.methods.JMI : Joint information of pairs with the target.
    inffs.methods.CIFE : Redundancy corrected for the class.

    References
    ----------
    J. Wang, J.-M. Wei, Z. Yang, S.-Q. Wang, "Feature selection by maximizing independent
    classification information", IEEE TKDE 29, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import MRI
    >>> X, y = load_wine(return_X_y=True)
    >>> MRI(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([6, 7, 9])
    """

    def _share(self, n_selected: int) -> float:
        return 2 / (n_selected + 1)
