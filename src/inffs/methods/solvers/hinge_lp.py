"""The 1-norm SVM as a linear program, by column generation over the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

_PRICE = 1e-8  # a column whose gain exceeds its cost by this share enters the program
_NEAR = 0.97  # columns whose gain falls below this share of their cost are removed
_ZERO = 1e-8  # a weight below this share of the largest is zero
_TOLERANCE = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


@dataclass(frozen=True)
class LinearModel:
    """A solved problem: weights, bias, loss, and how close every feature is to entering."""

    weights: np.ndarray
    bias: float
    gains: np.ndarray
    loss: float


class HingeProgram:
    """min sum_i loss_i max(0, 1 - y_i (w.z_i + b)) + sum_j cost_j |w_j|, over w and b.

    Only a few columns take part: a program over them is solved with HiGHS, its dual prices every
    column, and those whose gain exceeds their cost enter, until none does: then the solution is
    that of the whole program. The columns are kept as a start for the next costs.
    """

    def __init__(self, Z: np.ndarray, side: np.ndarray, losses: np.ndarray) -> None:
        self.Z, self.side, self.losses = Z, side, losses
        self.columns = np.empty(0, dtype=np.intp)

    def solve(self, costs: np.ndarray) -> LinearModel:
        if np.ptp(self.side) == 0:
            n = self.Z.shape[1]
            return LinearModel(np.zeros(n), self.side[0], np.zeros(n), 0.0)
        while True:
            answer = self._solve_on_columns(costs)
            excess = answer.gains - costs
            excess[self.columns] = -np.inf
            entering = np.flatnonzero(excess > _PRICE * costs)
            if entering.size == 0:
                near = answer.gains[self.columns] > _NEAR * costs[self.columns]
                self.columns = self.columns[near]
                return answer
            most = max(20, self.columns.size // 2)
            best = np.argsort(-excess[entering], kind="stable")[:most]
            self.columns = np.sort(np.concatenate([self.columns, entering[best]]))

    def _solve_on_columns(self, costs: np.ndarray) -> LinearModel:
        T, part = self.side.size, self.columns
        block = self.Z[:, part] * -self.side[:, None]
        matrix = sparse.hstack(
            [
                sparse.csc_array(np.hstack([block, -block, -self.side[:, None]])),
                -sparse.eye_array(T),
            ],
            format="csc",
        )
        price = np.concatenate([costs[part], costs[part], [0.0], self.losses])
        limits = np.zeros((price.size, 2))
        limits[:, 1] = np.inf
        limits[2 * part.size, 0] = -np.inf
        result = _linprog(price, matrix, -np.ones(T), limits)
        weights = np.zeros(self.Z.shape[1])
        weights[part] = result.x[: part.size] - result.x[part.size : 2 * part.size]
        prices = -result.ineqlin.marginals
        size = np.abs(weights)
        return LinearModel(
            weights=np.where(size > _ZERO * max(0.1, size.max()), weights, 0.0),
            bias=float(result.x[2 * part.size]),
            gains=np.abs((prices * self.side) @ self.Z),
            loss=float(self.losses @ result.x[2 * part.size + 1 :]),
        )


def _linprog(price: np.ndarray, matrix: Any, right: np.ndarray, limits: np.ndarray) -> Any:
    # costs far below 1 would be lost in the absolute tolerances of the solver
    unit = price.max()
    # with costs close to zero, presolve occasionally reports a bounded program as unbounded
    for method, presolve in (("highs-ds", True), ("highs-ds", False), ("highs-ipm", False)):
        result = linprog(
            price / unit,
            A_ub=matrix,
            b_ub=right,
            bounds=limits,
            method=method,
            options={**_TOLERANCE, "presolve": presolve},
        )
        if result.status == 0:
            result.ineqlin.marginals = result.ineqlin.marginals * unit
            return result
    raise ValueError(
        f"The linear program was not solved ({result.message.strip()}); "
        "values of very different magnitude can cause this: scale the columns first."
    )
