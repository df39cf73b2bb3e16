"""Missing values: refused, or left out of every measure."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.threads import over_columns
from inffs._utils.words import counted
from inffs.validation.lazy import LazyTable
from inffs.validation.preparation import Preparation

MISSING = ("refuse", "ignore")


class FewValuesWarning(UserWarning):
    """A column has fewer than half of its values."""


def count_missing(X: Any, axis: int = 0) -> np.ndarray:
    """How many values of every column (of every sample: axis 1) are NaN, dense, CSC or lazy."""
    if isinstance(X, LazyTable):
        parts = over_columns(X, partial(count_missing, axis=axis))
        return np.sum(parts, axis=0) if axis else np.concatenate(parts)
    if sparse.issparse(X):
        places = X.indices if axis else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
        return np.bincount(places[np.isnan(X.data)], minlength=X.shape[1 - axis])
    return np.count_nonzero(np.isnan(X), axis=axis)


def has_missing(X: Any) -> bool:
    """Whether any value is NaN."""
    return any(over_columns(X, _any_nan))


def _any_nan(block: Any) -> bool:
    return bool(np.isnan(block.data if sparse.issparse(block) else block).any())


def filled_with_medians(X: Any) -> Any:
    """The table with the median of its column in the place of every missing value."""
    if isinstance(X, LazyTable):
        return X.changed(Preparation(impute="median").filled)
    return Preparation(impute="median").filled(X)


def filled_with_zeros(X: Any) -> Any:
    """The table with 0 in the place of every missing value."""
    if isinstance(X, LazyTable):
        return X.changed(filled_with_zeros)
    if sparse.issparse(X):
        return type(X)((filled_with_zeros(X.data), X.indices, X.indptr), shape=X.shape)
    return np.where(np.isnan(X), 0.0, X)


def weights_of_present(missing: str, X: Any) -> np.ndarray | None:
    """The weights with which a selector measures the samples of a table with missing values.

    They are 1, and 0 for samples without a value; None where no value is left out.
    """
    if missing == "refuse" or not has_missing(X):
        return None
    return np.where(count_missing(X, axis=1) == X.shape[1], 0.0, 1.0)


def warn_of_empty_columns(counts: np.ndarray, T: int, name_of: Any) -> None:
    """Warn of the columns that have fewer than half of their values."""
    sentence = few_values(counts, T, name_of)
    if sentence:
        warnings.warn(sentence, FewValuesWarning, stacklevel=6)


def few_values(counts: np.ndarray, T: int, name_of: Any) -> str:
    """A sentence that names the first column with fewer than half of its values, if any."""
    thin = np.flatnonzero(2 * counts > T)
    if thin.size == 0:
        return ""
    first = f"Column {name_of(thin[0])} has {T - counts[thin[0]]:,} of {T:,} values"
    others = counted(thin.size - 1, "other column has", "other columns have")
    more = f", and {others} fewer than half" if thin.size > 1 else ""
    return f"{first}{more}: their results rest on these values alone."
