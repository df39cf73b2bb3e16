"""Measures of a table that comes in chunks of samples, equal to those of the whole table.

Class means and sums of squares merge exactly (Chan, Golub, LeVeque 1983), histograms add up. Memory
O(nG) for n features and G classes, O(nG bins) with mutual information; never a chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from inffs._utils.threads import column_blocks, dense, threaded
from inffs.measures.batch import (
    count_places,
    equal_width_bins,
    information,
    ratio_of_spreads,
)
from inffs.measures.moments import NO_UNIT, Moments, class_moments
from inffs.validation.checks import column_extremes


def column_ranges(chunks: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest value of every column over all chunks.

    Parameters
    ----------
    chunks : iterable of array-like of shape (n_samples, n_features)
        Parts of one table.

    Returns
    -------
    low, high : ndarray of shape (n_features,)
        The smallest and the largest values.

    See Also
    --------
    mutual_information : Counts values in bins between these ranges.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import column_ranges
    >>> low, high = column_ranges([np.array([[1.0, 5.0]]), np.array([[3.0, -1.0]])])
    >>> low.tolist(), high.tolist()
    ([1.0, -1.0], [3.0, 5.0])
    """
    extremes = [column_extremes(chunk) for chunk in chunks]
    if not extremes:
        raise ValueError("There is no chunk to take the ranges from.")
    low, high = zip(*extremes, strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)


class RunningMeasures:
    """Dispersion, Fisher and mutual information of all samples added so far.

    With the ranges of the columns and a number of bins it also keeps a histogram, for the mutual
    information.
    """

    def __init__(
        self,
        n_features: int,
        n_classes: int,
        ranges: tuple[np.ndarray, np.ndarray] | None = None,
        bins: int = 0,
    ) -> None:
        none = np.zeros((n_classes, n_features))
        unit = np.full(n_features, NO_UNIT)
        self.moments = Moments(none, none, none, none, unit)
        self.low, self.high = np.full(n_features, np.inf), np.full(n_features, -np.inf)
        self._ranges, self.joint = ranges, np.zeros((n_classes, n_features, bins), dtype=np.int64)

    @property
    def counts(self) -> np.ndarray:
        """Samples of every class so far."""
        return self.moments.counts[:, 0]

    def add(self, X: Any, codes: np.ndarray) -> None:
        """Add a chunk of samples whose classes are ``codes``."""
        if self._ranges is not None:
            classes, _, bins = self.joint.shape
            self.joint = self.joint + counts_in_ranges(X, codes, self._ranges, classes, bins)
        self.moments = self.moments.merged(class_moments(X, codes, self.counts.size))
        least, most = column_extremes(X)
        np.minimum(self.low, least, out=self.low)
        np.maximum(self.high, most, out=self.high)

    def merged(self, other: RunningMeasures) -> RunningMeasures:
        """The measures of both sets of samples together, without histograms."""
        both = copy(self)
        both.moments = self.moments.merged(other.moments)
        both.low, both.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return both

    @classmethod
    def beside(cls, parts: Sequence[RunningMeasures]) -> RunningMeasures:
        """The measures of blocks of features, as of one table, without histograms."""
        whole = cls(0, 0)
        whole.moments = Moments.beside([part.moments for part in parts])
        whole.low = np.concatenate([part.low for part in parts])
        whole.high = np.concatenate([part.high for part in parts])
        return whole

    def varying(self) -> np.ndarray:
        """Indices of the columns with at least two different values so far."""
        return np.flatnonzero(self.low != self.high)

    def dispersion(self) -> np.ndarray:
        """std / largest std, as :func:`inffs.measures.dispersion`."""
        return self.moments.relative_deviation()

    def fisher(self) -> np.ndarray:
        """As :func:`inffs.measures.fisher`, not scaled; classes not seen yet do not count."""
        return ratio_of_spreads(*self.moments.spreads())

    def mutual_information(self) -> np.ndarray:
        """As :func:`inffs.measures.mutual_information`, not scaled, over the given ranges."""
        return information(self.joint)[0]


def checked_ranges(ranges: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two float arrays, least and largest of the n columns, or a sentence what is wrong."""
    low, high = (np.asarray(side, dtype=float).ravel() for side in ranges)
    if low.size != n or high.size != n or (low > high).any():
        raise ValueError(f"ranges must be two arrays of {n} values, least and largest per column.")
    return low, high


def counts_in_ranges(
    X: Any, codes: np.ndarray, ranges: tuple[np.ndarray, np.ndarray], classes: int, bins: int
) -> np.ndarray:
    """Histogram (classes, features, bins) over given ranges; a value outside them is refused."""
    low, high = ranges

    def of_block(columns: slice) -> np.ndarray:
        block = dense(X[:, columns])
        outside = (block < low[columns]) | (block > high[columns])
        if outside.any():
            row, column = np.argwhere(outside)[0]
            raise ValueError(
                f"Column {columns.start + column} has the value {block[row, column]:g} outside its "
                "range: give the least and largest values of all chunks as ranges=."
            )
        place = equal_width_bins(block, bins, (low[columns], high[columns]))
        return count_places(place, codes, classes, bins)

    return np.concatenate(threaded(of_block, column_blocks(X.shape[1], X.shape[0])), axis=1)
