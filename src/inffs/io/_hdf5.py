"""Files in HDF5: AnnData, loom and MATLAB 7.3; what is checked of all of them."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.io._guard import (
    in_a_process_of_its_own,
    refuse_larger_than_memory,
    refuse_wild_shape,
    require,
    sound_csc,
)
from inffs.io._sheet import Sheet, Table, numbered, quoted

_GENE_KEYS = ("Gene", "gene_names", "var_names", "Accession", "GeneName", "Name")
_CELL_KEYS = ("CellID", "cell_names", "obs_names", "Cell")


def refuse_hostile_hdf5(path: Path) -> None:
    """Raise if the arrays are larger than memory (their sizes are declared) or lie elsewhere."""
    import h5py

    def name_of_other(name: str, link: Any) -> str | None:
        return None if isinstance(link, h5py.HardLink) else name

    items: dict[str, Any] = {}
    with h5py.File(path, "r") as file:
        if link := file.visititems_links(name_of_other):
            raise ValueError(
                f"{path} holds a link at /{link}: store the values in the file itself."
            )
        file.visititems(items.__setitem__)
        for name, item in items.items():
            if isinstance(item, h5py.Dataset):
                if item.external or item.is_virtual:
                    raise ValueError(
                        f"{path} keeps {name} in another file: store the values in it."
                    )
                _refuse_cut_chunks(path, name, item)
            elif "data" in item and np.size(item.attrs.get("shape")) == 2:
                refuse_wild_shape(path, tuple(map(int, item.attrs["shape"])), item["data"].size)
        arrays = (item for item in items.values() if isinstance(item, h5py.Dataset))
        refuse_larger_than_memory(path, sum(float(item.nbytes) for item in arrays))


def _refuse_cut_chunks(path: Path, name: str, item: Any) -> None:
    """Raise if a chunk without compression has a wrong size: HDF5 adds what lies in the memory."""
    if item.chunks is None:
        return
    whole = math.prod(item.chunks) * item.id.get_type().get_size()
    every_filter = 2 ** item.id.get_create_plist().get_nfilters() - 1

    def is_cut(chunk: Any) -> bool | None:
        return (chunk.filter_mask == every_filter and chunk.size != whole) or None

    if item.id.chunk_iter(is_cut):
        raise ValueError(f"{path} holds a part of {name} in a wrong size: the file is damaged.")


def read_loom(path: Path) -> Sheet:
    """Genes are rows, cells are columns; sparse where most values are zero."""
    import h5py

    refuse_hostile_hdf5(path)
    with h5py.File(path, "r") as file:
        if "matrix" not in file:
            raise ValueError(f"{path} has no matrix: it is no loom file.")
        X = file["matrix"][()].T
        rows, columns = (_attributes(file, key) for key in ("row_attrs", "col_attrs"))
    thin = np.count_nonzero(X) * 3 <= X.size
    X = sparse.csc_matrix(X) if thin else np.ascontiguousarray(X)
    names = next((rows.pop(key) for key in _GENE_KEYS if key in rows), None)
    index = next((columns.pop(key) for key in _CELL_KEYS if key in columns), None)
    named = numbered(X.shape[1]) if names is None else [str(name) for name in names]
    beside = {key: values for key, values in columns.items() if values.shape == (X.shape[0],)}
    return Sheet(named, X, beside, index)


def _attributes(file: Any, key: str) -> dict[str, np.ndarray]:
    """Vectors of numbers or text in a group."""
    import h5py

    found = {}
    for name, item in file.get(key, {}).items():
        if getattr(item, "ndim", 0) == 1 and h5py.check_string_dtype(item.dtype):
            found[name] = item.asstr()[()]
        elif getattr(item, "ndim", 0) == 1 and item.dtype.kind in "biuf":
            found[name] = item[()]
    return found


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


def read_h5ad(path: Path, layer: str | None = None) -> Sheet:
    """The matrix X or a layer; the label is a column of ``obs``."""
    refuse_hostile_hdf5(path)
    data = require("anndata", ".h5ad", "anndata").read_h5ad(path)
    values = _matrix(data, path, layer)
    X = sound_csc(values, path) if sparse.issparse(values) else np.asarray(values)
    beside = {str(name): np.asarray(data.obs[name]) for name in data.obs.columns}
    index = np.asarray(data.obs_names, dtype=object)
    return Sheet([str(name) for name in data.var_names], X, beside, index)


def _matrix(data: Any, path: Path, layer: str | None) -> Any:
    layers = [str(name) for name in data.layers]
    if layer is not None:
        if layer not in layers:
            raise ValueError(
                f"{path} has no layer {layer!r}; its layers: {quoted(layers) or 'none'}."
            )
        return data.layers[layer]
    if data.X is None:
        known = f" (layer=...): {quoted(layers)}" if layers else ""
        raise ValueError(f"{path} has no matrix X: name a layer{known}.")
    return data.X


def write_h5ad(table: Table, path: Path) -> None:
    """The table; where it is part of an AnnData file, with all else that the file holds."""
    if not _part_written(table, path):
        _write_alone(table, path)


def _part_written(table: Table, path: Path) -> bool:
    if table.source is None or table.index is None:
        return False
    names = {"rows": [str(name) for name in table.index], "columns": table.names}
    options = {"target": path, "marks": table.marks, **names}
    return bool(in_a_process_of_its_own(write_part, table.source, **options))


def write_part(
    path: Path, *, target: Path, rows: list[str], columns: list[str], marks: dict[str, Any]
) -> bool:
    """Write these cells and genes of a file to another; whether all of them were found."""
    refuse_hostile_hdf5(path)
    data = require("anndata", ".h5ad", "anndata").read_h5ad(path)
    found = _places(data.obs_names, rows), _places(data.var_names, columns)
    if found[0] is None or found[1] is None:
        return False
    data = data[found].copy()
    for name, values in marks.items():
        data.var[name] = values
    data.write_h5ad(target)
    return True


def _places(names: Iterable[Any], wanted: Iterable[str]) -> np.ndarray | None:
    """The place of every wanted name; equal names are taken in their order."""
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, name in enumerate(names):
        places[str(name)].append(place)
    try:
        return np.array([places[name].popleft() for name in wanted], dtype=int)
    except IndexError:
        return None


def _write_alone(table: Table, path: Path) -> None:
    import pandas as pd

    index = np.arange(table.shape[0]) if table.index is None else table.index
    obs = pd.DataFrame(index=pd.Index([str(name) for name in index]))
    if table.y is not None:
        obs[table.label or "label"] = table.y
    X = table.X.tocsr() if sparse.issparse(table.X) else table.X
    var = pd.DataFrame(table.marks, index=table.names)
    require("anndata", ".h5ad", "anndata").AnnData(X=X, obs=obs, var=var).write_h5ad(path)
