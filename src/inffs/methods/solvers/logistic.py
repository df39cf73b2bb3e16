"""The losses of the hard-thresholding methods, without an intercept.

scikit-learn exposes neither the derivatives nor a Newton step on a subset of the features.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

_RIDGE = 1e-6


class Logistic:
    """f(x) = mean(log(1 + exp(a_i.x)) - b_i a_i.x), labels b 0 or 1; tiny ridge in derivatives.

    The ridge mu |x|^2 / 2 with mu = 1e-6 / T is added to the derivatives only, as published: it
    keeps systems solvable and weights finite where the classes are separable.
    """

    first_step = 4.0  # 1 / curvature of the loss along one standardised column

    def __init__(self, table: np.ndarray, label: np.ndarray) -> None:
        self.table, self.label = table, label
        self.ridge = _RIDGE / label.size

    def value(self, x: np.ndarray) -> float:
        margin = self._margin(x)
        return float(np.mean(np.logaddexp(0.0, margin) - self.label * margin))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        rest = expit(self._margin(x)) - self.label
        return rest @ self.table / self.label.size + self.ridge * x

    def curvature(self, x: np.ndarray) -> np.ndarray:
        """The weight of every sample in the Hessian."""
        share = expit(self._margin(x))
        return share * (1.0 - share) / self.label.size

    def newton(self, x: np.ndarray, rows: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Solve H_SS d = right on the features S; NaN where that fails."""
        part, weight = self.table[:, rows], self.curvature(x)
        try:
            if rows.size <= weight.size:
                hessian = (part.T * weight) @ part
                hessian[np.diag_indices(rows.size)] += self.ridge
                return cho_solve(cho_factor(hessian), right)
            return self._newton_in_samples(part, weight, right)
        except LinAlgError:
            return np.full(rows.size, np.nan)

    def _newton_in_samples(
        self, part: np.ndarray, weight: np.ndarray, right: np.ndarray
    ) -> np.ndarray:
        """The same by a T x T system (Woodbury), where more features than samples are kept."""
        root = np.sqrt(weight)[:, None] * part
        inner = root @ root.T
        inner[np.diag_indices(weight.size)] += self.ridge
        return (right - root.T @ cho_solve(cho_factor(inner), root @ right)) / self.ridge

    def _margin(self, x: np.ndarray) -> np.ndarray:
        used = np.flatnonzero(x)
        if used.size * 4 < x.size:
            return self.table[:, used] @ x[used]
        return self.table @ x


class LeastSquares(Logistic):
    """f(x) = mean((a_i.x - b_i)^2) / 2 for regression, with the same ridge in its derivatives."""

    first_step = 1.0

    def value(self, x: np.ndarray) -> float:
        rest = self._margin(x) - self.label
        return float(rest @ rest) / (2 * self.label.size)

    def gradient(self, x: np.ndarray) -> np.ndarray:
        rest = self._margin(x) - self.label
        return rest @ self.table / self.label.size + self.ridge * x

    def curvature(self, x: np.ndarray) -> np.ndarray:
        return np.full(self.label.size, 1 / self.label.size)


def largest(values: np.ndarray, size: int) -> np.ndarray:
    """Indices, rising, of the values of largest magnitude; ties go to the smaller index."""
    return np.sort(np.argsort(-np.abs(values), kind="stable")[:size])
