"""RReliefF: ReliefF for regression, from the pairs of neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse


def regression_weights(
    pairs: sparse.coo_array,
    y: np.ndarray,
    differences: Callable[[sparse.coo_array], np.ndarray],
) -> np.ndarray:
    """W = N_dCdA / N_dC - (N_dA - N_dCdA) / (1 - N_dC) of every feature.

    N_dA is the mean difference of the feature between neighbours, N_dC that of y (over its range),
    N_dCdA that of both at once (Robnik-Sikonja and Kononenko 2003, Fig. 3 and Eq. 26). A feature
    gains where neighbours that differ in it differ in y as well.

    Parameters
    ----------
    pairs : coo_array of shape (n_samples, n_samples)
        The weight of every pair of neighbours; they sum to 1.
    y : ndarray of shape (n_samples,)
        The target.
    differences : callable
        From weights of pairs to the weighted sum of |x_aj - x_bj| for every feature j.
    """
    y = np.asarray(y)
    apart = np.abs(y[pairs.row] - y[pairs.col]) / np.ptp(y)
    both = sparse.coo_array((pairs.data * apart, (pairs.row, pairs.col)), shape=pairs.shape)
    target = float(pairs.data @ apart)
    if not 0 < target < 1:  # y is equal for all neighbours, or differs by its whole range
        return np.zeros_like(differences(pairs))
    feature, shared = differences(pairs), differences(both)
    return shared / target - (feature - shared) / (1 - target)
