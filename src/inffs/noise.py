"""How much of a target features of pure noise explain: levels that real features have to pass.

The residual axes E of a target have the squared lengths mu_g (the eigenvalues of E'E) in f
dimensions. The part of axis g that K random dimensions explain is mu_g times a number that follows
Beta(K / 2, (f - K) / 2).
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv, gammainccinv, ndtri

SIGNIFICANCE = 0.05  # how often the best feature of pure noise passes its level


def level_of_best(dimensions: int, log_count: float, squared: np.ndarray, free: float) -> float:
    """The level that the best of e^log_count noise candidates passes in 5 % of all tables.

    A candidate has ``dimensions`` (1 for a straight line or a product); ``squared`` are the squared
    lengths of the residual axes, rising, in ``free`` dimensions. The sum over the axes has no
    closed form: the level is the larger one of two that are right where all axes have one length
    (a Beta distribution of equal mean and variance) and where one axis is left.
    """
    if free <= dimensions or squared[-1] <= 0:
        return np.inf
    each = np.exp(log_count) / SIGNIFICANCE
    rest = (free - dimensions) / 2
    longest = squared[-1] * _largest_beta(dimensions / 2, rest, each)
    alone = longest + dimensions * squared[:-1].sum() / free
    mean = dimensions * squared.sum() / free
    variance = 4 * dimensions * (squared @ squared) * rest / (free**2 * (free + 2))
    most = squared[-dimensions:].sum()  # where the candidate explains the longest axes
    share = mean / most
    size = share * (1 - share) * most**2 / variance - 1
    if size <= 0:
        return float(alone)
    return float(max(alone, most * _largest_beta(share * size, (1 - share) * size, each)))


def _largest_beta(a: float, b: float, count: float) -> float:
    """The value that a Beta(a, b) variable passes once in ``count`` times."""
    return float(1 - betaincinv(b, a, 1 / count))


def tail_factor(
    log_count: float, vector: np.ndarray, axis: np.ndarray, weight: np.ndarray
) -> float:
    """How much the level rises where few samples decide: at least 1.

    The inner product of two centred vectors of norm 1 (which hold the roots of the weights) is
    skewed under permutations of one of them, if both are skewed: a product of two rare counts and
    a rare class are an example. The factor compares the tails of a gamma distribution of that
    skewness and of a normal one.
    """
    root = np.sqrt(weight)
    share = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    skewness = np.sqrt(weight.sum()) * (vector**3 @ share) * (axis**3 @ share)
    if skewness < 1e-3:
        return 1.0
    chance = SIGNIFICANCE * np.exp(-log_count) / 2
    shape = 4 / skewness**2
    skewed = (gammainccinv(shape, chance) - shape) / np.sqrt(shape)
    return float(max(1.0, -skewed / ndtri(chance)) ** 2)


def chi_square_bound(log_count: float, squared: np.ndarray, free: float) -> float:
    """Laurent and Massart's bound on what the best of e^log_count noise features explains."""
    if free <= 0:
        return np.inf
    bound = squared.sum() + 2 * np.sqrt(log_count * (squared @ squared))
    return float((bound + 2 * log_count * squared[-1]) / free)
