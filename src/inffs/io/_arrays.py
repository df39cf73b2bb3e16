"""One matrix, perhaps with names and a label: NPY, NPZ, MAT, svmlight, Matrix Market (10x)."""

from __future__ import annotations

import csv
import math
import re
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.io._guard import read_text, refuse_larger_than_memory, refuse_wild_shape, sound_csc
from inffs.io._hdf5 import read_mat73
from inffs.io._sheet import Sheet, Table, is_matrix, numbered, quoted

_MATRIX_KEYS = ("X", "x", "data", "features")
_NAME_KEYS = ("feature_names", "names", "columns")
_SPARSE_KEYS = ("format", "shape", "data", "indices", "indptr", "row", "col", "offsets")
_MATRIX = ("matrix.mtx", "matrix.mtx.gz")
_MATLAB_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}")


def read_npy(path: Path) -> Sheet:
    stored = np.load(path, mmap_mode="r", allow_pickle=False)  # raises for a file that is too short
    return _sheet(np.array(stored), path)


def write_npy(table: Table, path: Path) -> None:
    """The features only: an NPY file holds one matrix."""
    with path.open("wb") as file:
        np.save(file, table.X if table.turned is None else table.X.T)


def read_npz(path: Path) -> Sheet:
    """A dense matrix and vectors beside it, or a sparse matrix as scipy writes it."""
    with np.load(path, allow_pickle=False) as stored:
        refuse_larger_than_memory(path, sum(part.file_size for part in stored.zip.infolist()))
        arrays = {key: stored[key] for key in stored.files}
    if "indptr" in arrays and "format" in arrays:
        beside = {key: value for key, value in arrays.items() if key not in _SPARSE_KEYS}
        return _sheet_of_arrays({"X": sparse.load_npz(path), **beside}, path)
    return _sheet_of_arrays(arrays, path)


def write_npz(table: Table, path: Path) -> None:
    thin = sparse.issparse(table.X)
    names = table.label or "y", table.index_name or "index"
    beside = _beside_features(table, names, _SPARSE_KEYS if thin else ())
    arrays = _with_features(table, {name: _plain(values) for name, values in beside.items()}, str)
    if thin:
        del arrays[next(key for key in arrays if arrays[key] is table.X)]
        arrays |= _sparse_parts(table.X)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, array in arrays.items():  # np.savez of NumPy 1 leaves it open when interrupted
            with packed.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.asarray(array), allow_pickle=False)


def _sparse_parts(X: Any) -> dict[str, Any]:
    """The arrays that ``scipy.sparse.load_npz`` makes a matrix of."""
    parts = {"format": np.array(X.format.encode()), "shape": np.array(X.shape)}
    return parts | {key: getattr(X, key) for key in ("data", "indices", "indptr")}


