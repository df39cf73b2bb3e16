"""What a size rule receives and returns, and what rules that read only the scores share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from inffs._utils.words import counted
from inffs.evaluation.folds import variance_of_mean
from inffs.evaluation.metrics import NAMES, is_share, score_text
from inffs.scores import Ranking

_WIDTH = 0.5  # of the smoothing kernel, in natural logarithms of the size
_SAME = 1e-12  # of the largest score: a smaller range is rounding


@dataclass(frozen=True)
class SizeSelection:
    """Scores of many sizes on samples that had no part in the ranking.

    Parameters
    ----------
    size : int
        The size that is recommended.
    sizes : ndarray of shape (n_sizes,)
        The sizes that were evaluated.
    scores : ndarray of shape (n_folds, n_sizes)
        One score per fold and size: larger is better.
    measure : str
        What the scores are: "accuracy", "r2", "concordance", ...
    baseline : float
        The score without any feature, for example of the most frequent class.
    baseline_error : float
        By how much a selection without any information misses the baseline (a standard error).
    n_units : int
        How many samples, or groups of samples, are independent of each other.
    claimed : bool
        Whether the best smoothed mean beats the baseline by 2.5 standard errors.
    folds : tuple of (train, test)
        Row numbers of every fold, in the table of ``fit``.
    orders : tuple of ndarray
        The features in the order of every fold's ranking, best first.
    left_out : str, default=""
        A sentence about classes that were too small to be evaluated.

    See Also
    --------
    inffs.cuts.Predict : Makes one.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSS
    >>> selector = InfFSS().fit(*load_wine(return_X_y=True))
    >>> selector.size_selection_.sizes.tolist()
    [1, 2, 3, 5, 7, 10, 13]
    """

    size: int
    sizes: np.ndarray
    scores: np.ndarray = field(repr=False)
    measure: str
    baseline: float
    baseline_error: float
    n_units: int
    claimed: bool
    folds: tuple[tuple[np.ndarray, np.ndarray], ...] = field(repr=False)
    orders: tuple[np.ndarray, ...] = field(repr=False)
    left_out: str = ""

    @property
    def means(self) -> np.ndarray:
        """The mean score of every size."""
        return self.scores.mean(axis=0)

    @property
    def errors(self) -> np.ndarray:
        """The standard error of every mean (:func:`fold_errors`)."""
        n_units = self.n_units if is_share(self.measure) else None
        return fold_errors(self.scores, self.test_share, n_units)

    @property
    def test_share(self) -> float:
        """The share of the samples that the folds leave out."""
        return float(np.mean([test.size / (train.size + test.size) for train, test in self.folds]))

    @property
    def smoothed(self) -> np.ndarray:
        """The means, smoothed over the logarithm of the size."""
        return smooth(self.sizes, self.means)

    @property
    def why(self) -> str:
        """All of this in a sentence."""
        name = NAMES.get(self.measure, self.measure)
        best = int(np.argmax(self.means))
        baseline = self.text(self.baseline)
        if not self.claimed:
            why = (
                f"No size predicts clearly better than the baseline (cross-validated {name} "
                f"{self.text(self.smoothed.max())}, baseline {baseline}): nothing is claimed."
            )
        else:
            here = self.text(self.means[self.place(self.size)])
            why = f"Cross-validated {name}: {here} with {counted(self.size, 'feature')}"
            if self.sizes[best] != self.size:
                why += f", {self.text(self.means[best])} with {self.sizes[best]}"
            why += f", {baseline} for the baseline."
        return f"{why} {self.left_out}".strip()

    def among(self, columns: np.ndarray) -> SizeSelection:
        """The same with features numbered as in a table of which these columns were ranked."""
        return replace(self, orders=tuple(columns[order] for order in self.orders))

    def text(self, value: float) -> str:
        """The score as it is shown: a percentage where it is a share."""
        return score_text(self.measure, value)

    def place(self, size: int) -> int:
        """Where the largest evaluated size that is not above ``size`` stands."""
        return max(0, int(np.searchsorted(self.sizes, size, side="right")) - 1)


def fold_errors(scores: np.ndarray, test_share: float, n_units: int | None = None) -> np.ndarray:
    """The standard error of means over folds whose training parts overlap.

    Scores that are shares of ``n_units`` samples have at least the error of that many draws: equal
    folds do not prove that the mean is exact.
    """
    errors = np.sqrt(variance_of_mean(scores, test_share))
    if n_units is None:
        return np.asarray(errors)
    return np.maximum(errors, share_error(scores.mean(axis=0), n_units))


def share_error(share: Any, n_units: int) -> Any:
    """The standard error of a share, with two right and two wrong more (Agresti, Coull 1998)."""
    share = (share * n_units + 2) / (n_units + 4)
    return np.sqrt(share * (1 - share) / (n_units + 4))


def smooth(sizes: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The means, smoothed by local lines over the logarithm of the size (Gaussian kernel)."""
    x = np.log(sizes)
    away = x - x[:, None]  # from every size, to every size
    weight = np.exp(-0.5 * (away / _WIDTH) ** 2)
    zeroth, first, second = (weight.sum(axis=1), *((weight * away**k).sum(axis=1) for k in (1, 2)))
    spread = zeroth * second - first**2
    steady = spread > 1e-9 * zeroth**2
    line = weight * (second[:, None] - first[:, None] * away)
    return np.asarray(
        np.where(
            steady,
            line @ means / np.where(steady, spread, 1.0),
            weight @ means / zeroth,
        )
    )


