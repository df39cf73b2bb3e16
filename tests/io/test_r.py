"""Bioconductor's containers in R files: samples as rows, what is known of them beside."""

import numpy as np
import pytest

from inffs.io import read_table
from tests.io.make_r import S4, Environment, Frame, Matrix, write_rds

X = np.array([[1.5, 2, 3], [4, 5, 6], [7, 8, 9], [1, 0, 2]])  # 4 samples, 3 genes
GENES, SAMPLES = ["g1", "g2", "g3"], ["A", "B", "C", "D"]
STATUS = ["ill", "well", "ill", "well"]


@pytest.fixture(autouse=True)
def _reader():
    pytest.importorskip("rdata")


def expression_set(in_environment=True):
    exprs = {"exprs": Matrix(X.T, GENES, SAMPLES), "se.exprs": Matrix(X.T / 9, GENES, SAMPLES)}
    pheno = Frame({"status": STATUS, "age": np.array([30.0, 41, 52, 63])}, SAMPLES)
    return S4("ExpressionSet", {
        "experimentData": S4("MIAME", {"name": ["somebody"]}),
        "assayData": Environment(exprs) if in_environment else exprs,
        "phenoData": S4("AnnotatedDataFrame", {"data": pheno}),
        "featureData": S4("AnnotatedDataFrame", {"data": Frame({"symbol": GENES}, GENES)}),
    })  # fmt: skip


def summarized_experiment(kind="SummarizedExperiment"):
    """Version 1.2 and later: the assays have no names of their own, the object has."""
    columns = {"status": STATUS, "age": np.array([30.0, 41, 52, 63])}
    slots = {
        "colData": S4("DFrame", {"rownames": SAMPLES, "nrows": np.array([4], dtype=np.int32),
                                 "listData": columns}),
        "assays": S4("SimpleAssays", {"data": S4("SimpleList", {"listData": {
            "counts": Matrix(X.T, None, None), "logcounts": Matrix(np.log1p(X.T), None, None)}})}),
    }  # fmt: skip
    if kind == "SummarizedExperiment":
        return S4(kind, {**slots, "NAMES": GENES})
    ranges = S4("GRanges", {"ranges": S4("IRanges", {"NAMES": GENES})})
    return S4(kind, {**slots, "NAMES": None, "rowRanges": ranges})


@pytest.mark.parametrize("made", [
    expression_set(), expression_set(in_environment=False), summarized_experiment(),
    summarized_experiment("RangedSummarizedExperiment"),
])  # fmt: skip
def test_matrix_and_samples(made, tmp_path):
    write_rds(tmp_path / "t.rds", made)
    table = read_table(tmp_path / "t.rds", label="status")
    np.testing.assert_array_equal(table.X, X)
    assert (table.names, list(table.index)) == (GENES, SAMPLES)
    assert list(table.y) == STATUS
    assert list(read_table(tmp_path / "t.rds", label="age").y) == [30, 41, 52, 63]


@pytest.mark.parametrize(("made", "layer", "factor"), [
    (expression_set(), "se.exprs", lambda X: X / 9),
    (summarized_experiment(), "logcounts", np.log1p),
])  # fmt: skip
def test_another_assay(made, layer, factor, tmp_path):
    write_rds(tmp_path / "t.rds", made)
    np.testing.assert_allclose(read_table(tmp_path / "t.rds", layer=layer).X, factor(X))
    with pytest.raises(ValueError, match=layer):
        read_table(tmp_path / "t.rds", layer="none")


def test_what_is_not_read_gets_a_line_of_r(tmp_path):
    write_rds(tmp_path / "t.rds", S4("dgCMatrix", {"x": np.arange(3.0)}))
    with pytest.raises(ValueError, match=r"dgCMatrix.*write\.csv"):
        read_table(tmp_path / "t.rds")
