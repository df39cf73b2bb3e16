"""Many walks at once: weighted sums of the same graphs, for every weight that is to be tried.

The scores of all sums are sought in one space of vectors that grows until every one of them is in
it (Galerkin). A pass over the edges multiplies only the few directions that the residuals of all
sums still have in common, so eleven sums take hardly more than one.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from inffs.graph.operators import Graph
from inffs.paths import MAX_STEPS, Regularization, largest_move

_WORTH = 0.03  # of the tolerance: what a direction of the residuals must have to be multiplied
_STILL = 0.1  # of the tolerance: an error that is no longer looked at
_ROUNDING = 1e-13  # of the largest square: below it are no directions
_PARALLEL = 1e-10  # of its length: what is left of a vector that is in the space already


def walk_grid(
    parts: list[Graph], weights: np.ndarray, regularization: Regularization | None = None
) -> np.ndarray:
    """Scores (n, k) of k weighted sums of the same symmetric graphs, ``weights`` (parts, k).

    Time: about as many passes over the edges as one walk takes, three or four vectors in each;
    memory O(n) for each of some twenty vectors.
    """
    regularization = regularization or Regularization()
    regularization.check_series()
    space = _SharedSpace(parts, weights, regularization)
    tolerance, before = max(part.precision for part in parts), 0.0
    last: np.ndarray | float = np.inf
    for _ in range(MAX_STEPS):
        scores, residuals = space.solve()
        directions = space.directions(scores, residuals, tolerance)
        if regularization.series == "geometric":  # adding the residuals is one more step
            moved = largest_move(scores, residuals, tolerance)
            error, before = moved * (min(1.0, moved / before) if before else 1.0), moved
            scores = scores + residuals
        else:
            error = largest_move(scores, scores - last, tolerance)
            last = scores
        if directions.shape[1] == 0 or error <= _STILL:
            return scores
        space.grow(directions)
    warnings.warn(
        f"The scores still move after {MAX_STEPS} steps: lower the factor.",
        ConvergenceWarning,
        stacklevel=3,
    )
    return scores


class _SharedSpace:
    """An orthonormal basis, and what each graph makes of it."""

    def __init__(
        self, parts: list[Graph], weights: np.ndarray, regularization: Regularization
    ) -> None:
        self._parts, self._weights, self._regularization = parts, weights, regularization
        n = parts[0].n
        self._basis = np.empty((n, 0))
        self._images = [np.empty((n, 0)) for _ in parts]
        self.grow(self._beginning())
        all_ones = np.zeros((self._basis.shape[1], weights.shape[1]))
        all_ones[0] = np.sqrt(n)
        self._row_sums = self._of_sums(all_ones)
        rounding = weights.T @ np.array([part.rounding for part in parts])
        self._no_edges = self._row_sums.max(axis=0) <= rounding

    def _beginning(self) -> np.ndarray:
        """The constant vector, and what graphs whose products cost nothing make of it."""
        constant = np.full((self._parts[0].n, 1), 1 / np.sqrt(self._parts[0].n))
        basis = constant
        for part in (part for part in self._parts if part.cheap):
            new = image = part.dot(constant)
            for _ in range(2):
                new = new - basis @ (basis.T @ new)
            if np.linalg.norm(new) > _PARALLEL * np.linalg.norm(image):
                basis = np.hstack([basis, new / np.linalg.norm(new)])
        return basis

    def grow(self, directions: np.ndarray) -> None:
        """One pass over the edges of every graph."""
        self._basis = np.hstack([self._basis, directions])
        self._images = [
            np.hstack([image, part.dot(directions)])
            for image, part in zip(self._images, self._parts, strict=True)
        ]

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores of all sums in the space, and what they lack outside it: r A (e + scores)."""
        projected = [self._basis.T @ image for image in self._images]
        solved = [self._solve_one(which, projected) for which in range(self._weights.shape[1])]
        inside = np.stack([weights for weights, _ in solved], axis=1)
        paths = inside.copy()
        paths[0] += np.sqrt(self._basis.shape[0])
        lacking = self._of_sums(paths) * [r for _, r in solved]
        for _ in range(2):
            lacking -= self._basis @ (self._basis.T @ lacking)
        inside[:, self._no_edges] = lacking[:, self._no_edges] = 0.0
        return self._basis @ inside, lacking

    def _solve_one(self, which: int, projected: list[np.ndarray]) -> tuple[np.ndarray, float]:
        """The scores of one sum as weights of the basis, and its r."""
        small = sum(
            row[which] * matrix for row, matrix in zip(self._weights, projected, strict=True)
        )
        small = (small + small.T) / 2
        radius = max(0.0, float(np.linalg.eigvalsh(small).max()))
        r = self._regularization.r(radius, float(self._row_sums[:, which].max()))
        inside = self._regularization.on_matrix(r * small, True)
        return np.sqrt(self._basis.shape[0]) * inside, r

    def _of_sums(self, inside: np.ndarray) -> np.ndarray:
        """What every weighted sum makes of its vector in the space, (n, k)."""
        pairs = zip(self._weights, self._images, strict=True)
        return np.sum([row * (image @ inside) for row, image in pairs], axis=0)

    def directions(self, scores: np.ndarray, residuals: np.ndarray, tolerance: float) -> np.ndarray:
        """An orthonormal basis of what is left of all residuals, relative to the tolerance."""
        size = np.linalg.norm(scores, axis=0)
        left = residuals / (tolerance * np.where(size > 0, size, np.sqrt(scores.shape[0])))
        values, vectors = np.linalg.eigh(left.T @ left)
        kept = vectors[:, values > max(_WORTH**2, _ROUNDING * values[-1])][:, ::-1]
        n, m = self._basis.shape
        new, _ = np.linalg.qr(left @ kept[:, : n - m])
        new -= self._basis @ (self._basis.T @ new)
        return np.linalg.qr(new)[0]
