"""Many squared-hinge SVMs in lockstep: all labels share every pass over the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from inffs._utils.threads import dense
from inffs.evaluation._newton import exact_steps, solve_positive

_STEPS = 200
_INNER_STEPS = 100
_FALL = 1e-1  # of the preconditioned residual inside one Newton step
_PASSES = 10  # over the table that conjugate gradients are taken to need
_MOST_FACTORED = 3000  # columns whose second moments are factored as a preconditioner
_STALE = 0.5  # share of the active samples below which the preconditioner is made anew
_SMALL = {"float32": 1e-6, "float64": 1e-8}  # share of the objective that a step may promise

Solver = Callable[[np.ndarray], np.ndarray]


class LockstepNewton:
    """One against the rest for K labels by Newton's method, its products of matrices shared.

    A label with few samples inside its margin gets its Newton step from their inner products or
    second moments; the others by conjugate gradients, preconditioned with the mean of their
    Hessians diag(1, ..., 1, 0) + 2C A_k'A_k, now or a few steps ago. Steps are exact along their
    line. Products are in the table's own precision, single or double; a sparse table stays sparse.

    Time O(n_samples n_features K) per step, memory O(n_samples K) and at most 3000 columns squared.
    """

    def __init__(self, X: Any, weights: np.ndarray) -> None:
        self._dtype: Any = np.float32 if X.dtype == np.float32 else np.float64
        self._X = X.tocsr() if sparse.issparse(X) else X
        self._weights: Any = weights.astype(self._dtype)[:, None]

    def path(self, Y: np.ndarray, Cs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights (len(Cs), K, n_features) and intercepts (len(Cs), K) for labels -1 and 1."""
        Y = np.ascontiguousarray(Y, dtype=self._dtype)
        Z = np.zeros((self._X.shape[1] + 1, Y.shape[1]), dtype=self._dtype)
        values, found = np.zeros_like(Y), []
        for C in Cs:
            self._solve(Z, values, Y, self._dtype(C))
            found.append(Z.copy())
        path = np.array(found)
        return path[:, :-1].transpose(0, 2, 1), path[:, -1]

    def _solve(self, Z: np.ndarray, values: np.ndarray, Y: np.ndarray, C: float) -> None:
        """Improve Z and the values X Z in place until no label's step promises anything."""
        cost, waiting = C * self._weights, np.arange(Y.shape[1])
        self._preconditioned = np.inf  # the share of active samples when it was last made
        for _ in range(_STEPS):
            z, y, v = Z[:, waiting], Y[:, waiting], values[:, waiting]
            slack = 1 - y * v
            step = self._steps(z, y, slack, C)
            change = y * self._forth(step)
            w, d, hinge = z[:-1], step[:-1], np.maximum(slack, 0)
            slope = _dots(w, d)
            t = exact_steps(slack, change, cost, slope, _dots(d, d))
            Z[:, waiting], values[:, waiting] = z + t * step, v + t * y * change
            promised = 2 * _dots(cost * change, hinge) - slope
            size = _dots(w, w) + _dots(cost * hinge, hinge)
            waiting = waiting[promised > _SMALL[self._dtype.__name__] * size]
            if not waiting.size:
                break

    def _steps(self, z: np.ndarray, y: np.ndarray, slack: np.ndarray, C: float) -> np.ndarray:
        """A Newton step per label, in the cheaper way for it."""
        active = slack > 0
        alone = self._cheap_alone(active.sum(axis=0))
        step = np.empty_like(z)
        for k in np.flatnonzero(alone):
            step[:, k] = self._exact(active[:, k], y[:, k], z[-1, k], C) - z[:, k]
        rest = np.flatnonzero(~alone)
        if rest.size:
            step[:, rest] = self._together(z[:, rest], y[:, rest], slack[:, rest], C)
        return step

    def _cheap_alone(self, active: np.ndarray) -> np.ndarray:
        """Whether the exact step costs less than conjugate gradients."""
        T, n = self._X.shape
        short, long = np.minimum(active, n).astype(float), np.maximum(active, n).astype(float)
        return (short**2 * (long + short) < 4 * _PASSES * T * n) | (short < 200)

    def _exact(self, active: np.ndarray, y: np.ndarray, bias: float, C: float) -> np.ndarray:
        """The minimum of the piece on which exactly these samples are active, in float64."""
        here = np.flatnonzero(active & (self._weights[:, 0] > 0))
        if not here.size:
            return np.append(np.zeros(self._X.shape[1]), bias)
        rows, y = dense(self._X[here]).astype(np.float64), y[here].astype(np.float64)
        cost = 2 * float(C) * self._weights[here, 0].astype(np.float64)
        if here.size > rows.shape[1]:
            return _by_moments(rows, y, cost)
        return _by_products(rows, y, cost)

    def _together(self, z: np.ndarray, y: np.ndarray, slack: np.ndarray, C: float) -> np.ndarray:
        cost = 2 * C * self._weights
        gradient = self._back(-cost * y * np.maximum(slack, 0))
        gradient[:-1] += z[:-1]
        active = (slack > 0) * cost
        if (share := float(np.mean(slack > 0))) < _STALE * self._preconditioned:
            self._precondition, self._preconditioned = self._preconditioner(slack, cost), share

        def hessian(V: np.ndarray) -> np.ndarray:
            product = self._back(active * self._forth(V))
            product[:-1] += V[:-1]
            return product

        return _conjugate_gradients(hessian, -gradient, self._precondition)

    def _forth(self, Z: np.ndarray) -> np.ndarray:
        return self._X @ Z[:-1] + Z[-1]

    def _back(self, R: np.ndarray) -> np.ndarray:
        return np.vstack([self._X.T @ R, R.sum(axis=0)])

    def _preconditioner(self, slack: np.ndarray, cost: np.ndarray) -> Solver:
        """Solves with the mean Hessian of these labels, or with its diagonal where n is large."""
        share = np.mean(slack > 0, axis=1, dtype=self._dtype)[:, None] * cost
        X, n = self._X, self._X.shape[1]
        if n > _MOST_FACTORED:
            squares = X.multiply(X) if sparse.issparse(X) else X**2
            diagonal = np.vstack([1 + squares.T @ share, share.sum(axis=0)])
            return lambda R: R / diagonal
        P = np.empty((n + 1, n + 1), dtype=self._dtype)
        root = X.multiply(np.sqrt(share)) if sparse.issparse(X) else X * np.sqrt(share)
        P[:-1, :-1] = dense(root.T @ root)
        P[-1, :-1] = P[:-1, -1] = (X.T @ share)[:, 0]
        P[-1, -1] = share.sum()
        P[np.arange(n), np.arange(n)] += 1
        factor = linalg.cho_factor(P, lower=True, check_finite=False)
        return lambda R: linalg.cho_solve(factor, R, check_finite=False)


