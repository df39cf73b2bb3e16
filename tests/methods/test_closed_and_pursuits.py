"""The unhinged LASSO, both hard-thresholding pursuits and recursive cluster elimination."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from inffs.methods import NHTP, SVMRCE, FisherScore, GraHTP, LassoUnhinged
from inffs.methods.hard_thresholding import Logistic, largest, minimise, pursue, pursue_exactly
from inffs.methods.solvers.one_vs_rest import standardise
from tests.methods.supervised_goldens import cases, table


def gaussian(seed, T, n, classes=2, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % classes
    X = rng.normal(size=(T, n))
    X[:, :4] += shift * y[:, None]
    return X, y


@pytest.mark.parametrize("case", cases("lasso_unhinged"))
def test_recorded_unhinged_scores(case):
    X, y = table(case["data"])
    selector = LassoUnhinged().fit(X, y)
    np.testing.assert_allclose(selector.scores_, np.abs(case["score"]), atol=1e-10)
    if case["data"] != "a":  # there two columns tie but for rounding
        np.testing.assert_array_equal(selector.order_, case["ranking"])


def test_unhinged_weights_minimise_the_objective():
    X, y = gaussian(0, 30, 6)
    Z, side = standardise(X), 2.0 * y - 1
    moment, alpha = (side[:, None] * Z).mean(axis=0), 0.15
    selector = LassoUnhinged(alpha=alpha).fit(X, y)

    def objective(parts):
        w = parts[:6] - parts[6:]
        return -w @ moment + alpha * parts.sum() + 0.5 * w @ w

    found = minimize(objective, np.zeros(12), bounds=[(0, None)] * 12, options={"ftol": 1e-15})
    np.testing.assert_allclose(selector.scores_, np.abs(found.x[:6] - found.x[6:]), atol=1e-5)
    np.testing.assert_array_equal(selector.support_, np.abs(moment) > alpha)
    assert LassoUnhinged(alpha=5.0).fit(X, y).n_features_ == 1


@pytest.mark.parametrize("alpha", ["path", 0.1])
def test_unhinged_sparse_is_dense(alpha):
    X, y = gaussian(0, 50, 12, 3)
    X[np.abs(X) < 0.7] = 0
    dense = LassoUnhinged(alpha=alpha).fit(X, y)
    thin = LassoUnhinged(alpha=alpha).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.scores_, dense.scores_, atol=1e-12)
    assert thin.n_features_ == dense.n_features_


def scaled(X, how):
    """The authors' scalings: 1 rows then columns to z-scores, 2 columns by their largest."""
    if how == 1:
        X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, ddof=1, keepdims=True)
        X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return X / np.abs(X).max(axis=0) if how == 2 else X


@pytest.mark.parametrize("case", cases("nhtp"))
def test_recorded_pursuits(case):
    X, y = table(case["data"])
    problem = Logistic(scaled(X, case["normalization"]), (y > 0) * 1.0)
    x, iterations = pursue(problem, case["s"], 2000, 1e-6)
    assert iterations == case["iter"]
    np.testing.assert_allclose(x, case["x"], rtol=1e-8, atol=1e-8)
    assert problem.value(x) == pytest.approx(case["obj"], abs=1e-10)


def test_logistic_derivatives():
    X, y = gaussian(0, 20, 30)
    problem = Logistic(X, y.astype(float))
    x = np.random.default_rng(1).normal(size=30) * 0.2
    step = 1e-6 * np.eye(30)
    slope = [(problem.value(x + d) - problem.value(x - d)) / 2e-6 for d in step]
    np.testing.assert_allclose(problem.gradient(x), slope, atol=1e-6)
    hessian = np.array([(problem.gradient(x + d) - problem.gradient(x - d)) / 2e-6 for d in step])
    for rows in (np.arange(8), np.arange(30)):  # fewer, then more features than samples
        right = np.random.default_rng(2).normal(size=rows.size)
        if rows.size == 30:
            right = hessian @ right
        solved = problem.newton(x, rows, right)
        np.testing.assert_allclose(hessian[np.ix_(rows, rows)] @ solved, right, atol=1e-4)


