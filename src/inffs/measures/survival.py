"""A number per feature for survival times: the score test of a Cox model, the concordance.

``time`` holds how long every sample was watched, ``event`` whether the watch ended with the event
(True) or the sample was lost from sight (False). X is dense, CSC or on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inffs.columns.lazy import over_columns

_VALUES = 2**16


def cox_score(X: Any, time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Score test of a Cox model with one column at a time, ties by Efron's approximation.

    U^2 / I at a coefficient of 0, U the derivative of the partial likelihood and I the information
    (Cox 1972; Efron 1977): chi-square with one degree of freedom where the feature says nothing.
    0 for a constant column. Time O(nT + T log T), memory a block of columns.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    time, event : ndarray of shape (n_samples,)
        Times, and whether the event happened.

    Returns
    -------
    ndarray of shape (n_features,)
        The statistic of every column.
    """
    late_first, deaths, share, at_risk = _risk_sets(time, event)
    died = np.flatnonzero(np.asarray(event)[late_first])

    def of_block(values: Any) -> np.ndarray:
        block = values.toarray() if sparse.issparse(values) else np.asarray(values)
        block = block - block.mean(axis=0, dtype=np.float64)
        sums, squares = (
            _over_risk_sets(power[late_first], deaths, share) / at_risk[:, None]
            for power in (block, block**2)
        )
        slope = block[late_first][died].sum(axis=0) - sums.sum(axis=0)
        spread = (squares - sums**2).sum(axis=0)
        flat = spread <= 1e-14 * squares.sum(axis=0)
        return np.divide(slope**2, spread, out=np.zeros_like(slope), where=~flat)

    return np.concatenate(over_columns(X, of_block, _VALUES))


def _risk_sets(
    time: np.ndarray, event: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """Samples from the longest time on; and of every death the risk set it is drawn from.

    Of d deaths at one time the l-th (l = 0 ... d-1) sees the risk set without l / d of all d.
    ``deaths`` holds, for every death, the last sample at risk, and the first and last of those who
    died with it; ``share`` is l / d, ``at_risk`` the size of what is left.
    """
    time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
    late_first = np.lexsort((event, -time))  # at equal times the deaths come last
    falling, died = time[late_first], event[late_first]
    place = np.flatnonzero(died)
    last = np.searchsorted(-falling, -falling[place], side="right") - 1
    _, first_of, with_it = np.unique(last, return_index=True, return_counts=True)
    d = np.repeat(with_it, with_it)
    earlier = np.arange(place.size) - np.repeat(first_of, with_it)
    first = np.repeat(place[first_of], with_it)
    return late_first, (last, first), earlier / d, last + 1.0 - earlier


def _over_risk_sets(
    values: np.ndarray, deaths: tuple[np.ndarray, ...], share: np.ndarray
) -> np.ndarray:
    """Sums over the risk set of every death, without its share of those who died with it."""
    last, first = deaths
    sums = np.vstack([np.zeros(values.shape[1]), np.cumsum(values, axis=0)])
    together = sums[last + 1] - sums[first]
    return sums[last + 1] - share[:, None] * together


def concordance(X: Any, time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Share of the comparable pairs in which the sample with the larger value dies first.

    A pair is comparable if the one with the shorter time died (Harrell and others 1982); equal
    values count a half. 0.5 says nothing, below 0.5 the larger value lives longer. Time O(n T^2),
    memory a block of columns.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    time, event : ndarray of shape (n_samples,)
        Times, and whether the event happened.

    Returns
    -------
    ndarray of shape (n_features,)
        The concordance of every column; 0.5 where no pair is comparable.
    """
    time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
    ended = np.flatnonzero(event).tolist()
    outlived = [np.flatnonzero(_outlives(time, event, i)) for i in ended]
    pairs = sum(later.size for later in outlived)

    def of_block(values: Any) -> np.ndarray:
        block = values.toarray() if sparse.issparse(values) else np.asarray(values)
        won = np.zeros(block.shape[1])
        for i, later in zip(np.flatnonzero(event), outlived, strict=True):
            won += (block[i] > block[later]).sum(axis=0) + (block[i] == block[later]).sum(
                axis=0
            ) / 2
        return won / pairs if pairs else np.full(won.size, 0.5)

    return np.concatenate(over_columns(X, of_block, _VALUES))


def _outlives(time: np.ndarray, event: np.ndarray, i: Any) -> np.ndarray:
    """Who certainly lived longer than sample i: later, or lost from sight at the same time."""
    return (time > time[i]) | ((time == time[i]) & ~event)
