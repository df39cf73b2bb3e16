"""The measures where samples have weights or values are missing: one path for both.

Weights count samples: weight 2 is the sample twice. A missing value (NaN) weighs nothing, so every
measure of a column is that of the samples that have it. Tables without either never come here.
Time and memory are those of the plain measures, O(nT) and a few blocks of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from inffs.measures.binning import number_of_bins, place_in_bins
from inffs.measures.moments import needs_unit, spread_exponents
from inffs.validation.checks import present_extremes
from inffs.validation.lazy import over_columns

_VALUES = 2**16  # values of a block of columns: its temporary arrays stay in the cache


@dataclass(frozen=True)
class WeightedMoments:
    """Moments of n features in G classes, of the samples that are there.

    ``counts`` (G, n) are sums of weights, ``apart`` (G, n) class means less the mean of all,
    ``squares`` (G, n) weighted squared deviations from the class means; features are counted in
    units of 2 ** ``exponent``.
    """

    counts: np.ndarray
    apart: np.ndarray
    squares: np.ndarray
    exponent: np.ndarray

    def spreads(self) -> tuple[np.ndarray, np.ndarray]:
        """sum_g (mu_ig - mu_i)^2 and sum_g sigma_ig^2 over the classes that are there."""
        within = self.squares / _degrees(self.counts)
        return np.square(self.apart).sum(axis=0), within.sum(axis=0)

    def deviation(self) -> np.ndarray:
        """The standard deviation of all samples, in units of 2 ** exponent."""
        squares = self.squares + self.counts * np.square(self.apart)
        return np.sqrt(squares.sum(axis=0) / _degrees(self.counts.sum(axis=0)))


def _degrees(counts: np.ndarray) -> np.ndarray:
    """Count - 1; below two samples in proportion, so that small weights keep their ratios."""
    return np.where(counts > 0, np.maximum(counts - 1, counts / 2), 1.0)


def weighted_moments(
    X: Any, codes: np.ndarray, classes: int, sample_weight: np.ndarray
) -> WeightedMoments:
    """The moments of every column of X (n_samples, n_features), dense, CSC or lazy."""
    if sparse.issparse(X):
        of_block = partial(_of_sparse, codes=codes, classes=classes, weight=sample_weight)
    else:
        member = np.zeros((classes, codes.size))
        member[codes, np.arange(codes.size)] = sample_weight
        of_block = partial(_of_dense, codes=codes, member=member)
    parts = over_columns(X, lambda block: _constants_flat(block, *of_block(block)), _VALUES)
    return WeightedMoments(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))


def _constants_flat(
    block: Any, counts: np.ndarray, apart: np.ndarray, squares: np.ndarray, exponent: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Nothing of a constant column is left to rounding: its class means agree exactly."""
    low, high = present_extremes(block)
    varies = low < high
    return counts, apart * varies, squares * varies, exponent


def _exponents(block: Any) -> np.ndarray:
    """Powers of two for columns whose squares would leave the range of floating point."""
    low, high = present_extremes(block)
    return np.where(needs_unit(low, high), spread_exponents(low, high), 0)


def _of_dense(block: np.ndarray, codes: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, ...]:
    exponent = _exponents(block)
    values = np.ldexp(block.astype(np.float64), -exponent)
    there = ~np.isnan(values)
    values[~there] = 0.0
    counts = member @ there
    near = member.sum(axis=0) @ values / _positive(counts.sum(axis=0))
    deviations = (values - near) * there
    centre = member @ deviations / _positive(counts)
    deviations = (deviations - centre[codes]) * there
    rest = member @ deviations / _positive(counts)
    deviations = (deviations - rest[codes]) * there
    squares = member @ np.square(deviations)
    return counts, _apart(counts, centre + rest), squares, exponent


def _of_sparse(
    block: Any, codes: np.ndarray, classes: int, weight: np.ndarray
) -> tuple[np.ndarray, ...]:
    n, exponent = block.shape[1], _exponents(block)
    entries = _Entries.of(block, codes, classes, weight)
    data = np.ldexp(entries.data, -exponent[entries.column])

    def added(values: np.ndarray) -> np.ndarray:
        return entries.added(values * entries.weight)

    counts, zeros = entries.counts, entries.zeros
    centre = added(data) / _positive(counts)
    deviations = data - centre.ravel()[entries.place]
    rest = (added(deviations) - zeros * centre) / _positive(counts)
    deviations -= rest.ravel()[entries.place]
    squares = added(np.square(deviations)) + zeros * np.square(centre + rest)
    base = (centre + rest)[np.argmax(counts > 0, axis=0), np.arange(n)]
    return counts, _apart(counts, centre - base + rest), squares, exponent


