"""Which equal rows are copies of one sample, and which agree by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

_BY_CHANCE = 0.01  # other samples that are expected to have the values of a row; more: no copies
_COLUMNS = 64  # that are looked at together


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
        block = X[:, np.arange(start, min(start + _COLUMNS, n))]
        for column in (block.toarray() if sparse.issparse(block) else np.asarray(block)).T:
            _, value, counts = np.unique(column, return_inverse=True, return_counts=True)
            log_expected += np.log(counts[value[rows]] / T)
        if (log_expected < np.log(_BY_CHANCE)).all():
            break
    return np.exp(log_expected)
