"""The guards, one function each: a sentence that ends with what to type, or None.

A new guard is one function and one line in ``GUARDS``.
"""

from __future__ import annotations

import shlex
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from inffs.guards.look import SAME, Look, near_copies, separates
from inffs.measures.batch import standard_deviation
from inffs.target import make_target
from inffs.validation.checks import canonical, looks_like_groups
from inffs.validation.intake import is_dask
from inffs.validation.lazy import LazyTable

_FEWEST_COUNTS, _LARGEST_COUNT, _UNEQUAL = 50, 1000, 1.5  # columns, value, ratio of totals
_UNITS = 1000.0  # spreads that differ by more hardly have the same unit
_FAR = 100.0  # from 1 is a spread that a fixed penalty is not meant for


class TableWarning(UserWarning):
    """Warning that a property of the table limits what the ranking means.

    ``fit`` of every selector checks the table once, but not the parts of it that it ranks again.

    See Also
    --------
    inffs.rank : Also reports columns that repeat each other.
    inffs.RoundingWarning : The warning about rounding errors.

    Examples
    --------
    >>> import warnings
    >>> from inffs import TableWarning, rank
    >>> from sklearn.datasets import load_iris
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", TableWarning)
    ...     rank(*load_iris(return_X_y=True)).n_features_in_
    4
    """


def different_units(seen: Look) -> str | None:
    """Spreads that differ by more than 1,000, or are far from 1, where the method depends on it."""
    if seen.selector is None or seen.scaled or seen.selector._scale_free:
        return None
    spread = standard_deviation(seen.X)
    moving = spread[spread > 0]
    if moving.size < 2:
        return None
    usual, name = float(np.median(moving)), type(seen.selector).__name__
    advice = seen.advice("use --scale range", "scale them first (MinMaxScaler)")
    if moving.max() > _UNITS * np.quantile(moving, 0.05):
        loudest = seen.name(int(spread.argmax()))
        return (
            f"The columns seem to have different units: the spread of {loudest!r} is "
            f"{moving.max() / usual:,.0f} times the median one, and {name} ranks by spread as "
            f"well; {advice}."
        )
    if not seen.selector._fixed_scale or 1 / _FAR <= usual <= _FAR:
        return None
    return (
        f"The columns have a spread of about {usual:.2g}, and {name} weighs them against a "
        f"fixed penalty, so its ranking depends on their common unit; {advice}."
    )


def raw_counts(seen: Look) -> str | None:
    """Counts whose totals differ between the samples, as read counts before normalisation."""
    values = seen.X.data if sparse.issparse(seen.X) else seen.X
    if seen.X.shape[1] < _FEWEST_COUNTS or not values.size or values.max() < _LARGEST_COUNT:
        return None
    if values.min() < 0 or (values != np.round(values)).any():
        return None
    totals = np.asarray(seen.X.sum(axis=1), dtype=np.float64).ravel()
    totals = totals[totals > 0]
    if totals.max() < _UNEQUAL * totals.min():
        return None
    return (
        f"The table looks like raw counts: whole numbers up to {values.max():,.0f}, and the totals "
        f"of the samples differ by a factor of {totals.max() / totals.min():,.1f}. Features then "
        "follow the totals: "
        f"{seen.advice('use --normalize log-cpm', 'normalise them first (LogCPM)')}."
    )


def id_like(seen: Look) -> str | None:
    """Whole numbers, all different: a column that numbers or names the samples."""
    if seen.X.shape[0] < 10 or not seen.numbering:
        return None
    name = seen.name(seen.numbering[0])
    return (
        f"The column {name!r} is different in every row and numbers the samples: it looks like "
        f"an identifier, not a feature: {seen.advice(f'--index {shlex.quote(name)} or ', '')}"
        f"{seen.leave_out(seen.numbering[0])}."
    )


