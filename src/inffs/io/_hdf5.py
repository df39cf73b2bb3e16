"""Files in HDF5: loom and MATLAB 7.3; what is checked of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.io._guard import refuse_larger_than_memory, refuse_wild_shape
from inffs.io._sheet import Sheet, numbered

_ROWS_AT_ONCE = 512
_GENE_KEYS = ("Gene", "gene_names", "var_names", "Accession", "GeneName", "Name")
_CELL_KEYS = ("CellID", "cell_names", "obs_names", "Cell")


def refuse_hostile_hdf5(path: Path) -> None:
    """Raise if the arrays are larger than memory (their sizes are declared) or lie elsewhere."""
    import h5py

    size = 0.0
    with h5py.File(path, "r") as file:
        for name, item in _walk(file, path):
            if (
                isinstance(item, h5py.Group)
                and "data" in item
                and np.size(item.attrs.get("shape")) == 2
            ):
                refuse_wild_shape(path, tuple(map(int, item.attrs["shape"])), item["data"].size)
            if isinstance(item, h5py.Dataset):
                size += float(item.nbytes)
                if item.external or item.is_virtual:
                    raise ValueError(
                        f"{path} keeps {name} in another file: store the values in it."
                    )
    refuse_larger_than_memory(path, size)


def _walk(file: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Every object once; links are refused before anything behind them is opened."""
    import h5py

    groups, seen = [file], {_address(file)}
    while groups:
        group = groups.pop()
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                where = f"{group.name.rstrip('/')}/{name}"
                raise ValueError(
                    f"{path} holds a link at {where}: store the values in the file itself."
                )
            item = group[name]
            if _address(item) in seen:
                continue
            seen.add(_address(item))
            yield f"{group.name.rstrip('/')}/{name}".lstrip("/"), item
            if isinstance(item, h5py.Group):
                groups.append(item)


def _address(item: Any) -> int:
    import h5py

    return h5py.h5o.get_info(item.id).addr


def read_loom(path: Path) -> Sheet:
    """Genes are rows, cells are columns; sparse where most values are zero."""
    import h5py

    refuse_hostile_hdf5(path)
    with h5py.File(path, "r") as file:
        if "matrix" not in file:
            raise ValueError(f"{path} has no matrix: it is no loom file.")
        X = _turned_blocks(file["matrix"])
        rows, columns = (_attributes(file, key) for key in ("row_attrs", "col_attrs"))
    names = next((rows.pop(key) for key in _GENE_KEYS if key in rows), None)
    index = next((columns.pop(key) for key in _CELL_KEYS if key in columns), None)
    named = numbered(X.shape[1]) if names is None else [str(name) for name in names]
    beside = {key: values for key, values in columns.items() if values.shape == (X.shape[0],)}
    return Sheet(named, X, beside, index)


def _turned_blocks(matrix: Any) -> Any:
    """A stored matrix on its side, read block by block; sparse if at most a third is not zero."""
    blocks = []
    for start in range(0, matrix.shape[0], _ROWS_AT_ONCE):
        block = matrix[start : start + _ROWS_AT_ONCE]
        thin = np.count_nonzero(block) * 3 <= block.size
        blocks.append(sparse.csr_matrix(block) if thin else block)
    if blocks and all(sparse.issparse(block) for block in blocks):
        return sparse.csc_matrix(sparse.vstack(blocks).T)
    dense = [block.toarray() if sparse.issparse(block) else block for block in blocks]
    return np.ascontiguousarray(np.vstack(dense).T) if dense else np.empty(matrix.shape[::-1])


def _attributes(file: Any, key: str) -> dict[str, np.ndarray]:
    """Vectors of a group, text as objects."""
    found = {}
    for name, item in file.get(key, {}).items():
        values = np.asarray(item[()]) if hasattr(item, "shape") else np.empty(0)
        if values.ndim == 1:
            found[name] = _as_text(values) if values.dtype.kind in "SO" else values
    return found


def _as_text(values: np.ndarray) -> np.ndarray:
    plain = [value.decode() if isinstance(value, bytes) else str(value) for value in values]
    return np.array(plain, dtype=object)


def read_mat73(path: Path) -> dict[str, Any]:
    """Variables of a MATLAB 7.3 file as scipy would give them; structs and functions are left."""
    import h5py

    refuse_hostile_hdf5(path)
    with h5py.File(path, "r") as file:
        found = {name: _variable(file, file[name]) for name in file if not name.startswith("#")}
    return {name: value for name, value in found.items() if value is not None}


def _variable(file: Any, item: Any) -> Any:
    """A matrix, dense or sparse, text, or cells of these."""
    kind = item.attrs.get("MATLAB_class", b"double")
    if "MATLAB_sparse" in item.attrs:
        rows, columns = int(item.attrs["MATLAB_sparse"]), item["jc"].shape[0] - 1
        parts = (item[key][()] if key in item else np.empty(0, int) for key in ("data", "ir", "jc"))
        return sparse.csc_matrix(tuple(parts), shape=(rows, columns))
    if not hasattr(item, "shape"):
        return None
    if kind == b"char":
        signs = item[()].T.astype(np.uint16) if item.shape else item[()]
        return np.array(["".join(map(chr, row)).rstrip() for row in np.atleast_2d(signs)])
    if kind == b"cell":
        cells = np.empty(item.size, dtype=object)
        for place, reference in enumerate(np.ravel(item[()].T)):
            cells[place] = _variable(file, file[reference])
        return cells.reshape(item.shape[::-1])
    return np.asarray(item[()]).T if item.dtype.kind in "biuf" else None
