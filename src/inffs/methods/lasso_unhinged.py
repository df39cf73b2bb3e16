"""LASSO with the unhinged loss: a soft threshold, without any iteration."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._utils.threads import over_columns
from inffs.base import FeatureSelector
from inffs.measures.batch import standard_deviation
from inffs.methods.solvers.one_vs_rest import (
    centre_and_scale,
    sides,
    standardised_target,
    stratified_folds,
    vote,
)
from inffs.scores import Scored
from inffs.target import REGRESSION
from inffs.validation.lazy import LazyTable

_N_ALPHAS = 50
_DEPTH = 1e-3


class LassoUnhinged(FeatureSelector):
    """Rank features by an L1-penalised linear classifier with the unhinged loss 1 - y f(x).

    With an L1 penalty alone the problem is unbounded. With the L2 term of the authors, the model
    minimises -w.m + alpha |w|_1 + |w|^2 / 2, where m_j = mean_i y_i z_ij over the standardised
    columns z and the bias is 0. The solution is the soft threshold w_j = sign(m_j) max(|m_j| -
    alpha, 0). The weight of the L2 term scales all w alike, so it does not affect the ranking.

    - With ``alpha="path"`` features enter by decreasing |m_j|, which is the score: the absolute
      correlation of the feature with the label, up to a constant.
    - With a number the score is |w_j|, ties by |m_j|, and the features with a weight are the subset
      that ``n_features_to_select="auto"`` selects.
    - With ``alpha="cv"`` 50 values, geometric from the largest |m_j| down to a thousandth of it,
      are compared by the accuracy of the classifier sign(w.z) in 5 stratified folds. The best one
      (the largest in case of ties) is used as a number. The result is deterministic.

    For regression y is scaled to mean 0 and variance 1: |m_j| is the absolute correlation, the
    threshold is that of the lasso for uncorrelated columns, and ``"cv"`` compares the correlation
    of w.z with y.

    With more than two classes there is one model per class against the rest, with sums of |m_j| and
    |w_j|. It takes O(nT) time and stores no matrix. The scales of the columns do not matter.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. With a single alpha "auto" selects the features that have
        a weight.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    alpha : "path", "cv" or float, default="path"
        The threshold.

    Attributes
    ----------
    alpha_ : float
        The threshold of the result (0 for ``alpha="path"``).
    alphas_, cv_scores_ : ndarray of shape (50,)
        The thresholds and their cross-validated accuracy, or correlation for regression
        (``"cv"``).

    See Also
    --------
    inffs.methods.LassoHinge : The hinge loss with an l1 penalty.
    inffs.methods.FisherScore : Variance between the classes over variance within.

    References
    ----------
    B. van Rooyen, A. K. Menon, R. C. Williamson, "Learning with symmetric label noise: the
    importance of being unhinged", NIPS 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import LassoUnhinged
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = LassoUnhinged(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 0, 11, 12])
    """

    _supervised = True
    _chooses_size = True
    _targets = ("classification", "multilabel", "regression")
    _sparse = True
    _lazy = True
    _scale_free = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "alpha": [StrOptions({"path", "cv"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        alpha: float | str = "path",
        target_type: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.target_type = target_type

    def _score(self, X: Any, y: np.ndarray) -> np.ndarray | Scored:
        scale = standard_deviation(X) * np.sqrt((y.size - 1) / y.size)
        scale[scale == 0] = 1.0  # the squares of a denormal column vanish
        moments = np.abs(_moments(X, self._machines(y), scale))
        total = moments.sum(axis=0)
        if self.alpha == "path":
            self.alpha_ = 0.0
            return total
        if self.alpha == "cv":
            self.alphas_ = moments.max() * _DEPTH ** (np.arange(1, _N_ALPHAS + 1) / _N_ALPHAS)
            self.cv_scores_ = self._evaluate(X, y)
            self.alpha_ = float(self.alphas_[np.argmax(self.cv_scores_)])
        else:
            self.alpha_ = float(self.alpha)
        weight = np.maximum(moments - self.alpha_, 0.0).sum(axis=0)
        return weighted_first(weight, total, self.alpha_)

    def _machines(self, y: np.ndarray) -> np.ndarray:
        """The target of each machine, one per row: +1 and -1, or the standardised y."""
        if self.target_type_ == REGRESSION:
            return standardised_target(y)[None]
        return np.array(sides(y, int(y.max()) + 1))

    def _evaluate(self, X: Any, y: np.ndarray) -> np.ndarray:
        """The cross-validated accuracy of every alpha.

        For regression it is the mean correlation of w.z with y, as the loss leaves the length of w
        open.
        """
        side, right = self._machines(y), np.zeros(self.alphas_.size)
        for train, test in stratified_folds(y):
            of_block = partial(_decisions, side=side, alphas=self.alphas_, train=train, test=test)
            decisions = np.sum(over_columns(X, of_block), axis=0)
            if self.target_type_ == REGRESSION:
                right += test.size * _correlations(decisions[0], y[test])
            else:
                right += (vote(decisions) == y[test]).sum(axis=1)
        return right / y.size


def weighted_first(weight: np.ndarray, gain: np.ndarray, alpha: float) -> Scored:
    """Score by the weight, then by the gain; the features with a weight are the subset."""
    kept = int(np.count_nonzero(weight))
    why = f"{kept} features have a weight at alpha = {alpha:.3g}."
    if kept == 0:
        kept, why = 1, f"No feature has a weight at alpha = {alpha:.3g}; the best is kept."
    return Scored(weight, np.lexsort((-gain, -weight)), kept, why)


def _moments(X: Any, side: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """m_j = mean(y_i z_ij) of every machine: z = (x - centre) / scale is never formed."""
    side = side - side.mean(axis=1, keepdims=True)  # changes rounding only, as sum(z_j) = 0
    if isinstance(X, LazyTable):
        products = np.concatenate(over_columns(X, lambda block: block.T @ side.T))
    else:
        products = np.asarray(X.T @ side.T)
    return products.T / (side.shape[1] * scale)


def _correlations(rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's correlation of every row with y; 0 for a constant one."""
    rows, y = rows - rows.mean(axis=1, keepdims=True), np.asarray(y) - y.mean()
    length = np.linalg.norm(rows, axis=1) * np.linalg.norm(y)
    return np.divide(rows @ y, length, out=np.zeros(len(rows)), where=length > 0)


def _decisions(
    block: Any, *, side: np.ndarray, alphas: np.ndarray, train: Any, test: Any
) -> np.ndarray:
    """The contribution of some columns to the decisions (machines, alphas, test samples)."""
    rows = block.tocsr() if sparse.issparse(block) else block
    centre, scale = centre_and_scale(rows[train])
    moments = _moments(rows[train], side[:, train], scale)
    decisions = np.empty((len(moments), alphas.size, test.size))
    for machine, m in enumerate(moments):
        weights = np.sign(m) * np.maximum(np.abs(m) - alphas[:, None], 0.0) / scale
        decisions[machine] = np.asarray(rows[test] @ weights.T).T - (weights @ centre)[:, None]
    return decisions
