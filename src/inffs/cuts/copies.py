"""Which equal rows are copies of one sample, and which agree by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.threads import column_blocks

_BY_CHANCE = 0.01  # other samples that are expected to have the values of a row; more: no copies
_COLUMNS = 64  # that are looked at together
_VALUES = 2**22  # of a block of columns in which equal rows are looked for


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
        block = X[:, columns]
        block = block.toarray() if sparse.issparse(block) else np.asarray(block)
        codes[shared] = codes.max() + 1 + _refined(codes[shared], block[shared])
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
        block = X[:, np.arange(start, min(start + _COLUMNS, n))]
        for column in (block.toarray() if sparse.issparse(block) else np.asarray(block)).T:
            _, value, counts = np.unique(column, return_inverse=True, return_counts=True)
            log_expected += np.log(counts[value[rows]] / T)
        if (log_expected < np.log(_BY_CHANCE)).all():
            break
    return np.exp(log_expected)
