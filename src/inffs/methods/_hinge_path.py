"""The 1-norm SVM followed along its penalty, pivot by pivot, each stop certified."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

from inffs.methods._hinge_lp import Hinge, without_noise

_TIGHT = 1e-7
_CERTIFIED = 1e-9  # largest gap between the primal and the dual value


class Stuck(Exception):
    """A pivot was degenerate; the caller solves the next program from scratch."""


class HingePath:
    """Solutions of (1/T) hinge loss + lam |w|_1 for falling lam, from a known one.

    With E the samples on the margin and V the features in use, |E| = |V| + 1, the weights stand
    still while the dual variables of E are linear in lam (Zhu et al. 2003, Sec. 3). They end where
    one meets its bound (the sample leaves E) or the gain of another feature meets lam (it enters
    V); then the weights move, lam standing still, until a sample comes to the margin (it enters E)
    or a weight to zero (it leaves V). A pivot costs O(nT + |E|^3).
    """

    def __init__(self, Z: np.ndarray, side: np.ndarray, start: Hinge, lam: float) -> None:
        self.signed = Z * side[:, None]
        self.side, self.lam, self.cap = side, lam, 1 / side.size
        self.prices = np.clip(start.prices, 0.0, self.cap)
        self.weights, self.bias = start.weights.copy(), start.bias
        inside = (self.prices > _TIGHT * self.cap) & (self.prices < (1 - _TIGHT) * self.cap)
        self.edge = np.flatnonzero(inside)
        self.used = np.flatnonzero(self.weights)
        self._refresh()
        if self.used.size == 0 or np.abs(self.margins[self.edge] - 1).max(initial=0) > _TIGHT:
            raise Stuck

    def advance(self, lam: float) -> Hinge:
        """The solution at a smaller lam; raises Stuck where it cannot be certified."""
        for _ in range(50 + 10 * self.side.size):
            slope = self._solve(np.append(self.signs, 0.0), transposed=True)
            rise = slope @ self.signed[self.edge]
            way, event, which = self._next_event(slope, rise)
            if way >= self.lam - lam:
                self._shift(self.lam - lam, slope, rise)
                return self._certified()
            self._shift(way, slope, rise)
            self._pivot(event, which)
        raise Stuck

    def _refresh(self) -> None:
        self.gains = self.prices @ self.signed
        self.margins = self.signed[:, self.used] @ self.weights[self.used] + self.side * self.bias
        self._factorise()

    def _factorise(self) -> None:
        if self.edge.size != self.used.size + 1:
            raise Stuck
        self.signs = np.sign(self.gains[self.used])
        part = self.signed[np.ix_(self.edge, self.used)]
        self._matrix = np.column_stack([part, self.side[self.edge]])
        try:
            self._factor = lu_factor(self._matrix)
        except LinAlgWarning as warning:
            raise Stuck from warning

    def _solve(self, right: np.ndarray, transposed: bool = False) -> np.ndarray:
        answer = lu_solve(self._factor, right, trans=int(transposed))
        if not np.isfinite(answer).all():
            raise Stuck
        return answer

    def _next_event(self, slope: np.ndarray, rise: np.ndarray) -> tuple[float, str, int]:
        """How far lam falls until a price meets its bound or a gain meets lam."""
        price = self.prices[self.edge]
        goal = np.where(slope > 0, 0.0, self.cap)
        at_bound = _quotient(price - goal, slope, np.abs(slope) > 1e-14)
        above = _quotient(self.lam - self.gains, 1 - rise, 1 - rise > 1e-10)
        below = _quotient(self.lam + self.gains, 1 + rise, 1 + rise > 1e-10)
        meets = np.minimum(above, below)
        meets[self.used] = np.inf
        leaving, entering = int(at_bound.argmin()), int(meets.argmin())
        if at_bound[leaving] <= meets[entering]:
            return max(0.0, at_bound[leaving]), "leaves the margin", leaving
        return max(0.0, meets[entering]), "comes into use", entering

    def _shift(self, way: float, slope: np.ndarray, rise: np.ndarray) -> None:
        self.lam -= way
        self.prices[self.edge] -= way * slope
        self.gains -= way * rise

    def _pivot(self, event: str, which: int) -> None:
        extra = np.empty(0, dtype=int)
        if event == "leaves the margin":
            sample = self.edge[which]
            up = self.prices[sample] < self.cap / 2
            self.prices[sample] = 0.0 if up else self.cap
            target = np.zeros(self.edge.size)
            target[which] = 1.0 if up else -1.0
            direction = self._solve(target)
        else:
            sample, extra = -1, np.array([which])
            direction = -self._solve(self.signed[self.edge, which] * np.sign(self.gains[which]))
            direction = np.insert(direction, -1, np.sign(self.gains[which]))
        used = np.append(self.used, extra)
        self._move(used, direction[:-1], direction[-1], sample)

    def _move(self, used: np.ndarray, turn: np.ndarray, lift: float, leaving: int) -> None:
        """Move the weights until one is zero or a sample comes to the margin."""
        change = self.signed[:, used] @ turn + self.side * lift
        here = self.weights[used]
        vanish = _quotient(-here, turn, here * turn < 0)
        off = np.ones(self.side.size, dtype=bool)
        off[self.edge] = False
        arrive = _quotient(1 - self.margins, change, off & ((1 - self.margins) * change > 0))
        feature, sample = int(vanish.argmin()), int(arrive.argmin())
        step = min(vanish[feature], arrive[sample])
        if not np.isfinite(step):
            raise Stuck
        self.weights[used] += step * turn
        self.bias += step * lift
        self.margins += step * change
        edge = self.edge[self.edge != leaving]
        if vanish[feature] <= arrive[sample]:
            self.weights[used[feature]] = 0.0
            used = np.delete(used, feature)
        else:
            edge = np.append(edge, sample)
        self.edge, self.used = edge, used
        self._factorise()

    def _certified(self) -> Hinge:
        """The solution here, if primal and dual value agree."""
        solved = self._solve(np.ones(self.edge.size))
        self.weights[self.used], self.bias = solved[:-1], float(solved[-1])
        self._refresh()
        loss = float(np.maximum(0.0, 1 - self.margins).mean())
        primal = loss + self.lam * np.abs(self.weights).sum()
        infeasible = max(
            np.abs(self.gains).max() / self.lam - 1,
            -self.prices.min() / self.cap,
            self.prices.max() / self.cap - 1,
            abs(self.prices @ self.side),
        )
        if infeasible > _TIGHT or abs(primal - self.prices.sum()) > _CERTIFIED * max(1, primal):
            raise Stuck
        weights = without_noise(self.weights)
        return Hinge(weights, self.bias, np.abs(self.gains), loss, self.prices.copy())


def _quotient(above: np.ndarray, below: np.ndarray, where: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(above.size, np.inf), where=where)
