"""Ensemble SVM-RFE: the mean rank over SVM-RFE runs on bootstrap samples."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.methods.solvers.elimination import eliminate


class EnsembleSVMRFE(FeatureSelector):
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
    tol : float, default=1e-8
        The largest violation of the optimality conditions of the SVM.
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

    _supervised = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "step": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_estimators: int = 40,
        C: float = 1.0,
        step: float = 0.2,
        tol: float = 1e-8,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_estimators = n_estimators
        self.C = C
        self.step = step
        self.tol = tol
        self.random_state = random_state

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        random = check_random_state(self.random_state)
        n = X.shape[1]
        behind = np.zeros(n)
        for _ in track(range(self.n_estimators), "bootstrap samples"):
            order, _ = eliminate(X, y, self.C * times_drawn(y, random), self.step, self.tol)
            behind[order] += np.arange(n - 1, -1, -1)
        return behind / (self.n_estimators * max(1, n - 1))


def times_drawn(y: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """How often each sample is drawn by a bootstrap that keeps the class sizes."""
    times = np.zeros(y.size)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        times += np.bincount(random.choice(members, members.size), minlength=y.size)
    return times
