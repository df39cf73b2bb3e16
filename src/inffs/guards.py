"""Guards: what a careful colleague would say on seeing the table, one sentence each.

A guard is one function and one line of :data:`GUARDS`. It gets a :class:`Look` and returns a
sentence that ends with what to type, or None. Guards never change a result.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from inffs.columns.checks import canonical, varying_columns
from inffs.columns.copies import SAME, near_copies
from inffs.columns.lazy import LazyTable
from inffs.measures import fisher

_UNITS = 1000.0  # spreads that differ by more hardly have the same unit
_ID_NAME = re.compile(
    r"(^|[_\W])(id|index|idx|nr|no|key|uuid|barcode|sample)$", re.IGNORECASE | re.MULTILINE
)
_DATE = re.compile(r"^\d{4}-\d\d?-\d\d?([T ].*)?$|^\d\d?[./]\d\d?[./]\d{2,4}$")
_SUSPECTS = 20  # features that are tried for separating the classes on their own
_MANY_CLASSES = 20


class TableWarning(UserWarning):
    """The table holds something that makes the answer mean less than it seems to.

    :func:`inffs.rank` says so; ``fit`` is silent.

    See Also
    --------
    inffs.rank : Looks at the table.
    inffs.RoundingWarning : Another one.

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


@dataclass(frozen=True)
class Look:
    """What guards look at: the table as the selector gets it, and who asks."""

    X: Any
    names: Sequence[str]
    y: np.ndarray | None = None
    label: str = "y"
    selector: Any = None

    def column(self, place: int) -> np.ndarray:
        """One column as a dense vector."""
        found = self.X[:, [place]]
        return np.asarray(found.toarray() if sparse.issparse(found) else found).ravel()

    @cached_property
    def classes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Class names and codes, or None where the label is none of classes."""
        if self.y is None or self.y.ndim != 1 or self.y.dtype.kind == "V":
            return None
        if _is_measured(self.y) or no_classes(self):
            return None
        names, codes = np.unique(_sortable(self.y), return_inverse=True)
        return (names, codes) if 1 < names.size < self.y.size else None

    @cached_property
    def numbering(self) -> list[int]:
        """Places of the columns that number the samples."""
        return _whole_and_rising(self)

    @cached_property
    def suspects(self) -> np.ndarray:
        """The columns in which the classes lie farthest apart."""
        return _suspects(self)

    @cached_property
    def twin(self) -> int | None:
        """The place of a column from which the label follows, and which follows from the label."""
        return _twin(self)


def look_at(
    X: Any,
    y: Any = None,
    names: Sequence[str] | None = None,
    *,
    label: str | None = None,
    selector: Any = None,
) -> list[str]:
    """All that the guards have to say about a table; a table on disk is not looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.guards import look_at
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> for sentence in look_at(X, np.arange(30) % 2, ["a", "b", "a"]):
    ...     print(sentence)
    2 columns are called 'a': nothing tells their results apart; rename them, or --drop a.
    """
    if isinstance(X, LazyTable):
        return []
    table = canonical(X.tocsc()) if hasattr(X, "tocsc") else np.asarray(X)
    found = [f"x{place}" for place in range(table.shape[1])] if names is None else list(names)
    seen = Look(table, found, None if y is None else np.asarray(y), label or "y", selector)
    return [sentence for guard in GUARDS.values() if (sentence := guard(seen))]


def warn_about(X: Any, y: Any = None, names: Any = None, **who: Any) -> None:
    """What the guards have to say, as warnings that name parameters instead of flags."""
    if names is None and hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
    if not sparse.issparse(X):
        if not (isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "columns")):
            return
        X = np.asarray(X, dtype=np.float64)
        if not np.isfinite(X.sum()):  # gaps
            return
    y = None if y is None or getattr(np.asarray(y).dtype, "names", None) else y
    for sentence in look_at(X, y, names, **who):
        for flag, words in _IN_PYTHON:
            sentence = re.sub(flag, words, sentence)
        if names is None:
            sentence = re.sub(r"exclude='x(\d+)'", r"exclude=\1", sentence)
        warnings.warn(sentence, TableWarning, stacklevel=3)


def different_units(seen: Look) -> str | None:
    """Spreads that differ by more than 1,000 where the method depends on them."""
    if seen.selector is None or seen.selector._scale_free:
        return None
    spread = _spreads(seen.X)
    moving = spread[spread > 0]
    if moving.size < 2 or moving.max() <= _UNITS * np.quantile(moving, 0.05):
        return None
    loudest = seen.names[int(spread.argmax())]
    return (
        f"The columns seem to have different units: the spread of {loudest!r} is "
        f"{moving.max() / np.median(moving):,.0f} times the usual one, and "
        f"{type(seen.selector).__name__} ranks by spread too: --scale standard (or robust, range)."
    )


def id_like(seen: Look) -> str | None:
    """Whole numbers, all different: a column that numbers or names the samples."""
    T = seen.X.shape[0]
    if T < 10:
        return None
    for place in seen.numbering:
        name = seen.names[place]
        return (
            f"The column {name!r} is different in every row and numbers the samples: it looks like "
            f"an identifier, not a feature: --index {shlex.quote(name)} or --drop "
            f"{shlex.quote(name)}."
        )
    return None


def label_in_disguise(seen: Look) -> str | None:
    """A column from which the label follows, and which follows from the label."""
    if seen.twin is None:
        return None
    name = seen.names[seen.twin]
    return (
        f"The column {name!r} is the label {seen.label!r} in other words, so its first place says "
        f"nothing: --drop {shlex.quote(name)}."
    )


def perfect_separator(seen: Look) -> str | None:
    """One column tells the classes apart without a fault, and no other comes near."""
    found = seen.classes
    if found is None or np.bincount(found[1]).min() < 5 or seen.twin is not None:
        return None
    columns = [seen.column(place) for place in seen.suspects]
    alone = [place for place, column in enumerate(columns) if _separates(column, found[1])]
    if len(columns) < 3 or len(alone) != 1:
        return None
    rivals = columns[: alone[0]] + columns[alone[0] + 1 :]
    if min(_faults(column, found[1]) for column in rivals) < 0.15:
        return None
    name = seen.names[seen.suspects[alone[0]]]
    return (
        f"The column {name!r} separates the classes without a fault and no other comes near: if it "
        f"was written down after the label was known, --drop {shlex.quote(name)}."
    )


def measured_label(seen: Look) -> str | None:
    """A numeric label with many values is a measurement, not a class."""
    y = seen.y
    if y is None or y.ndim != 1 or not _is_measured(y):
        return None
    if seen.selector is not None and not seen.selector._supervised:
        return None
    if seen.selector is not None and "continuous" in seen.selector._targets:
        return None
    return (
        f"The label {seen.label!r} has {np.unique(y).size:,} different numbers: a measurement "
        "rather than classes. --task regression ranks by the numbers themselves; for classes, "
        "write a column of classes (low, high) and name it with --label."
    )


def no_classes(seen: Look) -> str | None:
    """Labels that are dates, structures, or different in every row."""
    y = seen.y
    if y is None or y.ndim != 1 or y.dtype.kind not in "OUSM":
        return None
    example, different = str(y[0]), len({str(value) for value in y})
    if y.dtype.kind == "M" or all(_DATE.match(str(value)) for value in y[:50]):
        return (
            f"The label {seen.label!r} holds dates ({example}), not classes: name another --label."
        )
    if isinstance(y[0], (dict, list, tuple, np.ndarray)):
        return f"The label {seen.label!r} holds structures, not classes: name another --label."
    if different == y.size > 2:
        return (
            f"The label {seen.label!r} is different in every row, as a sample name is: name "
            f"another --label, and this column with --index {shlex.quote(seen.label)}."
        )
    return None


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
        f"{small.size} {what} one or two samples: {shown}{more}. Nothing can be checked on "
        "them: merge them with another class, or leave their rows out; --folds 0 skips the check."
    )


def duplicate_names(seen: Look) -> str | None:
    """Columns with the same name."""
    name, count = Counter(seen.names).most_common(1)[0] if seen.names else ("", 0)
    if count < 2:
        return None
    return (
        f"{count} columns are called {name!r}: nothing tells their results apart; rename them, or "
        f"--drop {shlex.quote(name)}."
    )


def near_duplicates(seen: Look) -> str | None:
    """Columns that repeat each other but for rounding."""
    pairs = near_copies(seen.X) if seen.X.shape[0] >= 10 else np.empty((0, 2), dtype=int)
    if len(pairs) == 0:
        return None
    first, second = (seen.names[at] for at in pairs[0])
    repeated = np.unique(pairs[:, 1]).size
    what = "column repeats" if repeated == 1 else "columns repeat"
    return (
        f"{repeated:,} {what} another one (|correlation| above {SAME}), such as {second!r} "
        f"and {first!r}: they share their place in the ranking: --drop {shlex.quote(second)}."
    )


GUARDS: dict[str, Callable[[Look], str | None]] = {
    "different-units": different_units,
    "id-like": id_like,
    "label-in-disguise": label_in_disguise,
    "perfect-separator": perfect_separator,
    "measured-label": measured_label,
    "no-classes": no_classes,
    "few-in-a-class": few_in_a_class,
    "duplicate-names": duplicate_names,
    "near-duplicates": near_duplicates,
}


def _excluded(flag: re.Match[str]) -> str:
    return f"exclude={shlex.split(flag[1])[0]!r}."


_IN_PYTHON: tuple[tuple[str, Any], ...] = (  # what to type there
    (r"(?:--index .* or )?--drop (.*)\.$", _excluded),
    (r"--scale standard \(or robust, range\)", "scale them first (StandardScaler)"),
    (r"--task regression ranks", "inffs.as_numbers(y) ranks"),
    (r"write a column of classes \(low, high\) and name it with --label", "give classes as text"),
    (r"name another --label, and this column with --index .*\.$", "give another y."),
    (r"name another --label", "give another y"),
    (r"; --folds 0 skips the check", ""),
)


def _spreads(X: Any) -> np.ndarray:
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0))
    return np.std(X, axis=0, dtype=np.float64)


def _whole_and_rising(seen: Look) -> list[int]:
    """Places of columns that count the rows, or have a name like an id and repeat no number."""
    if sparse.issparse(seen.X):
        return []
    head = seen.X[:10]
    steps = np.diff(head, axis=0)
    whole = (head == np.round(head)).all(axis=0)
    counting = whole & (steps == steps[0]).all(axis=0) & (steps[0] != 0)
    any_named = _ID_NAME.search("\n".join(seen.names))  # one search instead of thousands
    tried = np.flatnonzero(whole)[:5000].tolist() if any_named else []
    named = {i for i in tried if _ID_NAME.search(seen.names[i])}
    suspected = sorted(named.union(np.flatnonzero(counting).tolist()))
    return [i for i in suspected if _numbers_rows(seen.X[:, i], named=i in named)]


def _numbers_rows(column: np.ndarray, named: bool) -> bool:
    """Whether whole numbers rise by one step or, with a name like an id, never repeat."""
    steps = np.diff(column)
    alike = bool((steps == steps[0]).all() and steps[0] != 0)
    apart = alike or (named and np.unique(column).size == column.size)
    return apart and bool((column == np.round(column)).all())


def _suspects(seen: Look) -> np.ndarray:
    found = seen.classes
    moving = np.setdiff1d(varying_columns(seen.X), seen.numbering)
    if moving.size == 0 or found is None:
        return moving[:0]
    ratio = fisher(seen.X if moving.size == seen.X.shape[1] else seen.X[:, moving], found[1])
    first = np.argsort(-ratio, kind="stable")[:_SUSPECTS]
    return moving[first[~np.isnan(ratio[first])]]  # columns with gaps are none


def _twin(seen: Look) -> int | None:
    if seen.classes is None:
        return None
    names, codes = seen.classes
    for place in seen.suspects:
        column = seen.column(place)
        if np.unique(column).size != names.size:
            continue
        values = np.unique(column, return_inverse=True)[1]
        if np.unique(np.stack([values, codes]), axis=1).shape[1] == names.size:
            return int(place)
    return None


def _separates(values: np.ndarray, codes: np.ndarray) -> bool:
    """Whether thresholds tell the classes apart without a fault."""
    order = codes[np.argsort(values, kind="stable")]
    return int(np.count_nonzero(order[1:] != order[:-1])) == codes.max()


def _faults(values: np.ndarray, codes: np.ndarray) -> float:
    """The share of samples on the wrong side of the best thresholds between class means."""
    means = np.array([values[codes == code].mean() for code in range(codes.max() + 1)])
    return float(np.mean(np.abs(values[:, None] - means).argmin(axis=1) != codes))


def _is_measured(y: np.ndarray) -> bool:
    """Numbers of which there are too many different ones for classes."""
    if y.dtype.kind not in "iuf":
        return False
    different = np.unique(y).size
    fractions = y.dtype.kind == "f" and bool((y != np.round(y)).any())
    return different > _MANY_CLASSES and (fractions or different > y.size / 5)


def _sortable(y: np.ndarray) -> np.ndarray:
    return y.astype(str) if y.dtype.kind == "O" else y
