"""Matrix Market files, alone or as 10x Genomics has them: with barcodes and features."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from inffs.io._guard import (
    refuse_gzip_bomb,
    refuse_larger_than_memory,
    refuse_wild_shape,
    sound_csc,
)
from inffs.io._sheet import Sheet, numbered

_FEATURES, _BARCODES = ("features", "genes"), ("barcodes",)
_MATRIX = ("matrix.mtx", "matrix.mtx.gz")
_SHORTEST_ENTRY = 6  # bytes: "1 1 1" and the end of its line


def read_market(path: Path) -> Sheet:
    """Sparse. With barcodes and features beside, those are samples and features; else rows are."""
    from scipy import sparse
    from scipy.io import mmread

    path = _matrix_of(path)
    refuse_gzip_bomb(path)
    features, barcodes = _beside(path, _FEATURES), _beside(path, _BARCODES)
    _refuse_wild_header(path, turned=features is not None and barcodes is not None)
    X = sparse.csc_matrix(mmread(path))
    if features is None or barcodes is None:
        note = "No barcodes and features lie beside the matrix: its rows are the samples."
        return Sheet(numbered(X.shape[1]), sound_csc(X, path), notes=[note])
    if X.shape != (len(features), len(barcodes)):
        raise ValueError(
            f"{path} is {X.shape[0]:,} by {X.shape[1]:,}, but {len(features):,} features and "
            f"{len(barcodes):,} barcodes lie beside it."
        )
    names = [row[1] if len(row) > 1 else row[0] for row in features]
    index = np.array([row[0] for row in barcodes], dtype=object)
    return Sheet(names, sound_csc(sparse.csc_matrix(X.T), path), index=index)


def _matrix_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = [path / name for name in _MATRIX if (path / name).is_file()]
    if not found:
        raise ValueError(f"{path} is a folder without matrix.mtx: no table of 10x Genomics.")
    return found[0]


def _beside(path: Path, kinds: tuple[str, ...]) -> list[list[str]] | None:
    """The rows of the file of such a kind beside the matrix, under the same beginning."""
    start = path.name.partition("matrix.mtx")[0] if "matrix.mtx" in path.name else ""
    for kind in kinds:
        for ending in (".tsv", ".tsv.gz"):
            other = path.with_name(f"{start}{kind}{ending}")
            if other.is_file():
                refuse_gzip_bomb(other)
                return _rows(other)
    return None


def _rows(path: Path) -> list[list[str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\r\n").split("\t") for line in file if line.strip()]


def _refuse_wild_header(path: Path, turned: bool) -> None:
    """Raise if the header announces more than the file can hold or the memory.

    In a ``turned`` matrix, features are rows.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        line = file.readline(1000)
        is_array = b"array" in line.lower()
        while line.startswith(b"%"):
            line = file.readline(10_000)
    sizes = [int(size) for size in line.split()]
    entries = sizes[0] * sizes[1] if is_array else sizes[2]
    shape = (sizes[1], sizes[0]) if turned else (sizes[0], sizes[1])
    refuse_wild_shape(path, shape, entries)
    refuse_larger_than_memory(path, 16.0 * entries)
    packed = 1100 if path.suffix == ".gz" else 1
    if not is_array and entries * _SHORTEST_ENTRY > path.stat().st_size * packed + 100:
        raise ValueError(f"{path} announces {entries:,} entries and is too short for them.")
