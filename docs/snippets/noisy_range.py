"""The range of a column on a random half of the samples: an example with random numbers."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from inffs.base import FeatureSelector


class NoisyRange(FeatureSelector):
    """Rank features by their range on a random half of the samples.

    Time O(Tn), memory O(Tn). Depends on the columns' scales.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    References
    ----------
    Surname, "Title", Journal 2020.
    """

    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(self, *, n_features_to_select: Any = "auto", random_state: Any = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: Any, y: Any) -> np.ndarray:
        rng = check_random_state(self.random_state)
        half = rng.permutation(X.shape[0])[: (X.shape[0] + 1) // 2]
        return np.ptp(X[half], axis=0)
