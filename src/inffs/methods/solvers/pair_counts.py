"""Mutual information of pairs of binned features, for all candidates at once.

One ``bincount`` over (candidate, its level, level of the chosen feature) counts a whole block of
candidates. scikit-learn and SciPy count one pair of columns per call.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from inffs._utils.threads import column_blocks, threaded, values_at_once
from inffs.measures.batch import (
    count_log_count,
    equal_width_bins,
    number_of_bins,
    whole_samples,
)

_TIE = 1e-12  # nats, relative to the label's entropy: criteria so close are equal
_VALUES = 12_000  # counts per block: below 128 KB, so that the allocator reuses the memory
_LEAST_BLOCK = 32


class BinnedTable:
    """The bins of all columns, and sums of c log c over the counts c of their cells.

    Such a sum is also the sum over samples of log c for the cell of the sample; the shorter of the
    two is computed. With sample weights a count is a sum of weights. With ``several`` labels, which
    are counted in turn, sums without a label are kept.
    """

    def __init__(
        self,
        X: np.ndarray,
        bins: int | str = "auto",
        sample_weight: np.ndarray | None = None,
        several: bool = False,
    ) -> None:
        T, n = X.shape
        self.shape, self.weight = X.shape, sample_weight
        samples = T if sample_weight is None else whole_samples(sample_weight)
        self.codes, self.levels = discretise(X, number_of_bins(samples, bins))
        self._log, self._ones = np.log(np.maximum(np.arange(T + 1), 1)), np.ones(T)
        self._xlogx = count_log_count(T)
        width = max(_LEAST_BLOCK, _VALUES // max(int(self.levels.max()) ** 2, T))
        self._blocks = [slice(start, start + width) for start in range(0, n, width)]
        self._kept: dict[int, np.ndarray] = {}
        self._room = values_at_once() // n if several else 0

    def pair_sums(self, k: int) -> np.ndarray:
        """The sums over the cells (j, k) for every column j; kept while there is memory."""
        sums = self._kept.get(k)
        if sums is None:
            sums = self.sums(self.codes[:, k])
            if len(self._kept) < self._room:
                self._kept[k] = sums
        return sums

    def sums_with_label(self, k: int, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sums over the cells (j, k), and over (j, k, label)."""
        labels, cells = int(y.max()) + 1, self.codes[:, k] + y * self.levels[k]
        if labels * self.levels[k] > y.size:  # most of these cells are empty
            return self.pair_sums(k), self.sums(np.unique(cells, return_inverse=True)[1])
        pair, triple = [], []
        for block in self._blocks:
            counts, place, starts = self._count(block, cells, labels * self.levels[k])
            whole = counts.reshape(labels, -1, counts.shape[1]).sum(axis=0)
            pair.append(self._over_cells(whole, starts))
            triple.append(self._shorter_sum(counts, place, starts))
        return np.concatenate(pair), np.concatenate(triple)

    def sums(self, level: np.ndarray) -> np.ndarray:
        """The sums over the cells of every column with these levels of the samples."""
        rows = int(level.max()) + 1
        counts = (self._count(block, level, rows) for block in self._blocks)
        return np.concatenate([self._shorter_sum(*each) for each in counts])

    def _count(
        self, block: slice, level: np.ndarray, rows: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts (rows, levels of all columns), the place of every sample, the first levels."""
        ends = np.cumsum(self.levels[block])
        starts, size = ends - self.levels[block], int(ends[-1])
        place = self.codes[:, block] + (starts + level.astype(np.intp)[:, None] * size)
        weight = None
        if self.weight is not None:
            weight = np.broadcast_to(self.weight[:, None], place.shape).ravel()
        return np.bincount(place.ravel(), weight, rows * size).reshape(rows, size), place, starts

    def _shorter_sum(self, counts: np.ndarray, place: np.ndarray, starts: np.ndarray) -> np.ndarray:
        if self.weight is None and counts.size > 2 * place.size:
            return self._ones @ self._log.take(counts.take(place))
        return self._over_cells(counts, starts)

    def _over_cells(self, counts: np.ndarray, starts: np.ndarray) -> np.ndarray:
        cells = self._xlogx.take(counts) if self.weight is None else xlogy(counts, counts)
        return np.add.reduceat(cells.sum(axis=0), starts)


class PairCounts:
    """The relevance of every column to a label, and its information with one chosen column."""

    def __init__(self, table: BinnedTable, y: np.ndarray) -> None:
        self._table, self._y = table, y
        sizes = np.bincount(y, table.weight)
        self._T = T = sizes.sum()
        self._whole, self._label = xlogy(T, T), xlogy(sizes, sizes).sum()
        self._alone, self._with_class = table.sums(np.zeros(y.size)), table.sums(y)
        shared = self._with_class - self._alone - self._label + self._whole
        self.relevance = np.maximum(shared, 0.0) / T
        self.tie = _TIE * (self._whole - self._label) / T

    def with_chosen(self, k: int, conditional: bool) -> tuple[np.ndarray, np.ndarray]:
        """I(X_j; X_k) and I(X_j; X_k | Y) for every j; the latter is 0 unless ``conditional``."""
        if not conditional:
            pair = self._shared(self._table.pair_sums(k), k)
            return pair, np.zeros_like(pair)
        sums, triple = self._table.sums_with_label(k, self._y)
        given = triple - self._with_class - self._with_class[k] + self._label
        return self._shared(sums, k), given / self._T

    def _shared(self, sums: np.ndarray, k: int) -> np.ndarray:
        return (sums - self._alone - self._alone[k] + self._whole) / self._T


def discretise(X: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Level of every value, and number of levels of every column: its equal-width bins in use."""
    kind = np.min_scalar_type(bins)

    def of_block(columns: slice) -> tuple[np.ndarray, np.ndarray]:
        place = equal_width_bins(X[:, columns], bins)
        place += np.arange(0, place.shape[1] * bins, bins)
        used = np.zeros((place.shape[1], bins), dtype=np.intp)
        used.reshape(-1)[place.ravel()] = 1
        level = np.cumsum(used, axis=1)
        return level.ravel().take(place).astype(kind) - kind.type(1), level[:, -1]

    parts = threaded(of_block, column_blocks(X.shape[1], X.shape[0], 2**16))
    return np.hstack([codes for codes, _ in parts]), np.concatenate([size for _, size in parts])
