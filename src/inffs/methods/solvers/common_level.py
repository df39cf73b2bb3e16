"""Counts beside one column whose commonest level is not counted: it is what the others leave.

Many columns have most samples at one level (zeros of a rectified feature, absent words). How often
the levels of another column come with that one is known from how often they come at all, so only
the samples at the other levels are counted.
"""

from __future__ import annotations

import numpy as np

_DENSE = 2  # cells per sample left out: a table so small is quickly filled
_LEAST_LEFT_OUT = 500  # samples: fewer are not worth the trouble


class Block:
    """Some columns side by side: their levels have places of their own in a row of a table.

    Parameters
    ----------
    codes : ndarray of shape (n_samples, n_columns)
        Levels of the samples, which are sorted by class.
    levels : ndarray of shape (n_columns,)
        Number of levels of each column.
    classes : ndarray of shape (n_samples,)
        Classes of the samples.
    size : int
        Places of a row, at least as many as there are levels.
    """

    def __init__(
        self, codes: np.ndarray, levels: np.ndarray, classes: np.ndarray, size: int
    ) -> None:
        self.columns, self.size = levels.size, size
        self._starts = np.cumsum(levels) - levels
        self._places, self._classes = codes + self._starts, classes
        self._by_class: np.ndarray | None = None
        self._alone: np.ndarray | None = None

    def places(self, row: np.ndarray, samples: np.ndarray | None = None) -> np.ndarray:
        """Where these samples (or all) stand in a table, given where their rows start."""
        if samples is None:
            return self._places + row[:, None]
        places = self._places.take(samples, axis=0)
        places += row[:, None]
        return places

    def count(self, places: np.ndarray, rows: int) -> np.ndarray:
        """How many samples stand at every place of a table of so many rows."""
        return np.bincount(places.ravel(), minlength=rows * self.size).reshape(-1, self.size)

    def by_class(self) -> np.ndarray:
        """How many samples of every class stand at every place, a row for every class."""
        if self._by_class is None:
            counts = self.count(self.places(self._classes * self.size), int(self._classes[-1]) + 1)
            self._by_class = counts.astype(np.min_scalar_type(self._classes.size))
        return self._by_class

    def alone(self) -> np.ndarray:
        """How many samples stand at every place, in one row."""
        if self._alone is None:
            self._alone = self.count(self._places, 1)
        return self._alone

    def per_column(self, values: np.ndarray) -> np.ndarray:
        """Sums over a table's rows and over the levels of every column."""
        return np.add.reduceat(values.reshape(-1, self.size).sum(axis=0), self._starts)


class CommonLevel:
    """The samples that are not at the commonest level of a column, by their level and class.

    Parameters
    ----------
    level : ndarray of shape (n_samples,)
        Their level in the column; samples are sorted by class.
    classes : ndarray of shape (n_samples,)
        Their classes.
    blocks : list of Block
        All columns, in blocks of one size.
    xlogx : ndarray of shape (n_samples + 1,)
        c log c of every count c.
    """

    def __init__(
        self,
        level: np.ndarray,
        classes: np.ndarray,
        blocks: list[Block],
        xlogx: np.ndarray,
    ) -> None:
        self._blocks, self._xlogx = blocks, xlogx
        counts = np.bincount(level)
        self._common, self._levels, self._classes = counts.argmax(), counts.size, classes[-1] + 1
        self._counted = np.flatnonzero(level != self._common)
        self._left_out = level.size - self._counted.size
        self._cells = self._levels * blocks[0].size / blocks[0].columns
        self._level_row = level[self._counted] * blocks[0].size
        self._class_row = classes[self._counted] * blocks[0].size

    def is_quicker(self, with_class: bool) -> bool:
        """Whether this saves time against counting all samples."""
        cells = self._cells * (self._classes if with_class else 1)
        return self._left_out >= max(self._counted.size, _LEAST_LEFT_OUT, cells / _DENSE)

    def sums(self, with_class: bool) -> list[tuple[np.ndarray, np.ndarray]]:
        """Every block's sums of c log c over the cells (j, level) and, or 0, (j, level, class)."""
        return [(self._triple if with_class else self._pair)(block) for block in self._blocks]

    def _pair(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        counts = self._table(block, self._level_row, block.alone())
        pair = block.per_column(self._xlogx.take(counts))
        return pair, np.zeros_like(pair)

    def _triple(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        row = self._class_row * self._levels + self._level_row
        counts = self._table(block, row, block.by_class())
        pair = block.per_column(self._xlogx.take(counts.sum(axis=0)))
        return pair, block.per_column(self._xlogx.take(counts))

    def _table(self, block: Block, row: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """Counts of all levels, of shape (classes, levels, places); ``whole`` are their sums."""
        places, rows = block.places(row, self._counted), whole.shape[0] * self._levels
        counts = block.count(places, rows).reshape(whole.shape[0], self._levels, -1)
        counts[:, self._common] = whole - counts.sum(axis=1)
        return counts
