"""The benchmark's data sets by name: ``load("colon")`` gives X, y and the names of the columns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs._engine.words import did_you_mean
from inffs.arena.data.fetch import DataError, cache_folder, locate
from inffs.arena.data.readers import READERS
from inffs.arena.data.registry import DATASETS, DatasetInfo, OpenML

__all__ = ["DataError", "Dataset", "DatasetInfo", "info", "known", "load"]


@dataclass(frozen=True)
class Dataset:
    """A table with its classes, ready for the arena.

    ``X`` may be sparse and may hold NaN (imputed inside each training part); ``y`` is one column
    of classes, or (T, labels) of 0 / 1. ``version`` is a fingerprint of the content.
    """

    name: str
    X: Any
    y: np.ndarray
    names: list[str] = field(repr=False)
    status: str = "your own"
    groups: np.ndarray | None = None
    challenge: str = "own"

    def __iter__(self) -> Iterator[Any]:
        """``X, y, names = load("colon")``."""
        return iter((self.X, self.y, self.names))

    @property
    def multi_label(self) -> bool:
        return self.y.ndim == 2

    @cached_property
    def version(self) -> str:
        return fingerprint(self.X, self.y, self.groups)


def fingerprint(*arrays: Any) -> str:
    """Sixteen hexadecimal digits that change with any value of the arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        parts = (array.data, array.indices, array.indptr) if sparse.issparse(array) else (array,)
        for part in parts:
            values = np.asarray(part)
            plain = values.astype(str) if values.dtype == object else values
            digest.update(f"{plain.dtype} {plain.shape};".encode())
            digest.update(np.ascontiguousarray(plain).tobytes())
    return digest.hexdigest()[:16]


def known() -> tuple[DatasetInfo, ...]:
    """Every data set of the catalogue: the paper's eleven, then two more of CNN features.

    Examples
    --------
    >>> from inffs.arena.data import datasets
    >>> [entry.name for entry in datasets.known()][:3]
    ['colon', 'leukemia', 'lung']
    """
    return DATASETS


def info(name: str) -> DatasetInfo:
    """The catalogue entry of a name; an unknown name is answered with the near ones."""
    for entry in DATASETS:
        if entry.name == name:
            return entry
    names = [entry.name for entry in DATASETS]
    hint = did_you_mean(name, names, f"Known: {', '.join(names)}.")
    raise ValueError(f"There is no data set {name!r}. {hint}")


def load(name: str, *, log: bool = False, path: str | Path | None = None) -> Dataset:
    """Load a data set of the benchmark.

    The files are looked for in the folder that ``INFFS_DATA`` names, then in the user's cache, and
    downloaded into it otherwise; every file's sha256 is checked.

    Parameters
    ----------
    name : str
        A name of :func:`known`.
    log : bool, default=False
        Take the logarithm (base 2) of the values, which must be positive.
    path : str or Path, optional
        For ``voc2007``: an NPZ file of your own with the features X (T, n) and the labels Y
        (T, labels) of 0 and 1.
    """
    entry = info(name)
    if entry.reader == "own":
        return _own_features(entry, path)
    dataset = _read(entry)
    if entry.shape and dataset.status == entry.status and dataset.X.shape != entry.shape:
        raise DataError(f"{name} should have the shape {entry.shape}, not {dataset.X.shape}.")
    return _logarithm(dataset) if log else dataset


def _read(entry: DatasetInfo) -> Dataset:
    try:
        paths = [locate(file) for file in entry.files]
    except DataError as error:
        if entry.openml is None or "no public address" not in str(error):
            raise
        return _from_openml(entry, entry.openml)
    X, y, names = READERS[entry.reader](paths)
    return Dataset(entry.title, X, y, names, entry.status, None, entry.challenge)


def _from_openml(entry: DatasetInfo, source: OpenML) -> Dataset:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(
            data_id=source.number, as_frame=False, parser="liac-arff", data_home=str(cache_folder())
        )
    except OSError as error:
        raise DataError(
            f"OpenML cannot be reached, so {entry.name} was not downloaded ({error})."
        ) from error
    return from_bunch(entry, source, bunch)


def from_bunch(entry: DatasetInfo, source: OpenML, bunch: Any) -> Dataset:
    """A data set from OpenML's answer, after a check that it is the one we want."""
    name = str(bunch.details["name"]).lower()
    if name != source.name or bunch.data.shape[1] != source.n_features:
        raise DataError(
            f"OpenML's number {source.number} is {name!r} with {bunch.data.shape[1]} features, "
            f"not {source.name!r} with {source.n_features}: {entry.name} was not loaded."
        )
    y = np.asarray(bunch.target).astype(str)
    names = list(map(str, bunch.feature_names))
    return Dataset(entry.name, bunch.data, y, names, "original", None, entry.challenge)


def _own_features(entry: DatasetInfo, path: str | Path | None) -> Dataset:
    if path is None:
        raise DataError(
            f"{entry.name} needs your own features: load({entry.name!r}, path=...) with an NPZ "
            "file that holds X (T, n) and Y (T, labels) of 0 and 1."
        )
    with np.load(path, allow_pickle=False) as arrays:
        X, Y = arrays["X"], arrays["Y" if "Y" in arrays else "y"]
    if Y.ndim != 2 or not np.isin(Y, (0, 1)).all() or len(Y) != len(X):
        raise DataError(f"Y of {path} must be 0 / 1 with one row a sample and one column a label.")
    names = [f"x{place}" for place in range(1, X.shape[1] + 1)]
    return Dataset(entry.name, X.astype(float), Y.astype(int), names, "your own", None, "cnn")


def _logarithm(dataset: Dataset) -> Dataset:
    smallest = dataset.X.min()
    if smallest <= 0:
        raise ValueError(f"{dataset.name} has values down to {smallest:g}: they have no logarithm.")
    return replace(dataset, name=f"{dataset.name} (log)", X=np.log2(dataset.X))
