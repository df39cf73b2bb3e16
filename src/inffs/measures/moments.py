"""Means and squared deviations of the columns per class that lose no digit to offsets or scales.

A mean is kept as a centre plus a small rest: values are centred before they are squared, and once
more by what the rounded centre left, unless one pass above their least value shows that nothing is
lost. Columns whose squares would leave the range of floating point are counted in a power of two of
their own. What float64 holds of a column, its moments hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from inffs.validation.lazy import over_columns

_VALUES = 2**16  # values of a block of columns: its temporary arrays stay in the cache
_LEAST, _MOST = 1e-125, 1e125  # spreads outside are counted in units of their own
_PLAIN_EXPONENTS = 400  # of two: squares of columns beyond may leave the range of floating point
NO_UNIT = -(2**20)  # nothing but zeros so far: any other unit is larger
_FLAT = 1e-20  # of the mean: no column that varies has a spread below
_LOST = 1e3  # squares above the least value that are so many times those inside the classes


@dataclass(frozen=True)
class Moments:
    """Moments of n features in G classes; features are counted in units of 2 ** ``exponent``.

    ``counts`` (G,); ``centre`` + ``rest`` (G, n) is the mean of a class, ``squares`` (G, n) the sum
    of squared deviations from it; an empty class has none.
    """

    counts: np.ndarray
    centre: np.ndarray
    rest: np.ndarray
    squares: np.ndarray
    exponent: np.ndarray

    def spreads(self) -> tuple[np.ndarray, np.ndarray]:
        """sum_g (mu_ig - mu_i)^2 and sum_g sigma_ig^2; a class with one member has variance 0."""
        each = 1 / np.maximum(self.counts - 1, 1)
        return np.square(self._apart()).sum(axis=0), each @ self.squares

    def deviation(self) -> np.ndarray:
        """The standard deviation of all samples, divisor T - 1, in units of 2 ** exponent."""
        squares = self.squares.sum(axis=0) + self.counts @ np.square(self._apart())
        return np.sqrt(squares / max(1.0, self.counts.sum() - 1))

    def _apart(self) -> np.ndarray:
        """Class means less the mean of all samples; 0 for empty classes."""
        base = self.centre[np.argmax(self.counts > 0)]
        means = (self.centre - base) + self.rest
        overall = self.counts @ means / max(1.0, self.counts.sum())
        return np.where(self.counts[:, None] > 0, means - overall, 0.0)

    def merged(self, other: Moments) -> Moments:
        """The moments of both sets of samples together (Chan, Golub, LeVeque 1983)."""
        exponent = np.maximum(self.exponent, other.exponent)
        mine, theirs = self._in_units(exponent), other._in_units(exponent)
        total = np.maximum(mine.counts + theirs.counts, 1)[:, None]
        new = (mine.counts == 0)[:, None]
        centre = np.where(new, theirs.centre, mine.centre)
        step = np.where(new, theirs.rest, (theirs.centre - centre) + theirs.rest - mine.rest)
        step = np.where((theirs.counts == 0)[:, None], 0.0, step)
        both = (mine.counts * theirs.counts)[:, None] / total
        return Moments(
            mine.counts + theirs.counts,
            centre,
            mine.rest + step * theirs.counts[:, None] / total,
            mine.squares + theirs.squares + step**2 * both,
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


def class_moments(X: Any, codes: np.ndarray, classes: int) -> Moments:
    """The moments of every column of X (n_samples, n_features), dense, CSC or lazy."""
    of_block = moments_of_blocks(codes, classes, sparse.issparse(X))
    return _side_by_side(over_columns(X, lambda block: of_block(prepared(block)), _VALUES))


class AboveLeast:
    """A dense block of columns, also less the least value of each: exact but for one rounding."""

    def __init__(self, block: np.ndarray) -> None:
        self.block = block
        self.low = block.min(axis=0).astype(np.float64)
        with np.errstate(over="ignore"):
            self.values = block - self.low


def prepared(block: Any) -> Any:
    """A block as the functions of blocks take it: CSC as it is, dense above its least values."""
    return block if sparse.issparse(block) else AboveLeast(np.asarray(block))


def moments_of_blocks(
    codes: np.ndarray, classes: int, is_sparse: bool = False
) -> Callable[[Any], Moments]:
    """A function that gives the moments of a prepared block of columns."""
    counts = np.bincount(codes, minlength=classes).astype(float)
    if is_sparse:
        return partial(_in_range, partial(_of_sparse, codes=codes, counts=counts))
    member = np.zeros((classes, codes.size))
    member[codes, np.arange(codes.size)] = 1.0
    with_care = partial(_of_dense, codes=codes, counts=counts, member=member)

    def of_block(above: AboveLeast) -> Moments:
        return _in_one_pass(above, counts, member) or _in_range(with_care, above.block)

    return of_block


def _in_one_pass(above: AboveLeast, counts: np.ndarray, member: np.ndarray) -> Moments | None:
    """The moments from sums and squares above the least values; None if digits were lost."""
    low = above.low
    with np.errstate(all="ignore"):
        means = member @ above.values / np.maximum(counts, 1)[:, None]
        total = member @ np.square(above.values)
        squares = np.maximum(total - counts[:, None] * np.square(means), 0.0)
        whole, within = total.sum(axis=0), squares.sum(axis=0)
        kept = (whole < _LOST * within) & (within > _LEAST**2) & (whole < _MOST**2)
    if not kept.all():
        return None
    return Moments(counts, low + 0 * means, means, squares, np.zeros(low.size, dtype=int))


def _side_by_side(parts: Sequence[Moments]) -> Moments:
    names = ("centre", "rest", "squares", "exponent")
    joined = (np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names)
    return Moments(parts[0].counts, *joined)


def _in_range(of_units: Any, block: Any) -> Moments:
    """The moments in plain units; columns that are too large or small for that in their own."""
    with np.errstate(all="ignore"):
        moments = of_units(block, exponent=np.zeros(block.shape[1], dtype=int))
        size = moments.deviation()
        flat = size < _FLAT * np.abs(moments.centre).max(axis=0)
        odd = flat | ~((size > _LEAST) & (size < _MOST))
    if not odd.any():
        return moments
    low, high = column_extremes(block)
    moments = of_units(block, exponent=np.where(odd, spread_exponents(low, high), 0))
    moments.rest[:, low == high] = 0.0
    moments.squares[:, low == high] = 0.0
    return moments


def spread_exponents(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """For every column the exponent of two next above its span; a column of zeros has no unit."""
    size = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    exponents = size + np.frexp(np.ldexp(high, -size) - np.ldexp(low, -size))[1]
    return np.where((low == 0) & (high == 0), NO_UNIT, exponents)


def needs_unit(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Whether the squares of a column with these extremes may leave the range of floating point."""
    return np.abs(np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]) > _PLAIN_EXPONENTS


