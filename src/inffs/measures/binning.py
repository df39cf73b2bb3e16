"""Equal-width bins of columns and their counts per class: one binning for every measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.measures.moments import AboveLeast, column_extremes, spread_exponents

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


def dense_histogram(above: AboveLeast, codes: np.ndarray, bins: int) -> np.ndarray:
    """Counts of shape (classes, features, bins + 1), the last 0; bins are closed on the left."""
    span = above.values.max(axis=0)
    if ((span > _TINY) & (span < _HUGE)).all():
        place = _whole_places(above.values * (bins / span))
    else:
        place = _Edges(*column_extremes(above.block), bins).place(above.block, slice(None))
    joint = count_places(place, codes, codes.max() + 1, bins + 1)
    joint[:, :, -2] += joint[:, :, -1]
    joint[:, :, -1] = 0
    return joint


def count_places(place: np.ndarray, codes: np.ndarray, classes: int, bins: int) -> np.ndarray:
    """Counts of shape (classes, features, bins) of bins that lie at ``place``, which is used up."""
    n = place.shape[1]
    size = classes * n * bins
    place = place.astype(np.int32 if size < 2**31 else np.intp, copy=False)
    place += np.arange(0, n * bins, bins, dtype=place.dtype)
    place += (codes * (n * bins)).astype(place.dtype)[:, None]
    return np.bincount(place.ravel(), minlength=size).reshape(classes, n, bins)


def equal_width_bins(
    block: np.ndarray, bins: int, ranges: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """The bin of every value, 0 ... bins - 1, each column cut between its least and largest.

    ``ranges`` gives the least and largest values where the block does not show them.
    """
    low, high = column_extremes(block) if ranges is None else ranges
    place = _Edges(low, high, bins).place(block, slice(None))
    return np.minimum(place, bins - 1, dtype=np.intp)


def place_in_bins(
    values: np.ndarray, column: Any, ranges: tuple[np.ndarray, np.ndarray], bins: int
) -> np.ndarray:
    """The bins of values that stand in these columns, whose ranges are given."""
    return np.minimum(_Edges(*ranges, bins).place(values, column), bins - 1, dtype=np.intp)


def sparse_histogram(block: Any, codes: np.ndarray, bins: int) -> np.ndarray:
    """As :func:`dense_histogram` of a CSC block: the zeros of a column share one bin."""
    n, classes = block.shape[1], codes.max() + 1
    edges = _Edges(*column_extremes(block), bins)
    column = np.repeat(np.arange(n), np.diff(block.indptr))
    place = np.minimum(edges.place(block.data, column), bins - 1)
    code = codes[block.indices]
    joint = np.bincount((code * n + column) * bins + place, minlength=classes * n * bins)
    joint = joint.reshape(classes, n, bins)
    stored = np.bincount(code * n + column, minlength=classes * n).reshape(classes, n)
    within = np.clip(0.0, edges.low, edges.high)  # a column without zeros has none to place
    zero = np.minimum(edges.place(within, np.arange(n)), bins - 1)
    joint[:, np.arange(n), zero] += np.bincount(codes)[:, None] - stored
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
