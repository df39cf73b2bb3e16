"""The features associated with the target, at a false discovery rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from inffs.cuts.cut import Cut, RankAgain, Ranking, SizeRule
from inffs.cuts.permutation_test import p_values
from inffs.cuts.samples import Samples


@dataclass(frozen=True)
class FalseDiscoveryRate(SizeRule):
    """Keep all features that are associated with the target, at a false discovery rate of q.

    Each feature is tested by itself (:func:`inffs.cuts.permutation_test.p_values`), whatever the
    method: the share of its variance that the target explains is compared with the shares under
    permuted targets. Benjamini and Hochberg's rule (1995) decides which features are significant.
    The method only ranks them. One test serves all methods, because scores of features together,
    or of features that were picked one after the other, have no such null: a weak feature scores
    lower beside a good one than it does under permuted targets.

    The answer need not be the beginning of the ranking: significant features go first in
    ``order_``, and both parts keep the order of the method. If no feature is significant, the first
    one is kept because a selection cannot be empty, and the cut is marked ``forced``.

    Counts, ties, skewed values, small classes, missing values, sparse and lazy tables, survival
    times, several labels and weights need no option. 100 samples by 20,000 features take about a
    second.

    Parameters
    ----------
    q : float, default=0.1
        The expected share of false discoveries among the features kept.
    curves : bool, default=False
        Whether features count that are associated along a curve only: values that vary more in one
        class, or a target that depends on squares. Straight associations then need half the
        p-value, and the tests take about four times as long.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    See Also
    --------
    inffs.StabilitySelection : Bounds the false features by resampling.

    References
    ----------
    Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57, 1995.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select="fdr").fit(X, y).n_features_
    13
    """

    q: float = 0.1
    curves: bool = False
    random_state: Any = 0

    def __post_init__(self) -> None:
        if not 0 < self.q < 1:
            raise ValueError(f"FalseDiscoveryRate takes q between 0 and 1, not q={self.q!r}.")

    takes_weights = True

    def __call__(self, ranking: Ranking, samples: Samples, rank_again: RankAgain) -> Cut:
        """The significant features."""
        if samples.target is None:
            raise ValueError(
                "The cut 'fdr' needs labels, and this method does not use them: use a supervised "
                "method, or the cut 'stability'."
            )
        found = p_values(
            samples.X, samples.target.values, samples.sample_weight, samples.groups,
            curves=self.curves, q=self.q, random_state=self.random_state,
        )  # fmt: skip
        q_values = false_discovery_control(found)
        found = np.flatnonzero(q_values <= self.q)
        rate = f"{self.q:.0%}".replace("%", " %")
        if found.size == 0:
            why = (
                f"No feature is significantly associated with the target (false discovery rate "
                f"{rate}, permutation tests). The best feature is kept because a selection "
                "cannot be empty."
            )
            return Cut("fdr", 1, why, q_values, forced=True)
        why = (
            f"{found.size:,} of {ranking.scores.size:,} features are significantly associated with "
            f"the target: at most {rate} of them are expected to be false discoveries "
            "(permutation tests)."
        )
        return Cut("fdr", found.size, why, q_values, features=found)
