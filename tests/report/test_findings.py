"""Every finding on a table made for its rule, and on one that the rule does not fit."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from inffs import InfFSC, InfFSU, Report, rank
from inffs.cuts import Predict
from inffs.methods import FisherScore
from inffs.report._check import cross_check
from inffs.report._findings import FINDINGS
from inffs.report._outputs import describe_check
from inffs.report._report import Study
from inffs.validation.preparation import Preparation


def noise(T=80, n=200, seed=0):
    return np.random.default_rng(seed).normal(size=(T, n)), np.arange(T) % 2


def planted(T=100, n=200, signal=5, effect=1.5, seed=0):
    """The first columns differ between the classes."""
    X, y = noise(T, n, seed)
    X[:, :signal] += effect * y[:, None]
    return X, y


def found(X, y, keep, method="fisher", folds=5):
    selector = rank(X, y, method=method, n_features_to_select=keep)
    study = Study(selector, X, y, [f"x{j}" for j in range(X.shape[1])], folds)
    return {finding.key: finding for finding in study.findings}, study


def test_fewer_features_do_as_well():
    told, study = found(*planted(signal=5, effect=2), keep=60)
    assert told["fewer-do"].headline.endswith(" 60")
    size = int(told["fewer-do"].headline.split()[0])
    at = study.check.selected.mean(axis=0)[study.check.sizes.index(size)]
    assert at >= study.check.score - 0.01
    assert f"--keep {size}" in told["fewer-do"].sentence
    assert study.check.text(at) in told["fewer-do"].sentence


def test_fewer_features_do_not_where_all_are_needed():
    X, y = planted(T=400, n=60, signal=40, effect=0.4)
    told, _ = found(X, y, keep=40)
    assert "fewer-do" not in told
    assert "reached" in told


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_no_better_than_random_columns(seed):
    told, study = found(*noise(T=120, seed=seed), keep=20)
    assert {"no-better-than-baseline", "no-better-than-random"} & told.keys()
    assert not {"fewer-do", "as-good-as-all"} & told.keys()
    if "no-better-than-random" in told:
        assert study.check.text(study.check.at_random) in told["no-better-than-random"].sentence


def test_noise_is_no_better_than_the_baseline_and_signal_of_a_rare_class_is():
    told, study = found(*noise(T=120, seed=8), keep=20)
    assert "no-better-than-baseline" in told
    assert abs(study.check.score - 0.5) < 0.15
    X, _ = noise(T=300, n=40)
    y = (np.arange(300) % 12 == 0).astype(int)  # one of twelve: the accuracy cannot rise much
    X[:, :4] += 1.1 * y[:, None]
    rare, study = found(X, y, keep=4)
    assert study.check.score < study.check.baseline + 0.05
    assert "no-better-than-baseline" not in rare


def test_numbers_that_nothing_explains_are_no_better_than_the_baseline():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 60)), rng.normal(size=120)
    told, _ = found(X, y, keep=5)
    assert "no-better-than-baseline" in told
    assert not {"fewer-do", "as-good-as-all", "reached"} & told.keys()
    explained, _ = found(X, X[:, :5].sum(axis=1) + 0.3 * y, keep=5)
    assert "no-better-than-baseline" not in explained


@pytest.mark.parametrize("seed", range(4))
def test_signal_is_better_than_random_columns(seed):
    told, study = found(*planted(seed=seed), keep=5)
    assert "no-better-than-random" not in told
    assert told["as-good-as-all"].headline.startswith("5 features")
    assert told["as-good-as-all"].headline.endswith("all 200")
    assert study.check.score >= study.check.whole.mean() - 0.01


def test_columns_that_are_all_alike_are_no_better_than_random_ones():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = 3.0 * y[:, None] + rng.normal(size=(80, 1)) + 0.1 * rng.normal(size=(80, 60))
    told, _ = found(X, y, keep=10)
    assert not told["no-better-than-random"].headline.startswith("Not clearly")


def test_few_samples_of_a_class():
    X, y = planted(T=6)
    told, _ = found(X, y, keep=5)
    assert told["too-few-samples"].headline.endswith("(3 per class)")
    uneven, _ = found(*(part[:-1] for part in (X, y)), keep=5)
    assert uneven["too-few-samples"].headline.endswith("(2 in the smallest class)")
    assert next(iter(told)) == "too-few-samples"


def test_few_samples_in_all_where_the_score_is_open():
    told, study = found(*noise(T=14, seed=3), keep=5)
    assert told["too-few-samples"].headline.endswith("(14 in all)")
    assert study.check.score < 0.8
    enough, _ = found(*planted(T=14, effect=6), keep=5)
    assert "too-few-samples" not in enough


def test_two_rare_classes_of_many_are_not_too_few():
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(90) % 6, 6, 6, 7, 7]
    told, _ = found(rng.normal(size=(94, 30)) + y[:, None], y, keep=5)
    assert "too-few-samples" not in told


def test_groups_of_which_one_each_is_enough():
    rng = np.random.default_rng(1)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 100))
    two = rng.normal(size=(100, 2)) + 1.6 * y[:, None]
    X[:, :12] = two[:, np.arange(12) % 2] + 0.2 * rng.normal(size=(100, 12))
    told, study = found(X, y, keep=12)
    assert "12 features form 2 groups" in told["groups"].headline
    assert "any of " in told["groups"].sentence
    assert study.check.lone.mean() >= study.check.score - 0.01
    apart, _ = found(*planted(signal=12, effect=1.5), keep=12)
    assert "groups" not in apart


def test_groups_that_predict_better_together():
    """Members with errors of their own: together they are right where one is wrong."""
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 60))
    X[:, :12] += 4 * y[:, None]
    told, study = found(X, y, keep=12)
    assert study.check.lone.mean() < study.check.score - 0.01
    assert study.check.text(study.check.lone.mean()) in told["groups"].sentence
    assert "any of " not in told["groups"].sentence


def test_at_most_a_fifth_of_noise_tables_is_claimed():
    tables = [noise(T=60, n=100, seed=seed) for seed in range(200)]
    cuts = [rank(X, y, method="fisher", n_features_to_select="fdr").cut_ for X, y in tables]
    assert sum(not cut.forced for cut in cuts) <= 40


def test_no_claim_is_the_headline_of_a_forced_cut():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(30, 100))
    X = np.vstack([half, rng.permuted(half, axis=0)])  # both classes have the same values
    told, study = found(X, np.repeat([0, 1], 30), keep="fdr")
    assert study.selector.cut_.forced
    assert next(iter(told)) == "no-claim"
    assert not {"fewer-do", "as-good-as-all", "reached"} & told.keys()
    strong, _ = found(*planted(effect=3), keep="fdr")
    assert "no-claim" not in strong


def test_too_few_samples_for_a_size_are_no_claim():
    X, y = planted(T=8, effect=3)
    told, study = found(X, y, keep="auto")
    assert (study.selector.cut_.name, study.selector.cut_.forced) == ("knee", True)
    assert next(iter(told)) == "no-claim"
    assert not {"fewer-do", "as-good-as-all", "reached"} & told.keys()


def test_without_labels_nothing_is_claimed():
    X, _ = noise()
    study = Study(InfFSU(n_features_to_select=5).fit(X), X, None, list(map(str, range(200))))
    assert [finding.key for finding in study.findings] == ["no-labels"]


def test_many_classes_are_evaluated_by_the_rule_for_the_size_and_by_the_report():
    y = np.arange(208) % 52
    X = np.random.default_rng(0).normal(size=(208, 5))
    X[:, :4] += np.random.default_rng(1).normal(scale=9, size=(52, 4))[y]
    told, study = found(X, y, keep="auto")
    chosen = study.selector.size_selection_
    assert study.check.from_rule
    assert study.check.score == chosen.scores[:, chosen.sizes == study.selector.n_features_].mean()
    assert study.check.score > 0.5
    assert "no-labels" not in told


def test_classes_that_are_not_evaluated_are_counted_beside_the_scores_of_the_others():
    y = np.r_[np.arange(40) % 4, 4, 4, 5]
    X = np.random.default_rng(0).normal(size=(43, 12)) + 3 * y[:, None]
    told, study = found(X, y, keep="auto")
    assert study.check.n_samples == 40
    assert told["left-out"].sentence.startswith("2 classes with fewer than 5 samples (3 in all)")
    assert "unequal-classes" not in told  # the classes that were evaluated are equal
    assert told["left-out"].sentence in Report(study.selector, X, y).html


def test_features_that_are_discovered_are_the_headline():
    told, study = found(*planted(signal=8, effect=3), keep="fdr")
    assert next(iter(told)) == "discovered"
    assert told["discovered"].headline.startswith(f"{study.kept} of 200 features")


def test_classes_of_one_sample_are_too_few_samples():
    X, _ = noise()
    told, study = found(X, np.arange(len(X)), keep=5)
    assert study.check is None
    assert next(iter(told)) == "too-few-samples"


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
    np.testing.assert_allclose(study.check.of_best("balanced_accuracy")[:, place], balanced)
    np.testing.assert_allclose(study.check.of_best("auc")[:, place], area)
    assert f"AUC {np.mean(area):.3f}" in told["unequal-classes"].sentence
    assert study.check.text(np.mean(balanced)) in told["unequal-classes"].sentence
    equal, _ = found(*planted(), keep=5)
    assert "unequal-classes" not in equal


def test_the_error_is_that_of_the_folds_and_never_nothing():
    _, study = found(*planted(effect=6), keep=5)
    check = study.check
    assert check.score == 1
    assert 0 < check.error(check.kept) < 0.03
    values = np.array([0.2, 0.9, 0.4, 0.8, 0.1])
    factor = 1 / 5 + 0.2 / 0.8  # Nadeau, Bengio 2003: training parts of five folds overlap
    assert check.error(values) == pytest.approx(values.std(ddof=1) * np.sqrt(factor))


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


def made_by_rule(X, y):
    """The default rule, which decides on the size by cross-validation."""
    return found(X, y, keep="auto", method="inf-fs-c")


@pytest.fixture(scope="module")
def by_rule():
    return made_by_rule(*planted(T=120, n=150, signal=4, effect=1.5))


def test_every_number_is_that_of_the_cross_validation_that_chose_the_size(by_rule):
    told, study = by_rule
    kept, check, k = study.selector.size_selection_, study.check, study.selector.n_features_
    place = kept.sizes.tolist().index(k)
    assert check.score == kept.means[place]
    assert check.error(check.kept) == pytest.approx(kept.errors[place])
    assert check.baseline == kept.baseline
    assert check.from_rule
    np.testing.assert_array_equal(check.sizes, kept.sizes)
    sentence = told.get("as-good-as-all", told.get("reached")).sentence
    for value in (kept.means[place], check.whole.mean(), check.at_random, kept.baseline):
        assert kept.text(value) in sentence
    page = Report(study.selector, study.X, study.y).html
    curve = describe_check(check)
    assert curve["score"] == round(kept.means[place], 6)
    assert page.count(kept.text(kept.means[place])) >= 3
    assert "fewer-do" not in told


def test_r2_of_the_rule_and_of_all_features_are_of_one_kind():
    """With all features selected, the kept scores and those computed for all are the same."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 10))
    y = X.sum(axis=1) + rng.normal(size=80)
    _, study = found(X, y, keep=Predict(tolerance=0), method="inf-fs-c")
    check = study.check
    assert check.sizes[-1] == 10
    np.testing.assert_allclose(check.selected[:, -1], check.whole, rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_noise_by_the_rule_is_no_claim_on_every_page(seed):
    told, study = made_by_rule(*noise(T=60, n=100, seed=seed))
    assert study.selector.n_features_ == 1
    assert next(iter(told)) == "no-claim"
    name = study.names[study.selector.order_[0]]
    assert name in told["no-claim"].sentence
    assert not {"as-good-as-all", "reached", "weak-alone", "no-better-than-baseline"} & told.keys()
    assert (
        f"{name} (not a finding)"
        in Report(study.selector, study.X, study.y, feature_names=study.names).html
    )


def test_features_without_an_association_of_their_own_are_counted():
    X, y = planted(signal=5, effect=2)
    told, study = found(X, y, keep=20)
    best = study.selector.order_[:20]
    weak = int((study.reasons.effects["effect_p"][best] > 0.05).sum())
    assert weak > 0
    assert told["weak-alone"].sentence.startswith(f"{weak} of the 20 ")
    strong, _ = found(X, y, keep=5)
    assert "weak-alone" not in strong


def test_all_associated_features_are_counted_once_for_the_other_goal():
    X, y = planted(signal=8, effect=3)
    told, study = found(X, y, keep=3)
    count = int((study.reasons.effects["effect_q"] <= 0.1).sum())
    assert count >= 8
    assert told["associated"].sentence.startswith(f"{count} of 200 ")
    listed, _ = found(X, y, keep="fdr")
    assert "associated" not in listed


def test_repeated_samples_have_no_tests_of_single_features():
    X, y = planted(T=60, n=50, effect=2)
    twice = np.vstack([X, X]) + 1e-3 * noise(T=120, n=50)[0]
    labels, patients = np.r_[y, y], np.tile(np.arange(60), 2)
    selector = InfFSC().fit(twice, labels, groups=patients)
    told = [one.key for one in Study(selector, twice, labels, list(map(str, range(50)))).findings]
    assert told
    assert not {"weak-alone", "associated"} & set(told)


def test_r2_is_written_by_its_name_and_never_as_percent():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    told, study = made_by_rule(X, X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=120))
    sentence = told.get("as-good-as-all", told.get("reached")).sentence
    assert f"R2: {study.check.score:.2f}" in sentence
    assert "%" not in sentence


def test_a_predictive_set_is_the_headline_even_where_random_features_predict_too():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = 1.2 * y[:, None] + rng.normal(size=(80, 1)) + 0.1 * rng.normal(size=(80, 60))
    told, study = made_by_rule(X, y)
    assert study.check.claimed
    assert next(iter(told)) in ("as-good-as-all", "reached")
    assert study.check.text(study.check.at_random) in told["random-as-well"].sentence


def test_the_guide_lists_every_finding():
    guide = Path(__file__).parents[2] / "docs" / "guide" / "report-says.md"
    table = guide.read_text("utf-8").split("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.M) == list(FINDINGS)
