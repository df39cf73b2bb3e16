"""Tables too large to read whole: the features stay on disk, the label is read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from inffs._engine.memory import available_memory
from inffs.columns.lazy import open_table
from inffs.tables._read import _keep, _pick, _refuse_missing_labels
from inffs.tables._sheet import Sheet, Table


def too_large(path: Path) -> bool:
    """Whether a Parquet or NPY file would take more than a quarter of the memory that is free."""
    if path.suffix == ".npy" and path.is_file():
        size = path.stat().st_size
    elif path.suffix == ".parquet" and path.is_file():
        import pyarrow.parquet as parquet

        metadata = parquet.read_metadata(path)
        size = metadata.num_rows * metadata.num_columns * 8
    else:
        return False
    return size > available_memory() / 4


def read_lazily(
    path: str | Path,
    *,
    label: str | int | None = None,
    index: str | int | None = None,
    drop: Iterable[str] = (),
) -> Table:
    """A table whose ``X`` is read column by column; label and index are in memory.

    Takes Parquet and NPY files of numeric columns; text and missing values are refused when a
    selector meets them.
    """
    path = Path(path)
    if path.suffix == ".npy":
        return _lazy_array(path, label)
    import pyarrow.parquet as parquet

    file = parquet.ParquetFile(path, memory_map=True)
    names = list(file.schema_arrow.names)
    sheet = Sheet(names, file.schema_arrow.empty_table())
    _, label_name, at_label = _pick(sheet, label, "label")
    _, index_name, at_index = _pick(sheet, index, "index")
    left = _keep(sheet, {at_label, at_index}, list(drop)).names
    X = open_table(path, drop=[name for name in names if name not in set(left)])
    y, samples = (
        None if name is None else file.read(columns=[name]).column(0).to_numpy()
        for name in (label_name, index_name)
    )
    if y is not None:
        _refuse_missing_labels(y, label_name or "")
    return Table(X, left, y, label_name, samples, index_name, [_NOTE])


_NOTE = "The table is large: it stays on disk and is read column by column."


def _lazy_array(path: Path, label: str | int | None) -> Table:
    X = open_table(path)
    n = X.shape[1]
    names = [f"x{place}" for place in range(n)]
    if label is None:
        return Table(X, names, notes=[_NOTE])
    at = int(label) % n
    rest = np.delete(np.arange(n), at)
    y = X[:, at : at + 1].ravel()
    return Table(X[:, rest], [names[j] for j in rest], y, names[at], notes=[_NOTE])
