"""The target: the type and the values of y, determined once in ``fit``.

Survival times are a structured array with the fields event and time, as in scikit-survival.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

TARGET_TYPES = ("classification", "multilabel", "regression", "survival")
CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL = TARGET_TYPES
ASKED_TYPES = ("auto", CLASSIFICATION, REGRESSION)  # what ``target_type`` may be

_HAPPENED = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
_HAPPENED_IN_R = {"2": True, "2.0": True, "1": False, "1.0": False}

SURVIVAL_DTYPE = np.dtype([("event", np.bool_), ("time", np.float64)])


@dataclass(frozen=True)
class Target:
    """The values of the target and their type.

    A part of a target has the type and the classes of the whole.

    Parameters
    ----------
    type : {"classification", "multilabel", "regression", "survival"}
        The type.
    values : ndarray
        Codes 0 ... n_classes - 1, a matrix of 0 and 1 of shape (n_samples, n_labels), float64
        numbers of shape (n_samples,) or (n_samples, n_outputs), or a structured array of event and
        time.
    classes : ndarray, optional
        The class of every code (classification).
    ignored : ndarray of bool of shape (n_samples, n_labels), optional
        The samples that the average precision of a label leaves out (multilabel).

    See Also
    --------
    make_target : Makes one from y.

    Examples
    --------
    >>> from inffs.target import make_target
    >>> target = make_target(["b", "a", "b"])
    >>> target.type, target.values.tolist(), target.classes.tolist()
    ('classification', [1, 0, 1], ['a', 'b'])
    """

    type: str
    values: np.ndarray
    classes: np.ndarray | None = None
    ignored: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_classes(self) -> int:
        """How many classes there are, at least 2; 0 for another type."""
        return 0 if self.classes is None else max(2, self.classes.size)

    @property
    def has_several(self) -> bool:
        """Whether there are several outputs: labels, or columns of numbers."""
        return self.values.ndim == 2

    @property
    def counts(self) -> np.ndarray:
        """How many samples every class has (classification)."""
        return np.bincount(self.values, minlength=0 if self.classes is None else self.classes.size)

    def take(self, rows: np.ndarray) -> Target:
        """The target of some samples, in this order: of the same type, with the same classes."""
        ignored = None if self.ignored is None else self.ignored[rows]
        return replace(self, values=self.values[rows], ignored=ignored)

    def occurring(self) -> Target:
        """The same samples, with the classes that occur only: their codes have no gaps."""
        if self.classes is None:
            return self
        present, codes = np.unique(self.values, return_inverse=True)
        if present.size == self.classes.size:
            return self
        return replace(self, values=codes, classes=self.classes[present])

    def columns(self, rows: np.ndarray) -> np.ndarray:
        """Of shape (n_rows, n_outputs): -1 and 1 per class (one column for two) or label."""
        values = self.values[rows]
        if self.type == CLASSIFICATION:
            return signs(values, self.n_classes)
        if self.type == MULTILABEL:
            return 2.0 * values - 1.0
        return values.reshape(len(values), -1).astype(np.float64)

    def strata(self) -> np.ndarray:
        """The strata of stratified folds: classes, labels, events, or fifths of the numbers.

        Folds of several outputs are not stratified.
        """
        if self.type == SURVIVAL:
            return self.values["event"].astype(int)
        if self.type == REGRESSION and self.has_several:
            return np.zeros(len(self), dtype=int)
        if self.type == REGRESSION:
            T = len(self)
            places = np.argsort(np.argsort(self.values, kind="stable"))
            return np.asarray(min(5, max(1, T // 10)) * places // T)
        return self.values

    def original(self, rows: Any = slice(None)) -> np.ndarray:
        """The target of these samples as it was given."""
        return self.values[rows] if self.classes is None else self.classes[self.values[rows]]

    def predict(self, outputs: np.ndarray) -> np.ndarray:
        """Codes, labels or numbers from outputs of shape (n_rows, n_outputs)."""
        if self.type in (REGRESSION, SURVIVAL):
            return outputs if self.has_several else outputs[:, 0]
        if self.type == MULTILABEL or outputs.shape[1] == 1:
            positive = (outputs > 0).astype(int)
            return positive if self.type == MULTILABEL else positive[:, 0]
        return outputs.argmax(axis=1)


def is_record(y: Any) -> bool:
    """Whether y is a structured array, which can only hold survival times."""
    return getattr(getattr(y, "dtype", None), "names", None) is not None


def signs(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Targets -1 and 1 of shape (n_samples, machines): one machine for two classes."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)


def make_target(y: Any, target_type: str = "auto", *, ignored: np.ndarray | None = None) -> Target:
    """Make the target of y; under "auto" scikit-learn's ``type_of_target`` determines its type.

    Integers, text, booleans and floats that are whole numbers are classes. Floats with a fraction
    are regression, in one column or several. A matrix of 0 and 1 is multilabel, and a structured
    array of event and time is survival. A :class:`Target` is returned as it is.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The target as the user has it.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y is where it could be both.
    ignored : ndarray of bool of shape (n_samples, n_labels), optional
        What the average precision of a label leaves out.

    Returns
    -------
    Target

    See Also
    --------
    check_target : Whether a method can learn from it.

    Examples
    --------
    >>> from inffs.target import make_target
    >>> make_target([1, 3, 2, 1]).type, make_target([1, 3, 2, 1], "regression").type
    ('classification', 'regression')
    """
    if isinstance(y, Target):
        return y
    if target_type not in (*ASKED_TYPES, MULTILABEL, SURVIVAL):
        raise ValueError(f"target_type must be one of {ASKED_TYPES}, not {target_type!r}.")
    if is_record(y):
        return Target(SURVIVAL, check_survival(y))
    refuse_missing(y)
    y = _as_plain(y)
    found = _type_of(y) if target_type in ("auto", MULTILABEL) else target_type
    if found == MULTILABEL:
        labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=int)
        return Target(MULTILABEL, labels, ignored=ignored)
    from sklearn.utils.validation import column_or_1d

    if found == REGRESSION and np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return Target(REGRESSION, _numbers(np.asarray(y)))
    column = column_or_1d(y, warn=True)
    if found == REGRESSION:
        return Target(REGRESSION, _numbers(column))
    classes, codes = np.unique(column, return_inverse=True)
    return Target(CLASSIFICATION, codes, classes)


def class_target(codes: np.ndarray, classes: Any = None) -> Target:
    """Make the target of class codes 0 ... G-1."""
    names = np.arange(int(codes.max(initial=-1)) + 1) if classes is None else np.asarray(classes)
    return Target(CLASSIFICATION, codes, names)


def check_target(target: Target, asker: str, types: Iterable[str] = TARGET_TYPES) -> Target:
    """The target, of a type that ``asker`` takes and with something to learn; or a ValueError."""
    if target.type not in types:
        raise ValueError(_refusal(target, asker))
    if target.type == CLASSIFICATION:
        target = target.occurring()
        if target.classes is not None and target.classes.size < 2:
            raise ValueError(
                f"y has only one class ({target.classes.tolist()[0]!r}): {asker} needs at least "
                "two; use an unsupervised method (inf-fs-u) where there is one."
            )
    elif target.type == REGRESSION and not np.ptp(target.values, axis=0).any():
        value = target.values.flat[0]
        raise ValueError(f"y is {value:.3g} in every row: give a target that varies.")
    elif target.type == SURVIVAL:
        check_survival(target.values)
    return target


def varying_outputs(y: np.ndarray) -> np.ndarray:
    """The columns of a target with several outputs, without those that are constant."""
    outputs = y[:, np.ptp(y, axis=0) > 0]
    if outputs.shape[1] == 0:
        raise ValueError("Every column of y is the same in all rows: give a target that varies.")
    return outputs


def refuse_missing(y: Any) -> None:
    """Raise where a sample has no target, and name its row."""
    missing = y.isna() if hasattr(y, "isna") else _missing(y)
    rows = np.flatnonzero(np.asarray(missing))
    if rows.size:
        raise ValueError(
            f"Input y contains NaN: row {rows[0] // max(1, np.asarray(missing)[0].size)} has no "
            "label. Drop such samples, or give them a label of their own."
        )


def _type_of(y: Any) -> str:
    from sklearn.utils.multiclass import type_of_target

    found = type_of_target(y, input_name="y")
    if found == "unknown":
        raise ValueError(f"Unknown label type: {_what_is_odd(y)}")
    if found == "multilabel-indicator":
        return MULTILABEL
    if found.startswith("multilabel") or found == "multiclass-multioutput":
        raise ValueError(
            f"y has {np.shape(y)[1]} columns (Unknown label type: {found}): give one column, "
            "several columns of 0 and 1 (multilabel), or several columns of numbers with "
            "target_type='regression'."
        )
    return REGRESSION if found.startswith("continuous") else CLASSIFICATION


def _as_plain(y: Any) -> Any:
    """An object array of numbers or booleans as an array of numbers; anything else as it is."""
    if not isinstance(y, list) and getattr(getattr(y, "dtype", None), "kind", "") != "O":
        return y
    values = np.asarray(y, dtype=object)
    if values.ndim != 1 or not all(isinstance(each, _PLAIN_NUMBERS) for each in values):
        return y
    return np.array(values.tolist())


_PLAIN_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def _numbers(column: np.ndarray) -> np.ndarray:
    try:
        numbers = column.astype(np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"target_type='regression' needs numbers in y ({error}).") from None
    if not np.isfinite(numbers).all():
        row = int(np.argwhere(~np.isfinite(numbers))[0][0])
        raise ValueError(
            f"Input y contains infinity: row {row} is {numbers[row]}. Leave such samples out."
        )
    return numbers


def _refusal(target: Target, asker: str) -> str:
    """Why a method does not take this type, and which ones do."""
    if target.type == SURVIVAL:
        return (
            f"y holds survival times; {asker} does not take them: inf-fs-s, fisher and mi do, and "
            "unsupervised methods (inf-fs-u, laplacian, ...) ignore y."
        )
    if target.type == MULTILABEL:
        return (
            f"y has {target.values.shape[1]} columns (Unknown label type: multilabel-indicator); "
            f"{asker} takes one column of class labels. inf-fs-s, fisher and mi take several 0 / 1 "
            "columns (multilabel)."
        )
    if target.type == REGRESSION:
        return (
            f"y is continuous (Unknown label type: continuous); {asker} needs class labels: bin y "
            "into classes first, use a method that takes numbers (inf-fs-s, inf-fs-c, fisher, mi, "
            "mrmr, relieff, nhtp, ...), or an unsupervised method (inf-fs-u, laplacian, ...), "
            "which ignores y."
        )
    return f"y holds classes; {asker} does not take them."


def _what_is_odd(y: Any) -> str:
    """What is wrong with labels that are neither numbers nor text."""
    values = np.asarray(y)
    if values.ndim != 1:
        return f"y has the shape {values.shape}; one label per sample is needed."
    plain = (str, bool, int, float, np.generic)
    row = next((row for row, each in enumerate(values) if not isinstance(each, plain)), None)
    if row is None:
        found = " and ".join(sorted({type(each).__name__ for each in values}))
        return f"y mixes {found}; make all of its labels text, or all of them numbers."
    return (
        f"y in row {row} is of type {type(values[row]).__name__}; labels are numbers, text or "
        "true / false, one per sample."
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


def as_survival(event: Any, time: Any) -> np.ndarray:
    """Return both columns as one structured array."""
    y = np.empty(len(time), dtype=SURVIVAL_DTYPE)
    y["event"], y["time"] = event, time
    return y


def check_survival(y: np.ndarray) -> np.ndarray:
    """Return event and time of every sample as one structured array; raise where one is invalid.

    The event is the boolean field, or the first one, which holds 1 and 0. If a column holds 1 and
    2, as in R, 2 is the event.
    """
    names = y.dtype.names or ()
    if len(names) != 2:
        raise ValueError(
            f"y has {len(names)} field(s); survival times have two: whether the event happened, "
            "and the time."
        )
    event, time = names if y.dtype[names[1]].kind != "b" else names[::-1]
    return survival_of(y[event], y[time], event, time)


def survival_of(event: Any, time: Any, event_name: str, time_name: str) -> np.ndarray:
    """Check two columns and return them as one array; the names are for the messages."""
    y = as_survival(_happened(np.asarray(event), event_name), _times(np.asarray(time), time_name))
    if not y["event"].any():
        raise ValueError(
            f"No event happened: {event_name!r} is 0 in all {y.size} rows (1 is the event, 0 a "
            "censored sample)."
        )
    if np.ptp(y["time"]) == 0:
        raise ValueError(
            f"Every {time_name!r} is {y['time'][0]:.6g}, so no two samples can be compared: "
            "give times that differ."
        )
    return y


def _happened(event: np.ndarray, name: str) -> np.ndarray:
    if event.dtype.kind == "b":
        return event
    meaning = _HAPPENED_IN_R if coded_as_in_r(event) else _HAPPENED
    words = _words(event)
    for row, word in enumerate(words):
        if word not in meaning:
            raise ValueError(
                f"The event {name!r} is {event.tolist()[row]!r} in row {row}: it takes 1 (the "
                "event happened) and 0 (censored), or 2 and 1 as in R."
            )
    return np.array([meaning[word] for word in words])


def coded_as_in_r(event: np.ndarray) -> bool:
    """Whether the codes are 1 (censored) and 2 (the event), and both occur."""
    meanings = {_HAPPENED_IN_R.get(word) for word in _words(event)}
    return meanings == {True, False}


def _words(event: np.ndarray) -> list[str]:
    return [str(value).strip().lower() for value in event.tolist()]


def _times(time: np.ndarray, name: str) -> np.ndarray:
    try:
        numbers = time.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The time {name!r} is not a number in every row ({error}).") from None
    wrong = np.flatnonzero(~(numbers >= 0) | np.isinf(numbers))
    if wrong.size:
        row = int(wrong[0])
        value = "missing" if np.isnan(numbers[row]) else f"{numbers[row]:.6g}"
        raise ValueError(
            f"The time {name!r} is {value} in row {row}: times must be finite and not negative. "
            "Drop such samples."
        )
    return numbers
