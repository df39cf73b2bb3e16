"""MultiSURF (package fast-select, or skrebate)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from reproduction.third_party.base import ThirdPartySelector


class MultiSURF(ThirdPartySelector):
    """Relief with neighbours nearer than half a deviation below the mean distance. O(T^2 n)."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        model = _model(X.shape[1]).fit(np.ascontiguousarray(X, dtype=float), y)
        return np.asarray(model.feature_importances_, dtype=float)


def _model(n: int) -> Any:
    if find_spec("fast_select"):
        from fast_select import MultiSURF as Fast

        return Fast(n_features_to_select=n)
    from skrebate import MultiSURF as Slow

    return Slow(n_features_to_select=n)
