"""ARFF (Weka) and AnnData (.h5ad) files."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs.tables._guard import refuse_larger_than_memory, sound_csc
from inffs.tables._sheet import Sheet, Table


def read_arff(path: Path) -> Sheet:
    """Numeric and nominal attributes; a nominal one is text."""
    import pyarrow as pa
    from scipy.io import arff

    _refuse_uneven_arff(path)
    data, meta = arff.loadarff(str(path))
    columns = []
    for name in meta.names():
        values = np.atleast_1d(data[name])
        if values.dtype.kind == "S":
            text = np.char.decode(values, "utf-8")
            columns.append(pa.array(text.astype(object), mask=text == "?"))
        else:
            columns.append(pa.array(values))
    return Sheet(list(meta.names()), pa.Table.from_arrays(columns, names=list(meta.names())))


def _refuse_uneven_arff(path: Path) -> None:
    """Raise if a row has more or fewer values than there are attributes."""
    with path.open(encoding="utf-8", errors="replace") as file:
        n = 0
        for line in file:
            word = line.split(None, 1)[0].lower() if line.strip() else ""
            n += word == "@attribute"
            if word == "@data":
                break
        rows = (line.strip() for line in file)
        rows = (row for row in rows if row and not row.startswith(("%", "{")))
        for place, values in enumerate(_arff_rows(rows)):
            if len(values) != n:
                raise ValueError(
                    f"{path}: row {place + 1} of its data has {len(values)} values, but there are "
                    f"{n} attributes."
                )


def _arff_rows(rows: Iterator[str]) -> Iterator[list[str]]:
    """The values of each row: between commas or tabs, quotes of both kinds honoured."""
    for row in rows:
        quote = '"' if "'" not in row else "'"
        delimiter = "," if "," in row else "\t"
        yield next(
            csv.reader([row], delimiter=delimiter, quotechar=quote, escapechar="\\",
                       skipinitialspace=True)
        )  # fmt: skip


def write_arff(table: Table, path: Path) -> None:
    columns: list[tuple[str, Any, str]] = [
        (name, table.X[:, place], "NUMERIC") for place, name in enumerate(table.names)
    ]
    if table.y is not None:
        values = [_quote(str(value)) for value in table.y]
        kinds = "{" + ",".join(sorted(set(values))) + "}"
        columns.append((table.label or "label", values, kinds))
    with path.open("w", encoding="utf-8") as file:
        file.write("@RELATION selected\n")
        for name, _, kind in columns:
            file.write(f"@ATTRIBUTE {_quote(name)} {kind}\n")
        file.write("@DATA\n")
        for row in zip(*(values for _, values, _ in columns), strict=True):
            file.write(",".join(v if isinstance(v, str) else repr(float(v)) for v in row) + "\n")


def _quote(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ").replace("\r", " ")
    return f"'{plain}'"


def read_h5ad(path: Path) -> Sheet:
    """Genes are features, cells are samples, the label a column of ``obs``."""
    anndata = _anndata()
    _refuse_hostile_hdf5(path)
    data = anndata.read_h5ad(path)
    if data.X is None:
        raise ValueError(f"{path} has no matrix X: put the layer you want there first.")
    X = sound_csc(data.X, path) if sparse.issparse(data.X) else np.asarray(data.X)
    beside = {str(name): np.asarray(data.obs[name]) for name in data.obs.columns}
    index = np.asarray(data.obs_names, dtype=object)
    return Sheet([str(name) for name in data.var_names], X, beside, index)


def _refuse_hostile_hdf5(path: Path) -> None:
    """Raise if the arrays are larger than memory (their sizes are declared) or lie elsewhere."""
    import h5py

    sizes: list[float] = []

    def look(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            sizes.append(float(item.nbytes))
            if item.external or item.is_virtual:
                raise ValueError(f"{path} keeps {name} in another file: store the values in it.")

    with h5py.File(path, "r") as file:
        file.visititems(look)
    refuse_larger_than_memory(path, sum(sizes))


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
