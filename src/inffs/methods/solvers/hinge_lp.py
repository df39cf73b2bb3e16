"""The 1-norm SVM as a linear program, by column generation over the features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from inffs.validation.checks import identical_columns

_PRICE = 1e-8  # a column whose gain exceeds its cost by this share enters the program
_NEAR = 0.97  # columns whose gain falls below this share of their cost are removed
_ZERO = 1e-8  # a weight below this share of the largest is zero
_OPTIONS = {
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
    "presolve": False,  # it takes longer than it saves
}


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
        self._copies = identical_columns(Z) < np.arange(Z.shape[1])  # the first one takes part

    def solve(self, costs: np.ndarray) -> LinearModel:
        if np.ptp(self.side) == 0:
            n = self.Z.shape[1]
            return LinearModel(np.zeros(n), self.side[0], np.zeros(n), 0.0)
        while True:
            answer = self._solve_on_columns(costs)
            excess = answer.gains - costs
            excess[self.columns] = excess[self._copies] = -np.inf
            entering = np.flatnonzero(excess > _PRICE * costs)
            if entering.size == 0:
                near = answer.gains[self.columns] > _NEAR * costs[self.columns]
                self.columns = self.columns[near]
                return answer
            most = max(20, self.columns.size // 2)
            best = np.argsort(-excess[entering], kind="stable")[:most]
            self.columns = np.sort(np.concatenate([self.columns, entering[best]]))

    def _solve_on_columns(self, costs: np.ndarray) -> LinearModel:
        """Solve the dual program: a price of at most its loss for every sample.

        No gain of a column exceeds its cost. The program always has a solution; its multipliers
        are the weights and the bias.
        """
        part, unit = self.columns, self.losses.max()
        gain = (self.Z[:, part] * self.side[:, None]).T
        result = linprog(
            np.full(self.side.size, -1.0),
            A_ub=np.vstack([gain, -gain]),
            b_ub=np.tile(costs[part], 2) / unit,
            A_eq=self.side[None],
            b_eq=[0.0],
            bounds=np.stack([np.zeros(self.side.size), self.losses / unit], axis=1),
            method="highs-ds",
            options=_OPTIONS,
        )
        if result.status != 0:
            raise ValueError(
                f"The linear program was not solved ({result.message.strip()}); "
                "values of very different magnitude can cause this: scale the columns first."
            )
        weights = np.zeros(self.Z.shape[1])
        weights[part] = np.diff(result.ineqlin.marginals.reshape(2, -1), axis=0)
        size, bias = np.abs(weights), -float(result.eqlin.marginals[0])
        margins = self.side * (self.Z[:, part] @ weights[part] + bias)
        return LinearModel(
            weights=np.where(size > _ZERO * max(0.1, size.max()), weights, 0.0),
            bias=bias,
            gains=np.abs((result.x * unit * self.side) @ self.Z),
            loss=float(self.losses @ np.maximum(0.0, 1 - margins)),
        )
