"""Splits of the samples: folds, held-out parts and halves; and what models are fitted on in them.

Splits are stratified as far as classes allow. They follow from the target, the groups and a seed:
neither the values of the table nor the names of classes and groups matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
    train_test_split,
)

from inffs._utils.threads import dense
from inffs.target import Target

Split = tuple[np.ndarray, np.ndarray]
N_FOLDS = 5
TEST_SHARE = 0.3  # of the samples, in each test part of repeated splits
_COLUMNS = 2048  # standardised at a time


def make_folds(
    y: np.ndarray,
    n_splits: int = N_FOLDS,
    *,
    groups: np.ndarray | None = None,
    seed: int = 0,
    repeats: int = 1,
) -> list[Split]:
    """Make shuffled folds, stratified where possible and with groups kept together.

    ``y`` holds classes, labels, or the strata of another target (:meth:`Target.strata`). There are
    fewer folds if a class has fewer samples, or if there are fewer groups. One fold means one
    held-out quarter. Folds whose training part has a single class are left out.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes or labels.
    n_splits : int, default=5
        The number of folds.
    groups : ndarray of shape (n_samples,), optional
        Samples of one group stay together.
    seed : int, default=0
        Seed of the shuffling.
    repeats : int, default=1
        How often the folds are made, each time shuffled anew.

    Returns
    -------
    list of (train, test)
        Row numbers.

    See Also
    --------
    holdout : One split.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation import make_folds
    >>> [test.size for train, test in make_folds(np.arange(12) % 2, 3)]
    [4, 4, 4]
    """
    plain = y.ndim == 2 or np.unique(y).size == 1
    if n_splits == 1:
        return [holdout(y, 0.25, seed + each, groups) for each in range(repeats)]
    found = []
    for each in range(repeats):
        splitter = _splitter(y, n_splits, groups, seed + each)
        by = y if y.ndim == 1 else np.zeros(len(y), dtype=int)
        found += list(splitter.split(np.zeros(len(y)), by, groups))
    return [split for split in found if plain or np.unique(y[split[0]]).size > 1]


def splits_of(cv: Any, X: Any, y: np.ndarray, groups: np.ndarray | None = None) -> list[Split]:
    """The splits of a number of folds (or None), of a splitter or of an iterable."""
    if cv is None or isinstance(cv, Integral):
        return make_folds(y, N_FOLDS if cv is None else int(cv), groups=groups)
    return list(check_cv(cv).split(X, y, groups))


def holdout(y: np.ndarray, test_size: float, seed: int, groups: np.ndarray | None = None) -> Split:
    """Split rows into a training and a test part, stratified and with groups kept together.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes or labels.
    test_size : float
        Share of the samples in the test part.
    seed : int
        Seed of the draw.
    groups : ndarray of shape (n_samples,), optional
        Samples of one group stay together.

    Returns
    -------
    train, test : ndarray of int
        Row numbers, sorted.

    See Also
    --------
    make_folds : Every sample is tested once.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation import holdout
    >>> train, test = holdout(np.arange(12) % 2, 0.5, seed=0)
    >>> train.size, test.size
    (6, 6)
    """
    if groups is not None:
        return _hold_groups(y, test_size, seed, groups)
    rows = np.arange(len(y))
    try:
        by = y if y.ndim == 1 else None
        train, test = train_test_split(rows, test_size=test_size, random_state=seed, stratify=by)
    except ValueError:  # more classes than the test part has places, or a class of one sample
        train, test = train_test_split(rows, test_size=test_size, random_state=seed)
    return np.sort(train), np.sort(test)


def halves(
    strata: np.ndarray,
    n_pairs: int,
    rng: np.random.RandomState,
    units: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    """Rows of random complementary halves, two after each other; every stratum is halved too.

    Parameters
    ----------
    strata : ndarray of shape (n_samples,)
        Classes; all equal where nothing is stratified.
    n_pairs : int
        Number of pairs of halves.
    rng : RandomState
        Draws the halves.
    units : ndarray of shape (n_samples,), optional
        Samples with equal numbers stay in one half. The halves are then as even as these allow;
        otherwise they have equal sizes, and of an odd number of samples one is left out.

    Yields
    ------
    ndarray of int
        Row numbers, sorted.

    See Also
    --------
    holdout : One split.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation.folds import halves
    >>> rng = np.random.RandomState(0)
    >>> [half.tolist() for half in halves(np.array([0, 0, 1, 1, 1]), 1, rng)]
    [[0, 3], [1, 4]]
    """
    codes = by_appearance(strata)
    units = None if units is None else by_appearance(units)
    if units is not None and units.max() + 1 < units.size:
        for _ in range(n_pairs):
            first = _one_half_of_units(codes, units, rng)[units]
            yield np.flatnonzero(first)
            yield np.flatnonzero(~first)
        return
    for _ in range(n_pairs):
        order = rng.permutation(codes.size)
        order = order[np.argsort(codes[order], kind="stable")]
        if codes.size % 2:
            order = np.delete(order, _odd_one_out(codes, order))
        yield np.sort(order[0::2])
        yield np.sort(order[1::2])


def _one_half_of_units(
    codes: np.ndarray, units: np.ndarray, rng: np.random.RandomState
) -> np.ndarray:
    """Whether each unit is in the first half: large ones first, each where it evens out most."""
    counts = np.zeros((units.max() + 1, codes.max() + 1))
    np.add.at(counts, (units, codes), 1)
    first, ahead = np.zeros(len(counts), dtype=bool), np.zeros(counts.shape[1])
    drawn = rng.permutation(len(counts))
    coins = rng.randint(2, size=len(counts)).astype(bool)
    for unit in drawn[np.argsort(-counts[drawn].sum(axis=1), kind="stable")]:
        lead = np.abs(ahead + counts[unit]).sum() - np.abs(ahead - counts[unit]).sum()
        first[unit] = coins[unit] if lead == 0 else lead < 0
        ahead += counts[unit] if first[unit] else -counts[unit]
    return first


def _odd_one_out(codes: np.ndarray, order: np.ndarray) -> int:
    """The place of a sample that can be left out: the first of the largest class."""
    return int(np.argmax(codes[order] == np.argmax(np.bincount(codes))))


def by_appearance(labels: Any) -> np.ndarray:
    """Codes 0, 1, ... in the order in which the labels come first: their names do not matter."""
    _, first, codes = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _hold_groups(y: np.ndarray, test_size: float, seed: int, groups: np.ndarray) -> Split:
    """Of fifty draws of whole groups the one whose test part has the most even class shares."""
    splitter = GroupShuffleSplit(n_splits=50, test_size=test_size, random_state=seed)
    codes = np.unique(y, return_inverse=True)[1] if y.ndim == 1 else np.zeros(len(y), dtype=int)
    whole = np.bincount(codes)

    def unevenness(parts: Split) -> float:
        shares = np.bincount(codes[parts[1]], minlength=whole.size) / whole
        return float(np.abs(shares - test_size).max())

    train, test = min(splitter.split(codes, codes, groups), key=unevenness)
    return train, test


def _splitter(y: np.ndarray, n_splits: int, groups: np.ndarray | None, seed: int) -> Any:
    smallest = int(np.unique(y, return_counts=True)[1].min()) if y.ndim == 1 else 0
    shuffled = {"shuffle": True, "random_state": seed}
    if groups is not None:
        n_splits = min(n_splits, np.unique(groups).size)
        kind = StratifiedGroupKFold if smallest >= n_splits else GroupKFold
        return kind(n_splits, **shuffled)
    if smallest >= 2:
        return StratifiedKFold(min(n_splits, smallest), **shuffled)
    return KFold(min(n_splits, len(y)), **shuffled)


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


def inner_products(part: Part, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of standardised columns, some at a time: T'T and S'T, and the lengths |s|^2.

    T are the training samples, S those of the test part.
    """
    train = np.zeros((part.train.size, part.train.size))
    test, lengths = np.zeros((part.test.size, part.train.size)), np.zeros(part.test.size)
    for left in range(0, columns.size, _COLUMNS):
        A, B = part.standardised(columns[left : left + _COLUMNS])
        train, test = train + dense(A @ A.T), test + dense(B @ A.T)
        lengths += np.asarray((B.multiply(B) if sparse.issparse(B) else B * B).sum(axis=1)).ravel()
    return train, test, lengths


def variance_of_mean(scores: np.ndarray, test_share: float = TEST_SHARE) -> Any:
    """The variance of means over splits whose training parts overlap (Nadeau, Bengio 2003)."""
    return scores.var(axis=0, ddof=1) * (1 / len(scores) + test_share / (1 - test_share))
