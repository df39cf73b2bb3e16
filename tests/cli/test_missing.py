"""Missing values, from the command line."""

import json

import numpy as np
import pandas as pd
import pytest

from inffs import InfFSC


@pytest.fixture
def gaps(tmp_path, rng):
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 6)) + 2 * y[:, None] * (np.arange(6) < 2)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:40, 3] = np.nan
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=np.array(["no", "yes"])[y])
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    return frame


def test_gaps_are_left_out_and_kept_in_the_files(inffs, gaps, tmp_path):
    done = inffs("select", "gaps.csv", "-l", "y", "--missing", "ignore", "-k", 2, "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "values are missing and stay so in the table." in done.stderr
    assert "Column 'd' has 1" in done.stderr
    assert "Warning" not in done.stderr
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv").set_index("feature")
    with pytest.warns(UserWarning, match="Column 'd'"):
        selector = InfFSC(n_features_to_select=2, missing="ignore").fit(
            gaps.drop(columns="y"), gaps.y
        )
    np.testing.assert_allclose(ranking.score[list("abcdef")], selector.scores_, rtol=1e-9)
    assert (ranking[["fisher", "auc", "effect_p", "mean_abs_correlation"]].notna()).all(axis=None)
    selected = pd.read_csv(tmp_path / "out" / "selected.csv")
    pd.testing.assert_frame_equal(selected, gaps[[*"ab", "y"]], check_dtype=False)
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert run["asked"]["missing"] == "ignore"
    assert "missing = ignore" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.filterwarnings("ignore:Column 'd'")
def test_a_cut_that_ranks_parts_leaves_out_missing_values(inffs, gaps):
    done = inffs(
        "rank", "gaps.csv", "-l", "y", "--missing", "ignore", "-k", "stability", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    selector = InfFSC(missing="ignore", n_features_to_select="stability")
    selector.fit(gaps.drop(columns="y"), gaps.y)
    kept = {row["feature"] for row in json.loads(done.stdout) if row["kept"]}
    assert kept == set(selector.get_feature_names_out())
    assert selector.cut_.name == "stability"


def test_medians_for_a_method_that_needs_every_value(inffs, gaps):
    done = inffs("rank", "gaps.csv", "-l", "y", "-m", "relieff", "--impute", "median")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        ([], "leave them out (--missing ignore)", 1),
        (
            ["--missing", "ignore", "-m", "relieff"],
            "relieff needs every value: fill them in with --impute median",
            2,
        ),
        (["--missing", "ignore", "--impute", "knn"], "Give --impute or --missing, not both", 2),
    ],
)
def test_one_sentence(words, sentence, code, inffs, gaps):
    done = inffs("rank", "gaps.csv", "-l", "y", *words)
    assert done.returncode == code
    assert sentence in done.stderr
