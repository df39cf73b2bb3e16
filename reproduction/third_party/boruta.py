"""Boruta (package boruta)."""

from __future__ import annotations

import numpy as np

from reproduction.third_party.base import ThirdPartySelector


class Boruta(ThirdPartySelector):
    """Importances of a random forest against those of shuffled copies of the columns.

    BorutaPy with trees of depth 5, at most 100 rounds: confirmed features first, then tentative and
    rejected ones by its ranking; among equals by their mean importance. Rounds of O(T log(T) n).
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from boruta import BorutaPy
        from sklearn.ensemble import RandomForestClassifier

        seed = self._seed()
        forest = RandomForestClassifier(max_depth=5, random_state=seed)
        found = BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y)
        history = np.nan_to_num(found.importance_history_[1:])
        mean = history.mean(axis=0) if len(history) else np.zeros(X.shape[1])
        return -found.ranking_ + mean / (1 + np.abs(mean).max())
