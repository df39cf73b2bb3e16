"""The report's pictures of numbers and survival times."""

import re

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inffs import InfFSS
from inffs.evaluation import make_folds
from inffs.io import Table
from inffs.measures import effects
from inffs.methods import SVMRFE, FisherScore
from inffs.report._feature_charts import (
    _bins,
    halves,
    scatter_chart,
    survival_chart,
)
from inffs.report._outputs import write_outputs
from inffs.report._report import Study
from inffs.target import as_survival, make_target
from tests.report.conftest import write_report


@pytest.fixture
def lives(rng):
    time = np.ceil(10 * rng.exponential(size=80))
    return as_survival(rng.uniform(size=80) < 0.6, time)


def test_halves_part_the_samples():
    assert halves(np.arange(10.0)).sum() == 5
    np.testing.assert_array_equal(halves(np.array([0, 0, 0, 1.0])), [False, False, False, True])
    np.testing.assert_array_equal(halves(np.array([0, 1, 1, 1.0])), [False, True, True, True])


def test_a_survival_chart_begins_at_one_and_never_rises(lives, rng):
    drawn = str(survival_chart(rng.normal(size=80), lives, "<gene>"))
    assert "&lt;gene&gt;" in drawn
    paths = re.findall(r'd="M([^"]*)" class="survival s[01]"', drawn)
    assert len(paths) == 2
    for path in paths:
        heights = [float(point.split(",")[1]) for point in path.split("L")]
        assert heights[0] == 12.0
        assert (np.diff(heights) >= 0).all()


def test_a_scatter_chart_stays_inside_its_frame(rng):
    x = rng.normal(size=600)
    y = 3 * x + rng.normal(size=600)
    y[5] = 1e9
    drawn = str(scatter_chart(x, y, "area", "price <EUR>"))
    assert "price &lt;EUR&gt;" in drawn
    dots = re.findall(r"M([\d.-]+),([\d.-]+)h0", drawn)
    assert len(dots) == 400
    places = np.array(dots, dtype=float)
    assert places[:, 0].min() >= 56
    assert places[:, 0].max() <= 290
    assert places[:, 1].min() >= 12
    assert places[:, 1].max() <= 164


def test_bins_of_a_column_of_few_values():
    assert np.unique(_bins(np.repeat([0.0, 1.0], 25), 5)).tolist() == [0, 1]
    assert not _bins(np.zeros(50), 5).any()


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 8))
    risk = X[:, [2, 5]].sum(axis=1)
    time = rng.exponential(size=100) * np.exp(-2 * risk)
    times = np.array(
        list(zip(rng.uniform(size=100) < 0.8, time, strict=True)),
        dtype=[("died", bool), ("days", float)],
    )
    return X, 3 * risk + rng.normal(size=100), times


def test_the_check_of_numbers_is_r2_by_hand(made):
    X, y, _ = made
    selector = InfFSS(n_features_to_select=2).fit(X, y)
    check = Study(selector, X, y, list("abcdefgh"), folds=4).check
    assert check.words.measure == "R2"
    assert check.baseline == 0
    target, wanted = make_target(y, "regression"), []
    for train, test in make_folds(target.strata(), 4):
        best = InfFSS(n_features_to_select=2).fit(X[train], y[train]).order_[:2]
        model = make_pipeline(StandardScaler(), Ridge(5.0)).fit(X[train][:, best], y[train])
        wanted.append(model.score(X[test][:, best], y[test]))
    np.testing.assert_allclose(check.kept, wanted)


def test_pages_of_numbers_and_of_survival_times(made, tmp_path):
    X, y, times = made
    for target, words in ((y, "R2"), (times, "C-index")):
        selector = FisherScore(n_features_to_select=2).fit(X, target)
        path = write_report(selector, X, target, tmp_path / f"{words}.html", folds=3)
        page = path.read_text()
        assert f"Cross-validated {words}" in page
        assert "ccuracy" not in re.sub(
            r"<script.*?</script>|accuracy(-how)?\"", "", page, flags=re.S
        )
        assert "frequent class" not in page
        assert "nan" not in page.lower().split("<script")[0]
    assert page.count('class="survival s1"') == 2
    best = selector.order_[0]
    found = effects(X, times)
    numbers = (found["hazard_ratio" + end][best] for end in ("", "_low", "_high"))
    assert "{:.3g} ({:.3g} to {:.3g})".format(*numbers) in page
    assert f"{found['concordance'][best]:.3f}</td>" in page
    assert "p (Cox)" in page
    assert "p (rank test)</th>" not in page
    numbers = (tmp_path / "R2.html").read_text()
    assert numbers.count("y against") == 2


def test_a_report_of_classes_has_accuracy_baseline_and_pictures(made, tmp_path):
    X, y, _ = made
    selector = FisherScore(n_features_to_select=2).fit(X, y > 0)
    page = write_report(selector, X, y > 0, tmp_path / "report.html", folds=3).read_text()
    assert "accuracy" in page
    assert "the most frequent class" in page
    assert 'id="h-classes"' in page


def test_whole_numbers_that_a_method_took_for_classes_stay_classes(rng):
    X, ages = rng.normal(size=(60, 4)), np.repeat(np.arange(30), 2)
    assert (
        Study(SVMRFE(n_features_to_select=2).fit(X, ages), X, ages, list("abcd")).target.type
        == "classification"
    )
    numbers = FisherScore(n_features_to_select=2, target_type="regression").fit(X, ages)
    assert Study(numbers, X, ages, list("abcd")).target.type == "regression"


def test_no_check_is_no_lack_of_labels(made):
    X, _, times = made
    study = Study(FisherScore().fit(X, times), X, times, list("abcdefgh"), folds=0)
    assert study.check is None
    assert not [finding for finding in study.findings if finding.key == "no-labels"]


def test_a_run_of_the_command_names_its_target(made, tmp_path):
    X, y, _ = made
    table = Table(X, list("abcdefgh"), y=y, label="price")
    study = Study(FisherScore(n_features_to_select=2).fit(X, y), X, y, table.names, folds=0)
    write_outputs(study, table, tmp_path / "run", run={"command": "inffs select t.csv"})
    assert "price by the first features" in (tmp_path / "run" / "report.html").read_text()
