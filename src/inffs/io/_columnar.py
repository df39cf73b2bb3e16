"""Parquet and Feather (Arrow IPC) files; Parquet also column by column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inffs.io._delimited import to_arrow
from inffs.io._guard import refuse_larger_than_memory
from inffs.io._sheet import Sheet, Table, arrow_to_numpy, is_bytes
from inffs.validation.lazy import read_places, stored_index


def read_parquet(path: Path) -> Sheet:
    from pyarrow import parquet

    file = parquet.ParquetFile(path, page_checksum_verification=True)
    refuse_nested(path, file.schema_arrow)
    stored = file.metadata
    refuse_larger_than_memory(path, 8.0 * stored.num_rows * stored.num_columns)
    return _checked_sheet(file.read(), path)


def read_feather(path: Path) -> Sheet:
    """Feather, Arrow file or Arrow stream."""
    import pyarrow as pa
    from pyarrow import feather, ipc

    try:
        columns = feather.read_table(str(path), memory_map=False)
    except pa.ArrowInvalid:
        with pa.OSFile(str(path)) as source:
            columns = ipc.open_stream(source).read_all()
    refuse_nested(path, columns.schema)
    return _checked_sheet(columns, path)


def _checked_sheet(columns: Any, path: Path) -> Sheet:
    """The sheet of a table; Arrow itself uses offsets and indices of a damaged file unchecked."""
    import pyarrow as pa

    columns.validate(full=True)
    for place, field in enumerate(columns.schema):
        if is_bytes(field.type):
            text = columns.column(place).cast(pa.string())
            columns = columns.set_column(place, field.with_type(pa.string()), text)
    refuse_larger_than_memory(path, columns.nbytes, cells=columns.num_rows * columns.num_columns)
    return sheet_of(columns)


def refuse_nested(path: Path, schema: Any) -> None:
    """Raise if a column holds lists, structs or other things that are not single values."""
    import pyarrow as pa

    for field in schema:
        if pa.types.is_nested(field.type) or str(field.type).startswith("run_end_encoded"):
            raise ValueError(
                f"Column {field.name!r} of {path} is of type {str(field.type)[:100]}: a table "
                "needs one value per cell."
            )


def write_parquet(table: Table, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(to_arrow(table), path, write_page_checksum=True)


def write_feather(table: Table, path: Path) -> None:
    from pyarrow import feather

    feather.write_feather(to_arrow(table), str(path))


def sheet_of(columns: Any) -> Sheet:
    """A pandas index that was stored as columns becomes the sample names."""
    stored = stored_index(columns.schema)
    names = list(columns.column_names)
    if not stored:
        return Sheet(names, columns)
    levels = {}
    for level in columns.schema.pandas_metadata["index_columns"]:
        if level in stored:
            levels[level] = arrow_to_numpy(columns.column(names.index(level)))
        elif isinstance(level, dict) and level.get("kind") == "range":  # pandas 3 writes no column
            start, step = int(level["start"]), int(level["step"])
            counted = [start + step * row for row in range(columns.num_rows)]
            levels[str(level["name"])] = np.array(counted)
    rest = columns.select([place for place, name in enumerate(names) if name not in stored])
    named = stored[0] if len(levels) == 1 and not stored[0].startswith("__index_level_") else None
    return Sheet(list(rest.column_names), rest, levels, _joined(levels), named)


def _joined(levels: dict[str, np.ndarray]) -> np.ndarray:
    """Sample names out of an index of one or several levels."""
    first, *others = levels.values()
    if not others:
        return first
    names = ["/".join(map(str, parts)) for parts in zip(first, *others, strict=True)]
    return np.array(names, dtype=object)


class ColumnsOnDisk:
    """The part of an Arrow table that a sheet uses; a column is read when it is asked for."""

    def __init__(self, file: Any, places: Sequence[int] | None = None) -> None:
        import pyarrow as pa

        stored = file.schema_arrow
        self._file = file
        self.places = list(range(len(stored)) if places is None else places)
        self.schema = pa.schema([stored.field(j) for j in self.places], metadata=stored.metadata)
        self.column_names = list(self.schema.names)
        self.num_rows = file.metadata.num_rows

    def column(self, at: int) -> Any:
        return read_places(self._file, [self.places[at]])[0]

    def select(self, places: Sequence[int]) -> ColumnsOnDisk:
        return ColumnsOnDisk(self._file, [self.places[at] for at in places])
