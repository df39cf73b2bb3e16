"""The samples that a size rule may rank again, and which of them have to stay together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from inffs.cuts.copies import equal_rows, sample_of_rows
from inffs.evaluation.folds import by_appearance
from inffs.target import Target
from inffs.validation.lazy import LazyTable, take_rows


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
        known = self.sample_weight, self.groups
        taken = (None if values is None else values[rows] for values in known)
        return Samples(take_rows(self.X, rows), target, *taken)

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
