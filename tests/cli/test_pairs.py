"""``--pair``: differences within pairs, against SciPy's paired tests."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, ttest_rel, wilcoxon
from typer.testing import CliRunner

from inffs.cli import build_app
from inffs.measures.effect_sizes import paired_effects
from inffs.validation.pairs import centred_in_pairs, pair_differences


@pytest.fixture
def cohort(rng):
    """Patients differ much; g3 is higher in every tumour, g7 lower, and the rest is noise."""
    patients = 4 * rng.normal(size=(30, 20))
    normal, tumour = (patients + rng.normal(size=(30, 20)) for _ in range(2))
    tumour[:, 3] += 1.5
    tumour[:, 7] -= 1.5
    frame = pd.DataFrame(np.vstack([normal, tumour]), columns=[f"g{place}" for place in range(20)])
    frame["patient"] = [f"p{place}" for place in range(30)] * 2
    frame["tissue"] = ["normal"] * 30 + ["tumour"] * 30
    return frame.sample(frac=1, random_state=0)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def one(*words, fails=0):
        done = CliRunner().invoke(build_app(), [str(word) for word in words])
        assert done.exit_code == fails, done.output
        return done

    return one


def halves(frame):
    """Both samples of every patient in the same order."""
    parts = [frame[frame.tissue == name].sort_values("patient") for name in ("normal", "tumour")]
    return [part.filter(like="g").to_numpy() for part in parts]


def test_differences_and_p_values_are_those_of_scipy(cohort):
    normal, tumour = halves(cohort)
    X = cohort.filter(like="g").to_numpy()
    codes, pairs = (cohort.tissue == "tumour").to_numpy().astype(int), cohort.patient.to_numpy()
    for table in (X, centred_in_pairs(X, pairs)):
        differences = pair_differences(table, codes, pairs)
        np.testing.assert_allclose(differences.mean(axis=0), (tumour - normal).mean(axis=0))
        found = paired_effects(differences, ["normal", "tumour"])
        np.testing.assert_allclose(found["effect_p"], wilcoxon(tumour, normal).pvalue)
        np.testing.assert_allclose(found["effect_q"], false_discovery_control(found["effect_p"]))
    assert pair_differences(X[1:], codes[1:], pairs[1:]) is None


def test_columns_without_differences_have_p_1():
    found = paired_effects(np.column_stack([np.zeros(6), np.arange(1.0, 7)]), ["a", "b"])
    assert found["effect_p"].tolist() == [1.0, wilcoxon(np.arange(1.0, 7)).pvalue]
    assert np.isnan(found["same_sign"][0])
    assert found["direction"].tolist() == [None, "high in b"]


def test_the_ranking_is_that_of_the_paired_t_test(cohort, run, tmp_path):
    cohort.to_csv("cohort.csv", index=False)
    asked = ("cohort.csv", "--label", "tissue", "--method", "fisher")
    run("select", *asked, "--pair", "patient", "--keep", "2", "-o", "out", "--folds", "3")
    ranking = pd.read_csv("out/ranking.csv")
    normal, tumour = halves(cohort)
    order = np.argsort(-np.abs(ttest_rel(tumour, normal).statistic), kind="stable")
    assert ranking["feature"].tolist() == [f"g{place}" for place in order]
    one = ranking.set_index("feature").loc["g3"]
    assert one["difference"] == pytest.approx((tumour - normal)[:, 3].mean())
    assert one["effect_p"] == pytest.approx(wilcoxon(tumour[:, 3], normal[:, 3]).pvalue)
    assert one["direction"] == "high in tumour"
    assert "auc" not in ranking
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["asked"]["pair"] == "patient"
    assert told["evaluation"]["folds"] == 3
    assert "--pair" in (tmp_path / "out" / "report.html").read_text()


def test_discoveries_are_found_by_sign_flips(cohort, run, tmp_path):
    """The patients hide from a test of all samples what the pairs show."""
    cohort.to_csv("cohort.csv", index=False)
    asked = ("cohort.csv", "--label", "tissue", "--goal", "discover", "--no-report")
    run("select", *asked, "--drop", "patient", "-o", "plain")
    run("select", *asked, "--pair", "patient", "-o", "paired")
    plain, paired = (
        json.loads((tmp_path / each / "run.json").read_text()) for each in ("plain", "paired")
    )
    assert not plain["cut"]["claimed"]
    assert {"g3", "g7"} <= set(paired["selection"]["features"])
    assert paired["cut"]["claimed"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--pair", "patient", "--group", "patient"], ["--pair", "--group"]),
        (["--pair", "tissue"], ["--pair", "normal"]),
        (["--pair", "alone"], ["--pair", "a0"]),
    ],
)
def test_pairs_that_cannot_be_used(cohort, run, words, names):
    cohort.assign(alone=[f"a{place}" for place in range(60)]).to_csv("cohort.csv", index=False)
    refused = run("rank", "cohort.csv", "--label", "tissue", "--drop", "patient",
                  "--drop", "alone", *words, fails=2).stderr  # fmt: skip
    assert all(name in refused for name in names)


def test_numbers_within_pairs(cohort, run):
    """A number is compared within its pair, too: a dose that differs between patients."""
    dose = 100 * cohort.patient.str[1:].astype(int) + 1.5 * cohort.g5
    cohort.assign(dose=dose).drop(columns="tissue").to_csv("cohort.csv", index=False)
    asked = ("cohort.csv", "--label", "dose", "--method", "fisher", "--top", "1")
    assert ",g5," in run("rank", *asked, "--pair", "patient").stdout
    assert ",g5," not in run("rank", *asked, "--drop", "patient").stdout
