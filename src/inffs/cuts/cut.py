"""What a size rule receives and returns, and what rules that read only the scores share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from inffs.cuts.size_selection import SizeSelection
from inffs.scores import falling_order

_SAME = 1e-12  # of the largest score: a smaller range is rounding


@dataclass(frozen=True)
class Cut:
    """A cut that was made: its name, how many features it keeps, and the sentence why.

    ``q_values`` holds, where the cut tests every feature, the least false-discovery rate at which
    the feature would count as found; None for other cuts. ``forced`` is True where the selection is
    no finding: nothing stood out, and one feature is kept only because a selection cannot be empty,
    or the samples were too few to evaluate it.

    Parameters
    ----------
    name : str
        Name of the rule.
    size : int
        How many features are kept.
    why : str
        A sentence for people.
    q_values : ndarray of shape (n_features,), optional
        Of a cut that tests every feature.
    forced : bool, default=False
        Whether the selection is no finding.
    features : ndarray of int, optional
        The features that are kept, where they are not the first ones of the ranking.
    evidence : SizeSelection, optional
        What a cross-validation of the size has measured.

    See Also
    --------
    apply_cut : Makes one.

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


@dataclass(frozen=True)
class Ranking:
    """The features that vary, ranked: what every size rule receives.

    Parameters
    ----------
    order : ndarray of shape (n_features,)
        Features, best first.
    scores : ndarray of shape (n_features,)
        Larger is better.
    falling : bool, default=True
        Whether the scores fall along the order.

    See Also
    --------
    SizeRule : Receives a ranking.

    Examples
    --------
    >>> from inffs.cuts import Ranking
    >>> Ranking.of([0.2, 0.9, 0.5]).order
    array([1, 2, 0])
    """

    order: np.ndarray
    scores: np.ndarray
    falling: bool = True

    @classmethod
    def of(cls, scores: Any) -> Ranking:
        """Features in the order of their scores; ties go to the smaller index."""
        scores = np.asarray(scores, dtype=float)
        return cls(falling_order(scores), scores)


RankAgain = Callable[[Any, int], np.ndarray]


class SizeRule:
    """Base of the rules that decide how many features to keep: a subclass writes ``__call__``.

    A rule is called with values only: the :class:`Ranking`, the samples it was made from (None
    where they are gone) and ``rank_again(samples, n)``, which gives the order on some of the
    samples. It returns a size, a size and a sentence why, or a :class:`Cut`.

    See Also
    --------
    ScoreCut : Base of the rules that read only the scores.
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
    """Base of the rules that read only the scores: a subclass writes ``_size``.

    Scores that are all equal to rounding (a single one too) are kept together: nothing tells the
    features apart.

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
    """How many of n features are asked for; None where a rule decides.

    Parameters
    ----------
    n_features_to_select : int, float, str, callable or None
        As a selector takes it.
    n : int
        Number of features.

    Returns
    -------
    int or None

    See Also
    --------
    apply_cut : What decides where this is None.

    Examples
    --------
    >>> from inffs.cuts.cut import size_asked
    >>> size_asked(0.1, 200), size_asked(7, 200), size_asked("knee", 200)
    (20, 7, None)
    """
    asked = n_features_to_select
    if asked is None or isinstance(asked, str) or callable(asked):
        return None
    return int(asked) if isinstance(asked, Integral) else max(1, round(asked * n))
