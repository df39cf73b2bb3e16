"""Greedy selection by mutual information: relevance to the class, redundancy among the chosen."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._utils.progress import track
from inffs.base import FeatureSelector, TakesWeights
from inffs.measures.continuous import as_codes
from inffs.methods.solvers.pair_counts import BinnedTable, PairCounts
from inffs.scores import Scored


class InformationCriterion(TakesWeights, FeatureSelector):
    """Base of the greedy criteria: a criterion defines how a chosen feature k counts against j.

    ``_term`` turns I(X_j; X_k) and I(X_j; X_k | Y) into a number per candidate, ``_fold`` gathers
    these over the chosen ones, ``_share`` weighs the gathered total for so many chosen, and the
    next choice is the largest I(X_j; Y) - share * total. Equal criteria go to the more relevant
    feature, then to the smaller index.
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression")
    _scale_free = True
    _ignores_missing = False
    _longest_search = 200
    _conditional = True  # whether I(X_j; X_k | Y) is needed
    _fold: Any = np.add
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
        return pair - given_class

    def _share(self, chosen: int) -> float:
        return 1.0

    def _score_columns(self, X: Any, y: Any, columns: np.ndarray, sample_weight: Any = None) -> Any:
        """Several outputs have the binned columns in common, and what these share in pairs."""
        table = BinnedTable(X, self.bins, sample_weight, several=y.has_several)
        return super()._score_columns(table, y, columns, sample_weight)

    def _score(self, X: BinnedTable, y: np.ndarray, sample_weight: Any = None) -> Scored:
        asked = self._size_asked(self.n_features_in_)
        steps = min(X.shape[1], self._longest_search if asked is None else asked)
        order, scores = self._choose(X.with_label(as_codes(y, sample_weight)), steps)
        return Scored(scores, order=order)

    def _choose(self, table: PairCounts, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """The order of choice, the rest behind by the last criterion, and the criteria."""
        value, relevance = table.relevance.copy(), np.round(table.relevance / table.tie)
        free = np.ones(value.size, dtype=bool)
        total: Any = None
        chosen: list[int] = []
        for _ in track(range(steps), "features chosen"):
            if chosen:
                term = self._term(*table.with_chosen(chosen[-1], self._conditional))
                total = term if total is None else self._fold(total, term)
                value[free] = (table.relevance - self._share(len(chosen)) * total)[free]
            best = np.max(value, where=free, initial=-np.inf)
            tied = free & (value >= best - table.tie)
            chosen.append(int(np.argmax(np.where(tied, relevance, -1.0))))
            free[chosen[-1]] = False
        rest = np.flatnonzero(free)
        behind = np.lexsort((-relevance[rest], -np.round(value[rest] / table.tie)))
        return np.concatenate([np.array(chosen, dtype=int), rest[behind]]), value


class MRMR(InformationCriterion):
    """Minimum redundancy, maximum relevance: I(X_j; Y) - mean_k I(X_j; X_k) (Peng et al. 2005).

    The difference form (MID, Eq. 7 of the paper), k over the features already chosen. The published
    program rounds the data to integers, which wipes out columns of small spread, and considers the
    thousand most relevant features only; here columns are binned (see ``bins``), and all compete.

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.MIFS : Relevance less summed redundancy.
    inffs.methods.JMI : Joint information of pairs with the label.

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

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        return pair

    def _share(self, chosen: int) -> float:
        return 1 / chosen


class MIFS(InformationCriterion):
    """Mutual information feature selection: I(X_j; Y) - beta sum_k I(X_j; X_k) (Battiti 1994).

    The sum over the chosen features k outgrows the relevance as more are chosen: beta weighs it.

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of redundancy against relevance.
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.MRMR : Relevance less mean redundancy.
    inffs.methods.CIFE : Redundancy corrected by the class.

    References
    ----------
    R. Battiti, "Using mutual information for selecting features in supervised neural net
    learning", IEEE Transactions on Neural Networks 5, 1994.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import MIFS
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = MIFS(n_features_to_select=3).fit(X, y)
    >>> selector.get_support(indices=True)
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
        super().__init__(
            bins=bins, n_features_to_select=n_features_to_select, target_type=target_type
        )
        self.beta = beta

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        return pair

    def _share(self, chosen: int) -> float:
        return self.beta


class CIFE(InformationCriterion):
    """Conditional infomax: I(X_j; Y) - sum_k [I(X_j; X_k) - I(X_j; X_k | Y)] (Lin, Tang 2006).

    Redundancy counts only as far as the class does not explain it, k over the chosen features.

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.ICAP : As CIFE, but synergy is not rewarded.
    inffs.methods.JMI : Joint information of pairs with the label.

    References
    ----------
    D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction
    and fusion", ECCV 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import CIFE
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = CIFE(n_features_to_select=3).fit(X, y)
    >>> selector.get_support(indices=True)
    array([6, 7, 9])
    """


class ICAP(InformationCriterion):
    """Interaction capping: I(X_j; Y) - sum_k max(0, I(X_j; X_k) - I(X_j; X_k | Y)) (Jakulin 2005).

    As CIFE, but synergy of a chosen feature k with the candidate adds nothing.

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.CIFE : Redundancy corrected by the class.
    inffs.methods.CMIM : The worst conditional information counts.

    References
    ----------
    A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, Ljubljana 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import ICAP
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ICAP(n_features_to_select=3).fit(X, y)
    >>> selector.get_support(indices=True)
    array([4, 6, 9])
    """

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        return np.maximum(pair - given_class, 0.0)


class JMI(InformationCriterion):
    """Joint mutual information: I(X_j; Y) - mean_k [I(X_j; X_k) - I(X_j; X_k | Y)].

    Up to a constant this is the mean over the chosen k of I(X_j, X_k; Y), the criterion of Yang
    and Moody 1999 in the form of Brown et al. 2012 (Sec. 3.2).

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.MRMR : Relevance less mean redundancy.
    inffs.methods.CMIM : The worst conditional information counts.

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
    >>> selector = JMI(n_features_to_select=3).fit(X, y)
    >>> selector.get_support(indices=True)
    array([ 6,  9, 12])
    """

    def _share(self, chosen: int) -> float:
        return 1 / chosen


class CMIM(InformationCriterion):
    """Conditional mutual information maximisation: min_k I(X_j; Y | X_k) (Fleuret 2004).

    Written I(X_j; Y) - max_k [I(X_j; X_k) - I(X_j; X_k | Y)], k over the chosen features: a
    candidate counts for what it adds when the most similar chosen feature is known.

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.JMI : Joint information of pairs with the label.
    inffs.methods.ICAP : As CIFE, but synergy is not rewarded.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", JMLR 5, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import CMIM
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = CMIM(n_features_to_select=3).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 6, 9])
    """

    _fold = np.maximum


class MRI(InformationCriterion):
    """Maximum relevance, maximum independence (Wang, Wei, Yang, Wang 2017).

    I(X_j; Y) plus the independent classification information of the candidate with every chosen
    feature, sum_k [I(X_j; Y | X_k) + I(X_k; Y | X_j)]. By the chain rule this is, up to the factor
    |S| + 1 and a constant that no candidate changes,
    I(X_j; Y) - 2 / (|S| + 1) sum_k [I(X_j; X_k) - I(X_j; X_k | Y)],
    which is what is computed. The paper's own text was not at hand: the weights 2 / (|S| + 1) are
    those of ITMO_FS's criterion of this name, which by the same algebra is this one.

    Time O(Tn) per choice, memory O(Tn); nothing depends on the columns' scales. ``scores_`` holds
    each feature's criterion when it was chosen, or at the last choice: along ``order_`` they need
    not fall.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Equal-width bins per column ("auto": max(10, T // 10) up to 200 samples, 20 above).
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to choose; without a number, min(n, 200), of which "auto" keeps what a
        check supports (5 more fits). The rest of the order is that of the last criterion.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.JMI : Joint information of pairs with the label.
    inffs.methods.CIFE : Redundancy corrected by the class.

    References
    ----------
    J. Wang, J.-M. Wei, Z. Yang, S.-Q. Wang, "Feature selection by maximizing independent
    classification information", IEEE TKDE 29, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.methods import MRI
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = MRI(n_features_to_select=3).fit(X, y)
    >>> selector.get_support(indices=True)
    array([6, 7, 9])
    """

    def _share(self, chosen: int) -> float:
        return 2 / (chosen + 1)
