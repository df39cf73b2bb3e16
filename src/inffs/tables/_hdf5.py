"""Files in HDF5: AnnData (.h5ad)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.tables._guard import refuse_larger_than_memory, sound_csc
from inffs.tables._sheet import Sheet, Table


def read_h5ad(path: Path) -> Sheet:
    """Genes are features, cells are samples, the label a column of ``obs``."""
    refuse_hostile_hdf5(path)
    anndata = _anndata()
    data = anndata.read_h5ad(path)
    if data.X is None:
        raise ValueError(f"{path} has no matrix X: put the layer you want there first.")
    X = sound_csc(data.X, path) if sparse.issparse(data.X) else np.asarray(data.X)
    beside = {str(name): np.asarray(data.obs[name]) for name in data.obs.columns}
    index = np.asarray(data.obs_names, dtype=object)
    return Sheet([str(name) for name in data.var_names], X, beside, index)


def refuse_hostile_hdf5(path: Path) -> None:
    """Raise if the arrays are larger than memory (their sizes are declared) or lie elsewhere."""
    import h5py

    size = 0.0
    with h5py.File(path, "r") as file:
        for name, item in _walk(file, path):
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


def write_h5ad(table: Table, path: Path) -> None:
    import pandas as pd

    index = np.arange(table.shape[0]) if table.index is None else table.index
    obs = pd.DataFrame(index=pd.Index([str(name) for name in index]))
    if table.y is not None:
        obs[table.label or "label"] = table.y
    X = table.X.tocsr() if sparse.issparse(table.X) else table.X
    data = _anndata().AnnData(X=X, obs=obs, var=pd.DataFrame(index=table.names))
    data.write_h5ad(path)


def _anndata() -> Any:
    try:
        import anndata
    except ImportError as error:
        raise ImportError(
            "reading .h5ad needs anndata: pip install anndata", name="anndata"
        ) from error
    return anndata
