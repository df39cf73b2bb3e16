"""Tables that stay on disk: columns are read when they are asked for, a block at a time.

Inf-FS and every method that works column by column take such a table as X, so the table is never
whole in memory; ranks that do not fit are spilled to a temporary file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inffs._utils.threads import column_blocks, threaded


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
        raise TypeError(f"{type(self).__name__} does not define _read")

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
            return self.read(key[1])
        return self._view(np.asarray(key[1]))

    def read(self, columns: Any) -> np.ndarray:
        """These columns as an array."""
        return self._read(self._columns[columns])

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self._read(self._columns).astype(dtype or self.dtype, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def changed(
        self, change: Callable[[np.ndarray], np.ndarray], T: int | None = None
    ) -> LazyTable:
        """The same table with every block of columns changed, to T samples, when it is read."""
        return _ChangedTable(self, change, T or self.shape[0])

    def map_columns(self, function: Callable[[np.ndarray], Any], values: int, what: str) -> list:
        """``function`` of block after block of columns, in their order."""
        blocks = column_blocks(self.shape[1], self.shape[0], values)
        return threaded(lambda columns: function(self[:, columns]), blocks, what)


class _ChangedTable(LazyTable):
    """Another lazy table, its blocks changed on the way."""

    def __init__(
        self, table: LazyTable, change: Callable[[np.ndarray], np.ndarray], T: int
    ) -> None:
        self._table, self._change = table, change
        super().__init__(T, table.names, np.arange(table.shape[1]))

    def _read(self, columns: np.ndarray) -> np.ndarray:
        return self._change(self._table.read(columns))


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
        self._float = np.float32 if self._values.dtype == np.float32 else np.float64
        super().__init__(self._values.shape[0], None, np.arange(self._values.shape[1]))

    def _read(self, columns: np.ndarray) -> np.ndarray:
        if columns.size and np.array_equal(columns, np.arange(columns[0], columns[-1] + 1)):
            return np.asarray(self._values[:, columns[0] : columns[-1] + 1], dtype=self._float)
        return np.asarray(self._values[:, columns], dtype=self._float)

    def __reduce__(self) -> Any:
        return _reopened, (type(self), self._opened_with, self._columns)


class _ParquetTable(LazyTable):
    """A Parquet file, read column by column; ``places`` are the columns that are features."""

    def __init__(self, path: Path, places: Sequence[int]) -> None:
        import pyarrow.parquet as parquet

        self._opened_with = (path.resolve(), tuple(places))
        self._file = parquet.ParquetFile(path, memory_map=True)
        self._lock, self._process = threading.Lock(), os.getpid()
        self._places = places
        names = [self._file.schema_arrow.names[place] for place in places]
        _refuse_text(path, self._file.schema_arrow, places)
        super().__init__(self._file.metadata.num_rows, names, np.arange(len(names)))

    def _read(self, columns: np.ndarray) -> np.ndarray:
        import pyarrow as pa

        places = [self._places[column] for column in columns]
        self._open_in_child()
        with self._lock:
            values = read_places(self._file, places)
        out = np.empty((self.shape[0], len(places)))
        for at, column in enumerate(values):
            out[:, at] = column.cast(pa.float64(), safe=False).to_numpy()
        return out

    def _open_in_child(self) -> None:
        """A forked child opens the file anew: a thread of its parent may hold the lock for ever."""
        if self._process != os.getpid():
            again = _ParquetTable(*self._opened_with)
            self._file, self._lock, self._process = again._file, again._lock, again._process

    def __reduce__(self) -> Any:
        return _reopened, (type(self), self._opened_with, self._columns)


def open_table(
    path: str | Path, *, drop: Sequence[str] = (), columns: Sequence[int] | None = None
) -> LazyTable:
    """Open a NPY or Parquet file as a table that is read column by column.

    Parameters
    ----------
    path : str or Path
        A two-dimensional ``.npy`` file or a ``.parquet`` file of numeric columns. The index of a
        data frame that is stored in it is no feature.
    drop : sequence of str
        Columns of a Parquet file to leave out: the label, sample names.
    columns : sequence of int, optional
        Positions in the file of the columns to keep, instead of names to drop.

    Returns
    -------
    LazyTable
        Fit Inf-FS or any column-by-column method on it as on an array.

    See Also
    --------
    inffs.io.read_table : Read a whole table into memory, from more formats.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs import InfFSU, open_table
    >>> np.save("table.npy", np.random.default_rng(0).normal(size=(20, 5)))
    >>> InfFSU(n_features_to_select=2).fit(open_table("table.npy")).n_features_
    2
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".npy":
        if drop:
            raise ValueError(f"{path.name} has no column names: there is nothing to drop by name.")
        table = _NpyTable(path)
        return table if columns is None else table[:, np.asarray(columns)]
    if ending in (".parquet", ".pq"):
        return _ParquetTable(path, _left(path, drop) if columns is None else columns)
    raise ValueError(
        f"{path.name}: only .npy and .parquet can be read by columns. "
        "Convert the table, or read it whole with inffs.io."
    )


def read_places(file: Any, places: Sequence[int]) -> list[Any]:
    """Columns of a ``ParquetFile`` by position: it reads by name, and names may be equal."""
    names = file.schema_arrow.names
    wanted = {names[place] for place in places}
    table = file.read(columns=sorted(wanted))
    table.validate(full=True)
    found: dict[str, list[int]] = {}
    for at, name in enumerate(table.column_names):
        found.setdefault(name, []).append(at)
    in_file = [place for place, name in enumerate(names) if name in wanted]
    at_place = {place: found[names[place]].pop(0) for place in in_file}
    return [table.column(at_place[place]) for place in places]


def _left(path: Path, drop: Sequence[str]) -> list[int]:
    """Positions of the columns of a Parquet file that are neither dropped nor its index."""
    import pyarrow.parquet as parquet

    schema = parquet.read_schema(path)
    strangers = [name for name in drop if name not in schema.names]
    if strangers:
        raise ValueError(f"{path.name} has no column {strangers[0]!r} to drop.")
    out = {*drop, *stored_index(schema)}
    return [place for place, name in enumerate(schema.names) if name not in out]


def stored_index(schema: Any) -> list[str]:
    """Columns of an Arrow schema that are the index of the data frame it came from."""
    named = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in named if isinstance(name, str) and schema.names.count(name) == 1]


def _reopened(kind: type, opened_with: tuple, columns: np.ndarray) -> LazyTable:
    """A lazy table travels as its path: another process opens the file anew."""
    return kind(*opened_with)[:, columns]


def _refuse_text(path: Path, schema: Any, places: Sequence[int]) -> None:
    from inffs.validation.checks import is_numeric  # which knows lazy tables

    for place in places:
        name, kind = schema.field(place).name, schema.field(place).type
        if not is_numeric(kind):
            raise ValueError(
                f"Column {name!r} of {path.name} is of type {kind}: drop=[{name!r}], or encode it."
            )
