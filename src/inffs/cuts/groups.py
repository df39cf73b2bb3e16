"""Groups of numbers in one dimension: natural breaks and two Gaussians, both on binned values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_VALUES = 512
_ROUNDS = 300


def natural_breaks(values: np.ndarray, classes: int) -> int:
    """How many of the values the uppermost of the best ``classes`` groups holds.

    Best is the least sum of squares inside the groups (Fisher 1958), by dynamic programming over
    the distinct values, or over 512 equal cells where there are more.
    """
    counts, sums, squares = _cells(values)
    classes = min(classes, counts.size)
    edges = np.arange(counts.size + 1)
    totals = [np.concatenate([[0.0], np.cumsum(part)]) for part in (counts, sums, squares)]
    weight, first, second = (total[None, :] - total[:, None] for total in totals)
    inside = second - np.divide(first**2, weight, out=np.zeros_like(first), where=weight > 0)
    inside[edges[:, None] >= edges[None, :]] = np.inf
    cost = inside[0]
    for _ in range(classes - 1):
        through = cost[:, None] + inside
        start, cost = int(np.argmin(through[:, -1])), through.min(axis=0)
    return int(counts[start:].sum())


def _cells(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count, sum and sum of squares in every filled cell, lowest first."""
    place = np.minimum((values * (_VALUES / values.max())).astype(np.intp), _VALUES - 1)
    if values.size <= _VALUES:
        place = np.unique(values, return_inverse=True)[1]
    counts = np.bincount(place)
    filled = counts > 0
    sums, squares = np.bincount(place, values), np.bincount(place, values**2)
    return counts[filled], sums[filled], squares[filled]


@dataclass(frozen=True)
class TwoGaussians:
    """Weights, means and deviations of two Gaussians, the lower one first."""

    weights: np.ndarray
    means: np.ndarray
    deviations: np.ndarray
    better: bool  # than one Gaussian, by the Bayesian information criterion

    def edge(self, points: np.ndarray) -> float:
        """The lowest point from which on upwards the upper Gaussian is the likelier one."""
        likely = self._log_parts(points)
        lower = np.flatnonzero((likely[0] >= likely[1]) & (points <= self.means[1]))
        return float(points[lower[-1]]) if lower.size else -np.inf

    def _log_parts(self, points: np.ndarray) -> np.ndarray:
        return _log_parts(points, self.weights, self.means, self.deviations)


def two_gaussians(points: np.ndarray, counts: np.ndarray, middle: float) -> TwoGaussians:
    """Expectation maximisation on counted points, begun from the two sides of ``middle``."""
    filled = counts > 0
    points, counts = points[filled], counts[filled]
    floor = 1e-3 * np.ptp(points)
    upper = (points > middle).astype(float)
    before, likelihood = -np.inf, -np.inf
    for _ in range(_ROUNDS):
        share = np.stack([1.0 - upper, upper]) * counts
        weights, means, deviations = _moments(points, share, floor)
        parts = _log_parts(points, weights, means, deviations)
        total = np.logaddexp(parts[0], parts[1])
        upper = np.exp(parts[1] - total)
        before, likelihood = likelihood, float(counts @ total)
        if likelihood - before < 1e-7 * counts.sum():
            break
    one = _moments(points, counts[None, :], floor)
    alone = float(counts @ _log_parts(points, *one)[0])
    better = 2 * (likelihood - alone) > 3 * np.log(counts.sum())
    order = np.argsort(means)
    return TwoGaussians(weights[order], means[order], deviations[order], bool(better))


def _moments(
    points: np.ndarray, share: np.ndarray, floor: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = np.maximum(share.sum(axis=1), 1e-300)
    means = share @ points / size
    spread = ((points - means[:, None]) ** 2 * share).sum(axis=1) / size
    return size / share.sum(), means, np.sqrt(spread + floor**2)


def _log_parts(
    points: np.ndarray, weights: np.ndarray, means: np.ndarray, deviations: np.ndarray
) -> np.ndarray:
    scaled = (points - means[:, None]) / deviations[:, None]
    return np.log(weights / (deviations * np.sqrt(2 * np.pi)))[:, None] - 0.5 * scaled**2
