"""Graphs on a dask cluster. Imported only for a dask array or data frame.

The ranks stay on the workers that hold the columns. A product with the graph is one task per pair
of chunks, and only vectors of length n are sent. Lost chunks are computed again.
"""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
from dask import delayed

from inffs._utils.memory import available_memory
from inffs.graph.curves import DenseCurves, dense_rounding
from inffs.graph.profiles import DenseProfiles, Profiles, dense_profiles, profile_type
from inffs.validation.dask_table import DaskTable

_STRIP = 512  # rows of a tile at once


def dask_profiles(
    table: DaskTable, kind: str, dtype: Any = None, sample_weight: Any = None
) -> DaskProfiles:
    """Ranks (or standardised values) of every chunk, kept on the workers."""
    n_samples, n_features = table.shape
    dtype = dtype or profile_type(n_features, n_samples)
    make = delayed(dense_profiles)
    tasks = [make(block, kind, dtype, sample_weight) for block in table.chunks()]
    return DaskProfiles(list(dask.persist(*tasks)), table.widths(), n_samples, dtype)


class DaskProfiles(Profiles):
    """Profiles in chunks of features on the workers: the interface of the dense ones."""

    def __init__(self, chunks: list, widths: tuple[int, ...], T: int, dtype: Any) -> None:
        self.chunks = chunks
        ends = np.cumsum(widths)
        self.slices = [
            slice(int(end - width), int(end)) for end, width in zip(ends, widths, strict=True)
        ]
        self.shape = (int(ends[-1]), T)
        self.dtype = np.dtype(dtype)

    def present(self) -> np.ndarray:
        return np.concatenate(dask.compute(*[chunk.present() for chunk in self.chunks]))

    def correlations(self, I: Any, J: Any) -> np.ndarray:
        """A block of the correlation matrix, brought here: for questions, not for products."""
        rows = np.concatenate([chunk.rows for chunk in dask.compute(*self.chunks)])
        return DenseProfiles(rows).correlations(I, J)

    def row(self, i: int) -> np.ndarray:
        at = next(place for place, part in enumerate(self.slices) if i < part.stop)
        return self.chunks[at].row(i - self.slices[at].start).compute()

    def block(self, part: slice) -> np.ndarray:
        """The profiles of a slice of features, brought here in single precision."""
        inside = [
            chunk.rows[max(part.start - own.start, 0) : part.stop - own.start]
            for chunk, own in zip(self.chunks, self.slices, strict=True)
            if own.start < part.stop and part.start < own.stop
        ]
        return np.concatenate(dask.compute(*inside)).astype(np.float32)

    def project(self, W: np.ndarray) -> np.ndarray:
        """A task per chunk."""
        shared = delayed(W)
        return np.concatenate(dask.compute(*[chunk.project(shared) for chunk in self.chunks]))

    def squared_dot(self, V: np.ndarray) -> np.ndarray:
        pieces = [V[part].astype(self.dtype) for part in self.slices]
        every, pairs = slice(None), zip(self.chunks, pieces, strict=True)
        parts = dask.compute(*[chunk.weighted_gram(every, piece) for chunk, piece in pairs])
        gram = delayed(np.sum(parts, axis=0, dtype=np.float64).astype(self.dtype))
        return np.concatenate(dask.compute(*[chunk.forms(every, gram) for chunk in self.chunks]))

    def tiles(self, power: int, present: np.ndarray, budget: float) -> DaskTiles:
        """Products with |R|^power, a task per pair of chunks."""
        return DaskTiles(self.chunks, self.slices, power, present, self.dtype)


