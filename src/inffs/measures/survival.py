"""A number per feature for survival times: the score test of a Cox model, the concordance.

``time`` holds how long every sample was watched, ``event`` whether the watch ended with the event
(True) or the sample was censored (False). X is dense, CSC or on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs._utils.threads import dense, over_columns
from inffs.evaluation.risk_sets import RiskSets, concordant_share

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

    See Also
    --------
    concordance : Counts pairs instead, and has a sign.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import cox_score
    >>> X = np.array([[5, 1], [4, 3], [3, 1], [2, 3], [1, 1]])
    >>> cox_score(X, time=[1, 2, 3, 4, 5], event=[1, 1, 1, 0, 1]).round(2).tolist()
    [5.17, 0.08]
    """
    time, event = np.asarray(time), np.asarray(event, dtype=bool)
    watched = time >= time[event].min() if event.any() else np.ones(time.size, dtype=bool)
    risk = RiskSets.of(time[watched], event[watched])
    at_risk = risk.sums(np.ones(risk.late_first.size))[:, None]

    def of_block(values: Any) -> np.ndarray:
        block = dense(values)[watched]  # a sample censored before the first event has no part
        block = (block - block.mean(axis=0, dtype=np.float64))[risk.late_first]
        block -= block.mean(axis=0)
        largest = np.abs(block).max(axis=0)
        block /= np.where(largest > 0, largest, 1.0)
        means, squares = risk.sums(block) / at_risk, risk.sums(block**2) / at_risk
        slope = block[risk.died].sum(axis=0) - means.sum(axis=0)
        spread = (squares - means**2).sum(axis=0)
        flat = spread <= 1e-14 * squares.sum(axis=0)
        return np.divide(slope**2, spread, out=np.zeros_like(slope), where=~flat)

    return np.concatenate(over_columns(X, of_block, _VALUES))


def martingale_residuals(time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Events less the events expected from the time alone, ties by Efron's approximation.

    The inner product of a column with them is the slope of :func:`cox_score`.
    """
    risk = RiskSets.of(time, event)
    expected = risk.spread(1 / risk.sums(np.ones(risk.late_first.size)))
    out = np.asarray(event, dtype=float)
    out[risk.late_first] -= expected
    return out


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

    See Also
    --------
    cox_score : A test statistic for the same question.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import concordance
    >>> X = np.array([[5, 1], [4, 3], [3, 1], [2, 3], [1, 1]])
    >>> concordance(X, time=[1, 2, 3, 4, 5], event=[1, 1, 1, 0, 1]).round(2).tolist()
    [1.0, 0.44]
    """
    return np.concatenate(
        over_columns(X, lambda values: concordant_share(dense(values), time, event), _VALUES)
    )


def ordering(X: Any, time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """|2 c - 1| of the concordance c: 0 for a column that says nothing, 1 for one that says all.

    Larger values may mean a shorter or a longer life: both count. O(n T^2).
    """
    return np.abs(2 * concordance(X, time, event) - 1)
