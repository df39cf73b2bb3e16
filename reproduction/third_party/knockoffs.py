"""Model-X knockoffs (package hidimstat)."""

from __future__ import annotations

import numpy as np

from reproduction.third_party.base import ThirdPartySelector, one_against_the_rest


class Knockoffs(ThirdPartySelector):
    """The LASSO's weight of a feature minus that of its Gaussian knockoff. O(n^3).

    Several classes: the mean of one against the rest.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return one_against_the_rest(y, lambda side: self._importance(X, side))

    def _importance(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from hidimstat import ModelXKnockoff

        model = ModelXKnockoff(random_state=self._seed()).fit(X, y.astype(float))
        return np.ravel(model.importance())
