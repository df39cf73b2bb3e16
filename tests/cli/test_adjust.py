"""``--adjust``: what covariates explain is removed, against the formula of limma."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from typer.testing import CliRunner

from inffs.cli import build_app
from inffs.target import make_target
from inffs.validation.adjustment import Adjustment
from inffs.validation.preparation import Preparation


def remove_batch_effect(x, batch, covariates):
    """``removeBatchEffect(t(x), batch, covariates=covariates)`` of limma, line by line."""
    strata = np.unique(batch)
    coded = np.vstack([np.eye(strata.size - 1), -np.ones(strata.size - 1)])  # contr.sum
    effects = np.column_stack([coded[np.searchsorted(strata, batch)], covariates])
    whole = np.column_stack([np.ones(len(x)), effects])
    beta = np.linalg.lstsq(whole, x, rcond=None)[0][1:]
    return x - effects @ beta


@pytest.fixture
def cohort(rng):
    """Gene 2 follows the batch, gene 4 the age, gene 6 is higher in the ill of every batch."""
    batch = np.repeat(["A", "B", "C"], [40, 30, 20])
    ill = np.where(rng.uniform(size=90) < np.where(batch == "A", 0.7, 0.3), "ill", "well")
    age = rng.uniform(20, 80, size=90)
    X = rng.normal(size=(90, 10))
    X[:, 2] += 6.0 * (batch == "A")
    X[:, 4] += 0.2 * age
    X[:, 6] += 1.2 * (ill == "ill")
    frame = pd.DataFrame(X, columns=[f"g{place}" for place in range(10)])
    return frame.assign(batch=batch, age=age, ill=ill)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def one(*words, fails=0):
        done = CliRunner().invoke(build_app(), [str(word) for word in words])
        assert done.exit_code == fails, done.output
        return done

    return one


def test_residuals_are_those_of_limma_and_of_scikit_learn(cohort):
    X = cohort.filter(like="g").drop(columns="age").to_numpy()
    batch, age = cohort["batch"].to_numpy(), cohort["age"].to_numpy()
    found = Adjustment.of({"batch": batch, "age": age}).remove(X)
    limma = remove_batch_effect(X, batch, age[:, None])
    np.testing.assert_allclose(found - found.mean(axis=0), limma - limma.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=0), X.mean(axis=0))
    design = pd.get_dummies(cohort[["batch", "age"]], dtype=float)
    left = X - LinearRegression().fit(design, X).predict(design)
    np.testing.assert_allclose(found - X.mean(axis=0), left, atol=1e-9)


def test_diabetes_by_age_and_sex():
    X, _ = load_diabetes(return_X_y=True, scaled=False)
    sex, age, genes = X[:, 1].astype(int), X[:, 0], X[:, 2:]
    found = Adjustment.of({"sex": sex, "age": age}).remove(genes)
    limma = remove_batch_effect(genes, sex, age[:, None])
    np.testing.assert_allclose(found - found.mean(axis=0), limma - limma.mean(axis=0), atol=1e-8)


def test_text_alone_centres_within_its_strata(cohort):
    X = cohort[["g1", "g2"]].to_numpy()
    found = Adjustment.of({"batch": cohort["batch"].to_numpy()}).remove(X)
    within = X - pd.DataFrame(X).groupby(cohort["batch"]).transform("mean") + X.mean(axis=0)
    np.testing.assert_allclose(found, within)


def test_the_test_samples_of_a_fold_have_no_part(cohort):
    X = cohort[["g1", "g2", "g4"]].to_numpy()
    adjustment = Adjustment.of({"batch": cohort["batch"].to_numpy(), "age": cohort["age"]})
    train = np.arange(90) % 3 > 0
    rows = np.flatnonzero(train)
    changed = np.where(train[:, None], X, X * 100)
    for preparation in (Preparation(adjustment=adjustment),
                        Preparation(scale="standard", adjustment=adjustment)):  # fmt: skip
        np.testing.assert_allclose(
            preparation.of(X, rows)[train], preparation.of(changed, rows)[train]
        )
        assert not np.allclose(preparation.of(X)[train], preparation.of(X, rows)[train])


def test_the_ranking_and_the_files(cohort, run, tmp_path):
    cohort.to_csv("cohort.csv", index=False)
    asked = ("cohort.csv", "--label", "ill", "--method", "fisher")
    plain = run("rank", *asked, "--drop", "batch", "--top", "3").stdout
    assert "g2" in plain
    adjusted = run("rank", *asked, "--adjust", "batch,age").stdout.splitlines()
    assert adjusted[1].startswith("1,g6,")
    assert "age" not in "".join(adjusted)
    run("select", *asked, "--adjust", "batch,age", "--keep", "2", "-o", "out", "--folds", "3")
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["asked"]["adjust"] == "batch,age"
    assert any("batch, age" in note for note in told["notes"])
    ranking = pd.read_csv("out/ranking.csv").set_index("feature")
    assert ranking.loc["g2", "effect_p"] > 0.01
    assert "without --adjust" in (tmp_path / "out" / "report.html").read_text()


def test_a_numeric_target_is_adjusted_in_the_ranking_and_the_folds(cohort, run, tmp_path):
    dose = cohort["g6"] + 20.0 * (cohort["batch"] == "A") + cohort["age"] + 0.1 * cohort["g1"]
    frame = cohort.drop(columns="ill").assign(dose=dose)
    frame.to_csv("cohort.csv", index=False)
    asked = ("cohort.csv", "--label", "dose", "--method", "fisher", "--keep", "1", "--folds", "3")
    run("select", *asked, "--adjust", "batch,age", "-o", "out")
    ranking = pd.read_csv("out/ranking.csv").set_index("feature")
    assert ranking.index[0] == "g6"
    design = pd.get_dummies(frame[["batch", "age"]], dtype=float)
    both = frame[["g6", "dose"]]
    left = both - LinearRegression().fit(design, both).predict(design)
    assert ranking.loc["g6", "slope"] == pytest.approx(left.cov().iloc[0, 1] / left["g6"].var())
    found = json.loads((tmp_path / "out" / "run.json").read_text())["evaluation"]
    assert found["score"] > 0.9


def test_a_label_that_coincides_is_refused_and_a_mixture_is_named(cohort, run):
    site = np.where(cohort["ill"] == "ill", "north", "south")
    cohort.assign(site=site).to_csv("cohort.csv", index=False)
    asked = ("cohort.csv", "--label", "ill", "--method", "fisher", "--drop", "batch")
    refused = run("rank", *asked, "--adjust", "site", fails=2).stderr
    assert "'ill'" in refused
    assert "site" in refused
    site[:5] = "east"
    site[5:10] = "south"
    cohort.assign(site=site).to_csv("cohort.csv", index=False)
    assert "site explains" in run("rank", *asked, "--adjust", "site").stderr
    share = Adjustment.of({"site": site}).explained(make_target(cohort["ill"]))
    dummies = pd.get_dummies(pd.Series(site), dtype=float)
    ill = (cohort["ill"] == "ill").astype(float)
    assert share == pytest.approx(LinearRegression().fit(dummies, ill).score(dummies, ill))


def test_covariates_that_cannot_be_used(cohort, run):
    cohort.assign(name=[f"s{place}" for place in range(90)], one=1).to_csv("t.csv", index=False)
    asked = ("rank", "t.csv", "--label", "ill", "--drop", "batch", "--adjust")
    assert "'name' is different in every row" in run(*asked, "name", fails=1).stderr
    assert "'one' is the same" in run(*asked, "one", fails=1).stderr
    cohort.assign(patient=[f"p{place // 2}" for place in range(90)]).to_csv("t.csv", index=False)
    assert "patient have 45 strata" in run(*asked, "patient", fails=1).stderr
    cohort.loc[3, "g1"] = np.nan
    cohort.to_csv("t.csv", index=False)
    asked = ("rank", "t.csv", "--label", "ill", "--adjust", "batch", "--method", "fisher")
    assert "--impute" in run(*asked, fails=1).stderr
    run(*asked, "--impute", "median")
