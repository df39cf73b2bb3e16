"""Spreadsheets: Excel's and OpenDocument's, read by calamine."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from inffs.io._dialect import MISSING_NUMBER, is_sample, refuse_merged
from inffs.io._sheet import Sheet, numbered, quoted

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # how old and encrypted files of Microsoft Office begin
_LOOKED_AT = 20


def read_spreadsheet(path: Path, sheet: str | None = None, header: bool | None = None) -> Sheet:
    """One sheet of a workbook, the first if none is named."""
    rows, notes = _cells(path, sheet)
    width = max((len(row) for row in rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if len(rows) < 2:
        raise ValueError(f"{path} has no table in it: a row of names and rows of values.")
    shown = [[_text(cell) for cell in row] for row in rows[:_LOOKED_AT]]
    refuse_merged(shown, path)
    if header is None:
        header = not is_sample(shown)
    names = [_text(cell) for cell in rows[0]] if header else numbered(width)
    return Sheet(names, _columns(rows[1 if header else 0 :], names), notes=notes)


def _cells(path: Path, sheet: str | None) -> tuple[list[list[Any]], list[str]]:
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise ImportError(
            "reading spreadsheets needs python-calamine: pip install 'inffs[excel]'",
            name="python_calamine",
        ) from error
    _refuse_encrypted(path)
    with calamine.CalamineWorkbook.from_path(str(path)) as book:
        names = list(book.sheet_names)
        if sheet is not None and sheet not in names:
            raise ValueError(f"{path} has no sheet {sheet!r}: it has {quoted(names, 20)}.")
        chosen = sheet or names[0]
        rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=True)
    several = len(names) > 1 and sheet is None
    note = f"{path.name} has {len(names)} sheets; {quoted([chosen])} is read (sheet)."
    return rows, [note] if several else []


def _refuse_encrypted(path: Path) -> None:
    with path.open("rb") as file:
        if path.suffix.lower() != ".xls" and file.read(8) == _OLE:
            raise ValueError(
                f"{path} is protected with a password: save a copy without one and read that."
            )


def _columns(rows: list[list[Any]], names: list[str]) -> Any:
    import pyarrow as pa

    return pa.Table.from_arrays(
        [_column([row[place] for row in rows]) for place in range(len(names))], names=names
    )


def _column(cells: list[Any]) -> Any:
    """Numbers where every cell that is not missing is one; whole ones as such; text otherwise."""
    import pyarrow as pa

    known = [None if _is_missing(cell) else cell for cell in cells]
    there = [cell for cell in known if cell is not None]
    if all(isinstance(cell, bool) for cell in there) and there:
        return pa.array(known, pa.bool_())
    if all(isinstance(cell, int | float) for cell in there):
        whole = there and len(there) == len(known) and all(cell == cell // 1 for cell in there)
        small = whole and all(abs(cell) < 2**53 for cell in there)
        return pa.array([int(cell) for cell in there]) if small else pa.array(known, pa.float64())
    return pa.array([None if cell in (None, "") else _text(cell) for cell in cells], pa.string())


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in MISSING_NUMBER)


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell == cell // 1 and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime.datetime | datetime.date):
        return cell.isoformat()
    return str(cell)
