"""Separate the features of a sheet from the label, the index and dropped columns."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inffs._utils.words import counted, near_names
from inffs.io._sheet import Sheet, Table, is_numeric, quoted

_LONGEST_NAME = 10_000


@dataclass
class Choice:
    """The features of a sheet, and the columns that have another role."""

    features: Sheet
    y: np.ndarray | None
    label: str | None
    index: np.ndarray | None
    index_name: str | None
    notes: list[str] = field(default_factory=list)

    def labelled(self) -> Choice:
        """The samples that have a label."""
        if self.y is None or not (gone := missing_rows(self.y)):
            return self
        rows = np.delete(np.arange(len(self.y)), gone)
        y = self.y[rows]
        if y.dtype.kind == "f" and (y == np.rint(y)).all():
            y = y.astype(np.int64)  # whole numbers are floats only because of missing values
        note = (
            f"{counted(len(gone), 'sample')} without a label {quoted([self.label or ''])} left out."
        )
        index = None if self.index is None else self.index[rows]
        features = self.features.take_rows(rows)
        return replace(self, features=features, y=y, index=index, notes=[*self.notes, note])

    def only(self, columns: Iterable[str]) -> Choice:
        """The features of these names, in this order; a name that occurs twice is refused."""
        wanted = list(columns)
        counts = Counter(self.features.names)
        if twice := [name for name in wanted if counts[name] > 1]:
            raise ValueError(
                f"{counts[twice[0]]} columns are called {quoted(twice[:1])}: rename them."
            )
        place_of = {name: place for place, name in enumerate(self.features.names)}
        places = [place_of[name] for name in wanted if name in place_of]
        return replace(self, features=self.features.take(places))

    def table(self, X: Any, names: list[str], notes: list[str]) -> Table:
        """The table, its features as numbers."""
        if self.y is not None:
            _refuse_missing_labels(self.y, self.label or "")
            _refuse_long_text(self.y, "label", self.label or "")
        if self.index is not None:
            _refuse_long_text(self.index, "index", self.index_name or "")
        rest = self.y, self.label, self.index, self.index_name
        return Table(X, names, *rest, [*self.notes, *notes], self.features.turned)


def choose(
    sheet: Sheet, label: str | int | None, index: str | int | None, drop: Iterable[str]
) -> Choice:
    """Take label and index out of the sheet, and what is dropped."""
    notes = list(sheet.notes)
    if index is None and sheet.index is None and _is_counter(sheet):
        index = 0
        notes.append("The first column has no name and only numbers the rows: it is the index.")
    y, label_name, at_label = pick(sheet, label, "label")
    samples, index_name, at_index = pick(sheet, index, "index")
    if index is None:
        samples, index_name = sheet.index, sheet.index_name
    features, dropped = _keep(sheet, {at_label, at_index}, list(drop))
    if dropped:
        notes.append(f"{counted(len(dropped), 'column')} left out: {quoted(dropped)}.")
    return Choice(features, y, label_name, samples, index_name, notes)


def choose_column(sheet: Sheet, column: str | int, role: str) -> tuple[np.ndarray, str | None]:
    """The values of a column without missing values, and its name if it is one of the features."""
    values, name, place = pick(sheet, column, role)
    assert values is not None
    _refuse_missing_labels(values, name or "", role)
    return values, None if place is None else name


def _is_counter(sheet: Sheet) -> bool:
    """Whether the first column is the unnamed row number that data frames write."""
    if not sheet.mixed or not sheet.names or sheet.names[0] != "":
        return False
    if not is_numeric(sheet.columns.schema.types[0]):
        return False
    column = sheet.column(0)
    steps = np.arange(column.size)
    return bool(np.array_equal(column, steps) or np.array_equal(column, steps + 1))


def pick(
    sheet: Sheet, wanted: str | int | None, role: str
) -> tuple[np.ndarray | None, str | None, int | None]:
    """Values, name and place of the label or index column; no place if it was beside the table."""
    if wanted is None:
        return None, None, None
    if isinstance(wanted, str) and wanted in sheet.beside:
        return sheet.beside[wanted], wanted, None
    place = find_column(sheet, wanted, role)
    return sheet.column(place), sheet.names[place], place


def find_column(sheet: Sheet, wanted: str | int, role: str) -> int:
    """The place of a column by name or position."""
    if isinstance(wanted, str):
        places = [place for place, name in enumerate(sheet.names) if name == wanted]
        if len(places) == 1:
            return places[0]
        if places:
            raise ValueError(
                f"{len(places)} columns are called {quoted([wanted])} (positions "
                f"{', '.join(map(str, places[:9]))}): give the {role} by its position."
            )
    try:
        position = int(wanted)
    except ValueError:
        raise ValueError(_no_column(sheet, str(wanted), role)) from None
    n = len(sheet.names)
    if not -n <= position < n:
        raise ValueError(f"The {role} {wanted} is no column: there are {n:,} (0 to {n - 1}).")
    return position % n


def _no_column(sheet: Sheet, wanted: str, role: str) -> str:
    if sheet.mixed and sheet.names and wanted in map(str, sheet.column(0)):
        return (
            f"There is no column {quoted([wanted])} for the {role}, but it is in the first "
            "column: samples seem to be columns in this file (transpose; --transpose)."
        )
    known = [*sheet.beside, *sheet.names]
    near = near_names(wanted, known, cutoff=0.5)
    if near:
        return f"There is no column {quoted([wanted])} for the {role}. Did you mean {quoted(near)}?"
    shown = list(sheet.beside) + sheet.names[:3] + sheet.names[-1:]
    return (
        f"There is no column {quoted([wanted])} for the {role}; the table has "
        f"{len(sheet.names):,}, such as {quoted(list(dict.fromkeys(shown)))}."
    )


def _keep(sheet: Sheet, taken: set[int | None], drop: list[str]) -> tuple[Sheet, list[str]]:
    """The columns that remain features, and the names of dropped columns."""
    dropped: list[str] = []
    left = [place for place in range(len(sheet.names)) if place not in taken]
    for pattern in drop:
        hit = {place for place in left if _matches(sheet.names[place], pattern)}
        if not hit:
            raise ValueError(f"No column matches drop {pattern!r}.")
        dropped += [sheet.names[place] for place in sorted(hit)]
        left = [place for place in left if place not in hit]
    if not left:
        raise ValueError("No column is left to rank.")
    return sheet.take(left), dropped


def without_columns(sheet: Sheet, drop: list[str]) -> tuple[Sheet, list[str]]:
    """The sheet, before it is turned, without the columns that match; and patterns left over."""
    if not sheet.mixed:
        return sheet, drop
    used = [each for each in drop if any(_matches(name, each) for name in sheet.names)]
    left = [
        place for place, name in enumerate(sheet.names)
        if not any(_matches(name, each) for each in used)
    ]  # fmt: skip
    return sheet.take(left), [each for each in drop if each not in used]


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatch.fnmatchcase(name, pattern)


def _refuse_missing_labels(y: np.ndarray, name: str, role: str = "label") -> None:
    if missing := missing_rows(y):
        rows = ", ".join(map(str, missing[:5])) + (" ..." if len(missing) > 5 else "")
        raise ValueError(
            f"The {role} {quoted([name])} is missing in {len(missing):,} of {y.size:,} rows "
            f"({rows}): fill it in, or leave these samples out "
            "(drop_missing_labels; --drop-missing-labels)."
        )


def missing_rows(y: np.ndarray) -> list[int]:
    """Rows without a value."""
    return [row for row, value in enumerate(y) if value is None or value != value]


def _refuse_long_text(values: np.ndarray, role: str, name: str) -> None:
    """Raise for text too long to be a class or a name; as an array it would fill the memory."""
    if values.dtype.kind != "O":
        return
    longest = max((len(value) for value in values if isinstance(value, str)), default=0)
    if longest > _LONGEST_NAME:
        raise ValueError(
            f"The {role} {quoted([name])} holds text of {longest:,} characters, more than "
            f"{_LONGEST_NAME:,}: this is not a column of names."
        )
