"""Solvers for one squared-hinge SVM with a free intercept, from C to C.

The objective 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w'x_i + b))^2 is quadratic as long as the
samples inside the margin (the active ones) stay the same, so a Newton step lands on the minimum of
the present piece; an exact line search makes every step go down, and the method ends at the
minimum itself after a handful of steps (Keerthi, DeCoste 2005, JMLR 6; Chapelle 2007, Neural
Computation 19).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, optimize, sparse

from inffs._utils.threads import dense

_STEPS = 200
_SMALL = 1e-10  # share of the objective that the last step may promise


class _Solver:
    """Solves for one C after the other, each from where the last one ended.

    What is solved for, and the intercept behind it, is one vector ``z``.
    """

    def __init__(self, size: int) -> None:
        self._size = size

    def path(self, y: np.ndarray, Cs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Solutions of shape (len(Cs), size) and intercepts (len(Cs),) for labels -1 and 1."""
        z, found = np.zeros(self._size + 1), []
        for C in Cs:
            z = self._solve(y, z, C)
            found.append(z)
        path = np.array(found)
        return path[:, :-1], path[:, -1]

    def _solve(self, y: np.ndarray, z: np.ndarray, C: float) -> np.ndarray:
        raise NotImplementedError


class _Newton(_Solver):
    """Newton's method with an exact line search."""

    def _solve(self, y: np.ndarray, z: np.ndarray, C: float) -> np.ndarray:
        values = self._values(z)
        for _ in range(_STEPS):
            slack = 1 - y * values
            active = slack > 0
            outside = np.append(np.zeros(self._size), z[-1])  # the minimum without active samples
            step = (self._target(active, y, C) if active.any() else outside) - z
            change = self._values(step)
            lengths = (
                self._inner(z, z, values), self._inner(z, step, change),
                self._inner(step, step, change),
            )  # fmt: skip
            t, ended = _line(slack, y * change, C, lengths)
            z, values = z + t * step, values + t * change
            if ended:
                break
        return z

    def _values(self, z: np.ndarray) -> np.ndarray:
        """The decision values of the samples."""
        raise NotImplementedError

    def _inner(self, z: np.ndarray, other: np.ndarray, values: np.ndarray) -> float:
        """The inner product of two vectors of weights; ``values`` are those of the other."""
        raise NotImplementedError

    def _target(self, active: np.ndarray, y: np.ndarray, C: float) -> np.ndarray:
        """The minimum of the piece on which exactly these samples are active."""
        raise NotImplementedError


class PrimalNewton(_Newton):
    """Solves for the weights: time O(changes n^2 + n^3) per step, memory O(n^2).

    The active samples' second moments are kept and changed by the samples that enter or leave;
    those of all samples, where every problem starts, are shared by all labels.
    """

    def __init__(self, X: Any) -> None:
        super().__init__(X.shape[1])
        one = np.ones((X.shape[0], 1))
        is_sparse = sparse.issparse(X)
        self._rows: Any = sparse.hstack([X, one], "csr") if is_sparse else np.hstack([X, one])
        self._penalty = np.append(np.ones(X.shape[1]), 0.0)
        self._whole = self._moments(np.ones(X.shape[0], dtype=bool))

    def path(self, y: np.ndarray, Cs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self._counted, self._now = np.ones(y.size, dtype=bool), self._whole
        return super().path(y, Cs)

    def _values(self, z: np.ndarray) -> np.ndarray:
        return self._rows @ z

    def _inner(self, z: np.ndarray, other: np.ndarray, values: np.ndarray) -> float:
        return float(z[:-1] @ other[:-1])

    def _target(self, active: np.ndarray, y: np.ndarray, C: float) -> np.ndarray:
        self._count(active)
        inner = 2 * C * self._now
        inner.flat[:: inner.shape[0] + 1] += self._penalty
        return _solve_positive(inner, 2 * C * (self._rows.T @ (active * y)))

    def _count(self, active: np.ndarray) -> None:
        entered, left = active & ~self._counted, self._counted & ~active
        if entered.sum() + left.sum() > active.sum():
            self._now = self._moments(active)
        else:
            self._now = self._now + self._moments(entered) - self._moments(left)
        self._counted = active

    def _moments(self, counted: np.ndarray) -> np.ndarray:
        part = self._rows if counted.all() else self._rows[counted]
        return dense(part.T @ part)


class KernelNewton(_Newton):
    """Solves for the samples' coefficients: time O(active^3) per step, memory O(n_samples^2).

    ``gram`` holds the inner products of the samples, or any positive semidefinite kernel.
    """

    def __init__(self, gram: np.ndarray) -> None:
        super().__init__(gram.shape[0])
        self._gram = gram

    def _values(self, z: np.ndarray) -> np.ndarray:
        return self._gram @ z[:-1] + z[-1]

    def _inner(self, z: np.ndarray, other: np.ndarray, values: np.ndarray) -> float:
        return float(z[:-1] @ (values - other[-1]))

    def _target(self, active: np.ndarray, y: np.ndarray, C: float) -> np.ndarray:
        target, here = np.zeros(y.size + 1), np.flatnonzero(active)
        inner = self._gram[here][:, here]
        inner.flat[:: here.size + 1] += 0.5 / C
        both = _solve_positive(inner, np.column_stack([y[here], np.ones(here.size)]))
        target[-1] = both[:, 0].sum() / both[:, 1].sum()
        target[here] = both[:, 0] - target[-1] * both[:, 1]
        return target


class Descent(_Solver):
    """Solves for the weights by L-BFGS, in the memory of the table itself."""

    def __init__(self, X: Any) -> None:
        super().__init__(X.shape[1])
        self._X = X

    def _solve(self, y: np.ndarray, z: np.ndarray, C: float) -> np.ndarray:
        options = {"maxiter": 10_000, "maxfun": 20_000, "ftol": 1e-13, "gtol": 1e-8}
        found = optimize.minimize(
            self._objective, z, (y, C), method="L-BFGS-B", jac=True, options=options
        )
        return found.x

    def _objective(self, z: np.ndarray, y: np.ndarray, C: float) -> tuple[float, np.ndarray]:
        """The objective and its gradient."""
        w, slack = z[:-1], np.maximum(0, 1 - y * (self._X @ z[:-1] + z[-1]))
        pull = -2 * C * slack * y
        return 0.5 * w @ w + C * slack @ slack, np.append(w + self._X.T @ pull, pull.sum())


def _solve_positive(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of a positive definite system; the shortest one where rounding spoils that."""
    _, solution, failed = linalg.lapack.dposv(matrix, right)
    return linalg.lstsq(matrix, right)[0] if failed else solution


def _line(
    slack: np.ndarray, change: np.ndarray, C: float, lengths: tuple[float, float, float]
) -> tuple[float, bool]:
    """The exact minimum along a step, and whether it is the minimum itself.

    A full step that leaves every sample on its side of the margin lands on the minimum. ``lengths``
    are |w|^2, w'd and |d|^2 of the weights w and the step d.
    """
    if ((slack - change > 0) == (slack > 0)).all():
        return 1.0, True
    length, slope, curvature = lengths
    pull, hinge = 2 * C * change, np.maximum(slack, 0)

    def derivative(t: float) -> float:
        return float(slope + t * curvature - pull @ np.maximum(slack - t * change, 0))

    promised, high = pull @ hinge - slope, 1.0
    if promised <= 0:
        return 0.0, True
    while derivative(high) < 0:
        high *= 2
    t = optimize.brentq(derivative, 0.0, high, rtol=1e-6)
    return t, bool(promised <= _SMALL * (length + C * hinge @ hinge))