def test_inner_minimisation_matches_a_general_solver():
    X, y = gaussian(5, 60, 10, shift=0.5)
    problem, support = Logistic(X, y.astype(float)), np.array([0, 2, 7])
    x = minimise(problem, support, np.zeros(10), 1e-9)

    def value(part):
        full = np.zeros(10)
        full[support] = part
        return problem.value(full) + 0.5 * problem.ridge * part @ part

    found = minimize(value, np.zeros(3), options={"gtol": 1e-9})
    np.testing.assert_allclose(x[support], found.x, atol=1e-5)
    assert not np.delete(x, support).any()


@pytest.mark.parametrize("seed", range(3))
def test_pursuit_ends_at_a_fixed_point(seed):
    X, y = gaussian(seed, 80, 30, shift=0.7)
    problem = Logistic(standardise(X), y.astype(float))
    x, _ = pursue_exactly(problem, 4, 100, 1e-9)
    slope = problem.gradient(x)
    support = np.flatnonzero(x)
    assert np.abs(slope[support]).max() < 1e-8
    np.testing.assert_array_equal(largest(x - 1e-4 * slope, 4), support)
    start = minimise(problem, largest(problem.gradient(0 * slope), 4), 0 * slope, 1e-9)
    assert problem.value(x) <= problem.value(start) + 1e-12


@pytest.mark.parametrize("method", [NHTP, GraHTP])
def test_support_is_the_subset(method):
    X, y = gaussian(1, 60, 40)
    assert method().fit(X, y).n_features_ == 12  # a fifth of the samples
    asked = method(n_features_to_select=3).fit(X, y)
    assert np.count_nonzero(asked.scores_) == 3
    assert len(set(asked.order_[:3]) & {0, 1, 2, 3}) >= 2


@pytest.mark.parametrize("method", [NHTP, GraHTP, SVMRCE, LassoUnhinged])
def test_awkward_tables(method):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 8))
    X[:, 3] = X[:, 1]
    X[:, 6] *= 1e6
    X[:, 7] = 5.0
    for y in ([0] * 29 + [1], rng.integers(0, 2, 30), rng.random(30) < 0.5, [0.0, 1.0, 2.0] * 10):
        selector = method(n_features_to_select=6).fit(X, np.array(y))
        assert np.isfinite(selector.scores_).all()
        assert selector.order_[-1] == 7
    for support in (8, 0.9):
        assert np.isfinite(method(n_features_to_select=support).fit(X, X[:, 0] > 0).scores_).all()


def test_separable_classes_keep_finite_weights():
    X, y = gaussian(0, 40, 200, shift=8.0)
    for method in [each(n_features_to_select=size) for each in (NHTP, GraHTP) for size in (60, 2)]:
        assert np.isfinite(method.fit(X, y).scores_).all()


def test_clusters_that_carry_the_class_survive():
    X, y = gaussian(0, 60, 60, shift=1.5)
    X[:, 1:4] = X[:, [0]] + 0.1 * np.random.default_rng(1).normal(size=(60, 3))
    selector = SVMRCE(random_state=0, n_clusters=10, n_features_to_select=4).fit(X, y)
    assert set(selector.order_[:4]) == {0, 1, 2, 3}
    assert (np.diff(selector.scores_[selector.order_]) <= 0).all()


def test_screened_features_stand_last_by_fisher():
    X, y = gaussian(0, 40, 30)
    selector = SVMRCE(random_state=0, n_screened=12, n_features_to_select=12).fit(X, y)
    np.testing.assert_array_equal(
        selector.order_[12:], FisherScore(n_features_to_select=12).fit(X, y).order_[12:]
    )
    assert (selector.scores_[selector.order_[12:]] < 0).all()


def test_clusters_with_three_classes_and_a_seed():
    X, y = gaussian(1, 45, 20, 3)
    first, second = (
        SVMRCE(random_state=3, n_repeats=2, n_features_to_select=5).fit(X, y) for _ in range(2)
    )
    np.testing.assert_array_equal(first.order_, second.order_)
