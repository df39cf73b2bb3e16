"""``inffs apply``: the selected features of a run in a second cohort, against scikit-learn."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from typer.testing import CliRunner

from inffs.cli import build_app
from inffs.measures import concordance


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def one(*words, fails=0):
        done = CliRunner().invoke(build_app(), [str(word) for word in words])
        assert done.exit_code == fails, done.output
        return done

    return one


def halves(frame, tmp_path):
    """Two cohorts, the columns of the second in another order and with one of its own."""
    first, second = frame.iloc[::2], frame.iloc[1::2].iloc[:, ::-1]
    second.insert(1, "centre", "north")
    first.to_csv(tmp_path / "first.csv", index=False)
    second.to_csv(tmp_path / "second.csv", index=False)
    return first, second


@pytest.fixture
def tumours(tmp_path, run):
    frame = load_breast_cancer(as_frame=True).frame
    frame["target"] = np.where(frame["target"] == 1, "benign", "malignant")
    cohorts = halves(frame, tmp_path)
    run("select", "first.csv", "--label", "target", "--keep", "5", "-o", "run", "--no-report",
        "--scale", "standard")  # fmt: skip
    return cohorts


def read(path):
    return json.loads(Path(path).read_text())


def panel():
    return read("run/run.json")["selection"]["features"]


def test_the_columns_and_the_accuracy_of_a_model_trained_on_the_first(tumours, run):
    first, second = tumours
    done = run("apply", "run", "second.csv", "--label", "target", "-o", "out")
    names = panel()
    written = pd.read_csv("out/selected.csv")
    assert list(written.columns) == [*names, "target"] or set(written) == {*names, "target"}
    np.testing.assert_allclose(written[names], second[names])
    model = make_pipeline(
        StandardScaler(), LinearSVC(C=0.1, intercept_scaling=100, tol=1e-8, max_iter=100_000)
    ).fit(first[names], first["target"])
    found = read("out/apply.json")
    assert found["accuracy"] == pytest.approx(
        model.score(second[names], second["target"]), abs=1e-6
    )
    assert found["baseline"] == pytest.approx(np.mean(second["target"] == "benign"), abs=1e-6)
    assert f"{100 * found['accuracy']:.1f} %" in done.stdout


def test_without_a_label_the_columns_only(tumours, run):
    run("apply", "run", "second.csv", "-o", "out")
    assert list(pd.read_csv("out/selected.csv").columns) == panel()
    assert "score" not in read("out/apply.json")


def test_missing_features_are_named(tumours, run):
    _, second = tumours
    lost, *left = panel()
    second.drop(columns=lost).to_csv("short.csv", index=False)
    done = run("apply", "run", "short.csv", "-o", "out", fails=1)
    assert repr(lost) in done.stderr
    assert "--allow-missing-features" in done.stderr
    run("apply", "run", "short.csv", "-o", "out", "--allow-missing-features", "--label", "target")
    found = read("out/apply.json")
    assert (found["features"], found["missing_features"]) == (left, [lost])
    second[["target", "centre"]].to_csv("none.csv", index=False)
    run("apply", "run", "none.csv", "-o", "none", "--allow-missing-features", fails=1)


def test_missing_values_take_the_median_of_the_first_table(tumours, run):
    first, second = tumours
    name = panel()[0]
    holes, filled = second.copy(), second.copy()
    holes.iloc[:40, holes.columns.get_loc(name)] = np.nan
    filled.iloc[:40, filled.columns.get_loc(name)] = first[name].median()
    holes.to_csv("holes.csv", index=False)
    filled.to_csv("filled.csv", index=False)
    done = run("apply", "run", "holes.csv", "--label", "target", "-o", "no", fails=1)
    assert "--impute" in done.stderr
    run("apply", "run", "holes.csv", "--label", "target", "-o", "one", "--impute", "median")
    run("apply", "run", "filled.csv", "--label", "target", "-o", "two")
    found = [read(f"{each}/apply.json")["auc"] for each in ("one", "two")]
    assert found[0] == found[1]


def test_a_new_class_and_a_folder_that_is_none(tumours, run, tmp_path):
    _, second = tumours
    second.assign(target="unclear").to_csv("other.csv", index=False)
    assert "'unclear'" in run("apply", "run", "other.csv", "-l", "target", fails=1).stderr
    assert "run.json" in run("apply", tmp_path / "nowhere", "second.csv", fails=2).stderr


def test_numbers_are_those_of_ridge(tmp_path, run):
    frame = load_diabetes(as_frame=True).frame
    first, second = halves(frame, tmp_path)
    run("select", "first.csv", "--label", "target", "--target-type", "regression", "--keep", "4",
        "-o", "run", "--no-report")  # fmt: skip
    done = run("apply", "run", "second.csv", "--label", "target", "-o", "out")
    model = make_pipeline(StandardScaler(), Ridge(5.0)).fit(first[panel()], first["target"])
    found = read("out/apply.json")
    assert found["r2"] == pytest.approx(model.score(second[panel()], second["target"]), abs=1e-6)
    assert f"R2: {found['r2']:.3f}" in done.stdout


def test_survival_by_one_feature_is_its_concordance(tmp_path, run, rng):
    frame = pd.DataFrame(rng.normal(size=(160, 6)), columns=list("abcdef"))
    frame["days"] = np.ceil(100 * rng.exponential(size=160) * np.exp(-2 * frame["c"]))
    frame["died"] = (rng.uniform(size=160) < 0.7).astype(int)
    _, second = halves(frame, tmp_path)
    asked = ("--time", "days", "--event", "died")
    run("select", "first.csv", *asked, "--keep", "1", "-o", "run", "--no-report")
    done = run("apply", "run", "second.csv", *asked, "-o", "out")
    assert panel() == ["c"]
    share = concordance(second[["c"]].to_numpy(), second["days"], second["died"])[0]
    found = read("out/apply.json")
    assert found["concordance"] == pytest.approx(share, abs=1e-6)
    assert f"C-index: {share:.3f}" in done.stdout


def test_one_hot_columns(run, rng):
    frame = pd.DataFrame(
        {"sex": rng.permutation(np.repeat(["f", "m"], 30)), "x": np.arange(60) % 7}
    )
    frame["ill"] = np.where(frame["sex"] == "m", "yes", "no")
    frame.loc[:9, "ill"] = "no"
    frame.iloc[:40].to_csv("first.csv", index=False)
    frame.iloc[40:].to_csv("second.csv", index=False)
    run("select", "first.csv", "--label", "ill", "--encode", "onehot", "--keep", "2", "-o", "run",
        "--no-report", "--method", "fisher")  # fmt: skip
    assert set(panel()) == {"sex=f", "sex=m"}
    run("apply", "run", "second.csv", "--label", "ill", "-o", "out")
    assert read("out/apply.json")["accuracy"] == 1


def test_samples_as_columns(run, rng):
    values = pd.DataFrame(rng.normal(size=(50, 8)), columns=[f"g{place}" for place in range(8)])
    values["ill"] = (values["g3"] > 0).astype(int)
    values.insert(0, "sample", [f"s{place}" for place in range(50)])
    values[:30].T.to_csv("first.csv", header=False)
    values[30:].T.to_csv("second.csv", header=False)
    asked = ("--transpose", "--label", "ill")
    run("select", "first.csv", *asked, "--keep", "1", "-o", "run", "--no-report")
    run("apply", "run", "second.csv", *asked, "-o", "out")
    assert panel() == ["g3"]
    assert read("out/apply.json")["accuracy"] >= 0.8
