"""CSV and TSV, plain or gzipped, read and written by Arrow's parser."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._dialect import MISSING, MISSING_NUMBER, Dialect, find_dialect
from inffs.io._guard import refuse_gzip_bomb, refuse_larger_than_memory, refuse_zero_bytes
from inffs.io._sheet import Sheet, Table, is_bytes

_WHOLE = 2**30  # a file up to this size is parsed as one block: types are seen over all rows
_BYTES_A_COLUMN = 7500  # what Arrow's parser takes for a column, however short it is
_WIDE = 500  # columns from which parsing them as one is faster
_POINT = set(b".,eE")
_REMARK = re.compile(rb"^#[^\n]*\n?", re.M)
_NO_HEADER = (
    "The first row does not hold names, so it is read as a sample (header=True changes this)."
)


def read_csv(path: Path, header: bool | None = None, ids: Sequence[str | int] = ()) -> Sheet:
    """Read text separated by commas, semicolons or tabs, whichever fits the first lines best.

    ``ids`` are columns that stay text although they look like numbers.
    """
    return _read(path, ",;\t", header, ids)


def read_tsv(path: Path, header: bool | None = None, ids: Sequence[str | int] = ()) -> Sheet:
    """Read text separated by tabs; a .txt file may also be separated by other signs."""
    loose = path.name.lower().endswith((".txt", ".txt.gz"))
    return _read(path, "\t;, " if loose else "\t", header, ids)


def write_csv(table: Table, path: Path) -> None:
    _write(table, path, ",")


def write_tsv(table: Table, path: Path) -> None:
    _write(table, path, "\t")


def _read(path: Path, delimiters: str, header: bool | None, ids: Sequence[str | int]) -> Sheet:
    import pyarrow as pa

    refuse_gzip_bomb(path)
    try:
        dialect = find_dialect(path, delimiters, header)
        dialect = replace(dialect, ids=_places(dialect.names, ids))
        columns = _columns(path, dialect)
        names = list(columns.column_names)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise ValueError(_explain(str(error), path)) from error
    if any(is_bytes(kind) for kind in set(columns.schema.types)):
        raise ValueError(_explain("not UTF8", path))
    return Sheet(names, columns, notes=[] if dialect.header else [_NO_HEADER])


def _places(names: list[str], wanted: Sequence[str | int]) -> tuple[int, ...]:
    """Places of the columns, by name or position, as far as there are such."""
    found = set()
    for each in wanted:
        if each in names:
            found.add(names.index(str(each)))
        elif str(each).lstrip("-").isdecimal() and -len(names) <= int(each) < len(names):
            found.add(int(each) % len(names))
    return tuple(sorted(found))


def _columns(path: Path, dialect: Dialect) -> Any:
    """Parse wide tables as one long column, and others with Arrow."""
    size = path.stat().st_size
    content = _content(path, dialect) if size < _WHOLE else None
    if content is not None and len(dialect.names) >= _WIDE:
        found = _read_wide(content, dialect)
        if found is not None:
            return found
    refuse_larger_than_memory(path, _BYTES_A_COLUMN * len(dialect.names))
    source = path if content is None else content
    columns = parse_text(source, dialect)
    others = [place for place in range(columns.num_columns) if place not in dialect.ids]
    mistaken = dialect.delimiter != "," and dialect.decimal == "."
    if mistaken and _commas_in_numbers(columns.select(others)):
        return parse_text(source, replace(dialect, decimal=","))
    return columns


def _content(path: Path, dialect: Dialect) -> bytes:
    """The table as UTF-8, without the lines before it and remarks between its rows."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if dialect.encoding in ("utf-16", "utf-32"):
        data = data.decode(dialect.encoding).encode()
    refuse_zero_bytes(path, data)
    data = data.removeprefix(b"\xef\xbb\xbf")
    for _ in range(dialect.skip):
        data = data.partition(b"\n")[2]
    if data.find(b"\n#") >= 0:
        head, end, rows = data.partition(b"\n")
        data = head + end + _without_remarks(rows, dialect)
    return data


def _without_remarks(rows: bytes, dialect: Dialect) -> bytes:
    """The rows without lines that begin with # and have another number of cells."""
    sign, count = dialect.delimiter.encode(), len(dialect.names) - 1

    def kept(found: re.Match[bytes]) -> bytes:
        return found.group() if count and found.group().count(sign) == count else b""

    return _REMARK.sub(kept, rows)


def parse_text(source: Any, dialect: Dialect) -> Any:
    """Bytes, or a file, as an Arrow table: numbers where a column holds nothing else."""
    import pyarrow as pa

    try:
        return _text_with_marks_as_missing(_arrow(source, dialect, text=False), dialect.ids)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
        return _numbers_back(_arrow(source, dialect, text=True), dialect.ids)


