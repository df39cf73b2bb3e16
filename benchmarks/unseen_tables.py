"""Tables with classes out of R packages, written as CSV files for benchmarks/unseen.py.

    python benchmarks/unseen_tables.py PACKAGES TABLES

PACKAGES holds the sources of the packages ALL, bladderbatch, dslabs, caret, kernlab, mlbench,
modeldata, phyloseq, adegenet and rrcov; those that are missing are skipped. Taken is every table
with classes, at least 50 numeric columns and 50 samples, no class with nine tenths of the samples,
not drawn by a simulation, and in no other of the tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)

import numpy as np
import pandas as pd

from benchmarks.independent_tables import column_of, expression, r_data

Objects = dict[str, Any]
Parts = tuple[Any, Any]  # values, a sample per row, and classes


def abundance(name: str, label: str) -> Callable[[Objects], Parts]:
    """A phyloseq object whose taxa are rows."""
    return lambda objects: (np.asarray(objects[name].otu_table).T, objects[name].sam_data[label])


def alleles(name: str, label: Callable[[Any], Any]) -> Callable[[Objects], Parts]:
    """A genind object."""
    return lambda objects: (np.asarray(objects[name].tab), label(objects[name]))


def region(people: Any) -> Any:
    codes = people.pop.codes
    return np.asarray(people.other["popInfo"]["Region"])[codes]


TABLES: dict[str, tuple[str, Callable[[Objects], Parts]]] = {
    "all-molecular": ("ALL/data/ALL.rda", expression("ALL", "mol.biol")),
    "bladder": ("bladderbatch/data/bladderdata.rda", expression("bladderEset", "cancer")),
    "tissue": (
        "dslabs/data/tissue_gene_expression.rda",
        lambda objects: tuple(objects["tissue_gene_expression"].values()),
    ),
    "dhfr": ("caret/data/dhfr.RData", column_of("dhfr", "Y")),
    "cox2": ("caret/data/cox2.RData", lambda o: (o["cox2Descr"], o["cox2Class"])),
    "mdrr": ("caret/data/mdrr.RData", lambda o: (o["mdrrDescr"], o["mdrrClass"])),
    "cells": (
        "caret/data/segmentationData.RData",
        column_of("segmentationData", "Class", "Cell", "Case"),
    ),
    "germancredit": ("caret/data/GermanCredit.RData", column_of("GermanCredit", "Class")),
    "musk": ("kernlab/data/musk.rda", column_of("musk", "Class")),
    "spam": ("kernlab/data/spam.rda", column_of("spam", "type")),
    "promoters": ("kernlab/data/promotergene.rda", column_of("promotergene", "Class")),
    "dna": ("mlbench/data/DNA.rda", column_of("DNA", "Class")),
    "sonar": ("mlbench/data/Sonar.rda", column_of("Sonar", "Class")),
    "alzheimer": ("modeldata/data/ad_data.RData", column_of("ad_data", "Class")),
    "parkinson": ("modeldata/data/pd_speech.rda", column_of("pd_speech", "class")),
    "grants": ("modeldata/data/grants.rda", column_of("grants_other", "class")),
    "enterotype": ("phyloseq/data/enterotype.RData", abundance("enterotype", "SeqTech")),
    "soil": ("phyloseq/data/soilrep.RData", abundance("soilrep", "warmed")),
    "microbov": ("adegenet/data/microbov.rda", alleles("microbov", lambda each: each.pop)),
    "h3n2": ("adegenet/data/H3N2.rda", alleles("H3N2", lambda each: each.other["epid"])),
    "nancycats": ("adegenet/data/nancycats.rda", alleles("nancycats", lambda each: each.pop)),
    "hgdp": ("adegenet/data/eHGDP.rda", alleles("eHGDP", region)),
    "fruit": (
        "rrcov/data/fruit.rda",
        lambda objects: (objects["fruit"].iloc[:, 1:], objects["fruit"].iloc[:, 0]),
    ),
}


def as_number(column: pd.Series) -> pd.Series:
    """Numbers, or the codes of a factor or of text from 0."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    codes = column.astype("category").cat.codes.astype(float)
    return codes.where(codes >= 0)


def write(name: str, X: Any, y: Any, out: Path) -> None:
    frame = pd.DataFrame(X).apply(as_number)
    frame.columns = [f"v{place}" for place in range(1, frame.shape[1] + 1)]
    frame["class"] = np.asarray(y)
    frame = frame[frame["class"].notna()]
    frame.to_csv(out / f"{name}.csv.gz", index=False, float_format="%.15g")  # as R does
    print(name, frame.shape[0], frame.shape[1] - 1)


def main(packages: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, (file, parts) in TABLES.items():
        if (packages / file).exists():
            write(name, *parts(r_data(file)(packages)), out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
