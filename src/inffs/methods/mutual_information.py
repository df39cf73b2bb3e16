"""Mutual information of each feature with the class, by one histogram call for all features."""

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
    """Normalised mutual information with the class, one feature at a time.

    Each feature is cut into equal-width bins z between its least and largest value, and scored by
    2 I(z; y) / (H(z) + H(y)): 0 for a feature that says nothing of the class, 1 for one that is
    the class under other names. The estimate is the plug-in one: with many bins and few samples
    it is too high, for all features alike.

    The program published with Inf-FS bins the joint and the marginal histogram by different
    conventions and fills empty cells with 1e-5, so a constant column scores far above all others
    and integers that fall on bin edges may exceed 1. Here both histograms are one, bins are closed
    on the left, empty cells count nothing, and a constant column scores 0. Any number of classes.

    A target of numbers is put into bins of equal frequency, at most five. For survival times the
    score is |2 c - 1|, c the concordance of the feature with them (Harrell and others 1982): the
    share of the comparable pairs whose larger value dies first.

    Time O(Tn), for survival times O(T^2 n), memory a block of columns; sparse tables stay sparse.
    The score does not change when a column is shifted or multiplied by a positive number.

    Parameters
    ----------
    bins : "auto" or int, default="auto"
        Number of equal-width bins; "auto" is max(10, T // 10) up to 200 samples and 20 above.
        Integers (or any values on an even grid) with at most so many levels keep a bin each.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep; "auto" checks sizes by cross-validation (5 to 10 more fits).
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN): refuse them, or measure every feature on the samples
        that have a value. :class:`sklearn.impute.SimpleImputer` in a pipeline fills them in.

    See Also
    --------
    inffs.methods.FisherScore : Spread between the classes over spread inside.
    inffs.methods.MRMR : Relevance less mean redundancy.

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
