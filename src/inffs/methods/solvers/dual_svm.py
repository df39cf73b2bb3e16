"""A linear SVM solved in the dual by an active set, updated while features are removed.

libsvm starts anew after every removal and stores the Gram matrix in single precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from scipy.linalg.blas import dger

TOLERANCE = 1e-8  # the largest violation of the optimality conditions
_EPS = np.finfo(float).eps
_SINGULAR = 1e-10  # a pivot below this share of its scale counts as zero
_DRAINED = 1e-6  # a Gram matrix of which less is left holds mostly rounding


class NotSolvedError(Exception):
    """The active set did not converge; the caller falls back to another solver."""


@contextmanager
def finite_steps() -> Iterator[None]:
    """Raise NotSolvedError on overflow and division by zero."""
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        try:
            yield
        except FloatingPointError as error:
            raise NotSolvedError from error


class DualSVM:
    """min 1/2 b'Kb - y'b, sum b = 0, 0 <= y_i b_i <= C_i: the soft-margin SVM with free bias.

    ``coef`` is b = y * alpha, so the weights are X'b. The samples held on the margin are ``free``;
    the inverse of their bordered Gram matrix [[K_FF, 1], [1', 0]] is kept, with zero rows for all
    other samples, and changed by rank-one steps: when a sample enters or leaves, and when a
    feature does.

    Time O(T^2) per step and a few steps per feature; memory 2 T^2.
    """

    def __init__(self, gram: np.ndarray, y: np.ndarray, bound: np.ndarray) -> None:
        T = y.size
        self._take(gram)
        self.y = y
        self.low, self.high = np.minimum(0.0, y * bound), np.maximum(0.0, y * bound)
        self.coef = np.zeros(T)
        self.free = np.zeros(T, dtype=bool)
        self._inverse = np.zeros((T + 1, T + 1), order="F")
        self._padded = np.zeros(T + 1)
        self.bias = 0.0

    def _take(self, gram: np.ndarray) -> None:
        self.gram = np.array(gram, dtype=np.float64, order="F")
        self._whole = self.gram.diagonal().copy()

    @property
    def drained(self) -> bool:
        """Whether so much was removed that a new Gram matrix is needed."""
        return bool((self.gram.diagonal() < _DRAINED * self._whole).any())

    @finite_steps()
    def solve(self) -> np.ndarray:
        """Move from the current coefficients to the optimum, and return it."""
        for _ in range(100 + 20 * self.y.size):
            if not self.free.any() and self._seed():
                return self.coef
            if not self._minimise_over_free():
                continue
            entering, violation = self._worst()
            if violation <= self._tolerance():
                return self.coef
            self._enter(entering)
        raise NotSolvedError

    @finite_steps()
    def replace_gram(self, gram: np.ndarray) -> None:
        """Continue with another Gram matrix from the same coefficients."""
        self._take(gram)
        self._refactor()

    @finite_steps()
    def drop_feature(self, column: np.ndarray) -> None:
        """Remove one feature from the Gram matrix (call ``solve`` afterwards)."""
        while self.free.any():
            part = self._pad(column * self.free, 0.0)
            step = self._inverse @ part
            left = 1.0 - part @ step
            if left > _SINGULAR:
                self._add_outer(step, 1.0 / left)
                break
            self._move(step[:-1] * (1.0 if column @ self.coef >= 0 else -1.0), np.inf)
        self.gram = dger(-1.0, column, column, a=self.gram, overwrite_a=1)

    def _seed(self) -> bool:
        """Start the free set with the two most violating samples; True if none violates."""
        gradient = self.y - self.gram @ self.coef
        rise = np.where(self.coef < self.high, gradient, -np.inf)
        fall = np.where(self.coef > self.low, gradient, np.inf)
        first, last = int(np.argmax(rise)), int(np.argmin(fall))
        if rise[first] - fall[last] <= self._tolerance():
            return True
        self._begin(first)
        self._enter(last)
        return False

    def _begin(self, sample: int) -> None:
        self.free[:] = False
        self.free[sample] = True
        self._inverse[:] = 0.0
        self._inverse[sample, -1] = self._inverse[-1, sample] = 1.0
        self._inverse[-1, -1] = -self.gram[sample, sample]

    def _minimise_over_free(self) -> bool:
        """Newton steps on the free samples; False if a bound stopped them."""
        for attempt in range(8):
            self._gradient = self.y - self.gram @ self.coef
            right = self._pad(self._gradient * self.free, -self.coef.sum())
            answer = self._inverse @ right
            self.bias = answer[-1]
            if attempt:
                rest = np.abs((self._gradient - self.bias) * self.free).max()
                if rest <= max(0.01 * TOLERANCE, 8 * self._rounding()):
                    return True
            if self._move(answer[:-1], 1.0):
                return False
            if attempt == 4:
                self._refactor()
        raise NotSolvedError

    def _worst(self) -> tuple[int, float]:
        """The sample off the margin that violates its optimality condition most."""
        push = self._gradient - self.bias
        violation = np.where(
            push > 0, (self.coef < self.high) * push, (self.coef > self.low) * -push
        )
        violation[self.free] = 0.0
        worst = int(violation.argmax())
        return worst, float(violation[worst])

    def _enter(self, sample: int) -> None:
        """Add a sample to the free set; remove one if they are linearly dependent."""
        own = self.gram[sample, sample]
        while self.free.any():
            border = self._pad(self.gram[:, sample] * self.free, 1.0)
            solved = self._inverse @ border
            pivot = own - border @ solved
            solved[sample] = -1.0
            if pivot > _SINGULAR * abs(own):
                self._add_outer(solved, 1.0 / pivot)
                self.free[sample] = True
                return
            push = self.y[sample] - self.gram[:, sample] @ self.coef - self.bias
            if self._move(solved[:-1] * (-1.0 if push >= 0 else 1.0), np.inf) == sample + 1:
                return

    def _leave(self, sample: int) -> None:
        self.free[sample] = False
        row = self._inverse[:, sample].copy()
        if row[sample] > 0 and self.free.any():
            self._add_outer(row, -1.0 / row[sample])
        else:
            self.free[:] = False
            self._inverse[:] = 0.0
        self._inverse[:, sample] = self._inverse[sample] = 0.0

    def _move(self, direction: np.ndarray, longest: float) -> int:
        """Move the coefficients until one reaches its bound, which leaves the free set.

        Returns 1 + the sample that reached its bound, or 0 after a full step.
        """
        goal = np.where(direction > 0, self.high, self.low)
        moving = direction != 0
        with np.errstate(over="ignore"):  # infinite: no bound on this side
            room = np.divide(
                goal - self.coef, direction, out=np.full(goal.size, np.inf), where=moving
            )
        first = int(room.argmin())
        step = min(longest, max(0.0, room[first]))
        if not np.isfinite(step):
            raise NotSolvedError
        self.coef += step * direction
        if step >= longest:
            return 0
        self.coef[first] = goal[first]
        if self.free[first]:
            self._leave(first)
        return first + 1

    def _refactor(self) -> None:
        """Compute the inverse anew; free samples that depend on others are set aside."""
        members = np.flatnonzero(self.free)
        if members.size == 0:
            return
        bordered = np.ones((members.size + 1, members.size + 1))
        bordered[-1, -1] = 0.0
        bordered[:-1, :-1] = self.gram[np.ix_(members, members)]
        try:
            inverse = np.linalg.inv(bordered)
            sound = np.abs(bordered @ inverse - np.eye(members.size + 1)).max() < 1e-6
        except np.linalg.LinAlgError:
            sound = False
        self._begin(members[0])
        if sound:
            self.free[members] = True
            places = np.append(members, self.y.size)
            self._inverse[np.ix_(places, places)] = inverse
            return
        for sample in members[1:]:
            self._enter(sample)

    def _add_outer(self, vector: np.ndarray, factor: float) -> None:
        self._inverse = dger(factor, vector, vector, a=self._inverse, overwrite_a=1)

    def _pad(self, values: np.ndarray, last: float) -> np.ndarray:
        self._padded[:-1] = values
        self._padded[-1] = last
        return self._padded

    def _rounding(self) -> float:
        """About the rounding error of a decision value."""
        return float(_EPS * self.gram.diagonal().max() * np.abs(self.coef).sum())

    def _tolerance(self) -> float:
        return max(TOLERANCE, 64 * self._rounding())
