"""SVM-RFE and its forms with sample weights and with bootstrap samples."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt

from inffs._utils.progress import track
from inffs._utils.threads import column_blocks, stream
from inffs.base import FeatureSelector
from inffs.evaluation.folds import by_appearance
from inffs.methods.solvers.elimination import eliminate
from inffs.scores import Ranking


class SVMRFE(FeatureSelector):
    """Rank features by recursive elimination with a linear SVM.

    The soft-margin SVM min 1/2 |w|^2 + C sum xi_i with a free bias is trained on the remaining
    features, and the feature with the smallest w_j^2 (the criterion of the paper) is removed. The
    order is the reverse order of removal. With more than two classes there is an SVM for every pair
    of classes, and the criterion is the sum of w_j^2, as in scikit-learn's ``RFE`` with ``SVC``,
    whose order this is. (libsvm stores the Gram matrix in single precision, so two weights that
    agree to 1e-6 may be removed in another order there.) ``scores_`` is the largest criterion that
    any feature had at its removal up to the removal of this one, so it decreases along the order.

    The published library removes half of the features at a time and lists each half in reverse;
    here each chunk is listed best first.

    With ``step=1`` it takes O(n (T^2 + nT)) time and O(T^2 + nT) memory: the solution of the SVM is
    updated when a feature is removed. With more than 500 samples and more than 1.5 samples per
    feature, a removal takes a few dozen times O(n^3 + nT). The result depends on the scales of the
    columns. Bring columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    C : float, default=1.0
        The cost of a sample on the wrong side of its margin.
    step : int or float, default=1
        The number of features removed at a time, or the fraction of the remaining ones.

    See Also
    --------
    inffs.methods.SWSVMRFE : SVM-RFE with sample weights.
    inffs.methods.EnsembleSVMRFE : SVM-RFE on many bootstrap samples.
    inffs.methods.SVMRCE : Eliminate clusters of features.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik, "Gene selection for cancer classification using
    support vector machines", Machine Learning 46, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.methods import SVMRFE
    >>> X, y = load_iris(return_X_y=True)
    >>> SVMRFE(n_features_to_select=2).fit(X, y).order_
    array([2, 3, 1, 0])
    """

    _supervised = True
    _fixed_scale = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "step": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
    }

    def __init__(
        self, *, n_features_to_select: Any = "auto", C: float = 1.0, step: float = 1
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.step = step

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        order, scores = eliminate(X, y, np.full(y.size, float(self.C)), self.step)
        return Ranking(scores, order)


class SWSVMRFE(SVMRFE):
    """Rank features by SVM-RFE with sample weights.

    Each sample x is mapped to its margin vector, x'_j = mean |x_j - miss_j| - mean |x_j - hit_j|
    over the samples of the other classes (misses) and of its own class (hits). A sample whose
    margin vector is far from those of the others would distort the ranking. Its weight is therefore
    the inverse of its mean Euclidean distance to the other margin vectors, scaled to mean 1, and
    SVM-RFE runs with the costs C_i = C * weight_i.

    The full texts of the papers were not available. Their abstracts mention margin-based instance
    weighting, and the Inf-FS paper (Sec. 2) weights that are high near the separating hyperplane.
    The means over all hits and misses and the inverse mean distance are our interpretation.

    The weights act only through the costs: if the classes are so far apart that no sample reaches
    its cost, as on most wide tables with C = 1, the order is that of :class:`SVMRFE`.

    It takes O(T^2 n) time for the weights, and then as long as :class:`SVMRFE`. The result depends
    on the scales of the columns. Bring columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    C : float, default=1.0
        The mean cost of a sample on the wrong side of its margin.
    step : int or float, default=1
        The number of features removed at a time, or the fraction of the remaining ones.

    Attributes
    ----------
    sample_weights_ : ndarray of shape (n_samples,)
        The sample weights, with mean 1.

    See Also
    --------
    inffs.methods.SVMRFE : Eliminate features by the weights of a linear SVM.
    inffs.methods.EnsembleSVMRFE : SVM-RFE on many bootstrap samples.

    References
    ----------
    L. Yu, Y. Han, M. E. Berens, "Stable gene selection from microarray data via sample weighting",
    IEEE/ACM Transactions on Computational Biology and Bioinformatics 9, 2012.
    Y. Han, L. Yu, "A variance reduction framework for stable feature selection", ICDM 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import SWSVMRFE
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = SWSVMRFE(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 6, 10, 12])
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        self.sample_weights_ = sample_weights(_margin_distances(X, y))
        order, scores = eliminate(X, y, self.C * self.sample_weights_, self.step)
        return Ranking(scores, order)


