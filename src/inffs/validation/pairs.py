"""Paired designs: compare samples within a pair, for example a tumour and normal tissue."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.target import CLASSIFICATION, REGRESSION, make_target


def within_pairs(X: Any, y: Any, pairs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Subtract from every value the mean of its pair, so that only differences within pairs remain.

    Nothing is learned from other pairs. A selector that ranks the result ranks by differences
    within pairs; pass the pairs to its ``fit`` as ``groups``, so that both samples of a pair stay
    on one side of every split. A pair may have more than two samples.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The table. If a value is missing, so are the differences of its pair.
    y : array of shape (n_samples,)
        Classes, which do not change, or numbers, of which the mean of the pair is subtracted.
    pairs : array of shape (n_samples,)
        The pair of every sample, for example a patient.

    Returns
    -------
    X, y : ndarray
        The differences from the means of the pairs, and the target.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.validation.pairs import within_pairs
    >>> X = np.array([[10.0], [11.0], [50.0], [52.0]])
    >>> differences, _ = within_pairs(X, ["a", "b", "a", "b"], ["p1", "p1", "p2", "p2"])
    >>> differences.ravel().tolist()
    [-0.5, 0.5, -1.0, 1.0]
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    names, codes = np.unique(np.asarray(pairs), return_inverse=True)
    if codes.shape != (X.shape[0],):
        raise ValueError(
            f"pairs has {codes.size} entries, but X has {X.shape[0]} samples: give one for each."
        )
    sizes = np.bincount(codes)
    if sizes.min() < 2:
        raise ValueError(
            f"The pair {names.tolist()[int(np.argmin(sizes))]!r} has only 1 sample: leave it out."
        )
    target = make_target(y)
    if target.type not in (CLASSIFICATION, REGRESSION) or target.has_several:
        found = "several columns" if target.has_several else target.type
        raise ValueError(f"Pairs need one column of classes or numbers in y, not {found}.")
    different = np.unique(np.stack([codes, target.values], axis=1), axis=0)[:, 0].astype(int)
    same = np.flatnonzero(np.bincount(different) == 1)
    if same.size:
        raise ValueError(
            f"All samples of the pair {names.tolist()[same[0]]!r} have the same target: pairs that "
            "differ in the target are needed."
        )
    if target.type == REGRESSION:
        y = _centred(target.values[:, None], codes, sizes)[:, 0]
    return _centred(X, codes, sizes), y


def centred_in_pairs(X: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The table without the means of its pairs; ``pairs`` are as in :func:`within_pairs`."""
    codes = np.unique(pairs, return_inverse=True)[1]
    return _centred(X, codes, np.bincount(codes))


def pair_differences(X: np.ndarray, classes: np.ndarray, pairs: np.ndarray) -> np.ndarray | None:
    """The second class minus the first one, shape (n_pairs, n_features).

    None where a pair does not have one sample of each of two classes (codes 0 and 1).
    """
    codes = np.unique(pairs, return_inverse=True)[1]
    rows = np.lexsort((classes, codes))
    first, second = rows[::2], rows[1::2]
    if first.size != second.size or np.unique(codes).size != first.size:
        return None
    whole = (classes[first] == 0).all() and (classes[second] == 1).all()
    return X[second] - X[first] if whole and (codes[first] == codes[second]).all() else None


def _centred(X: np.ndarray, codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    sums = np.zeros((sizes.size, X.shape[1]))
    np.add.at(sums, codes, X)
    return np.asarray(X - (sums / sizes[:, None])[codes])
