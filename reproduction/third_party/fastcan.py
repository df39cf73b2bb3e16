"""FastCan (package fastcan)."""

from __future__ import annotations

import numpy as np

from inffs.scores import Scored
from reproduction.third_party.base import ThirdPartySelector, chosen_first


class FastCan(ThirdPartySelector):
    """Greedy choice by the canonical correlation with the classes, given what is chosen.

    The classes as 0 / 1 columns. At most as many features as samples can be chosen; the rest
    follows by position. O(k T n) for k features.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> Scored:
        from fastcan import FastCan as Package

        classes = np.eye(y.max() + 1)[y][:, 1:]
        k = min(self._choices(X.shape[1]), X.shape[0] - 2)
        found = Package(max(1, k), verbose=0).fit(X, classes)
        return chosen_first(found.indices_, X.shape[1])
