"""Parquet and Feather (Arrow IPC) files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from inffs._utils.memory import available_memory
from inffs.io._delimited import to_arrow
from inffs.io._guard import refuse_larger_than_memory
from inffs.io._sheet import Sheet, Table, arrow_to_numpy
from inffs.validation.lazy import stored_index

_ROWS_AT_ONCE = 2**16


def read_parquet(path: Path) -> Sheet:
    """Numbers at once, for their size is known; text by and by, as a dictionary of its values."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    refuse_nested(path, schema)
    stored = parquet.read_metadata(path)
    text = [field.name for field in schema if not _is_plain(field.type)]
    plainly = {chunk.path_in_schema for chunk in _chunks(stored) if _repeats(chunk)}
    file = parquet.ParquetFile(path, read_dictionary=[name for name in text if name not in plainly])
    groups = (stored.row_group(place) for place in range(stored.num_row_groups))
    numbers = sum(stored.num_rows * _width(field.type) for field in schema)
    unpacked = max(numbers, sum(group.total_byte_size for group in groups))
    refuse_larger_than_memory(path, unpacked, cells=stored.num_rows * stored.num_columns)
    columns = _read_bounded(file, path) if text else file.read()
    columns.validate(full=True)
    return sheet_of(columns)


def _read_bounded(file: Any, path: Path) -> Any:
    """Read rows by and by and stop where they become more than the memory."""
    import pyarrow as pa

    size, free, batches = 0.0, available_memory(), []
    for batch in file.iter_batches(batch_size=_rows_at_once(file.metadata, free)):
        batches.append(batch)
        size += batch.nbytes
        refuse_larger_than_memory(path, 2 * size)  # what is looked at is copied once
    return pa.Table.from_batches(batches, file.schema_arrow)


def _rows_at_once(stored: Any, free: float) -> int:
    """Few where one stored value may stand for many long ones."""
    longest = [chunk.total_uncompressed_size for chunk in _chunks(stored) if _repeats(chunk)]
    return int(min(_ROWS_AT_ONCE, max(16, free / 16 / max(longest, default=1))))


def _chunks(stored: Any) -> Iterator[Any]:
    groups = (stored.row_group(place) for place in range(stored.num_row_groups))
    return (group.column(place) for group in groups for place in range(group.num_columns))


def _repeats(chunk: Any) -> bool:
    """Whether values are stored by what they repeat of the one before."""
    return any(encoding.startswith("DELTA") for encoding in chunk.encodings)


def _width(kind: Any) -> float:
    """Bytes of a value; 4 for the place in a dictionary that text becomes."""
    try:
        return kind.bit_width / 8
    except ValueError:
        return 4


def _is_plain(kind: Any) -> bool:
    """Whether every value takes the same room."""
    try:
        return kind.bit_width > 0
    except ValueError:
        return False


def refuse_nested(path: Path, schema: Any) -> None:
    """Raise if a column holds lists, structs, runs or other things that are no single value."""
    import pyarrow as pa

    for field in schema:
        if pa.types.is_nested(field.type) or str(field.type).startswith("run_end_encoded"):
            raise ValueError(
                f"Column {field.name!r} of {path} is of type {str(field.type)[:100]}: a table "
                "needs one value per cell."
            )


def read_feather(path: Path) -> Sheet:
    """Feather, Arrow file or Arrow stream; batch by batch, as one may unpack to any size."""
    import pyarrow as pa
    from pyarrow import ipc

    if _is_version_1(path):
        return _read_version_1(path)
    size, batches = 0, []
    with pa.memory_map(str(path)) as source:
        try:
            stored = ipc.open_file(source)
            found = map(stored.get_batch, range(stored.num_record_batches))
        except pa.ArrowInvalid:
            source.seek(0)
            stored = found = ipc.open_stream(source)
        refuse_nested(path, stored.schema)
        for batch in found:
            batch.validate(full=True)
            batches.append(batch)
            size += batch.nbytes
            refuse_larger_than_memory(path, 2 * size)  # what is looked at is copied once
    columns = pa.Table.from_batches(batches, stored.schema)
    refuse_larger_than_memory(path, columns.nbytes, cells=columns.num_rows * columns.num_columns)
    return sheet_of(columns)


def _is_version_1(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"FEA1"


def _read_version_1(path: Path) -> Sheet:
    """Feather as it was before Arrow's own files; never compressed."""
    import warnings

    from pyarrow import feather

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = feather.read_table(str(path), memory_map=False)
    columns.validate(full=True)
    refuse_nested(path, columns.schema)
    refuse_larger_than_memory(path, columns.nbytes, cells=columns.num_rows * columns.num_columns)
    return sheet_of(columns)


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
