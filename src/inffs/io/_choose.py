"""What the columns of a sheet are: features, the label, sample names, or dropped.

Labels may be in a file of their own, and samples may be columns.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inffs._utils.words import counted, near_names
from inffs.io._sheet import Sheet, Table, numbered, quoted
from inffs.validation.checks import is_numeric

_LONGEST_NAME = 10_000
_ABOUT_FEATURES = (  # of featureCounts, salmon, GCT and tables of genes, in small letters
    "chr", "chrom", "chromosome", "start", "end", "strand", "length", "effectivelength",
    "description", "gene_name", "gene_symbol", "symbol", "gene_type", "gene_biotype", "biotype",
    "entrezid", "entrez_gene_id", "entrez_id",
)  # fmt: skip


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
        return replace(self, features=self.features.take(places_of(columns, self.features.names)))

    def table(self, X: Any, names: list[str], notes: list[str]) -> Table:
        """The table, its features as numbers."""
        if self.y is not None:
            _refuse_missing_labels(self.y, self.label or "")
            _refuse_long_text(self.y, "label", self.label or "")
        if self.index is not None:
            _refuse_long_text(self.index, "index", self.index_name or "")
        rest = self.y, self.label, self.index, self.index_name
        return Table(X, names, *rest, [*self.notes, *notes], self.features.turned)


def places_of(wanted: Iterable[str], names: list[str]) -> list[int]:
    """Places of the wanted names that are there, in this order; one that is twice is refused."""
    wanted, counts = list(wanted), Counter(names)
    if twice := [name for name in wanted if counts[name] > 1]:
        raise ValueError(f"{counts[twice[0]]} columns are called {quoted(twice[:1])}: rename them.")
    place_of = {name: place for place, name in enumerate(names)}
    return [place_of[name] for name in wanted if name in place_of]


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
            "column: samples seem to be columns in this file (transpose=True)."
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
    left = [place for place in range(len(sheet.names)) if place not in taken]
    dropped, unused = _matching([sheet.names[place] for place in left], drop)
    if unused:
        raise ValueError(f"No column matches drop {unused[0]!r}.")
    kept = [place for at, place in enumerate(left) if at not in dropped]
    if not kept:
        raise ValueError("No column is left to rank.")
    return sheet.take(kept), [sheet.names[left[at]] for at in sorted(dropped)]


def without_columns(sheet: Sheet, drop: list[str]) -> tuple[Sheet, list[str]]:
    """The sheet, before it is turned, without the columns that match; and patterns left over."""
    if not sheet.mixed:
        return sheet, drop
    dropped, unused = _matching(sheet.names, drop)
    return sheet.take([at for at in range(len(sheet.names)) if at not in dropped]), unused


def _matching(names: list[str], patterns: list[str]) -> tuple[set[int], list[str]]:
    """Places of names that are equal to a pattern or match it, and the patterns without any."""
    found = {
        pattern: {
            at for at, name in enumerate(names)
            if name == pattern or fnmatch.fnmatchcase(name, pattern)
        }
        for pattern in patterns
    }  # fmt: skip
    return set().union(*found.values()), [each for each, places in found.items() if not places]


def _refuse_missing_labels(y: np.ndarray, name: str, role: str = "label") -> None:
    if missing := missing_rows(y):
        rows = ", ".join(map(str, missing[:5])) + (" ..." if len(missing) > 5 else "")
        raise ValueError(
            f"The {role} {quoted([name])} is missing in {len(missing):,} of {y.size:,} rows "
            f"({rows}): fill it in, or leave these samples out "
            "(drop_missing_labels=True)."
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


def with_labels(
    sheet: Sheet,
    labels: Sheet,
    files: tuple[str, str],
    label: str | int | None,
    on: str | int | None,
    index: str | int | None,
    allow_missing: bool,
) -> Sheet:
    """The samples with their labels; samples without one are refused, or left out.

    ``files`` are the names of the table's file and of that with the labels.
    """
    table, where = files
    if label is None:
        raise ValueError(f"{where} holds labels: name its column of classes (label).")
    values, name, _ = pick(labels, label, "label")
    values = np.asarray(values)
    if on is None and labels.index is not None:
        keys, key_name = _texts(labels.index), labels.index_name or "index"
    else:
        place = find_column(labels, 0 if on is None else on, "sample names (on=...)")
        keys, key_name = _texts(labels.column(place)), labels.names[place]
    samples = _samples(sheet, on, index, table, keys)
    known = _label_of(keys, values, where)
    rows = np.array([row for row, sample in enumerate(samples) if sample in known], dtype=int)
    if not rows.size:
        raise ValueError(
            f"None of the {len(samples):,} samples of the table (such as {quoted(samples[:3])}) is "
            f"in the column {quoted([key_name])} of {where} (such as {quoted(keys[:3])}): name the "
            f"column of sample names there (on=...) and here (index=...).{_in_columns(sheet, keys)}"
        )
    notes = []
    if missing := [sample for sample in samples if sample not in known]:
        verb = "is" if len(missing) == 1 else "are"
        counts = f"{len(missing):,} of {len(samples):,} samples"
        notes.append(f"{counts} {verb} not in {where}: {quoted(missing)}.")
        if not allow_missing:
            raise ValueError(
                f"{notes[0]} {_alike(missing, keys)}Check the names, or leave these samples out "
                "(allow_missing_samples=True)."
            )
    there = set(samples)
    if unused := [key for key in keys if key not in there]:
        verb = "is" if len(unused) == 1 else "are"
        notes.append(
            f"{len(unused):,} of {len(keys):,} rows of {where} {verb} not a sample of the table: "
            f"{quoted(unused)}."
        )
    found = sheet.take_rows(rows) if missing else sheet
    found.beside[str(name)] = np.array([known[samples[row]] for row in rows], dtype=values.dtype)
    found.notes = [*sheet.notes, *notes]
    return found


def _samples(
    sheet: Sheet, on: str | int | None, index: str | int | None, table: str, keys: list[str]
) -> list[str]:
    """The sample names of the table."""
    if index is not None:
        return _texts(pick(sheet, index, "index")[0])
    if sheet.index is not None:
        return _texts(sheet.index)
    if isinstance(on, str) and sheet.names.count(on) == 1:
        return _texts(sheet.column(sheet.names.index(on)))
    raise ValueError(
        f"Name the column of sample names of {table} (index=...) to match the labels."
        f"{_in_columns(sheet, keys)}"
    )


def _in_columns(sheet: Sheet, keys: list[str]) -> str:
    """A proposal where the samples that have labels are columns of the table."""
    columns = set(sheet.names)
    found = sum(key in columns for key in keys)
    if 2 * found <= len(keys):
        return ""
    return (
        f" {found:,} of the {len(keys):,} samples with labels are columns of the table: read it "
        "with samples in columns (transpose=True)."
    )


def _texts(values: Any) -> list[str]:
    """Names as text; whole numbers without a point, whatever their type."""
    return [
        str(int(value)) if isinstance(value, float | np.floating) and value == value // 1 else
        str(value)
        for value in values
    ]  # fmt: skip


def _label_of(keys: list[str], values: Any, where: str) -> dict[str, Any]:
    known: dict[str, Any] = {}
    several = {
        key for key, value in zip(keys, values, strict=True)
        if (first := known.setdefault(key, value)) is not value and first != value
    }  # fmt: skip
    if several:
        what = "1 sample stands" if len(several) == 1 else f"{len(several):,} samples stand"
        raise ValueError(f"{what} in {where} with several labels: {quoted(sorted(several))}.")
    return known


def _alike(missing: list[str], keys: list[str]) -> str:
    """A sentence where names differ by zeros, spaces or capitals only."""
    known = {_bare(key): key for key in keys}
    similar = next((sample for sample in missing if _bare(sample) in known), None)
    if similar is None:
        return ""
    return f"The name {quoted([similar])} is written {quoted([known[_bare(similar)]])} there. "


def _bare(name: str) -> str:
    return name.strip().lower().lstrip("0")


def transposed(sheet: Sheet, index: str | int | None) -> Sheet:
    """Rows become columns; the index column (or a first column of text) gives their names."""
    if not sheet.mixed:
        X = sheet.columns.T
        X = X.tocsc() if hasattr(X, "tocsc") else np.ascontiguousarray(X)
        return Sheet(numbered(X.shape[1]), X, turned="")
    place = 0 if 0 in sheet.text_places() else None
    if index is not None:
        place = find_column(sheet, index, "index")
    about = _describing(sheet) - {place}
    samples = [at for at in range(len(sheet.names)) if at != place and at not in about]
    corner, names = "", numbered(sheet.samples)
    if place is not None:
        corner = sheet.names[place]
        names = ["" if value is None else str(value) for value in sheet.column(place)]
    notes = list(sheet.notes)
    if about:
        left_out = quoted([sheet.names[at] for at in sorted(about)])
        notes.append(f"Columns that describe the features are left out: {left_out}.")
    index_values = np.array([sheet.names[at] for at in samples], dtype=object)
    columns = _turned(sheet.take(samples), names)
    return Sheet(names, columns, index=index_values, notes=notes, turned=corner)


def _describing(sheet: Sheet) -> set[int]:
    """Places of columns that describe the features: by their names, or text beside numbers."""
    text = set(sheet.text_places())
    few = 2 * len(text) < len(sheet.names)  # a label in a row makes every column text
    known = {at for at, name in enumerate(sheet.names) if name.lower() in _ABOUT_FEATURES}
    at_the_beginning = known <= set(range(len(known) + 1))  # in one block, as programs write them
    return (text if few else set()) | (known if at_the_beginning else set())


def _turned(sheet: Sheet, names: list[str]) -> Any:
    """One matrix if all is numeric; else every row is numbers where all its values are, or text."""
    import pyarrow as pa

    if not sheet.text_places():
        rows = [sheet.column(place) for place in range(len(sheet.names))]
        return np.array(rows, dtype=np.float64).reshape(len(rows), sheet.samples)
    texts = [column.cast(pa.string()).to_numpy() for column in sheet.columns.columns]
    columns = []
    for row in np.array(texts, dtype=object).T:
        try:
            columns.append(pa.array(row.astype(np.float64), from_pandas=True))
        except ValueError:
            columns.append(pa.array(row, pa.string()))
    return pa.Table.from_arrays(columns, names=names)