def _by_products(rows: np.ndarray, y: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Weights and intercept of the least squares problem from inner products of the samples."""
    inner = rows @ rows.T
    inner[np.diag_indices_from(inner)] += 1 / cost
    both = solve_positive(inner, np.stack([y, np.ones(y.size)], axis=1))
    bias = both[:, 0].sum() / both[:, 1].sum()
    return np.append(rows.T @ (both[:, 0] - bias * both[:, 1]), bias)


def _by_moments(rows: np.ndarray, y: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """The same from the second moments of the features."""
    rows = np.hstack([rows, np.ones((y.size, 1))])
    inner = (rows.T * cost) @ rows
    n = rows.shape[1] - 1
    inner[np.arange(n), np.arange(n)] += 1
    return solve_positive(inner, rows.T @ (cost * y))


def _conjugate_gradients(product: Solver, right: np.ndarray, precondition: Solver) -> np.ndarray:
    """Solutions of one system per column, all in the same passes."""
    found, residual = np.zeros_like(right), right
    conditioned = precondition(residual)
    direction, power = conditioned, _dots(residual, conditioned)
    enough = _FALL**2 * power
    for _ in range(_INNER_STEPS):
        image = product(direction)
        length = _ratio(power, _dots(direction, image))
        found, residual = found + length * direction, residual - length * image
        conditioned = precondition(residual)
        before, power = power, _dots(residual, conditioned)
        if (power <= enough).all():
            break
        direction = conditioned + _ratio(power, before) * direction
    return found


def _dots(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Inner products of the columns."""
    return np.einsum("ik,ik->k", left, right)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