def near_zero(block: np.ndarray) -> np.ndarray:
    """Columns less their first value, in powers of two of their own where squares need it."""
    low, high = column_extremes(block)
    size = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
    values = block.astype(np.float64)
    if np.abs(size).max(initial=0) > _PLAIN_EXPONENTS:
        values = np.ldexp(values, -spread_exponents(low, high))
    return values - values[:1]


def column_extremes(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of every column, dense or CSC, in double precision."""
    if sparse.issparse(X):
        return (
            X.min(axis=0).toarray().ravel().astype(float),
            X.max(axis=0).toarray().ravel().astype(float),
        )
    X = np.asarray(X)
    return X.min(axis=0).astype(float), X.max(axis=0).astype(float)


def _of_dense(
    block: np.ndarray,
    codes: np.ndarray,
    counts: np.ndarray,
    member: np.ndarray,
    exponent: np.ndarray,
) -> Moments:
    values = np.ldexp(block.astype(float), -exponent) if exponent.any() else block
    of_samples = codes if counts.size > 1 else slice(None)
    share = np.maximum(counts, 1)[:, None]
    near = values.mean(axis=0, dtype=np.float64)
    deviations = values - near
    centre = near + member @ deviations / share
    np.subtract(values, centre[of_samples], out=deviations)
    rest = member @ deviations / share
    deviations -= rest[of_samples]
    np.square(deviations, out=deviations)
    return Moments(counts, centre, rest, member @ deviations, exponent)


def _of_sparse(block: Any, codes: np.ndarray, counts: np.ndarray, exponent: np.ndarray) -> Moments:
    n, classes = block.shape[1], counts.size
    column = np.repeat(np.arange(n), np.diff(block.indptr))
    data = block.data.astype(np.float64)
    data = np.ldexp(data, -exponent[column]) if exponent.any() else data
    place = codes[block.indices] * n + column

    def added(values: np.ndarray | None = None) -> np.ndarray:
        return np.bincount(place, values, minlength=n * classes).reshape(classes, n)

    share = np.maximum(counts, 1)[:, None]
    zeros = counts[:, None] - added()
    near = np.bincount(column, data, minlength=n) / codes.size
    centre = near + (added(data - near[column]) - zeros * near) / share
    deviations = data - centre.ravel()[place]
    rest = (added(deviations) - zeros * centre) / share
    deviations -= rest.ravel()[place]
    squares = added(np.square(deviations)) + zeros * np.square(centre + rest)
    return Moments(counts, centre, rest, squares, exponent)
