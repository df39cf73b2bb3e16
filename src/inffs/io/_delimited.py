"""Delimited text, as numbers where a column holds nothing else; also the text of other formats."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._dialect import MISSING, MISSING_NUMBER, NUMBER, Dialect, find_dialect
from inffs.io._guard import read_text, refuse_larger_than_memory
from inffs.io._sheet import Sheet, Table, is_bytes, is_text, text_places

_BLOCK = 2**30  # the largest part of a text that Arrow parses at once
_BYTES_A_COLUMN = 7500  # what Arrow's parser takes for a column, however short it is
_WIDE = 500  # columns from which parsing them as one is faster
_POINT = set(b".,eE")
_NUMERIC = rf'^"?\s*({NUMBER}|{"|".join(map(re.escape, MISSING_NUMBER))})\s*"?$'
_NO_HEADER = (
    "The first row does not hold names, so it is read as a sample (header=True changes this)."
)


def read_csv(path: Path, header: bool | Iterable[str] = (), ids: Sequence[str | int] = ()) -> Sheet:
    """Read text separated by commas, semicolons or tabs, whichever fits the first lines best.

    ``ids`` are columns that stay text although they look like numbers.
    """
    return sheet_of_text(read_text(path), path, ",;\t", header, ids)


def read_tsv(path: Path, header: bool | Iterable[str] = (), ids: Sequence[str | int] = ()) -> Sheet:
    """Read text separated by tabs; a .txt file may also be separated by other signs."""
    loose = path.name.lower().endswith((".txt", ".txt.gz"))
    return sheet_of_text(read_text(path), path, "\t;, " if loose else "\t", header, ids)


def write_csv(table: Table, path: Path) -> None:
    _write(table, path, ",")


def write_tsv(table: Table, path: Path) -> None:
    _write(table, path, "\t")


def sheet_of_text(
    text: bytes, path: Path, delimiters: str, header: bool | Iterable[str], ids: Sequence[str | int]
) -> Sheet:
    """The columns of delimited text, whose first row holds their names if it is a header."""
    import pyarrow as pa

    try:
        dialect, text = find_dialect(text, delimiters, header, path)
        dialect = replace(dialect, ids=_places(dialect.names, ids))
        columns = parse_rows(text, dialect, path)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise ValueError(_explain(str(error), path)) from error
    return Sheet(dialect.names, columns, notes=[] if dialect.header else [_NO_HEADER])


def _places(names: list[str], wanted: Sequence[str | int]) -> frozenset[int]:
    """Places of the columns, by name or position, as far as there are such."""
    found = set()
    for each in wanted:
        if each in names:
            found.add(names.index(str(each)))
        elif str(each).lstrip("-").isdecimal() and -len(names) <= int(each) < len(names):
            found.add(int(each) % len(names))
    return frozenset(found)


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """The cells as text that :func:`parse_rows` takes, separated by commas."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def parse_rows(rows: bytes, dialect: Dialect, path: Path) -> Any:
    """Rows without a header as an Arrow table: numbers where a column holds nothing else.

    Decimals have a comma if more columns are numbers then.
    """
    table = _read_wide(rows, dialect) if len(dialect.names) >= _WIDE else None
    if table is None:
        refuse_larger_than_memory(path, _BYTES_A_COLUMN * len(dialect.names))
        table = _read_narrow(rows, dialect)
    text = [at for at in text_places(table) if at not in dialect.ids]
    if dialect.decimal == "." and any(_has_decimal_commas(table.column(at)) for at in text):
        other = parse_rows(rows, replace(dialect, decimal=","), path)
        return min(other, table, key=lambda each: len(text_places(each)))
    return table


