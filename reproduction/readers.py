"""Parsers of the benchmark's files: RData, ARFF, MAT, the NIPS zip, CSV and NPZ.

None of them unpickles or evaluates anything.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from reproduction.fetch import DataError


class Table(NamedTuple):
    """What a file holds; ``difficult`` and ``official_test`` as in a data set."""

    X: Any
    y: np.ndarray
    names: list[str]
    difficult: np.ndarray | None = None
    official_test: np.ndarray | None = None


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
    return Table(
        np.asarray(x, dtype=float), np.asarray(content["y"]), [str(name) for name in names]
    )


def read_lymphoma(paths: list[Path]) -> Table:
    """The Stanford DLBCL table without its two normal germinal-centre samples (rows 3 and 4)."""
    from scipy.io import arff

    rows, meta = arff.loadarff(paths[0])
    names = meta.names()[:-1]
    X = np.column_stack([rows[name] for name in names]).astype(float)
    y = np.char.decode(rows[meta.names()[-1]].astype(bytes))
    return Table(np.delete(X, [3, 4], axis=0), np.delete(y, [3, 4]), list(names))


def read_csv(paths: list[Path]) -> Table:
    """Comma-separated numbers under a line of names, the class last."""
    with paths[0].open(encoding="ascii") as lines:
        names = lines.readline().strip().split(",")
        table = np.loadtxt(lines, delimiter=",")
    return Table(table[:, :-1], table[:, -1].astype(int), names[:-1])


def read_dexter(paths: list[Path]) -> Table:
    """Both labelled parts of dexter as CSR; an empty cell is a zero."""
    with zipfile.ZipFile(paths[0]) as archive:
        parts = [
            _sparse_csv(io.TextIOWrapper(archive.open(f"dexter_{part}.csv"), "ascii"))
            for part in ("train", "test")
        ]
    X = sparse.vstack([part.X for part in parts], format="csr")
    return Table(X, np.concatenate([part.y for part in parts]), parts[0].names)


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
    X = sparse.csr_matrix((values, (rows, columns)), shape=shape)
    return Table(X, np.array(y), names[:-1])


def read_mat(paths: list[Path]) -> Table:
    """Features ``fts`` and ``labels`` of one or several MATLAB files, one below the other."""
    from scipy.io import loadmat

    parts = [loadmat(path) for path in paths]
    X = np.vstack([part["fts"] for part in parts]).astype(float)
    y = np.concatenate([part["labels"].ravel() for part in parts])
    return Table(X, y, _numbered(X.shape[1]))


def read_npz(paths: list[Path]) -> Table:
    """Arrays X and y of an NPZ file."""
    with np.load(paths[0], allow_pickle=False) as arrays:
        X, y = _as_float(arrays["X"]), arrays["y"]
    return Table(X, y, _numbered(X.shape[1]))


def _as_float(X: np.ndarray) -> np.ndarray:
    return X.astype(np.float32 if X.dtype == np.float16 else float)


def read_labels(paths: list[Path]) -> Table:
    """X and several 0 / 1 labels Y of an NPZ file, with ``difficult`` and ``test`` if it has them.

    A sample that is difficult for a label and has it all the same counts for that label.
    """
    with np.load(paths[0], allow_pickle=False) as arrays:
        content = {name: arrays[name] for name in ("X", "Y", "difficult", "test") if name in arrays}
    missing = [name for name in ("X", "Y") if name not in content]
    if missing:
        raise DataError(f"{paths[0]} holds no array {missing[0]}: it needs X and Y.")
    X, Y = content["X"], content["Y"]
    if Y.ndim != 2 or not np.isin(Y, (0, 1)).all() or len(Y) != len(X):
        raise DataError(
            f"Y of {paths[0]} must be 0 / 1 with one row per sample and one column per label."
        )
    difficult, test = content.get("difficult"), content.get("test")
    return Table(
        _as_float(X),
        Y.astype(int),
        _numbered(X.shape[1]),
        None if difficult is None else (difficult != 0) & (Y == 0),
        None if test is None else test != 0,
    )


def read_nips(paths: list[Path]) -> Table:
    """A NIPS challenge's data and labels: numbers separated by blanks, a line per sample."""
    y = np.fromstring(paths[1].read_text(encoding="ascii"), sep=" ").astype(int)
    X = np.fromstring(paths[0].read_text(encoding="ascii"), sep=" ").reshape(len(y), -1)
    return Table(X, y, _numbered(X.shape[1]))


def read_gina(paths: list[Path]) -> Table:
    """The training part of gina: the first 3153 rows of the file, which its sums confirm."""
    with paths[0].open(encoding="ascii") as lines:
        names = [name.strip('"') for name in lines.readline().strip().split(",")]
        table = np.loadtxt(lines, delimiter=",")[:3153]
    label = names.index("label") if "label" in names else len(names) - 1
    X, y = np.delete(table, label, axis=1), table[:, label].astype(int)
    if ((y > 0).sum(), X.sum()) != (1550, 164947945):
        raise DataError(
            f"The first 3153 rows of {paths[0]} are not gina's training part (its sums differ)."
        )
    return Table(X, y, [name for place, name in enumerate(names) if place != label])


READERS: dict[str, Callable[[list[Path]], Table]] = {
    "rdata": read_rdata,
    "lymphoma": read_lymphoma,
    "csv": read_csv,
    "dexter": read_dexter,
    "mat": read_mat,
    "npz": read_npz,
    "labels": read_labels,
    "nips": read_nips,
    "gina": read_gina,
}