def margin_vectors(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean distance to the misses minus mean distance to the hits, per sample and feature."""
    vectors = np.empty(X.shape)
    for row, label in enumerate(y):
        apart = np.abs(X - X[row])
        same = y == label
        hits = apart[same].sum(axis=0) / max(1, np.count_nonzero(same) - 1)
        vectors[row] = apart[~same].mean(axis=0) - hits
    return vectors


def _margin_distances(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Euclidean distances of the samples' margin vectors (T, T), summed over blocks of columns."""
    squared = np.zeros((y.size, y.size))

    def of_block(columns: slice) -> np.ndarray:
        return euclidean_distances(margin_vectors(X[:, columns], y), squared=True)

    for part in stream(of_block, column_blocks(X.shape[1], y.size)):
        squared += part
    return np.sqrt(squared)


def sample_weights(distances: np.ndarray) -> np.ndarray:
    """Inverse mean distance to the others, scaled to mean 1."""
    distance = distances.sum(axis=1) / (len(distances) - 1)
    if distance.max() == 0:
        return np.ones(distance.size)
    weight = 1 / np.maximum(distance, 1e-6 * distance.max())
    return weight / weight.mean()


class EnsembleSVMRFE(SVMRFE):
    """Rank features by their mean rank in SVM-RFE runs on bootstrap samples.

    Each bootstrap sample has as many samples as the table, drawn with replacement within each
    class, so that no class is lost. SVM-RFE removes a fifth of the remaining features at a time (E
    = 20 % in the paper). The score is the mean over the runs of the share of features that are
    ranked behind this one: 1 for a feature that is first in every run (complete linear aggregation
    in the paper).

    A sample drawn k times is one sample with cost k C: the same SVM with fewer rows. It takes
    ``n_estimators`` times as long as :class:`SVMRFE` with ``step=0.2``, O(T^2 n) per bootstrap
    sample. The result depends on the scales of the columns. Bring columns of different
    units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    n_estimators : int, default=40
        The number of bootstrap samples.
    C : float, default=1.0
        The cost of a sample on the wrong side of its margin.
    step : int or float, default=0.2
        The number of features removed at a time, or the fraction of the remaining ones.
    random_state : int, RandomState instance or None, default=None
        The random state of the bootstrap samples.

    See Also
    --------
    inffs.methods.SVMRFE : Eliminate features by the weights of a linear SVM.
    inffs.methods.SWSVMRFE : SVM-RFE with sample weights.

    References
    ----------
    T. Abeel, T. Helleputte, Y. Van de Peer, P. Dupont, Y. Saeys, "Robust biomarker identification
    for cancer diagnosis with ensemble feature selection methods", Bioinformatics 26, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import EnsembleSVMRFE
    >>> X, y = load_wine(return_X_y=True)
    >>> X, y = scale(X)[::3], y[::3]
    >>> selector = EnsembleSVMRFE(n_features_to_select=3, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([ 6,  9, 12])
    """

    _parameter_constraints = {
        **SVMRFE._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_estimators: int = 40,
        random_state: Any = None,
        n_features_to_select: Any = "auto",
        C: float = 1.0,
        step: float = 0.2,
    ) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.step = step

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        random = check_random_state(self.random_state)
        y = by_appearance(y)  # the draws follow from the codes
        n = X.shape[1]
        behind = np.zeros(n)
        for _ in track(range(self.n_estimators), "ranking bootstrap samples"):
            order, _ = eliminate(X, y, self.C * times_drawn(y, random), self.step)
            behind[order] += np.arange(n - 1, -1, -1)
        return Ranking(behind / (self.n_estimators * max(1, n - 1)))


def times_drawn(y: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """How often each sample is drawn by a bootstrap that keeps the class sizes."""
    times = np.zeros(y.size)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        times += np.bincount(random.choice(members, members.size), minlength=y.size)
    return times
