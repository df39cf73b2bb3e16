"""The tables that the pages name."""

import anndata
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer


@pytest.fixture
def breast_cancer_csv(tmp_path):
    """table.csv with the columns of scikit-learn's breast cancer data and a label, diagnosis.

    second.csv holds every third sample, symbols.csv a name for one column.
    """
    frame = load_breast_cancer(as_frame=True).frame.rename(columns={"target": "diagnosis"})
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    frame[::3].to_csv(tmp_path / "second.csv", index=False)
    (tmp_path / "symbols.csv").write_text("id,symbol\nworst area,AREA3\n")
    return path


@pytest.fixture
def patients_csv(tmp_path):
    """patients.csv: twelve columns of numbers, days and died."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 12)), columns=[f"g{j}" for j in range(12)])
    frame["days"], frame["died"] = rng.integers(1, 900, size=60), np.arange(60) % 3 > 0
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def pairs_csv(tmp_path):
    """pairs.csv: two samples of each patient."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 12)), columns=[f"g{j}" for j in range(12)])
    frame["patient"], frame["tissue"] = np.arange(40) // 2, ["normal", "tumour"] * 20
    path = tmp_path / "pairs.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def scenes_csv(tmp_path):
    """scenes.csv: numbers and two labels."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 12)), columns=[f"f{j}" for j in range(12)])
    frame["sea"], frame["sky"] = (frame["f0"] > 0).astype(int), (frame["f1"] > 0).astype(int)
    path = tmp_path / "scenes.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def big_parquet(tmp_path):
    """big.parquet: twenty numeric columns and a label."""
    columns = np.random.default_rng(0).normal(size=(40, 20))
    frame = pd.DataFrame(columns, columns=[f"g{j}" for j in range(20)])
    frame["label"] = np.arange(40) % 2
    path = tmp_path / "big.parquet"
    frame.to_parquet(path)
    return path


@pytest.fixture
def expression_csv(tmp_path):
    """expression.csv: samples and six genes; pheno.csv: their diagnoses in another order."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 6)), columns=[f"g{j}" for j in range(6)])
    frame.insert(0, "sample", [f"p{i}" for i in range(40)])
    path = tmp_path / "expression.csv"
    frame.to_csv(path, index=False)
    pheno = {"sample_id": frame["sample"][::-1], "diagnosis": ["ill", "well"] * 20}
    pd.DataFrame(pheno).to_csv(tmp_path / "pheno.csv", index=False)
    return path


@pytest.fixture
def cells_h5ad(tmp_path):
    """cells.h5ad: counts of 8 genes in 60 cells of two types, and their logarithms in a layer."""
    counts = np.random.default_rng(0).poisson(3.0, size=(60, 8)).astype(float)
    cells = anndata.AnnData(counts, layers={"log": np.log1p(counts)})
    cells.obs["kind"] = ["a", "b"] * 30
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    return path
