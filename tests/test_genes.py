"""Genes of AnnData objects: what is written, where, and from which matrix."""

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import rankdata

import inffs


@pytest.fixture
def cells(rng):
    """90 cells of two kinds and three batches; genes 3 and 11 tell the kinds apart."""
    kind = np.tile(["B", "T"], 45)
    X = rng.poisson(2.0, size=(90, 30)).astype(np.float32)
    X[kind == "T", 3] += 6
    X[kind == "T", 11] += 4
    obs = pd.DataFrame({"kind": pd.Categorical(kind), "lab": np.repeat(["x", "y", "z"], 30)})
    obs.index = [f"cell{i}" for i in range(90)]
    var = pd.DataFrame(index=[f"gene{j}" for j in range(30)])
    return anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=var, layers={"log": np.log1p(X)})


def test_writes_what_the_selector_says(cells):
    before = cells.X.copy()
    assert inffs.select_genes(cells, "kind", n_top_genes=2) is None
    selector = inffs.InfFSC(n_features_to_select=2).fit(cells.X, cells.obs["kind"].astype(str))
    np.testing.assert_array_equal(cells.var["inffs_score"], selector.scores_)
    np.testing.assert_array_equal(cells.var["inffs_rank"], selector.ranking_)
    assert set(cells.var_names[cells.var["inffs_selected"]]) == {"gene3", "gene11"}
    assert cells.uns["inffs"]["method"] == "inf-fs-c"
    assert cells.uns["inffs"]["n_top_genes"] == 2
    assert (before != cells.X).nnz == 0


def test_without_labels_and_not_in_place(cells):
    frame = inffs.select_genes(cells, inplace=False)
    assert list(cells.var.columns) == []
    assert "inffs" not in cells.uns
    assert list(frame.index) == list(cells.var_names)
    expected = inffs.InfFSU().fit(cells.X)
    np.testing.assert_array_equal(frame["inffs_score"], expected.scores_)
    np.testing.assert_array_equal(frame["inffs_selected"], expected.support_)


def test_a_layer_and_a_method(cells):
    frame = inffs.select_genes(
        cells, "kind", layer="log", method="fisher", n_top_genes=0.1, inplace=False
    )
    expected = inffs.rank(cells.layers["log"], cells.obs["kind"].astype(str), method="fisher")
    np.testing.assert_array_equal(frame["inffs_score"], expected.scores_)
    assert frame["inffs_selected"].sum() == 3


def test_a_selector_with_constraints_on_gene_names(cells):
    selector = inffs.Constrained(
        inffs.InfFSS(n_features_to_select=3), include="gene2?", exclude="gene3", max_features=12
    )
    with pytest.raises(ValueError, match="include names 10 features, but at most 3"):
        inffs.select_genes(cells, "kind", method=selector)
    selector.set_params(include=["gene7"])
    inffs.select_genes(cells, "kind", method=selector)
    chosen = set(cells.var_names[cells.var["inffs_selected"]])
    assert len(chosen) == 3
    assert {"gene7", "gene11"} < chosen
    assert "gene3" not in chosen
    with pytest.raises(ValueError, match="n_top_genes"):
        inffs.select_genes(cells, "kind", method=selector, n_top_genes=5)


def test_batches_are_combined_as_scanpy_does(cells):
    """Kept in most batches first, then the best median place within the batches."""
    frame = inffs.select_genes(cells, "kind", batch_key="lab", n_top_genes=4, inplace=False)
    parts = [cells[cells.obs["lab"] == lab] for lab in "xyz"]
    alone = [inffs.select_genes(p, "kind", n_top_genes=4, inplace=False) for p in parts]
    counts = sum(part["inffs_selected"].astype(int) for part in alone)
    np.testing.assert_array_equal(frame["inffs_nbatches"], counts)
    median = np.median([part["inffs_rank"] for part in alone], axis=0)
    expected = rankdata(-1000 * counts + median, method="ordinal")
    np.testing.assert_array_equal(frame["inffs_rank"], expected)
    assert frame["inffs_selected"].sum() == 4
    assert set(frame.index[frame["inffs_nbatches"] == 3]) >= {"gene3", "gene11"}


def test_backed_files_are_read_and_survive_saving(cells, tmp_path):
    expected = inffs.select_genes(cells, "kind", inplace=False)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    pd.testing.assert_frame_equal(inffs.select_genes(backed, "kind", inplace=False), expected)
    inffs.select_genes(cells, "kind")
    cells.write_h5ad(tmp_path / "again.h5ad")
    again = anndata.read_h5ad(tmp_path / "again.h5ad")
    np.testing.assert_array_equal(again.var["inffs_rank"], expected["inffs_rank"])
    assert again.uns["inffs"]["key"] == "kind"


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ({"key": "sort"}, KeyError, r"no 'sort' \(key\); it has kind, lab"),
        ({"batch_key": "day"}, KeyError, r"no 'day' \(batch_key\)"),
        ({"layer": "raw"}, KeyError, "layers has no 'raw'; it has log"),
        ({"key": "lab", "batch_key": "lab"}, ValueError, r"Batch 'x' \(30 cells\): y has only one"),
    ],
)
def test_wrong_names_are_told(cells, words, error, said):
    with pytest.raises(error, match=said):
        inffs.select_genes(cells, **words)


def test_missing_labels_name_the_first_cell(cells):
    cells.obs["kind"] = cells.obs["kind"].where(np.arange(90) != 7)
    with pytest.raises(ValueError, match="missing for 1 of 90 cells, first 'cell7'"):
        inffs.select_genes(cells, "kind")


def test_other_things_are_refused(rng):
    with pytest.raises(TypeError, match=r"not ndarray: inffs\.rank takes"):
        inffs.select_genes(rng.normal(size=(5, 4)))


def test_fitting_an_anndata_names_the_function(cells):
    with pytest.raises(TypeError, match=r"inffs\.select_genes\(adata"):
        inffs.InfFSU().fit(cells)
