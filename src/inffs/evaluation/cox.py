"""Cox's proportional hazards with a ridge: 1/2 |w|^2 - C log partial likelihood, by Newton."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from inffs.evaluation.risk_sets import RiskSets

_STEPS, _HALVINGS, _ROUNDING = 50, 30, 1e-14


def cox_path(
    X: np.ndarray, time: np.ndarray, event: np.ndarray, Cs: Sequence[float]
) -> list[np.ndarray]:
    """The weights of every C, each from where the last one ended.

    Ties by Efron's approximation (1977). Where there are more columns than samples the work is done
    in the space of the samples. Time O(T r^2 + r^3) a Newton step, r the lesser of T and n.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns of mean 0.
    time, event : ndarray of shape (n_samples,)
        Times, and whether the event happened.
    Cs : sequence of float
        Weights of the likelihood against the ridge.
    """
    basis = _basis(X)
    risk = RiskSets.of(time, event)
    Z = (X @ basis)[risk.late_first]
    inside, found = np.zeros(Z.shape[1]), {}
    for C in sorted(Cs):
        inside = _minimise(Z, risk, C, inside)
        found[C] = basis @ inside
    return [found[C] for C in Cs]


def _basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the rows of X: every solution is a mixture of them."""
    T, n = X.shape
    if n <= T:
        return np.eye(n)
    values, vectors = linalg.eigh(X @ X.T)
    kept = values > 1e-12 * max(values[-1], np.finfo(float).tiny)
    return X.T @ (vectors[:, kept] / np.sqrt(values[kept]))


def _minimise(Z: np.ndarray, risk: RiskSets, C: float, w: np.ndarray) -> np.ndarray:
    """Newton steps, halved until the value falls."""
    value = _value(Z, risk, C, w)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(Z, risk, C, w)
        step = linalg.solve(curvature, -slope, assume_a="pos")
        rounding = _ROUNDING * (1 + abs(value))
        if -(slope @ step) <= rounding:
            w = w + step
            break
        for halving in range(_HALVINGS):
            new = w + 0.5**halving * step
            value_new = _value(Z, risk, C, new)
            if value_new <= value + 1e-4 * 0.5**halving * (slope @ step) + rounding:
                w, value = new, value_new
                break
        else:
            break
    return w


def _value(Z: np.ndarray, risk: RiskSets, C: float, w: np.ndarray) -> float:
    risks = Z @ w
    top = risks.max()
    total = np.log(risk.sums(np.exp(risks - top))) + top
    return float(0.5 * (w @ w) - C * (risks[risk.died] - total).sum())


def _derivatives(
    Z: np.ndarray, risk: RiskSets, C: float, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of the value."""
    risks = Z @ w
    weight = np.exp(risks - risks.max())
    total = risk.sums(weight)
    hazard = weight * risk.spread(1 / total)
    means = risk.sums(weight[:, None] * Z) / total[:, None]
    slope = w - C * (Z[risk.died].sum(axis=0) - hazard @ Z)
    curvature = C * ((Z.T * hazard) @ Z - means.T @ means)
    curvature[np.diag_indices(w.size)] += 1.0
    return slope, curvature
