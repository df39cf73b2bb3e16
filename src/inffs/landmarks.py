"""Fast estimates of the scores from m random features (landmarks), with their errors.

c_i = r sum_j A_ij (1 + c_j) is a sum over all n features; m of them estimate it. The squared
relation 1 - R^2, whose exact walk costs O(n T^2), serves as control variate, because the landmarks
have nearly the same error for it as for |R|. Time O(m^2 T + n m T + n T^2), memory a block of
(rows, m).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from inffs._utils.threads import column_blocks, threaded
from inffs.graph.operators import Graph, Matrix
from inffs.paths import Paths, Regularization, walk

_DRAWS = 200


@dataclass(frozen=True)
class Landmarks:
    """An approximate walk: the features that it used, the scores and their standard errors.

    The errors concern the ranking; a common factor of all scores may have a larger error.
    """

    features: np.ndarray
    scores: np.ndarray
    errors: np.ndarray

    def among(self, columns: np.ndarray, n: int) -> Landmarks:
        """Return the same with the indices of all n features of the input."""
        scores, errors = np.zeros(n), np.zeros(n)
        scores[columns], errors[columns] = self.scores, self.errors
        return replace(self, features=columns[self.features], scores=scores, errors=errors)

    def expected_overlap(self, k: int, random_state: int = 0) -> float:
        """Return the expected share of the true best k features among the estimated best k.

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
    regularization: Regularization,
) -> Landmarks:
    """Approximate scores of the graph; ``companion`` is a similar graph that is cheap to walk."""
    n, m = graph.n, min(count, graph.n)
    chosen = np.sort(rng.choice(n, size=m, replace=False))
    exact = walk(companion, regularization)
    small, small_companion = (_subgraph(g, chosen, regularization) for g in (graph, companion))
    r = small.r * exact.r / small_companion.r
    weights, sums = 1.0 + exact.scores()[chosen], exact.scores() / exact.r

    def estimate(rows: np.ndarray, inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of sum_j A_ij w_j from the landmarks j for some features, and their errors."""
        terms = graph.block(rows, chosen) * inner
        known = companion.block(rows, chosen) * weights
        mean, known_mean = terms.mean(axis=1), known.mean(axis=1)
        terms = terms - mean[:, None]
        known = known - known_mean[:, None]
        variance = np.einsum("ij,ij->i", known, known)
        shared = np.einsum("ij,ij->i", terms, known)
        slope = np.divide(shared, variance, out=np.zeros_like(shared), where=variance > 0)
        rest = np.einsum("ij,ij->i", terms, terms) - slope * shared
        error = np.sqrt(np.maximum(rest, 0.0) / max(1, m - 2) / m * (1 - m / n))
        return n * mean + slope * (sums[rows] - n * known_mean), n * error

    inner = 1.0 + small.scores()
    for _ in range(2):  # better weights on the landmarks, then all features
        inner = 1.0 + r * estimate(chosen, inner)[0]
    blocks, everyone = column_blocks(n, m), np.arange(n)
    parts = threaded(lambda b: estimate(everyone[b], inner), blocks, "walking to landmarks")
    scores, errors = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Landmarks(chosen, r * scores, r * errors)


def _subgraph(graph: Graph, chosen: np.ndarray, regularization: Regularization) -> Paths:
    """The walk on the landmarks alone, each edge standing for n / m of them."""
    edges = np.asarray(graph.block(chosen, chosen), dtype=float)
    edges = (edges + edges.T) * (graph.n / chosen.size / 2)
    return walk(Matrix(edges), regularization)
