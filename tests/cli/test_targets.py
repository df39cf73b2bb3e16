"""Numbers and survival times from the command line."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from typer.testing import CliRunner

from inffs.cli import build_app
from inffs.cli._options import Method
from inffs.cli._pipeline import build


@pytest.fixture
def run():
    """The command in this process: many short runs."""

    def one(*words, fails=0):
        done = CliRunner().invoke(build_app(), [str(word) for word in words])
        assert done.exit_code == fails, done.output
        return done

    return one


@pytest.fixture
def houses(tmp_path):
    path = tmp_path / "houses.csv"
    load_diabetes(as_frame=True).frame.rename(columns={"target": "price"}).to_csv(path, index=False)
    return path


@pytest.fixture
def patients(tmp_path):
    """Two of twelve genes act on the hazard."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 12))
    frame = pd.DataFrame(X, columns=[f"g{place}" for place in range(12)])
    days = 300 * rng.exponential(size=120) * np.exp(-X[:, [3, 8]].sum(axis=1))
    frame.insert(4, "days", np.ceil(days).astype(int))
    frame["died"] = (rng.uniform(size=120) < 0.7).astype(int)
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def test_whole_numbers_of_many_values_are_classes_and_the_flag_is_named(run, houses):
    done = run("rank", houses, "--label", "price", "--top", "3", "--method", "fisher")
    assert "214" in done.stderr
    assert "--target-type regression" in done.stderr
    asked = ("--method", "fisher", "--target-type", "regression")
    told = run("rank", houses, "--label", "price", "--top", "3", *asked)
    assert told.stdout != done.stdout
    assert "--target-type" not in told.stderr


def test_few_whole_numbers_are_classes_unless_told(run, tmp_path, rng):
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    frame["grade"] = np.arange(60) % 6
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = ("rank", tmp_path / "t.csv", "--label", "grade", "--method", "fisher")
    plain, numbers = run(*asked), run(*asked, "--target-type", "regression")
    assert plain.stdout != numbers.stdout
    assert plain.stdout == run(*asked, "--target-type", "classification").stdout


def test_task_classes_takes_measured_numbers_for_classes(run, tmp_path, rng):
    frame = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    frame["age"] = np.repeat(np.arange(20, 45), 4)
    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    run("select", tmp_path / "t.csv", "--label", "age", "--target-type", "classification",
        "-o", out, "--no-report")  # fmt: skip
    assert json.loads((out / "run.json").read_text())["asked"]["target_type"] == "classification"


def test_survival_times_take_the_place_of_the_label(run, patients, tmp_path):
    out = tmp_path / "out"
    done = run("select", patients, "--time", "days", "--event", "died", "--keep", "2", "-o", out,
               "--no-report")  # fmt: skip
    assert "Target: days, died, survival times." in done.stdout
    ranking = pd.read_csv(out / "ranking.csv")
    assert set(ranking["feature"][:2]) == {"g3", "g8"}
    assert not {"days", "died"} & set(ranking["feature"])
    assert (ranking["hazard_ratio_low"][:2] > 1).all()
    assert (ranking["hazard_ratio"] < ranking["hazard_ratio_high"]).all()
    kept, whole = pd.read_csv(out / "selected.csv"), pd.read_csv(patients)
    assert set(kept.columns) == {"g3", "g8", "days", "died"}
    np.testing.assert_array_equal(kept[["days", "died"]], whole[["days", "died"]])


def test_event_codes_of_r(run, patients, tmp_path):
    coded = pd.read_csv(patients)
    asked = ("--time", "days", "--event", "died")
    plain = run("rank", patients, *asked)
    coded["died"] += 1
    coded.to_csv(tmp_path / "coded.csv", index=False)
    done = run("rank", tmp_path / "coded.csv", *asked)
    frames = [pd.read_csv(io.StringIO(each.stdout)) for each in (done, plain)]
    pd.testing.assert_frame_equal(*frames)
    assert "2 is the event" in done.stderr
    coded.loc[7, "died"] = 3
    coded.to_csv(tmp_path / "coded.csv", index=False)
    assert "The event 'died'" in run("rank", tmp_path / "coded.csv", *asked, fails=1).stderr


