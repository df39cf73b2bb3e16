"""What every method must beat: all features, a random order, plain variance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from inffs.base import FeatureSelector


class AllFeatures(FeatureSelector):
    """Keeps everything: what selection is compared with. O(1)."""

    _sparse = True
    _targets = ("classification", "multilabel")

    def __init__(self, *, n_features_to_select: Any = 1.0) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        return np.zeros(X.shape[1])


class RandomOrder(FeatureSelector):
    """A random order of the features: what a selection must beat to be worth anything. O(n)."""

    _sparse = True
    _targets = ("classification", "multilabel")

    def __init__(self, *, n_features_to_select: Any = 1.0, random_state: Any = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: Any, y: Any) -> np.ndarray:
        return check_random_state(self.random_state).permutation(X.shape[1]).astype(float)


class Variance(FeatureSelector):
    """Features by falling variance: the plainest filter, and often a good one. O(Tn)."""

    _sparse = True
    _targets = ("classification", "multilabel")

    def __init__(self, *, n_features_to_select: Any = "auto") -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        if not sparse.issparse(X):
            return X.var(axis=0, ddof=1)
        T = X.shape[0]
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return (square - mean * mean) * (T / (T - 1))


BASELINES: dict[str, type[FeatureSelector]] = {
    "all": AllFeatures,
    "random": RandomOrder,
    "variance": Variance,
}
