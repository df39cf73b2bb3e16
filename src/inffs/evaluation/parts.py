"""A table with its target and its training and test rows, and what models are fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.threads import dense
from inffs.target import Target

_COLUMNS = 2048  # of one block of the growing inner products


@dataclass(frozen=True)
class Part:
    """One training and test part of a table (dense, or sparse by rows).

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The whole table.
    target : Target
        The target of all samples.
    train, test : ndarray of int
        The rows of the training part and of the test part.

    See Also
    --------
    holdout, make_folds : Split the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation import Part
    >>> from inffs.target import make_target
    >>> part = Part(np.eye(4), make_target([0, 1, 0, 1]), np.array([0, 1, 2]), np.array([3]))
    >>> part.standardised(np.array([0, 1]))[1].shape
    (1, 2)
    """

    X: Any
    target: Target
    train: np.ndarray
    test: np.ndarray

    def standardised(self, columns: np.ndarray) -> tuple[Any, Any]:
        """Return both parts of these columns, standardised by the training part."""
        if sparse.issparse(self.X):
            return standardise(self.X[self.train][:, columns], self.X[self.test][:, columns])
        block = _columns(self.X, columns)
        return standardise(block[self.train], block[self.test])

    def within(self, train: np.ndarray, test: np.ndarray) -> Part:
        """Return a part of the training part, by positions in it."""
        return Part(self.X, self.target, self.train[train], self.train[test])


def _columns(X: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Columns of a table; ``take`` alone would first copy all of one that lies by columns."""
    if X.flags.c_contiguous:
        return np.take(X, columns, axis=1)
    return np.ascontiguousarray(X[:, columns])


def standardise(train: Any, test: Any) -> tuple[Any, Any]:
    """Both parts with the mean and deviation of the first; sparse tables keep their zeros.

    A column that is constant in the training part becomes 0 in both.
    """
    dtype = np.float32 if train.dtype == np.float32 else np.float64
    if sparse.issparse(train):
        return _scale_sparse(train.astype(dtype), test.astype(dtype))
    mean = train.mean(axis=0, dtype=np.float64)
    centred = np.subtract(train, mean, dtype=np.float64)
    factor = _factor(np.sqrt(np.mean(centred**2, axis=0)), np.abs(train).max(axis=0, initial=0))
    return (centred * factor).astype(dtype), ((test - mean) * factor).astype(dtype)


def _scale_sparse(train: Any, test: Any) -> tuple[Any, Any]:
    mean = np.asarray(train.mean(axis=0, dtype=np.float64)).ravel()
    square = np.asarray(train.multiply(train).mean(axis=0, dtype=np.float64)).ravel()
    largest = np.abs(train).max(axis=0).toarray().ravel()
    factor = _factor(np.sqrt(np.maximum(square - mean**2, 0)), largest)
    scale = sparse.diags_array(factor.astype(train.dtype))
    return (train @ scale).tocsr(), (test @ scale).tocsr()


def _factor(deviation: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """1 / deviation, 0 where the column varies by rounding only."""
    varies = deviation > 1e-13 * largest
    return np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)


@dataclass(frozen=True)
class Products:
    """Inner products of the training samples, and of the test samples with them."""

    train: np.ndarray
    test: np.ndarray
    test_lengths: np.ndarray


def growing_products(part: Part, chain: Sequence[np.ndarray]) -> Iterator[Products]:
    """The products for nested sets of columns: all of them cost as much as the largest."""
    train = np.zeros((part.train.size, part.train.size))
    test, lengths = np.zeros((part.test.size, part.train.size)), np.zeros(part.test.size)
    sizes = [0, *(columns.size for columns in chain)]
    for start, stop in pairwise(sizes):
        for left in range(start, stop, _COLUMNS):
            A, B = part.standardised(chain[-1][left : min(left + _COLUMNS, stop)])
            train, test = train + dense(A @ A.T), test + dense(B @ A.T)
            squares = B.multiply(B) if sparse.issparse(B) else B * B
            lengths = lengths + np.asarray(squares.sum(axis=1)).ravel()
        yield Products(train, test, lengths)


def chains(subsets: Sequence[np.ndarray]) -> list[list[int]]:
    """The places of the subsets, those in one list being beginnings of each other."""
    found: list[list[int]] = []
    for place in sorted(range(len(subsets)), key=lambda place: subsets[place].size):
        columns = subsets[place]
        for chain in found:
            last = subsets[chain[-1]]
            if np.array_equal(columns[: last.size], last):
                chain.append(place)
                break
        else:
            found.append([place])
    return found


def distinct(subsets: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[int]]:
    """The sets of columns without repetition, and which of them each one is."""
    known: dict[bytes, int] = {}
    found: list[np.ndarray] = []
    for columns in subsets:
        if known.setdefault(np.sort(columns).tobytes(), len(found)) == len(found):
            found.append(columns)
    return found, [known[np.sort(columns).tobytes()] for columns in subsets]
