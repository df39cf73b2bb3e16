"""The scores of a method, their order, and ties: scores that are equal up to rounding."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

_SAME = 1e-12  # of the largest score: less than this apart is rounding


class RoundingWarning(UserWarning):
    """Warning that the order depends on rounding and may differ on another machine.

    See Also
    --------
    inffs.base.FeatureSelector.ranking : Shows the ties.

    Examples
    --------
    >>> import warnings
    >>> from inffs import RoundingWarning
    >>> warnings.simplefilter("ignore", RoundingWarning)
    """


def warn_of_rounding(sentence: str) -> None:
    """Warn the caller of ``fit`` that rounding decides, and how to avoid it."""
    warnings.warn(sentence, RoundingWarning, stacklevel=4)


def runs_of_ties(falling: np.ndarray) -> np.ndarray:
    """Number the runs of tied scores, which are in falling order."""
    apart = falling[:-1] - falling[1:] > _SAME * np.abs(falling).max(initial=0.0)
    return np.concatenate([[0], np.cumsum(apart)])


def falling_order(scores: np.ndarray) -> np.ndarray:
    """The order of falling scores; ties go to the smaller index."""
    order = np.argsort(-scores, kind="stable")
    runs = runs_of_ties(scores[order])
    if runs[-1] + 1 < scores.size:
        order = order[np.lexsort((order, runs))]
    return order


def count_ties(scores: np.ndarray) -> np.ndarray:
    """The number of other scores with which each score is tied."""
    order = np.argsort(-scores)
    runs = runs_of_ties(scores[order])
    ties = np.empty(scores.size, dtype=int)
    ties[order] = np.bincount(runs)[runs] - 1
    return ties


@dataclass(frozen=True)
class Ranking:
    """The ranked non-constant features: what a method returns and every size rule receives.

    Parameters
    ----------
    scores : ndarray of shape (n_features,)
        Larger is better.
    own_order : ndarray of shape (n_features,), optional
        All features, best first, if the method's own order is not that of falling scores.
    size : int, optional
        The size of the subset that the method itself selects.
    why : str, default=""
        Why it selects so many.
    own_ties : ndarray of shape (n_features,), optional
        The number of other features with the same score, if the method counts them itself.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Features, best first. Scores decrease and ties follow the index, unless the method has its
        own order.
    ties : ndarray of shape (n_features,)
        The number of other features with the same score, up to rounding; zero in an own order.

    See Also
    --------
    inffs.cuts.SizeRule : Receives a ranking.

    Examples
    --------
    >>> from inffs.cuts import Ranking
    >>> Ranking.of([0.2, 0.9, 0.5]).order
    array([1, 2, 0])
    """

    scores: np.ndarray
    own_order: np.ndarray | None = None
    size: int | None = None
    why: str = ""
    own_ties: np.ndarray | None = None

    @classmethod
    def of(cls, found: Any) -> Ranking:
        """A ranking as it is, and scores as a ranking."""
        return found if isinstance(found, cls) else cls(np.asarray(found, dtype=float))

    @property
    def order(self) -> np.ndarray:
        return falling_order(self.scores) if self.own_order is None else np.asarray(self.own_order)

    @property
    def falling(self) -> bool:
        """Whether the scores fall along the order."""
        return self.own_order is None or not np.any(np.diff(self.scores[self.own_order]) > 0)

    @property
    def ties(self) -> np.ndarray:
        if self.own_ties is not None:
            return self.own_ties
        if self.own_order is not None:
            return np.zeros(self.scores.size, dtype=int)
        return count_ties(self.scores)

    def falling_scores(self) -> np.ndarray:
        """Scores that fall along the order; by place, 1 first and 0 last, in an own order."""
        if self.own_order is None:
            return self.scores
        places = np.argsort(self.own_order)
        return 1 - places / max(1, places.size - 1)

    def tie_at(self, size: int) -> str:
        """A sentence if a cut at this size separates tied features, else an empty string."""
        runs = runs_of_ties(np.sort(self.scores)[::-1])
        if self.own_order is not None or size >= runs.size or runs[size - 1] != runs[size]:
            return ""
        return (
            f" The cut goes through {np.count_nonzero(runs == runs[size])} features whose scores "
            "agree to rounding: their order is that of their columns."
        )
