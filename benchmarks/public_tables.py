"""Public tables with classes that had no part in the development of the package.

FOLDER holds clones of three public repositories: ramhiser/datamicroarray (microarrays),
jundongl/scikit-feature (microarrays, images, texts) and mixOmicsTeam/mixOmics (expression,
proteins, bacteria). Tables that stand in several of them, and those of the benchmark, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Table = tuple[np.ndarray, np.ndarray]

MICROARRAYS = (
    "borovecki", "chowdary", "christensen", "gravier", "khan", "nakayama", "pomeroy", "shipp",
    "sorlie", "su", "subramanian", "west",
)  # fmt: skip
SCIKIT_FEATURE = (
    "TOX-171", "GLIOMA", "ORL", "Yale", "orlraws10P", "pixraw10P", "warpAR10P", "warpPIE10P",
    "nci9", "arcene", "lymphoma", "lung_small", "BASEHOCK", "PCMAC", "RELATHE", "Isolet", "COIL20",
)  # fmt: skip
MIXOMICS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "breast.TCGA mrna": lambda d: (d["data.train"]["mrna"], d["data.train"]["subtype"]),
    "breast.TCGA mirna": lambda d: (d["data.train"]["mirna"], d["data.train"]["subtype"]),
    "breast.TCGA protein": lambda d: (d["data.train"]["protein"], d["data.train"]["subtype"]),
    "breast.tumors": lambda d: (d["gene.exp"], d["sample"]["treatment"]),
    "Koren.16S": lambda d: (d["data.TSS"], d["bodysite"]),
    "diverse.16S": lambda d: (d["data.TSS"], d["bodysite"]),
    "liver.toxicity": lambda d: (d["gene"], d["treatment"].iloc[:, 2]),
    "multidrug": lambda d: (d["ABC.trans"], d["cell.line"]["Class"]),
    "nutrimouse genotype": lambda d: (d["gene"], d["genotype"]),
    "nutrimouse diet": lambda d: (d["lipid"], d["diet"]),
    "stemcells": lambda d: (d["gene"], d["celltype"]),
    "vac18": lambda d: (d["genes"], d["stimulation"]),
}
MOST_SAMPLES, FEWEST = 1000, 5  # samples that are drawn of a larger table; of a class


def public_tables(folder: Path) -> Iterator[tuple[str, str, Table]]:
    """The repository, the name and the values and classes of every table."""
    import rdata
    from scipy.io import loadmat

    for name in MICROARRAYS:
        found = rdata.read_rda(folder / "datamicroarray" / "data" / f"{name}.RData")[name]
        yield "datamicroarray", name, _checked(found["x"], found["y"])
    for name in SCIKIT_FEATURE:
        found = loadmat(folder / "scikit-feature" / "skfeature" / "data" / f"{name}.mat")
        yield "scikit-feature", name, _checked(found["X"], found["Y"].ravel())
    for name, parts in MIXOMICS.items():
        file = name.split()[0]
        found = rdata.read_rda(folder / "mixOmics" / "data" / f"{file}.rda")[file]
        yield "mixOmics", name, _checked(*parts(found))


def _checked(X: Any, y: Any) -> Table:
    """Numbers without constant columns and missing values, classes of five samples or more."""
    X, y = np.asarray(X, dtype=float), np.asarray(y).astype(str)
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    rows = np.flatnonzero(counts[codes] >= FEWEST)
    if rows.size > MOST_SAMPLES:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_SAMPLES, replace=False))
    X = X[rows]
    X = X[:, ~np.isnan(X).any(axis=0)]
    return X[:, np.ptp(X, axis=0) > 0], np.unique(codes[rows], return_inverse=True)[1]
