"""What the third-party methods share: labels one against the rest, orders that end early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from inffs.base import FeatureSelector
from inffs.scores import Scored

MOST_CHOICES = 200  # of one that chooses step by step, where no number is asked for


class ThirdPartySelector(FeatureSelector):
    """Base of all third-party methods: supervised, one fit of the package's own selector."""

    _supervised = True

    def __init__(self, *, n_features_to_select: Any = "auto", random_state: Any = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _choices(self, n: int) -> int:
        """How many features one that chooses step by step is asked for."""
        asked = self._size_asked(self.n_features_in_)
        return min(n, MOST_CHOICES if asked is None else asked)


def chosen_first(chosen: Any, n: int) -> Scored:
    """The features in the order of choice; those that were not chosen follow by position."""
    chosen = np.asarray(chosen, dtype=int)
    order = np.concatenate([chosen, np.setdiff1d(np.arange(n), chosen)])
    scores = np.zeros(n)
    scores[chosen] = np.arange(chosen.size, 0, -1)
    why = f"{chosen.size} features were chosen step by step."
    return Scored(scores, order=order, size=max(1, chosen.size), why=why)


def one_against_the_rest(y: np.ndarray, score: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The scores of a two-class method; of several classes the mean of one against the rest."""
    codes = np.unique(y)
    sides = [y == codes[1]] if codes.size == 2 else [y == code for code in codes]
    return np.mean([score(side.astype(int)) for side in sides], axis=0)
