"""CSV and TSV, plain or gzipped, read and written by Arrow's parser."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np

from inffs.tables._guard import refuse_gzip_bomb, refuse_larger_than_memory
from inffs.tables._sheet import Sheet, Table

_WHOLE = 2**30  # a file up to this size is parsed as one block: types are seen over all rows
_LONGEST_HEADER = 2**28
_BYTES_A_COLUMN = 7500  # what Arrow's parser takes for a column, however short it is
_MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "#N/A", "?"]


def read_csv(path: Path) -> Sheet:
    """Comma- or semicolon-separated, whichever the first line holds more of."""
    refuse_gzip_bomb(path)
    line = _first_line(path)
    return _read(path, ";" if line.count(";") > line.count(",") else ",")


def read_tsv(path: Path) -> Sheet:
    refuse_gzip_bomb(path)
    return _read(path, "\t")


def write_csv(table: Table, path: Path) -> None:
    _write(table, path, ",")


def write_tsv(table: Table, path: Path) -> None:
    _write(table, path, "\t")


def _read(path: Path, delimiter: str) -> Sheet:
    import pyarrow as pa

    refuse_larger_than_memory(path, _BYTES_A_COLUMN * _first_line(path).count(delimiter))
    try:
        columns = _parse(path, delimiter, text=False)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise ValueError(_explain(error, path)) from error
        columns = _parse(path, delimiter, text=True)
    try:
        return Sheet(list(columns.column_names), columns)
    except UnicodeDecodeError as error:
        raise ValueError(_explain(error, path)) from error


def _parse(path: Path, delimiter: str, text: bool) -> Any:
    """Parse the file; with ``text`` a type that the first block suggests is not believed."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    size = path.stat().st_size * (8 if path.suffix == ".gz" else 1)
    convert = arrow_csv.ConvertOptions(null_values=_MISSING, strings_can_be_null=True)
    if text:
        names = _header(path, delimiter)
        convert = arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    table = arrow_csv.read_csv(
        path,
        read_options=arrow_csv.ReadOptions(block_size=int(min(max(size + 1, 2**20), _WHOLE))),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=convert,
    )
    return _numbers_back(table) if text else table


def _numbers_back(table: Any) -> Any:
    """Columns of text that are numbers throughout, as numbers."""
    import pyarrow as pa
    from pyarrow import compute

    columns = []
    for column in table.columns:
        known = compute.if_else(
            compute.is_in(column, pa.array(_MISSING)), pa.scalar(None, pa.string()), column
        )
        try:
            columns.append(known.cast(pa.float64()))
        except pa.ArrowInvalid:
            columns.append(known)
    return pa.Table.from_arrays(columns, names=table.column_names)


def _explain(error: Exception, path: Path) -> str:
    text = str(error)
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


def _open(path: Path) -> Any:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="")
    return path.open(encoding="utf-8", errors="replace", newline="")


def _first_line(path: Path) -> str:
    with _open(path) as file:
        return str(file.readline(_LONGEST_HEADER))


def _header(path: Path, delimiter: str) -> list[str]:
    csv.field_size_limit(2**31 - 1)
    with _open(path) as file:
        return next(csv.reader(file, delimiter=delimiter), [])


def _write(table: Table, path: Path, delimiter: str) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    options = arrow_csv.WriteOptions(delimiter=delimiter, batch_size=max(1, 2**22 // 64))
    compression = "gzip" if path.suffix == ".gz" else None
    with pa.output_stream(str(path), compression=compression) as sink:
        arrow_csv.write_csv(to_arrow(table), sink, options)


def to_arrow(table: Any) -> Any:
    """Index, features and label as an Arrow table, in this order."""
    import pyarrow as pa

    if isinstance(table, pa.Table):
        return table
    X = table.X.toarray() if hasattr(table.X, "toarray") else table.X
    columns = [pa.array(column) for column in np.ascontiguousarray(X.T)]
    names = list(table.names)
    if table.index is not None:
        columns.insert(0, pa.array(table.index, from_pandas=True))
        names.insert(0, table.index_name or "")
    if table.y is not None:
        columns.append(pa.array(table.y, from_pandas=True))
        names.append(table.label or "label")
    return pa.Table.from_arrays(columns, names=names)
