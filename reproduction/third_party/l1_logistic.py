"""Entry order of an L1-penalised logistic regression (scikit-learn)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.fixes import parse_version

from reproduction.third_party.base import ThirdPartySelector, one_against_the_rest

_STEPS, _REACH = 40, 1000.0


class L1Logistic(ThirdPartySelector):
    """Features in the order in which they enter the model as the penalty falls.

    Forty penalties from the one at which everything is 0 to a thousandth of it, liblinear; those
    that enter at the same step stand by the size of their weight. Several classes: the mean of one
    against the rest.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return one_against_the_rest(y, lambda side: _entries(X, side))


def _entries(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import l1_min_c

    scores = np.zeros(X.shape[1])
    lowest = l1_min_c(X, y, loss="log", intercept_scaling=10.0)
    for step, C in enumerate(lowest * np.geomspace(1.01, _REACH, _STEPS)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            weight = np.abs(_model(C).fit(X, y).coef_[0])
        new = (weight > 0) & (scores == 0)
        scores[new] = _STEPS - step + weight[new] / (1 + weight[new])
    return scores


def _model(C: float) -> Any:
    import sklearn
    from sklearn.linear_model import LogisticRegression

    new = parse_version(sklearn.__version__) >= parse_version("1.8")
    penalty = {"l1_ratio": 1.0} if new else {"penalty": "l1"}
    return LogisticRegression(
        C=C, solver="liblinear", intercept_scaling=10.0, random_state=0, **penalty
    )
