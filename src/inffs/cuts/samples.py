"""The samples of a table without their copies, in an order of their own."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np


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
    marks = np.array([_mark(_row(X, place), y[place]) for place in range(len(y))])
    if not merge:
        return Samples(np.argsort(marks, kind="stable"))
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    counts = np.bincount(which, weights=weight)
    rows, counts = first[counts > 0], counts[counts > 0]
    return Samples(rows, None if (counts == 1).all() else counts)


def _row(X: Any, place: int) -> np.ndarray:
    row = X[[place]].toarray() if hasattr(X, "toarray") else X[place]
    return np.ascontiguousarray(row, dtype=np.float64) + 0.0  # no -0


def _mark(values: np.ndarray, label: Any) -> int:
    found = blake2b(values.tobytes(), digest_size=8)
    found.update(np.asarray(label).tobytes())
    return int.from_bytes(found.digest(), "little", signed=True)