def _arrow(source: Any, dialect: Dialect, text: bool) -> Any:
    """Parse the file; with ``text``, every column is text."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    convert: dict[str, Any] = {
        "null_values": list(MISSING_NUMBER),
        "decimal_point": dialect.decimal,
        "column_types": {dialect.names[place]: pa.string() for place in dialect.ids},
    }
    if text:
        convert = {"column_types": dict.fromkeys(dialect.names, pa.string()), "null_values": []}
    own_names = not dialect.header or dialect.short
    skip, size, file = dialect.skip, _WHOLE, source
    if isinstance(source, bytes):
        skip, size, file = 0, len(source), _in_arrow_memory(source)
    return arrow_csv.read_csv(
        file,
        read_options=arrow_csv.ReadOptions(
            block_size=int(min(max(size + 1, 2**20), _WHOLE)),
            skip_rows=skip + dialect.short,
            column_names=dialect.names if own_names else None,
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(**convert),
    )


def _text_with_marks_as_missing(table: Any, ids: tuple[int, ...]) -> Any:
    """The table, marks of missing values in its columns of text as missing; ``ids`` have none."""
    import pyarrow as pa

    for place, kind in enumerate(table.schema.types):
        if pa.types.is_string(kind):
            column = _without_marks(table.column(place), _marks(place in ids))
            table = table.set_column(place, table.column_names[place], column)
    return table


def _marks(is_id: bool) -> tuple[str, ...]:
    """What is missing in a column of text; NA may be the name of a sample or a gene."""
    return ("",) if is_id else MISSING


def _without_marks(column: Any, marks: tuple[str, ...]) -> Any:
    import pyarrow as pa
    from pyarrow import compute

    missing = compute.is_in(column, pa.array(marks, column.type))
    return compute.if_else(missing, pa.scalar(None, column.type), column)


def _numbers_back(table: Any, ids: tuple[int, ...]) -> Any:
    """Columns of text that are numbers throughout, as numbers; ``ids`` stay text."""
    import pyarrow as pa

    columns = []
    for place, column in enumerate(table.columns):
        text = _without_marks(column, _marks(place in ids))
        try:
            numbers = _without_marks(column, MISSING_NUMBER).cast(pa.float64())
        except pa.ArrowInvalid:
            numbers = text
        columns.append(text if place in ids else numbers)
    return pa.Table.from_arrays(columns, names=table.column_names)


def _commas_in_numbers(table: Any) -> bool:
    """Whether a column that came out as text holds numbers with decimal commas only."""
    import pyarrow as pa
    from pyarrow import compute

    for column in table.columns:
        if pa.types.is_string(column.type):
            known = column.drop_null()
            number = compute.match_substring_regex(known, r"^\s*[+-]?\d*,?\d+([eE][+-]?\d+)?\s*$")
            grouped = compute.match_substring_regex(known, r"^\s*[+-]?\d{1,3}(,\d{3})*\s*$")
            if len(known) and compute.all(number).as_py() and not compute.all(grouped).as_py():
                return True
    return False


def _read_wide(content: bytes, dialect: Dialect) -> Any | None:
    """A wide table, its numbers parsed as one long column; None if it is not regular enough.

    A parser of columns takes time per column, which dominates for 100 samples and 20,000 genes.
    Here rows are split into cells, cells of text are set aside, and the rest is parsed at once.
    """
    import pyarrow as pa

    sign, n, is_comma = dialect.delimiter.encode(), len(dialect.names), dialect.decimal == ","
    rows = [row for row in content.splitlines() if row][int(dialect.header) :]
    if not rows:
        return None
    first, last = rows[0].split(sign), rows[-1].split(sign)
    places = {at for row in (first, last) for at, cell in enumerate(row)
              if not _is_number(cell, is_comma)}  # fmt: skip
    text: dict[int, list[str]] = {at: [] for at in sorted(places | set(dialect.ids), reverse=True)}
    numbers = pa.BufferOutputStream()
    for row in rows:
        cells = row.split(sign)
        if len(cells) != n:
            return None
        for at, column in text.items():
            column.append(_plain(cells.pop(at)))
        numbers.write(b"\n".join(cells) + b"\n")
    values = _parse(numbers.getvalue(), dialect.decimal, len(rows), n - len(text))
    if values is None:
        return None
    without_point = [not _POINT & set(cell) for at, cell in enumerate(first) if at not in text]
    columns = _columns_of(values, np.array(without_point, dtype=bool))
    for at, known in reversed(text.items()):
        marks = _marks(at in dialect.ids)
        columns.insert(at, pa.array([None if each in marks else each for each in known]))
    return pa.Table.from_arrays(columns, names=dialect.names)


def _is_number(cell: bytes, comma: bool) -> bool:
    try:
        float(cell.replace(b",", b".") if comma else cell)
    except ValueError:
        bare = cell.strip(b'"')
        missing = bare.decode(errors="replace").strip() in MISSING_NUMBER
        return missing or (bare != cell and _is_number(bare, comma))
    return True


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
                null_values=list(MISSING_NUMBER),
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
    if "Empty CSV" in text:
        return f"{path} is empty."
    return f"{path} could not be read: {text.splitlines()[0][:300]}"


def _write(table: Table, path: Path, delimiter: str) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    options = arrow_csv.WriteOptions(delimiter=delimiter, batch_size=max(1, 2**22 // 64))
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
