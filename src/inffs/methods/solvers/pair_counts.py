"""Counts of pairs of binned features, for all candidates at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import pairwise

import numpy as np
from scipy.special import xlogy

from inffs._utils.threads import column_blocks, threaded, values_at_once
from inffs.measures.batch import (
    count_log_count,
    equal_width_bins,
    number_of_bins,
    whole_samples,
)
from inffs.methods.solvers.common_level import Block, CommonLevel
from inffs.methods.solvers.equal_codes import MOST_SAMPLES, ClassGroups, LevelGroups

_TIE = 1e-12  # nats, relative to the label's entropy: criteria so close are equal
_VALUES = 2**15  # of a block's table of counts: small enough to be reused memory
_LEAST_BLOCK = 32
_MANY_CLASSES = 8  # from here on samples are compared within classes, if cells outnumber them


class BinnedTable:
    """The levels of all columns, and what they have in common in pairs, for one label or several.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The table.
    bins : int or "auto"
        Number of bins, or the published rule.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights: weight 2 counts a sample twice.
    several : bool, default=False
        Whether labels follow each other, so that sums that know of no label are worth keeping.
    """

    def __init__(
        self,
        X: np.ndarray,
        bins: int | str = "auto",
        sample_weight: np.ndarray | None = None,
        several: bool = False,
    ) -> None:
        T = X.shape[0] if sample_weight is None else whole_samples(sample_weight)
        self.shape, self.weight = X.shape, sample_weight
        self.codes, self.levels = discretise(X, number_of_bins(T, bins))
        self._kept: dict[int, np.ndarray] = {}
        self._room = values_at_once() // X.shape[1] if several else 0

    def with_label(self, y: np.ndarray) -> PairCounts:
        """The counts beside class codes."""
        return PairCounts(self, y) if self.weight is None else WeightedPairCounts(self, y)

    def keep(self, k: int, work_out: Callable[[int], np.ndarray]) -> np.ndarray:
        """What is worked out for column k, once only as long as there is room to keep it."""
        known = self._kept.get(k)
        if known is None:
            known = work_out(k)
            if len(self._kept) < self._room:
                self._kept[k] = known
        return known


class PairCounts:
    """The binned table, its relevance, and its pairwise terms with one chosen column at a time.

    Every information is a sum of c log c over the counts c of cells, which is also the sum over
    samples of log c for the cell that the sample is in; the shorter of the two is taken. One
    bincount over (candidate, its level, level of the chosen one) a class serves a whole block of
    candidates; samples are sorted by class, so that the cells of one class are a slice. Few samples
    in many cells are not counted but compared, and with many classes those of small groups.
    """

    _counts_whole = True

    def __init__(self, table: BinnedTable, y: np.ndarray) -> None:
        self._T, self._whole, self._label = self._count_samples(y)
        ends = np.cumsum(np.bincount(y))
        self._classes = [slice(start, end) for start, end in pairwise([0, *ends])]
        by_class = np.argsort(y, kind="stable")
        self._codes, self._class_of = table.codes[by_class], y[by_class].astype(np.intp)
        self._levels, self._table = table.levels, table
        self._comparable = self._codes.dtype == np.uint8 and y.size <= MOST_SAMPLES
        nothing = np.zeros(y.size, dtype=np.intp)
        self._blocks = list(self._cells(int(self._levels.max())))
        self._alone, self._with_class = self._counted(self._cells(1), nothing, 1, True)
        shared = self._with_class - self._alone - self._label + self._whole
        self.relevance = np.maximum(shared, 0.0) / self._T
        self.tie = _TIE * (self._whole - self._label) / self._T

    def _count_samples(self, y: np.ndarray) -> tuple[float, float, float]:
        """T, T log T, and the sum of c log c over the classes."""
        T = y.size
        self._log = np.log(np.maximum(np.arange(T + 1), 1))
        self._xlogx, self._ones = count_log_count(T), np.ones(T)
        return T, self._xlogx[T], self._xlogx[np.bincount(y)].sum()

    def _cells(self, other_levels: int) -> Iterator[Block]:
        """Blocks of candidates, of so many that a table with the other's levels stays small."""
        cells = int(self._levels.max()) * other_levels
        width = max(_LEAST_BLOCK, _VALUES // max(cells, self._codes.shape[0]))
        starts = np.arange(0, self._levels.size, width)
        size = int(np.add.reduceat(self._levels, starts).max())
        for block in (slice(start, start + width) for start in starts):
            yield Block(self._codes[:, block], self._levels[block], self._class_of, size)

    def with_chosen(self, k: int, conditional: bool) -> tuple[np.ndarray, np.ndarray]:
        """I(X_j; X_k) and I(X_j; X_k | Y) for every j (the latter 0 where it is not asked for)."""
        if not conditional:
            pair = self._table.keep(k, lambda k: self._sums(k, False)[0])
            return self._shared(pair, k), np.zeros_like(pair)
        pair, triple = self._sums(k, True)
        given = triple - self._with_class - self._with_class[k] + self._label
        return self._shared(pair, k), given / self._T

    def _shared(self, pair: np.ndarray, k: int) -> np.ndarray:
        return (pair - self._alone - self._alone[k] + self._whole) / self._T

    def _sums(self, k: int, with_class: bool) -> tuple[np.ndarray, np.ndarray]:
        """sum of c log c over the cells (j, k), and over (j, k, class) if asked for."""
        level = self._codes[:, k].astype(np.intp)
        if not self._counts_whole:
            return self._all_counted(level, with_class)
        if self._comparable and (groups := LevelGroups(level, self._class_of)).are_small():
            return groups.log_counts(self._codes, with_class)
        if with_class and self._is_thin(level):
            return self._sums(k, False)[0], self._within_classes(level)
        common = CommonLevel(level, self._class_of, self._blocks, self._xlogx)
        if common.is_quicker(with_class):
            return _joined(common.sums(with_class))
        return self._all_counted(level, with_class)

    def _within_classes(self, level: np.ndarray) -> np.ndarray:
        groups = ClassGroups(level, self._class_of)
        return groups.log_counts(self._codes, self._blocks, self._log, self._xlogx)

    def _all_counted(self, level: np.ndarray, with_class: bool) -> tuple[np.ndarray, np.ndarray]:
        row, rows = level * self._blocks[0].size, int(level.max()) + 1
        return self._counted(self._blocks, row, rows, with_class)

    def _is_thin(self, level: np.ndarray) -> bool:
        """Whether a table of all levels in all classes takes longer than the samples in it."""
        cells = len(self._classes) * (int(level.max()) + 1) * int(self._levels.max())
        return len(self._classes) >= _MANY_CLASSES and cells > level.size

    def _counted(
        self, blocks: Iterable[Block], row: np.ndarray, rows: int, with_class: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        return _joined(self._block_sums(block, row, rows, with_class) for block in blocks)

    def _block_sums(
        self, block: Block, row: np.ndarray, rows: int, with_class: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        place, size = block.places(row), rows * block.size
        if not with_class:
            pair = self._log_counts(self._count(place, slice(None), size), place, block)
            return pair, np.zeros_like(pair)
        by_class = [self._count(place[some], some, size) for some in self._classes]
        triple = [
            self._log_counts(counts, place[some], block)
            for counts, some in zip(by_class, self._classes, strict=True)
        ]
        return self._log_counts(reduce(np.add, by_class), place, block), reduce(np.add, triple)

    def _count(self, place: np.ndarray, some: slice, size: int) -> np.ndarray:
        """How many samples stand at every place; these are the places of some of them."""
        return np.bincount(place.ravel(), minlength=size)

    def _log_counts(self, counts: np.ndarray, place: np.ndarray, block: Block) -> np.ndarray:
        """sum of c log c over the cells of each candidate."""
        if counts.size < 2 * place.size:
            return block.per_column(self._xlogx.take(counts))
        return self._ones[: place.shape[0]] @ self._log.take(counts.take(place))


class WeightedPairCounts(PairCounts):
    """The same with samples that count as often as their weights say."""

    _counts_whole = False

    def __init__(self, table: BinnedTable, y: np.ndarray) -> None:
        self._weight = np.asarray(table.weight)[np.argsort(y, kind="stable")]
        super().__init__(table, y)

    def _count_samples(self, y: np.ndarray) -> tuple[float, float, float]:
        classes = np.add.reduceat(self._weight, np.searchsorted(np.sort(y), np.unique(y)))
        T = classes.sum()
        return T, T * np.log(T), xlogy(classes, classes).sum()

    def _count(self, place: np.ndarray, some: slice, size: int) -> np.ndarray:
        weight = np.broadcast_to(self._weight[some][:, None], place.shape)
        return np.bincount(place.ravel(), weight.ravel(), size)

    def _log_counts(self, counts: np.ndarray, place: np.ndarray, block: Block) -> np.ndarray:
        return block.per_column(xlogy(counts, counts))


def _joined(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Pair and triple sums of blocks, one after the other."""
    pair, triple = np.concatenate(list(parts), axis=1)
    return pair, triple


def discretise(X: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Level of every value and number of levels of every column: its equal-width bins in use."""
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
