"""The scores of a method, their order, and ties: scores that are equal up to rounding."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

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


def tie_at_cut(scores: np.ndarray, size: int) -> str:
    """A sentence if the cut separates tied features, else an empty string."""
    runs = runs_of_ties(np.sort(scores)[::-1])
    if size >= scores.size or runs[size - 1] != runs[size]:
        return ""
    return (
        f" The cut goes through {np.count_nonzero(runs == runs[size])} features whose scores agree "
        "to rounding: their order is that of their columns."
    )


@dataclass(frozen=True)
class Scored:
    """The scores that a method gives its features.

    Methods whose own order is not that of falling scores set ``order`` (best first, complete).
    Methods that select a subset themselves set ``size`` and ``why``. Methods that count ties
    themselves set ``ties``.
    """

    scores: np.ndarray
    order: np.ndarray | None = None
    size: int | None = None
    why: str = ""
    ties: np.ndarray | None = None

    def best_first(self) -> np.ndarray:
        """Return the order. By default scores decrease and ties follow the index."""
        if self.order is not None:
            return np.asarray(self.order)
        return falling_order(self.scores)

    def falls(self) -> bool:
        """Whether the scores fall along the order."""
        return self.order is None or not np.any(np.diff(self.scores[self.order]) > 0)


def falling_scores(scored: np.ndarray | Scored) -> np.ndarray:
    """Scores that fall along the order; by place, 1 first and 0 last, where it is its own."""
    if not isinstance(scored, Scored):
        return np.asarray(scored, dtype=float)
    if scored.order is None:
        return scored.scores
    places = np.argsort(scored.order)
    return 1 - places / max(1, places.size - 1)
