"""The automatic size with labels: what it evaluates, claims, and does not depend on."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut

from inffs import InfFSC, InfFSS
from inffs.cuts import Predict, Samples
from inffs.cuts.cut import smallest_near_best, smooth
from inffs.methods import FisherScore, catalogue
from inffs.methods.entries import find_entry
from inffs.target import make_target
from tests.quick import draws, is_slow, quick_params

EVALUATED = [
    pytest.param(
        entry.key,
        marks=[pytest.mark.slow] * (is_slow(entry.estimator) or draws(entry.estimator)),
    )
    for entry in catalogue()
    if entry.supervised and "classification" in entry.estimator._targets
]  # fmt: skip


def planted(T=120, n=60, strong=5, seed=0, shift=1.2):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :strong] += shift * y[:, None]
    return X, y


def test_smoothing_keeps_lines_over_the_logarithm():
    sizes = np.array([1, 2, 3, 5, 10, 50])
    line = 0.3 + 0.1 * np.log(sizes)
    np.testing.assert_allclose(smooth(sizes, line), line, atol=1e-9)
    np.testing.assert_allclose(smooth(np.array([4]), np.array([0.7])), [0.7])


def test_the_smallest_size_near_the_best_is_taken():
    sizes = np.array([1, 3, 10, 30, 100])
    rng = np.random.default_rng(0)
    level = np.array([0.5, 0.9, 0.9, 0.9, 0.9]) + 0.2 * rng.normal(size=(20, 5))
    assert smallest_near_best(sizes, level, 1.0, 0.2) == 1
    assert 3 <= smallest_near_best(sizes, level, 0.05, 0.2) <= 10


def test_smoothing_does_not_round_off_a_step_that_the_folds_prove():
    sizes = np.array([1, 2, 3, 5, 7, 10, 15, 20, 30])
    luck = 0.1 * np.random.default_rng(0).normal(size=(20, 1))  # of the folds, for all sizes alike
    step = np.where(sizes >= 5, 0.95, 0.6) + luck
    assert smooth(sizes, step.mean(axis=0))[3] < smooth(sizes, step.mean(axis=0)).max() - 0.02
    assert smallest_near_best(sizes, step, 0.005, 0.2) == 5


@pytest.mark.parametrize("shift", [0.8, 3.0])
def test_the_tolerance_is_half_a_standard_error_or_half_a_point(shift):
    X, y = planted(T=60, shift=shift)
    found = InfFSC().fit(X, y).size_selection_
    share = (found.smoothed.max() * 60 + 2) / 64
    tolerance = max(0.005, 0.5 * np.sqrt(share * (1 - share) / 64))
    known = found.sizes, found.scores
    assert found.size == smallest_near_best(*known, tolerance, found.test_share)
    least = InfFSC(n_features_to_select=Predict(tolerance=0.005)).fit(X, y).n_features_
    assert found.size < least if shift == 0.8 else found.size <= least


def test_the_tolerance_of_numbers_is_half_a_point(rng):
    X = rng.normal(size=(60, 20))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=60)
    sizes = [
        InfFSC(n_features_to_select=Predict(tolerance=tolerance)).fit(X, y).n_features_
        for tolerance in ("auto", 0.005)
    ]
    assert sizes[0] == sizes[1]


def test_what_was_measured_is_kept():
    X, y = planted()
    selector = InfFSS().fit(X, y)
    found = selector.size_selection_
    assert selector.cut_.name == "predict"
    assert found.claimed
    assert not selector.cut_.forced
    assert found.scores.shape == (20, found.sizes.size)
    assert len(found.folds) == len(found.orders) == 20
    assert found.baseline == 0.5
    assert found.baseline_error == pytest.approx(0.5 / np.sqrt(120))
    assert found.means[found.place(selector.n_features_)] > 0.8
    for train, test in found.folds:
        assert np.intersect1d(train, test).size == 0
    tested = np.sort(np.concatenate([test for _, test in found.folds]))
    assert np.array_equal(tested, np.repeat(np.arange(120), 4))
    assert all(np.array_equal(np.sort(order), np.arange(60)) for order in found.orders)


@pytest.mark.parametrize("method", [InfFSC, FisherScore])
def test_units_of_columns_change_nothing(method):
    X, y = planted()
    scaled = X * np.random.default_rng(1).choice([0.01, 1.1, 1.3, 1000.0], X.shape[1])
    assert method().fit(scaled, y).n_features_ == method().fit(X, y).n_features_


@pytest.mark.parametrize("key", EVALUATED)
def test_one_factor_names_of_classes_and_places_of_columns_change_nothing(key):
    X, y = planted(T=60, n=16)
    rng = np.random.default_rng(1)
    estimator = find_entry(key).estimator
    tied = key == "ensemble-svm-rfe"  # means of ranks: ties go to the first column
    moved = np.arange(16) if tied else rng.permutation(16)
    factor = 1.0 if estimator._fixed_scale else 1.3
    seed = {"random_state": 0} if draws(estimator) else {}
    selector = estimator(**quick_params(estimator), **seed)
    before = clone(selector).fit(X, y)
    after = selector.fit(factor * X[:, moved], np.array(["z", "a"])[y])
    np.testing.assert_array_equal(after.get_support(), before.get_support()[moved])
    if not estimator._chooses_size:
        assert np.array_equal(after.size_selection_.scores, before.size_selection_.scores)


def test_sizes_of_sparse_tables_go_to_500(rng):
    X = sparse.random_array((120, 600), density=0.1, rng=rng, format="csr")
    sizes = InfFSS().fit(X, np.arange(120) % 2).size_selection_.sizes
    assert sizes[:16].tolist() == [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500]


@pytest.mark.parametrize("samples", [12, 20])
def test_folds_in_which_no_label_occurs_are_left_out(samples):
    rng = np.random.default_rng(0)
    y = np.arange(samples) % 2
    X, Y = rng.normal(size=(samples, 50)), np.column_stack([y, y])
    selector = FisherScore().fit(X, Y)
    found = selector.size_selection_
    assert np.isfinite(found.scores).all()
    assert 2 <= len(found.folds) == len(found.scores) < 20
    assert all(Y[test].any() for _, test in found.folds)


def test_noise_is_not_claimed():
    claimed = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        cut = FisherScore().fit(rng.normal(size=(60, 100)), rng.permutation(np.arange(60) % 2)).cut_
        claimed += not cut.forced
        assert not cut.forced or cut.size == 1
    assert claimed <= 1


def test_copies_of_samples_do_not_make_a_claim():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 80)), rng.permutation(np.arange(30) % 2)
        selector = FisherScore().fit(np.tile(X, (3, 1)), np.tile(y, 3))
        assert selector.cut_.forced
        assert selector.size_selection_.n_units == 30


def test_copies_and_weights_are_the_same():
    X, y = planted()
    weight = np.random.default_rng(2).integers(1, 4, 120)
    by_weight = InfFSC().fit(X, y, sample_weight=weight)
    by_copies = InfFSC().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(
        by_weight.size_selection_.scores, by_copies.size_selection_.scores, atol=1e-9
    )


def test_groups_stay_together_and_count_once():
    """Twenty patients of five samples each, every patient recognisable, no signal."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(20), 5)
        X = rng.normal(size=(20, 50))[patient] + 0.05 * rng.normal(size=(100, 50))
        y = rng.permutation(np.arange(20) % 2)[patient]
        selector = FisherScore().fit(X, y, groups=patient)
        assert selector.cut_.forced
        found = selector.size_selection_
        assert found.n_units == 20
        for train, test in found.folds:
            assert np.intersect1d(patient[train], patient[test]).size == 0