class DaskCurves:
    """Curves in chunks of features on the workers: the interface of the dense ones."""

    def __init__(self, table: DaskTable, profiles: DaskProfiles, sample_weight: Any) -> None:
        pairs = zip(table.chunks(), profiles.chunks, strict=True)
        tasks = [delayed(DenseCurves)(block, rows, sample_weight) for block, rows in pairs]
        self._chunks = list(dask.persist(*tasks))
        self._slices = profiles.slices
        self.rounding = dense_rounding(profiles.shape[1])

    def products(self, E: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        found = self._asked("products", E, features)
        return np.concatenate(found, axis=1)

    def evidence(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        return np.concatenate(self._asked("evidence", E, features))

    def basis(self, i: int) -> np.ndarray:
        at = next(place for place, part in enumerate(self._slices) if i < part.stop)
        return self._chunks[at].basis(i - self._slices[at].start).compute()

    def _asked(self, what: str, E: np.ndarray, features: np.ndarray | None) -> tuple:
        """A task per chunk that holds one of the features, answers in their (rising) order."""
        shared, tasks = delayed(E), []
        for chunk, part in zip(self._chunks, self._slices, strict=True):
            if features is None:
                inside = None
            else:
                inside = features[(features >= part.start) & (features < part.stop)] - part.start
            if inside is None or inside.size:
                tasks.append(getattr(chunk, what)(shared, inside))
        return dask.compute(*tasks)


class DaskTiles:
    """Products with |R|^power by tasks: tiles stay on the workers where their memory allows it."""

    def __init__(
        self, chunks: list, slices: list[slice], power: int, present: np.ndarray, dtype: Any
    ) -> None:
        self._slices, self._dtype = slices, dtype
        count = len(slices)
        self._pairs = [(a, b) for a in range(count) for b in range(a, count)]
        self._makers = [
            delayed(PairOfChunks)(
                chunks[a], chunks[b], power, present[slices[a]] if a == b else None
            )
            for a, b in self._pairs
        ]
        n = slices[-1].stop
        if n * n / 2 * np.dtype(dtype).itemsize < _cluster_memory() / 3:
            self._makers = list(dask.persist(*[maker.keep() for maker in self._makers]))

    def dot(self, V: np.ndarray) -> np.ndarray:
        pieces = [delayed(V[part].astype(self._dtype)) for part in self._slices]
        tasks = [
            maker.products(pieces[a], pieces[b])
            for maker, (a, b) in zip(self._makers, self._pairs, strict=True)
        ]
        total = np.zeros(V.shape)
        for (a, b), (ours, theirs) in zip(self._pairs, dask.compute(*tasks), strict=True):
            total[self._slices[a]] += ours
            if a != b:
                total[self._slices[b]] += theirs
        return total


class PairOfChunks:
    """The edges between two chunks of features: by strips of rows, or as a tile once it is made."""

    def __init__(self, left: Any, right: Any, power: int, present: Any) -> None:
        self._left, self._right = left.rows, right.rows
        self._power, self._present = power, present
        self._tile: np.ndarray | None = None

    def keep(self) -> PairOfChunks:
        self._tile = self._strip(slice(0, self._left.shape[0]))
        return self

    def products(self, va: np.ndarray, vb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """R v_b, and R' v_a."""
        ours = np.zeros((self._left.shape[0], vb.shape[1]))
        theirs = np.zeros((self._right.shape[0], va.shape[1]))
        for start in range(0, self._left.shape[0], _STRIP):
            rows = slice(start, start + _STRIP)
            strip = self._strip(rows) if self._tile is None else self._tile[rows]
            ours[rows] = strip @ vb
            theirs += strip.T @ va[rows]
        return ours, theirs

    def _strip(self, rows: slice) -> np.ndarray:
        strip = self._left[rows] @ self._right.T
        (np.abs if self._power == 1 else np.square)(strip, out=strip)
        if self._present is not None:
            count = strip.shape[0]
            strip[np.arange(count), rows.start + np.arange(count)] = self._present[rows]
        return strip


def _cluster_memory() -> float:
    """Memory of all workers, or of this machine where dask runs in threads."""
    try:
        from distributed import get_client

        workers = get_client().scheduler_info(n_workers=-1)["workers"].values()
        return float(sum(worker["memory_limit"] or 0 for worker in workers))
    except (ImportError, ValueError):
        return available_memory()