def group_like(seen: Look) -> str | None:
    """Whole numbers with the name of an identifier that repeat in samples resembling each other."""
    for place in seen.named:
        column = seen.X[:, place]
        if (column == np.round(column)).all() and looks_like_groups(
            column, np.delete(seen.X, place, axis=1)
        ):
            name = seen.name(place)
            advice = seen.advice(
                f"--group {shlex.quote(name)}",
                "pass it to fit as groups and leave it out of X",
            )
            return (
                f"Samples with the same {name!r} resemble each other, so it looks like the number "
                f"of a patient with several samples, not a feature: {advice}."
            )
    return None


def label_in_disguise(seen: Look) -> str | None:
    """A column from which the label follows, and which follows from the label."""
    if seen.same_as_label is None:
        return None
    return (
        f"The column {seen.name(seen.same_as_label)!r} is the label {seen.label!r} in other words, "
        f"so its first place has no meaning: {seen.leave_out(seen.same_as_label)}."
    )


def perfect_separator(seen: Look) -> str | None:
    """One column separates the classes without an error, and no other is close."""
    found = seen.classes
    if found is None or np.bincount(found[1]).min() < 5 or seen.same_as_label is not None:
        return None
    if not seen.separable or len(seen.suspects) < 3:
        return None
    codes, columns = found[1], {int(place): seen.column(place) for place in seen.suspects}
    alone = [place for place, column in columns.items() if separates(column, codes)]
    if len(alone) != 1:
        return None
    place = alone[0]
    if min(_faults(column, codes) for i, column in columns.items() if i != place) < 0.15:
        return None
    return (
        f"The column {seen.name(place)!r} separates the classes without an error, and no other is "
        f"close. If it was recorded after the label was known, {seen.leave_out(place)}."
    )


def measured_label(seen: Look) -> str | None:
    """Whole numbers with many values may be a measurement, and they are taken as classes."""
    if seen.y is None or not seen.measured:
        return None
    if seen.selector is not None and not seen.selector._supervised:
        return None
    asked = getattr(seen.selector, "target_type", "auto")
    if asked == "regression" or (asked == "auto" and make_target(seen.y).type == "regression"):
        return None
    number = seen.advice("--target-type regression", "target_type='regression'")
    return (
        f"The label {seen.label!r} has {np.unique(seen.y).size:,} different numbers, and every one "
        f"is taken as a class: for a measurement use {number}."
    )


def no_classes(seen: Look) -> str | None:
    """Labels that are dates, structures, or different in every row."""
    label, first = seen.label, np.asarray(seen.y)[0] if seen.classless else ""
    another = seen.advice("name another --label", "give another y")
    index = seen.advice(f", and this column with --index {shlex.quote(label)}", "")
    sentences = {
        "dates": f"The label {label!r} holds dates ({first}), not classes: {another}.",
        "structures": f"The label {label!r} holds structures, not classes: {another}.",
        "names": f"The label {label!r} is different in every row, as a sample name is: "
        f"{another}{index}.",
    }
    return sentences.get(seen.classless)


def few_in_a_class(seen: Look) -> str | None:
    """Classes with one or two samples."""
    found = seen.classes
    if found is None:
        return None
    counts = np.bincount(found[1])
    small = np.flatnonzero(counts <= 2)
    if small.size == 0:
        return None
    shown = ", ".join(f"{str(found[0][code])!r} ({counts[code]})" for code in small[:3])
    more = f" and {small.size - 3} more" if small.size > 3 else ""
    what = "class has" if small.size == 1 else "classes have"
    return (
        f"{small.size} {what} one or two samples: {shown}{more}. They are ranked but "
        "cannot be evaluated: merge them with another class, or leave their rows out."
    )


def duplicate_names(seen: Look) -> str | None:
    """Columns with the same name."""
    name, count = Counter(seen.names).most_common(1)[0] if seen.names else ("", 0)
    if count < 2:
        return None
    return (
        f"{count} columns are called {name!r}, so their results cannot be distinguished: rename "
        f"them, or {seen.leave_out(list(seen.names or ()).index(name))}."
    )


