"""Newton's method for one squared-hinge SVM with a free intercept, from C to C.

The objective 1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i (w'x_i + b))^2 is quadratic as long as the
samples inside the margin (the active ones) stay the same, so a Newton step lands on the minimum of
the present piece; an exact line search makes every step go down, and the method ends at the
minimum itself after a handful of steps (Keerthi, DeCoste 2005, JMLR 6; Chapelle 2007, Neural
Computation 19).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

_STEPS = 200
_SMALL = 1e-10  # share of the objective that the last step may promise
_LINE_STEPS = 60
_EXACT = 1e-6  # share of the first slope that counts as zero


class PrimalNewton:
    """Solves for the weights: time O(changes n^2 + n^3) per step, memory O(n^2).

    The active samples' second moments are kept and changed by the samples that enter or leave;
    those of all samples, where every problem starts, are shared by all labels.
    """

    def __init__(self, X: Any, weights: np.ndarray) -> None:
        T = X.shape[0]
        one = np.ones((T, 1))
        self._rows: Any = np.hstack([X, one]) if not sparse.issparse(X) else None
        if self._rows is None:
            self._rows = sparse.hstack([X, one], format="csr")
        self._weights = weights
        self._penalty = np.append(np.ones(X.shape[1]), 0.0)
        self._whole = self._moments(np.arange(T), weights)

    def path(self, y: np.ndarray, Cs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of shape (len(Cs), n_features) and intercepts (len(Cs),) for labels -1 and 1."""
        self._y, self._counted = y, np.ones(y.size, dtype=bool)
        self._now = self._whole
        z, values, found = np.zeros(self._penalty.size), np.zeros(y.size), []
        for C in Cs:
            z, values = self._solve(z, values, C)
            found.append(z)
        path = np.array(found)
        return path[:, :-1], path[:, -1]

    def _solve(self, z: np.ndarray, values: np.ndarray, C: float) -> tuple[np.ndarray, np.ndarray]:
        cost = C * self._weights
        for _ in range(_STEPS):
            slack = 1 - self._y * values
            step = self._target(slack > 0, z, C) - z
            change = self._rows @ step
            w, d = self._penalty * z, self._penalty * step
            t, ended = _line(slack, self._y * change, cost, (w @ w, w @ d, d @ d))
            z, values = z + t * step, values + t * change
            if ended:
                break
        return z, values

    def _target(self, active: np.ndarray, z: np.ndarray, C: float) -> np.ndarray:
        """The minimum of the piece on which exactly these samples are active."""
        self._count(active)
        if not (active & (self._weights > 0)).any():
            return np.append(np.zeros(z.size - 1), z[-1])
        inner = 2 * C * self._now
        inner.flat[:: z.size + 1] += self._penalty
        pull = 2 * C * (self._rows.T @ (active * self._weights * self._y))
        return solve_positive(inner, pull)

    def _count(self, active: np.ndarray) -> None:
        changed = np.flatnonzero(active != self._counted)
        if changed.size > active.sum():
            self._now = self._moments(np.flatnonzero(active), self._weights[active])
        elif changed.size:
            sign = np.where(active[changed], 1.0, -1.0)
            self._now = self._now + self._moments(changed, sign * self._weights[changed])
        self._counted = active

    def _moments(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        part = self._rows[rows] if rows.size < self._rows.shape[0] else self._rows
        if sparse.issparse(part):
            return (part.multiply(weights[:, None]).T @ part).toarray()
        return (part.T * weights) @ part


class KernelNewton:
    """Solves for the samples' coefficients: time O(active^3) per step, memory O(n_samples^2).

    ``gram`` holds the inner products of the samples, or any positive semidefinite kernel.
    """

    def __init__(self, gram: np.ndarray, weights: np.ndarray) -> None:
        self._gram, self._weights = gram, weights

    def path(self, y: np.ndarray, Cs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (len(Cs), n_samples) and intercepts (len(Cs),) for labels -1 and 1."""
        coef, bias, inner = np.zeros(y.size), 0.0, np.zeros(y.size)
        coefs, biases = [], []
        for C in Cs:
            coef, bias, inner = self._solve(y, coef, bias, inner, C)
            coefs.append(coef)
            biases.append(bias)
        return np.array(coefs), np.array(biases)

    def _solve(
        self, y: np.ndarray, coef: np.ndarray, bias: float, inner: np.ndarray, C: float
    ) -> tuple[np.ndarray, float, np.ndarray]:
        """``inner`` is gram @ coef."""
        cost = C * self._weights
        for _ in range(_STEPS):
            slack = 1 - y * (inner + bias)
            target, goal = self._target(slack > 0, y, bias, cost)
            step, lift = target - coef, goal - bias
            moved = self._gram @ step
            quadratic = coef @ inner, coef @ moved, step @ moved
            t, ended = _line(slack, y * (moved + lift), cost, quadratic)
            coef, bias, inner = coef + t * step, bias + t * lift, inner + t * moved
            if ended:
                break
        return coef, bias, inner

    def _target(
        self, active: np.ndarray, y: np.ndarray, bias: float, cost: np.ndarray
    ) -> tuple[np.ndarray, float]:
        target, here = np.zeros(y.size), np.flatnonzero(active & (cost > 0))
        if not here.size:
            return target, bias
        inner = self._gram[here][:, here]
        inner.flat[:: here.size + 1] += 0.5 / cost[here]
        right = np.ones((here.size, 2))
        right[:, 0] = y[here]
        both = solve_positive(inner, right)
        goal = both[:, 0].sum() / both[:, 1].sum()
        target[here] = both[:, 0] - goal * both[:, 1]
        return target, float(goal)


def solve_positive(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of a positive definite system; the shortest one where rounding spoils that."""
    _, solution, failed = linalg.lapack.dposv(matrix, right)
    return linalg.lstsq(matrix, right)[0] if failed else solution


def _line(
    slack: np.ndarray, change: np.ndarray, cost: np.ndarray, quadratic: tuple
) -> tuple[float, bool]:
    """The exact minimum along a step, and whether it is the minimum itself.

    A full step that leaves every sample on its side of the margin lands on the minimum.
    ``quadratic`` holds |w|^2, w'd and |d|^2.
    """
    length, slope, curvature = quadratic
    if ((slack - change > 0) == (slack > 0)).all():
        return 1.0, True
    hinge = np.maximum(slack, 0)
    promised = 2 * (cost * change) @ hinge - slope
    one = (slack[:, None], change[:, None], cost[:, None], np.array([slope]), np.array([curvature]))
    t = float(exact_steps(*one)[0])
    return t, bool(promised <= _SMALL * (length + cost @ (hinge * hinge)))


def exact_steps(
    slack: np.ndarray, change: np.ndarray, cost: np.ndarray, slope: Any, curvature: Any
) -> np.ndarray:
    """The steps t that minimise the objectives of K problems along a direction each.

    An objective is (quadratic with this slope and curvature at 0) + sum_i cost_i max(0, slack_i - t
    change_i)^2, slack and change of shape (n_samples, K). Its derivative rises and is piecewise
    linear, so Newton's method inside a bracket ends after a few steps, each O(n_samples). A problem
    leaves when its step is found: most need two or three rounds, a few need many.
    """
    slack, change = np.ascontiguousarray(slack.T), np.ascontiguousarray(change.T)
    pull = 2 * cost.T * change
    enough = _EXACT * np.abs(slope - _dots(pull, np.maximum(slack, 0)))
    t, low, high = np.ones_like(slope), np.zeros_like(slope), np.full_like(slope, np.inf)
    here = np.arange(slope.size)
    for _ in range(_LINE_STEPS):
        along, by = change[here], pull[here]
        rest = np.maximum(slack[here] - t[here, None] * along, 0)
        derivative = slope[here] + t[here] * curvature[here] - _dots(by, rest)
        second = curvature[here] + _dots(by, np.where(rest > 0, along, 0))
        low[here], high[here] = (
            np.where(derivative < 0, t[here], low[here]),
            np.where(derivative > 0, t[here], high[here]),
        )
        waits = np.abs(derivative) > enough[here]
        here, derivative, second = here[waits], derivative[waits], second[waits]
        if not here.size:
            break
        t[here] = _inside(t[here], derivative, second, low[here], high[here])
    return t


def _inside(t: Any, derivative: Any, second: Any, low: Any, high: Any) -> Any:
    """Newton's next step where it lies inside the bracket, else the middle of the bracket."""
    with np.errstate(divide="ignore", invalid="ignore"):
        newton = t - derivative / second
        middle = np.where(high < np.inf, (low + high) / 2, 2 * low + 1e-3)
    return np.where((newton > low) & (newton < high), newton, middle)


def _dots(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Inner products of the rows."""
    return np.einsum("kt,kt->k", left, right)
