"""Arrays of other libraries under scikit-learn's ``array_api_dispatch``: read here, given back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config


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


_TIMES = ("date", "time", "duration", "period")  # how types of dates begin, in any library


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
