"""What a path leaves unexplained of every feature and of a target, by rank-one updates.

Conditioning on a vector z subtracts the outer products of u, the inner products of all features
with the unexplained part of z, and of the shares of z in the axes of the target.

How much of the rest would pure noise explain? The residual axes have the squared lengths mu_g (the
eigenvalues of E'E) in f dimensions. The part of axis g that K random dimensions explain is mu_g
times a number that follows Beta(K / 2, (f - K) / 2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import betaincinv, gammainccinv, ndtri

SIGNIFICANCE = 0.05  # how often the best feature of pure noise passes its level


@dataclass(frozen=True)
class Step:
    """What conditioning on a vector subtracts.

    Attributes
    ----------
    along : ndarray of shape (T,)
        The part of the vector that the path does not explain, divided by ``scale``.
    scale : float
        The root of lambda + q of the vector.
    shares : ndarray of shape (d,)
        Its share of every axis; their squares add up to its gain.
    u : ndarray of shape (n,)
        The inner products of all features with ``along``.
    """

    along: np.ndarray
    scale: float
    shares: np.ndarray
    u: np.ndarray


@dataclass
class Residual:
    """The unexplained part of features and axes.

    A step replaces the arrays, so that a shallow copy of a residual is one from before.

    Attributes
    ----------
    profiles : Profiles
        The profiles of the features.
    shrinkage, total : float
        lambda, and the sum of the sample weights.
    C : ndarray of shape (d, n)
        Unexplained association of every axis with every feature.
    q : ndarray of shape (n,)
        Unexplained part of every feature.
    axes : ndarray of shape (T, d)
        Unexplained part of the axes.
    count : int
        Vectors that have been subtracted so far.
    signal : ndarray of shape (n,)
        Sum of squares of C of every feature.
    squared : ndarray of shape (d,)
        Eigenvalues of axes' axes, rising.
    """

    profiles: Any
    shrinkage: float
    total: float
    C: np.ndarray
    q: np.ndarray
    axes: np.ndarray
    count: int = 0
    signal: np.ndarray = field(init=False)
    squared: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._directions = np.empty((0, self.axes.shape[0]))  # the first ``count`` are of this path
        self._summarise()

    def _summarise(self) -> None:
        self.signal = np.einsum("gi,gi->i", self.C, self.C)
        self.squared = np.linalg.eigvalsh(self.axes.T @ self.axes)

    def gains(self) -> np.ndarray:
        """What each feature would add to the path as a straight line."""
        return self.signal / (self.shrinkage + self.q)

    def step_of(self, i: int) -> Step:
        """What conditioning on feature i would subtract."""
        scale = np.sqrt(self.shrinkage + self.q[i])
        along = self._unexplained(self.profiles.row(i)) / scale
        return Step(along, scale, self.C[:, i] / scale, self._products(along[:, None])[:, 0])

    def explain_by(self, step: Step) -> None:
        """Condition on a feature."""
        self.C = self.C - step.shares[:, None] * step.u
        self.q = self.q - step.u * step.u
        self._subtract(step.along, step.shares)
        self._summarise()

    def explain_by_vectors(self, vectors: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Condition on unit vectors (k, T); a direction and its shares for each."""
        found = []
        for vector in vectors:
            along = self._unexplained(vector)
            scale = np.sqrt(self.shrinkage + max(along @ vector, 0.0))
            found.append((along / scale, (vector @ self.axes) / scale))
            self._subtract(*found[-1])
        u = self._products(np.stack([along for along, _ in found], axis=1))
        self.C = self.C - np.stack([shares for _, shares in found], axis=1) @ u.T
        self.q = self.q - np.einsum("ik,ik->i", u, u)
        self._summarise()
        return found

    def _unexplained(self, vector: np.ndarray) -> np.ndarray:
        directions = self._directions[: self.count]
        return vector - (directions @ vector) @ directions

    def _products(self, vectors: np.ndarray) -> np.ndarray:
        return self.profiles.project(vectors).astype(np.float64, copy=False)

    def _subtract(self, along: np.ndarray, shares: np.ndarray) -> None:
        self.axes = self.axes - np.outer(along, shares)
        if self.count == len(self._directions):
            more = np.empty((max(4, self.count), along.size))
            self._directions = np.concatenate([self._directions, more])
        self._directions[self.count] = along
        self.count += 1

    # --- what pure noise would explain of it ------------------------------------------------------

    def level(self, dimensions: int, log_count: float) -> float:
        """The level that the best of e^log_count noise candidates passes in 5 % of all tables."""
        free = self.total - self.count - 1
        return level_of_best(dimensions, log_count, self.squared, free)

    def by_chance(self, dimensions: int) -> float:
        """The mean evidence of one noise candidate."""
        return dimensions * float(self.squared.sum()) / max(self.total - self.count - 1, 1.0)

    def chi_square_bound(self, log_count: float) -> float:
        """A bound on the evidence of the best of e^log_count noise features."""
        return chi_square_bound(log_count, self.squared, self.total - self.count)


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
