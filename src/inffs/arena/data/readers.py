"""Parsers of the benchmark's files: RData, ARFF, MAT, the NIPS zip, CSV and NPZ.

None of them unpickles or evaluates anything.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

Table = tuple[Any, np.ndarray, list[str]]


def _numbered(n: int) -> list[str]:
    return [f"x{place}" for place in range(1, n + 1)]


def read_rdata(paths: list[Path]) -> Table:
    """An R list with x (samples in rows) and y; the first one of the file."""
    import rdata

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Unknown encoding")
        content = next(iter(rdata.read_rda(paths[0]).values()))
    x = content["x"]
    names = x.coords["dim_1"].values if hasattr(x, "coords") else _numbered(x.shape[1])
    return np.asarray(x, dtype=float), np.asarray(content["y"]), [str(name) for name in names]


def read_lymphoma(paths: list[Path]) -> Table:
    """The Stanford DLBCL table without its two normal germinal-centre samples (rows 3 and 4)."""
    from scipy.io import arff

    rows, meta = arff.loadarff(paths[0])
    names = meta.names()[:-1]
    X = np.column_stack([rows[name] for name in names]).astype(float)
    y = np.char.decode(rows[meta.names()[-1]].astype(bytes))
    return np.delete(X, [3, 4], axis=0), np.delete(y, [3, 4]), list(names)


def read_csv(paths: list[Path]) -> Table:
    """Comma-separated numbers under a line of names, the class last."""
    with paths[0].open(encoding="ascii") as lines:
        names = lines.readline().strip().split(",")
        table = np.loadtxt(lines, delimiter=",")
    return table[:, :-1], table[:, -1].astype(int), names[:-1]


def read_dexter(paths: list[Path]) -> Table:
    """Both labelled parts of dexter as CSR; an empty cell is a zero."""
    with zipfile.ZipFile(paths[0]) as archive:
        parts = [
            _sparse_csv(io.TextIOWrapper(archive.open(f"dexter_{part}.csv"), "ascii"))
            for part in ("train", "test")
        ]
    X = sparse.vstack([X for X, _, _ in parts], format="csr")
    return X, np.concatenate([y for _, y, _ in parts]), parts[0][2]


def _sparse_csv(lines: Iterable[str]) -> Table:
    lines = iter(lines)
    names = next(lines).strip().split(",")
    rows, columns, values, y = [], [], [], []
    for row, line in enumerate(lines):
        *cells, label = line.rstrip("\n").split(",")
        full = [place for place, cell in enumerate(cells) if cell]
        rows += [row] * len(full)
        columns += full
        values += [float(cells[place]) for place in full]
        y.append(int(label))
    shape = (len(y), len(names) - 1)
    return sparse.csr_matrix((values, (rows, columns)), shape=shape), np.array(y), names[:-1]


def read_mat(paths: list[Path]) -> Table:
    """Features ``fts`` and ``labels`` of one or several MATLAB files, one below the other."""
    from scipy.io import loadmat

    parts = [loadmat(path) for path in paths]
    X = np.vstack([part["fts"] for part in parts]).astype(float)
    y = np.concatenate([part["labels"].ravel() for part in parts])
    return X, y, _numbered(X.shape[1])


def read_npz(paths: list[Path]) -> Table:
    """Arrays X and y of an NPZ file."""
    with np.load(paths[0], allow_pickle=False) as arrays:
        X, y = arrays["X"], arrays["y"]
    return X.astype(np.float32 if X.dtype == np.float16 else float), y, _numbered(X.shape[1])


READERS: dict[str, Callable[[list[Path]], Table]] = {
    "rdata": read_rdata,
    "lymphoma": read_lymphoma,
    "csv": read_csv,
    "dexter": read_dexter,
    "mat": read_mat,
    "npz": read_npz,
}
