"""Large tables stay on disk, and a cluster ranks them; the results are those of the plain way."""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from inffs.cli import build_app
from inffs.io import _read


@pytest.fixture
def table(tmp_path, rng):
    frame = pd.DataFrame(rng.normal(size=(40, 60))).add_prefix("gene")
    frame.insert(0, "patient", [f"p{row}" for row in range(40)])
    frame["diagnosis"] = np.where(frame["gene3"] + frame["gene5"] > 0, "case", "control")
    frame.to_parquet(tmp_path / "genes.parquet")
    return tmp_path / "genes.parquet"


def run(*words):
    result = CliRunner().invoke(build_app(), [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def select(table, out, *more):
    options = ["--label", "diagnosis", "--index", "patient", "--drop", "gene1?", "--out", out]
    return run("select", table, *options, *more)


def same_results(one, other):
    for name in ("ranking.csv", "selected.parquet"):
        read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
        pd.testing.assert_frame_equal(read(one / name), read(other / name), rtol=1e-9)


def test_a_large_table_stays_on_disk(table, tmp_path, monkeypatch):
    select(table, tmp_path / "plain", "--folds", "0", "--keep", "3")
    monkeypatch.setattr(_read, "available_memory", lambda: 1000.0)
    answer = select(table, tmp_path / "lazy", "--keep", "3")  # "auto" checks only what is in memory
    assert "stays on disk" in answer.output
    same_results(tmp_path / "plain", tmp_path / "lazy")
    page = (tmp_path / "lazy" / "report.html").read_text()
    assert "stays on disk, so the report does not evaluate it" in page


def test_npy_by_position(tmp_path, rng, monkeypatch):
    X = rng.normal(size=(40, 12))
    X[:, -1] = X[:, 2] > 0
    np.save(tmp_path / "X.npy", X)
    plain = run("rank", tmp_path / "X.npy", "--label", "-1")
    monkeypatch.setattr(_read, "available_memory", lambda: 1000.0)
    lazy = run("rank", tmp_path / "X.npy", "--label", "-1")
    read = [pd.read_csv(io.StringIO(answer.stdout)) for answer in (lazy, plain)]
    pd.testing.assert_frame_equal(*read, rtol=1e-12)
    assert "stays on disk" in lazy.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_ranks_it(table, tmp_path):
    distributed = pytest.importorskip("distributed")
    select(table, tmp_path / "plain", "--keep", "3", "--folds", "0")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        select(table, tmp_path / "cluster", "--keep", "3", "--dask", cluster.scheduler_address)
    same_results(tmp_path / "plain", tmp_path / "cluster")


@pytest.mark.slow
def test_no_cluster_at_the_address(table, tmp_path):
    import subprocess

    command = [sys.executable, "-m", "inffs", "select", table, "--label", "diagnosis"]
    command += ["--index", "patient", "--dask", "tcp://127.0.0.1:1", "--out", tmp_path / "x"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "no dask scheduler at tcp://127.0.0.1:1" in run.stderr
    assert "Traceback" not in run.stderr
