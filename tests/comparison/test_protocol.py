"""The protocol: splits, sizes, no leak from the test part, and the choices made in training."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import average_precision_score, r2_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

from inffs import catalogue
from inffs.comparison import methods as compared
from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import TUNED, as_text
from inffs.comparison.protocol import Protocol, evaluate, split
from inffs.comparison.trial import PeakMemory, Trial, prepare, run_trial, select
from inffs.evaluation import LinearSVM, Part, find_evaluator, make_folds
from inffs.evaluation.assess import choose
from inffs.evaluation.metrics import sample_scores
from inffs.target import make_target
from reproduction.compared import find_method, find_methods
from reproduction.suite import CARDINALITY, FINE_CARDINALITY
from tests.quick import quick_params

QUICK = Protocol(sizes=(2, 5), n_splits=2, Cs=(0.1, 1.0), folds=3)


def planted(T=90, n=30, informative=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :informative] += 2.5 * y[:, None]
    return Dataset("planted", X, y, [f"x{j}" for j in range(n)])


def test_paper_numbers():
    protocol = Protocol()
    assert protocol.sizes == (10, 50, 100, 150, 200)
    assert (protocol.n_splits, protocol.test_size, protocol.folds) == (20, 0.3, 5)
    np.testing.assert_allclose(protocol.Cs, [1e-3, 1e-2, 1e-1, 1, 10])
    assert CARDINALITY[0] == 0.05
    assert CARDINALITY[-1] == 1.0
    assert (FINE_CARDINALITY[0], FINE_CARDINALITY[1], FINE_CARDINALITY[-1]) == (0.25, 0.255, 0.45)


def test_sizes_as_asked():
    assert Protocol().asked(120) == {"10": 10, "50": 50, "100": 100, "auto": "auto"}
    assert Protocol(sizes=(0.05, 1.0), automatic=False).asked(4096) == {"5%": 205, "100%": 4096}


def test_split_is_stratified_and_repeatable():
    y = np.repeat(["a", "b"], [40, 22])
    train, test = split(Protocol(), y, 3)
    assert len(test) == 19
    assert np.sum(y[test] == "b") == 7
    assert np.intersect1d(train, test).size == 0
    again = split(Protocol(), y, 3)
    np.testing.assert_array_equal(again[0], train)
    assert not np.array_equal(split(Protocol(), y, 4)[1], test)


@pytest.mark.parametrize(("sizes", "rounds"), [((20, 25), 2), ((30, 4), 2)])
def test_folds_test_every_sample_equally_often(sizes, rounds):
    """As scikit-learn's folds do; a class of four allows four."""
    y, protocol = np.repeat([0, 1], sizes), Protocol(test_folds=5)
    count = min(5, *sizes)
    splits = [split(protocol, y, number) for number in range(rounds * count)]
    tested = np.concatenate([test for _, test in splits])
    assert (np.bincount(tested, minlength=y.size) == rounds).all()
    assert all(np.intersect1d(*parts).size == 0 for parts in splits)
    theirs = StratifiedKFold(count, shuffle=True, random_state=1).split(y, y)
    for (_, test), (_, expected) in zip(splits[count:], theirs, strict=True):
        np.testing.assert_array_equal(test, expected)


@pytest.mark.parametrize(
    ("scale", "scaler"),
    [("robust", RobustScaler), ("range", MinMaxScaler), ("standard", StandardScaler)],
)
def test_scale_is_learned_from_the_training_part_and_is_what_methods_see(scale, scaler):
    dataset = planted()
    protocol = replace(QUICK, scale=scale)
    train, _ = split(protocol, dataset.y, 0)
    expected = scaler().fit(dataset.X[train])
    filled = prepare(dataset.X, train, scale)
    np.testing.assert_allclose(filled, expected.transform(dataset.X))
    for key in ("variance", "relieff"):  # one that sees raw columns, one that is standardised
        four = replace(protocol, sizes=(4,), automatic=False)
        (row,) = run_trial(dataset, Trial(find_method(key), 0, four))
        selector = find_method(key).estimator(n_features_to_select=4)
        seen = expected.transform(dataset.X[train])
        selector.fit(seen, dataset.y[train] if key == "relieff" else None)
        assert row["selected"] == selector.order_[:4].tolist()


def test_old_results_keep_their_names():
    """Fields that came later do not change the name of what was run without them."""
    assert set(Protocol().identity()) == {
        "sizes", "test_size", "Cs", "folds", "automatic", "tuned", "study", "seed",
    }  # fmt: skip
    assert Protocol(scale="range").identity()["scale"] == "range"