def _apart(counts: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Class means less the mean of all samples; 0 for classes without samples."""
    overall = (counts * means).sum(axis=0) / _positive(counts.sum(axis=0))
    return np.where(counts > 0, means - overall, 0.0)


def _positive(counts: np.ndarray) -> np.ndarray:
    return np.where(counts > 0, counts, 1.0)


@dataclass(frozen=True)
class _Entries:
    """What a CSC block stores and is not missing; weights of all samples and of the zeros."""

    data: np.ndarray
    column: np.ndarray
    place: np.ndarray
    weight: np.ndarray
    counts: np.ndarray
    zeros: np.ndarray

    @classmethod
    def of(cls, block: Any, codes: np.ndarray, classes: int, weight: np.ndarray) -> _Entries:
        n = block.shape[1]
        column = np.repeat(np.arange(n), np.diff(block.indptr))
        place, mine = codes[block.indices] * n + column, weight[block.indices]
        there = ~np.isnan(block.data)
        total = np.bincount(codes, weight, minlength=classes)[:, None]
        absent = np.bincount(place[~there], mine[~there], minlength=n * classes)
        stored = np.bincount(place[there], mine[there], minlength=n * classes)
        counts = total - absent.reshape(classes, n)
        zeros = np.maximum(counts - stored.reshape(classes, n), 0.0)
        full = np.bincount(column, minlength=n) == block.shape[0]
        zeros[:, full] = 0.0  # nothing but rounding
        data = block.data[there].astype(np.float64)
        return cls(data, column[there], place[there], mine[there], counts, zeros)

    def added(self, values: np.ndarray) -> np.ndarray:
        """Sums by class and column."""
        shape = self.counts.shape
        return np.bincount(self.place, values, minlength=self.counts.size).reshape(shape)


def weighted_information(
    X: Any, codes: np.ndarray, bins: int | str, sample_weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """I(f_i; y), H(f_i) and H(y) of the samples that have f_i, for every binned column, in nats."""
    count = number_of_bins(whole_samples(sample_weight), bins)
    histogram = _sparse_histogram if sparse.issparse(X) else _dense_histogram
    classes = int(codes.max()) + 1

    def of_block(values: Any) -> np.ndarray:
        joint = histogram(values, codes, classes, count, sample_weight)
        total = _positive(joint.sum(axis=(0, 2)))
        joint /= total[None, :, None]
        both = -xlogy(joint, joint).sum(axis=(0, 2))
        feature, label = _entropy(joint.sum(axis=0)), _entropy(joint.sum(axis=2).T)
        return np.stack([np.maximum(feature + label - both, 0.0), feature, label])

    shared, feature, label = np.concatenate(over_columns(X, of_block, _VALUES), axis=1)
    return shared, feature, label


def _entropy(shares: np.ndarray) -> np.ndarray:
    return -xlogy(shares, shares).sum(axis=1)


def whole_samples(sample_weight: np.ndarray) -> int:
    """How many samples the weights stand for."""
    return int(sample_weight.sum() * (1 + 1e-12))


def _dense_histogram(
    block: np.ndarray, codes: np.ndarray, classes: int, bins: int, weight: np.ndarray
) -> np.ndarray:
    n = block.shape[1]
    low, high = present_extremes(block)
    there = ~np.isnan(block)
    place = place_in_bins(np.where(there, block, low), slice(None), (low, high), bins)
    place += np.arange(0, n * bins, bins) + (codes * (n * bins))[:, None]
    joint = np.bincount(place.ravel(), (there * weight[:, None]).ravel(), classes * n * bins)
    return joint.reshape(classes, n, bins)


def _sparse_histogram(
    block: Any, codes: np.ndarray, classes: int, bins: int, weight: np.ndarray
) -> np.ndarray:
    n, ranges = block.shape[1], present_extremes(block)
    entries = _Entries.of(block, codes, classes, weight)
    bin_of = place_in_bins(entries.data, entries.column, ranges, bins)
    joint = np.bincount(entries.place * bins + bin_of, entries.weight, classes * n * bins)
    joint = joint.reshape(classes, n, bins)
    every = np.arange(n)
    zero = place_in_bins(np.clip(0.0, *ranges), every, ranges, bins)
    joint[:, every, zero] += entries.zeros
    return joint


def weighted_edges(y: np.ndarray, shares: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
    """The values of y below which these shares of the weights lie, as quantiles of method "lower".

    Of W samples the quantile q is the one at place q (W - 1); fewer than two weigh in proportion.
    """
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(sample_weight[order])
    total = reached[-1]
    place = shares * (total - min(1.0, total / 2)) * (1 + 1e-12)
    return y[order][np.minimum(np.searchsorted(reached, place, side="right"), y.size - 1)]
