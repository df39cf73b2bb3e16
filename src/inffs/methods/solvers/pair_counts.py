"""Counts of pairs of binned features, for all candidates at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np
from scipy.special import xlogy

from inffs._engine.threads import column_blocks, threaded
from inffs.measures.binning import count_log_count, equal_width_bins, number_of_bins
from inffs.measures.weighted import whole_samples
from inffs.methods.solvers.equal_codes import MOST_SAMPLES, Groups

_FEW = 32  # levels up to which integers are taken as they are
_TIE = 1e-12  # nats, relative to the label's entropy: criteria so close are equal
_VALUES = 2**15  # of a block's table of counts: small enough to be reused memory
_LEAST_BLOCK = 16


class PairCounts:
    """The binned table, its relevance, and its pairwise terms with one chosen column at a time.

    Every information is a sum of c log c over the counts c of cells, which is also the sum over
    samples of log c for the cell that the sample is in; the shorter of the two is taken. One
    bincount over (candidate, its level, level of the chosen one) a class serves a whole block of
    candidates; samples are sorted by class, so that the cells of one class are a slice. Few samples
    in many cells are not counted but compared.
    """

    _comparable = True

    def __init__(self, X: np.ndarray, y: np.ndarray, bins: int) -> None:
        self._T, self._whole, self._label = self._count_samples(y)
        ends = np.cumsum(np.bincount(y))
        self._classes = [slice(start, end) for start, end in pairwise([0, *ends])]
        self._codes, levels = discretise(X, bins)
        self._codes = self._codes[np.argsort(y, kind="stable")]
        self._class_of = np.sort(y)
        self._comparable &= self._codes.dtype == np.uint8 and y.size <= MOST_SAMPLES
        self._levels = levels
        nothing = np.zeros(y.size, dtype=np.intp)
        self._alone, self._with_class = self._counted(self._cells(1), nothing, True)
        shared = self._with_class - self._alone - self._label + self._whole
        self.relevance = np.maximum(shared, 0.0) / self._T
        self.tie = _TIE * (self._whole - self._label) / self._T

    def _count_samples(self, y: np.ndarray) -> tuple[float, float, float]:
        """T, T log T, and the sum of c log c over the classes."""
        T = y.size
        self._log = np.log(np.maximum(np.arange(T + 1), 1))
        self._xlogx, self._ones = count_log_count(T), np.ones(T)
        return T, self._xlogx[T], self._xlogx[np.bincount(y)].sum()

    @cached_property
    def _blocks(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(self._cells(int(self._levels.max())))

    def _cells(self, other_levels: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Blocks of candidates: samples' cells at the other's level 0, where cells start."""
        cells = int(self._levels.max()) * other_levels
        width = max(_LEAST_BLOCK, _VALUES // max(cells, self._codes.shape[0]))
        for start in range(0, self._levels.size, width):
            block = slice(start, start + width)
            starts = np.concatenate([[0], np.cumsum(self._levels[block])])
            yield (self._codes[:, block] + starts[:-1]) * other_levels, starts * other_levels

    def with_chosen(self, k: int, conditional: bool) -> tuple[np.ndarray, np.ndarray]:
        """I(X_j; X_k) and I(X_j; X_k | Y) for every j (the latter 0 where it is not asked for)."""
        pair, triple = self._sums(self._codes[:, k].astype(np.intp), conditional)
        shared = pair - self._alone - self._alone[k] + self._whole
        if not conditional:
            return shared / self._T, np.zeros_like(shared)
        given = triple - self._with_class - self._with_class[k] + self._label
        return shared / self._T, given / self._T

    def _sums(self, other: np.ndarray, with_class: bool) -> tuple[np.ndarray, np.ndarray]:
        """sum of c log c over the cells (j, other), and over (j, other, class) if asked for."""
        if self._comparable:
            groups = Groups(other, self._class_of)
            if groups.are_small():
                return groups.log_counts(self._codes, with_class)
        return self._counted(self._blocks, other, with_class)

    def _counted(
        self, blocks: Iterable[tuple[np.ndarray, np.ndarray]], other: np.ndarray, with_class: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        parts = [self._block_sums(*block, other, with_class) for block in blocks]
        pair, triple = np.concatenate(parts, axis=1)
        return pair, triple

    def _block_sums(
        self, cells: np.ndarray, starts: np.ndarray, other: np.ndarray, with_class: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        place, size = cells + other[:, None], int(starts[-1])
        if not with_class:
            counts = self._count(place, slice(None), size)
            return self._log_counts(counts, place, starts), np.zeros(starts.size - 1)
        by_class = [self._count(place[rows], rows, size) for rows in self._classes]
        triple = [
            self._log_counts(counts, place[rows], starts)
            for counts, rows in zip(by_class, self._classes, strict=True)
        ]
        return self._log_counts(reduce(np.add, by_class), place, starts), reduce(np.add, triple)

    def _count(self, place: np.ndarray, rows: slice, size: int) -> np.ndarray:
        """How many samples stand at every place; these are the places of some rows."""
        return np.bincount(place.ravel(), minlength=size)

    def _log_counts(self, counts: np.ndarray, place: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """sum of c log c over the cells of each candidate."""
        if counts.size < 2 * place.size:
            return np.add.reduceat(self._xlogx.take(counts), starts[:-1])
        return self._ones[: place.shape[0]] @ self._log.take(counts.take(place))


class WeightedPairCounts(PairCounts):
    """The same with samples that count as often as their weights say."""

    _comparable = False

    def __init__(self, X: np.ndarray, y: np.ndarray, bins: int, weight: np.ndarray) -> None:
        self._weight = weight[np.argsort(y, kind="stable")]
        super().__init__(X, y, bins)

    def _count_samples(self, y: np.ndarray) -> tuple[float, float, float]:
        classes = np.add.reduceat(self._weight, np.searchsorted(np.sort(y), np.unique(y)))
        T = classes.sum()
        return T, T * np.log(T), xlogy(classes, classes).sum()

    def _count(self, place: np.ndarray, rows: slice, size: int) -> np.ndarray:
        weight = np.broadcast_to(self._weight[rows][:, None], place.shape)
        return np.bincount(place.ravel(), weight.ravel(), size)

    def _log_counts(self, counts: np.ndarray, place: np.ndarray, starts: np.ndarray) -> np.ndarray:
        return np.add.reduceat(xlogy(counts, counts), starts[:-1])


def pair_counts(
    X: np.ndarray, y: np.ndarray, bins: int | str, sample_weight: np.ndarray | None
) -> PairCounts:
    """The counts of a table, with weights if there are any; bins by number or by the rule."""
    if sample_weight is None:
        return PairCounts(X, y, number_of_bins(y.size, bins))
    bins = number_of_bins(whole_samples(sample_weight), bins)
    return WeightedPairCounts(X, y, bins, sample_weight)


def discretise(X: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Level of every value and number of levels of every column.

    Columns of integers with few levels are taken as they are; others are cut into equal widths.
    """
    kind = np.min_scalar_type(max(_FEW, bins))

    def of_block(columns: slice) -> tuple[np.ndarray, np.ndarray]:
        block = X[:, columns]
        low = block.min(axis=0)
        span = np.subtract(block.max(axis=0), low, dtype=np.float64)
        whole = (span < max(_FEW, bins)) & (block == np.rint(block)).all(axis=0)
        if whole.all():
            return (block - low).astype(kind), span.astype(np.intp) + 1
        codes = np.empty(block.shape, dtype=np.intp)
        codes[:, whole] = block[:, whole] - low[whole]
        codes[:, ~whole] = equal_width_bins(block[:, ~whole], bins)
        return codes.astype(kind), codes.max(axis=0) + 1

    parts = threaded(of_block, column_blocks(X.shape[1], X.shape[0], 2**16))
    return np.hstack([codes for codes, _ in parts]), np.concatenate([size for _, size in parts])