def test_samples_add_up_to_the_measure():
    dataset = planted()
    for row in run_trial(dataset, Trial(find_method("fisher"), 0, QUICK)):
        _, test = split(QUICK, dataset.y, 0)
        assert row["tested"] == test.tolist()
        assert np.mean(row["sample_scores"]) == pytest.approx(row["accuracy"])
    rng = np.random.default_rng(0)
    target = make_target(rng.normal(size=30))
    outputs, rows = rng.normal(size=(20, 1)), np.arange(20)
    scores = sample_scores(target, outputs, rows)
    assert scores.mean() == pytest.approx(r2_score(target.values[rows], outputs[:, 0]), rel=1e-5)


def test_groups_are_the_units_that_are_tested():
    patients = np.repeat(np.arange(15), 4)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), patients % 2
    dataset = Dataset("t", X, y, list("abcdef"), groups=patients)
    row = run_trial(dataset, Trial(find_method("variance"), 1, QUICK))[0]
    _, test = split(QUICK, y, 1, patients)
    assert row["tested"] == patients[test].tolist()


def test_groups_stay_together():
    patients = np.repeat(np.arange(30), 3)
    y = (patients % 2).astype(int)
    for number in range(5):
        train, test = split(Protocol(), y, number, patients)
        assert np.intersect1d(patients[train], patients[test]).size == 0
        assert set(y[test]) == {0, 1}
        for fit, held in make_folds(y[train], groups=patients[train]):
            assert np.intersect1d(patients[train][fit], patients[train][held]).size == 0


def test_inner_folds_follow_small_classes():
    y = np.repeat([0, 1], [20, 3])
    folds = make_folds(y)
    assert len(folds) == 3
    assert all((y[train] == 1).any() and (y[held] == 1).any() for train, held in folds)
    assert len(make_folds(y, 1)) == 1


def test_imputation_uses_the_training_median():
    X = np.array([[1.0, np.nan], [3.0, 4.0], [np.nan, 8.0], [np.nan, 100.0]])
    for table in (X, sparse.csr_matrix(X)):
        filled = prepare(table, np.arange(3))
        assert filled[3, 0] == 2.0
        assert filled[0, 1] == 6.0


def test_shuffled_labels_give_chance_accuracy():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 1000))
    y = rng.permutation(np.arange(60) % 2)
    dataset = Dataset("noise", X, y, [str(j) for j in range(1000)])
    protocol = Protocol(sizes=(10,), Cs=(0.1,), folds=2, automatic=False)
    for key in ("fisher", "inf-fs-s", "inf-fs-u"):
        trials = [Trial(find_method(key), number, protocol) for number in range(6)]
        rows = [row for trial in trials for row in run_trial(dataset, trial)]
        assert 0.35 < np.mean([row["accuracy"] for row in rows]) < 0.65, key
    everything = find_method("fisher")  # a selection that saw the test part: the test can tell
    picked = select(everything, X, y, {"10": 10}, protocol)[0]["selected"]
    leaked = Dataset("leaked", X[:, picked], y, [str(j) for j in range(10)])
    rows = [run_trial(leaked, Trial(find_method("all"), k, protocol))[0] for k in range(6)]
    assert np.mean([row["accuracy"] for row in rows]) > 0.75


def test_a_copy_of_the_test_labels_is_not_found():
    dataset = planted()
    for number in range(2):
        train, test = split(QUICK, dataset.y, number)
        X = dataset.X.copy()
        X[test, 29] = 10.0 * dataset.y[test]
        X[train, 29] = np.random.default_rng(number).normal(size=train.size) / 10
        leaky = Dataset("leaky", X, dataset.y, dataset.names)
        for key in ("fisher", "inf-fs-s", "inf-fs-u", "variance"):
            for row in run_trial(leaky, Trial(find_method(key), number, QUICK)):
                if row["asked"] == "2":
                    assert 29 not in row["selected"], key


def test_planted_features_are_found_and_all_is_recorded():
    rows = run_trial(planted(), Trial(find_method("inf-fs-s"), 0, QUICK))
    assert [row["asked"] for row in rows] == ["2", "5", "auto"]
    assert set(rows[0]["selected"]) < {0, 1, 2}
    assert rows[0]["accuracy"] > 0.8
    assert rows[0]["chosen"].startswith("weights=(")
    assert rows[0]["fit_seconds"] > 0
    assert rows[0]["tune_seconds"] > 0
    assert rows[0]["C"] in (0.1, 1.0)