def test_names_of_groups_do_not_matter():
    X, y = planted()
    groups = np.arange(120) // 4
    names = np.array([f"p{(7 * g) % 30}" for g in groups])
    numbers, text = (FisherScore().fit(X, y, groups=g).size_selection_ for g in (groups, names))
    np.testing.assert_array_equal(numbers.scores, text.scores)


@pytest.mark.parametrize("method", [InfFSS, InfFSC])
def test_one_sample_of_a_rare_class_changes_little(method):
    X, y = planted(T=100)
    before = method().fit(X, y)
    rng = np.random.default_rng(3)
    after = method().fit(np.vstack([X, rng.normal(size=60)]), np.append(y, 2))
    assert after.size_selection_.left_out
    assert after.size_selection_.claimed
    assert before.n_features_ / 2 <= after.n_features_ <= 2 * before.n_features_


def test_unequal_classes_are_evaluated_by_balanced_accuracy():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(6, int), np.zeros(44, int)]
    X = rng.normal(size=(50, 40))
    noise = FisherScore().fit(X, y)
    X[:, :5] += 4 * y[:, None]
    signal = FisherScore().fit(X, y)
    assert signal.size_selection_.measure == "balanced_accuracy"
    assert signal.size_selection_.baseline == 0.5
    assert (noise.cut_.forced, signal.cut_.forced) == (True, False)


