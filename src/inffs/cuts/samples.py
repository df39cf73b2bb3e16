"""The samples that a size rule may rank again, and which of them have to stay together.

Samples of one group stay together, and so do copies of one sample: equal rows, unless they agree by
chance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from inffs._utils.threads import column_blocks, dense
from inffs.evaluation.folds import by_appearance
from inffs.target import Target
from inffs.validation.adjustment import adjust_target, remove_effects
from inffs.validation.checks import take_rows
from inffs.validation.lazy import LazyTable

_BY_CHANCE = 0.01  # other samples that are expected to have the values of a row; more: no copies
_COLUMNS = 64  # that are looked at together
_VALUES = 2**22  # of a block of columns in which equal rows are looked for


@dataclass(frozen=True)
class Samples:
    """A checked table by rows, its target, and what is known of every sample.

    Parameters
    ----------
    X : ndarray, sparse matrix or table on disk of shape (n_samples, n_features)
        The table.
    target : Target, optional
        The checked target.
    sample_weight : ndarray of shape (n_samples,), optional
        How often every sample counts.
    groups : ndarray of shape (n_samples,), optional
        Samples of one group stay on one side of every split.
    covariates : ndarray of shape (n_samples, n_columns), optional
        What they explain of the features and of a numeric target is removed before the ranking.

    See Also
    --------
    SizeRule : Receives the samples that were ranked.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.cuts import Samples
    >>> samples = Samples(np.ones((4, 2)), groups=np.array(["a", "b", "b", "c"]))
    >>> samples.take(np.array([0, 3])).groups.tolist()
    ['a', 'c']
    """

    X: Any
    target: Target | None = None
    sample_weight: np.ndarray | None = None
    groups: np.ndarray | None = None
    covariates: np.ndarray | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def known_target(self) -> Target:
        """The target, for those who cannot do without."""
        if self.target is None:
            raise ValueError("These samples have no target.")
        return self.target

    def take(self, rows: np.ndarray) -> Samples:
        """Some of the samples; of a table on disk they are taken whenever a column is read."""
        target = None if self.target is None else self.target.take(rows)
        known = self.sample_weight, self.groups, self.covariates
        taken = (None if values is None else values[rows] for values in known)
        return Samples(take_rows(self.X, rows), target, *taken)

    def adjusted(self) -> Samples:
        """The same without what the covariates explain of the features and of a numeric target.

        To adjust a part of adjusted samples gives the same as to adjust the part itself, up to a
        constant for each column.
        """
        design, weight = self.covariates, self.sample_weight
        if design is None:
            return self
        target = None if self.target is None else adjust_target(self.target, design, None, weight)
        return replace(self, X=remove_effects(self.X, design, weight=weight), target=target)

    def by_rows(self) -> Samples:
        """The same with a table whose rows can be taken quickly."""
        if isinstance(self.X, LazyTable):
            return self
        return replace(self, X=self.X.tocsr() if hasattr(self.X, "tocsr") else np.asarray(self.X))

    def by_columns(self) -> Samples:
        """The same with a sparse table whose columns can be taken quickly."""
        return replace(self, X=self.X.tocsc()) if hasattr(self.X, "tocsc") else self

    def of_columns(self, columns: np.ndarray) -> Samples:
        """The same with some of the features."""
        return self if columns.size == self.X.shape[1] else replace(self, X=self.X[:, columns])

    def units(self) -> np.ndarray:
        """A number for every sample: equal for samples of one group and for copies of a sample."""
        copies = self.copies()
        if self.groups is None:
            return copies
        groups = by_appearance(self.groups)
        edges = sparse.coo_array(
            (np.ones(len(self)), (groups, copies)), shape=(groups.max() + 1, copies.max() + 1)
        )
        full = sparse.block_array([[None, edges], [edges.T, None]])
        return by_appearance(connected_components(full, directed=False)[1][groups])

    def copies(self) -> np.ndarray:
        """A number for every sample: equal for copies of a sample with the same target."""
        values = None if self.target is None else self.target.values
        return by_appearance(sample_of_rows(self.X, equal_rows(self.X, values)))

    def merged(self) -> tuple[Samples, np.ndarray]:
        """One sample for all its copies, which counts as often as they do; the rows taken."""
        copies = self.copies()
        if copies.max() + 1 == copies.size:
            return self, np.arange(copies.size)
        first = np.unique(copies, return_index=True)[1]
        weight = np.bincount(copies, weights=self.sample_weight).astype(float)
        return replace(self.take(first), sample_weight=weight), first


def equal_rows(X: Any, target: np.ndarray | None = None) -> np.ndarray:
    """A number for every row, equal for rows with the same values and the same target.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    target : ndarray of shape (n_samples,) or (n_samples, n_labels), optional
        Codes, labels, numbers or survival times.

    Returns
    -------
    ndarray of int of shape (n_samples,)
    """
    X = X.tocsc() if sparse.issparse(X) else X
    T, n = X.shape
    codes = np.zeros(T, dtype=np.int64)
    if target is not None:
        names = target.dtype.names
        parts = [target[name] for name in names] if names else [target]
        codes = _refined(codes, np.column_stack(parts))
    for columns in column_blocks(n, T, _VALUES):
        shared = np.flatnonzero(np.bincount(codes)[codes] > 1)
        if shared.size == 0:
            break
        codes[shared] = codes.max() + 1 + _refined(codes[shared], dense(X[:, columns])[shared])
        codes = np.unique(codes, return_inverse=True)[1]
    return codes


def _refined(codes: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Codes of rows that are equal where the codes are equal and the rows of the block are."""
    rows = np.column_stack([codes, block]).astype(np.float64) + 0.0  # no -0
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return np.unique(whole, return_inverse=True)[1]


def sample_of_rows(X: Any, marks: Any) -> np.ndarray:
    """A number for every row, equal for copies of one sample.

    Rows with the same mark have the same values. They are copies unless some other sample is
    expected to have these values by chance, as where there are a few columns of 0 and 1.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    marks : array of shape (n_samples,)
        Equal for equal rows.

    Returns
    -------
    ndarray of int of shape (n_samples,)
    """
    _, first, which, counts = np.unique(
        np.asarray(marks), return_index=True, return_inverse=True, return_counts=True
    )
    repeated = np.flatnonzero(counts > 1)
    common = np.zeros(counts.size, dtype=bool)
    if repeated.size:
        common[repeated] = _expected(X, first[repeated]) > _BY_CHANCE
    return np.where(common[which], counts.size + np.arange(which.size), which)


def _expected(X: Any, rows: np.ndarray) -> np.ndarray:
    """How many samples have the values of each row if the columns are independent.

    Columns are looked at until the answer is clear for all rows.
    """
    X = X.tocsc() if sparse.issparse(X) else X
    T, n = X.shape
    log_expected = np.full(rows.size, np.log(T))
    for start in range(0, n, _COLUMNS):
        for column in dense(X[:, np.arange(start, min(start + _COLUMNS, n))]).T:
            _, value, counts = np.unique(column, return_inverse=True, return_counts=True)
            log_expected += np.log(counts[value[rows]] / T)
        if (log_expected < np.log(_BY_CHANCE)).all():
            break
    return np.exp(log_expected)
