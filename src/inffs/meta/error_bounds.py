"""Bounds on the expected number of false features of stability selection.

A feature counts as false if the selector selects it from a random half of the samples no more often
than a feature drawn at random: with probability at most q / n, q features per half, n in all.

References
----------
R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at stability
selection", Journal of the Royal Statistical Society B 75, 2013.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import numpy as np

_STEPS = 65  # trial distributions between two neighbouring supports


def expected_false(
    q: float, n: int, threshold: float, pairs: int, assumption: str = "unimodal"
) -> float:
    """The largest expected number of false features among those with this frequency or more.

    Parameters
    ----------
    q : float
        Mean number of features that are selected from a half of the samples.
    n : int
        Features in all.
    threshold : float in (0.5, 1]
        Smallest share of the halves that select a feature for it to be kept.
    pairs : int
        Pairs of complementary halves.
    assumption : {"none", "unimodal", "r-concave"}
        On the shape of the distribution of a false feature's frequency.

    Returns
    -------
    float
        The bound.
    """
    hits = least_hits(threshold, pairs)
    if hits <= pairs:
        raise ValueError(f"threshold={threshold!r} must be above 0.5.")
    return float(_BOUNDS[assumption](q, n, hits, pairs))


def least_threshold(most: float, q: float, n: int, pairs: int, assumption: str) -> float | None:
    """The least threshold that lets at most ``most`` false ones through; None if there is none."""
    for hits in range(pairs + 2, 2 * pairs + 1):
        if _BOUNDS[assumption](q, n, hits, pairs) <= most:
            return hits / (2 * pairs)
    return None


def least_hits(threshold: float, pairs: int) -> int:
    """The number of halves, of 2 x pairs, that a threshold asks for."""
    return int(np.ceil(2 * pairs * threshold - 1e-9))


def _free(q: float, n: int, hits: int, pairs: int) -> float:
    """Theorem 1: q^2 / (n (2 threshold - 1)), whatever the distribution."""
    return q**2 / n / (hits / pairs - 1)


def _unimodal(q: float, n: int, hits: int, pairs: int) -> float:
    """Theorem 2, for a share q / n of at most 1 / sqrt(3)."""
    share, threshold = q / n, hits / (2 * pairs)
    free = _free(q, n, hits, pairs)
    least = 0.5 + min(share**2, 0.5 / pairs + 0.75 * share**2)
    if share > 1 / np.sqrt(3) or threshold <= least:
        return free
    if threshold <= 0.75:
        factor = 0.5 / (2 * threshold - 1 - 0.5 / pairs)
    else:
        factor = 4 * (1 - threshold + 0.5 / pairs) / (1 + 1 / pairs)
    return min(free, factor * q**2 / n)


def _r_concave(q: float, n: int, hits: int, pairs: int) -> float:
    """Eq. 8: selections by both halves are -1/2-concave, those by single halves -1/4-concave."""
    both = r_concave_tails((q / n) ** 2 * pairs, pairs, -0.5)[hits - pairs]
    single = r_concave_tails(q / n * 2 * pairs, 2 * pairs, -0.25)[hits]
    return min(_free(q, n, hits, pairs), n * min(both, single))


_BOUNDS: dict[str, Callable[[float, int, int, int], float]] = {
    "r-concave": _r_concave,
    "unimodal": _unimodal,
    "none": _free,
}
ASSUMPTIONS = frozenset(_BOUNDS)


@lru_cache(maxsize=64)
def r_concave_tails(mean: float, top: int, r: float) -> np.ndarray:
    """Largest P(X >= t), t = 0 ... top, of an r-concave X on 0 ... top whose mean is ``mean``.

    The extreme distributions have masses (a + i)^(1/r) on 0 ... k and what the mean leaves on
    k + 1 (Appendix A.4 of the paper); a lies between the values at which k and k + 1 are full.
    Where t is no more than twice the mean, the bound is 1.
    """
    tails = np.ones(top + 1)
    first = int(np.ceil(2 * mean))
    if first >= top:
        return tails
    tails[first + 1 :] = 0.0
    shifts = _full_shifts(mean, np.arange(first, top + 1), 1 / r)
    points = np.arange(top + 1)
    for k, (upper, lower) in enumerate(pairwise(shifts), first):
        a = np.geomspace(lower, upper, _STEPS)[:, None]
        masses = (a + points[: k + 1]) ** (1 / r)
        whole = masses.sum(axis=1)
        left = (mean * whole - masses @ points[: k + 1]) / (k + 1 - mean)
        below = np.cumsum(masses, axis=1)[:, first:] / (whole + np.maximum(left, 0))[:, None]
        tails[first + 1 : k + 2] = np.maximum(tails[first + 1 : k + 2], 1 - below.min(axis=0))
    return tails


def _full_shifts(mean: float, last: np.ndarray, power: float) -> np.ndarray:
    """For every k in ``last``: the a at which masses (a + i)^power on 0 ... k have this mean."""
    points = np.arange(last[-1] + 1)
    inside = points <= last[:, None]
    low, high = np.full(last.size, -25.0), np.full(last.size, 25.0)  # logarithms of a
    for _ in range(60):
        middle = (low + high) / 2
        masses = np.where(inside, (np.exp(middle)[:, None] + points) ** power, 0.0)
        above = masses @ points > mean * masses.sum(axis=1)
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return np.exp(high)
