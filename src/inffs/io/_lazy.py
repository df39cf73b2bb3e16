"""Tables that are too large to read whole: the features stay on disk, the label is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from inffs._utils.memory import available_memory
from inffs.io._choose import choose
from inffs.io._columnar import sheet_of
from inffs.io._prepare import refuse_text
from inffs.io._sheet import Sheet, Table, numbered
from inffs.validation.lazy import open_table, read_places

_NOTE = "The table is large: it stays on disk and is read column by column."
_MOST_PACKED = 100  # cells of 8 bytes for a byte of a Parquet file; more is not looked into
_ARRAY, _COLUMNS = (".npy",), (".parquet", ".pq")


def too_large(path: Path) -> bool:
    """Whether a Parquet or NPY file would take more than a quarter of the memory that is free."""
    ending = path.suffix.lower()
    if ending not in _ARRAY + _COLUMNS or not path.is_file():
        return False
    size, enough = path.stat().st_size, available_memory() / 4
    if ending in _COLUMNS and size * _MOST_PACKED > enough:
        import pyarrow.parquet as parquet

        stored = parquet.read_metadata(path)
        size = 8 * stored.num_rows * stored.num_columns
    return size > enough


def read_lazily(
    path: str | Path,
    *,
    label: str | int | None = None,
    index: str | int | None = None,
    drop: Iterable[str] = (),
) -> Table:
    """A table whose ``X`` is read column by column; label and index are in memory.

    Takes Parquet and NPY files of numeric columns; missing values are refused when a selector
    meets them.
    """
    path = Path(path)
    chosen = choose(_lazy_sheet(path), label, index, drop)
    refuse_text(chosen.features)
    columns = chosen.features.columns
    X = open_table(path, columns=columns.places) if chosen.features.mixed else columns
    return chosen.table(X, chosen.features.names, [_NOTE])


def _lazy_sheet(path: Path) -> Sheet:
    if path.suffix.lower() in _COLUMNS:
        import pyarrow.parquet as parquet

        return sheet_of(_ColumnsOnDisk(parquet.ParquetFile(path, memory_map=True)))
    X = open_table(path)
    return Sheet(numbered(X.shape[1]), X)


class _ColumnsOnDisk:
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

    def select(self, places: Sequence[int]) -> _ColumnsOnDisk:
        return _ColumnsOnDisk(self._file, [self.places[at] for at in places])
