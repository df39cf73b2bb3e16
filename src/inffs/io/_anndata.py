"""AnnData files (.h5ad): cells are samples, genes are features."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.io._guard import in_a_process_of_its_own, sound_csc
from inffs.io._hdf5 import refuse_hostile_hdf5
from inffs.io._sheet import Sheet, Table, quoted


def read_h5ad(path: Path, layer: str | None = None) -> Sheet:
    """The matrix X or a layer; the label is a column of ``obs``."""
    refuse_hostile_hdf5(path)
    data = _anndata().read_h5ad(path)
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
        known = f" (--layer): {quoted(layers)}" if layers else ""
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
    data = _anndata().read_h5ad(path)
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
    _anndata().AnnData(X=X, obs=obs, var=var).write_h5ad(path)


def _anndata() -> Any:
    try:
        import anndata
    except ImportError as error:
        raise ImportError(
            "reading .h5ad needs anndata: pip install anndata", name="anndata"
        ) from error
    return anndata
