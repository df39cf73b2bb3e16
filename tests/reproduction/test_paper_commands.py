"""The commands of the reproduction, and the rounds they are made of."""

import os

import numpy as np
import pytest

from inffs import catalogue
from inffs.comparison import compare
from inffs.comparison.methods import find_methods
from inffs.comparison.protocol import OFFICIAL
from inffs.comparison.runner import status
from inffs.comparison.store import LINES, Store
from reproduction.atoms import ALL_ATOMS, OWN
from reproduction.datasets import DataError, load_spec
from reproduction.suite import (
    CARDINALITY,
    CNN_SIZES,
    FINE,
    FINE_CARDINALITY,
    paper_rounds,
    reproduce,
)
from tests.command import on_a_terminal, run_inffs, run_reproduction


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    """A folder with voc.npz: three labels, each carried by a feature; an official test part."""
    folder = tmp_path_factory.mktemp("voc")
    rng = np.random.default_rng(0)
    Y = np.eye(3, dtype=int)[np.arange(45) % 3]
    X = rng.normal(size=(45, 40))
    X[:, :3] += 4 * Y
    np.savez(folder / "voc.npz", X=X, Y=Y)
    np.savez(folder / "official.npz", X=X, Y=Y, test=np.arange(45) % 5 == 0)
    return folder


def test_reproduce_on_features_of_ones_own(features):
    """The command runs them, tells what is left, and leaves to others what it cannot evaluate."""
    words = ["--datasets", "voc2007[path=voc.npz]", "--methods", "fisher", "--splits", 1]
    done = run_reproduction(["run", *words, "--sizes", 0.1, "--out", "run"], features)
    assert done.returncode == 0, done.stderr
    assert "All is done." in done.stderr
    state = status(features / "run").set_index("setting").loc["paper"]
    assert (state["done"], state["skipped"], state["left"]) == (1, 0, 0)
    rows = Store(features / "run").frame()
    tenth = rows[rows["asked"] != "auto"].iloc[0]
    assert tenth["n_features"] == 4
    assert set(tenth["selected"]) >= {0, 1, 2}
    shown = on_a_terminal(["status", "run"], features)
    assert "hours left" in shown
    assert "voc2007" in shown
    evaluated = run_reproduction(["evaluate", "run", "--evaluator", "knn"], features)
    assert evaluated.returncode == 1
    assert "voc2007 is left out: " in " ".join(evaluated.stderr.split())


def test_an_unknown_evaluator(features):
    (features / "empty").mkdir()
    (features / "empty" / LINES).touch()
    done = run_reproduction(["evaluate", "empty", "--evaluator", "coin"], features)
    assert done.returncode == 2
    assert "no evaluator 'coin'; known: linear" in " ".join(done.stderr.split())
    assert run_reproduction(["evaluate", "empty", "--evaluator", ","], features).returncode == 2
    assert "No run" in run_inffs(["status", "empty"], features).stderr


def test_tables_on_a_terminal(tmp_path):
    shown = on_a_terminal(["methods"], tmp_path)
    assert all(entry.key in shown for entry in catalogue())
    assert "─" in shown
    shown = on_a_terminal(["datasets"], tmp_path, run_reproduction)
    assert "gisette" in shown
    assert "─" in shown


def rounds(spec, **options):
    chosen = tuple(find_methods(["fisher", "mi", "inf-fs-s"]))
    return list(paper_rounds([spec], chosen, **options))


def test_large_sets_are_also_tried_from_few_features_to_all(features):
    paper, every, fine = rounds(f"voc2007[path={features / 'voc.npz'}]")
    assert (paper.protocol.sizes, paper.protocol.n_splits) == (CNN_SIZES, 5)
    assert (every.protocol.sizes, every.protocol.study) == (CARDINALITY, "cardinality")
    assert [each.key for each in every.methods] == ["mi", "inf-fs-s"]
    assert all(each.grid == () for each in every.methods)
    assert (fine.protocol.sizes, fine.protocol.study) == (FINE_CARDINALITY, FINE)
    assert [each.key for each in fine.methods] == ["inf-fs-s"]
    assert len(rounds(f"voc2007[path={features / 'voc.npz'}]", sizes=(5,))) == 1


def test_an_official_test_part_is_a_round_of_its_own(features):
    official, paper = rounds(f"voc2007[path={features / 'official.npz'}]", splits=3, sizes=(5,))
    assert (official.protocol.study, official.protocol.n_splits) == (OFFICIAL, 1)
    assert (paper.protocol.study, paper.protocol.n_splits) == ("", 3)


def test_datasets_are_listed(tmp_path):
    listed = run_reproduction(["datasets"], tmp_path).stdout.splitlines()
    assert len(listed) == 14
    near = run_reproduction(["datasets", "colin"], tmp_path)
    assert near.returncode == 1
    assert "Did you mean colon" in near.stderr
    assert "sha256: 76ea2ffa" in run_reproduction(["datasets", "colon"], tmp_path).stdout


@pytest.mark.slow
@pytest.mark.skipif("INFFS_DATA" not in os.environ, reason="INFFS_DATA names no folder")
def test_quick_reproduction_from_data_to_page(tmp_path):
    answer = run_reproduction(["run", "--quick", "--jobs", 2, "--out", "quick"], tmp_path)
    assert answer.returncode == 0, answer.stderr
    state = status(tmp_path / "quick").set_index("dataset")
    assert state["done"].to_dict() == {"colon": 8, "madelon": 8}
    page = (tmp_path / "quick" / "reproduction.md").read_text(encoding="utf-8")
    assert page.count('<span class="verdict') == 2 * len((*ALL_ATOMS, *OWN))
    assert (tmp_path / "quick" / "reproduction").is_dir()
    evaluated = run_reproduction(["evaluate", "quick", "--evaluator", "knn"], tmp_path)
    assert "colon (paper): 8 trials evaluated." in evaluated.stdout, evaluated.stderr


def test_reproduce_leaves_out_what_cannot_be_had(tmp_path, monkeypatch):
    monkeypatch.delenv("INFFS_DATA", raising=False)
    notes = []
    with pytest.raises(DataError, match="INFFS_DATA"):
        reproduce(tmp_path, names=["voc2007"], methods=["fisher"], note=notes.append)
    assert notes[0].startswith("voc2007 is left out: VOC2007_CNN4096.npz has no public address")
    assert status(tmp_path).empty


def test_unknown_option_of_a_data_set():
    with pytest.raises(ValueError, match="has no option 'lag'"):
        load_spec("colon[lag=true]")


def test_a_run_of_nothing_fails(tmp_path):
    """No data set can be loaded, or the folder is one of `inffs compare`."""
    (tmp_path / "none").mkdir()
    words = ["run", "--datasets", "voc2007", "--methods", "fisher", "--out", "run"]
    done = run_reproduction(words, tmp_path, env={"INFFS_DATA": str(tmp_path / "none")})
    assert done.returncode == 1
    assert "voc2007 is left out" in " ".join(done.stderr.split())
    assert "All is done" not in done.stderr
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.arange(40) % 2
    compare(X, y, tmp_path / "own", methods=["fisher"], sizes=(2,), splits=1)
    evaluated = run_reproduction(["evaluate", "own", "--evaluator", "knn"], tmp_path)
    assert evaluated.returncode == 1
    assert "Traceback" not in evaluated.stderr
