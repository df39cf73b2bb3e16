"""Equal-width bins of columns and their counts per class: one binning for every measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.measures.moments import Stored, spread_exponents
from inffs.validation.checks import column_extremes

_ON_THE_EDGE = 1e-9  # of a bin's width: a value that rounding left below an edge is on it
_TINY, _HUGE = 1e-280, 1e300  # spans beyond are counted in a power of two: bins / span stays finite


def count_log_count(T: int) -> np.ndarray:
    """The table k log k for k = 0 ... T: entropies of counts are sums of its entries."""
    counts = np.arange(T + 1)
    return counts * np.log(np.maximum(counts, 1))


def number_of_bins(T: int, bins: int | str = "auto") -> int:
    """The published rule for T samples, or the number that was given."""
    if not isinstance(bins, str):
        return int(bins)
    return 20 if T > 200 else max(10, T // 10)


def whole_samples(sample_weight: np.ndarray) -> int:
    """How many samples the weights stand for."""
    return int(sample_weight.sum() * (1 + 1e-12))


def dense_histogram(
    block: Any, codes: np.ndarray, bins: int, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Counts, or weights of the values that are there, of a prepared block; a last bin is empty.

    The shape is (classes, features, bins + 1); bins are closed on the left.
    """
    classes, weight = codes.max() + 1, None
    if sample_weight is not None:
        low, high = column_extremes(block)
        there = ~np.isnan(block)
        weight = there * sample_weight[:, None]
        place = _Edges(low, high, bins).place(np.where(there, block, low), slice(None))
    else:
        span = block.values.max(axis=0)
        if ((span > _TINY) & (span < _HUGE)).all():
            place = _whole_places(block.values * (bins / span))
        else:
            place = _Edges(*column_extremes(block.block), bins).place(block.block, slice(None))
    joint = count_places(place, codes, classes, bins + 1, weight)
    joint[:, :, -2] += joint[:, :, -1]
    joint[:, :, -1] = 0
    return joint


def count_places(
    place: np.ndarray,
    codes: np.ndarray,
    classes: int,
    bins: int,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Counts (classes, features, bins), or weights, of bins at ``place``, which is used up."""
    n = place.shape[1]
    size = classes * n * bins
    place = place.astype(np.int32 if size < 2**31 else np.intp, copy=False)
    place += np.arange(0, n * bins, bins, dtype=place.dtype)
    place += (codes * (n * bins)).astype(place.dtype)[:, None]
    weights = None if weight is None else weight.ravel()
    return np.bincount(place.ravel(), weights, minlength=size).reshape(classes, n, bins)


def equal_width_bins(
    block: np.ndarray, bins: int, ranges: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """The bin of every value, 0 ... bins - 1, each column cut between its least and largest.

    ``ranges`` gives the least and largest values where the block does not show them.
    """
    low, high = column_extremes(block) if ranges is None else ranges
    place = _Edges(low, high, bins).place(block, slice(None))
    return np.minimum(place, bins - 1, dtype=np.intp)


def sparse_histogram(
    block: Any, codes: np.ndarray, bins: int, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """As :func:`dense_histogram` of a CSC block: the zeros of a column share one bin."""
    n, classes = block.shape[1], codes.max() + 1
    stored = Stored.of(block, codes, classes, sample_weight)
    edges, every = _Edges(*column_extremes(block), bins), np.arange(n)
    place = np.minimum(edges.place(stored.data, stored.column), bins - 1)
    joint = np.bincount(stored.place * bins + place, stored.weight, minlength=classes * n * bins)
    joint = joint.reshape(classes, n, bins)
    within = np.clip(0.0, edges.low, edges.high)  # a column without zeros has none to place
    zero = np.minimum(edges.place(within, every), bins - 1)
    joint[:, every, zero] += stored.zeros.astype(joint.dtype)
    return joint


class _Edges:
    """Equal-width bins between the least and largest value of every column."""

    def __init__(self, low: np.ndarray, high: np.ndarray, bins: int) -> None:
        self.low, self.high = low, high
        with np.errstate(over="ignore"):
            span = high - low
        odd = (span > 0) & ~((span > _TINY) & (span < _HUGE))
        self._unit = np.where(odd, spread_exponents(low, high), 0)
        self._low = np.ldexp(low, -self._unit)
        span = np.ldexp(high, -self._unit) - self._low
        self._scale = np.divide(bins, span, out=np.zeros_like(span), where=span > 0)

    def place(self, values: np.ndarray, column: Any) -> np.ndarray:
        """The bins of values that stand in these columns; the largest is beyond the last one."""
        if self._unit.any():
            values = np.ldexp(values.astype(np.float64, copy=False), -self._unit[column])
        return _whole_places((values - self._low[column]) * self._scale[column])


def _whole_places(place: np.ndarray) -> np.ndarray:
    """Places in the units of the bins as whole numbers; ``place`` is used up."""
    place += _ON_THE_EDGE
    return place.astype(np.int32)
