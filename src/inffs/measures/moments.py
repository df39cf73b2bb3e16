"""Means and squared deviations of the columns per class that lose no digit to offsets or scales.

A mean is kept as a centre plus a small rest: values are centred before they are squared, and once
more by what the rounded centre left, unless one pass above their least value shows that nothing is
lost. Columns whose squares would leave the range of floating point are counted in a power of two of
their own. What float64 holds of a column, its moments hold.

Weights count samples: weight 2 is the sample twice. With weights, a missing value (NaN) weighs
nothing, so the moments of a column are those of the samples that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from inffs._utils.threads import over_columns
from inffs.validation.checks import column_extremes

BLOCK = 2**16  # values of a block of columns: its temporary arrays stay in the cache
_LEAST, _MOST = 1e-125, 1e125  # spreads outside are counted in units of their own
_PLAIN_EXPONENTS = 400  # of two: squares of columns beyond may leave the range of floating point
NO_UNIT = -(2**20)  # nothing but zeros so far: any other unit is larger
_LOST = 1e3  # squares above the least value that are so many times those inside the classes


class Moments(NamedTuple):
    """Moments of n features in G classes; features are counted in units of 2 ** ``exponent``.

    All but ``exponent`` (n,) have the shape (G, n). ``counts`` are the samples, or their weights;
    ``centre`` + ``rest`` is the mean of a class, ``squares`` the sum of squared deviations from it;
    an empty class has none.
    """

    counts: np.ndarray
    centre: np.ndarray
    rest: np.ndarray
    squares: np.ndarray
    exponent: np.ndarray

    @classmethod
    def beside(cls, parts: Sequence[Moments]) -> Moments:
        """The moments of blocks of features, as of one table."""
        return cls(*(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True)))

    def spreads(self) -> tuple[np.ndarray, np.ndarray]:
        """sum_g (mu_ig - mu_i)^2 and sum_g sigma_ig^2; a class with one member has variance 0."""
        within = self.squares / _degrees(self.counts)
        return np.square(self._apart()).sum(axis=0), within.sum(axis=0)

    def deviation(self) -> np.ndarray:
        """The standard deviation of all samples, divisor T - 1, in units of 2 ** exponent."""
        squares = self.squares + self.counts * np.square(self._apart())
        return np.sqrt(squares.sum(axis=0) / _degrees(self.counts.sum(axis=0)))

    def relative_deviation(self) -> np.ndarray:
        """The standard deviations over the largest of them; all 0 if no feature varies."""
        deviation = self.deviation()
        if deviation.any() and self.exponent.any():
            fraction, power = np.frexp(deviation)
            power = power + self.exponent
            deviation = np.ldexp(fraction, power - power[fraction > 0].max())
        return deviation / (deviation.max() or 1.0)

    def _apart(self) -> np.ndarray:
        """Class means less the mean of all samples; 0 for empty classes."""
        base = self.centre[np.argmax(self.counts > 0, axis=0), np.arange(self.exponent.size)]
        means = (self.centre - base) + self.rest
        overall = (self.counts * means).sum(axis=0) / positive(self.counts.sum(axis=0))
        return np.where(self.counts > 0, means - overall, 0.0)

    def merged(self, other: Moments) -> Moments:
        """The moments of both sets of samples together (Chan, Golub, LeVeque 1983)."""
        exponent = np.maximum(self.exponent, other.exponent)
        mine, theirs = self._in_units(exponent), other._in_units(exponent)
        share = theirs.counts / positive(mine.counts + theirs.counts)
        new = mine.counts == 0
        centre = np.where(new, theirs.centre, mine.centre)
        step = np.where(new, theirs.rest, (theirs.centre - centre) + theirs.rest - mine.rest)
        step = np.where(theirs.counts == 0, 0.0, step)
        return Moments(
            mine.counts + theirs.counts,
            centre,
            mine.rest + step * share,
            mine.squares + theirs.squares + step**2 * mine.counts * share,
            exponent,
        )

    def _in_units(self, exponent: np.ndarray) -> Moments:
        down = self.exponent - exponent
        if not down.any():
            return self
        return Moments(
            self.counts,
            np.ldexp(self.centre, down),
            np.ldexp(self.rest, down),
            np.ldexp(self.squares, 2 * down),
            exponent,
        )


def positive(values: np.ndarray) -> np.ndarray:
    """Divisors: 1 in the place of 0."""
    return np.where(values > 0, values, 1.0)


def _degrees(counts: np.ndarray) -> np.ndarray:
    """Count - 1; below two samples in proportion, so that small weights keep their ratios."""
    return np.where(counts > 0, np.maximum(counts - 1, counts / 2), 1.0)


def class_moments(
    X: Any, codes: np.ndarray, classes: int, sample_weight: np.ndarray | None = None
) -> Moments:
    """The moments of every column of X (n_samples, n_features), dense, CSC or lazy."""
    of_block = partial(block_moments, codes=codes, classes=classes, weight=sample_weight)
    return Moments.beside(over_columns(X, of_block, BLOCK))


def block_moments(
    block: Any, codes: np.ndarray, classes: int, weight: np.ndarray | None = None
) -> Moments:
    """The moments of a block of columns, dense or CSC."""
    if sparse.issparse(block):
        stored = Stored.of(block, codes, classes, weight)
        return _in_range(block, partial(_of_sparse, stored))
    member = np.zeros((classes, codes.size))
    member[codes, np.arange(codes.size)] = 1.0 if weight is None else weight
    return _in_one_pass(block, member) or _in_range(block, partial(_of_dense, block, codes, member))


def _in_one_pass(block: np.ndarray, member: np.ndarray) -> Moments | None:
    """The moments from sums and squares above the least values; None if digits were lost."""
    low, counts = np.fmin.reduce(block).astype(np.float64), member.sum(axis=1)[:, None]
    with np.errstate(all="ignore"):
        above = block - low
        means = member @ above / positive(counts)
        total = member @ np.square(above)
        squares = np.maximum(total - counts * np.square(means), 0.0)
        whole, within = total.sum(axis=0), squares.sum(axis=0)
        kept = (whole < _LOST * within) & (within > _LEAST**2) & (whole < _MOST**2)
    if not kept.all():
        return None
    counts, centre = (np.broadcast_to(each, means.shape) for each in (counts, low))
    return Moments(counts, centre, means, squares, np.zeros(low.size, dtype=int))


def _in_range(block: Any, of_units: Callable[[np.ndarray], Moments]) -> Moments:
    """The moments in units that keep all squares in range; a constant column has no spread."""
    low, high = column_extremes(block)
    moments = of_units(column_units(low, high, of_zeros=NO_UNIT))
    constant = ~(low < high)
    moments.rest[:, constant] = 0.0
    moments.squares[:, constant] = 0.0
    return moments


def column_units(low: np.ndarray, high: np.ndarray, of_zeros: int = 0) -> np.ndarray:
    """Exponents of two in whose units no square of a column with these extremes leaves the range.

    They are 0 where plain units do.
    """
    size = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    exponents = size + np.frexp(np.ldexp(high, -size) - np.ldexp(low, -size))[1]
    units = np.where(np.abs(size) > _PLAIN_EXPONENTS, exponents, 0)
    return np.where((low == 0) & (high == 0), of_zeros, units)


def in_units(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """A copy in floats, the columns in units of 2 ** ``units``."""
    return np.ldexp(values, -units) if units.any() else values.astype(np.float64)


def centred(values: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Columns less their means, scaled to a largest value of 1; constant ones are 0.

    The mean is subtracted twice, as a rounded mean leaves an offset behind. ``weight`` is that of
    every sample or of every value; a missing value weighs nothing and becomes 0.
    """
    low, high = column_extremes(values)
    values = in_units(values, column_units(low, high))
    values[:, ~(low < high)] = 0.0  # a rounded mean would leave noise of a constant
    if weight is not None:
        weight = np.broadcast_to(weight.reshape(len(values), -1), values.shape)
        values[np.isnan(values)] = 0.0
    for _ in range(2):
        values -= means(values, weight)
        if weight is not None:
            values[weight == 0] = 0.0
    values /= positive(np.abs(values).max(axis=0))
    return values


