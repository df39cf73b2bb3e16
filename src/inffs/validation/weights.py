"""Weights of samples: how often each one counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import _fit_context

from inffs.validation.foreign import as_numpy
from inffs.validation.lazy import LazyTable

IGNORING = "inf-fs-u, inf-fs-s, inf-fs-c, cfs, mi, fisher and ecfs"


class TakesWeights:
    """A selector whose ``fit`` takes weights: its ``_score`` has a ``sample_weight``."""

    _weights = True
    _ignores_missing = True

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Any:
        """Rank the columns of X and decide which to keep.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Samples in rows, features in columns.
        y : array of shape (n_samples,), optional
            Class labels or numbers: needed by supervised methods, ignored by the others.
        sample_weight : array of shape (n_samples,), optional
            How often each sample counts: 2 is the sample twice, 0 leaves it out.
        groups : array of shape (n_samples,), optional
            Samples of one group (a patient) stay on one side of every split of the size rule.
        """
        return self._fit(X, y, sample_weight, groups)  # type: ignore[attr-defined]


def check_sample_weight(sample_weight: Any, T: int) -> np.ndarray:
    """T finite numbers that are not negative and not all zero, or a sentence."""
    try:
        weight = np.asarray(as_numpy(sample_weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers ({error}).") from error
    weight = np.full(T, float(weight)) if weight.ndim == 0 else weight
    if weight.shape != (T,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but X has {T} samples: a number for each."
        )
    wrong = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if wrong.size:
        raise ValueError(
            f"sample_weight is {weight[wrong[0]]:g} in row {wrong[0]}: weights count samples, so "
            "they are finite and not negative."
        )
    if not weight.any():
        raise ValueError("All sample weights are zero: no sample is left.")
    return weight


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """These rows of a checked table, dense, CSC or lazy."""
    if isinstance(X, LazyTable):
        return X.changed(lambda block: block[rows], rows.size)
    return X.tocsr()[rows].tocsc() if hasattr(X, "tocsr") else X[rows]


def check_groups(groups: Any, T: int) -> np.ndarray:
    """A group per sample, or a sentence."""
    found = np.asarray(as_numpy(groups))
    if found.shape != (T,):
        raise ValueError(
            f"groups has shape {found.shape}, but X has {T} samples: a group for each."
        )
    return found