def _beside_features(
    table: Table, names: tuple[str, str], taken: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """Label and index under their names, with an underscore behind those that are taken."""
    found: dict[str, np.ndarray] = {}
    for name, values in zip(names, (table.y, table.index), strict=True):
        if values is not None:
            while name in found or name in taken:
                name += "_"
            found[name] = np.asarray(values)
    return found


def read_mat(path: Path) -> Sheet:
    """Any version of MATLAB; in another process, as one changed byte can crash SciPy's reader."""
    from scipy.io import loadmat, whosmat

    if _is_hdf5(path):
        return _sheet_of_arrays(read_mat73(path), path)
    refuse_larger_than_memory(path, sum(8.0 * math.prod(shape) for _, shape, _ in whosmat(path)))
    stored = loadmat(path, squeeze_me=False)
    arrays = {k: v for k, v in stored.items() if not k.startswith("__")}
    return _sheet_of_arrays({k: _unpadded(v) for k, v in arrays.items()}, path)


def _unpadded(array: Any) -> Any:
    """MATLAB pads rows of characters to one length."""
    is_text = getattr(getattr(array, "dtype", None), "kind", "") == "U"
    return np.char.rstrip(array) if is_text else array


def _is_hdf5(path: Path) -> bool:
    """MATLAB 7.3 puts its own header of 512 bytes before that of HDF5."""
    with path.open("rb") as file:
        start = file.read(520)
    return b"\x89HDF\r\n\x1a\n" in (start[:8], start[512:])


def write_mat(table: Table, path: Path) -> None:
    from scipy.io import savemat

    given = ((table.label, "Y"), (table.index_name, "samples"))
    label, index = (
        name if name and _MATLAB_NAME.fullmatch(name) else other for name, other in given
    )
    columns = {
        name: values.astype(object if values.dtype.kind in "OUS" else values.dtype)[:, None]
        for name, values in _beside_features(table, (label, index)).items()
    }
    with path.open("wb") as file:
        savemat(file, _with_features(table, columns, object))


def _with_features(table: Table, beside: dict[str, Any], text: type) -> dict[str, Any]:
    """Features and their names under keys that the reader finds and the rest leaves free."""
    matrix = next(key for key in _MATRIX_KEYS if key not in beside)
    names = next(key for key in _NAME_KEYS if key not in beside)
    return {matrix: table.X, names: np.array(table.names, dtype=text), **beside}


def read_svmlight(path: Path) -> Sheet:
    """Sparse; the target is called ``label``, the features by their numbers in the file.

    A file that never names feature 0 counts from 1.
    """
    from sklearn.datasets import load_svmlight_file

    X, target = load_svmlight_file(str(path), zero_based=True)
    first = 1 if X.shape[1] > 1 and not np.any(X.indices == 0) else 0
    refuse_wild_shape(path, (X.shape[0], X.shape[1] - first), X.nnz)
    names = [str(place) for place in range(first, X.shape[1])]
    is_whole = np.all(target == np.floor(target)) and np.all(np.abs(target) < 2**53)
    whole = target.astype(int) if is_whole else target
    return Sheet(names, X.tocsc()[:, first:], beside={"label": whole})


def write_svmlight(table: Table, path: Path) -> None:
    """Sparse text; labels that are not numbers are written as their codes."""
    y = np.zeros(table.shape[0]) if table.y is None else np.asarray(table.y)
    if y.dtype.kind not in "iuf":
        y = np.unique(y.astype(str), return_inverse=True)[1]
    X = sparse.csr_matrix(table.X)
    with path.open("w", encoding="ascii") as file:
        for target, start, stop in zip(y.tolist(), X.indptr, X.indptr[1:], strict=False):
            places = (X.indices[start:stop] + 1).tolist()
            cells = zip(places, X.data[start:stop].tolist(), strict=True)
            file.write(" ".join([repr(target), *(f"{j}:{value!r}" for j, value in cells)]) + "\n")


def _sheet_of_arrays(arrays: dict[str, Any], path: Path) -> Sheet:
    numbers = {k: v for k, v in arrays.items() if is_matrix(v)}
    matrices = {k: v for k, v in numbers.items() if min(v.shape) > 1}
    if not matrices:  # a single feature: the first column under a key of ours
        matrices = dict([(k, v) for k, v in numbers.items() if k in _MATRIX_KEYS][:1])
    if not matrices:
        there = quoted(list(arrays)) or "nothing"
        raise ValueError(f"{path} holds no matrix of numbers; it has {there}.")
    largest = max(matrices, key=lambda k: np.prod(matrices[k].shape))
    key = next((k for k in _MATRIX_KEYS if k in matrices), largest)
    X = matrices[key]
    # a label may have such a name as well; the names of features come before it in the file
    named = [k for k in arrays if k in _NAME_KEYS and np.size(arrays[k]) == X.shape[1]]
    beside = {
        k: _values(v)
        for k, v in arrays.items()
        if k != key and not sparse.issparse(v) and np.size(v) == X.shape[0]
    }
    names = [str(name) for name in _values(arrays[named[0]])] if named else None
    return _sheet(X, path, names, beside)


def _values(array: Any) -> np.ndarray:
    """A vector of plain values: MATLAB wraps every cell."""
    flat = np.ravel(array)
    if flat.dtype.kind != "O":
        return flat
    cells = [cell.ravel()[0] if np.size(cell) == 1 else None for cell in map(np.asarray, flat)]
    return np.array(cells, dtype=object if any(cell is None for cell in cells) else None)


def _sheet(X: Any, path: Path, names: list[str] | None = None, beside: dict | None = None) -> Sheet:
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} holds an array of shape {X.shape} and type {X.dtype}; "
            "a table needs two dimensions and numbers."
        )
    refuse_wild_shape(path, X.shape, X.size)
    if names is None or len(names) != X.shape[1]:
        names = numbered(X.shape[1])
    return Sheet(names, sound_csc(X, path) if sparse.issparse(X) else X, beside or {})


