"""LASSO with the unhinged loss: a soft threshold, without any iteration."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._utils.threads import over_columns
from inffs.base import FeatureSelector
from inffs.methods.solvers.one_vs_rest import column_scale, sides, standardised_target
from inffs.scores import Ranking
from inffs.target import REGRESSION
from inffs.validation.lazy import LazyTable


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

    For regression y is scaled to mean 0 and variance 1: |m_j| is the absolute correlation, and the
    threshold is that of the lasso for uncorrelated columns.

    With more than two classes there is one model per class against the rest, with sums of |m_j| and
    |w_j|. It takes O(nT) time and stores no matrix. The scales of the columns do not matter.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. With a single alpha "auto" selects the features that have
        a weight.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    alpha : "path" or float, default="path"
        The threshold.

    Attributes
    ----------
    alpha_ : float
        The threshold of the result (0 for ``alpha="path"``).

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
        "alpha": [StrOptions({"path"}), Interval(Real, 0, None, closed="neither")],
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

    def _score(self, X: Any, y: np.ndarray) -> np.ndarray | Ranking:
        moments = np.abs(mean_products(X, self._machines(y), column_scale(X)))
        total = moments.sum(axis=0)
        if self.alpha == "path":
            self.alpha_ = 0.0
            return total
        self.alpha_ = float(self.alpha)
        weight = np.maximum(moments - self.alpha_, 0.0).sum(axis=0)
        return weighted_first(weight, total, self.alpha_)

    def _machines(self, y: np.ndarray) -> np.ndarray:
        """The target of each machine, one per row: +1 and -1, or the standardised y."""
        if self.target_type_ == REGRESSION:
            return standardised_target(y)[None]
        return np.array(sides(y, int(y.max()) + 1))


def weighted_first(weight: np.ndarray, gain: np.ndarray, alpha: float) -> Ranking:
    """Score by the weight, then by the gain; the features with a weight are the subset."""
    kept = int(np.count_nonzero(weight))
    why = f"{kept} features have a weight at alpha = {alpha:.3g}."
    if kept == 0:
        kept, why = 1, f"No feature has a weight at alpha = {alpha:.3g}; the best is kept."
    return Ranking(weight, np.lexsort((-gain, -weight)), kept, why)


def mean_products(X: Any, side: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """m_j = mean(y_i z_ij) of every machine: z = (x - centre) / scale is never formed."""
    side = side - side.mean(axis=1, keepdims=True)  # changes rounding only, as sum(z_j) = 0
    if isinstance(X, LazyTable):
        products = np.concatenate(over_columns(X, lambda block: block.T @ side.T))
    else:
        products = np.asarray(X.T @ side.T)
    return products.T / (side.shape[1] * scale)
