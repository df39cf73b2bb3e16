"""``inffs reproduce``, ``judge`` and ``datasets``, and the rounds they are made of."""

import numpy as np
import pytest

from inffs import catalogue
from inffs.arena.engine.contestants import find_contestants
from inffs.arena.engine.protocol import CARDINALITY, CNN_SIZES, FINE_CARDINALITY, OFFICIAL
from inffs.arena.engine.status import status
from inffs.arena.engine.store import Store
from inffs.arena.paper.suite import FINE, paper_rounds
from tests.command import on_a_terminal, run_inffs


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
    """The command runs them, tells what is left, and leaves to others what it cannot judge."""
    words = ["--datasets", "voc2007[path=voc.npz]", "--methods", "fisher", "--splits", 1]
    done = run_inffs(["reproduce", *words, "--sizes", 0.1, "--out", "run"], features)
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
    judged = run_inffs(["judge", "run", "--judge", "knn"], features)
    assert judged.returncode == 0, judged.stderr
    assert "voc2007 is left out: " in " ".join(judged.stderr.split())


def test_a_judge_that_nobody_knows(features):
    (features / "empty" / "parts").mkdir(parents=True)
    done = run_inffs(["judge", "empty", "--judge", "coin"], features)
    assert done.returncode == 2
    assert "no judge 'coin'; known: linear" in " ".join(done.stderr.split())
    assert run_inffs(["judge", "empty", "--judge", ","], features).returncode == 2
    assert "Nothing has been planned" in run_inffs(["status", "empty"], features).stderr


def test_tables_on_a_terminal(tmp_path):
    shown = on_a_terminal(["methods"], tmp_path)
    assert all(entry.key in shown for entry in catalogue())
    assert "─" in shown
    shown = on_a_terminal(["datasets"], tmp_path)
    assert "gisette" in shown
    assert "─" in shown


def rounds(spec, **options):
    chosen = tuple(find_contestants(["fisher", "mi", "inf-fs-s"]))
    return list(paper_rounds([spec], chosen, **options))


def test_large_sets_are_also_tried_from_few_features_to_all(features):
    paper, every, fine = rounds(f"voc2007[path={features / 'voc.npz'}]")
    assert (paper.protocol.sizes, paper.protocol.n_splits) == (CNN_SIZES, 5)
    assert (every.protocol.sizes, every.protocol.study) == (CARDINALITY, "cardinality")
    assert [each.key for each in every.contestants] == ["mi", "inf-fs-s"]
    assert all(each.grid == () for each in every.contestants)
    assert (fine.protocol.sizes, fine.protocol.study) == (FINE_CARDINALITY, FINE)
    assert [each.key for each in fine.contestants] == ["inf-fs-s"]
    assert len(rounds(f"voc2007[path={features / 'voc.npz'}]", sizes=(5,))) == 1


def test_an_official_test_part_is_a_round_of_its_own(features):
    official, paper = rounds(f"voc2007[path={features / 'official.npz'}]", splits=3, sizes=(5,))
    assert (official.protocol.study, official.protocol.n_splits) == (OFFICIAL, 1)
    assert (paper.protocol.study, paper.protocol.n_splits) == ("", 3)
