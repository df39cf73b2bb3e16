"""The guards, one function each: a sentence that ends with what to type, or None.

A new guard is one function and one line in ``GUARDS``.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable

import numpy as np
from scipy import sparse

from inffs.guards.look import SAME, Look, near_copies, separates
from inffs.measures.batch import standard_deviation
from inffs.target import make_target
from inffs.validation.checks import looks_like_groups

_FEWEST_COUNTS, _LARGEST_COUNT, _UNEQUAL = 50, 1000, 1.5  # columns, value, ratio of totals
_UNITS = 1000.0  # spreads that differ by more hardly have the same unit


def different_units(seen: Look) -> str | None:
    """Spreads that differ by more than 1,000 where the method depends on them."""
    if seen.selector is None or seen.scaled or seen.selector._scale_free:
        return None
    spread = standard_deviation(seen.X)
    moving = spread[spread > 0]
    if moving.size < 2 or moving.max() <= _UNITS * np.quantile(moving, 0.05):
        return None
    loudest = seen.name(int(spread.argmax()))
    return (
        f"The columns seem to have different units: the spread of {loudest!r} is "
        f"{moving.max() / np.median(moving):,.0f} times the median one, and "
        f"{type(seen.selector).__name__} ranks by spread as well; use --scale range."
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
        "follow the totals: use --normalize log-cpm."
    )


def id_like(seen: Look) -> str | None:
    """Whole numbers, all different: a column that numbers or names the samples."""
    T = seen.X.shape[0]
    if T < 10:
        return None
    for place in seen.numbering:
        name = seen.name(place)
        return (
            f"The column {name!r} is different in every row and numbers the samples: it looks like "
            f"an identifier, not a feature: --index {shlex.quote(name)} or --drop "
            f"{shlex.quote(name)}."
        )
    return None


def group_like(seen: Look) -> str | None:
    """Whole numbers with the name of an identifier that repeat in samples resembling each other."""
    for place in seen.named:
        column = seen.X[:, place]
        if (column == np.round(column)).all() and looks_like_groups(
            column, np.delete(seen.X, place, axis=1)
        ):
            name = seen.name(place)
            return (
                f"Samples with the same {name!r} resemble each other, so it looks like the number "
                f"of a patient with several samples, not a feature: --group {shlex.quote(name)}."
            )
    return None


def label_in_disguise(seen: Look) -> str | None:
    """A column from which the label follows, and which follows from the label."""
    if seen.same_as_label is None:
        return None
    name = seen.name(seen.same_as_label)
    return (
        f"The column {name!r} is the label {seen.label!r} in other words, so its first place has "
        f"no meaning: --drop {shlex.quote(name)}."
    )


def perfect_separator(seen: Look) -> str | None:
    """One column separates the classes without an error, and no other is close."""
    found = seen.classes
    if found is None or np.bincount(found[1]).min() < 5 or seen.same_as_label is not None:
        return None
    if not seen.separable:
        return None
    columns = [seen.column(place) for place in seen.suspects]
    alone = [place for place, column in enumerate(columns) if separates(column, found[1])]
    if len(columns) < 3 or len(alone) != 1:
        return None
    rivals = columns[: alone[0]] + columns[alone[0] + 1 :]
    if min(_faults(column, found[1]) for column in rivals) < 0.15:
        return None
    name = seen.name(int(seen.suspects[alone[0]]))
    return (
        f"The column {name!r} separates the classes without an error, and no other is close. If it "
        f"was recorded after the label was known, --drop {shlex.quote(name)}."
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
    return (
        f"The label {seen.label!r} has {np.unique(seen.y).size:,} different numbers, and every one "
        "is taken as a class: for a measurement use --target-type regression."
    )


def no_classes(seen: Look) -> str | None:
    """Labels that are dates, structures, or different in every row."""
    label, first = seen.label, np.asarray(seen.y)[0] if seen.classless else ""
    sentences = {
        "dates": f"The label {label!r} holds dates ({first}), not classes: name another --label.",
        "structures": f"The label {label!r} holds structures, not classes: name another --label.",
        "names": f"The label {label!r} is different in every row, as a sample name is: name "
        f"another --label, and this column with --index {shlex.quote(label)}.",
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
        f"them, or --drop {shlex.quote(name)}."
    )


def near_duplicates(seen: Look) -> str | None:
    """Columns that repeat each other but for rounding."""
    pairs = near_copies(seen.X) if seen.X.shape[0] >= 10 else np.empty((0, 2), dtype=int)
    if len(pairs) == 0:
        return None
    first, second = (seen.name(at) for at in pairs[0])
    repeated = np.unique(pairs[:, 1]).size
    what = "column repeats" if repeated == 1 else "columns repeat"
    return (
        f"{repeated:,} {what} another one (|correlation| above {SAME}), such as {second!r} "
        f"and {first!r}: they share their place in the ranking: --drop {shlex.quote(second)}."
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
