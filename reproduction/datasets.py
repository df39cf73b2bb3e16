"""The benchmark's data sets by name: ``load("colon")`` gives X, y and the names of the columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from inffs._utils.words import find_named, parse_brackets
from inffs.comparison.dataset import Dataset
from reproduction.fetch import DataError, locate
from reproduction.readers import READERS
from reproduction.registry import DATASETS, DatasetInfo, Source

__all__ = [
    "DataError",
    "Dataset",
    "DatasetInfo",
    "info",
    "known",
    "load",
    "load_spec",
    "load_titled",
    "plain_name",
]


def known() -> tuple[DatasetInfo, ...]:
    """Every data set of the catalogue: the paper's eleven, then two more of CNN features.

    Examples
    --------
    >>> from inffs.comparison.data import datasets
    >>> [entry.name for entry in datasets.known()][:3]
    ['colon', 'leukemia', 'lung']
    """
    return DATASETS


def info(name: str) -> DatasetInfo:
    """The catalogue entry of a name; an unknown name is answered with the near ones."""
    return find_named(name, {entry.name: entry for entry in DATASETS}, "data set")


def load(name: str, *, log: bool = False, path: str | Path | None = None) -> Dataset:
    """Load a data set of the benchmark.

    The files are looked for in the folder that ``INFFS_DATA`` names, then in the user's cache, and
    downloaded into it otherwise; every file's hash is checked. Where an original cannot be had, a
    table that was rebuilt after its recipe stands in if ``INFFS_DATA`` has it, and says so in its
    name.

    Parameters
    ----------
    name : str
        A name of :func:`known`.
    log : bool, default=False
        Take the logarithm (base 2) of the values, which must be positive.
    path : str or Path, optional
        For ``voc2007``: an NPZ file of your own with the features X (n_samples, n_features) and
        the labels Y (n_samples, n_labels) of 0 and 1; ``difficult`` (as Y) and ``test``
        (n_samples,) may stand beside them.

    Returns
    -------
    Dataset

    See Also
    --------
    inffs.io.read_table : Tables of your own.

    Examples
    --------
    >>> from reproduction.datasets import load
    >>> dataset = load("colon")  # doctest: +SKIP
    """
    entry = info(name)
    if path is not None:
        return _own_features(entry, Path(path))
    source, paths = _locate(entry)
    table = READERS[source.reader](paths)
    dataset = Dataset(
        entry.title(source),
        table.X,
        table.y,
        table.names,
        source.status,
        challenge=entry.challenge,
        difficult=table.difficult,
        official_test=table.official_test,
    )
    if dataset.X.shape != entry.shape:
        raise DataError(f"{name} should have the shape {entry.shape}, not {dataset.X.shape}.")
    return _logarithm(dataset) if log else dataset


def _locate(entry: DatasetInfo) -> tuple[Source, list[Path]]:
    """The first source whose files can be had; the error of the original where none can."""
    first: DataError | None = None
    for source in entry.sources:
        try:
            return source, [locate(file) for file in source.files]
        except DataError as error:
            first = first or error
    assert first is not None
    raise first


def _own_features(entry: DatasetInfo, path: Path) -> Dataset:
    if entry.sources[0].reader != "labels":
        raise DataError(f"{entry.name} takes no path: it is the table that was published.")
    table = READERS["labels"]([path])
    return Dataset(
        entry.name, table.X, table.y, table.names, "your own", challenge=entry.challenge,
        difficult=table.difficult, official_test=table.official_test,
    )  # fmt: skip


def _logarithm(dataset: Dataset) -> Dataset:
    smallest = dataset.X.min()
    if smallest <= 0:
        raise ValueError(f"{dataset.name} has values down to {smallest:g}: they have no logarithm.")
    return replace(dataset, name=f"{dataset.name} (log)", X=np.log2(dataset.X))


def load_spec(spec: str) -> Dataset:
    """A data set by ``NAME``, ``NAME[log=true]`` or ``NAME[path=FILE]``."""
    name, options = parse_brackets(spec)
    strange = [key for key in options if key not in ("log", "path")]
    if strange:
        raise ValueError(f"The data set {name} has no option {strange[0]!r}: it has log and path.")
    return load(name, **options)


def load_titled(title: str) -> Dataset:
    """A data set by the name that its results carry, such as "gisette (rebuilt)"."""
    name, _, rest = title.partition(" (")
    dataset = load(name, log=rest == "log)")
    if dataset.name != title:
        raise DataError(f"{title} cannot be had here: {name} is {dataset.name}.")
    return dataset


def plain_name(dataset: str) -> str:
    """The name of a data set without its origin: "gisette (rebuilt)" is gisette."""
    return dataset.partition(" (")[0] if not dataset.endswith("(log)") else dataset
