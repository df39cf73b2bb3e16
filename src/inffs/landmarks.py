"""Fast estimates of the scores from m random features (landmarks), with their errors.

c_i = r sum_j A_ij (1 + c_j) is a sum over all n features; m of them estimate it. The squared
relation 1 - R^2, whose exact walk costs O(n T^2), serves as control variate, because the landmarks
have nearly the same error for it as for |R|. Time O(m^2 T + n m T + n
T^2), memory a block of (rows, m).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from inffs._utils.threads import column_blocks, threaded
from inffs.graph.operators import Graph, Matrix
from inffs.paths import Paths, Regularization, walk

_USUAL_PRODUCTS, _WORK_PER_EDGE = 6, 40
_DRAWS = 200


@dataclass(frozen=True)
class Landmarks:
    """An approximate walk: the features that it used, the scores and their standard errors.

    The errors concern the ranking; a common factor of all scores may have a larger error.
    """

    features: np.ndarray
    scores: np.ndarray
    errors: np.ndarray
    r: float
    spectral_radius: float

    def among(self, columns: np.ndarray, n: int) -> Landmarks:
        """The same with the indices of all n features of the input, constant ones included."""
        scores, errors = np.zeros(n), np.zeros(n)
        scores[columns], errors[columns] = self.scores, self.errors
        return replace(self, features=columns[self.features], scores=scores, errors=errors)

    def expected_overlap(self, k: int, random_state: int = 0) -> float:
        """Expected share of the true best k among the k best by these scores.

        Scores are redrawn within their errors and the best k compared, 200 times.
        """
        rng = np.random.default_rng(random_state)
        best = np.zeros(self.scores.size, dtype=bool)
        best[np.argsort(-self.scores, kind="stable")[:k]] = True
        shares = []
        for _ in range(_DRAWS):
            drawn = self.scores + self.errors * rng.standard_normal(self.scores.size)
            shares.append(best[np.argpartition(-drawn, k - 1)[:k]].mean())
        return float(np.mean(shares))


def landmark_walk(
    graph: Graph,
    companion: Graph,
    count: int,
    rng: np.random.RandomState,
    regularization: Regularization | None = None,
) -> Landmarks:
    """Approximate scores of the graph; ``companion`` is a similar graph that is cheap to walk."""
    regularization = regularization or Regularization()
    chosen = np.sort(rng.choice(graph.n, size=min(count, graph.n), replace=False))
    exact = walk(companion, regularization)
    weights = 1.0 + exact.scores()
    small, small_companion = (_subgraph(g, chosen, regularization) for g in (graph, companion))
    radius = small.spectral_radius * exact.spectral_radius / small_companion.spectral_radius
    r = small.r * exact.r / small_companion.r
    sums = _Sums(graph, companion, chosen, weights, exact.scores() / exact.r)
    inner = 1.0 + small.scores()
    for _ in range(2):  # better weights on the landmarks, then all features
        inner = 1.0 + r * sums.estimate(chosen, inner)[0]
    blocks = column_blocks(graph.n, chosen.size)
    everyone = np.arange(graph.n)
    parts = threaded(lambda b: sums.estimate(everyone[b], inner), blocks, "walking to landmarks")
    scores, errors = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Landmarks(chosen, r * scores, r * errors, r, radius)


def walk_operations(n_samples: int, n_features: int) -> float:
    """Multiplications of the usual six products with the exact graph, none of it stored.

    Of the symmetric graph half is computed; an edge costs its inner product and the work of forty
    more multiplications (absolute value, products with the vectors).
    """
    return _USUAL_PRODUCTS * n_features**2 / 2 * (n_samples + _WORK_PER_EDGE)


def _subgraph(graph: Graph, chosen: np.ndarray, regularization: Regularization) -> Paths:
    """The walk on the landmarks alone, each edge standing for n / m of them."""
    edges = np.asarray(graph.block(chosen, chosen), dtype=float)
    edges = (edges + edges.T) * (graph.n / chosen.size / 2)
    return walk(Matrix(edges), regularization)


@dataclass(frozen=True)
class _Sums:
    """sum_j A_ij w_j from the landmarks j, with the companion's known sums as control variate."""

    graph: Graph
    companion: Graph
    chosen: np.ndarray
    companion_weights: np.ndarray
    companion_sums: np.ndarray

    def estimate(self, rows: np.ndarray, inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Estimates and their standard errors for some features."""
        n, m = self.graph.n, self.chosen.size
        terms = self.graph.block(rows, self.chosen) * inner
        known = self.companion.block(rows, self.chosen) * self.companion_weights[self.chosen]
        mean, known_mean = terms.mean(axis=1), known.mean(axis=1)
        terms = terms - mean[:, None]
        known = known - known_mean[:, None]
        variance = np.einsum("ij,ij->i", known, known)
        shared = np.einsum("ij,ij->i", terms, known)
        slope = np.divide(shared, variance, out=np.zeros_like(shared), where=variance > 0)
        rest = np.einsum("ij,ij->i", terms, terms) - slope * shared
        error = np.sqrt(np.maximum(rest, 0.0) / max(1, m - 2) / m * (1 - m / n))
        return n * mean + slope * (self.companion_sums[rows] - n * known_mean), n * error
