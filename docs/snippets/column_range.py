"""The range of a column: a toy."""

from typing import Any

import numpy as np

from inffs.base import FeatureSelector


class ColumnRange(FeatureSelector):
    """Largest minus least value of a column.

    Time O(Tn), memory O(n). Depends on the columns' scales.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.

    References
    ----------
    Nobody, "A toy", nowhere.
    """

    def __init__(self, *, n_features_to_select: Any = "auto") -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        return np.ptp(X, axis=0)
