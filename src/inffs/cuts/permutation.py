"""What the label-dependent measures would be if the labels meant nothing: labels permuted.

All permutations are done at once: class sums are one product of a 0 / 1 matrix with a block of
columns, class histograms one product with the block's bins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import brentq, isotonic_regression
from scipy.special import digamma, polygamma
from sklearn.base import clone

from inffs._utils.progress import track
from inffs.measures import explained_ratio, fisher, mutual_information
from inffs.measures.binning import count_log_count, equal_width_bins, number_of_bins
from inffs.measures.continuous import as_codes, is_continuous
from inffs.target import Target
from inffs.validation.lazy import over_columns

_FAR = 5.0  # standard deviations
_LEVELS = 1000  # p-values at which those expected by chance are counted
_FEW = 10  # permutations: with fewer a feature's own deviation says little
_SURE = 1e3  # half the degrees of freedom at which a prior leaves nothing to the feature itself
_VALUES = 2**17  # of the largest temporary array of a block: it stays in the cache


@dataclass(frozen=True)
class LabelMeasure:
    """A weighted sum of the Fisher criterion and the mutual information of a column.

    For numbers r^2 / (1 - r^2) stands for the Fisher criterion. Values far outside, beyond five
    standard deviations (by the median of the distances from the median), are drawn in to there
    first: the null of a column with heavy tails has a shape of its own and cannot be pooled with
    others. The square root of the sum is given: it orders the same and its null is less skewed.
    """

    fisher: float
    information: float
    bins: int | str = "auto"

    def observed_and_permuted(
        self, X: Any, y: np.ndarray, permutations: int, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of every column: (n,) with the labels as they are, (permutations, n) with permuted ones.

        The two parts are set against each other by their observed ranges in both.
        """
        shuffles = np.stack([rng.permutation(y.shape[0]) for _ in range(permutations)])
        labels = y[:, None] if y.ndim == 1 else y
        observed, permuted = np.zeros(X.shape[1]), np.zeros((permutations, X.shape[1]), np.float32)
        for label in labels.T:
            if np.ptp(label) > 0:
                self._add(X, label, shuffles, observed, permuted)
        return np.sqrt(observed), np.sqrt(permuted, out=permuted)

    def _add(
        self,
        X: Any,
        label: np.ndarray,
        shuffles: np.ndarray,
        observed: np.ndarray,
        permuted: np.ndarray,
    ) -> None:
        numbers = is_continuous(label)
        codes = np.unique(as_codes(label), return_inverse=True)[1]
        if self.fisher:
            measure, again = (
                (explained_ratio, permuted_ratio) if numbers else (fisher, permuted_fisher)
            )
            here = _without_far(measure, X, label if numbers else codes)
            unit = self.fisher * _one_over_range(here)
            observed += unit * here
            # a perfect separator has no finite ratio; far above the best it does not matter which
            chance = again(X, (label if numbers else codes)[shuffles])
            permuted += unit * np.minimum(chance, 4 * here.max())
        if self.information:
            here = mutual_information(X, codes, self.bins)
            unit = self.information * _one_over_range(here)
            observed += unit * here
            permuted += unit * permuted_information(X, codes[shuffles], self.bins)


def _one_over_range(values: np.ndarray) -> float:
    """Of the range, or of the largest where all are equal; 0 where all are 0."""
    largest, span = float(values.max()), float(np.ptp(values))
    whole = span if span > 1e-12 * largest else largest
    return 1 / whole if whole > 1e-300 else 0.0


