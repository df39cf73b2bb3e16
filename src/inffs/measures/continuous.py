"""Measures for regression: the association of every feature with a numeric target, in O(nT)."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs._utils.threads import dense, over_columns
from inffs.measures.batch import ratio_of_spreads, whole_samples
from inffs.measures.moments import BLOCK, centred

_MOST_BINS, _PER_BIN = 5, 40  # more bins of y leave too few samples in a cell of the counts


def squared_correlation(
    X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Return the squared correlation of every column with y.

    For two classes of equal size it ranks features as the Fisher criterion does. A constant column
    has 0.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    y : ndarray of shape (n_samples,)
        Numbers.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights. When given, missing values (NaN) are ignored.

    Returns
    -------
    ndarray of shape (n_features,)
        Values in [0, 1].

    See Also
    --------
    fisher : For classes.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import squared_correlation
    >>> X = np.array([[1, 0], [2, 1], [3, 1], [4, 0]])
    >>> squared_correlation(X, [10, 20, 30, 40]).round(3).tolist()
    [1.0, 0.0]
    """
    target = centred(np.asarray(y, dtype=np.float64)[:, None], sample_weight)

    def of_block(values: Any) -> np.ndarray:
        return _share(dense(values), target, sample_weight)

    return np.concatenate(over_columns(X, of_block, BLOCK))


def _share(block: np.ndarray, target: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """r^2 of the columns of a block with a centred target; with weights of the values present."""
    if weight is None:
        block = centred(block)
    else:
        weight, absent = weight[:, None], np.isnan(block)
        if absent.any():
            weight = np.where(absent, 0.0, weight)
            target = centred(np.broadcast_to(target, block.shape), weight)
        block, target = centred(block, weight) * np.sqrt(weight), target * np.sqrt(weight)
    power = np.square(block).sum(axis=0) * np.square(target).sum(axis=0)
    shared = np.square((block * target).sum(axis=0))
    return np.minimum(np.divide(shared, power, out=np.zeros_like(power), where=power > 0), 1.0)


def explained_ratio(X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None) -> np.ndarray:
    """Return r^2 / (1 - r^2), the F statistic of a regression on one column over n_samples - 2.

    A column that explains y to rounding gets twice the largest other value, 1 if there is none.
    """
    share = squared_correlation(X, y, sample_weight)
    return ratio_of_spreads(share, 1 - share, separated=1e-14)


def equal_frequency_codes(
    y: np.ndarray, bins: int | None = None, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Divide numbers into bins 0, 1, ... of about equal size.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Numbers.
    bins : int, optional
        The number of bins. The default is one per 40 samples, at least 2 and at most 5.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights: weight 2 counts a sample twice.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        The bin of every sample; no bin is empty.

    See Also
    --------
    mutual_information : Accepts the codes as classes.

    Examples
    --------
    >>> from inffs.measures import equal_frequency_codes
    >>> equal_frequency_codes([0.1, 7.0, 0.3, 9.0, 0.3], bins=2).tolist()
    [0, 1, 0, 1, 0]
    """
    y = np.asarray(y, dtype=np.float64)
    weight = np.ones(y.size) if sample_weight is None else sample_weight
    count = bins or int(np.clip(whole_samples(weight) // _PER_BIN, 2, _MOST_BINS))
    edges = _edges(y, np.arange(1, count) / count, weight)
    codes = np.searchsorted(edges, y, side="left")
    if codes.max() == codes.min():  # one value takes nearly all samples
        codes = (y > y.min()).astype(int)
    return np.unique(codes, return_inverse=True)[1]


def _edges(y: np.ndarray, shares: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The values of y below which these shares of the weights lie, as quantiles of method "lower".

    Of W samples the quantile q is the one at place q (W - 1); fewer than two weigh in proportion.
    """
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weight[order])
    total = reached[-1]
    place = shares * (total - min(1.0, total / 2)) * (1 + 1e-12)
    return y[order][np.minimum(np.searchsorted(reached, place, side="right"), y.size - 1)]
