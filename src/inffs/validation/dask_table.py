"""Tables on a dask cluster. Loaded only when a dask array or data frame is given.

The table lies in chunks of whole columns on the workers. Lost chunks are computed anew.
"""

from __future__ import annotations

import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask import delayed

from inffs.validation.lazy import LazyTable

MOST_CHUNKS = 40  # of columns: products are one task per pair of them
LARGEST_CHUNK = 2**31  # bytes of a chunk that one worker must hold


class DaskTable(LazyTable):
    """A dask array (n_samples, n_features) in chunks of whole columns."""

    distributed = True

    def __init__(self, array: Any, names: list[str] | None = None) -> None:
        self._array = _by_columns(array)
        super().__init__(self._array.shape[0], names, np.arange(self._array.shape[1]))

    @classmethod
    def of(cls, X: Any) -> DaskTable:
        """From a dask array, or a dask data frame with its column names."""
        return cls(*array_of(X))

    @classmethod
    def of_lazy(cls, X: LazyTable) -> DaskTable:
        """From a table on disk that the workers can read too: a task per block of columns."""
        T, n = X.shape
        parts = np.array_split(np.arange(n), min(n, MOST_CHUNKS))
        blocks = [da.from_delayed(delayed(X.read)(part), (T, part.size), float) for part in parts]
        return cls(da.concatenate(blocks, axis=1), X.names)

    def changed(self, change: Any, T: int | None = None) -> LazyTable:
        """The same table with every chunk of columns changed, where it is."""
        chunks = ((T or self.shape[0],), self._array.chunks[1])
        return DaskTable(self._array.map_blocks(change, dtype=float, chunks=chunks), self.names)

    def _view(self, columns: np.ndarray) -> LazyTable:
        return DaskTable(self._array[:, columns], self.names and [self.names[j] for j in columns])

    def _read(self, columns: np.ndarray) -> np.ndarray:
        return np.asarray(self._array[:, columns].compute(), dtype=float)

    def map_columns(self, function: Any, values: int, what: str) -> list:
        """One task per chunk, where the chunk is."""
        tasks = [delayed(_call)(function, block) for block in self.chunks()]
        return list(dask.compute(*tasks))

    def chunks(self) -> list:
        """The chunks of columns, as delayed arrays."""
        return list(self._array.to_delayed().ravel())

    def widths(self) -> tuple[int, ...]:
        """How many columns every chunk holds."""
        return self._array.chunks[1]


def array_of(X: Any) -> tuple[Any, list[str] | None]:
    """A dask array of numbers with known chunks, and the names of its columns if X is a frame."""
    names = None
    if hasattr(X, "to_dask_array"):
        names = [str(name) for name in X.columns]
        for name, kind in zip(names, X.dtypes, strict=True):
            _refuse_type(kind, f"Column {name!r} of the dask data frame")
        X = X.to_dask_array(lengths=True)
    _refuse_type(X.dtype, "The dask array")
    if X.ndim != 2:
        raise ValueError(f"The dask array has {X.ndim} dimension(s): give one that has two.")
    return X.compute_chunk_sizes() if any(np.isnan(size) for size in X.shape) else X, names


def _refuse_type(dtype: Any, what: str) -> None:
    kind = getattr(dtype, "kind", "O")
    if kind == "c":
        raise ValueError(f"{what} is complex. Complex data not supported: give real numbers.")
    if kind not in "fiub":
        raise ValueError(f"{what} is of type {dtype}: encode it as numbers, or drop it.")


def over_chunks(
    array: Any, measure: Any, merge: Any, by_row: np.ndarray, by_column: np.ndarray
) -> list:
    """For each chunk of columns: what ``measure`` gives for its chunks of rows, merged.

    A task is ``measure(block, values of its rows, values of its columns)``, where the chunk is;
    ``merge`` takes two results. The array is neither rechunked nor loaded.
    """
    rows, columns = (np.cumsum(sizes)[:-1] for sizes in array.chunks)
    of_rows, found = np.split(by_row, rows), []
    of_columns = np.split(by_column, columns, axis=-1)
    for blocks, own in zip(array.to_delayed().T, of_columns, strict=True):
        parts = [
            delayed(_call)(measure, block, values, own)
            for block, values in zip(blocks, of_rows, strict=True)
        ]
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [delayed(merge)(*pair) for pair in pairs] + parts[len(parts) // 2 * 2 :]
        found += parts
    return list(dask.compute(*found))


def _by_columns(array: Any) -> Any:
    """Chunks of whole columns, not too many of them and none too large for a worker."""
    T, n = array.shape
    item = array.dtype.itemsize
    widest = max(1, int(LARGEST_CHUNK // max(1, T * item)))
    width = max(max(array.chunks[1]), -(-n // MOST_CHUNKS))
    if width > widest and -(-n // widest) > MOST_CHUNKS:
        raise ValueError(
            f"{T} samples x {n} features do not fit {MOST_CHUNKS} chunks of whole columns of "
            f"{LARGEST_CHUNK / 2**30:.0f} GiB: take fewer samples, or the squared relation."
        )
    width = min(width, widest)
    if array.numblocks[0] > 1 or max(array.chunks[1]) != width:
        warnings.warn(
            f"The dask array is rechunked from {array.chunksize} to {(T, width)}: every chunk "
            "must hold whole columns, and not too few of them.",
            stacklevel=4,
        )
        array = array.rechunk((T, width))
    return array


def _call(function: Any, block: np.ndarray, *more: Any) -> Any:
    return function(np.asarray(block), *more)
