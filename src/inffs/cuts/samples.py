"""The samples of a table without their copies, in an order of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from inffs._utils.threads import column_blocks
from inffs.validation.lazy import LazyTable

_VALUES = 2**22  # of a block of a table on disk that is looked at row by row


@dataclass(frozen=True)
class Samples:
    """Which rows are looked at, and how often each counts; None where each counts once.

    The order follows from the values: moved rows, and copies instead of weights, change nothing.
    """

    rows: np.ndarray
    weight: np.ndarray | None = None


def distinct_samples(X: Any, y: np.ndarray, weight: np.ndarray | None, merge: bool) -> Samples:
    """Rows without weight are left out; with ``merge`` copies of a sample count as one with weight.

    Time O(nT).
    """
    marks = np.array(_marks(X, y))
    if not merge:
        return Samples(np.argsort(marks, kind="stable"))
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    counts = np.bincount(which, weights=weight)
    rows, counts = first[counts > 0], counts[counts > 0]
    return Samples(rows, None if (counts == 1).all() else counts)


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """These rows; of a table on disk they are taken whenever a column is read."""
    if isinstance(X, LazyTable):
        return X.changed(partial(np.take, indices=rows, axis=0), rows.size)
    return X[rows]


def _marks(X: Any, y: np.ndarray) -> list[int]:
    """A number for every row that follows from its values and label, wherever the table is."""
    if not isinstance(X, LazyTable):
        rows = (blake2b(_row(X, place), digest_size=8) for place in range(len(y)))
        return [_mark(mark, label) for mark, label in zip(rows, y, strict=True)]
    found = [blake2b(digest_size=8) for _ in y]
    for columns in column_blocks(*X.shape[::-1], _VALUES):
        for mark, row in zip(found, _plain(X[:, columns]), strict=True):
            mark.update(row.tobytes())
    return [_mark(mark, label) for mark, label in zip(found, y, strict=True)]


def _row(X: Any, place: int) -> bytes:
    return _plain(X[[place]].toarray() if hasattr(X, "toarray") else X[place]).tobytes()


def _plain(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float64) + 0.0  # no -0


def _mark(mark: Any, label: Any) -> int:
    mark.update(np.asarray(label).tobytes())
    return int.from_bytes(mark.digest(), "little", signed=True)
