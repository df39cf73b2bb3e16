"""AnnData files through the command: what is read, and what a selection keeps of the file."""

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from typer.testing import CliRunner

import inffs
from inffs.cli import build_app
from inffs.io import read_table, write_table


@pytest.fixture
def cells(rng):
    """80 cells with everything an AnnData object may hold; gene 7 tells the kinds apart."""
    X = rng.poisson(1.0, size=(80, 25)).astype(np.float32)
    kind = np.arange(80) % 2
    X[:, 7] += 5 * kind
    obs = pd.DataFrame({"kind": pd.Categorical(np.array(["a", "b"])[kind]), "depth": X.sum(axis=1)})
    obs.index = [f"cell{i}" for i in range(80)]
    var = pd.DataFrame({"length": np.arange(25)}, index=[f"gene{j}" for j in range(25)])
    data = anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=var, uns={"lab": {"year": 2020}})
    data.obsm["umap"] = rng.normal(size=(80, 2))
    data.varm["loads"] = rng.normal(size=(25, 3))
    data.layers["log"] = np.log1p(X)
    data.obsp["near"] = sparse.csr_matrix(np.eye(80))
    return data


def run(*arguments):
    result = CliRunner().invoke(build_app(), ["select", *map(str, arguments), "-q", "--no-report"])
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize("layer", [None, pytest.param("log", marks=pytest.mark.slow)])
def test_a_selection_keeps_all_that_the_file_holds(layer, cells, tmp_path):
    cells.write_h5ad(tmp_path / "x.h5ad")
    told = [] if layer is None else ["--layer", layer]
    run(tmp_path / "x.h5ad", "-l", "kind", "-k", 3, "-o", tmp_path / "out", *told)
    found = anndata.read_h5ad(tmp_path / "out" / "selected.h5ad")
    X = cells.X if layer is None else cells.layers[layer]
    selector = inffs.InfFSC(n_features_to_select=3).fit(X, cells.obs["kind"].astype(str))
    kept = np.flatnonzero(selector.support_)
    assert 7 in kept
    assert list(found.var_names) == [f"gene{j}" for j in kept]
    np.testing.assert_allclose(found.var["inffs_score"], selector.scores_[kept])
    np.testing.assert_array_equal(found.var["inffs_rank"], selector.ranking_[kept])
    assert found.var["inffs_selected"].all()
    pd.testing.assert_frame_equal(found.obs, cells.obs)
    np.testing.assert_array_equal(found.var["length"], kept)
    np.testing.assert_array_equal(found.obsm["umap"], cells.obsm["umap"])
    np.testing.assert_array_equal(found.varm["loads"], cells.varm["loads"][kept])
    np.testing.assert_array_equal(found.layers["log"], cells.layers["log"][:, kept])
    np.testing.assert_array_equal(found.X.toarray(), cells.X.toarray()[:, kept])
    assert found.uns["lab"]["year"] == 2020
    assert found.obsp["near"].shape == (80, 80)


@pytest.mark.slow
def test_samples_that_a_second_file_leaves_out_are_left_out(cells, tmp_path):
    cells.write_h5ad(tmp_path / "x.h5ad")
    pheno = pd.DataFrame({"cell": cells.obs_names[::-1][:60], "ill": ["yes", "no"] * 30})
    pheno.to_csv(tmp_path / "pheno.csv", index=False)
    labels = ["--labels", tmp_path / "pheno.csv", "--on", "cell", "-l", "ill"]
    labels.append("--allow-missing-samples")
    run(tmp_path / "x.h5ad", *labels, "-k", 4, "-o", tmp_path / "out")
    found = anndata.read_h5ad(tmp_path / "out" / "selected.h5ad")
    assert found.shape == (60, 4)
    expected = cells[found.obs_names].obsm["umap"]
    np.testing.assert_array_equal(found.obsm["umap"], expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def test_equal_names_are_told_apart_by_their_order(cells, tmp_path):
    cells.var_names = ["same"] * 25
    cells.write_h5ad(tmp_path / "x.h5ad")
    table = read_table(tmp_path / "x.h5ad", label="kind")
    write_table(table, tmp_path / "y.h5ad")
    again = anndata.read_h5ad(tmp_path / "y.h5ad")
    np.testing.assert_array_equal(again.var["length"], np.arange(25))


@pytest.mark.slow
def test_a_layer_that_is_not_there_is_named(cells, tmp_path):
    cells.write_h5ad(tmp_path / "x.h5ad")
    with pytest.raises(ValueError, match=r"no layer 'counts'; its layers: .*log"):
        read_table(tmp_path / "x.h5ad", layer="counts")
    cells.X = None
    cells.write_h5ad(tmp_path / "empty.h5ad")
    with pytest.raises(ValueError, match=r"no matrix X: name a layer \(layer=\.\.\.\): .*log"):
        read_table(tmp_path / "empty.h5ad")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match="CSV files have no layer"):
        read_table(tmp_path / "t.csv", layer="log")
