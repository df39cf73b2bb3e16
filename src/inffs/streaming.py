"""Selectors that learn from a table that comes in chunks of samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.measures.running import RunningMeasures, checked_ranges, column_extremes, column_ranges
from inffs.selector import FeatureSelector

__all__ = ["STREAM_BINS", "StreamingSelector", "column_ranges"]

STREAM_BINS = 20  # what bins="auto" means for more than 200 samples


class StreamingSelector(FeatureSelector):
    """A supervised selector that also learns from chunks of samples, by ``partial_fit``.

    A method on it writes ``_score_running(running, columns)``.
    """

    def _score_running(self, running: RunningMeasures, columns: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} does not say how it scores a stream")

    def partial_fit(self, X: Any, y: Any, classes: Any = None, ranges: Any = None) -> Any:
        """Add a chunk of samples; the selector is fitted to all chunks so far.

        Any number of chunks gives the result of ``fit`` on all samples at once (for mutual
        information with the number of bins of more than 200 samples).

        Parameters
        ----------
        X : array or sparse matrix of shape (chunk, n)
            Samples in rows.
        y : array of shape (chunk,)
            Their class labels.
        classes : array, optional
            All class labels there will be; needed at the first call if it does not show all.
        ranges : pair of arrays of shape (n,), optional
            Least and largest value of every column over all chunks, for the mutual information
            (:func:`inffs.streaming.column_ranges` finds them in a first pass); without them the
            first chunk must show the extremes.
        """
        first = not hasattr(self, "_running")
        if first:
            self._validate_params()
        X = self._check_X(X, reset=first, min_samples=1)
        if first:
            self.classes_ = np.unique(np.asarray(y if classes is None else classes))
            self._running = RunningMeasures(X.shape[1], self.classes_.size)
            if self._needs_histogram():
                given = column_extremes(X) if ranges is None else checked_ranges(ranges, X.shape[1])
                self._running.count_bins(given, self._stream_bins())
        self._running.add(X, self._known_codes(y, X.shape[0]))
        live = self._running.varying()
        if live.size and np.count_nonzero(self._running.counts) > 1:
            self._settle(self._score_running(self._running, live), live, None, None)
        return self

    def fit(self, X: Any, y: Any = None) -> Any:
        """Rank the columns of X at once; forgets earlier chunks."""
        if hasattr(self, "_running"):
            del self._running
        return super().fit(X, y)

    def _needs_histogram(self) -> bool:
        return False

    def _stream_bins(self) -> int:
        return STREAM_BINS

    def _known_codes(self, y: Any, T: int) -> np.ndarray:
        y = np.asarray(y).ravel()
        if y.size != T:
            raise ValueError(f"The chunk has {T} samples, but y has {y.size} labels.")
        codes = np.minimum(np.searchsorted(self.classes_, y), self.classes_.size - 1)
        strange = np.flatnonzero(self.classes_[codes] != y)
        if strange.size:
            raise ValueError(
                f"The label {y.tolist()[strange[0]]!r} was not announced: "
                "give all of them as classes= at the first call."
            )
        return codes
