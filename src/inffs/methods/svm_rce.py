"""SVM-RCE: recursive elimination of clusters of features."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.evaluation.folds import by_appearance
from inffs.measures import fisher
from inffs.methods.solvers.one_vs_rest import standardise, stratified_folds
from inffs.scores import Ranking


class SVMRCE(FeatureSelector):
    """Rank features by recursive elimination of clusters of features.

    The ``n_screened`` features with the largest Fisher score are clustered by k-means on their
    standardised values. For each cluster a linear SVM on its features alone is cross-validated. The
    clusters with the lowest accuracy are removed, and the remaining features are clustered again
    into as many clusters as are left, until one is left. The score of a feature is the number of
    rounds that it remained plus half the accuracy of its last cluster. Features of one cluster are
    ordered by Fisher score; features that were not screened come last, also by Fisher score.

    The paper repeats each cross-validation a hundred times; use ``n_repeats`` for this.

    It takes O(n_screened^2 T) time for the clusters plus about n_clusters / step * cv * n_repeats
    small SVMs, and O(Tn) memory. The columns are standardised, so their scales do not matter.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    n_screened : int, default=300
        The number of features that are clustered.
    n_clusters : int, default=100
        The initial number of clusters, at most a third of the screened features.
    step : float, default=0.1
        The fraction of the clusters removed in each round (at least one cluster).
    cv : int, default=3
        The number of folds.
    n_repeats : int, default=1
        The number of repetitions of the cross-validation, each with different folds.
    C : float, default=1.0
        The cost of a sample on the wrong side of the margin.
    random_state : int, RandomState instance or None, default=None
        The random state of the folds and of k-means.

    See Also
    --------
    inffs.methods.SVMRFE : Eliminate features by the weights of a linear SVM.

    References
    ----------
    M. Yousef, S. Jung, L. C. Showe, M. K. Showe, "Recursive cluster elimination (RCE) for
    classification and feature selection from gene expression data", BMC Bioinformatics 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import SVMRCE
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = SVMRCE(n_features_to_select=3, random_state=0).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 0,  9, 12])
    """

    _supervised = True
    _lazy = True
    _scale_free = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_screened": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "step": [Interval(Real, 0, 1, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "n_repeats": [Interval(Integral, 1, None, closed="left")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_screened: int = 300,
        n_clusters: int = 100,
        step: float = 0.1,
        cv: int = 3,
        n_repeats: int = 1,
        C: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_screened = n_screened
        self.n_clusters = n_clusters
        self.step = step
        self.cv = cv
        self.n_repeats = n_repeats
        self.C = C
        self.random_state = random_state

    def _score(self, X: Any, y: np.ndarray) -> Ranking:
        y = by_appearance(y)  # folds and ties between machines follow from the codes
        ratio = fisher(X, y)
        remaining = np.argsort(-ratio, kind="stable")[: self.n_screened]
        scores = np.full(ratio.size, -1.0)
        scores += ratio / max(ratio.max(), np.finfo(float).tiny)
        self._eliminate(standardise(np.asarray(X[:, remaining])), y, remaining, scores)
        return Ranking(scores, np.lexsort((-ratio, -scores)))

    def _eliminate(
        self, Z: np.ndarray, y: np.ndarray, remaining: np.ndarray, scores: np.ndarray
    ) -> None:
        """Set the scores of the remaining features in every round."""
        random = check_random_state(self.random_state)
        sizes = _cluster_counts(min(self.n_clusters, max(1, remaining.size // 3)), self.step)
        for done, size in enumerate(track(sizes, "eliminating clusters")):
            cluster = _clusters(Z, min(size, remaining.size), random)
            folds = [fold for _ in range(self.n_repeats) for fold in self._folds(y, random)]
            accuracy = np.array(
                [_accuracy(Z[:, cluster == c], y, folds, self.C) for c in range(cluster.max() + 1)]
            )
            scores[remaining] = done + accuracy[cluster] / 2
            if done + 1 < len(sizes):
                best = np.argsort(-accuracy, kind="stable")[: sizes[done + 1]]
                keep = np.isin(cluster, best)
                Z, remaining = Z[:, keep], remaining[keep]

    def _folds(self, y: np.ndarray, random: np.random.RandomState) -> list[Any]:
        shuffled = random.permutation(y.size)
        folds = stratified_folds(y[shuffled], self.cv)
        return [(shuffled[train], shuffled[test]) for train, test in folds]


def _cluster_counts(first: int, step: float) -> list[int]:
    """The number of clusters in each round, down to one."""
    counts = [first]
    while counts[-1] > 1:
        counts.append(counts[-1] - max(1, int(step * counts[-1])))
    return counts


def _clusters(Z: np.ndarray, size: int, random: np.random.RandomState) -> np.ndarray:
    """The cluster of every column, numbered consecutively."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct columns than clusters
        labels = KMeans(size, n_init=1, random_state=random).fit_predict(Z.T)
    return np.unique(labels, return_inverse=True)[1]


def _accuracy(Z: np.ndarray, y: np.ndarray, folds: list[Any], C: float) -> float:
    """Accuracy of a linear SVM over the folds."""
    right = total = 0
    for train, test in folds:
        predicted: Any = y[train[0]]
        if np.ptp(y[train]) > 0:
            model = SVC(C=C, kernel="linear", gamma="auto", max_iter=100_000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                predicted = model.fit(Z[train], y[train]).predict(Z[test])
        right += int(np.count_nonzero(predicted == y[test]))
        total += test.size
    return right / total
