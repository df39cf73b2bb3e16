"""Wide text tables: all numbers are parsed as one long column.

A parser of columns takes time per column, which dominates for 100 samples and 20,000 genes. Here
rows are split into cells, cells of text are set aside, and the rest is parsed at once.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from inffs.io._dialect import MISSING, MISSING_NUMBER, Dialect

WIDE = 500  # columns from which this is faster


def read_wide(content: bytes, dialect: Dialect) -> Any | None:
    """An Arrow table, or None if the file is not regular enough."""
    import pyarrow as pa

    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = list(_first_and_last(content, dialect))
    if not ends:
        return None
    sign, n = dialect.delimiter.encode(), len(dialect.names)
    text = sorted({p for row in ends for p in _text_places(row, dialect)} | set(dialect.ids))
    kept: dict[int, list[str]] = {place: [] for place in text}
    T, numbers = 0, pa.BufferOutputStream()
    for row in _rows(content, dialect):
        cells = row.split(sign)
        if len(cells) != n:
            return None
        for place in reversed(text):
            kept[place].append(_plain(cells.pop(place)))
        numbers.write(b"\n".join(cells) + b"\n")
        T += 1
    values = _parse(numbers.getvalue(), dialect.decimal, T, n - len(text))
    return None if values is None else _table(values, kept, dialect.names, ends[0].split(sign))


def _rows(content: bytes, dialect: Dialect) -> Iterator[bytes]:
    """The lines below the header that are not empty."""
    lines = io.BytesIO(content)  # shares the bytes
    if dialect.header:
        lines.readline()
    return (row for line in lines if (row := line.rstrip(b"\n")))


def _first_and_last(content: bytes, dialect: Dialect) -> Iterator[bytes]:
    yield from islice(_rows(content, dialect), 1)
    yield content.rstrip(b"\n").rpartition(b"\n")[2]


def _text_places(row: bytes, dialect: Dialect) -> list[int]:
    """Places of cells that are neither a number nor missing."""
    comma = dialect.decimal == ","
    cells = row.split(dialect.delimiter.encode())
    return [place for place, cell in enumerate(cells) if not _is_number(cell, comma)]


def _is_number(cell: bytes, comma: bool) -> bool:
    cell = cell.strip(b'"')
    try:
        float(cell.replace(b",", b".") if comma else cell)
    except ValueError:
        return cell.decode(errors="replace").strip() in MISSING_NUMBER
    return True


def _plain(cell: bytes) -> str:
    """A cell of text without its quotes."""
    text = cell.decode()
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text


def in_arrow_memory(content: bytes) -> Any:
    """A reader of a copy: an Arrow thread that gives Python's memory back while Python ends aborts.

    See https://github.com/apache/arrow/issues/34314.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(content))
    memoryview(buffer).cast("B")[:] = content
    return pa.BufferReader(buffer)


def _parse(cells: Any, decimal: str, T: int, n: int) -> np.ndarray | None:
    """Numbers, one per line of an Arrow buffer, as the (n, T) array of their columns."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        column = arrow_csv.read_csv(
            pa.BufferReader(cells),
            read_options=arrow_csv.ReadOptions(column_names=["v"], block_size=cells.size + 1),
            parse_options=arrow_csv.ParseOptions(delimiter="\x1f", ignore_empty_lines=False),
            convert_options=arrow_csv.ConvertOptions(
                column_types={"v": pa.float64()},
                null_values=list(MISSING_NUMBER),
                decimal_point=decimal,
            ),
        ).column(0)
    except pa.ArrowInvalid:
        return None
    if len(column) != T * n:
        return None
    return np.ascontiguousarray(column.to_numpy().reshape(T, n).T)


def _table(
    values: np.ndarray, text: dict[int, list[str]], names: list[str], first: list[bytes]
) -> Any:
    """Columns in their order; those of whole numbers as such, as Arrow's own parser has them."""
    import pyarrow as pa

    whole = _whole(values)
    columns: list[Any] = []
    numbers = iter(range(len(values)))
    for place in range(len(names)):
        if place in text:
            columns.append(pa.array([None if v in MISSING else v for v in text[place]]))
            continue
        at = next(numbers)
        as_whole = whole[at] and not set(b".eE") & set(first[place])
        columns.append(pa.array(values[at].astype(np.int64) if as_whole else values[at]))
    return pa.Table.from_arrays(columns, names=names)


def _whole(values: np.ndarray) -> np.ndarray:
    """Which rows hold nothing but whole numbers that float64 tells apart."""
    small = np.abs(values).max(axis=1, initial=0.0) < 2**53
    return small & (values == np.rint(values)).all(axis=1)
