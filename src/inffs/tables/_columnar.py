"""Parquet and Feather (Arrow IPC) files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from inffs.columns.lazy import stored_index
from inffs.tables._arrow_size import unpacked_size
from inffs.tables._delimited import to_arrow
from inffs.tables._guard import refuse_larger_than_memory
from inffs.tables._sheet import Sheet, Table, arrow_to_numpy


def read_parquet(path: Path) -> Sheet:
    from pyarrow import parquet

    stored = parquet.read_metadata(path)
    groups = (stored.row_group(place) for place in range(stored.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)
    refuse_larger_than_memory(path, max(8.0 * stored.num_rows * stored.num_columns, unpacked))
    return sheet_of(parquet.ParquetFile(path).read())


def read_feather(path: Path) -> Sheet:
    """Feather, Arrow file or Arrow stream."""
    import pyarrow as pa
    from pyarrow import feather, ipc

    refuse_larger_than_memory(path, unpacked_size(path))
    try:
        return sheet_of(feather.read_table(str(path)))
    except pa.ArrowInvalid:
        with pa.memory_map(str(path)) as source, ipc.open_stream(source) as stream:
            return sheet_of(stream.read_all())


def write_parquet(table: Table, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(to_arrow(table), path)


def write_feather(table: Table, path: Path) -> None:
    from pyarrow import feather

    feather.write_feather(to_arrow(table), str(path))


def sheet_of(columns: Any) -> Sheet:
    """A pandas index that was stored as columns becomes the sample names."""
    stored = stored_index(columns.schema)
    names = list(columns.column_names)
    if not stored:
        return Sheet(names, columns)
    levels = {name: arrow_to_numpy(columns.column(names.index(name))) for name in stored}
    left = [place for place, name in enumerate(names) if name not in levels]
    rest = columns.select(left)
    named = stored[0] if len(stored) == 1 and not stored[0].startswith("__index_level_") else None
    return Sheet(list(rest.column_names), rest, levels, _joined(levels), named)


def _joined(levels: dict[str, np.ndarray]) -> np.ndarray:
    """Sample names out of an index of one or several levels."""
    first, *others = levels.values()
    if not others:
        return first
    names = ["/".join(map(str, parts)) for parts in zip(first, *others, strict=True)]
    return np.array(names, dtype=object)
