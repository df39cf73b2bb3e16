"""Importances of random forests and extra trees (scikit-learn)."""

from __future__ import annotations

import numpy as np

from reproduction.third_party.base import ThirdPartySelector

_TREES = 500


class RandomForest(ThirdPartySelector):
    """Mean decrease of impurity in 500 trees of a random forest. O(500 T log(T) sqrt(n))."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(_TREES, random_state=self._seed())
        return forest.fit(X, y).feature_importances_


class ExtraTrees(ThirdPartySelector):
    """Mean decrease of impurity in 500 extremely random trees. O(500 T log(T) sqrt(n))."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import ExtraTreesClassifier

        return (
            ExtraTreesClassifier(_TREES, random_state=self._seed()).fit(X, y).feature_importances_
        )