def smallest_near_best(
    sizes: np.ndarray, scores: np.ndarray, tolerance: float, test_share: float
) -> int:
    """The smallest size that loses at most the tolerance against the best one.

    Either the smoothed means say so; or the folds prove it: the mean loss and two standard errors
    of it, fold by fold, lie within the tolerance. Smoothing alone would round off a step that is
    far larger than the errors.
    """
    smoothed = smooth(sizes, scores.mean(axis=0))
    lost = scores[:, [int(np.argmax(smoothed))]] - scores
    most = lost.mean(axis=0) + 2 * fold_errors(lost, test_share)
    near = (smoothed >= smoothed.max() - tolerance - 1e-12) | (most <= tolerance + 1e-12)
    return int(sizes[np.flatnonzero(near)[0]])


@dataclass(frozen=True)
class Cut:
    """The decision of a size rule: its name, the number of features and the reason.

    If the cut tests every feature, ``q_values`` holds the smallest false discovery rate at which
    the feature is significant. ``forced`` is True if the selection is no finding. Then nothing was
    significant and one feature is kept because a selection cannot be empty, or the samples were too
    few to evaluate the selection.

    Parameters
    ----------
    name : str
        Name of the rule.
    size : int
        The number of features.
    why : str
        A sentence that explains the decision.
    q_values : ndarray of shape (n_features,), optional
        The q-values of a cut that tests every feature.
    forced : bool, default=False
        Whether the selection is no finding.
    features : ndarray of int, optional
        The selected features, if they are not the first ones of the ranking.
    evidence : SizeSelection, optional
        What a cross-validation of the size has measured.

    See Also
    --------
    apply_cut : Applies a rule and returns its decision.

    Examples
    --------
    >>> from inffs import InfFSU
    >>> from sklearn.datasets import load_wine
    >>> InfFSU(n_features_to_select="knee").fit(load_wine().data).cut_.name
    'knee'
    """

    name: str
    size: int
    why: str
    q_values: np.ndarray | None = field(default=None, compare=False, repr=False)
    forced: bool = False
    features: np.ndarray | None = field(default=None, compare=False, repr=False)
    evidence: SizeSelection | None = field(default=None, compare=False, repr=False)

    def among(self, columns: np.ndarray, n: int) -> Cut:
        """The same for all n features; those not in ``columns`` are constant, never found."""
        q_values = None if self.q_values is None else np.ones(n)
        if q_values is not None:
            q_values[columns] = self.q_values
        features = None if self.features is None else columns[self.features]
        evidence = None if self.evidence is None else self.evidence.among(columns)
        return replace(self, q_values=q_values, features=features, evidence=evidence)

    def first(self, order: np.ndarray) -> np.ndarray:
        """The order with the features that are kept before the others; both keep their order."""
        if self.features is None:
            return order
        return order[np.argsort(~np.isin(order, self.features), kind="stable")]


RankAgain = Callable[[Any, int], np.ndarray]


class SizeRule:
    """Base class of the rules that decide how many features to keep.

    A subclass implements ``__call__(ranking, samples, rank_again)``. The rule receives the
    :class:`Ranking`, the samples it was made from (None if they are not available), and a function.
    ``rank_again(samples, n)`` returns the order on some of the samples. The rule returns a size, a
    size and a sentence, or a :class:`Cut`.

    See Also
    --------
    ScoreCut : Base class of the rules that read only the scores.
    Predict : A rule that ranks parts of the samples again.

    Examples
    --------
    Keep the features that both halves of the samples rank among their best 5:

    >>> import numpy as np
    >>> from inffs import InfFSS
    >>> from inffs.cuts import SizeRule
    >>> from sklearn.datasets import load_wine
    >>> class InBothHalves(SizeRule):
    ...     def __call__(self, ranking, samples, rank_again):
    ...         rows = np.arange(len(samples))
    ...         halves = [samples.take(rows[start::2]) for start in (0, 1)]
    ...         first, second = (rank_again(half, 5)[:5] for half in halves)
    ...         return np.intersect1d(first, second).size, "In both halves."
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select=InBothHalves()).fit(X, y).n_features_
    4
    """

    takes_weights: ClassVar[bool] = False

    def __call__(self, ranking: Ranking, samples: Any, rank_again: RankAgain) -> Any:
        """Decide."""
        raise TypeError(f"{type(self).__name__} does not say where it cuts")


class ScoreCut:
    """Base class of the rules that read only the scores.

    A subclass implements ``_size(scores)``. If all scores are equal up to rounding, all features
    are kept, because nothing distinguishes them.

    See Also
    --------
    apply_cut : Takes any callable of the scores as well.

    Examples
    --------
    >>> from inffs.cuts import ScoreCut
    >>> class UpperHalf(ScoreCut):
    ...     def _size(self, scores):
    ...         return (scores.size + 1) // 2, "The better half is kept."
    >>> UpperHalf()([3.0, 2.0, 1.0])
    (2, 'The better half is kept.')
    """

    def __call__(self, scores: Any) -> tuple[int, str]:
        """A size and a sentence why."""
        scores = np.asarray(scores, dtype=float)
        if np.ptp(scores) <= _SAME * np.abs(scores).max():
            return scores.size, "All scores are equal: nothing tells the features apart."
        return self._size(scores)

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        raise TypeError(f"{type(self).__name__} does not say where it cuts")


def size_asked(n_features_to_select: Any, n: int) -> int | None:
    """How many of n features a selector was asked for; None where a rule decides."""
    asked = n_features_to_select
    if asked is None or isinstance(asked, str) or callable(asked):
        return None
    return int(asked) if isinstance(asked, Integral) else max(1, round(asked * n))
