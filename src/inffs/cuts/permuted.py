"""The cut that promises a false-discovery rate, judged by permuted labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control
from sklearn.utils import check_random_state

from inffs.cuts.by_table import refuse_without_labels
from inffs.cuts.cut import BuiltInCut, Cut
from inffs.cuts.permutation import (
    LabelMeasure,
    Null,
    chance,
    most_by_chance,
    permuted_scores,
    standardise,
)
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION


@dataclass(frozen=True)
class PermutedLabels(BuiltInCut):
    """As many features as hold at most a share q of chance ones, against permuted labels.

    Where a feature's score follows from Fisher criterion and mutual information, these are measured
    again with the labels permuted, weighed as the selector weighs them and their scaling kept as
    observed; for numbers r^2 / (1 - r^2) stands for the Fisher criterion. A method whose scores say
    on their own how well a feature serves the labels (ReliefF, the unhinged lasso) is fitted again
    with permuted labels, ten times. The weights of a joint model and the order of a greedy search
    have no such null: the scores of the others are in them, and shrink beside a good feature as
    they do not with permuted labels. There each feature is tested by both measures, half and half.

    What is found is standardised feature by feature (with a fudge constant: Tusher, Tibshirani, Chu
    2001; of fewer than ten permutations with deviations shrunk to a common one: Smyth 2004) and the
    null is pooled over all features, so that fifty permutations resolve p-values far below 1 / 50.
    Benjamini and Hochberg (1995) make ``q_values`` of them. Where the ranking follows the p-values,
    their rule is the cut. Where it does not (dispersion weighs in, far values count in the scores),
    the first features may be without good ones that made room for chance ones in the list of small
    q-values. So all that chance puts up to some p-value t, nt of n, are taken to be among the
    features kept, and all kept above t to be chance ones: the cut is the largest size at which some
    t, not below the p-value of the last feature kept, makes these at most a share q; and never more
    than the features found.

    Where no size keeps the promise nothing is claimed: the best feature is kept because a selection
    cannot be empty, and the cut is marked ``forced``.

    Time O(nT) per permutation in a few matrix products (or ten fits), memory 4 bytes per feature
    and permutation.

    Parameters
    ----------
    q : float, default=0.1
        The false-discovery rate that is promised: a mean over tables. Where features are
        correlated, single tables can hold many more: the sentence ``why`` then says how many chance
        alone has put up.
    permutations : int, default=50
        How often the labels are permuted.
    fits : int, default=10
        How often they are permuted where the method has to be fitted again. With fewer than 1 / q
        a single feature cannot be found, however good it is.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    See Also
    --------
    Supported : Begins with it.
    inffs.StabilitySelection : Bounds the false features by resampling.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts.permuted import PermutedLabels
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select=PermutedLabels(permutations=20)).fit(X, y).cut_.name
    'permuted'
    """

    q: float = 0.1
    permutations: int = 50
    fits: int = 10
    random_state: Any = 0

    def __post_init__(self) -> None:
        if not 0 < self.q < 1 or self.permutations < 10 or self.fits < 4:
            raise ValueError(
                f"PermutedLabels takes q between 0 and 1 and at least 10 permutations and 4 fits, "
                f"not q={self.q!r}, permutations={self.permutations!r} and fits={self.fits!r}."
            )

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        return self.against(self.null(scores, selector, X, y), scores, selector)

    def against(self, null: Null, scores: np.ndarray, selector: Any) -> Cut:
        """The cut for scores whose null is known."""
        p_values = null.p_values()
        q_values = false_discovery_control(p_values)
        found = q_values <= self.q
        size = self._largest_size(scores, p_values, int(found.sum()))
        if size == 0:
            why = self._no_size(int(found.sum()))
            return Cut("permuted", 1, why, q_values, forced=True)
        why = self._why(size, scores.size, int(found.sum()), null)
        why += _alone(selector) + self._warn_of_luck(null, found)
        return Cut("permuted", size, why, q_values)

    def null(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Null:
        """What the features reach, and what they reach with permuted labels."""
        _refuse_without_null(selector, X, y)
        rng = check_random_state(self.random_state)
        if selector._null == "scores":
            return standardise(scores, permuted_scores(selector, X, y, self.fits, rng))
        weights = selector._label_weights()
        if not any(weights):
            raise ValueError(
                "Every weight is on the dispersion, which ignores the labels: permuting them "
                "changes nothing. Give Fisher or mutual information a weight, or another cut."
            )
        measure = LabelMeasure(weights[0], weights[1], getattr(selector, "bins", "auto"))
        return standardise(*measure.observed_and_permuted(X, y.values, self.permutations, rng))

    def _largest_size(self, scores: np.ndarray, p_values: np.ndarray, found: int) -> int:
        """The largest size that keeps the promise, never inside a tie; 0 where there is none."""
        order = np.argsort(-scores, kind="stable")
        parting = np.append(np.diff(scores[order]) != 0, True)[:found]
        by_chance = most_by_chance(p_values, order[:found])
        sizes = np.flatnonzero((by_chance <= self.q * np.arange(1, found + 1)) & parting) + 1
        return int(sizes.max(initial=0))

    def _why(self, size: int, n: int, found: int, null: Null) -> str:
        kept = (
            f"Of the best {size:,}, at most {self.q:.0%} are" if size > 1 else "The best one is not"
        )
        have = "features have" if found > 1 else "feature has"
        return (
            f"{kept} expected to be there by chance, judged by {null.permutations} permutations of "
            f"the labels ({found:,} of {n:,} {have} a q-value of at most {self.q:g})."
        )

    def _warn_of_luck(self, null: Null, found: np.ndarray) -> str:
        """A sentence where correlated features stand out together by chance now and then."""
        if null.permutations < 20:
            return ""
        by_chance = int(np.quantile(null.as_far_as(found), 0.95, method="higher"))
        if by_chance < max(2, found.sum() / 2):
            return ""
        return (
            f" Features are correlated and stand out together: in one of twenty permutations "
            f"{by_chance} or more did so by chance alone."
        )

    def _no_size(self, found: int) -> str:
        if found:
            return (
                f"Nothing is claimed: features with a q-value of at most {self.q:g} ({found}) are "
                "there, but the ranking does not put them first, so no size keeps the promise; the "
                "best feature alone is kept because a selection cannot be empty."
            )
        return (
            f"Nothing stands out: no feature differs from permuted labels at a false-discovery "
            f"rate of {self.q:g}; the best one is kept because a selection cannot be empty."
        )


class EstimatedChance(PermutedLabels):
    """The same with the share of chance features estimated instead of bounded.

    A feature's probability to be a chance one follows from the density of the p-values, which falls
    (Grenander; Strimmer 2008); the mean over the kept features is at most q (Newton and others
    2004). Where the ranking does not follow the p-values this keeps several times more, and more
    chance ones than q on some tables: a place to begin from, not a promise.
    """

    def _largest_size(self, scores: np.ndarray, p_values: np.ndarray, found: int) -> int:
        order = np.argsort(-scores, kind="stable")
        mean = np.cumsum(chance(p_values)[order]) / np.arange(1, order.size + 1)
        parting = np.append(np.diff(scores[order]) != 0, True)
        sizes = np.flatnonzero((mean <= self.q) & parting) + 1
        return int(sizes[sizes <= found].max(initial=0))

    def _why(self, size: int, n: int, found: int, null: Null) -> str:
        words = super()._why(size, n, found, null)
        return words.replace("are expected to be there by chance", "are by estimate chance ones")


def _alone(selector: Any) -> str:
    """A sentence where the features are tested by other measures than those that rank them."""
    if selector._null != "each":
        return ""
    return (
        f" They were tested one by one: what {type(selector).__name__} says of features together "
        "has no null."
    )


def _refuse_without_null(selector: Any, X: Any, y: Any) -> None:
    if selector is not None and selector._label_weights() is None:
        raise ValueError(
            f"The scores of {type(selector).__name__} do not depend on labels, so permuting labels "
            "leaves them as they are, and permuting the values of the columns makes a table "
            "without correlations, which beats every real feature: there is no null for these "
            "scores. Use a supervised method, InfFS with a relation that has a Coupling in it (a "
            "function of your own tells nobody how it reads y), or the cut 'stability'."
        )
    refuse_without_labels("permuted", selector, X, y, (CLASSIFICATION, MULTILABEL, REGRESSION))