def permuted_fisher(X: Any, shuffled: np.ndarray) -> np.ndarray:
    """The Fisher criterion of every column for every row of class codes, shape (rows, n)."""
    rows, T = shuffled.shape
    counts = np.bincount(shuffled[0])
    member = _members(shuffled, counts.size)
    divisors = np.maximum(counts - 1, 1)

    def of_block(values: Any) -> np.ndarray:
        block = draw_in(_dense(values))
        block -= block.mean(axis=0)
        squares = block**2
        sums = (member @ block).reshape(rows, -1, block.shape[1])
        powers = (member @ squares).reshape(sums.shape)
        rest = -sums.sum(axis=1), squares.sum(axis=0) - powers.sum(axis=1)
        between = (rest[0] / counts[-1]) ** 2
        within = (rest[1] - rest[0] ** 2 / counts[-1]) / divisors[-1]
        for g, count in enumerate(counts[:-1]):
            between += (sums[:, g] / count) ** 2
            within += (powers[:, g] - sums[:, g] ** 2 / count) / divisors[g]
        return (between / np.maximum(within, 1e-12 * between + 1e-300)).astype(np.float32)

    width = max(1, _VALUES // (rows * counts.size))
    return np.concatenate(over_columns(X, of_block, width * T), axis=1)


def permuted_ratio(X: Any, shuffled: np.ndarray) -> np.ndarray:
    """r^2 / (1 - r^2) of every column with every row of numbers, shape (rows, n)."""
    target = np.asarray(shuffled, dtype=np.float64)
    target = target - target.mean(axis=1, keepdims=True)
    target /= np.abs(target).max()
    target /= np.linalg.norm(target, axis=1, keepdims=True)

    def of_block(values: Any) -> np.ndarray:
        block = draw_in(_dense(values))
        block -= block.mean(axis=0)
        block /= np.maximum(np.abs(block).max(axis=0), 1e-300)
        share = (target @ block) ** 2 / np.maximum((block**2).sum(axis=0), 1e-300)
        return (share / np.maximum(1 - share, 1e-12)).astype(np.float32)

    width = max(1, _VALUES // shuffled.shape[0])
    return np.concatenate(over_columns(X, of_block, width * shuffled.shape[1]), axis=1)


def permuted_information(X: Any, shuffled: np.ndarray, bins: int | str) -> np.ndarray:
    """Mutual information of every binned column with every row of class codes, (rows, n)."""
    rows, T = shuffled.shape
    counts = np.bincount(shuffled[0])
    member = np.ascontiguousarray(_members(shuffled, counts.size).T, dtype=np.float32)
    count, xlogx = number_of_bins(T, bins), count_log_count(T).astype(np.float32)
    label = xlogx[T] - xlogx[counts].sum()

    def of_block(values: Any) -> np.ndarray:
        width = values.shape[1]
        place = equal_width_bins(_dense(values), count) + np.arange(0, width * count, count)
        ones = np.ones(place.size, dtype=np.float32)
        where = place.ravel(), np.repeat(np.arange(T), width)
        one_hot = sparse.csr_array((ones, where), shape=(width * count, T))
        joint = (one_hot @ member).astype(np.int32).reshape(width, count, rows, -1)
        whole = np.bincount(place.ravel(), minlength=width * count).reshape(width, count)
        both = xlogx[joint].sum(axis=(1, 3))
        both += xlogx[whole[:, :, None] - joint.sum(axis=3)].sum(axis=1)
        feature = xlogx[T] - xlogx[whole].sum(axis=1)
        shared = feature[:, None] + label - (xlogx[T] - both)
        return np.maximum(shared, 0.0).T / T

    width = max(1, _VALUES // (rows * counts.size * count))
    return np.concatenate(over_columns(X, of_block, width * T), axis=1)


def _members(shuffled: np.ndarray, classes: int) -> np.ndarray:
    """0 / 1 rows (permutation, class) of samples; the last class is what is left."""
    of_class = shuffled[:, None, :] == np.arange(classes - 1)[:, None]
    return of_class.reshape(-1, shuffled.shape[1]).astype(np.float64)


def _dense(values: Any) -> np.ndarray:
    block = values.toarray() if sparse.issparse(values) else np.array(values)
    return block.astype(np.float64)


def draw_in(block: np.ndarray) -> np.ndarray:
    """Values beyond five robust standard deviations put there; columns of mostly one value stay."""
    middle = np.median(block, axis=0)
    reach = _FAR * 1.4826 * np.median(np.abs(block - middle), axis=0)
    reach[reach == 0] = np.inf
    return np.clip(block, middle - reach, middle + reach)


def _without_far(measure: Any, X: Any, label: np.ndarray) -> np.ndarray:
    """The measure of every column; far values drawn in where there are any."""

    def is_far(values: Any) -> np.ndarray:
        block = _dense(values)
        return (draw_in(block) != block).any(axis=0)

    out = measure(X, label)
    far = np.flatnonzero(np.concatenate(over_columns(X, is_far)))
    for places in np.array_split(far, -(-far.size // 4096)) if far.size else ():
        out[places] = measure(draw_in(_dense(X[:, places])), label)
    return out


def permuted_scores(
    selector: Any, X: Any, y: Target, permutations: int, rng: np.random.RandomState
) -> np.ndarray:
    """The method's own scores of every column with permuted labels, (permutations, n)."""
    again = clone(selector).set_params(n_features_to_select=X.shape[1])
    shuffles = [rng.permutation(len(y)) for _ in range(permutations)]
    rows = [
        again.score_checked(X, y.take(shuffle))
        for shuffle in track(shuffles, "permuting the labels")
    ]
    return np.stack(rows)


@dataclass(frozen=True)
class Null:
    """What features reach, and what they reach by chance: standardised, so that both compare.

    ``by_chance`` has shape (permutations, n), every row sorted: its columns are no features.
    """

    reached: np.ndarray
    by_chance: np.ndarray

    @property
    def permutations(self) -> int:
        """How often the labels were permuted."""
        return int(self.by_chance.shape[0])

    def p_values(self) -> np.ndarray:
        """Of every feature, against all features under all permutations."""
        order = np.argsort(self.reached)
        rising = self.reached[order]
        above = np.zeros(rising.size)
        for row in self.by_chance:
            above[order] += row.size - np.searchsorted(row, rising, side="left")
        return (1.0 + above) / (1.0 + self.by_chance.size)

    def as_far_as(self, found: np.ndarray) -> np.ndarray:
        """How many features of each permutation lie as far out as the last one found."""
        least = self.reached[found].min(initial=np.inf)
        return np.array([row.size - np.searchsorted(row, least) for row in self.by_chance])


def standardise(observed: np.ndarray, permuted: np.ndarray) -> Null:
    """Each feature of (n,) and (B, n) by its own permutations; the null may then be pooled.

    A permuted value is standardised by the other permutations, as the observed one is: by itself
    included it could not lie far out.
    """
    B = permuted.shape[0]
    centre = permuted.mean(axis=0)
    permuted = permuted - centre
    total, power = permuted.sum(axis=0), (permuted**2).sum(axis=0)
    variance = power / (B - 1)
    deviation = _shrinking(variance, B - 1) if B < _FEW else _with_fudge(variance)
    others = (total - permuted) / (B - 1)
    spread = np.maximum((power - permuted**2) / (B - 1) - others**2, 0.0)
    null = (permuted - others) / deviation(spread * ((B - 1) / (B - 2)), B - 2)
    null.sort(axis=1)
    return Null(((observed - centre) / deviation(variance, B - 1)).astype(null.dtype), null)


def _with_fudge(variance: np.ndarray) -> Callable[[np.ndarray, int], np.ndarray]:
    """Deviations plus the median one (Tusher, Tibshirani, Chu 2001)."""
    fudge = max(float(np.median(np.sqrt(variance))), 1e-30)
    return lambda own, _: np.sqrt(own) + fudge


def _shrinking(variance: np.ndarray, freedom: int) -> Callable[[np.ndarray, int], np.ndarray]:
    """Deviations of a few permutations, drawn to those of all features (Smyth 2004, Sec. 6.2).

    The prior has as many degrees of freedom as the spread of the logarithms leaves: where all
    features vary alike, one deviation serves all.
    """
    logs = np.log(variance[variance > 0]) - digamma(freedom / 2) + np.log(freedom / 2)
    excess = logs.var(ddof=1) - polygamma(1, freedom / 2) if logs.size > 1 else 0.0
    if not excess > polygamma(1, _SURE):
        alike = max(float(np.sqrt(variance.mean())), 1e-30)
        return lambda own, _: np.full_like(own, alike)
    half = brentq(lambda x: polygamma(1, x) - excess, 1e-6, _SURE)
    usual = np.exp(logs.mean() + digamma(half) - np.log(half))
    return lambda own, freedom: np.sqrt((2 * half * usual + freedom * own) / (2 * half + freedom))


def most_by_chance(p_values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """How many of the first 1, 2, ... features of an order are expected by chance at most.

    With any t: the nt that chance puts up to it, and all of the first that lie above. The last one
    must not: a t chosen to leave the next feature just above would count too few.
    """
    first = p_values[order]
    least = np.arange(1.0, order.size + 1)
    places = np.unique(np.linspace(0, order.size - 1, _LEVELS).astype(int))
    for t in np.sort(p_values)[places] if order.size else ():
        count = p_values.size * t + np.cumsum(first > t)
        np.minimum(least, count, out=least, where=first <= t)
    return least


def chance(p_values: np.ndarray) -> np.ndarray:
    """Probability that a feature is a chance one: 1 / density of the p-values, which falls.

    The slope of the least concave majorant of their distribution; the mean over the k smallest is
    n p_k / k at its corners.
    """
    order = np.argsort(p_values, kind="stable")
    spacings = np.diff(p_values[order], prepend=0.0) * p_values.size
    out = np.empty(p_values.size)
    out[order] = np.minimum(isotonic_regression(spacings).x, 1.0)
    return out
