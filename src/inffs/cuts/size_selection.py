"""What a cross-validation of the size has measured, kept on the selector as ``size_selection_``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

_WIDTH = 0.5  # of the smoothing kernel, in natural logarithms of the size


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
    why : str
        All of this in a sentence.
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
    why: str
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
        share = self.measure.endswith("accuracy")
        return fold_errors(self.scores, self.test_share, self.n_units if share else None)

    @property
    def test_share(self) -> float:
        """The share of the samples that the folds leave out."""
        return float(np.mean([test.size / (train.size + test.size) for train, test in self.folds]))

    @property
    def smoothed(self) -> np.ndarray:
        """The means, smoothed over the logarithm of the size."""
        return smooth(self.sizes, self.means)

    def among(self, columns: np.ndarray) -> SizeSelection:
        """The same with features numbered as in a table of which these columns were ranked."""
        return replace(self, orders=tuple(columns[order] for order in self.orders))

    def text(self, value: float) -> str:
        """The score as it is shown: a percentage where it is a share."""
        shares = self.measure.endswith("accuracy")
        return f"{value:.1%}".replace("%", " %") if shares else f"{value:.2f}"

    def place(self, size: int) -> int:
        """Where the largest evaluated size that is not above ``size`` stands."""
        return max(0, int(np.searchsorted(self.sizes, size, side="right")) - 1)


def fold_errors(scores: np.ndarray, test_share: float, n_units: int | None = None) -> np.ndarray:
    """The standard error of means over folds whose training parts overlap (Nadeau, Bengio 2003).

    Scores that are shares of ``n_units`` samples have at least the error of that many draws, with
    two right and two wrong answers more (Agresti, Coull 1998): equal folds do not prove that the
    mean is exact.
    """
    factor = 1 / len(scores) + test_share / (1 - test_share)
    errors = np.sqrt(factor * scores.var(axis=0, ddof=1))
    if n_units is None:
        return np.asarray(errors)
    share = (scores.mean(axis=0) * n_units + 2) / (n_units + 4)
    return np.maximum(errors, np.sqrt(share * (1 - share) / (n_units + 4)))


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
