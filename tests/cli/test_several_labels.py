"""``--label a,b``: several columns of 0 and 1 or of numbers, against the same fit in Python."""

import json
from html import unescape

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from inffs import InfFSC, InfFSS
from inffs.cli import build_app


@pytest.fixture
def scenes(rng):
    frame = pd.DataFrame(rng.normal(size=(80, 12)), columns=[f"f{place}" for place in range(12)])
    frame["sea"] = (frame.f1 + 0.3 * rng.normal(size=80) > 0).astype(int)
    frame["sky"] = frame.f4 + 0.3 * rng.normal(size=80) > 0
    return frame


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def one(*words, fails=0):
        done = CliRunner().invoke(build_app(), [str(word) for word in words])
        assert done.exit_code == fails, done.output
        return done

    return one


def test_selection_files_and_a_second_table(scenes, run, tmp_path):
    scenes.to_csv("scenes.csv", index=False)
    asked = ("--label", "sea,sky")
    run(
        "select", "scenes.csv", *asked, "-m", "inf-fs-s", "--keep", "2", "-o", "out", "--folds", "3"
    )
    X, y = scenes.filter(like="f"), scenes[["sea", "sky"]].to_numpy().astype(int)
    selector = InfFSS(n_features_to_select=2).fit(X, y)
    ranking = pd.read_csv("out/ranking.csv")
    assert ranking["feature"].tolist() == [f"f{place}" for place in selector.order_]
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["asked"]["target_type"] == "multilabel"
    assert told["evaluation"]["measure"] == "mean_average_precision"
    assert told["evaluation"]["score"] > 0.9
    kept = pd.read_csv("out/selected.csv")
    assert set(kept) == {"sea", "sky", *told["selection"]["features"]}
    np.testing.assert_array_equal(kept[["sea", "sky"]], y)
    scenes.to_csv("second.csv", index=False)
    run("apply", "out", "second.csv", *asked, "-o", "again")
    found = json.loads((tmp_path / "again" / "apply.json").read_text())
    assert found["baseline"] == pytest.approx(y.mean(), abs=1e-6)
    assert found["mean_average_precision"] > 0.9


def test_the_printed_python_code_repeats_the_run(scenes, run, tmp_path):
    scenes.to_csv("scenes.csv", index=False)
    run("select", "scenes.csv", "--label", "sea,sky", "-m", "fisher", "--keep", "2", "-o", "out",
        "--folds", "0")  # fmt: skip
    page = (tmp_path / "out" / "report.html").read_text()
    code = unescape(page.partition('<pre id="python" tabindex="0">')[2].partition("</pre>")[0])
    space = {}
    exec(code, space)
    selected = json.loads((tmp_path / "out" / "run.json").read_text())["selection"]["features"]
    assert set(space["kept"]) == set(selected)


def test_a_column_with_a_comma_in_its_name_is_one_label(scenes, run):
    scenes.rename(columns={"sea": "sea,sky", "sky": "other"}).to_csv("scenes.csv", index=False)
    out = run("rank", "scenes.csv", "--label", "sea,sky", "-m", "fisher", "--top", "1").stdout
    assert out.splitlines()[1].startswith("1,f1,")


@pytest.fixture
def water(rng):
    """Two measurements, each associated with a feature of its own."""
    frame = pd.DataFrame(rng.normal(size=(80, 8)), columns=[f"f{place}" for place in range(8)])
    frame["depth"] = frame.f1 + 0.3 * rng.normal(size=80)
    frame["salt"] = 5 + frame.f4 + 0.3 * rng.normal(size=80)
    return frame


def test_several_numbers_are_one_target(water, run, tmp_path):
    water.to_csv("water.csv", index=False)
    X, y = water.filter(like="f").to_numpy(), water[["depth", "salt"]].to_numpy()
    ranked = run("rank", "water.csv", "--label", "depth,salt", "-m", "inf-fs-s").stdout
    expected = InfFSS(n_features_to_select=2, target_type="regression").fit(X, y)
    names = [line.split(",")[1] for line in ranked.splitlines()[1:]]
    assert names == [f"f{place}" for place in expected.order_]
    run("select", "water.csv", "--label", "depth,salt", "-o", "out")
    chosen = InfFSC(target_type="regression").fit(X, y)
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["asked"]["target_type"] == "regression"
    assert told["selection"]["features"] == [f"f{place}" for place in chosen.get_support(True)]
    assert {"f1", "f4"} <= set(told["selection"]["features"])
    assert told["evaluation"]["measure"] == "r2"
    scores = chosen.size_selection_.scores.mean(axis=0)
    at = chosen.size_selection_.sizes.tolist().index(chosen.n_features_)
    assert told["evaluation"]["score"] == pytest.approx(scores[at], abs=1e-4)
    kept = pd.read_csv("out/selected.csv")
    np.testing.assert_allclose(kept[["depth", "salt"]], y)
    assert "slope" not in pd.read_csv("out/ranking.csv")  # a feature has a slope for each target
    water.to_csv("second.csv", index=False)
    run("apply", "out", "second.csv", "--label", "depth,salt", "-o", "again")
    found = json.loads((tmp_path / "again" / "apply.json").read_text())
    assert found["r2"] > 0.8
    assert found["baseline"] == pytest.approx(0)


def test_whole_numbers_are_a_target_only_if_asked(water, run):
    water[["depth", "salt"]] = water[["depth", "salt"]].mul(10).round()
    water.to_csv("water.csv", index=False)
    words = ["rank", "water.csv", "--label", "depth,salt", "-m", "fisher"]
    assert "--target-type regression" in run(*words, fails=2).stderr
    found = run(*words, "--target-type", "regression").stdout.splitlines()
    assert {line.split(",")[1] for line in found[1:3]} == {"f1", "f4"}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--label", "sea,cloudy"], "'cloudy'"),
        (["--label", "sea,depth"], "'depth'"),
        (["--label", "sea,gap"], "'gap'"),
        (["--label", "f1,f2", "-m", "svm-rfe"], "numbers"),
        (["--label", "sea,sky", "--labels", "scenes.csv"], "--label"),
        (["--label", "sea,sky", "-m", "svm-rfe"], "several labels"),
        (["--label", "sea,cloud"], "'cloud'"),
    ],
)
def test_labels_that_cannot_be_used(scenes, run, words, name):
    odd = {"cloudy": "no", "depth": range(80), "gap": [np.nan, *[0.5] * 79]}
    for column in odd.keys() & words[1].split(","):
        scenes[column] = odd[column]
    scenes.to_csv("scenes.csv", index=False)
    done = CliRunner().invoke(build_app(), ["rank", "scenes.csv", *words])
    assert done.exit_code in (1, 2)
    assert name in done.stderr
    assert "Traceback" not in done.stderr