def near_duplicates(seen: Look) -> str | None:
    """Columns that repeat each other but for rounding."""
    pairs = near_copies(seen.X) if seen.X.shape[0] >= 10 else np.empty((0, 2), dtype=int)
    if len(pairs) == 0:
        return None
    (first, second), repeated = pairs[0], np.unique(pairs[:, 1]).size
    what = "column repeats" if repeated == 1 else "columns repeat"
    return (
        f"{repeated:,} {what} another one (|correlation| above {SAME}), such as "
        f"{seen.name(second)!r} and {seen.name(first)!r}: they share their place in the ranking: "
        f"{seen.leave_out(second)}."
    )


GUARDS: dict[str, Callable[[Look], str | None]] = {
    "raw-counts": raw_counts,
    "different-units": different_units,
    "id-like": id_like,
    "group-like": group_like,
    "label-in-disguise": label_in_disguise,
    "perfect-separator": perfect_separator,
    "measured-label": measured_label,
    "no-classes": no_classes,
    "few-in-a-class": few_in_a_class,
    "duplicate-names": duplicate_names,
    "near-duplicates": near_duplicates,
}
SLOW = ("near-duplicates",)  # those that ``fit`` does not run


def _faults(values: np.ndarray, codes: np.ndarray) -> float:
    """The share of samples on the wrong side of the best thresholds between class means."""
    means = np.array([values[codes == code].mean() for code in range(codes.max() + 1)])
    return float(np.mean(np.abs(values[:, None] - means).argmin(axis=1) != codes))


def look_at(
    X: Any,
    y: Any = None,
    names: Sequence[str] | None = None,
    *,
    label: str | None = None,
    selector: Any = None,
    scaled: bool = False,
    in_python: bool = False,
    guards: Iterable[str] = tuple(GUARDS),
) -> list[str]:
    """Return the sentences of the guards about a table; a table on disk is not examined.

    They give advice in flags of the command or, ``in_python``, in parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.guards import look_at
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> for sentence in look_at(X, np.arange(30) % 2, ["a", "b", "a"]):
    ...     print(sentence)
    2 columns are called 'a', so their results cannot be distinguished: rename them, or --drop a.
    """
    if isinstance(X, LazyTable):
        return []
    table = canonical(X.tocsc()) if hasattr(X, "tocsc") else np.asarray(X)
    y = None if y is None else np.asarray(y)
    seen = Look(table, names, y, label or "y", selector, scaled, in_python)
    return [sentence for key in guards if (sentence := GUARDS[key](seen))]


def warn_about(selector: Any, X: Any, y: Any = None, *, slow: bool = False) -> None:
    """Warn the caller of ``fit`` about its table, in the words of Python.

    The names of the columns are those of the selector. A table with missing values, or whose sum
    overflows, is not examined. ``slow`` runs the guards that take longer than 2 % of a fit instead
    of the others.
    """
    if isinstance(X, LazyTable) or is_dask(X):
        return
    values = X.data if sparse.issparse(X) else np.asarray(X)
    values = values if values.dtype.kind in "fiub" else values.astype(np.float64)
    with np.errstate(over="ignore"):
        total = values.sum(dtype=np.float64)
    if not np.isfinite(total):
        return
    known = getattr(selector, "feature_names_in_", None)
    names = None if known is None else [str(name) for name in known]
    guards = [key for key in GUARDS if (key in SLOW) == slow]
    table = X if sparse.issparse(X) else values
    with np.errstate(over="ignore", invalid="ignore"):  # some methods take values of any size
        sentences = look_at(table, y, names, selector=selector, in_python=True, guards=guards)
    for sentence in sentences:
        warnings.warn(sentence, TableWarning, stacklevel=3 if slow else 5)
