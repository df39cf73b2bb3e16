"""SVM-RFE and its relatives, against libsvm, scikit-learn's RFE and the published programs."""

import time

import numpy as np
import pytest
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from inffs.methods import L0SVM, SVMRFE, SWSVMRFE, EnsembleSVMRFE
from inffs.methods.solvers import elimination
from inffs.methods.solvers.dual_svm import DualSVM, NotSolvedError
from inffs.methods.solvers.proximal_svm import ProximalSVM
from inffs.methods.svm_rfe import margin_vectors, sample_weights, times_drawn
from tests.methods.supervised_goldens import cases, table


def gaussian(seed, T, n, classes=2, shift=0.6):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % classes
    X = rng.normal(size=(T, n))
    X[:, : n // 5] += shift * y[:, None]
    return X, y


def rfe_order(X, y, **params):
    rfe = RFE(SVC(kernel="linear", tol=1e-6, **params), n_features_to_select=1).fit(X, y)
    return np.argsort(rfe.ranking_)


def optimality_gap(X, y, C, coef):
    """Primal minus dual objective, relative to the primal: 0 at the optimum only."""
    K = X @ X.T
    f = K @ coef
    # the best bias for these weights is where the hinge loss is least: at a kink
    losses = [(C * np.maximum(0, 1 - y * (f + b))).sum() for b in y - f]
    primal = 0.5 * coef @ f + min(losses)
    return (primal - (y @ coef - 0.5 * coef @ f)) / primal


@pytest.mark.parametrize(("T", "n"), [(40, 200), (60, 30), (80, 5), (50, 1)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_dual_is_optimal(T, n, C):
    X, y = gaussian(3, T, n)
    side = 2.0 * y - 1
    bound = C * np.random.default_rng(0).uniform(0.5, 2, size=T)
    coef = DualSVM(X @ X.T, side, bound).solve()
    assert (coef * side >= 0).all()
    assert (coef * side <= bound).all()
    assert abs(coef.sum()) < 1e-9 * C
    assert optimality_gap(X, side, bound, coef) < 1e-8


def test_dual_with_integers_and_repeated_samples():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(60, 4)).astype(float)
    X = np.vstack([X, X[:20]])
    side = np.where(rng.random(80) < 0.5, 1.0, -1.0)
    coef = DualSVM(X @ X.T, side, np.ones(80)).solve()
    assert optimality_gap(X, side, np.ones(80), coef) < 1e-8


def test_dropping_features_one_by_one_keeps_the_optimum():
    X, y = gaussian(1, 50, 80)
    side = 2.0 * y - 1
    solver = DualSVM(X @ X.T, side, np.ones(50))
    for j in range(79):
        solver.solve()
        solver.drop_feature(X[:, j])
        if j % 7 == 0:
            rest = X[:, j + 1 :]
            assert optimality_gap(rest, side, np.ones(50), solver.solve()) < 1e-8


@pytest.mark.parametrize(("T", "n"), [(40, 200), (60, 30), (300, 5), (50, 1)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_proximal_steps_end_at_the_optimum(T, n, C):
    X, y = gaussian(3, T, n, shift=0.2)
    side = 2.0 * y - 1
    bound = C * np.random.default_rng(0).uniform(0.5, 2, size=T)
    coef = ProximalSVM(side, bound).solve(X.T)
    assert (coef * side >= 0).all()
    assert (coef * side <= bound).all()
    assert abs(coef.sum()) < 1e-9 * C
    assert optimality_gap(X, side, bound, coef) < 1e-8


def test_proximal_steps_with_integers_and_repeated_samples_and_columns():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(60, 4)).astype(float)
    X = np.vstack([X, X[:20]])[:, [0, 1, 2, 3, 0, 1]]
    side = np.where(rng.random(80) < 0.5, 1.0, -1.0)
    coef = ProximalSVM(side, np.ones(80)).solve(X.T)
    assert optimality_gap(X, side, np.ones(80), coef) < 1e-8


def test_overlapping_classes_of_a_tall_table_as_libsvm_weighs_them():
    X, y = gaussian(8, 520, 40, shift=0.15)
    features, left = X.T.copy(), np.arange(40)
    (machine,) = elimination.one_vs_one(features, y, np.ones(520))
    assert machine.dual is None
    for _ in range(12):
        weights = machine.squared_weights(features)
        model = SVC(kernel="linear", tol=1e-10).fit(X[:, left], y)
        np.testing.assert_allclose(np.sqrt(weights), np.abs(model.coef_[0]), atol=3e-5)
        keep = np.sort(np.argsort(weights)[3:])
        features, left = features[keep], left[keep]
        machine.rebuild(features)


def test_pivots_hand_over_to_proximal_steps():
    """More than 500 samples, at first few per feature, then many."""
    X, y = gaussian(9, 540, 400, shift=0.15)
    features, left = X.T.copy(), np.arange(400)
    (machine,) = elimination.one_vs_one(features, y, np.ones(540))
    assert machine.dual is not None
    while left.size > 40:
        weights = machine.squared_weights(features)
        keep = np.sort(np.argsort(weights)[left.size // 2 :])
        features, left = features[keep], left[keep]
        machine.rebuild(features)
    assert machine.dual is None
    model = SVC(kernel="linear", tol=1e-10).fit(X[:, left], y)
    found = np.sqrt(machine.squared_weights(features))
    np.testing.assert_allclose(found, np.abs(model.coef_[0]), atol=3e-5)


@pytest.mark.parametrize("T", [30, 600])
def test_columns_of_very_different_scale(T):
    X, y = gaussian(10, T, 12, shift=0.3)
    X[:, ::2] *= 1e3
    X[:, ::3] *= 1e-3
    features = X.T.copy()
    (machine,) = elimination.one_vs_one(features, y, np.ones(T))
    machine.dual = None
    coef = machine._coef(features)
    assert optimality_gap(X, 2.0 * y - 1, np.ones(T), coef) < 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("T", "n"), [(40, 25), (50, 120), (90, 15)])
def test_order_is_that_of_rfe_with_svc(seed, T, n):
    X, y = gaussian(seed, T, n)
    np.testing.assert_array_equal(
        SVMRFE(n_features_to_select=None).fit(X, y).order_, rfe_order(X, y)
    )


@pytest.mark.parametrize("classes", [3, 5])
def test_many_classes_as_rfe_with_svc(classes):
    X, y = gaussian(11, 60, 30, classes)
    names = np.array([f"class {g}" for g in range(classes)])
    np.testing.assert_array_equal(
        SVMRFE(C=0.1, n_features_to_select=None).fit(X, names[y]).order_, rfe_order(X, y, C=0.1)
    )


@pytest.mark.slow
def test_order_of_a_wide_table():
    X, y = gaussian(0, 200, 1000)
    np.testing.assert_array_equal(
        SVMRFE(n_features_to_select=None).fit(X, y).order_, rfe_order(X, y)
    )


@pytest.mark.parametrize("case", [case for case in cases("svm_rfe") if "ranking" in case])
def test_published_rankings(case):
    order = SVMRFE(C=case["C"], n_features_to_select=None).fit(*table(case["data"])).order_
    sure = np.ones(order.size, dtype=bool)
    if (case["data"], case["C"]) == ("a_plain", 0.01):
        sure[10:13] = False  # weights closer than the published solver's tolerance
    np.testing.assert_array_equal(order[sure], np.array(case["ranking"])[sure])
    np.testing.assert_array_equal(np.sort(order), np.sort(case["ranking"]))


@pytest.mark.parametrize("case", [case for case in cases("svm_rfe") if "w" in case])
def test_published_weights(case):
    X, y = table(case["data"])
    weights = X.T @ DualSVM(X @ X.T, y.astype(float), np.full(y.size, case["C"])).solve()
    np.testing.assert_allclose(weights, case["w"], atol=6e-4 if case["C"] < 0.1 else 5e-5)


def test_chunks_take_the_smallest_weights_first():
    X, y = gaussian(2, 40, 30)
    weights = SVC(kernel="linear", tol=1e-6).fit(X, y).coef_[0] ** 2
    order = SVMRFE(step=0.5, n_features_to_select=None).fit(X, y).order_
    np.testing.assert_array_equal(order[15:], np.argsort(-weights)[15:])
    np.testing.assert_array_equal(
        SVMRFE(step=15, n_features_to_select=None).fit(X, y).order_[15:], order[15:]
    )


def test_libsvm_takes_over_when_the_active_set_gives_up(monkeypatch):
    X, y = gaussian(4, 40, 20)
    expected = SVMRFE(n_features_to_select=None).fit(X, y).order_

    def give_up(self, *features):
        raise NotSolvedError

    for solver in (DualSVM, ProximalSVM):
        monkeypatch.setattr(solver, "solve", give_up)
    np.testing.assert_array_equal(SVMRFE(n_features_to_select=None).fit(X, y).order_, expected)


def test_large_tables_use_libsvm(monkeypatch):
    X, y = gaussian(4, 40, 20)
    expected = SVMRFE(n_features_to_select=None).fit(X, y).order_
    monkeypatch.setattr(elimination, "_LARGEST", 10)
    np.testing.assert_array_equal(SVMRFE(n_features_to_select=None).fit(X, y).order_, expected)


@pytest.mark.parametrize("method", [SVMRFE, SWSVMRFE, L0SVM, EnsembleSVMRFE])
def test_awkward_tables(method):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 8))
    X[:, 3] = X[:, 1]
    for y in ([0] * 29 + [1], rng.integers(0, 2, 30), rng.random(30) < 0.5, [0.0, 1.0, 2.0] * 10):
        selector = method(C=10.0, n_features_to_select=3).fit(X * 1e4, np.array(y))
        assert np.isfinite(selector.scores_).all()
        assert (np.diff(selector.scores_[selector.order_]) <= 0).all()


def test_duplicates_leave_smaller_index_first():
    X, y = gaussian(6, 40, 10)
    X[:, 7] = X[:, 3]
    ranking = SVMRFE(n_features_to_select=None).fit(X, y).ranking_
    assert ranking[7] < ranking[3]


@pytest.mark.parametrize("method", [SVMRFE, SWSVMRFE, L0SVM, EnsembleSVMRFE])
@pytest.mark.parametrize("C", [0.0, -1.0])
def test_cost_must_be_positive(method, C):
    with pytest.raises(ValueError, match="'C' parameter"):
        method(C=C).fit(*gaussian(0, 20, 5))


def test_margin_vectors_by_their_formula():
    X, y = gaussian(0, 12, 5, 3)
    vectors = margin_vectors(X, y)
    for i in range(12):
        hits = [p for p in range(12) if y[p] == y[i] and p != i]
        misses = [p for p in range(12) if y[p] != y[i]]
        for j in range(5):
            expected = np.mean([abs(X[i, j] - X[p, j]) for p in misses])
            expected -= np.mean([abs(X[i, j] - X[p, j]) for p in hits])
            assert vectors[i, j] == pytest.approx(expected)


def test_a_wrong_label_weighs_least():
    X, y = gaussian(0, 40, 10, shift=6.0)
    y[5] = 1 - y[5]
    selector = SWSVMRFE(n_features_to_select=None).fit(X, y)
    assert selector.sample_weights_.argmin() == 5
    assert selector.sample_weights_[5] < 0.6
    assert selector.sample_weights_.mean() == pytest.approx(1)
    np.testing.assert_array_equal(sample_weights(np.zeros((4, 4))), np.ones(4))


def test_a_bag_is_an_svm_on_the_drawn_rows():
    X, y = gaussian(3, 40, 12)
    times = times_drawn(y, np.random.RandomState(0))
    assert times.sum() == 40
    assert times[y == 1].sum() == 20
    rows = np.repeat(np.arange(40), times.astype(int))
    bagged, _ = elimination.eliminate(X, y, times, 1)
    np.testing.assert_array_equal(bagged, rfe_order(X[rows], y[rows]))


def test_ensemble_is_the_mean_place():
    X, y = gaussian(3, 40, 12)
    selector = EnsembleSVMRFE(n_estimators=5, random_state=1, n_features_to_select=None).fit(X, y)
    random = np.random.RandomState(1)
    places = []
    for _ in range(5):
        order, _ = elimination.eliminate(X, y, times_drawn(y, random), 0.2)
        places.append(np.argsort(order))
    np.testing.assert_allclose(selector.scores_, 1 - np.mean(places, axis=0) / 11)


@pytest.mark.parametrize("case", cases("l0_svm"))
def test_published_zero_norm_rankings(case):
    X, y = table(case["data"])
    selector = L0SVM(C=1e6).fit(X, y)
    rounds = np.ceil(selector.scores_) - 1
    kept = selector.order_[: selector.n_features_]
    # the published program lists the features that go in one round by their index
    gone = sorted(set(range(X.shape[1])) - set(kept), key=lambda j: (-rounds[j], j))
    np.testing.assert_array_equal([*kept, *gone], case["ranking"])


@pytest.mark.parametrize(("T", "n", "seed"), [(40, 3, 24), (100, 3, 29), (250, 2, 10)])
def test_the_zero_norm_ends_where_every_scale_underflows(T, n, seed):
    """No line separates the corners of a square: each update multiplies the scales by less."""
    X = 2 * np.random.default_rng(seed).random((T, n)) - 1
    selector = L0SVM(n_features_to_select=1).fit(X, X[:, 0] * X[:, 1] < 0)
    assert np.isfinite(selector.scores_).all()
    assert selector.scores_.max() > 0


@pytest.mark.parametrize("size", [1e4, 1e8, 1e11])
def test_a_dominant_feature_leaves_no_trace_in_the_order_of_the_rest(size, rng):
    """It leaves first; beside its square all that the others hold is rounding."""
    X, y = rng.normal(size=(30, 8)), np.arange(30) % 2
    X[:, :3] += y[:, None] * np.array([1.5, 1.0, 0.5])
    large = size * np.where(np.arange(30) // 2 % 2, 1.0, -1.0)
    order = SVMRFE(n_features_to_select=None).fit(np.column_stack([large, X]), y).order_
    assert order[-1] == 0
    np.testing.assert_array_equal(
        order[:-1] - 1, SVMRFE(n_features_to_select=None).fit(X, y).order_
    )


def test_an_offset_far_from_zero_changes_nothing(rng):
    """Such a table once took ten seconds: the solver saw the offset and not the column."""
    X, y = rng.normal(size=(14, 1)), np.arange(14) % 2
    plain, began = SVMRFE(n_features_to_select=None).fit(X, y), time.process_time()
    moved = SVMRFE(n_features_to_select=None).fit(X - 1e6, y)
    assert time.process_time() - began < 3
    np.testing.assert_allclose(moved.scores_, plain.scores_, rtol=1e-6)


def test_a_weight_of_zero_to_rounding_is_zero_for_every_order_of_rows():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = (np.arange(12) % 3 == 0).astype(int)
        X = rng.normal(size=(12, 1))
        for rows in (np.arange(12), rng.permutation(12)):
            score = SVMRFE(n_features_to_select=1).fit(X[rows], y[rows]).scores_[0]
            assert score == 0.0 or score > 1e-20
