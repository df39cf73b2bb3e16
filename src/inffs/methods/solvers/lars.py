"""Least angle regression with the lasso rule, up to a number of non-zero coefficients.

scikit-learn's ``lars_path`` takes no ridge, or needs an n x n Gram matrix that contains it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr
from scipy.linalg.lapack import dtrtrs

_ENDED = 1e-13  # correlations below this share of the first are rounding


def lars_coefficients(
    X: np.ndarray, target: np.ndarray, size: int, ridge: np.ndarray
) -> np.ndarray:
    """Coefficients at the end of the step that first leaves ``size`` features active.

    The path is that of the lasso on the Gram matrix X'X + diag(ridge) (the elastic net's naive
    form), without intercept or scaling. Only the active block of the Gram matrix is ever made, as a
    Cholesky factor. If the path ends earlier, at a ridge solution on fewer features, that is
    returned. Time O(size T n + size^3), memory O(n + size T + size^2).
    """
    path = _Path(X, target, size, ridge)
    for _ in range(20 * size + 100):  # bounds the steps if features join and leave in turn
        if path.count >= size or not path.step():
            break
    coefficients = np.zeros(X.shape[1])
    coefficients[path.active[: path.count]] = path.values[: path.count]
    return coefficients


class _Path:
    """State of the path: the active features, their coefficients, all correlations.

    For an active feature, the correlation minus ridge times coefficient has the absolute value
    ``level``; for every other feature it is smaller. Each step lowers the level.
    """

    def __init__(self, X: np.ndarray, target: np.ndarray, size: int, ridge: np.ndarray) -> None:
        self.X, self.ridge = X, ridge
        self.correlation = target @ X
        self.joins = int(np.argmax(np.abs(self.correlation)))
        self.level = self.first_level = float(np.abs(self.correlation[self.joins]))
        self.count = 0
        self.active = np.empty(size, dtype=np.intp)
        self.values, self.signs = np.zeros(size), np.zeros(size)
        self.columns = np.empty((X.shape[0], size), order="F")
        self.factor = np.zeros((size, size))
        self.inactive = np.ones(X.shape[1], dtype=bool)
        self.dropped: tuple[int, float] | None = None

    def step(self) -> bool:
        """Advance until a feature joins or leaves; return False at the end of the path."""
        if self.level <= _ENDED * self.first_level:
            return False
        if self.dropped is None:
            self._join(self.joins)
        active = slice(self.count)
        direction = self._solve(self.signs[active])
        speed = (self.columns[:, active] @ direction) @ self.X
        length = self._way_to_next_join(speed)
        leaves, length = self._way_to_next_leave(direction, length)
        self.values[active] += length * direction
        self.correlation -= length * speed
        self.level -= length
        self.dropped = None
        if leaves is not None:
            self._drop(leaves)
        return True

    def _join(self, feature: int) -> None:
        m, column, ridge = self.count, self.X[:, feature], self.ridge[feature]
        cross = self.columns[:, :m].T @ column
        below = _solve_lower(self.factor[:m, :m], cross)
        # in exact arithmetic the pivot is at least the ridge
        pivot = max(column @ column + ridge - below @ below, ridge)
        self.factor[m, :m], self.factor[m, m] = below, np.sqrt(pivot)
        self.columns[:, m] = column
        self.active[m], self.values[m] = feature, 0.0
        self.signs[m] = np.sign(self.correlation[feature])
        self.inactive[feature] = False
        self.count += 1

    def _drop(self, place: int) -> None:
        feature, m = int(self.active[place]), self.count
        self.dropped = feature, float(self.signs[place])
        self.inactive[feature] = True
        for array in (self.active, self.values, self.signs):
            array[place : m - 1] = array[place + 1 : m]
        self.columns[:, place : m - 1] = self.columns[:, place + 1 : m].copy()
        kept = np.delete(self.factor[:m, :m], place, axis=0)
        upper = qr(kept.T, mode="r", check_finite=False)[0][: m - 1]
        self.factor[:m, :m] = 0.0
        self.factor[: m - 1, : m - 1] = (upper * np.sign(np.diag(upper))[:, None]).T
        self.count -= 1

    def _solve(self, right: np.ndarray) -> np.ndarray:
        lower = self.factor[: self.count, : self.count]
        return _solve_lower(lower, _solve_lower(lower, right), transposed=True)

    def _way_to_next_join(self, speed: np.ndarray) -> float:
        """The decrease of the level until another feature reaches it (to 0 if none does)."""
        length = self.level
        for sign in (1.0, -1.0):
            distance = np.maximum(self.level - sign * self.correlation, 0.0)
            closing = 1.0 - sign * speed
            meets = self.inactive & (closing > 0)
            if self.dropped is not None and self.dropped[1] == sign:
                meets[self.dropped[0]] = False
            way = np.divide(distance, closing, out=np.full_like(distance, np.inf), where=meets)
            nearest = int(np.argmin(way))
            if way[nearest] < length:
                length, self.joins = float(way[nearest]), nearest
        return length

    def _way_to_next_leave(self, direction: np.ndarray, length: float) -> tuple[int | None, float]:
        """The active feature whose coefficient reaches 0 first, if any, and the decrease to it."""
        values = self.values[: self.count]
        shrinks = values * direction < 0
        way = np.divide(-values, direction, out=np.full_like(values, np.inf), where=shrinks)
        first = int(np.argmin(way))
        return (first, float(way[first])) if way[first] < length else (None, length)


def _solve_lower(lower: np.ndarray, right: np.ndarray, transposed: bool = False) -> np.ndarray:
    if right.size == 0:
        return right
    return dtrtrs(lower, right, lower=1, trans=int(transposed))[0]
