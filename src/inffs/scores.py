"""What a method says of its features, and ties: scores that cannot be told apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

_SAME = 1e-12  # of the largest score: less than this apart is rounding


class RoundingWarning(UserWarning):
    """The order, or a part of it, is decided by rounding: another machine may give another one.

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
    """Tell the caller of ``fit`` that rounding decides, and what to do about it."""
    warnings.warn(sentence, RoundingWarning, stacklevel=4)


def count_ties(falling: np.ndarray) -> np.ndarray:
    """For scores in falling order: with how many others each one is tied.

    A tie is a run of scores in which no two neighbours are further apart than rounding.
    """
    apart = -np.diff(falling) > _SAME * np.abs(falling).max()
    if apart.all():
        return np.zeros(falling.size, dtype=int)
    group = np.concatenate([[0], np.cumsum(apart)])
    return np.bincount(group)[group] - 1


def tie_at_cut(falling: np.ndarray, size: int) -> str:
    """A sentence if tied features stand on both sides of the cut, else nothing."""
    if size >= falling.size or falling[size - 1] - falling[size] > _SAME * np.abs(falling).max():
        return ""
    return (
        f" The cut goes through {count_ties(falling)[size] + 1} features whose scores agree to "
        "rounding: which of them are kept says nothing about them."
    )


@dataclass(frozen=True)
class Scored:
    """What a method found of its features.

    ``order`` (best first, complete) is given by methods whose own order is not that of falling
    scores; ``size`` and ``why`` by methods that select a subset themselves; ``ties`` by those that
    know with how many others a feature is tied.
    """

    scores: np.ndarray
    order: np.ndarray | None = None
    size: int | None = None
    why: str = ""
    ties: np.ndarray | None = None

    def best_first(self) -> np.ndarray:
        """The order; without one of its own: falling scores, ties to the smaller index."""
        if self.order is not None:
            return np.asarray(self.order)
        order = np.argsort(-self.scores)
        falling = self.scores[order]
        if (falling[1:] == falling[:-1]).any():
            order = np.argsort(-self.scores, kind="stable")
        return order

    def falls(self) -> bool:
        """Whether the scores fall along the order."""
        return self.order is None or not np.any(np.diff(self.scores[self.order]) > 0)

    def first(self, size: int) -> np.ndarray:
        """The first ``size`` of :meth:`best_first`, without sorting the rest."""
        if self.order is not None or not 0 < size < self.scores.size:
            return self.best_first()[:size]
        last = np.partition(-self.scores, size - 1)[size - 1]
        near = np.flatnonzero(-self.scores <= last)
        return near[np.argsort(-self.scores[near], kind="stable")[:size]]


def falling_scores(scored: np.ndarray | Scored) -> np.ndarray:
    """Scores that fall along the order; by place, 1 first and 0 last, where it is its own."""
    if not isinstance(scored, Scored):
        return np.asarray(scored, dtype=float)
    if scored.order is None:
        return scored.scores
    places = np.argsort(scored.order)
    return 1 - places / max(1, places.size - 1)
