"""Counts of equal codes by comparing samples, for few samples: bytes are compared very fast.

Where one column is known, the samples of a level of it form a group; with another column a sample
shares its cell with those of its group that have the same code there.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from inffs.methods.solvers.common_level import Block

MOST_SAMPLES = 255  # counts are bytes
_MOST_ALIKE = 40  # samples of a group, on average: more are counted faster by a histogram
_COMPARISONS = 2**20  # bytes of a block's comparisons: they stay in the cache
_WIDTHS = (256, 4096)
_MOST_TOGETHER = 16  # samples of one level and class: more are counted
_WIDTH = 512  # columns of such samples that stay in the cache
_PRODUCTS = 30  # products of four counts each that a float64 holds


class LevelGroups:
    """Samples by their level in one column, and within that by class.

    Parameters
    ----------
    level : ndarray of shape (n_samples,)
        Their level in the column; samples are sorted by class.
    classes : ndarray of shape (n_samples,)
        Their classes.
    """

    def __init__(self, level: np.ndarray, classes: np.ndarray) -> None:
        self._order = np.argsort(level, kind="stable")
        level, classes = level[self._order], classes[self._order]
        new_level = level[1:] != level[:-1]
        self._groups = _runs(new_level)
        self._parts = _runs(new_level | (classes[1:] != classes[:-1]))

    def are_small(self) -> bool:
        """Whether comparing all members of a group is quicker than a histogram."""
        T = self._order.size
        squares = sum((stop - start) ** 2 for start, stop in self._groups)
        return T <= MOST_SAMPLES and squares <= _MOST_ALIKE * T

    def log_counts(self, codes: np.ndarray, with_class: bool) -> tuple[np.ndarray, np.ndarray]:
        """Sums over samples of log c, c the samples in its cell, and in its cell and class.

        Parameters
        ----------
        codes : ndarray of uint8 of shape (n_samples, n_features)
            Levels of all columns.
        with_class : bool
            Whether the second sum is asked for; else it is 0.

        Returns
        -------
        tuple of two ndarrays of shape (n_features,)
            The sums of every column with the known one.
        """
        largest = max(stop - start for start, stop in self._groups)
        width = min(max(_COMPARISONS // largest**2, _WIDTHS[0]), _WIDTHS[1])
        blocks = [codes[:, start : start + width] for start in range(0, codes.shape[1], width)]
        pair, triple = zip(*(self._of_block(block, with_class) for block in blocks), strict=True)
        return np.concatenate(pair), np.concatenate(triple)

    def _of_block(self, codes: np.ndarray, with_class: bool) -> tuple[np.ndarray, np.ndarray]:
        codes = codes[self._order]
        pair, triple = np.empty_like(codes), np.empty_like(codes)
        parts = iter(self._parts)
        for start, stop in self._groups:
            some = codes[start:stop]
            same = (some[:, None] == some).view(np.uint8)  # the first axis is the quicker to sum
            np.add.reduce(same, axis=0, dtype=np.uint8, out=pair[start:stop])
            end = start
            while with_class and end < stop:
                first, end = next(parts)
                part = same[first - start : end - start, first - start : end - start]
                np.add.reduce(part, axis=0, dtype=np.uint8, out=triple[first:end])
        return _sum_of_logs(pair), _sum_of_logs(triple) if with_class else np.zeros(codes.shape[1])


class ClassGroups:
    """Samples by class and their level in one column: small groups are compared, others counted.

    Parameters
    ----------
    level : ndarray of shape (n_samples,)
        Their level in the column.
    classes : ndarray of shape (n_samples,)
        Their classes.
    """

    def __init__(self, level: np.ndarray, classes: np.ndarray) -> None:
        group = classes * (level.max() + 1) + level
        sizes, order = np.bincount(group), np.argsort(group, kind="stable")
        starts = np.cumsum(sizes) - sizes
        self._small = [
            order[starts[sizes == size] + np.arange(size)[:, None]]
            for size in range(2, _MOST_TOGETHER + 1)  # one sample alone adds log 1
        ]
        large = sizes > _MOST_TOGETHER
        self._samples = np.flatnonzero(large[group])
        self._rows, row = int(large.sum()), np.cumsum(large) - 1
        self._row = row[group[self._samples]]

    def log_counts(
        self, codes: np.ndarray, blocks: list[Block], log: np.ndarray, xlogx: np.ndarray
    ) -> np.ndarray:
        """Sums over samples of log c, c the samples in its cell and class.

        Parameters
        ----------
        codes : ndarray of shape (n_samples, n_features)
            Levels of all columns.
        blocks : list of Block
            The same columns in blocks of one size.
        log, xlogx : ndarrays of shape (n_samples + 1,)
            log c and c log c of every count c.

        Returns
        -------
        ndarray of shape (n_features,)
            The sum of every column with the known one.
        """
        parts = [codes[:, start : start + _WIDTH] for start in range(0, codes.shape[1], _WIDTH)]
        row = self._row * blocks[0].size
        counted = [self._counted(block, row, log, xlogx) for block in blocks]
        return np.concatenate(counted) + np.concatenate([self._compared(part) for part in parts])

    def _counted(
        self, block: Block, row: np.ndarray, log: np.ndarray, xlogx: np.ndarray
    ) -> np.ndarray:
        places = block.places(row, self._samples)
        counts = block.count(places, self._rows)
        if counts.size < 2 * places.size:
            return block.per_column(xlogx.take(counts))
        return log.take(counts.take(places)).sum(axis=0)

    def _compared(self, codes: np.ndarray) -> np.ndarray:
        counts = [_equal_in_groups(codes[members]) for members in self._small]
        return _sum_of_logs(np.concatenate(counts))


def _equal_in_groups(codes: np.ndarray) -> np.ndarray:
    """How many members of its group have a sample's code; axes are member, group, column."""
    counts = np.ones(codes.shape, dtype=np.uint8)
    for shift in range(1, codes.shape[0]):
        same = (codes[shift:] == codes[:-shift]).view(np.uint8)
        counts[shift:] += same
        counts[:-shift] += same
    return counts.reshape(-1, codes.shape[2])


def _runs(changes: np.ndarray) -> list[tuple[int, int]]:
    """Where runs of equal neighbours start and stop."""
    return list(pairwise([0, *(np.flatnonzero(changes) + 1).tolist(), changes.size + 1]))


def _sum_of_logs(counts: np.ndarray) -> np.ndarray:
    """sum of log c down the columns: logs of products, four bytes at a time without rounding."""
    left = counts.shape[0] % 4
    fours = counts[: counts.shape[0] - left].reshape(4, -1, counts.shape[1])
    twos = np.multiply(fours[:2], fours[2:], dtype=np.uint16)
    products = np.multiply(twos[0], twos[1], dtype=np.uint32)
    if left:
        products = np.vstack([products, counts[-left:]])
    total = np.zeros(counts.shape[1])
    for start in range(0, products.shape[0], _PRODUCTS):
        part = products[start : start + _PRODUCTS].astype(np.float64)
        total += np.log(np.multiply.reduce(part, axis=0))
    return total
