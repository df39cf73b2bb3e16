"""What y may be: class labels, several 0 / 1 labels, numbers. Anything else gets a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

_MOST_CLASSES = 20  # whole numbers of more values, on over a fifth of the samples, are measured


def check_target(y: Any, asker: str, targets: tuple[str, ...]) -> tuple[np.ndarray | None, Any]:
    """The classes and the codes 0 ... G-1 of labels; (None, numbers) of a continuous target.

    ``asker`` names who needs y, ``targets`` what it takes: "classes", "multi-label" (then codes is
    the 0 / 1 matrix), "continuous".
    """
    refuse_missing(y)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind == "multilabel-indicator" and "multi-label" in targets:
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=int)
        return np.array([0, 1]), labels
    if kind.startswith("multilabel") or kind.endswith("multioutput"):
        raise ValueError(
            f"y has {np.shape(y)[1]} columns (Unknown label type: {kind}); {asker} takes one "
            "column of class labels. inf-fs-s, fisher and mi take several 0 / 1 columns "
            "(multi-label)."
        )
    if "continuous" in targets and (kind == "continuous" or _are_measured(y)):
        return None, _varying_numbers(y)
    if kind != "continuous":
        return _class_codes(y, asker)
    raise ValueError(
        f"y is continuous (Unknown label type: {kind}); {asker} needs class labels: bin y into "
        "classes first, use a method that takes numbers (inf-fs-s, inf-fs-c, fisher, mi, mrmr, "
        "...), or an unsupervised method (inf-fs-u, laplacian, ...), which ignores y."
    )


def _are_measured(y: Any) -> bool:
    """Whether whole numbers are too many different ones to be classes."""
    values = np.asarray(y)
    if values.dtype.kind not in "iuf":
        return False
    different = np.unique(values).size
    return different > _MOST_CLASSES and different > values.size / 5


def refuse_missing(y: Any) -> None:
    """Refuse labels of which one is missing, naming its row."""
    missing = y.isna() if hasattr(y, "isna") else _missing(y)
    rows = np.flatnonzero(np.asarray(missing))
    if rows.size:
        raise ValueError(
            f"Input y contains NaN: row {rows[0] // max(1, np.asarray(missing)[0].size)} has no "
            "label. Drop such samples, or give them a label of their own."
        )


def _missing(y: Any) -> np.ndarray:
    values = np.asarray(y) if not hasattr(y, "toarray") else y.data
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape[:1], dtype=bool)
    return np.array([_is_missing(value) for value in values.ravel()]).reshape(values.shape)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return True


def _class_codes(y: Any, asker: str) -> tuple[np.ndarray, np.ndarray]:
    classes, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"y has only one class ({classes.tolist()[0]!r}): {asker} needs at least two; use an "
            "unsupervised method (inf-fs-u) where there is one."
        )
    return classes, codes


def _varying_numbers(y: Any) -> np.ndarray:
    numbers = column_or_1d(y, warn=True).astype(np.float64)
    if np.ptp(numbers) == 0:
        raise ValueError(f"y is {numbers[0]:.3g} in every row: there is nothing to explain.")
    return numbers
