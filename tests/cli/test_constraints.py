"""Several methods at once, stability selection and constraints, from the command line."""

import json
import re

import pandas as pd
import pytest

from tests.io.make_files import NAMES, write


@pytest.fixture
def labelled_csv(tmp_path):
    path, label, index, _ = write(".csv", tmp_path)
    return [path, "--label", label, *(["--index", index] if index else [])]


def test_several_methods_give_a_column_each_and_their_agreement(inffs, labelled_csv, tmp_path):
    methods = "fisher,relieff[n_neighbors=3],mi"
    done = inffs(
        "select", *labelled_csv, "-m", methods, "--consensus", "rra", "-k", 3, "--no-report",
        "-o", "out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "out" / "ranking.csv")
    assert {
        "rank_fisher",
        "rank_relieff[n_neighbors=3]",
        "rank_mi",
        "rra_p_value",
    } <= set(table)
    assert "fisher / mi" in done.stdout


def test_the_best_of_several_methods_is_named_and_drawn(inffs, labelled_csv, tmp_path):
    done = inffs(
        "select", *labelled_csv, "-m", "fisher,mi", "--consensus", "best", "-k", 3, "-o", "b"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "b" / "run.json").read_text("utf-8"))
    assert (told["class"], told["asked"]["consensus"]) == (
        "inffs.meta.best_of.BestOf",
        "best",
    )
    sentence = re.search(r"fisher is best on 5 folds: .* were asked for", done.stdout)[0]
    assert "Selected 3 of 8 features with fisher" in done.stdout
    page = (tmp_path / "b" / "report.html").read_text("utf-8")
    assert sentence in page
    assert "How far the methods agree" not in page


def test_stability_selection_writes_frequencies(inffs, labelled_csv, tmp_path):
    done = inffs("select", *labelled_csv, "-m", "fisher", "--max-false", 1, "--folds", 0, "-o", "o")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "o" / "ranking.csv")
    assert table["frequency"].between(0, 1).all()
    assert table["frequency"].is_monotonic_decreasing


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--group-score", "mean"], "--group-score needs groups"),
        (["--max-false", 0], "--max-false takes a number above 0, not 0."),
        (["-m", "fisher,fischer"], "no method 'fischer'"),
        (["-m", "fisher,"], ""),
    ],
)
def test_nonsense_is_wrong_usage(words, sentence, inffs, labelled_csv):
    done = inffs("rank", *labelled_csv, *words)
    assert done.returncode == (2 if sentence else 0), done.stderr
    assert sentence in done.stderr


def test_a_supervised_method_among_several_needs_a_label(inffs, labelled_csv):
    done = inffs("rank", labelled_csv[0], "-m", "inf-fs-u,fisher")
    assert done.returncode == 2
    assert "--label" in done.stderr


def test_constraints_reach_the_selector(inffs, labelled_csv, tmp_path):
    done = inffs(
        "select", *labelled_csv, "-k", 4, "--include", NAMES[7], "--exclude", NAMES[1],
        "--max-correlation", 0.9, "--no-report", "-o", "out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "out" / "ranking.csv").set_index("feature")
    assert table.kept[NAMES[7]]
    assert not table.kept[NAMES[1]]
    assert table.kept.sum() == 4
    assert "represented_by" in table
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run["asked"]["max_correlation"] == 0.9
    assert run["constraints"]["max_correlation"] == 0.9
    assert (run["method"], run["class"]) == ("inf-fs-c", "inffs.inf_fs_c.InfFSC")


def test_without_constraints_nothing_is_wrapped(inffs, labelled_csv, tmp_path):
    done = inffs("select", *labelled_csv, "-k", 4, "--folds", 0, "-o", "out")
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert "constraints" not in run
    assert run["class"] == "inffs.inf_fs_c.InfFSC"


def test_a_constraint_on_a_column_that_is_not_there(inffs, labelled_csv):
    done = inffs("rank", *labelled_csv, "--include", "nobody")
    assert done.returncode == 2
    assert "--include nobody" in done.stderr


def test_one_hot_columns_stay_together(inffs, tmp_path):
    frame = pd.DataFrame({"colour": ["red", "blue", "green"] * 10, "size": range(30)})
    frame["y"] = ["a", "b", "b"] * 10
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = inffs("rank", "t.csv", "--label", "y", "--encode", "onehot", "-k", 3, "--format", "json")
    assert done.returncode == 0, done.stderr
    kept = {row["feature"] for row in json.loads(done.stdout) if row["kept"]}
    assert kept == {"colour=red", "colour=blue", "colour=green"}
