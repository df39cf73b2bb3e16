"""Fisher score: classes far apart, each class compact."""

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
    """Fisher score, one feature at a time.

    h_i = sum_g (mu_ig - mu_i)^2 / sum_g sigma_ig^2 over the classes g: the multi-class criterion
    of the Inf-FS paper (Sec. 3.2), which for two classes orders like |mu_1 - mu_2|^2 / (sigma_1^2
    + sigma_2^2). A feature that separates the classes perfectly stands first: its score is twice
    the largest finite one.

    For a target of numbers the score is r^2 / (1 - r^2), r the correlation with it: the F
    statistic of a regression on the one feature, over its degrees of freedom. For survival times it
    is the score test of a Cox model with the one feature (Cox 1972), ties by Efron.

    Time O(Tn), memory a block of columns. The score does not depend on the columns' scales.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep; "auto" checks sizes by cross-validation (5 to 10 more fits).
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN): refuse them, or measure every feature on the samples
        that have a value. :class:`sklearn.impute.SimpleImputer` in a pipeline fills them in.

    See Also
    --------
    inffs.methods.MutualInformation : Binned information with the label.
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
