"""Equal-width bins of columns and their counts per class: one binning for every measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

_ON_THE_EDGE = 1e-9  # of a bin's width: a value that rounding left below an edge is on it
_TINY, _LIFT = 1e-280, 2.0**200  # a span below the first is lifted: bins / span would overflow


def count_log_count(T: int) -> np.ndarray:
    """The table k log k for k = 0 ... T: entropies of counts are sums of its entries."""
    counts = np.arange(T + 1)
    return counts * np.log(np.maximum(counts, 1))


def number_of_bins(T: int, bins: int | str = "auto") -> int:
    """The published rule for T samples, or the number that was given."""
    if not isinstance(bins, str):
        return int(bins)
    return 20 if T > 200 else max(10, T // 10)


def dense_histogram(block: np.ndarray, codes: np.ndarray, bins: int) -> np.ndarray:
    """Counts of shape (classes, features, bins); bins are closed on the left."""
    place = equal_width_bins(block, bins)
    classes, n = codes.max() + 1, block.shape[1]
    place += np.arange(0, n * bins, bins)
    place += (codes * (n * bins))[:, None]
    return np.bincount(place.ravel(), minlength=classes * n * bins).reshape(classes, n, bins)


def equal_width_bins(block: np.ndarray, bins: int) -> np.ndarray:
    """The bin of every value, 0 ... bins - 1, each column cut between its least and largest."""
    low = block.min(axis=0).astype(np.float64)
    span = block.max(axis=0) - low
    tiny = (span > 0) & (span < _TINY)
    if tiny.any():
        return equal_width_bins(block * np.where(tiny, _LIFT, 1.0), bins)
    scale = np.divide(bins, span, out=np.zeros_like(span), where=span > 0)
    place = ((block - low) * scale + _ON_THE_EDGE).astype(np.intp)
    return np.minimum(place, bins - 1, out=place)


def sparse_histogram(block: Any, codes: np.ndarray, bins: int) -> np.ndarray:
    """Counts per column, class and bin of a sparse block; zeros are counted, not stored."""
    n, classes = block.shape[1], codes.max() + 1
    low, high = (
        extreme.toarray().ravel().astype(np.float64)
        for extreme in (block.min(axis=0), block.max(axis=0))
    )
    tiny = (high > low) & (high - low < _TINY)
    if tiny.any():
        lift = sparse.diags_array(np.where(tiny, _LIFT, 1.0))
        return sparse_histogram(sparse.csc_array(block @ lift), codes, bins)
    scale = np.divide(bins, high - low, out=np.zeros(n), where=high > low)
    column = np.repeat(np.arange(n), np.diff(block.indptr))
    place = (block.data - low[column]) * scale[column] + _ON_THE_EDGE
    place = np.minimum(place.astype(np.intp), bins - 1)
    code = codes[block.indices]
    joint = np.bincount((code * n + column) * bins + place, minlength=classes * n * bins)
    joint = joint.reshape(classes, n, bins)
    stored = np.bincount(code * n + column, minlength=classes * n).reshape(classes, n)
    zero = np.clip(-low * scale + _ON_THE_EDGE, 0, bins - 1).astype(np.intp)
    joint[:, np.arange(n), zero] += np.bincount(codes)[:, None] - stored
    return joint
