"""Near-duplicate columns (equal up to scale and rounding), found without comparing all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.threads import dense

SAME = 0.9999  # |correlation| of near-duplicates
_VALUES, _ROWS, _COMPARED = 2**23, 1000, 2000  # values, rows and columns that are looked at


def near_copies(X: Any) -> np.ndarray:
    """Pairs of near-duplicate columns of a matrix, dense or sparse by columns, (n_pairs, 2).

    The first column of a pair is the smaller one. Time O(n_samples n_features) for the search, and
    the square of what it finds, at most 2,000 columns, for the comparison.
    """
    places = _neighbours(X)[:_COMPARED]
    unit = _unit_columns(X[:, places])
    return places[np.argwhere(np.triu(np.abs(unit.T @ unit) > SAME, 1))]


def _neighbours(X: Any) -> np.ndarray:
    """Places of columns that point the same way as another one on some of the samples.

    Seen from six directions they fall into one cell of a grid, or of one moved by half a cell.
    """
    rows = slice(None, None, -(-X.shape[0] // _ROWS))
    block = X[:, : _VALUES // min(X.shape[0], _ROWS)]
    unit = _unit_columns(block.tocsr()[rows] if sparse.issparse(block) else block[rows])
    shadows = np.random.default_rng(0).normal(size=(6, unit.shape[0])) @ unit
    shadows *= np.where(shadows[0] < 0, -1.0, 1.0)
    found = [_in_one_cell(unit, shadows, moved) for moved in (0.0, 0.5)]
    return np.unique(np.concatenate(found))


def _in_one_cell(unit: np.ndarray, shadows: np.ndarray, moved: float) -> np.ndarray:
    cells = np.floor(2 * shadows + moved)
    order = np.lexsort((shadows[0], *cells))
    together = (cells[:, order[1:]] == cells[:, order[:-1]]).all(axis=0)
    first, second = order[:-1][together], order[1:][together]
    alike = np.abs(np.einsum("ij,ij->j", unit[:, first], unit[:, second])) > SAME
    return np.concatenate([first[alike], second[alike]])


def _unit_columns(X: Any) -> np.ndarray:
    """Centred columns of length 1, and of length 0 where they are constant."""
    block = dense(X).astype(np.float64, copy=False)
    centred = block - block.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    return np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0)
