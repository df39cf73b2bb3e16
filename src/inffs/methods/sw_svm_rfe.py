"""SW-SVM-RFE: SVM-RFE that listens less to samples unlike the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from inffs._utils.threads import column_blocks, stream
from inffs.base import FeatureSelector
from inffs.methods.solvers.elimination import eliminate
from inffs.methods.svm_rfe import SVMRFE
from inffs.scores import Scored


class SWSVMRFE(FeatureSelector):
    """Sample-weighting SVM-RFE.

    Every sample x is mapped to its margin vector, x'_j = mean |x_j - miss_j| - mean |x_j - hit_j|
    over the samples of the other classes (misses) and of its own (hits): what each feature says
    of its side. A sample whose margin vector lies far from those of the others would pull the
    ranking its own way, so its weight is the inverse of its mean Euclidean distance to the other
    margin vectors, scaled to mean 1; SVM-RFE then runs with the cost C_i = C * weight_i.

    The papers' own equations could not be reached: their abstracts speak of margin-based instance
    weighting, and the Inf-FS paper (Sec. 2) of weights that are high near the separating
    hyperplane. Means over all hits and misses and the inverse mean distance are our reading.

    The weights act only through the costs: where the classes are so far apart that no sample
    reaches its cost, as on most wide tables at C = 1, the order is that of :class:`SVMRFE`.

    Time O(T^2 n) for the weights, then that of :class:`SVMRFE`. Depends on the columns' scales:
    standardise first unless the scales mean something.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep; "auto" checks sizes by cross-validation (5 to 10 more fits).
    C : float, default=1.0
        Mean cost of a sample on the wrong side of its margin.
    step : int or float, default=1
        Features that leave at a time, or the share of those that remain.
    tol : float, default=1e-8
        Largest violation of the SVM's optimality conditions that is left.

    Attributes
    ----------
    sample_weights_ : ndarray of shape (n_samples,)
        The weight of every sample, mean 1.

    See Also
    --------
    inffs.methods.SVMRFE : Eliminate by the weights of a linear SVM.
    inffs.methods.EnsembleSVMRFE : Eliminations of many resamples, voted.

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

    _supervised = True
    _parameter_constraints = SVMRFE._parameter_constraints

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        C: float = 1.0,
        step: float = 1,
        tol: float = 1e-8,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.step = step
        self.tol = tol

    def _score(self, X: np.ndarray, y: np.ndarray) -> Scored:
        self.sample_weights_ = sample_weights(_margin_distances(X, y))
        order, scores = eliminate(X, y, self.C * self.sample_weights_, self.step, self.tol)
        return Scored(scores, order)


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