def test_numbers_are_written_as_they_were(run, houses, tmp_path):
    out = tmp_path / "out"
    done = run("select", houses, "--label", "price", "--target-type", "regression",
               "--keep", "3", "-o", out, "--no-report")  # fmt: skip
    assert "Target: price, numbers (regression)." in done.stdout
    np.testing.assert_array_equal(
        pd.read_csv(out / "selected.csv")["price"], pd.read_csv(houses)["price"]
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--time", "days"], "--time needs --event: survival times are two columns."),
        (["--event", "died"], "--event needs --time: survival times are two columns."),
        (["--time", "days", "--event", "died", "--label", "g1"], "--label"),
        (["--target-type", "survival", "--label", "died"], "needs the columns --time and --event"),
        (["--time", "days", "--event", "died", "--target-type", "regression"], "regression"),
        (["--time", "days", "--event", "died", "--method", "relieff"],
         "relieff does not take survival times; these methods do: inf-fs-s, mi, fisher."),
        (["--label", "days", "--method", "svm-rfe", "--target-type", "regression"],
         "svm-rfe does not take numbers"),
        (["--time", "days", "--event", "died", "--labels", "other.csv"], "labels"),
    ],
)  # fmt: skip
def test_wrong_usage_is_told(run, patients, words, sentence):
    done = run("rank", patients, *words, fails=2)
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("time", "event", "sentence"),
    [
        ("g1", "died", "The time 'g1' is -"),
        ("days", "g1", "it takes 1 (the event happened) and 0 (censored)"),
        ("day", "died", "no column 'day' for the time. Did you mean 'days'"),
        ("days", "dead", "no column 'dead' for the event"),
    ],
)
def test_wrong_columns_are_told(run, patients, time, event, sentence):
    assert sentence in run("rank", patients, "--time", time, "--event", event, fails=1).stderr


@pytest.mark.parametrize(
    ("labelled", "task", "key"),
    [(True, "auto", "inf-fs-c"), (True, "classification", "inf-fs-c"),
     (True, "regression", "inf-fs-c"),
     (True, "survival", "inf-fs-s"), (False, "auto", "inf-fs-u")],
)  # fmt: skip
def test_the_method_follows_from_the_target(labelled, task, key):
    spec, _ = build(Method(), labelled, task)
    assert spec.key == key


def test_a_goal_decides_how_many_are_kept(run, tmp_path, rng):
    """The page and the terminal state the accuracy that decided on the size."""
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 12))
    X[:, :3] += 1.5 * y[:, None]
    table = tmp_path / "t.csv"
    names = ",".join([*(f"g{j}" for j in range(12)), "d"])
    np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=names, comments="")
    out = tmp_path / "out"
    for goal, cut in (("predict", "predict"), ("discover", "fdr")):
        run("select", table, "--label", "d", "--goal", goal, "--out", out, "--force", "--no-report")
        assert f'"{cut}"' in (out / "run.json").read_text("utf-8")
    run("select", table, "--label", "d", "--goal", "predict", "--keep", 3, fails=2)


def test_groups_stay_together(run, tmp_path):
    """Twenty patients of five samples each, without a signal: nothing is claimed."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 5)
    X = rng.normal(size=(20, 30))[patient] + 0.05 * rng.normal(size=(100, 30))
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(30)])
    frame["patient"] = [f"p{each}" for each in patient]
    frame["d"] = rng.permutation(np.arange(20) % 2)[patient]
    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    run("select", tmp_path / "t.csv", "-l", "d", "--group", "patient", "--out", out)
    kept = pd.read_csv(out / "selected.csv")
    assert "patient" not in kept.columns
    found = json.loads((out / "run.json").read_text("utf-8"))
    assert kept.shape[1] <= 3  # names, one feature, the label
    assert found["cut"]["claimed"] is False
    ranked = run("rank", tmp_path / "t.csv", "-l", "d", "--group", "patient").stdout
    assert "patient" not in ranked
