"""Mutual information of each feature with the target."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs.base import FeatureSelector, TakesWeights
from inffs.measures.batch import symmetric_uncertainty
from inffs.measures.continuous import equal_frequency_codes
from inffs.measures.survival import ordering
from inffs.target import REGRESSION, SURVIVAL


class MutualInformation(TakesWeights, FeatureSelector):
    """Rank features by their normalised mutual information with the class.

    Each feature is divided into equal-width bins z between its minimum and its maximum. The score
    is 2 I(z; y) / (H(z) + H(y)). It is 0 for a feature that is independent of the class in the
    sample, and 1 for one that determines the class and is determined by it. The plug-in estimate is
    used, which is too high for all features alike if there are many bins and few samples.

    The program published with Inf-FS bins the joint and the marginal histogram by different rules
    and fills empty cells with 1e-5. There a constant column scores far above all others, and
    integers on the edges of bins may exceed 1. Here both histograms use the same bins, closed on
    the left, empty cells contribute nothing, and a constant column scores 0.

    For regression y is divided into at most five bins of equal frequency. For survival times the
    score is |2 c - 1|, where c is the concordance index of the feature (Harrell et al. 1982). It is
    the share of comparable pairs in which the sample with the larger value has its event first.

    It takes O(Tn) time, or O(T^2 n) for survival times, and the memory of a block of columns.
    Sparse tables stay sparse. The score does not change if a column is shifted or multiplied by a
    positive number.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        The number of equal-width bins. "auto" is max(10, T // 10) for up to 200 samples and 20 for
        more. Integers (or any values on an even grid) with at most that many levels get a bin each.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

    See Also
    --------
    inffs.methods.FisherScore : Variance between the classes over variance within.
    inffs.methods.MRMR : Relevance minus mean redundancy.

    References
    ----------
    M. Zaffalon, M. Hutter, "Robust feature selection by mutual information distributions",
    UAI 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.methods import MutualInformation
    >>> MutualInformation(n_features_to_select=2).fit(*load_iris(return_X_y=True)).order_
    array([2, 3, 0, 1])
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression", "survival")
    _sparse = True
    _lazy = True
    _scale_free = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "bins": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        bins: int | str = "auto",
        n_features_to_select: Any = "auto",
        missing: str = "refuse",
        target_type: str = "auto",
    ) -> None:
        self.bins = bins
        self.n_features_to_select = n_features_to_select
        self.missing = missing
        self.target_type = target_type

    def _score(self, X: Any, y: np.ndarray, sample_weight: Any = None) -> np.ndarray:
        if self.target_type_ == SURVIVAL:
            return ordering(X, y["time"], y["event"])
        if self.target_type_ == REGRESSION:
            y = equal_frequency_codes(y, sample_weight=sample_weight)
        return symmetric_uncertainty(X, y, self.bins, sample_weight)
