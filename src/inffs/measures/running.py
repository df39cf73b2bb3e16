"""Measures of a table that comes in chunks of samples, equal to those of the whole table.

Class means and sums of squares merge exactly (Chan, Golub, LeVeque 1983), histograms add up. Memory
O(nG) for n features and G classes, O(nG bins) with mutual information; never a chunk.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from inffs._engine.threads import column_blocks, threaded
from inffs.measures.batch import ratio_of_spreads
from inffs.measures.binning import count_log_count


def column_ranges(chunks: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of every column over all chunks: the first pass before a second."""
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    for chunk in chunks:
        least, most = column_extremes(chunk)
        low = least if low is None else np.minimum(low, least)
        high = most if high is None else np.maximum(high, most)
    if low is None or high is None:
        raise ValueError("There is no chunk to take the ranges from.")
    return low, high


class RunningMeasures:
    """Dispersion, Fisher and mutual information of all samples added so far."""

    def __init__(self, n: int, classes: int) -> None:
        self.counts = np.zeros(classes)
        self.means = np.zeros((classes, n))
        self.squares = np.zeros((classes, n))
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        self.joint: np.ndarray | None = None
        self._ranges: tuple[np.ndarray, np.ndarray] | None = None

    def count_bins(self, ranges: tuple[np.ndarray, np.ndarray], bins: int) -> None:
        """Keep a histogram over these ranges as well, for the mutual information."""
        self._ranges = ranges
        self.joint = np.zeros((self.counts.size, ranges[0].size, bins), dtype=np.int64)

    def add(self, X: Any, codes: np.ndarray) -> None:
        """Add a chunk of samples whose classes are ``codes``."""
        if self.joint is not None and self._ranges is not None:
            self.joint += _counts_in_ranges(X, codes, self._ranges, self.joint.shape)
        counts = np.bincount(codes, minlength=self.counts.size).astype(float)
        means, squares = _class_moments(X, codes, counts)
        total = np.maximum(self.counts + counts, 1)[:, None]
        step = means - self.means
        self.squares += squares + step**2 * (self.counts * counts)[:, None] / total
        self.means += step * counts[:, None] / total
        self.counts += counts
        least, most = column_extremes(X)
        np.minimum(self.low, least, out=self.low)
        np.maximum(self.high, most, out=self.high)

    def varying(self) -> np.ndarray:
        return np.flatnonzero(self.low != self.high)

    def dispersion(self) -> np.ndarray:
        """std / largest std, as :func:`inffs.measures.batch.dispersion`."""
        T = self.counts.sum()
        overall = self.counts @ self.means / T
        apart = self.counts @ (self.means - overall) ** 2
        deviation = np.sqrt((self.squares.sum(axis=0) + apart) / max(1.0, T - 1))
        return deviation / deviation.max() if deviation.max() > 0 else deviation

    def fisher_ratio(self) -> np.ndarray:
        """As :func:`inffs.measures.batch.fisher_ratio`; classes not seen yet do not count."""
        seen = self.counts > 0
        counts, means = self.counts[seen], self.means[seen]
        overall = counts @ means / counts.sum()
        within = (self.squares[seen] / np.maximum(counts - 1, 1)[:, None]).sum(axis=0)
        return ratio_of_spreads(((means - overall) ** 2).sum(axis=0), within)

    def information(self) -> np.ndarray:
        """As :func:`inffs.measures.batch.information`, over the given ranges."""
        if self.joint is None:
            raise ValueError("No histogram was kept: give the ranges of the columns.")
        T = int(self.counts.sum())
        xlogx = count_log_count(T)
        label = xlogx[self.counts.astype(int)].sum()
        feature = xlogx[self.joint.sum(axis=0)].sum(axis=1)
        both = xlogx[self.joint].sum(axis=(0, 2))
        return np.maximum(both - feature - label + xlogx[T], 0.0) / T


def column_extremes(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of every column."""
    if sparse.issparse(X):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    X = np.asarray(X)
    return X.min(axis=0).astype(float), X.max(axis=0).astype(float)


def checked_ranges(ranges: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two float arrays, least and largest of the n columns, or a sentence what is wrong."""
    low, high = (np.asarray(side, dtype=float).ravel() for side in ranges)
    if low.size != n or high.size != n or (low > high).any():
        raise ValueError(f"ranges must be two arrays of {n} values, least and largest a column.")
    return low, high


def _class_moments(X: Any, codes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and sum of squared deviations of every column in every class; 0 for empty ones."""
    member = sparse.csr_array(
        (np.ones(codes.size), (codes, np.arange(codes.size))), shape=(counts.size, codes.size)
    )
    divisors = np.maximum(counts, 1)[:, None]

    def of_block(columns: slice) -> tuple[np.ndarray, np.ndarray]:
        part = X[:, columns]
        block = part.toarray() if sparse.issparse(part) else part.astype(np.float64)
        means = (member @ block) / divisors
        return means, member @ np.square(block - means[codes])

    parts = threaded(of_block, column_blocks(X.shape[1], X.shape[0]))
    means, squares = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return means, squares


def _counts_in_ranges(
    X: Any, codes: np.ndarray, ranges: tuple[np.ndarray, np.ndarray], shape: tuple
) -> np.ndarray:
    """Histogram (classes, features, bins) over given ranges; a value outside them is refused."""
    classes, _, bins = shape
    low, high = ranges
    span = high - low
    scale = np.divide(bins, span, out=np.zeros_like(span), where=span > 0)

    def of_block(columns: slice) -> np.ndarray:
        part = X[:, columns]
        block = part.toarray() if sparse.issparse(part) else part
        outside = (block < low[columns]) | (block > high[columns])
        if outside.any():
            row, column = np.argwhere(outside)[0]
            raise ValueError(
                f"Column {columns.start + column} has the value {block[row, column]:g} outside its "
                "range: give the least and largest values of all chunks as ranges=."
            )
        place = ((block - low[columns]) * scale[columns]).astype(np.intp)
        np.minimum(place, bins - 1, out=place)
        width = block.shape[1]
        place += np.arange(0, width * bins, bins) + (codes * (width * bins))[:, None]
        joint = np.bincount(place.ravel(), minlength=classes * width * bins)
        return joint.reshape(classes, width, bins)

    return np.concatenate(threaded(of_block, column_blocks(X.shape[1], X.shape[0])), axis=1)
