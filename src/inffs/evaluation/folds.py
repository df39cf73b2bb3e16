"""Splits of the samples: folds and held-out parts, stratified as far as the classes allow."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
    train_test_split,
)

Split = tuple[np.ndarray, np.ndarray]
N_FOLDS = 5


def make_folds(
    y: np.ndarray,
    n_splits: int = N_FOLDS,
    *,
    groups: np.ndarray | None = None,
    seed: int = 0,
    repeats: int = 1,
) -> list[Split]:
    """Shuffled folds, stratified where every class can fill them, groups kept together.

    ``y`` are classes, labels, or the strata of another target (:meth:`Target.strata`). Fewer folds
    where a class or the groups are fewer. One fold means one held-out quarter. Folds whose training
    part has a single class are left out.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes or labels.
    n_splits : int, default=5
        How many.
    groups : ndarray of shape (n_samples,), optional
        Samples of one group stay together.
    seed : int, default=0
        Of the shuffling.
    repeats : int, default=1
        How often, each time shuffled anew.

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
    """Rows of a training and of a test part; stratified where possible, groups kept together.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Classes or labels.
    test_size : float
        Share of the samples in the test part.
    seed : int
        Of the draw.
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


def _hold_groups(
    y: np.ndarray, test_size: float, seed: int, groups: np.ndarray, draws: int = 50
) -> Split:
    """Of many draws of whole groups the one whose test part has the most even class shares."""
    splitter = GroupShuffleSplit(n_splits=draws, test_size=test_size, random_state=seed)
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
