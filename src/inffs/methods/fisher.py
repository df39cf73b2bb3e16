"""Fisher score: prefers features whose classes are far apart and compact."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.base import TakesWeights
from inffs.measures import cox_score, fisher
from inffs.measures.continuous import explained_ratio
from inffs.streaming import RunningMeasures, StreamingSelector
from inffs.target import REGRESSION, SURVIVAL
from inffs.validation.checks import identical_columns


class FisherScore(TakesWeights, StreamingSelector):
    """Rank features by the Fisher score.

    The score of feature i is sum_g (mu_ig - mu_i)^2 / sum_g sigma_ig^2 over the classes g, the
    multi-class criterion of the Inf-FS paper (Sec. 3.2). For two classes it orders like
    |mu_1 - mu_2|^2 / (sigma_1^2 + sigma_2^2). A feature that separates the classes perfectly scores
    twice the largest finite score, so it comes first.

    For regression the score is r^2 / (1 - r^2), where r is the correlation with y: the F statistic
    of a regression on this feature alone, divided by its degrees of freedom. For survival times it
    is the score test of a Cox model with this feature alone (Cox 1972), with Efron's handling of
    ties.

    It takes O(Tn) time and the memory of a block of columns. The scores do not depend on the scales
    of the columns.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

    See Also
    --------
    inffs.methods.MutualInformation : Mutual information of the binned feature with the class.
    inffs.InfFSS : All paths through a graph of the measures.

    References
    ----------
    Q. Gu, Z. Li, J. Han, "Generalized Fisher score for feature selection", UAI 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import FisherScore
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = FisherScore(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 6, 11, 12])
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression", "survival")
    _sparse = True
    _lazy = True
    _scale_free = True

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        missing: str = "refuse",
        target_type: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.missing = missing
        self.target_type = target_type

    def _score(self, X: Any, y: np.ndarray, sample_weight: Any = None) -> np.ndarray:
        if self.target_type_ == SURVIVAL:
            scores = cox_score(X, y["time"], y["event"])
        elif self.target_type_ == REGRESSION:
            scores = explained_ratio(X, y, sample_weight)
        else:
            scores = fisher(X, y, sample_weight=sample_weight)
        return scores[identical_columns(X)]

    def _score_running(self, running: RunningMeasures, columns: np.ndarray) -> np.ndarray:
        return running.fisher()[columns]
