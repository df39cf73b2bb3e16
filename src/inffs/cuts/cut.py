"""A cut that was made, and what cuts that read only the scores have in common."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

_SAME = 1e-12  # of the largest score: a smaller range is rounding


@dataclass(frozen=True)
class Cut:
    """A cut that was made: its name, how many features it keeps, and the sentence why.

    ``q_values`` holds, where the cut tests every feature, the least false-discovery rate at which
    the feature would count as found; None for other cuts. ``forced`` is True where nothing stood
    out and one feature is kept only because a selection cannot be empty.

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
        Whether nothing stood out.
    features : ndarray of int, optional
        The features that are kept, where they are not the first ones of the ranking.
    considered : tuple of Cut, default=()
        The cuts that this one has asked on its way.

    See Also
    --------
    apply_cut : Makes one.

    Examples
    --------
    >>> from inffs import InfFSU
    >>> from sklearn.datasets import load_wine
    >>> InfFSU(n_features_to_select="gap").fit(load_wine().data).cut_.name
    'gap'
    """

    name: str
    size: int
    why: str
    q_values: np.ndarray | None = field(default=None, compare=False, repr=False)
    forced: bool = False
    considered: tuple[Cut, ...] = field(default=(), compare=False, repr=False)
    features: np.ndarray | None = field(default=None, compare=False, repr=False)

    def among(self, columns: np.ndarray, n: int) -> Cut:
        """The same for all n features; those not in ``columns`` are constant, never found."""
        if self.q_values is None:
            return self
        everywhere = np.ones(n)
        everywhere[columns] = self.q_values
        features = None if self.features is None else columns[self.features]
        return replace(self, q_values=everywhere, features=features)

    def first(self, order: np.ndarray) -> np.ndarray:
        """The order with the features that are kept before the others; both keep their order."""
        if self.features is None:
            return order
        return order[np.argsort(~np.isin(order, self.features), kind="stable")]


class BuiltInCut:
    """Base of our cuts: a subclass writes ``_decide``.

    Scores that are all equal to rounding (a single one too) are kept together: nothing tells the
    features apart.
    """

    needs_table: ClassVar[bool] = True

    def __call__(
        self, scores: np.ndarray, *, selector: Any = None, X: Any = None, y: Any = None
    ) -> Any:
        """A size and a sentence why, or a :class:`Cut`."""
        scores = np.asarray(scores, dtype=float)
        if np.ptp(scores) <= _SAME * np.abs(scores).max():
            return scores.size, "All scores are equal: nothing tells the features apart."
        return self._decide(scores, selector, X, y)

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Any:
        raise TypeError(f"{type(self).__name__} does not say where it cuts")


class ScoreCut(BuiltInCut):
    """Base of the cuts that read only the scores: a subclass writes ``_size``.

    See Also
    --------
    apply_cut : Takes any callable as well.

    Examples
    --------
    >>> from inffs.cuts import ScoreCut
    >>> class UpperHalf(ScoreCut):
    ...     def _size(self, scores):
    ...         return (scores.size + 1) // 2, "The better half is kept."
    >>> UpperHalf()([3.0, 2.0, 1.0])
    (2, 'The better half is kept.')
    """

    needs_table: ClassVar[bool] = False

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> tuple[int, str]:
        return self._size(scores)

    def _size(self, scores: np.ndarray) -> tuple[int, str]:
        raise TypeError(f"{type(self).__name__} does not say where it cuts")
