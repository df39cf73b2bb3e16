"""Tables that stay on disk: columns are read when they are asked for, a block at a time.

Inf-FS and every method that works column by column take such a table as X, so the table is never
whole in memory; ranks that do not fit are spilled to a temporary file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inffs._engine.threads import column_blocks, threaded

_QUICK = 2**20  # values that are looked at sooner than threads start


class LazyTable:
    """A numeric table of T samples by n features, read in blocks of columns.

    ``table[:, a:b]`` reads those columns; ``table[:, indices]`` is a lazy table of them.
    """

    dtype = np.dtype(np.float64)
    ndim = 2
    distributed = False  # True where the columns lie on a cluster

    def __init__(self, T: int, names: Sequence[str] | None, columns: np.ndarray) -> None:
        self.shape = (int(T), int(columns.size))
        self._all_names = names
        self._columns = columns

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, if the file has them."""
        return None if self._all_names is None else [self._all_names[j] for j in self._columns]

    def _read(self, columns: np.ndarray) -> np.ndarray:
        """These columns of the file as a (T, k) array of floats."""
        raise TypeError(f"{type(self).__name__} does not say how to read")

    def _view(self, columns: np.ndarray) -> LazyTable:
        view = object.__new__(type(self))
        vars(view).update(vars(self))
        view._columns = self._columns[columns]
        view.shape = (self.shape[0], int(view._columns.size))
        return view

    def __getitem__(self, key: Any) -> Any:
        if not (isinstance(key, tuple) and len(key) == 2 and key[0] == slice(None)):
            raise TypeError("A lazy table is read by columns: table[:, a:b] or table[:, indices].")
        if isinstance(key[1], slice):
            return self._read(self._columns[key[1]])
        return self._view(np.asarray(key[1]))

    def read_block(self, start: int, width: int) -> np.ndarray:
        """Columns from ``start`` on, ``width`` of them."""
        return self[:, start : start + width]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self._read(self._columns).astype(dtype or self.dtype, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def map_columns(self, function: Callable[[np.ndarray], Any], cells: int, what: str) -> list:
        """``function`` of block after block of columns, in their order."""
        blocks = column_blocks(self.shape[1], self.shape[0], cells)
        return threaded(lambda columns: function(self[:, columns]), blocks, what)


def over_columns(
    X: Any, function: Callable[[Any], Any], cells: int = 2**18, what: str = ""
) -> list:
    """``function`` of blocks of columns of X, wherever X is: in memory, on disk, on a cluster."""
    if isinstance(X, LazyTable):
        return X.map_columns(function, cells, what)
    blocks = column_blocks(X.shape[1], X.shape[0], cells)
    if X.shape[0] * X.shape[1] <= _QUICK:
        return [function(X[:, columns]) for columns in blocks]
    return threaded(lambda columns: function(X[:, columns]), blocks, what)


class _NpyTable(LazyTable):
    """A two-dimensional NPY file, memory-mapped."""

    def __init__(self, path: Path) -> None:
        self._opened_with = (path.resolve(),)
        self._values = np.load(path, mmap_mode="r", allow_pickle=False)
        if self._values.ndim != 2 or self._values.dtype.kind not in "fiub":
            raise ValueError(
                f"{path.name} holds an array of shape {self._values.shape} and type "
                f"{self._values.dtype}: a table needs two dimensions and numbers."
            )
        super().__init__(self._values.shape[0], None, np.arange(self._values.shape[1]))

    def _read(self, columns: np.ndarray) -> np.ndarray:
        if columns.size and np.array_equal(columns, np.arange(columns[0], columns[-1] + 1)):
            return np.asarray(self._values[:, columns[0] : columns[-1] + 1], dtype=_float(self))
        return np.asarray(self._values[:, columns], dtype=_float(self))

    def __reduce__(self) -> Any:
        return _reopened, (type(self), self._opened_with, self._columns)


class _ParquetTable(LazyTable):
    """A Parquet file, read column by column."""

    def __init__(self, path: Path, drop: Sequence[str]) -> None:
        import pyarrow.parquet as parquet

        self._opened_with = (path.resolve(), tuple(drop))
        self._file = parquet.ParquetFile(path, memory_map=True)
        self._lock = threading.Lock()
        schema = self._file.schema_arrow
        strangers = [name for name in drop if name not in schema.names]
        if strangers:
            raise ValueError(f"{path.name} has no column {strangers[0]!r} to drop.")
        names = [name for name in schema.names if name not in set(drop)]
        _refuse_text(path, schema, names)
        super().__init__(self._file.metadata.num_rows, names, np.arange(len(names)))

    def _read(self, columns: np.ndarray) -> np.ndarray:
        names = [self._all_names[j] for j in columns]  # type: ignore[index]
        with self._lock:
            table = self._file.read(columns=names)
        out = np.empty((self.shape[0], len(names)))
        for place, name in enumerate(names):
            out[:, place] = table.column(name).to_numpy()
        return out

    def __reduce__(self) -> Any:
        return _reopened, (type(self), self._opened_with, self._columns)


def open_table(path: str | Path, *, drop: Sequence[str] = ()) -> LazyTable:
    """Open a NPY or Parquet file as a table that is read column by column.

    Parameters
    ----------
    path : str or Path
        A two-dimensional ``.npy`` file or a ``.parquet`` file of numeric columns.
    drop : sequence of str
        Columns of a Parquet file to leave out: the label, sample names.

    Returns
    -------
    LazyTable
        Fit Inf-FS or any column-by-column method on it as on an array.
    """
    path = Path(path)
    if path.suffix == ".npy":
        if drop:
            raise ValueError(f"{path.name} has no column names: there is nothing to drop by name.")
        return _NpyTable(path)
    if path.suffix in (".parquet", ".pq"):
        return _ParquetTable(path, drop)
    raise ValueError(
        f"{path.name}: only .npy and .parquet can be read by columns. "
        "Convert the table, or read it whole with inffs.tables."
    )


def _reopened(kind: type, opened_with: tuple, columns: np.ndarray) -> LazyTable:
    """A lazy table travels as its path: another process opens the file anew."""
    return kind(*opened_with)._view(columns)


def _refuse_text(path: Path, schema: Any, names: list[str]) -> None:
    import pyarrow.types as types

    for name in names:
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(
                f"Column {name!r} of {path.name} is of type {kind}: drop=[{name!r}], or encode it."
            )


def _float(table: Any) -> Any:
    return np.float32 if table._values.dtype == np.float32 else np.float64
