"""SVM-RFE: train a linear SVM, drop the feature of least weight, train again."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt

from inffs.base import FeatureSelector
from inffs.methods.solvers.elimination import eliminate
from inffs.scores import Scored


class SVMRFE(FeatureSelector):
    """Recursive feature elimination with a linear SVM.

    The soft-margin SVM min 1/2 |w|^2 + C sum xi_i with free bias is trained on the features that
    remain; the one of least w_j^2 (the paper's criterion) leaves; the order is that of
    leaving, last first. With more than two classes every pair of classes has its machine and the
    criterion is the sum of w_j^2 over them, as in scikit-learn's RFE with SVC, whose order this
    is. (libsvm holds the Gram matrix in single precision, so two weights that agree to 1e-6 may
    leave in another order there.) ``scores_`` is the largest criterion that any feature had on
    leaving up to this one's leaving: it falls along the order.

    The published library halves the features and lists each removed half upside down; here
    chunks are listed best first.

    The work is done in the dual: a removed feature is a rank-one change of the T x T Gram matrix
    (rebuilt every 100 removals) and of the inverse of its part on the margin, and an active set
    walks from the old optimum to the new one, exactly: time O(n (T^2 + nT)) with ``step=1``,
    memory O(T^2 + nT). With over 500 samples and more than 1.5 samples per feature, proximal Newton
    steps in the weights take its place: some tens of O(n^3 + nT) a removal, memory O(n^2 + nT).
    Should neither settle, libsvm takes over.

    The weights depend on the columns' scales: standardise first unless the scales mean something.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep; "auto" checks sizes by cross-validation (5 to 10 more fits).
    C : float, default=1.0
        Cost of a sample on the wrong side of its margin.
    step : int or float, default=1
        Features that leave at a time, or the share of those that remain.
    tol : float, default=1e-8
        Largest violation of the SVM's optimality conditions that is left.

    See Also
    --------
    inffs.methods.SWSVMRFE : Weights of the samples in the elimination.
    inffs.methods.EnsembleSVMRFE : Eliminations of many resamples, voted.
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
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "step": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

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
        order, scores = eliminate(X, y, np.full(y.size, float(self.C)), self.step, self.tol)
        return Scored(scores, order)
