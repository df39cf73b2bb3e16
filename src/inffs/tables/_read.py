"""``read_table``: a file becomes numbers, names and a label; ``write_table``: and back."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from inffs.tables._files import new_file
from inffs.tables._formats import find_format
from inffs.tables._prepare import ENCODINGS, IMPUTATIONS, fill_in, to_numbers
from inffs.tables._sheet import Sheet, Table, is_numeric, quoted
from inffs.tables._transpose import transposed


def read_table(
    path: str | Path,
    *,
    label: str | int | None = None,
    index: str | int | None = None,
    drop: Iterable[str] = (),
    transpose: bool = False,
    encode: str | None = None,
    impute: str | None = None,
) -> Table:
    """Read a table from a file of any known format.

    Parameters
    ----------
    path : str or Path
        The ending says the format: see ``FORMATS``.
    label, index : str or int, optional
        The column of classes and the column of sample names: a name or a position (from 0,
        negative from the end). A name wins over a position.
    drop : iterable of str
        Names or patterns (``*``, ``?``, ``[abc]``) of columns to leave out.
    transpose : bool
        The file has samples as columns and features as rows (expression matrices often do):
        the index column then holds the feature names, and the label is a row.
    encode : {"onehot", "ordinal"}, optional
        What to do with text columns; None refuses them.
    impute : {"median", "knn", "later"}, optional
        What to do with missing values; None refuses them, "later" leaves them NaN for a step that
        fills them in from a training part only.

    Returns
    -------
    Table
    """
    _check_choice("encode", encode, ENCODINGS)
    _check_choice("impute", impute, IMPUTATIONS)
    sheet = _read_sheet(Path(path))
    if transpose:
        sheet, index = transposed(sheet, index), None
    notes: list[str] = []
    if index is None and sheet.index is None and _is_counter(sheet):
        index = 0
        notes.append("The first column has no name and only numbers the rows: it is the index.")
    y, label_name, at_label = _pick(sheet, label, "label")
    samples, index_name, at_index = _pick(sheet, index, "index")
    sheet = _keep(sheet, {at_label, at_index}, list(drop))
    X, names, encoded = to_numbers(sheet, encode)
    X, filled = fill_in(X, names, impute)
    if y is not None:
        _refuse_missing_labels(y, label_name or "")
    samples = sheet.index if samples is None else samples
    return Table(X, names, y, label_name, samples, index_name, [*notes, *encoded, *filled])


def _read_sheet(path: Path) -> Sheet:
    form, _ = find_format(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        return form.read(path)
    except (ImportError, MemoryError, PermissionError):
        raise
    except Exception as error:
        if isinstance(error, ValueError) and str(path) in str(error):
            raise
        what = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
        raise ValueError(
            f"{path} could not be read as {form.name} ({what}): it is damaged, cut short, or "
            "another kind of file."
        ) from error


def write_table(table: Any, path: str | Path, *, force: bool = False) -> None:
    """Write a table in the format its ending names; beside first, then renamed.

    Formats of columns (CSV, TSV, Parquet, Feather) also take a ``pyarrow.Table``.
    """
    form, _ = find_format(path)
    with new_file(path, force=force) as beside:
        form.write(table, beside)


def _check_choice(what: str, given: str | None, known: tuple[str, ...]) -> None:
    if given is not None and given not in known:
        raise ValueError(f"{what}={given!r} is not known: it is one of {', '.join(known)}.")


def _is_counter(sheet: Sheet) -> bool:
    """Whether the first column is the unnamed row number that data frames write."""
    if not sheet.mixed or not sheet.names or sheet.names[0] != "":
        return False
    if not is_numeric(sheet.columns.schema.types[0]):
        return False
    column = sheet.column(0)
    steps = np.arange(column.size)
    return bool(np.array_equal(column, steps) or np.array_equal(column, steps + 1))


def _pick(
    sheet: Sheet, wanted: str | int | None, role: str
) -> tuple[np.ndarray | None, str | None, int | None]:
    """Values, name and place of the label or index column (no place: it stood beside)."""
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
    import difflib

    known = [*sheet.beside, *sheet.names]
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    if near:
        return f"There is no column {quoted([wanted])} for the {role}. Did you mean {quoted(near)}?"
    shown = list(sheet.beside) + sheet.names[:3] + sheet.names[-1:]
    return (
        f"There is no column {quoted([wanted])} for the {role}; the table has "
        f"{len(sheet.names):,}, such as {quoted(list(dict.fromkeys(shown)))}."
    )


def _keep(sheet: Sheet, taken: set[int | None], drop: list[str]) -> Sheet:
    """The columns that stay features."""
    left = [place for place in range(len(sheet.names)) if place not in taken]
    for pattern in drop:
        hit = {place for place in left if _matches(sheet.names[place], pattern)}
        if not hit:
            raise ValueError(f"No column matches drop {pattern!r}.")
        left = [place for place in left if place not in hit]
    if not left:
        raise ValueError("No column is left to rank.")
    return sheet.take(left)


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatch.fnmatchcase(name, pattern)


def _refuse_missing_labels(y: np.ndarray, name: str) -> None:
    missing = [row for row, value in enumerate(y) if value is None or value != value]
    if missing:
        rows = ", ".join(map(str, missing[:5])) + (" ..." if len(missing) > 5 else "")
        raise ValueError(
            f"The label {quoted([name])} is missing in {len(missing):,} of {y.size:,} rows "
            f"({rows}): fill it in or take these samples out."
        )