def test_all_features_stand_once():
    (row,) = run_trial(planted(), Trial(find_method("all"), 0, QUICK))
    assert (row["asked"], row["n_features"], row["selected"]) == ("all", 30, [])


def test_random_order_changes_with_the_split():
    trials = [Trial(find_method("random"), number, QUICK) for number in (0, 0, 1)]
    picked = [run_trial(planted(), trial)[1]["selected"] for trial in trials]
    assert picked[0] == picked[1]
    assert picked[0] != picked[2]


@pytest.mark.parametrize("key", ["inf-fs-u", "inf-fs-s"])
def test_the_weights_are_those_of_a_pipeline_of_scikit_learn(key):
    """Of the weights within a standard error of the best, those nearest to equal ones."""
    dataset = planted(T=40, n=60)
    train, _ = split(QUICK, dataset.y, 0)
    X, y = dataset.X[train], dataset.y[train]
    method, folds = find_method(key), make_folds(y, QUICK.folds)
    svm = LinearSVC(C=0.1, dual=False, intercept_scaling=1e4, tol=1e-8)
    picked = select(method, X, y, {"5": 5, "auto": "auto"}, QUICK)
    for selection, size in zip(picked, (5, "knee"), strict=True):
        scores, away = [], []
        for setting in method.grid:
            selector = method.estimator(n_features_to_select=size, **setting)
            scores.append(
                cross_val_score(make_pipeline(selector, StandardScaler(), svm), X, y, cv=folds)
            )
            (weights,) = setting.values()
            weights = np.ravel([weights, 1 - weights] if np.ndim(weights) == 0 else weights)
            away.append(np.square(weights - weights.mean()).sum())
        setting = method.grid[choose(np.array(scores).T, away)]
        assert selection["chosen"] == as_text(setting)
        order = method.estimator(n_features_to_select=5, **setting).fit(X, y).order_
        np.testing.assert_array_equal(selection["selected"], order[: selection["selected"].size])


def test_grids():
    alphas = [setting["alpha"] for setting in find_method("inf-fs-u").grid]
    assert alphas == np.round(np.arange(11) / 10, 1).tolist()
    simplex = [setting["weights"] for setting in find_method("inf-fs-s").grid]
    assert len(simplex) == 16
    assert all(abs(sum(each) - 1) < 1e-12 for each in simplex)
    assert find_method("inf-fs-u[alpha=0.3]").grid == ()
    assert find_method("fisher").grid == ()
    for key in ("inf-fs-u", "inf-fs-s"):  # on a table of one's own nothing is chosen unless asked
        assert compared.find_method(key).grid == ()
        assert compared.find_method(key, tuned=True).grid


def test_tuned_grids_name_real_parameters():
    for entry in catalogue():
        cls = entry.estimator
        facts = (TUNED.get(entry.key, {}), quick_params(cls))
        assert set().union(*facts) <= set(cls().get_params()), entry.key
    assert set(TUNED) <= {entry.key for entry in catalogue()}
    grid = find_method("relieff", tuned=True).grid
    assert grid == ({"n_neighbors": 3}, {"n_neighbors": 10}, {"n_neighbors": 20})
    assert find_method("relieff[n_neighbors=4]", tuned=True).grid == ()


def test_tuned_rival_chooses_its_parameter():
    tuned = Protocol(sizes=(2,), Cs=(1.0,), folds=2, automatic=False, tuned=True)
    (row,) = run_trial(planted(), Trial(find_method("relieff", tuned=True), 0, tuned))
    assert row["setting"] == "tuned"
    assert row["chosen"].startswith("n_neighbors=")


@pytest.mark.parametrize("method", find_methods(), ids=lambda each: each.name)
def test_every_method_ends_a_trial(method):
    if method.grid:
        method = replace(method, grid=method.grid[:2])
    protocol = Protocol(sizes=(2, 5), Cs=(1.0,), folds=2)
    rows = run_trial(planted(T=50, n=20), Trial(method, 0, protocol))
    for row in rows:
        assert 0 <= row["accuracy"] <= 1
        if row["asked"].isdigit():
            assert len(set(row["selected"])) == int(row["asked"])


def test_every_method_takes_part():
    keys = [method.key for method in find_methods()]
    assert keys[:3] == ["all", "random", "variance"]
    assert {"inf-fs-u", "inf-fs-s", "fisher"} <= set(keys)