def _read_narrow(rows: bytes, dialect: Dialect) -> Any:
    """A table as Arrow reads it. Lines with a # that are no rows are left out."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    places = [str(place) for place in range(len(dialect.names))]
    columns = arrow_csv.read_csv(
        _in_arrow_memory(rows or b"\n"),
        read_options=arrow_csv.ReadOptions(
            column_names=places, block_size=min(len(rows) + 1, _BLOCK)
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=True,
            invalid_row_handler=lambda row: "skip" if row.text.startswith("#") else "error",
        ),
        convert_options=arrow_csv.ConvertOptions(
            null_values=MISSING_NUMBER,
            decimal_point=dialect.decimal,
            column_types={places[at]: pa.string() for at in dialect.ids},
        ),
    ).columns
    if any(is_bytes(column.type) for column in columns):
        raise pa.ArrowInvalid("not UTF8")
    known = [
        _without_marks(column, _marks(at in dialect.ids)) if is_text(column.type) else column
        for at, column in enumerate(columns)
    ]
    return pa.Table.from_arrays(known, names=dialect.names)


def _marks(is_id: bool) -> tuple[str, ...]:
    """What is missing in a column of text; NA may be the name of a sample or a gene."""
    return ("",) if is_id else MISSING


def _without_marks(column: Any, marks: tuple[str, ...]) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    missing = compute.is_in(column, pa.array(marks, column.type))
    return compute.if_else(missing, pa.scalar(None, column.type), column)


def _has_decimal_commas(column: Any) -> bool:
    """Whether all text in a column is a number, and a comma in it is none between thousands."""
    from pyarrow import compute

    known = _without_marks(column.cast("string"), MISSING_NUMBER).drop_null()
    number = compute.match_substring_regex(known, r"^\s*[+-]?\d*,?\d+([eE][+-]?\d+)?\s*$")
    grouped = compute.match_substring_regex(known, r"^\s*[+-]?\d{1,3}(,\d{3})*\s*$")
    return bool(compute.all(number).as_py() and not compute.all(grouped).as_py())


def _read_wide(rows: bytes, dialect: Dialect) -> Any | None:
    """A wide table, its numbers parsed as one long column; None if it is not regular enough.

    A parser of columns takes time per column, which dominates for 100 samples and 20,000 genes.
    Here rows are split into cells, cells of text are set aside, and the rest is parsed at once.
    """
    import pyarrow as pa

    sign, n = dialect.delimiter.encode(), len(dialect.names)
    lines = [line for line in rows.splitlines() if line]
    lines = [line for line in lines if line[:1] != b"#" or line.count(sign) == n - 1]
    if not lines:
        return None
    first = lines[0].split(sign)
    places = {at for line in (lines[0], lines[-1]) for at in _text_places(line.split(sign))}
    text: dict[int, list[str]] = {at: [] for at in sorted(places | dialect.ids, reverse=True)}
    numbers = pa.BufferOutputStream()
    for line in lines:
        cells = line.split(sign)
        if len(cells) != n:
            return None
        for at, column in text.items():
            column.append(_plain(cells.pop(at)))
        numbers.write(b"\n".join(cells) + b"\n")
    known = [cell for at, cell in enumerate(first) if at not in text]
    has_commas = any(b"," in cell for cell in known) and _has_decimal_commas(pa.array(known))
    decimal = "," if has_commas else dialect.decimal
    values = _parse(numbers.getvalue(), decimal, len(lines), len(known))
    if values is None:
        return None
    without_point = [not _POINT & set(cell) for cell in known]
    columns = _columns_of(values, np.array(without_point, dtype=bool))
    for at, words in reversed(text.items()):
        marks = _marks(at in dialect.ids)
        columns.insert(at, pa.array([None if each in marks else each for each in words]))
    return pa.Table.from_arrays(columns, names=dialect.names)


def _text_places(cells: list[bytes]) -> list[int]:
    """Places of the cells that are neither numbers nor missing."""
    import pyarrow as pa
    from pyarrow import compute

    found = compute.match_substring_regex(pa.array(cells, pa.string()), _NUMERIC)
    return np.flatnonzero(~found.to_numpy(zero_copy_only=False)).tolist()


def _plain(cell: bytes) -> str:
    """A cell of text without its quotes."""
    text = cell.decode()
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text


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
                null_values=MISSING_NUMBER,
                decimal_point=decimal,
            ),
        ).column(0)
    except pa.ArrowInvalid:
        return None
    if len(column) != T * n:
        return None
    return np.ascontiguousarray(column.to_numpy().reshape(T, n).T)


def _columns_of(values: np.ndarray, may_be_whole: np.ndarray) -> list[Any]:
    """Arrow columns of the rows; those of whole numbers as such, as Arrow's own parser has them."""
    import pyarrow as pa

    chosen = values[may_be_whole]
    small = np.abs(chosen).max(axis=1, initial=0.0) < 2**53  # which float64 tells apart
    whole = np.zeros(len(values), dtype=bool)
    whole[may_be_whole] = small & (chosen == np.rint(chosen)).all(axis=1)
    T, shared = values.shape[1], [None, pa.py_buffer(values)]
    return [
        pa.array(values[at].astype(np.int64)) if is_whole else
        pa.Array.from_buffers(pa.float64(), T, shared, 0, at * T)
        for at, is_whole in enumerate(whole.tolist())
    ]  # fmt: skip


def _in_arrow_memory(content: bytes) -> Any:
    """A reader of a copy: an Arrow thread that gives Python's memory back while Python ends aborts.

    See https://github.com/apache/arrow/issues/34314.
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(content))
    memoryview(buffer).cast("B")[:] = content
    return pa.BufferReader(buffer)


def _explain(text: str, path: Path) -> str:
    if "UTF8" in text or "utf-8" in text:
        return f"{path} is not UTF-8 text: convert it first (iconv -f latin1 -t utf-8)."
    if "Expected" in text and "columns" in text:
        return (
            f"{path} has rows of different lengths ({text.splitlines()[0][:200]}): "
            "check the separator and the quotes."
        )
    return f"{path} could not be read: {text.splitlines()[0][:300]}"


def _write(table: Table, path: Path, delimiter: str) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    options = arrow_csv.WriteOptions(delimiter=delimiter, batch_size=2**16)
    compression = "gzip" if path.suffix == ".gz" else None
    with pa.output_stream(str(path), compression=compression) as sink:
        arrow_csv.write_csv(to_arrow(table), sink, options)


def to_arrow(table: Any) -> Any:
    """Index, features and label as an Arrow table, in this order; turned if the file was."""
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    X = table.X.toarray() if hasattr(table.X, "toarray") else table.X
    if table.turned is not None:
        return _on_its_side(table, X)
    columns = [pa.array(column, from_pandas=True) for column in np.ascontiguousarray(X.T)]
    names = list(table.names)
    if table.index is not None:
        columns.insert(0, pa.array(table.index, from_pandas=True))
        names.insert(0, table.index_name or "")
    if table.y is not None:
        columns.append(pa.array(table.y, from_pandas=True))
        names.append(table.label or "label")
    return pa.Table.from_arrays(columns, names=names)


def _on_its_side(table: Table, X: np.ndarray) -> Any:
    """A column per sample under the names of the features; the label is the last row."""
    import pyarrow as pa

    rows: list[Any] = list(X)
    names = list(table.names)
    if table.y is not None:
        kind = float if np.asarray(table.y).dtype.kind in "fiub" else str
        rows = [[*map(kind, row.tolist()), kind(y)] for row, y in zip(X, table.y, strict=True)]
        names.append(table.label or "label")
    above = table.index if table.index is not None else np.arange(len(rows))
    columns = [pa.array(names), *(pa.array(row, from_pandas=True) for row in rows)]
    return pa.Table.from_arrays(columns, names=[table.turned or "", *map(str, above)])
