"""Several methods at once and stability selection, from the command line."""

import pandas as pd
import pytest

from tests.tables.make_files import write


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
    assert {"rank_fisher", "rank_relieff[n_neighbors=3]", "rank_mi", "p_value"} <= set(table)
    assert "fisher / mi" in done.stdout


def test_stability_selection_writes_frequencies(inffs, labelled_csv, tmp_path):
    done = inffs("select", *labelled_csv, "-m", "fisher", "--max-false", 1, "--folds", 0, "-o", "o")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "o" / "ranking.csv")
    assert table["frequency"].between(0, 1).all()
    assert table["frequency"].is_monotonic_decreasing


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
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
    assert "is supervised: name the column of classes" in done.stderr
