"""Permutation importance of a random forest (scikit-learn)."""

from __future__ import annotations

import numpy as np

from reproduction.third_party.base import ThirdPartySelector


class Permutation(ThirdPartySelector):
    """Accuracy lost on a held-out quarter when a column is shuffled; a forest of 100 trees.

    Three shuffles per column; the impurity importance, scaled below one shuffle's smallest loss,
    orders the many columns that lose nothing. O(n) predictions of the forest.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.inspection import permutation_importance
        from sklearn.model_selection import train_test_split

        seed = self._seed()
        few = np.unique(y, return_counts=True)[1].min() < 2
        train, test = train_test_split(
            np.arange(y.size), test_size=0.25, random_state=seed, stratify=None if few else y
        )
        forest = RandomForestClassifier(100, random_state=seed).fit(X[train], y[train])
        found = permutation_importance(forest, X[test], y[test], n_repeats=3, random_state=seed)
        tie = forest.feature_importances_ / (4 * test.size)
        return found.importances_mean + tie
