"""Validate tables: form, names and values; also the target, the weights and the groups."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, validate_data

from inffs._utils.memory import available_memory
from inffs.target import MULTILABEL, Target, check_target, make_target
from inffs.validation.checks import (
    canonical,
    first_bad_value,
    first_unsquarable,
    has_finite_squares,
    looks_like_groups,
)
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import (
    count_missing,
    filled_with_zeros,
    has_missing,
    warn_of_empty_columns,
    weights_of_present,
)

IGNORING = "inf-fs-u, inf-fs-s, inf-fs-c, cfs, mi, fisher and ecfs"
_TIMES = ("date", "time", "duration", "period")  # how types of dates begin, in any library


def is_dask(X: Any) -> bool:
    """Whether X is a dask array or data frame."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr")


class CheckedInput(BaseEstimator):
    """Base of estimators that validate X and y.

    :class:`inffs.base.FeatureSelector` documents the class attributes.
    """

    _supervised = False
    _sparse = False
    _lazy = False
    _targets: tuple[str, ...] = ("classification",)
    _min_samples = 2
    _any_magnitude = False
    _ignores_missing = False
    missing: str = "refuse"
    target_type: str = "auto"

    def _weight_of_samples(self, X: Any, sample_weight: Any) -> np.ndarray | None:
        """The weights of a checked table; 0 for a sample without a value."""
        present = None if self.missing == "refuse" else weights_of_present(self.missing, X)
        if sample_weight is None:
            return present
        given = check_sample_weight(sample_weight, X.shape[0])
        return given if present is None else given * present

    def _check_target(self, X: Any, y: Any) -> Target | None:
        if not self._supervised:
            return None
        if y is None:
            raise ValueError(
                f"{type(self).__name__} is supervised: "
                "it requires y to be passed, but the target y is None."
            )
        y = as_numpy(y)
        check_consistent_length(X, y)
        return self._check_y(y)

    def _check_X(
        self,
        X: Any,
        reset: bool = True,
        min_samples: int | None = None,
        missing: str | None = None,
    ) -> Any:
        """The table as the method takes it; ``missing`` instead of the selector's own."""
        least = self._min_samples if min_samples is None else min_samples
        if type(X).__module__.startswith("anndata") and type(X).__name__ == "AnnData":
            raise TypeError(
                "An AnnData object is not a table: call inffs.select_genes(adata, key), or give "
                f"{type(self).__name__} its matrix, adata.X."
            )
        refuse_no_numbers(X)
        if is_dask(X):
            from inffs.validation.dask_table import DaskTable

            X = DaskTable.of(X)
        check = self._check_lazy if isinstance(X, LazyTable) else self._check_array
        return self._check_values(check(as_numpy(X), reset, least), missing or self.missing)

    def _check_values(self, X: Any, missing: str) -> Any:
        """The table; a value that cannot be ranked is named."""
        if has_finite_squares(X):  # one pass over the table
            return X
        if missing == "refuse" or not has_missing(X):
            self._refuse_bad_values(X)
            return X
        if not self._ignores_missing:
            row, column, _ = first_bad_value(X)  # type: ignore[misc]
            raise ValueError(
                f"X has NaN in column {self._name_of(column)}, row {row}, and "
                f"{type(self).__name__} needs every value: fill them in (SimpleImputer), or "
                f"use missing='ignore' with {IGNORING}."
            )
        warn_of_empty_columns(count_missing(X), X.shape[0], self._name_of)
        self._refuse_bad_values(filled_with_zeros(X))
        return X

    def _check_array(self, X: Any, reset: bool, min_samples: int) -> Any:
        try:
            checked = validate_data(
                self,
                canonical(X),
                accept_sparse="csc" if self._sparse else False,
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
                ensure_min_samples=min_samples,
                reset=reset,
            )
        except (TypeError, ValueError) as error:
            if "could not convert string" in str(error) or "must be a string or" in str(error):
                raise type(error)(_not_numeric(X, error)) from error
            raise
        return canonical(checked)

    def _check_lazy(self, X: LazyTable, reset: bool, min_samples: int) -> Any:
        """A table on disk stays there where the method works column by column.

        Another method reads it, if half of the free memory holds it.
        """
        if self._lazy:
            self._check_columns(X.shape[1], X.names, reset)
            if X.shape[0] < min_samples or X.shape[1] == 0:
                raise ValueError(
                    f"The table has {X.shape[0]} sample(s) and {X.shape[1]} feature(s): "
                    f"{type(self).__name__} needs at least {min_samples} and 1."
                )
            return X
        size, free = 8 * X.shape[0] * X.shape[1], available_memory()
        if size > free / 2:
            raise ValueError(
                f"{type(self).__name__} needs the whole table in memory: {X.shape[0]} x "
                f"{X.shape[1]} take {size / 2**30:.3g} GiB, but {free / 2**30:.3g} GiB are free. "
                "Take a method that leaves the table on disk, such as inf-fs-u, inf-fs-s or fisher."
            )
        whole = self._check_array(np.asarray(X), True, min_samples)
        self._check_columns(X.shape[1], X.names, reset=True)
        return whole

    def _refuse_bad_values(self, X: Any) -> None:
        bad = first_bad_value(X)
        if bad is not None:
            row, column, what = bad
            raise ValueError(
                f"X has {what} in column {self._name_of(column)}, row {row}: "
                "impute or drop it before ranking (NaN and infinity have no rank)."
            )
        huge = None if self._any_magnitude else first_unsquarable(X)
        if huge is not None:
            row, column, value = huge
            raise ValueError(
                f"X has {value:.3g} in column {self._name_of(column)}, row {row}, and the squares "
                "of such values leave the range of floating point: scale the column first."
            )

    def _check_columns(self, n: int, columns: Any, reset: bool) -> None:
        """Store, or compare, the number and the names of the columns of a table not in memory."""
        names = None if columns is None else np.array(list(columns), dtype=object)
        if reset:
            self.n_features_in_ = n
            if names is not None:
                self.feature_names_in_ = names
            return
        if n != self.n_features_in_:
            raise ValueError(
                f"X has {n} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        fitted = getattr(self, "feature_names_in_", None)
        if (names is None) != (fitted is None):
            sides = ("does not have", "with") if names is None else ("has", "without")
            warnings.warn(
                f"X {sides[0]} valid feature names, but {type(self).__name__} was fitted "
                f"{sides[1]} feature names",
                stacklevel=3,
            )
        elif names is not None and fitted is not None and (names != fitted).any():
            place = np.flatnonzero(names != fitted)[0]
            raise ValueError(
                f"The feature names should match those that were passed during fit: column "
                f"{place} is {names[place]!r} here and was {fitted[place]!r} there."
            )

    def _check_y(self, y: Any) -> Target:
        target = make_target(y, self.target_type)
        return self._note_target(check_target(target, type(self).__name__, self._targets))

    def _note_target(self, target: Target) -> Target:
        """Keep the type of the target, and its classes."""
        self.target_type_ = target.type
        if target.type == MULTILABEL:
            self.classes_ = np.array([0, 1])
        elif target.classes is not None:
            self.classes_ = target.classes
        return target

    def _name_of(self, column: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return str(column) if names is None else f"{names[column]!r} (position {column})"


def _not_numeric(X: Any, error: Exception) -> str:
    """Name the first column that holds text, and one that holds groups of samples."""
    columns = getattr(X, "columns", None)
    table = np.asarray(X, dtype=object)
    numbers, text = [], []
    for place in range(table.shape[1] if table.ndim == 2 else 0):
        try:
            numbers.append(table[:, place].astype(float))
        except (TypeError, ValueError):
            text.append(place)
    if not text:
        return str(error)

    def name_of(place: int) -> str:
        return str(place) if columns is None else f"{columns[place]!r} (position {place})"

    words = f"Column {name_of(text[0])} of X is not numeric ({error}): encode or drop it first."
    for place in text if numbers else ():
        if looks_like_groups(table[:, place], np.column_stack(numbers)):
            return (
                f"{words} Samples with the same value in column {name_of(place)} resemble each "
                "other: if these are several samples of one patient, leave the column out of X "
                "and pass it to fit as groups."
            )
    return words


def check_sample_weight(sample_weight: Any, T: int) -> np.ndarray:
    """T finite numbers that are not negative and not all zero, or a sentence."""
    try:
        weight = np.asarray(as_numpy(sample_weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers ({error}).") from error
    weight = np.full(T, float(weight)) if weight.ndim == 0 else weight
    if weight.shape != (T,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but X has {T} samples: give a number "
            "for each."
        )
    wrong = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if wrong.size:
        raise ValueError(
            f"sample_weight is {weight[wrong[0]]:g} in row {wrong[0]}: weights count samples, so "
            "give finite numbers of 0 or more."
        )
    if not weight.any():
        raise ValueError(
            "All sample weights are zero, so no sample is left: give some a weight above 0."
        )
    return weight


def check_groups(groups: Any, T: int) -> np.ndarray:
    """A group per sample, or a sentence."""
    found = np.asarray(as_numpy(groups))
    if found.shape != (T,):
        raise ValueError(
            f"groups has shape {found.shape}, but X has {T} samples: give a group for each."
        )
    return found


def is_foreign(X: Any) -> bool:
    """Whether X is a tensor or an array of another library than NumPy and dispatch is on."""
    if isinstance(X, np.ndarray) or not get_config()["array_api_dispatch"]:
        return False
    return hasattr(X, "__dlpack__") and hasattr(X, "shape")


def as_numpy(X: Any) -> Any:
    """A foreign array as NumPy sees it, without a copy where both can share; others as they are.

    Everything here is computed with NumPy on the processor.
    """
    if not is_foreign(X):
        return X
    try:
        return np.asarray(X)
    except (TypeError, RuntimeError, ValueError) as error:
        name = f"{type(X).__module__.split('.')[0]}.{type(X).__name__}"
        raise TypeError(
            f"inffs computes with NumPy and cannot read this {name} ({error}): give it one that "
            "lies in the memory of the processor and carries no gradient, X.detach().cpu()."
        ) from error


def refuse_no_numbers(X: Any) -> None:
    """Raise if X is a query that has no values yet, or a frame with a column of dates or times."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame, which holds no values yet: give X.collect().")
    schema = getattr(X, "schema", None)
    kinds = getattr(schema, "types", None) or getattr(X, "dtypes", None)
    if kinds is None or callable(kinds):
        kinds = [X.dtype] * (getattr(X, "ndim", 0) == 2) if hasattr(X, "dtype") else []
    times = {kind for kind in set(kinds) if str(kind).lower().startswith(_TIMES)}
    if times:
        place = next(place for place, kind in enumerate(kinds) if kind in times)
        names = getattr(X, "column_names", None) or getattr(X, "columns", None)
        name = place if names is None else repr(names[place])
        raise ValueError(
            f"Column {name} of X holds dates or times ({list(kinds)[place]}): turn them into "
            "numbers, such as days since a first day, or drop the column."
        )


def take_columns(X: Any, columns: np.ndarray) -> Any:
    """Columns of a foreign array, as an array of the same library on the same device."""
    from sklearn.utils._array_api import device, get_namespace

    xp = get_namespace(X)[0]
    return xp.take(X, xp.asarray(columns, device=device(X)), axis=1)
