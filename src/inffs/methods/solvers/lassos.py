"""Each sample as a sparse combination of the others: T lassos that share one Gram matrix.

Accelerated proximal gradient runs on all T columns at once, so each step is a matrix product;
scikit-learn's ``Lasso`` solves one column per call. Only products with Z Z' are needed: with the
T x T matrix for T <= d, else with Z of shape (T, d).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


def represent_by_others(
    Z: np.ndarray, ratio: float, tolerance: float = 1e-3, max_steps: int = 10_000
) -> np.ndarray:
    """S (T, T): column i minimises |Z' s - z_i|^2 / 2 + l_i |s|_1 over s with s_i = 0.

    l_i = ratio * max_j |z_j . z_i|, j other than i. A column is done when its objective changes by
    at most ``tolerance`` (absolute), as in the published solver.
    """
    problem = _Problem(Z, ratio)
    run = problem.start()
    S = np.zeros_like(run.now)
    for _ in range(max_steps):
        last = run.objective
        moved = problem.advance(run)
        done = (moved <= 1e-20) | (np.abs(run.objective - last) <= tolerance)
        S[:, run.active[done]] = run.now[:, done]
        if done.all():
            return S
        run = run.without(done)
    S[:, run.active] = run.now
    return S


@dataclass
class _Run:
    """The columns that have not converged: iterates, their Gram products, and scalars."""

    active: np.ndarray
    now: np.ndarray
    now_product: np.ndarray
    before: np.ndarray
    before_product: np.ndarray
    curvature: np.ndarray
    momentum: np.ndarray
    momentum_before: np.ndarray
    objective: np.ndarray

    def without(self, done: np.ndarray) -> _Run:
        if not done.any():
            return self
        return _Run(*(getattr(self, field.name)[..., ~done] for field in fields(self)))


class _Problem:
    def __init__(self, Z: np.ndarray, ratio: float) -> None:
        self.Z = Z
        self.gram = Z @ Z.T
        self.through_gram = Z.shape[0] <= Z.shape[1]
        self.target = self.gram.copy()
        np.fill_diagonal(self.target, 0.0)
        self.penalty = ratio * np.abs(self.target).max(axis=0)
        self.half_norms = np.diag(self.gram) / 2

    def times_gram(self, V: np.ndarray) -> np.ndarray:
        return self.gram @ V if self.through_gram else self.Z @ (self.Z.T @ V)

    def start(self) -> _Run:
        """The correlations, scaled to the best multiple of themselves."""
        B = self.target
        product = self.times_gram(B)
        length = np.abs(B).sum(axis=0)
        bend = _column_dots(B, product)
        best = (_column_dots(B, B) - self.penalty * length) / np.where(bend > 0, bend, 1.0)
        scale = np.where((length < 1e-6) | (bend <= 0), 1.0, best)
        now, product, T = B * scale, product * scale, B.shape[0]
        return _Run(
            active=np.arange(T),
            now=now,
            now_product=product,
            before=now,
            before_product=product,
            curvature=np.ones(T),
            momentum=np.ones(T),
            momentum_before=np.zeros(T),
            objective=np.full(T, np.inf),
        )

    def advance(self, run: _Run) -> np.ndarray:
        """Make one accelerated step of every active column; return the squared step lengths."""
        ahead = (run.momentum_before - 1) / run.momentum
        point = run.now + ahead * (run.now - run.before)
        product = run.now_product + ahead * (run.now_product - run.before_product)
        run.before, run.before_product = run.now, run.now_product
        run.now, run.now_product, moved = self._proximal(run, point, product)
        run.momentum_before = run.momentum
        run.momentum = (1 + np.sqrt(4 * run.momentum**2 + 1)) / 2
        run.objective = self._objective(run)
        return moved

    def _proximal(
        self, run: _Run, point: np.ndarray, product: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Soft-threshold a gradient step; increase the curvature of a column as needed."""
        gradient = product - self.target[:, run.active]
        new, new_product = np.empty_like(point), np.empty_like(point)
        moved = np.empty(run.active.size)
        todo = np.arange(run.active.size)
        while todo.size:
            curvature = run.curvature[todo]
            trial = point[:, todo] - gradient[:, todo] / curvature
            trial = _soft_threshold(trial, self.penalty[run.active[todo]] / curvature)
            trial[run.active[todo], np.arange(todo.size)] = 0.0
            step = trial - point[:, todo]
            step_product = self.times_gram(step)
            moved[todo] = length = _column_dots(step, step)
            bend = _column_dots(step, step_product)
            new[:, todo], new_product[:, todo] = trial, product[:, todo] + step_product
            short = (length > 1e-20) & (bend > curvature * length)
            needed = np.divide(bend, length, out=np.zeros_like(bend), where=length > 0)
            run.curvature[todo[short]] = np.maximum(2 * curvature, needed)[short]
            todo = todo[short]
        return new, new_product, moved

    def _objective(self, run: _Run) -> np.ndarray:
        fit = _column_dots(run.now, run.now_product / 2 - self.target[:, run.active])
        size = self.penalty[run.active] * np.abs(run.now).sum(axis=0)
        return fit + size + self.half_norms[run.active]


def _soft_threshold(values: np.ndarray, by: np.ndarray) -> np.ndarray:
    return np.sign(values) * np.maximum(np.abs(values) - by, 0.0)


def _column_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", A, B)
