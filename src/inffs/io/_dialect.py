"""Find the separator and the header of a text file from its first lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TextIO

from inffs.io._sheet import numbered

MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>", "#N/A",
    "#NA", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "?",
)  # fmt: skip
MISSING_NUMBER = (*MISSING, "-", "--", ".")  # among numbers only: as text these may be classes
_ROWS, _VALUES = 20, 400  # of the file that are looked at
_REMARKS = ("#", "!", "%")  # what a line that is no row of the table begins with
NUMBER = r"[+-]?(\d+[.,]?\d*|[.,]\d+|[iI][nN][fF])([eE][+-]?\d+)?"  # with a point or a comma
_CELL = re.compile(rf"\s*{NUMBER}\s*")


@dataclass(frozen=True)
class Dialect:
    """How the rows of a text are to be read.

    ``names`` are those of the columns, numbered if there is no header. ``ids`` are places of
    columns that remain text.
    """

    names: list[str]
    delimiter: str = "\t"
    decimal: str = "."
    ids: frozenset[int] = frozenset()
    header: bool = True


def find_dialect(
    text: bytes, delimiters: str, header: bool | Iterable[str], path: Path
) -> tuple[Dialect, bytes]:
    """Look at the first lines of a text; returns also the rows, without what is above them.

    ``delimiters`` are those to choose from. Instead of whether there is a header, ``header`` may
    be names: a first row with one of them is a header. It may be one name short, as R writes it.
    """
    lines = list(_first_lines(io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="")))
    before = next((at for at, line in enumerate(lines) if not _is_remark(line)), 0)
    delimiter = max(delimiters, key=lambda sign: _fit(_cells(lines[before:], sign)))
    rows = _cells(lines[before:], delimiter)
    if before and rows and _is_header(lines[before - 1], rows, delimiter):
        before -= 1
        rows = _cells(lines[before:], delimiter)
    reader = csv.reader(lines[before:], delimiter=delimiter)
    names, end = next(reader, []), before + reader.line_num
    if not names:
        raise ValueError(f"{path} is empty.")
    if _is_merged_header(rows):
        raise ValueError(
            f"{path} has a header of two rows (merged cells): leave one row of names above the "
            "values."
        )
    if not isinstance(header, bool):
        header = not set(names).isdisjoint(header) or not _is_sample(rows)
    if header:
        names = [""] * (len(next(reader, [])) == len(names) + 1) + names
    else:
        names, end = numbered(len(names)), before
    size = sum(len(line.encode()) for line in lines[:end])
    return Dialect(names, delimiter, header=header), text[size:]


def _first_lines(file: TextIO) -> Iterator[str]:
    """Some lines, and before them those that begin as a remark does."""
    left = _ROWS
    while left and (line := file.readline()):
        left -= not line.startswith(_REMARKS)
        yield line


def _is_remark(line: str) -> bool:
    return not line.strip() or line.startswith(_REMARKS)


def _is_header(line: str, rows: list[list[str]], delimiter: str) -> bool:
    """Whether the line above the rows holds their names, although it looks like a remark.

    It has as many cells as they, and the first of them is not a header itself: one without numbers
    above rows with numbers.
    """
    cells = next(iter(_cells([line], delimiter)), [])
    is_sentence = len(cells) == 1 and len(line.split()) > 1
    if line.startswith("##") or len(cells) != len(rows[0]) or is_sentence:
        return False
    numeric = [any(map(is_number, row)) for row in rows]
    return numeric[0] or not any(numeric)


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """The first cells of the first rows."""
    csv.field_size_limit(2**31 - 1)
    shorter = [line if len(line) < 2**16 else _begin(line, delimiter) for line in lines]
    rows = csv.reader(shorter, delimiter=delimiter)
    return [row[:_VALUES] for row in islice(rows, _ROWS) if any(row)]


def _begin(line: str, delimiter: str) -> str:
    """Enough of a long line for its first cells, cut at a separator."""
    cells = line.split(delimiter, _VALUES)
    return delimiter.join(cells[:_VALUES]) if len(cells) > _VALUES else line


def _fit(rows: list[list[str]]) -> tuple[bool, float, int]:
    """How well a separator fits: rows of one width, cells that are numbers, many cells."""
    below = rows[1:] or rows
    widths = {len(row) for row in below}
    cells = [cell for row in below for cell in row]
    several = widths != {1} and len(widths) == 1
    return several, sum(map(is_number, cells)) / max(1, len(cells)), max(widths, default=0)


def is_number(cell: str) -> bool:
    """Whether a cell is a number, with a point or a comma."""
    return _CELL.fullmatch(cell) is not None


def _is_sample(rows: list[list[str]]) -> bool:
    """Whether the first row is a sample as the others are: a file without a header.

    Numbers may be names, too: those that count up or down (1, 2, 3 ...; wavelengths), and whole
    numbers that are all different above rows that are not like that.
    """
    first, *others = rows or [[]]
    places = [place for place, cell in enumerate(first) if is_number(cell)]
    if not places or not others or any(_differs(first, row) for row in others):
        return False
    numbers, *below = [[_value(row[at]) for at in places if at < len(row)] for row in rows]
    if _counts(numbers):
        return False
    return not _are_numerals(numbers) or all(map(_are_numerals, below))


def _differs(first: list[str], row: list[str]) -> bool:
    """Whether numbers and text stand at other places; what is missing may be either."""
    return any(
        is_number(one) != is_number(other)
        for one, other in zip(first, row, strict=False)
        if one.strip() not in MISSING_NUMBER[1:] and other.strip() not in MISSING_NUMBER
    )


def _value(cell: str) -> float:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return float("nan")


def _counts(numbers: list[float]) -> bool:
    """Whether numbers go up or down throughout, as the names of ordered columns do."""
    steps = [after - before for before, after in pairwise(numbers)]
    if numbers[0] in (0, 1) and all(step == 1 for step in steps):
        return True
    return len(numbers) >= 6 and (all(s > 0 for s in steps) or all(s < 0 for s in steps))


def _are_numerals(numbers: list[float]) -> bool:
    """Whether all are whole and different, as the numbers of patients are."""
    return len(set(numbers)) == len(numbers) > 2 and all(n % 1 == 0 for n in numbers if n == n)


def _is_merged_header(rows: list[list[str]]) -> bool:
    """Whether a row with empty cells is above a full row of names, with numbers below."""
    if len(rows) < 3 or len(rows[0]) < 3:
        return False
    top, names, values = rows[:3]
    empty = [cell == "" for cell in top[1:]]
    named = all(cell.strip() and not is_number(cell) for cell in names[1:])
    return sum(empty) * 3 >= len(empty) and named and any(map(is_number, values))