def _plain(values: np.ndarray) -> np.ndarray:
    """Text as NumPy strings: an NPZ file must open without pickle."""
    return values.astype(str) if values.dtype.kind == "O" else values


def read_market(path: Path) -> Sheet:
    """Sparse. With barcodes and features beside, those are samples and features; else rows are."""
    from scipy.io import mminfo, mmread

    if path.is_dir():
        found = [path / name for name in _MATRIX if (path / name).is_file()]
        if not found:
            raise ValueError(f"{path} is a folder without matrix.mtx: no table of 10x Genomics.")
        path = found[0]
    features, barcodes = _beside(path, "features", "genes"), _beside(path, "barcodes")
    of_10x = features is not None and barcodes is not None
    rows, columns, entries, form, kind, symmetry = mminfo(str(path))
    refuse_wild_shape(path, (columns, rows) if of_10x else (rows, columns), entries)
    refuse_larger_than_memory(path, 16.0 * entries)
    is_plain = (form, symmetry) == ("coordinate", "general") and kind in ("integer", "real")
    X = _coordinates(path, (rows, columns), entries) if is_plain else mmread(str(path))
    X = sparse.csc_matrix(X)
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
    return Sheet(names, sound_csc(X.T, path), index=index)


def _coordinates(path: Path, shape: tuple[int, int], entries: int) -> Any:
    """The matrix of a file of plain numbers; ``mmread`` takes numbers with other signs in them."""
    import pandas as pd

    content = read_text(path)
    lines = enumerate(BytesIO(content), 1)
    before = next(count for count, line in lines if line.strip()[:1] not in b"%")
    kinds = {"row": np.int64, "column": np.int64, "value": np.float64}
    is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    precision: Any = {} if is_exact else {"float_precision": "round_trip"}
    found = pd.read_csv(
        BytesIO(content), sep=r"\s+", skiprows=before, header=None, names=list(kinds), dtype=kinds,
        quoting=csv.QUOTE_NONE, na_filter=False, **precision,
    )  # fmt: skip
    if len(found) != entries:
        raise ValueError(f"{path} announces {entries:,} entries and holds {len(found):,}.")
    places = found["row"].to_numpy() - 1, found["column"].to_numpy() - 1
    return sparse.coo_matrix((found["value"].to_numpy(), places), shape)


def _beside(path: Path, *kinds: str) -> list[list[str]] | None:
    """The rows of the file of such a kind beside the matrix, under the same beginning."""
    start = path.name.partition("matrix.mtx")[0] if "matrix.mtx" in path.name else ""
    for name in (f"{start}{kind}.tsv{packed}" for kind in kinds for packed in ("", ".gz")):
        other = path.with_name(name)
        if other.is_file():
            lines = read_text(other).decode().split("\n")
            return [line.rstrip("\r").split("\t") for line in lines if line.strip()]
    return None