def means(values: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The mean of every column; with weights of the values the weighted one."""
    if weight is None:
        return values.mean(axis=0)
    return np.einsum("ti,ti->i", values, weight) / positive(weight.sum(axis=0))


def _of_dense(
    block: np.ndarray, codes: np.ndarray, member: np.ndarray, exponent: np.ndarray
) -> Moments:
    values = np.ldexp(block.astype(float), -exponent) if exponent.any() else block
    counts, absent = member.sum(axis=1)[:, None], np.isnan(values)
    if absent.any():
        counts = member @ ~absent
    counts = np.broadcast_to(counts, (len(member), values.shape[1]))
    share, of_samples = positive(counts), codes if len(member) > 1 else slice(None)

    def present(values: np.ndarray) -> np.ndarray:
        return np.where(absent, 0.0, values)

    values = present(values)
    near = member.sum(axis=0) @ values / positive(counts.sum(axis=0))
    centre = near + member @ present(values - near) / share
    deviations = present(values - centre[of_samples])
    rest = member @ deviations / share
    deviations = present(deviations - rest[of_samples])
    return Moments(counts, centre, rest, member @ np.square(deviations), exponent)


def _of_sparse(stored: Stored, exponent: np.ndarray) -> Moments:
    data = np.ldexp(stored.data, -exponent[stored.column]) if exponent.any() else stored.data
    counts, zeros, share = stored.counts, stored.zeros, positive(stored.counts)
    near = stored.added(data).sum(axis=0) / positive(counts.sum(axis=0))
    centre = near + (stored.added(data - near[stored.column]) - zeros * near) / share
    deviations = data - centre.ravel()[stored.place]
    rest = (stored.added(deviations) - zeros * centre) / share
    deviations -= rest.ravel()[stored.place]
    squares = stored.added(np.square(deviations)) + zeros * np.square(centre + rest)
    return Moments(counts, centre, rest, squares, exponent)


@dataclass(frozen=True)
class Stored:
    """What a CSC block stores and is not missing, and the counts (G, n) of samples and of zeros.

    ``place`` is the number of the class times n, plus the column. Where samples have weights, the
    counts are sums of these, and ``weight`` holds that of every stored value.
    """

    data: np.ndarray
    column: np.ndarray
    place: np.ndarray
    weight: np.ndarray | None
    counts: np.ndarray
    zeros: np.ndarray

    @classmethod
    def of(cls, block: Any, codes: np.ndarray, classes: int, weight: np.ndarray | None) -> Stored:
        """Take the stored values of a block apart."""
        n, data = block.shape[1], block.data.astype(np.float64, copy=False)
        column = np.repeat(np.arange(n), np.diff(block.indptr))
        place = codes[block.indices] * n + column
        counts, each = np.bincount(codes, weight, minlength=classes).astype(float)[:, None], None
        if weight is not None:
            absent, each = np.isnan(data), weight[block.indices]
            gone = np.bincount(place[absent], each[absent], minlength=n * classes)
            counts = counts - gone.reshape(classes, n)
            data, column, place, each = (part[~absent] for part in (data, column, place, each))
        counts = np.broadcast_to(counts, (classes, n))
        stored = np.bincount(place, each, minlength=n * classes).reshape(classes, n)
        zeros = np.maximum(counts - stored, 0.0)
        zeros[:, np.diff(block.indptr) == block.shape[0]] = 0.0  # nothing but rounding
        return cls(data, column, place, each, counts, zeros)

    def added(self, values: np.ndarray) -> np.ndarray:
        """Sums by class and column."""
        values = values if self.weight is None else values * self.weight
        return np.bincount(self.place, values, self.counts.size).reshape(self.counts.shape)