def test_few_samples_are_not_evaluated():
    X, y = planted(T=8)
    selector = InfFSC().fit(X, y)
    assert (selector.cut_.name, selector.cut_.forced) == ("knee", True)
    assert not hasattr(selector, "size_selection_")
    assert not InfFSC(n_features_to_select="knee").fit(X, y).cut_.forced


def test_large_tables_are_decided_by_two_thousand_samples():
    X, y = planted(T=2400, n=12)
    found = InfFSS().fit(X, y).size_selection_
    assert len({row for fold in found.folds for row in np.concatenate(fold)}) == 2000


@pytest.mark.parametrize("kind", ["numbers", "noise"])
def test_numbers(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 30))
    y = rng.normal(size=80) + (kind == "numbers") * X[:, :3].sum(axis=1)
    selector = InfFSC().fit(X, y)
    assert selector.size_selection_.measure == "r2"
    assert selector.cut_.forced == (kind == "noise")


def test_parameters_replace_the_parts():
    X, y = planted()
    groups = np.arange(120) // 10
    selector = InfFSS(n_features_to_select=Predict(cv=LeaveOneGroupOut())).fit(X, y, groups=groups)
    assert len(selector.size_selection_.folds) == 12
    rule = Predict(cv=3, scoring="roc_auc", tolerance=0.0)
    found = InfFSS(n_features_to_select=rule).fit(X, y).size_selection_
    assert len(found.folds) == 12
    assert found.measure == "roc_auc"
    assert found.baseline == pytest.approx(0.5)
    assert found.claimed
    with pytest.raises(ValueError, match="tolerance"):
        Predict(tolerance=-1)


def test_units_join_groups_and_copies():
    X = np.random.default_rng(0).normal(size=(5, 20))
    X[2] = X[0]
    samples = Samples(X, make_target(np.zeros(5, int)), groups=np.array([0, 1, 2, 2, 3]))
    assert samples.units().tolist() == [0, 1, 0, 0, 2]


def test_groups_need_one_value_per_sample():
    X, y = planted()
    with pytest.raises(ValueError, match="groups"):
        InfFSC().fit(X, y, groups=np.zeros(3))


def test_unequal_weights_raise_the_error_of_the_baseline(rng):
    """Weights 1 and 3 determine a mean as well as 0.8 times as many equal ones (Kish)."""
    X, y = rng.normal(size=(80, 5)), np.arange(80) % 2
    weight = np.where(np.arange(80) % 4 < 2, 1.0, 3.0)
    plain = InfFSC().fit(X, y).size_selection_
    weighted = InfFSC().fit(X, y, sample_weight=weight).size_selection_
    assert plain.baseline_error == pytest.approx(np.sqrt(0.25 / 80))
    assert weighted.baseline_error == pytest.approx(np.sqrt(0.25 / 64))
