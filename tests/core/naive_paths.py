"""Conditional paths written out: explicit inverses and explicit bases in double precision."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import beta, norm, pearson3

CURVE_WEIGHT = 0.5
COSINES = range(2, 6)


@dataclass
class NaiveFeature:
    feature: int
    gain: float
    evidence: float
    noise: float
    kind: str = "line"


def naive_axes(y, weight=None):
    """An orthonormal basis of the centred class indicators, label columns or target."""
    weight = np.ones(len(y)) if weight is None else weight
    if y.ndim == 1 and y.dtype.kind in "iu":
        y = y[:, None] == np.unique(y)
        y = y / np.sqrt(weight @ y)
    y = y.reshape(len(y), -1)
    columns = (y - np.average(y, axis=0, weights=weight)) * np.sqrt(weight)[:, None]
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, sizes > 1e-9 * sizes[0]]


def naive_profiles(X, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    Z = X - np.average(X, axis=0, weights=weight)
    Z = np.clip(Z / np.sqrt(np.average(Z**2, axis=0, weights=weight)), -2, 2)
    Z = (Z - np.average(Z, axis=0, weights=weight)) * np.sqrt(weight)[:, None]
    return Z / np.linalg.norm(Z, axis=0)


def naive_basis(x, z, weight=None):
    """Cosines of the ranks of x, orthogonal to z and to each other, the short ones dropped."""
    weight = np.ones(x.size) if weight is None else weight
    below = np.array([weight[x < value].sum() + weight[x == value].sum() / 2 for value in x])
    u, found = below / weight.sum(), [z]
    for k in COSINES:
        c = np.cos(k * np.pi * u)
        c = (c - np.average(c, weights=weight)) * np.sqrt(weight)
        for one in found:
            c = c - (c @ one) * one
        if np.linalg.norm(c) >= np.sqrt(weight.sum() / 2) / 4:
            found.append(c / np.linalg.norm(c))
    return np.array(found[1:]).reshape(-1, x.size)


def naive_best(value, allowed):
    """The largest, equal ones to the smaller index."""
    if not allowed.any():
        return None
    return int(np.flatnonzero(allowed & (value >= value[allowed].max() * (1 - 1e-10)))[0])


class NaivePaths:
    """The paths of a table as lists of selected; ``curves`` and ``pairs`` as in InfFSC."""

    def __init__(self, X, y, count, curves=False, pairs=False, weight=None):
        self.weight = np.ones(len(X)) if weight is None else weight
        self.Z, self.Y = naive_profiles(X, weight), naive_axes(y, weight)
        self.T, self.n = self.weight.sum(), X.shape[1]
        self.shrinkage = 10 * np.log(self.n) / (self.T * self.Y.shape[1])
        self.bases = [
            naive_basis(X[:, i], self.Z[:, i], weight) if curves else np.empty((0, len(X)))
            for i in range(self.n)
        ]
        self.free, self.looking = np.ones(self.n, dtype=bool), pairs and self.n > 1
        self.paths = [[]]
        self.begin()
        while sum(map(len, self.paths)) < count:
            self.go_on()

    def begin(self):
        self.given, self.S, self.closing = np.empty((len(self.Y), 0)), [], False
        self.measure()

    def measure(self):
        """C, q, E, W and the bounds of what the path is conditioned on."""
        G, Z, Y = self.given, self.Z, self.Y
        K = np.linalg.inv(self.shrinkage * np.eye(G.shape[1]) + G.T @ G)
        self.C = Z.T @ Y - (Z.T @ G) @ K @ (G.T @ Y)
        self.q = 1 - np.einsum("is,st,it->i", Z.T @ G, K, Z.T @ G)
        self.E = Y - G @ K @ (G.T @ Y)
        self.W = self.E.T @ self.E
        self.signal = (self.C**2).sum(axis=1)

    def half_chi_square_bound(self):
        L, W = np.log(self.n), self.W
        bound = np.trace(W) + 2 * np.sqrt(L * np.trace(W @ W)) + 2 * L * np.linalg.norm(W, 2)
        return bound / (self.T - self.given.shape[1]) / 2

    def level(self, K, L):
        """5 % level of the best of e^L noise candidates of K dimensions."""
        free, p = self.T - self.given.shape[1] - 1, 0.05 * np.exp(-L)
        mu = np.linalg.eigvalsh(self.W)
        if free <= K or mu[-1] <= 0:
            return np.inf
        alone = mu[-1] * beta(K / 2, (free - K) / 2).isf(p) + K * mu[:-1].sum() / free
        top = mu[-K:].sum()
        mean = K * mu.sum() / free / top
        variance = 2 * K * (mu @ mu) * (free - K) / (free**2 * (free + 2)) / top**2
        size = mean * (1 - mean) / variance - 1
        return max(alone, top * beta(mean * size, (1 - mean) * size).isf(p)) if size > 0 else alone

    def go_on(self):
        log_n = np.log(self.n)
        line = self.signal / (self.shrinkage + self.q)
        evidence = self.signal / self.q
        curve = np.array([((basis @ self.E) ** 2).sum() for basis in self.bases])
        counts = curve > self.level(4, log_n)
        chance = 4 * np.trace(self.W) / max(self.T - self.given.shape[1] - 1, 1)
        gain = line + np.where(counts, CURVE_WEIGHT * (curve - chance) / (1 + self.shrinkage), 0.0)
        noise = self.half_chi_square_bound()
        copy = (np.abs(self.Z.T @ self.Z[:, self.S]) > 1 - 1e-10).any(axis=1)

        def passes(i):
            return i is not None and (counts[i] or evidence[i] >= noise or not self.S)

        i = None if self.closing else naive_best(gain, self.free & ~copy)
        strong = i is not None and (counts[i] or evidence[i] >= 2 * noise)
        if not passes(i):
            i = naive_best(gain, self.free & copy)
            self.closing = self.closing or i is not None
        if self.looking and not strong:
            self.looking = self.take_pair()
            if self.looking:
                return
        if not passes(i):
            self.paths.append([])
            self.looking = False
            self.begin()
            return
        each = NaiveFeature(i, gain[i], evidence[i], noise)
        if counts[i]:
            each = NaiveFeature(i, gain[i], curve[i], self.level(4, log_n), "curve")
        self.paths[-1].append(each)
        self.condition(i, self.bases[i] if counts[i] else [])

    def condition(self, i, others):
        self.S, self.free[i] = [*self.S, i], False
        self.given = np.column_stack([self.given, self.Z[:, i], *others])
        self.measure()

    def take_pair(self):
        level = self.level(1, np.log(self.n * (self.n - 1) / 2 + 1))
        root = np.sqrt(self.weight)
        best = (0, 1, -1.0)
        for i, j in combinations(range(self.n), 2):
            product = self.Z[:, i] * self.Z[:, j] / root
            size = product @ product
            found = ((product @ self.E) ** 2).sum() / size if size > 0 else 0.0
            if found > best[2] * (1 + 1e-10):
                best = (i, j, found)
        i, j, found = best
        span = np.linalg.qr(np.column_stack([root, self.Z[:, i], self.Z[:, j]]))[0]
        product = self.Z[:, i] * self.Z[:, j] / root**2
        product = product - np.average(product, weights=self.weight)
        deviation = np.sqrt(np.average(product**2, weights=self.weight))
        product = np.clip(product, -2 * deviation, 2 * deviation) * root
        product = product - span @ (span.T @ product)
        product = product / max(np.linalg.norm(product), 1e-300)
        evidence = ((product @ self.E) ** 2).sum()
        if min(found, evidence) <= level:
            return False
        axis = self.E @ (self.E.T @ product)
        axis /= np.linalg.norm(axis)
        third = [np.sum(each**3 / root) * np.sqrt(self.T) for each in (product, axis)]
        p = 0.05 / (self.n * (self.n - 1) / 2 + 1) / 2
        if third[0] * third[1] / np.sqrt(self.T) > 1e-3:
            tail = pearson3(third[0] * third[1] / np.sqrt(self.T)).isf(p)
            level *= max(1, tail / norm.isf(p)) ** 2
        if evidence <= level:
            return False
        self.closing = False
        for feature in (i, j):
            if feature in self.S:
                continue
            gain = self.signal[feature] / (self.shrinkage + self.q[feature])
            gain += evidence / (1 + self.shrinkage) / 2
            self.paths[-1].append(NaiveFeature(feature, gain, evidence, level, "pair"))
            self.condition(feature, [])
        self.given = np.column_stack([self.given, product])
        self.measure()
        return True
