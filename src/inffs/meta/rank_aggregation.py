"""Several rankings of the same features made one, and how far they agree.

All take ranks of shape (n_features, n_rankings): 1 is best, ties share their mean place.
"""

from __future__ import annotations

from math import comb

import numpy as np
from scipy.stats import beta, kendalltau

_LEAST = 1e-300


def mean_rank(ranks: np.ndarray) -> np.ndarray:
    """1 for a feature that is first everywhere, near 0 for one that is last everywhere. O(nM)."""
    return 1 - (ranks.mean(axis=1) - 1) / ranks.shape[0]


def median_rank(ranks: np.ndarray) -> np.ndarray:
    """As :func:`mean_rank`, with the median: robust to a single outlying ranking. O(nM)."""
    return 1 - (np.median(ranks, axis=1) - 1) / ranks.shape[0]


def rra_p_values(ranks: np.ndarray) -> np.ndarray:
    """Robust rank aggregation: is a feature ranked high more often than random rankings would?

    rho is the least, over k, of the probability that the k-th best of M uniform numbers is as small
    as the feature's k-th best rank over n (Kolde, Laur, Adler, Vilo 2012, Bioinformatics, Eq. 2).
    The paper bounds the p-value of rho by M rho; here it is exact, by counting along the M
    thresholds. It assumes that the rankings are independent, which methods on one table are not: it
    orders features, and is an optimistic p-value. O(n M^3).

    Parameters
    ----------
    ranks : ndarray of shape (n_features, n_rankings)
        Places from 1.

    Returns
    -------
    ndarray of shape (n_features,)
        P-values in (0, 1].
    """
    n, M = ranks.shape
    places = np.arange(1, M + 1)
    rho = beta.cdf(np.sort(ranks, axis=1) / n, places, M - places + 1).min(axis=1)
    thresholds = beta.ppf(rho[:, None], places, M - places + 1)
    return np.clip(_chance_of_crossing(thresholds), _LEAST, 1.0)


def rra_score(ranks: np.ndarray) -> np.ndarray:
    """-log10 of the p-value of robust rank aggregation: larger is better."""
    return -np.log10(rra_p_values(ranks))


def _chance_of_crossing(thresholds: np.ndarray) -> np.ndarray:
    """P(the k-th smallest of M uniform numbers is below the k-th threshold for some k), by rows.

    ``below[c]`` is the probability that c numbers lie below the current threshold and no k was
    crossed so far; what crosses is added up, so that small probabilities keep their digits.
    """
    n, M = thresholds.shape
    below = np.zeros((M + 1, n))
    below[0] = 1.0
    crossed, before = np.zeros(n), np.zeros(n)
    for k, here in enumerate(thresholds.T, start=1):
        inside = np.clip((here - before) / np.maximum(1 - before, _LEAST), 0.0, 1.0)
        after = np.zeros_like(below)
        for c in range(k):
            for more in range(M - c + 1):
                ways = comb(M - c, more) * inside**more * (1 - inside) ** (M - c - more)
                after[c + more] += below[c] * ways
        crossed += after[k:].sum(axis=0)
        after[k:] = 0.0
        below, before = after, here
    return crossed


def kendall_matrix(ranks: np.ndarray) -> np.ndarray:
    """Kendall's tau-b between every two rankings, shape (M, M). O(M^2 n log n)."""
    M = ranks.shape[1]
    out = np.eye(M)
    for i in range(M):
        for j in range(i):
            tau = kendalltau(ranks[:, i], ranks[:, j]).statistic
            out[i, j] = out[j, i] = 0.0 if np.isnan(tau) else tau
    return out


def overlap_matrix(ranks: np.ndarray, k: int) -> np.ndarray:
    """Share of the best k that every two rankings have in common, shape (M, M).

    Ties at the edge go to the smaller index, as in every ranking here.
    """
    best = np.zeros(ranks.shape, dtype=float)
    for column, places in enumerate(ranks.T):
        best[np.argsort(places, kind="stable")[:k], column] = 1.0
    return best.T @ best / k


def overlap_curves(ranks: np.ndarray) -> np.ndarray:
    """The share of the best k that every two rankings have in common, for every k at once.

    Parameters
    ----------
    ranks : ndarray of shape (n_features, n_rankings)
        Places from 1.

    Returns
    -------
    ndarray of shape (n_pairs, n_features)
        The curve of every pair, k = 1, 2, ..., n. O(n M^2).
    """
    n, M = ranks.shape
    places = np.argsort(np.argsort(ranks, axis=0, kind="stable"), axis=0, kind="stable")
    later = [np.maximum(places[:, i], places[:, j]) for i in range(M) for j in range(i)]
    common = [np.cumsum(np.bincount(place, minlength=n)) for place in later]
    return np.array(common) / np.arange(1, n + 1)


AGGREGATIONS = {"mean-rank": mean_rank, "median": median_rank, "rra": rra_score}