def test_sparse_table_stays_equal_to_dense():
    dataset = planted(T=60, n=40)
    X = np.where(np.abs(dataset.X) > 1, dataset.X, 0.0)
    for key in ("variance", "inf-fs-s[weights=(0.4,0.4,0.2)]", "inf-fs-u[alpha=0.3]"):
        method = find_method(key)
        dense, thin = (
            select(method, table, dataset.y, {"5": 5}, QUICK)[0]["selected"]
            for table in (X, sparse.csr_matrix(X))
        )
        np.testing.assert_array_equal(np.sort(dense), np.sort(thin), err_msg=key)


def test_multi_label_is_measured_by_average_precision():
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, size=(60, 2))
    X = rng.normal(size=(60, 20))
    X[:, :2] += 3 * Y
    rows = run_trial(Dataset("labels", X, Y, [str(j) for j in range(20)]),
                     Trial(find_method("inf-fs-s[weights=(0.5,0.5,0)]"), 0, QUICK))  # fmt: skip
    assert rows[0]["mean_average_precision"] > 0.9
    assert "multilabel" in find_method("svm-rfe").skip("multilabel")
    assert not find_method("inf-fs-s").skip("multilabel")


def test_evaluate_agrees_with_scikit_learn():
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    dataset = planted(informative=1, seed=3)
    train, test = split(QUICK, dataset.y, 0)
    part = Part(dataset.X, make_target(dataset.y), train, test)
    (ours,) = evaluate(QUICK, part, [np.arange(30)])
    svm = LinearSVC(dual=False, intercept_scaling=1e4, tol=1e-8)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), svm),
        {"linearsvc__C": QUICK.Cs},
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        refit=lambda results: QUICK.Cs.index(ours["C"]),
    ).fit(dataset.X[train], dataset.y[train])
    folds = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(3)])
    assert ours["C"] == QUICK.Cs[choose(folds, QUICK.Cs)]
    assert ours["accuracy"] == pytest.approx(search.score(dataset.X[test], dataset.y[test]))


def test_the_cs_of_the_protocol_are_those_of_linear_evaluators(rng):
    """With the C of a wide linear model a kernel machine would say the commoner class only."""
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    part = Part(X, make_target(y), np.arange(80), np.arange(80, 120))
    wide = replace(QUICK, Cs=(1e-5,))
    (linear,), (rbf,) = (
        evaluate(wide, part, [np.arange(2)], evaluator=who) for who in ("linear", "rbf")
    )
    assert linear["C"] == 1e-5
    assert rbf["C"] in find_evaluator("rbf").settings
    assert rbf["accuracy"] > 0.8


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux can tell")
def test_peak_memory_is_that_of_the_fit_alone():
    np.ones(2**25)  # 256 MiB before: not counted
    memory = PeakMemory()
    np.ones(2**23)  # 64 MiB
    assert 60 < memory.mib() < 80


def test_the_official_split_and_difficult_samples():
    """Tested on the published part only; a difficult sample does not count for its label."""
    rng = np.random.default_rng(1)
    Y = rng.integers(0, 2, size=(60, 2))
    X = rng.normal(size=(60, 20))
    X[:, :2] += 0.8 * Y
    test = np.arange(60) >= 40
    official = Protocol(sizes=(3,), n_splits=1, Cs=(1.0,), automatic=False, study="official")
    whole = Dataset("labels", X, Y, [str(j) for j in range(20)], official_test=test)
    trial = Trial(find_method("fisher"), 0, official)
    (row,) = run_trial(whole, trial)
    model = OneVsRestClassifier(LinearSVM(C=1.0))
    columns = np.array(row["selected"])
    scaled = StandardScaler().fit(X[~test][:, columns]).transform(X[:, columns])
    margins = model.fit(scaled[~test], Y[~test]).decision_function(scaled[test])
    expected = [average_precision_score(Y[test][:, k], margins[:, k]) for k in range(2)]
    assert row["mean_average_precision"] == pytest.approx(np.mean(expected), abs=1e-6)
    hard = np.zeros((60, 2), dtype=bool)
    hard[45:55, 1] = Y[45:55, 1] == 0
    (row,) = run_trial(replace(whole, difficult=hard), trial)
    easy = ~hard[test][:, 1]
    expected[1] = average_precision_score(Y[test][easy, 1], margins[easy, 1])
    assert row["mean_average_precision"] == pytest.approx(np.mean(expected), abs=1e-6)
    assert row["setting"] == "official"
