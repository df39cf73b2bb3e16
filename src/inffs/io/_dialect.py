"""Find the encoding, separator, decimal sign and header of a text file from its first lines."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Iterator
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
_LONGEST_LINE = 2**28
_REMARKS = ("#", "!", "%")  # what a line that is no row of the table begins with
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA_NUMBER = re.compile(r"\s*[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[+-]?\d{1,3}(,\d{3})+\s*")


@dataclass(frozen=True)
class Dialect:
    """How to read a file of delimited text.

    ``skip`` lines come before the table. ``names`` are those of the columns, numbered if there is
    no header. ``short`` is True if the header has no name for the first column. ``ids`` are places
    of columns that remain text.
    """

    encoding: str
    delimiter: str
    decimal: str
    skip: int
    header: bool
    names: list[str]
    short: bool = False
    ids: tuple[int, ...] = ()


def find_dialect(path: Path, delimiters: str, header: bool | None = None) -> Dialect:
    """Look at the first lines of a file; ``delimiters`` are those to choose from."""
    encoding = _encoding(path)
    with _open(path, encoding) as file:
        lines = list(_first_lines(file))
    skip = _lines_before(lines, delimiters)
    lines = lines[skip:]
    delimiter = max(delimiters, key=lambda sign: _fit(_cells(lines, sign), sign))
    rows = _cells(lines, delimiter)
    refuse_merged(rows, path)
    decimal = "," if _has_decimal_comma(rows) else "."
    first, second = _first_two(lines, delimiter)
    if header is None:
        header = not is_sample(rows, decimal)
    if not header:
        return Dialect(encoding, delimiter, decimal, skip, False, numbered(len(first)))
    short = len(rows) > 1 and len(first) + 1 == len(second)
    return Dialect(encoding, delimiter, decimal, skip, True, [""] * short + first, short)


def _first_two(lines: list[str], delimiter: str) -> tuple[list[str], list[str]]:
    """The cells of the first two rows; a quoted cell may go on in the next line."""
    rows = csv.reader(lines, delimiter=delimiter)
    return next(rows, []), next(rows, [])


def _encoding(path: Path) -> str:
    with _open_bytes(path) as file:
        start = file.read(4)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8-sig")


def _open_bytes(path: Path) -> gzip.GzipFile:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _open(path: Path, encoding: str) -> TextIO:
    opened = gzip.open if path.suffix == ".gz" else open
    return opened(path, "rt", encoding=encoding, newline="")


def _first_lines(file: TextIO) -> Iterator[str]:
    """Some lines, and before them those that begin as a remark does."""
    left = _ROWS
    while left and (line := file.readline(_LONGEST_LINE)):
        left -= not line.startswith(_REMARKS)
        yield line


def _lines_before(lines: list[str], delimiters: str) -> int:
    """Count the remarks and empty lines before the table; a header may begin as a remark does."""
    for place, line in enumerate(lines):
        if line.strip() and not line.startswith(_REMARKS):
            return place - 1 if place and _is_header(lines[place - 1 :], delimiters) else place
    return 0


def _is_header(lines: list[str], delimiters: str) -> bool:
    """Whether the first line holds the names of the rows below it, although it looks a remark.

    It has as many cells as they, and the row below it is not a header itself: one without numbers
    above rows with numbers.
    """
    first, below, *others = lines
    if not first.startswith(_REMARKS) or first.startswith("##"):
        return False
    fitting = [sign for sign in delimiters if 0 < first.count(sign) == below.count(sign)]
    if not fitting and (len(first.split()) != 1 or any(sign in below for sign in delimiters)):
        return False
    sign = max(fitting, key=first.count, default="\0")
    return _has_number(below, sign) or not any(_has_number(line, sign) for line in others)


def _has_number(line: str, delimiter: str) -> bool:
    """Whether one of the first cells of a line is a number."""
    cells = (cell.strip().strip('"') for cell in line.split(delimiter, _VALUES)[:_VALUES])
    return any(_is_number(cell, ".") or _is_number(cell, ",") for cell in cells)


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


def _fit(rows: list[list[str]], delimiter: str) -> tuple[bool, float, int]:
    """How well a separator fits: rows of one width, cells that are numbers, many cells."""
    widths = {len(row) for row in rows[1:]} or {len(row) for row in rows}
    cells = [cell for row in rows[1:] for cell in row] or [cell for row in rows for cell in row]
    comma = delimiter != ","
    numbers = sum(_is_number(cell, ".") or (comma and _is_number(cell, ",")) for cell in cells)
    several = widths != {1} and len(widths) == 1
    return several, numbers / max(1, len(cells)), max(widths, default=0)


def _is_number(cell: str, decimal: str) -> bool:
    return (_NUMBER if decimal == "." else _COMMA_NUMBER).fullmatch(cell) is not None


def _has_decimal_comma(rows: list[list[str]]) -> bool:
    """Whether a number has a comma that does not set thousands apart, and none has a point."""
    cells = [cell for row in rows for cell in row if "," in cell or "." in cell]
    with_comma = [cell for cell in cells if "," in cell and _is_number(cell, ",")]
    return any(not _THOUSANDS.fullmatch(cell) for cell in with_comma) and not any(
        "." in cell and _is_number(cell, ".") for cell in cells
    )


def is_sample(rows: list[list[str]], decimal: str = ".") -> bool:
    """Whether the first row is a sample as the others are: a file without a header.

    Numbers may be names, too: those that count up or down (1, 2, 3 ...; wavelengths), and whole
    numbers that are all different above rows that are not like that.
    """
    first, others = rows[0] if rows else [], rows[1:]
    places = [place for place, cell in enumerate(first) if _is_number(cell, decimal)]
    if not places or not others or any(_differs(first, row, decimal) for row in others):
        return False
    numbers = [_value(first[place]) for place in places]
    if _counts(numbers):
        return False
    below = [[_value(row[place]) for place in places if place < len(row)] for row in others]
    return not (_are_numerals(numbers) and not all(_are_numerals(row) for row in below))


def _differs(first: list[str], row: list[str], decimal: str) -> bool:
    """Whether numbers and text stand at other places; what is missing may be either."""
    missing = set(MISSING_NUMBER)
    return any(
        _is_number(one, decimal) != _is_number(other, decimal)
        for one, other in zip(first, row, strict=False)
        if one.strip() not in missing - {""} and other.strip() not in missing
    )


def _value(cell: str) -> float:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return float("nan")


def _counts(numbers: list[float]) -> bool:
    """Whether numbers go up or down throughout, as the names of ordered columns do."""
    if numbers in ([float(k + start) for k in range(len(numbers))] for start in (0, 1)):
        return True
    steps = [after - before for before, after in pairwise(numbers)]
    return len(numbers) >= 6 and (all(s > 0 for s in steps) or all(s < 0 for s in steps))


def _are_numerals(numbers: list[float]) -> bool:
    """Whether all are whole and different, as the numbers of patients are."""
    return len(set(numbers)) == len(numbers) > 2 and all(n == int(n) for n in numbers if n == n)


def refuse_merged(rows: list[list[str]], path: Path) -> None:
    """Raise if the header has two rows, the upper one with empty cells."""
    if _is_merged_header(rows):
        raise ValueError(
            f"{path} has a header of two rows (merged cells): leave one row of names above the "
            "values."
        )


def _is_merged_header(rows: list[list[str]]) -> bool:
    """Whether a row with empty cells is above a full row of names, with numbers below."""
    if len(rows) < 3 or len(rows[0]) < 3:
        return False
    top, names, values = rows[:3]
    empty = [cell == "" for cell in top[1:]]
    named = all(cell.strip() and not _is_number(cell, ".") for cell in names[1:])
    return sum(empty) * 3 >= len(empty) and named and any(_is_number(v, ".") for v in values)
