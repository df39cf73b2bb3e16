"""Selectors that learn from chunks of samples."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from inffs.base import FeatureSelector
from inffs.cuts import needs_table
from inffs.measures.running import RunningMeasures, checked_ranges, counts_in_ranges
from inffs.scores import Ranking
from inffs.target import CLASSIFICATION, is_record, make_target, refuse_missing
from inffs.validation.checks import column_extremes, has_finite_squares
from inffs.validation.intake import as_numpy
from inffs.validation.lazy import LazyTable

_MANY = 201  # samples: from here on the number of bins does not depend on how many there are


class StreamingSelector(FeatureSelector):
    """Base class of supervised selectors that can learn from chunks of samples.

    ``fit`` on classes measures a dask array in chunks of rows chunk by chunk, unless the size rule
    ranks samples again. A subclass defines ``_score_running(running, columns)``.

    Attributes
    ----------
    running_ : inffs.measures.RunningMeasures
        The measures of all chunks so far (after ``partial_fit``).

    See Also
    --------
    inffs.measures.column_ranges : A first pass over the chunks, for the mutual information.
    inffs.InfFSS, inffs.methods.FisherScore : Inherit from it.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs import InfFSS
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = InfFSS(weights=(0.5, 0, 0.5), n_features_to_select=2)
    >>> for rows in np.array_split(np.arange(150), 3):
    ...     selector = selector.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    >>> selector.order_.tolist()
    [2, 3, 0, 1]
    """

    running_: RunningMeasures

    def _score_running(self, running: RunningMeasures, columns: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} does not define _score_running")

    def partial_fit(self, X: Any, y: Any, classes: Any = None, ranges: Any = None) -> Any:
        """Add a chunk of samples and fit the selector to all chunks so far.

        Any number of chunks gives the result of ``fit`` on all samples at once (for mutual
        information with the number of bins of more than 200 samples). "auto" uses only the scores,
        because earlier chunks cannot be cross-validated.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            A chunk of samples, in rows.
        y : array of shape (n_samples,)
            Their class labels.
        classes : array, optional
            All classes. Required at the first call if its chunk does not contain all of them.
        ranges : pair of arrays of shape (n_features,), optional
            The least and largest value of every column over all chunks, for the mutual information
            (:func:`inffs.measures.column_ranges` finds them in a first pass). By default those of
            the first chunk.
        """
        first = not hasattr(self, "running_")
        if first:
            self._validate_params()
        X = self._check_X(X, reset=first, min_samples=1, missing="refuse")
        X = np.asarray(X) if isinstance(X, LazyTable) else X
        self._check_size(X.shape[1])
        if needs_table(self.n_features_to_select):
            raise ValueError(
                f"The cut {self.n_features_to_select!r} needs the whole table, not chunks of it."
            )
        running, known = (
            self._begun(X, y, classes, ranges) if first else (self.running_, self.classes_)
        )
        running.add(X, _known_codes(y, X.shape[0], known))
        self.running_, self.classes_ = running, known  # a chunk that was refused leaves nothing
        if np.count_nonzero(running.counts) > 1:
            self._rank_running(running)
        return self

    def _rank_running(self, running: RunningMeasures) -> None:
        """Rank the features by the measures, where one of them varies."""
        varying = running.varying()
        if varying.size:
            self._set_ranking(Ranking.of(self._score_running(running, varying)), varying)

    def _fit_chunks(self, X: Any, y: Any) -> bool:
        """Rank the features of a dask array in chunks of rows by sums over these, where they lie.

        False where the table is needed, also to name what is wrong with its values.
        """
        from inffs.validation.dask_table import array_of, over_chunks

        if y is None or self.missing != "refuse" or needs_table(self.n_features_to_select):
            return False
        array, names = array_of(X)
        target = make_target(as_numpy(y), self.target_type)
        if array.numblocks[0] == 1 or target.type != CLASSIFICATION:
            return False
        if array.shape[0] < self._min_samples or array.shape[1] == 0:
            return False
        self._check_columns(array.shape[1], names, reset=True)
        self._check_size(array.shape[1])
        check_consistent_length(array, target.values)
        array, target = array.astype(np.float64), self._check_y(target)
        measure = partial(_measures_of_block, classes=target.n_classes)
        nothing = np.empty((0, array.shape[1]))
        parts = over_chunks(array, measure, _merged, target.values, nothing)
        if None in parts:
            return False
        running = RunningMeasures.beside(parts)
        if not running.varying().size:
            return False
        bins = self._stream_bins(len(target))
        if bins:  # in a second pass, between the extremes that the first one has found
            count = partial(counts_in_ranges, classes=target.n_classes, bins=bins)
            ranges = np.stack([running.low, running.high])
            counts = over_chunks(array, count, np.add, target.values, ranges)
            running.joint = np.concatenate(counts, axis=1)
        self._rank_running(running)
        return True

    def _begun(
        self, X: Any, y: Any, classes: Any, ranges: Any
    ) -> tuple[RunningMeasures, np.ndarray]:
        """Empty measures for the classes and ranges of the first call."""
        announced = y if classes is None else classes
        if is_record(announced):
            raise ValueError("partial_fit takes classes, not survival times: call fit.")
        refuse_missing(announced)
        known, n, bins = np.unique(np.asarray(announced)), X.shape[1], self._stream_bins(_MANY)
        if not bins:
            return RunningMeasures(n, known.size), known
        given = column_extremes(X) if ranges is None else checked_ranges(ranges, n)
        return RunningMeasures(n, known.size, given, bins), known

    def _stream_bins(self, n_samples: int) -> int:
        """Bins of the histogram for the mutual information; 0 where none is needed."""
        return 0


def _measures_of_block(
    block: np.ndarray, codes: np.ndarray, _: np.ndarray, *, classes: int
) -> RunningMeasures | None:
    """The measures of a chunk; None where a value cannot be ranked, or its square."""
    if not has_finite_squares(block):
        return None
    running = RunningMeasures(block.shape[1], classes)
    running.add(block, codes)
    return running


def _merged(one: RunningMeasures | None, other: RunningMeasures | None) -> RunningMeasures | None:
    return None if one is None or other is None else one.merged(other)


def _known_codes(y: Any, n_samples: int, classes: np.ndarray) -> np.ndarray:
    """The index of each label among the classes; raise for a label that is not among them."""
    refuse_missing(y)
    y = np.asarray(y).ravel()
    if y.size != n_samples:
        raise ValueError(f"The chunk has {n_samples} samples, but y has {y.size} labels.")
    codes = np.minimum(np.searchsorted(classes, y), classes.size - 1)
    strange = np.flatnonzero(classes[codes] != y)
    if strange.size:
        raise ValueError(
            f"The label {y.tolist()[strange[0]]!r} was not announced: "
            "pass all labels as classes= at the first call."
        )
    return codes
