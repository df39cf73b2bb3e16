"""The lasso path for regression: (1/2T) |y - b - Zw|^2 + alpha |w|_1 for several alphas."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path

from inffs.methods.solvers.hinge_lp import Hinge
from inffs.methods.solvers.one_vs_rest import centre_and_scale, stratified_folds

_TOLERANCE, _MOST = 1e-8, 100_000


def walk_lasso(Z: np.ndarray, side: np.ndarray, alphas: Any) -> list[Hinge]:
    """The solution at every alpha, by coordinate descent; Z has columns of mean 0.

    A gain is |z_j . residual| / T. The feature enters where it reaches alpha.
    """
    target, falling = side - side.mean(), np.sort(np.asarray(alphas, dtype=float))[::-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, weights, _ = lasso_path(
            np.asfortranarray(Z), target, alphas=falling, tol=_TOLERANCE, max_iter=_MOST
        )
    rest = target[:, None] - Z @ weights
    gains = np.abs(Z.T @ rest) / side.size
    losses = (rest**2).mean(axis=0) / 2
    return [
        Hinge(w, float(side.mean()), gain, float(loss), left / side.size)
        for w, gain, loss, left in zip(weights.T, gains.T, losses, rest.T, strict=True)
    ]


def largest_alpha(Z: np.ndarray, side: np.ndarray) -> float:
    """The smallest alpha at which all weights are 0."""
    return max(float(np.abs((side - side.mean()) @ Z).max()) / side.size, np.finfo(float).tiny)


def explained(X: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """R2 over five folds taken together, for every alpha."""
    lost, total = np.zeros(alphas.size), float(((y - y.mean()) ** 2).sum())
    for train, test in stratified_folds(y):
        centre, scale = centre_and_scale(X[train])
        path = walk_lasso((X[train] - centre) / scale, y[train], alphas)
        Z = (X[test] - centre) / scale
        predicted = np.array([Z @ point.weights + point.bias for point in path])
        lost += ((predicted - y[test]) ** 2).sum(axis=1)
    return 1 - lost / total
