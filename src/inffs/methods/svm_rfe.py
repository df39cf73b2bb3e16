"""SVM-RFE: recursive feature elimination with a linear SVM."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt

from inffs.base import FeatureSelector
from inffs.methods.solvers.elimination import eliminate
from inffs.scores import Scored


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

    The SVM is solved in the dual. Removing a feature is a rank-one change of the T x T Gram matrix
    (recomputed every 100 removals) and of the inverse of its part on the margin; an active set
    moves from the old optimum to the new one. With ``step=1`` this takes O(n (T^2 + nT)) time and
    O(T^2 + nT) memory. With more than 500 samples and more than 1.5 samples per feature, proximal
    Newton steps in the weights replace it: a few dozen times O(n^3 + nT) per removal, and O(n^2 +
    nT) memory. If neither converges, libsvm is used.

    The result depends on the scales of the columns. Bring columns of different units to the range
    from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    C : float, default=1.0
        The cost of a sample on the wrong side of its margin.
    step : int or float, default=1
        The number of features removed at a time, or the fraction of the remaining ones.
    tol : float, default=1e-8
        The largest violation of the optimality conditions of the SVM.

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
