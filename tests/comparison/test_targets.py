"""Comparisons of numbers and of survival times: methods, evaluators, recommendation."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

from inffs.comparison import compare, summary, write_run_report
from inffs.comparison.dataset import own_dataset
from inffs.comparison.methods import find_method
from inffs.comparison.page import best_of
from inffs.comparison.protocol import Protocol, evaluate, split
from inffs.comparison.standings import recommend
from inffs.comparison.store import Store
from inffs.comparison.trial import Trial, run_trial
from inffs.evaluation import Part
from inffs.target import make_target

PROTOCOL = Protocol(sizes=(3,), n_splits=2, evaluators=("ridge", "rbf", "knn"), automatic=False)


@pytest.fixture(scope="module")
def prices():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 12))
    return X, 100 + 10 * X[:, [1, 5, 8]].sum(axis=1) + 5 * rng.normal(size=90)


@pytest.fixture(scope="module")
def patients(prices):
    rng = np.random.default_rng(3)
    y = np.empty(90, dtype=[("died", bool), ("days", float)])
    y["died"] = rng.uniform(size=90) < 0.8
    y["days"] = rng.exponential(size=90) * np.exp(-1.5 * prices[0][:, [1, 5, 8]].sum(axis=1))
    return prices[0], y


def test_r2_is_that_of_the_ridge_on_the_test_part(prices):
    dataset = own_dataset(*prices)
    train, test = split(PROTOCOL, dataset.y, 0)
    part = Part(dataset.X, make_target(dataset.y), train, test)
    found = evaluate(PROTOCOL, part, [np.array([1, 5, 8])], evaluator="ridge")[0]
    A, B = part.standardised(np.array([1, 5, 8]))
    model = Ridge(1 / (2 * found["C"])).fit(A, dataset.y[train])
    assert found["r2"] == pytest.approx(r2_score(dataset.y[test], model.predict(B)))


def test_every_evaluator_of_numbers_gives_a_row_and_prefers_what_counts(prices):
    dataset = own_dataset(*prices)
    for key in ("fisher", "random"):
        rows = run_trial(dataset, Trial(find_method(key), 0, PROTOCOL))
        assert [row["evaluator"] for row in rows] == ["ridge", "rbf", "knn"]
        assert all((row["r2"] > 0.5) == (key == "fisher") for row in rows)


def test_methods_that_do_not_take_the_target_are_skipped_with_a_reason():
    assert find_method("svm-rfe").skip("regression") == "needs classes, not a regression target"
    assert find_method("mrmr").skip("survival") == "needs classes, not a survival target"
    assert not find_method("relieff").skip("regression")
    assert not find_method("inf-fs-u").skip("survival")


def test_whole_numbers_are_numbers_where_they_are_marked_or_many(prices):
    X, _ = prices
    grades = np.arange(90) % 6
    assert own_dataset(X, grades).target == "classification"
    assert own_dataset(X, grades, target_type="regression").target == "regression"
    assert own_dataset(X, np.arange(90) + 0.5).target == "regression"


def rows_of(dataset, evaluator, *keys):
    """Ten splits of some methods, without the processes of a run."""
    protocol = Protocol(sizes=(3,), evaluators=(evaluator,), automatic=False)
    trials = [Trial(find_method(key), number, protocol) for key in keys for number in range(10)]
    return pd.DataFrame([row for trial in trials for row in run_trial(dataset, trial)])


def test_the_recommendation_for_numbers(prices):
    frame = rows_of(own_dataset(*prices), "ridge", "all", "random", "fisher")
    frame["mean_average_precision"] = frame["balanced_accuracy"] = frame["accuracy"] = np.nan
    answer = recommend(frame, "table")
    assert (answer.method, answer.size, answer.measure) == ("fisher", 3, "R2")
    told = " ".join(answer.sentences())
    assert "R2 on new samples: 0." in told
    assert answer.majority is None
    table = best_of(summary.means(frame)).set_index("method")
    assert table.loc["fisher", "from"] < table.loc["fisher", "R2 (%)"] < table.loc["fisher", "to"]
    assert table.loc["random", "from"] < 0


def test_the_recommendation_for_survival_times(patients):
    frame = rows_of(own_dataset(*patients), "cox", "all", "mi")
    frame["mean_average_precision"] = frame["balanced_accuracy"] = frame["accuracy"] = np.nan
    answer = recommend(frame, "table")
    assert answer.measure == "C-index"
    assert 0.75 < answer.expected < answer.high <= 1
    assert "C-index on new samples: 0." in answer.sentences()[1]


@pytest.mark.slow
def test_a_whole_run_on_numbers(prices, tmp_path):
    methods = ["all", "random", "fisher", "svm-rfe"]
    answer = compare(*prices, tmp_path, methods=methods, sizes=(3,), splits=3)
    assert answer.method == "fisher"
    frame = Store(tmp_path).frame()
    assert set(frame["evaluator"].dropna()) == {"ridge"}
    assert set(frame.loc[frame["method"] == "svm-rfe", "reason"]) == {
        "needs classes, not a regression target"
    }
    page = write_run_report(tmp_path).read_text()
    assert "R2 (%)" in page
    assert "ccuracy against" not in page


@pytest.mark.slow
def test_a_whole_run_on_survival_times(patients, tmp_path):
    compare(*patients, tmp_path, methods=["all", "fisher"], sizes=(3,), splits=3)
    frame = Store(tmp_path).frame()
    assert frame["concordance"].between(0, 1).all()
    assert set(frame["evaluator"]) == {"cox"}


def test_an_evaluator_that_does_not_fit_is_refused(prices, tmp_path):
    with pytest.raises(ValueError, match="'linear' for regression; known: rbf, knn, ridge"):
        compare(*prices, tmp_path, evaluators=("linear",))
    with pytest.raises(ValueError, match=r"y is 2.5 in every row"):
        compare(prices[0], np.full(90, 2.5), tmp_path)
    names = np.array([f"patient {place}" for place in range(90)])
    with pytest.raises(ValueError, match="90 different values for 90 samples, as a sample name"):
        compare(prices[0], names, tmp_path)
