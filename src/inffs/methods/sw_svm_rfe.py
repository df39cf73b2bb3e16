"""SW-SVM-RFE: SVM-RFE with smaller weights for atypical samples."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from inffs._utils.threads import column_blocks, stream
from inffs.methods.solvers.elimination import eliminate
from inffs.methods.svm_rfe import SVMRFE
from inffs.scores import Scored


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
    tol : float, default=1e-8
        The largest violation of the optimality conditions of the SVM.

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
