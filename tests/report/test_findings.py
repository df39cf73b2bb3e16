"""Every sentence of the findings on a table made to deserve it, and on one that does not."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from inffs import InfFSU, rank
from inffs.methods import FisherScore
from inffs.report._check import cross_check
from inffs.report._study import Study
from inffs.validation.preparation import Preparation


def noise(T=80, n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(T, n)), np.arange(T) % 2


def planted(T=100, n=200, signal=5, effect=1.5, seed=0):
    """The first columns carry the classes."""
    X, y = noise(T, n, seed)
    X[:, :signal] += effect * y[:, None]
    return X, y


def found(X, y, keep, method="fisher", folds=5):
    selector = rank(X, y, method=method, n_features_to_select=keep)
    study = Study(selector, X, y, [f"x{j}" for j in range(X.shape[1])], folds)
    return {finding.key: finding for finding in study.findings}, study


def test_fewer_features_do_as_well():
    told, study = found(*planted(signal=5, effect=2), keep=60)
    assert "do as well as 60" in told["fewer-do"].headline or "do better than 60" in (
        told["fewer-do"].headline
    )
    size = int(told["fewer-do"].headline.split()[0])
    at = study.check.selected.mean(axis=0)[study.check.sizes.index(size)]
    assert at >= study.check.accuracy - 0.01
    assert f"--keep {size}" in told["fewer-do"].sentence
    assert f"{at:.1%}" in told["fewer-do"].sentence


def test_fewer_features_do_not_where_all_are_needed():
    X, y = planted(T=400, n=60, signal=40, effect=0.4)
    told, _ = found(X, y, keep=40)
    assert "fewer-do" not in told
    assert "reached" in told


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_no_better_than_random_columns(seed):
    told, study = found(*noise(T=120, seed=seed), keep=20)
    assert {"no-better-than-guessing", "no-better-than-random"} & told.keys()
    assert not {"fewer-do", "as-good-as-all"} & told.keys()
    if "no-better-than-random" in told:
        assert f"{study.check.chance:.1%}" in told["no-better-than-random"].sentence


def test_noise_is_no_better_than_guessing_and_signal_of_a_rare_class_is():
    told, study = found(*noise(T=120, seed=8), keep=20)
    assert "no-better-than-guessing" in told
    assert abs(study.check.accuracy - 0.5) < 0.15
    X, _ = noise(T=300, n=40)
    y = (np.arange(300) % 12 == 0).astype(int)  # one of twelve: the accuracy cannot rise much
    X[:, :4] += 1.1 * y[:, None]
    rare, study = found(X, y, keep=4)
    assert study.check.accuracy < study.check.guess + 0.05
    assert "no-better-than-guessing" not in rare


def test_numbers_that_nothing_explains_are_no_better_than_guessed():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 60)), rng.normal(size=120)
    told, _ = found(X, y, keep=5)
    assert "no-better-than-guessing" in told
    assert not {"fewer-do", "as-good-as-all", "reached"} & told.keys()
    explained, _ = found(X, X[:, :5].sum(axis=1) + 0.3 * y, keep=5)
    assert "no-better-than-guessing" not in explained


@pytest.mark.parametrize("seed", range(4))
def test_signal_is_better_than_random_columns(seed):
    told, study = found(*planted(seed=seed), keep=5)
    assert "no-better-than-random" not in told
    assert told["as-good-as-all"].headline.startswith("5 features do")
    assert study.check.accuracy >= study.check.whole.mean() - 0.01


def test_columns_that_all_say_the_same_are_no_better_than_random_ones():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = 3.0 * y[:, None] + rng.normal(size=(80, 1)) + 0.1 * rng.normal(size=(80, 60))
    told, _ = found(X, y, keep=10)
    assert told["no-better-than-random"].headline == "No better than random columns"


def test_few_samples_of_a_class():
    X, y = planted(T=6)
    told, _ = found(X, y, keep=5)
    assert told["too-few-samples"].headline == "Too few samples to tell (3 per class)"
    uneven, _ = found(*(part[:-1] for part in (X, y)), keep=5)
    assert uneven["too-few-samples"].headline.endswith("(2 in the smallest class)")
    assert next(iter(told)) == "too-few-samples"


def test_few_samples_in_all_where_the_check_says_nothing():
    told, study = found(*noise(T=14, seed=3), keep=5)
    assert told["too-few-samples"].headline == "Too few samples to tell (14 in all)"
    assert study.check.accuracy < 0.8
    enough, _ = found(*planted(T=14, effect=6), keep=5)
    assert "too-few-samples" not in enough


def test_two_rare_classes_of_many_are_not_too_few():
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(90) % 6, 6, 6, 7, 7]
    told, _ = found(rng.normal(size=(94, 30)) + y[:, None], y, keep=5)
    assert "too-few-samples" not in told


def test_groups_of_which_any_one_will_do():
    rng = np.random.default_rng(1)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 100))
    two = rng.normal(size=(100, 2)) + 1.6 * y[:, None]
    X[:, :12] = two[:, np.arange(12) % 2] + 0.2 * rng.normal(size=(100, 12))
    told, study = found(X, y, keep=12)
    assert told["groups"].headline == "These 12 are 2 groups"
    assert "will do" in told["groups"].sentence
    assert study.check.lone.mean() >= study.check.accuracy - 0.01
    apart, _ = found(*planted(signal=12, effect=1.5), keep=12)
    assert "groups" not in apart


def test_groups_that_say_more_together():
    """Members with errors of their own: together they are right where one is wrong."""
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 60))
    X[:, :12] += 4 * y[:, None]
    told, study = found(X, y, keep=12)
    assert study.check.lone.mean() < study.check.accuracy - 0.01
    assert "together they say more" in told["groups"].sentence
    assert "will do" not in told["groups"].sentence


def test_nothing_stands_out_is_the_headline_of_a_forced_cut():
    X, y = noise(T=60, n=100, seed=4)
    told, study = found(X, y, keep="fdr")
    assert study.selector.cut_.forced
    assert next(iter(told.values())).headline == "Nothing stands out"
    assert not {"fewer-do", "as-good-as-all", "reached"} & told.keys()
    strong, _ = found(*planted(effect=3), keep="fdr")
    assert "nothing-stands-out" not in strong


def test_without_labels_nothing_is_claimed():
    X, _ = noise()
    study = Study(InfFSU(n_features_to_select=5).fit(X), X, None, list(map(str, range(200))))
    assert [finding.key for finding in study.findings] == ["no-labels"]


def test_unequal_classes_have_balanced_accuracy_and_auc_of_scikit_learn():
    X, _ = planted(T=120)
    y = (np.arange(120) % 5 == 0).astype(int)
    X[:, :5] += 1.2 * y[:, None]
    told, study = found(X, y, keep=5)
    balanced, area = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        best = FisherScore(n_features_to_select=5).fit(X[train], y[train]).get_support()
        svm = LinearSVC(C=0.1, dual=False, intercept_scaling=1e4, tol=1e-8)
        model = make_pipeline(StandardScaler(), svm).fit(X[train][:, best], y[train])
        balanced.append(balanced_accuracy_score(y[test], model.predict(X[test][:, best])))
        area.append(roc_auc_score(y[test], model.decision_function(X[test][:, best])))
    place = study.check.chosen
    np.testing.assert_allclose(study.check.others["balanced_accuracy"][0][:, place], balanced)
    np.testing.assert_allclose(study.check.others["auc"][0][:, place], area)
    assert f"AUC {np.mean(area):.3f}" in told["unequal-classes"].sentence
    assert f"{np.mean(balanced):.1%}" in told["unequal-classes"].sentence
    equal, _ = found(*planted(), keep=5)
    assert "unequal-classes" not in equal


def test_the_error_is_that_of_the_folds_and_never_nothing():
    _, study = found(*planted(effect=6), keep=5)
    check = study.check
    assert check.accuracy == 1
    assert 0 < check.error(check.kept) < 0.03
    values = np.array([0.2, 0.9, 0.4, 0.8])
    assert check.error(values) == pytest.approx(values.std(ddof=1) / 2)


def test_what_is_learned_before_the_ranking_is_learned_in_the_training_part_only():
    """An outlier in the test part must not move the scale that the training part is given."""
    X, y = planted(T=40, n=30)
    X[3, 7] = np.nan
    selector = InfFSU(n_features_to_select=4)
    prepared = Preparation(impute="median", scale="range")
    selector.fit(prepared.of(X))
    check = cross_check(selector, X, y, folds=4, preparation=prepared)
    splits = StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)
    for order, (train, _) in zip(check.orders, splits, strict=True):
        own = InfFSU(n_features_to_select=4).fit(prepared.of(X[train]))
        np.testing.assert_array_equal(order, own.order_)
    leaked = [InfFSU().fit(prepared.of(X)[train]).order_ for train, _ in
              StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)]  # fmt: skip
    assert any((order != other).any() for order, other in zip(check.orders, leaked, strict=True))


def test_codes_of_text_are_numbered_by_the_training_part():
    codes = np.array([[0.0], [3.0], [1.0], [3.0], [2.0], [np.nan]])
    prepared = Preparation(ordinal=(0,)).of(codes, np.array([0, 1, 3]))
    np.testing.assert_array_equal(prepared.ravel(), [0, 1, 1, 1, 1, np.nan])
    np.testing.assert_array_equal(Preparation(ordinal=(0,)).of(codes), codes)
