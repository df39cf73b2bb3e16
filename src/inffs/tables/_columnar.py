"""Parquet and Feather (Arrow IPC) files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inffs.tables._arrow_size import unpacked_size
from inffs.tables._delimited import to_arrow
from inffs.tables._guard import refuse_larger_than_memory
from inffs.tables._sheet import Sheet, Table


def read_parquet(path: Path) -> Sheet:
    from pyarrow import parquet

    stored = parquet.read_metadata(path)
    groups = (stored.row_group(place) for place in range(stored.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)
    refuse_larger_than_memory(path, max(8.0 * stored.num_rows * stored.num_columns, unpacked))
    return _sheet(parquet.read_table(path))


def read_feather(path: Path) -> Sheet:
    """Feather, Arrow file or Arrow stream."""
    import pyarrow as pa
    from pyarrow import feather, ipc

    refuse_larger_than_memory(path, unpacked_size(path))
    try:
        return _sheet(feather.read_table(str(path)))
    except pa.ArrowInvalid:
        with pa.memory_map(str(path)) as source, ipc.open_stream(source) as stream:
            return _sheet(stream.read_all())


def write_parquet(table: Table, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(to_arrow(table), path)


def write_feather(table: Table, path: Path) -> None:
    from pyarrow import feather

    feather.write_feather(to_arrow(table), str(path))


def _sheet(columns: Any) -> Sheet:
    """A pandas index that was stored as a column becomes the sample names."""
    stored = (columns.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in stored if isinstance(name, str) and name in columns.column_names]
    if len(index) == 1 and columns.column_names.count(index[0]) == 1:
        values = columns.column(index[0]).to_numpy()
        rest = columns.drop_columns(index)
        return Sheet(list(rest.column_names), rest, index=values)
    return Sheet(list(columns.column_names), columns)
