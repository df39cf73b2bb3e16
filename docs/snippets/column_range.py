"""The range of a column: an example of a method."""

from typing import Any

import numpy as np

from inffs.base import FeatureSelector


class ColumnRange(FeatureSelector):
    """Rank features by their range, the largest minus the smallest value.

    Time O(Tn), memory O(n). Depends on the columns' scales.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.

    References
    ----------
    Surname, "Title", Journal 2020.
    """

    def __init__(self, *, n_features_to_select: Any = "auto") -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        return np.ptp(X, axis=0)
