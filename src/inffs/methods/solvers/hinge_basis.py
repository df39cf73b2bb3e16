"""The inverse of a square matrix that loses and gains rows and columns one by one.

Factorising the matrix anew at every change makes the path of the 1-norm SVM 2 to 4 times as long
where 200 to 500 features are in use.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger

_SOUND = 1e-9  # a pivot below this share of its scale needs a fresh inverse
_OFTEN = 100  # changes between two fresh inverses


class SingularBasisError(Exception):
    """The matrix is singular to working precision."""


class Basis:
    """An inverse B of a matrix M, changed in O(k^2) when a row or a column of M does.

    A change that would lose too much precision is refused: the method returns False, and the
    caller inverts the whole matrix anew.
    """

    def __init__(self, matrix: np.ndarray) -> None:
        try:
            self.inverse = np.asfortranarray(np.linalg.inv(matrix))
        except np.linalg.LinAlgError as error:
            raise SingularBasisError from error
        if not np.isfinite(self.inverse).all():
            raise SingularBasisError
        self._left = _OFTEN

    def replace_row(self, place: int, row: np.ndarray) -> bool:
        turned = row @ self.inverse
        pivot = turned[place]
        turned[place] -= 1.0
        return self._replace(self.inverse[:, place].copy(), turned, pivot)

    def replace_column(self, place: int, column: np.ndarray) -> bool:
        turned = self.inverse @ column
        pivot = turned[place]
        turned[place] -= 1.0
        return self._replace(turned, self.inverse[place].copy(), pivot)

    def grow(self, row: np.ndarray, column: np.ndarray, corner: float) -> bool:
        """Append a row and a column to the matrix."""
        down, across = self.inverse @ column, row @ self.inverse
        pivot = corner - row @ down
        if not self._bears(pivot, abs(corner) + np.abs(row) @ np.abs(down)):
            return False
        k = len(self.inverse)
        larger = np.empty((k + 1, k + 1), order="F")
        larger[:k, :k] = dger(1 / pivot, down, across, a=self.inverse, overwrite_a=1)
        larger[:k, k], larger[k, :k], larger[k, k] = -down / pivot, -across / pivot, 1 / pivot
        self.inverse = larger
        return True

    def shrink(self, row: int, column: int) -> bool:
        """Take a row and a column out of the matrix."""
        pivot = self.inverse[column, row]
        across, down = self.inverse[column].copy(), self.inverse[:, row].copy()
        if not self._bears(pivot, np.abs(down).max()):
            return False
        inverse = dger(-1 / pivot, down, across, a=self.inverse, overwrite_a=1)
        k = len(inverse) - 1
        smaller = np.empty((k, k), order="F")
        smaller[:column, :row], smaller[:column, row:] = _beside(inverse[:column], row)
        smaller[column:, :row], smaller[column:, row:] = _beside(inverse[column + 1 :], row)
        self.inverse = smaller
        return True

    def _replace(self, down: np.ndarray, across: np.ndarray, pivot: float) -> bool:
        if not self._bears(pivot, 1.0):
            return False
        self.inverse = dger(-1 / pivot, down, across, a=self.inverse, overwrite_a=1)
        return True

    def _bears(self, pivot: float, scale: float) -> bool:
        self._left -= 1
        return self._left > 0 and abs(pivot) > _SOUND * scale


def _beside(rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
    return rows[:, :column], rows[:, column + 1 :]
