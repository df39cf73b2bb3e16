"""What y may be: class labels, several 0 / 1 labels, numbers, survival times.

Anything else gets a sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from inffs.evaluation.kinds import Numbers, as_numbers
from inffs.validation.survival_times import check_survival, is_record

TARGETS = ("classes", "multi-label", "continuous", "survival")
_MOST_CLASSES = 20  # whole numbers of more values, on over a fifth of the samples, are measured


def kind_of_target(y: Any) -> str:
    """What y is by itself: "classes", "multi-label", "continuous", "survival", or "several".

    Numbers are continuous where they have decimals, or are whole with more than 20 values on more
    than a fifth of the samples, or are marked by :func:`as_numbers`.
    """
    if is_record(y):
        return "survival"
    if isinstance(y, Numbers):
        return "continuous"
    kind = type_of_target(y, input_name="y")
    if kind == "unknown":
        raise ValueError(f"Unknown label type: {_what_is_odd(y)}")
    if kind == "multilabel-indicator":
        return "multi-label"
    if kind.startswith("multilabel") or kind.endswith("multioutput"):
        return "several"
    return "continuous" if kind == "continuous" or _are_measured(y) else "classes"


def is_measured(y: np.ndarray) -> bool:
    """Whether these are numbers, and measurements rather than classes."""
    return y.ndim == 1 and y.dtype.kind in "iuf" and kind_of_target(y) == "continuous"


def check_target(y: Any, asker: str, targets: tuple[str, ...]) -> tuple[np.ndarray | None, Any]:
    """The classes and the codes 0 ... G-1 of labels; None and the target otherwise.

    ``asker`` names who needs y, ``targets`` what it takes: "classes", "multi-label" (then codes is
    the 0 / 1 matrix), "continuous" (numbers), "survival" (a structured array, event and time).
    """
    if is_record(y):
        if "survival" in targets:
            return None, check_survival(y)
        raise ValueError(
            f"y holds survival times; {asker} does not take them: inf-fs-s, fisher and mi do, and "
            "unsupervised methods (inf-fs-u, laplacian, ...) ignore y."
        )
    refuse_missing(y)
    kind = kind_of_target(y)
    if kind == "multi-label" and kind in targets:
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=int)
        return np.array([0, 1]), labels
    if kind in ("multi-label", "several"):
        raise ValueError(
            f"y has {np.shape(y)[1]} columns (Unknown label type: {type_of_target(y)}); {asker} "
            "takes one column of class labels. inf-fs-s, fisher and mi take several 0 / 1 columns "
            "(multi-label)."
        )
    if kind == "continuous" and kind in targets:
        return None, _varying_numbers(y)
    if kind == "continuous" and (isinstance(y, Numbers) or type_of_target(y) == "continuous"):
        raise ValueError(
            f"y is continuous (Unknown label type: {kind}); {asker} needs class labels: bin y into "
            "classes first, use a method that takes numbers (inf-fs-s, inf-fs-c, fisher, mi, mrmr, "
            "relieff, nhtp, ...), or an unsupervised method (inf-fs-u, laplacian, ...), which "
            "ignores y."
        )
    return _class_codes(y, asker)


def _what_is_odd(y: Any) -> str:
    """A sentence about labels that are neither numbers nor text."""
    values = np.asarray(y)
    if values.ndim != 1:
        return f"y has the shape {values.shape}; one label per sample is needed."
    plain = (str, bool, int, float, np.generic)
    row = next((row for row, each in enumerate(values) if not isinstance(each, plain)), None)
    if row is None:
        kinds = " and ".join(sorted({type(each).__name__ for each in values}))
        return f"y mixes {kinds}; make all of its labels text, or all of them numbers."
    return (
        f"y in row {row} is of type {type(values[row]).__name__}; labels are numbers, text or "
        "true / false, one per sample."
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
    """The numbers, marked, so that a part of them is not taken for classes."""
    numbers = as_numbers(column_or_1d(y, warn=True))
    if np.ptp(numbers) == 0:
        raise ValueError(f"y is {numbers[0]:.3g} in every row: there is nothing to explain.")
    return numbers


def varying_labels(y: np.ndarray) -> np.ndarray:
    """The labels without those that all or none have, which say nothing."""
    labels = y[:, np.ptp(y, axis=0) > 0]
    if labels.shape[1] == 0:
        raise ValueError("Every label of y is the same in all rows: there is nothing to learn.")
    return labels
