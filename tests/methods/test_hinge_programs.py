"""LASSO with the hinge loss and FSV: their linear programs against recorded and naive ones."""

import numpy as np
import pytest
from scipy.optimize import linprog

from inffs.methods import FSV, LassoHinge
from inffs.methods.fsv import separate
from inffs.methods.lasso_hinge import upper_bound, walk
from inffs.methods.solvers.hinge_lp import HingeProgram
from inffs.methods.solvers.one_vs_rest import sides, standardise, stratified_folds
from tests.methods.supervised_goldens import cases, table


def gaussian(seed, T, n, classes=2, shift=0.8):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % classes
    X = rng.normal(size=(T, n))
    X[:, :4] += shift * y[:, None]
    return X, y


def whole_program(Z, side, losses, costs):
    """The linear program over all columns at once, as printed."""
    T, n = Z.shape
    rows = np.hstack([-side[:, None] * Z, side[:, None] * Z, -side[:, None], -np.eye(T)])
    bounds = [(0, None)] * (2 * n) + [(None, None)] + [(0, None)] * T
    price = np.concatenate([costs, costs, [0], losses])
    return linprog(price, A_ub=rows, b_ub=-np.ones(T), bounds=bounds, method="highs-ds")


def value(Z, side, losses, costs, weights, bias):
    slack = np.maximum(0, 1 - side * (Z @ weights + bias))
    return losses @ slack + costs @ np.abs(weights)


@pytest.mark.parametrize("case", cases("lasso_hinge"))
def test_recorded_hinge_solutions(case):
    X, y = table(case["data"])
    Z = standardise(X)
    assert case["share"] * upper_bound(Z, y) == pytest.approx(case["lam"], rel=1e-12)
    point = walk(Z, y.astype(float), [case["lam"]])[-1]
    T, n = Z.shape
    found = value(Z, y, np.full(T, 1 / T), np.full(n, case["lam"]), point.weights, point.bias)
    assert found == pytest.approx(case["obj"], abs=1e-12)
    if case["share"] < 1:  # at the bound itself w = 0 is optimal too
        np.testing.assert_allclose(point.weights, case["w"], atol=1e-9)


def test_recorded_solution_along_the_path():
    for case in cases("lasso_hinge"):
        X, y = table(case["data"])
        if case["share"] == 0.05:
            alphas = case["lam"] * np.geomspace(20, 1, 30)
            point = walk(standardise(X), y.astype(float), alphas)[-1]
            np.testing.assert_allclose(point.weights, case["w"], atol=1e-8)


@pytest.mark.parametrize("shape", [(40, 200), (60, 10)])
def test_column_generation_solves_the_whole_program(shape):
    X, y = gaussian(1, *shape)
    side = 2.0 * y - 1
    Z, losses = standardise(X), np.random.default_rng(0).uniform(0.5, 1.5, shape[0]) / shape[0]
    costs = np.random.default_rng(1).uniform(0.02, 0.1, shape[1])
    point = HingeProgram(Z, side, losses).solve(costs)
    whole = whole_program(Z, side, losses, costs)
    found = value(Z, side, losses, costs, point.weights, point.bias)
    assert found == pytest.approx(whole.fun, rel=1e-9)
    assert (point.gains <= costs * (1 + 1e-7)).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("T", "n", "minority"), [(40, 60, 20), (50, 8, 15), (30, 100, 4)])
def test_every_point_of_a_path_is_optimal(seed, T, n, minority):
    X, _ = gaussian(seed, T, n)
    side = np.where(np.arange(T) < minority, 1.0, -1.0)
    X[:minority, :3] += 1.0
    Z = standardise(X)
    alphas = upper_bound(Z, side) * np.geomspace(0.95, 0.002, 25)
    path = walk(Z, side, alphas)
    losses = np.full(T, 1 / T)
    for alpha, point in list(zip(alphas, path, strict=True))[::4]:
        whole = whole_program(Z, side, losses, np.full(n, alpha))
        found = value(Z, side, losses, np.full(n, alpha), point.weights, point.bias)
        assert found == pytest.approx(whole.fun, rel=1e-8, abs=1e-10)


def test_path_on_integers_with_ties():
    X, y = table("b")
    X = np.hstack([np.round(X), np.round(X[:, :3])])
    Z, side = standardise(X), y.astype(float)
    alphas = upper_bound(Z, side) * np.geomspace(0.95, 0.002, 20)
    for alpha, point in zip(alphas, walk(Z, side, alphas), strict=True):
        whole = whole_program(Z, side, np.full(60, 1 / 60), np.full(33, alpha))
        found = value(Z, side, np.full(60, 1 / 60), np.full(33, alpha), point.weights, point.bias)
        assert found == pytest.approx(whole.fun, rel=1e-8, abs=1e-10)


def test_rank_by_entry():
    X, y = gaussian(2, 60, 30)
    selector = LassoHinge(n_alphas=20).fit(X, y)
    Z, side = standardise(X), 2.0 * y - 1
    used = np.array([point.weights != 0 for point in walk(Z, side, selector.alphas_)])
    entry = np.where(used.any(axis=0), selector.alphas_[used.argmax(axis=0)], 0)
    np.testing.assert_allclose(selector.scores_, entry)
    assert (np.diff(selector.scores_[selector.order_]) <= 0).all()
    assert set(selector.order_[:3]) <= {0, 1, 2, 3}


def test_a_number_brings_its_own_subset():
    X, y = gaussian(2, 60, 30)
    selector = LassoHinge(alpha=0.1).fit(X, y)
    weights = walk(standardise(X), 2.0 * y - 1, [0.1])[-1].weights
    assert selector.cut_.name == "own"
    np.testing.assert_array_equal(selector.support_, weights != 0)
    assert LassoHinge(alpha=50.0).fit(X, y).n_features_ == 1


@pytest.mark.parametrize("name", ["a_plain", "b"])
def test_recorded_hard_margin_programs(name):
    """With sparsity near 0 the slacks are free of charge no more: the published hard margin."""
    recorded = next(case["W"] for case in cases("fsv") if case["data"] == name)
    X, y = table(name)
    for programs, expected in enumerate(recorded, start=1):
        plane = separate(X, y.astype(float), 1e-5, 5.0, programs)
        assert plane.programs == programs
        # the published interior-point program solves its first program to 1e-5 only
        atol = 2e-5 if programs == 1 else 1e-7 if programs == 2 else 1e-8
        np.testing.assert_allclose(plane.last.weights, expected, atol=atol)


def test_recorded_program_with_a_duplicate_column():
    """The optimum is not unique there: its value is."""
    recorded = next(case["W"] for case in cases("fsv") if case["data"] == "a")
    X, y = table("a")
    plane = separate(X, y.astype(float), 1e-5, 5.0, 1)
    assert np.abs(plane.last.weights).sum() == pytest.approx(np.abs(recorded[0]).sum(), abs=1e-6)


def concave_objective(Z, side, point):
    losses = np.where(side > 0, 0.95 / (side > 0).sum(), 0.95 / (side < 0).sum())
    slack = np.maximum(0, 1 - side * (Z @ point.weights + point.bias))
    return losses @ slack + 0.05 * (1 - np.exp(-5 * np.abs(point.weights))).sum()


def test_fsv_minimises_its_concave_objective():
    X, y = gaussian(0, 60, 20)
    Z, side = standardise(X), 2.0 * y - 1
    planes = [separate(Z, side, 0.05, 5.0, k).last for k in range(1, 8)]
    values = [concave_objective(Z, side, plane) for plane in planes]
    assert (np.diff(values) <= 1e-10).all()
    assert values[-1] < values[0]


@pytest.mark.parametrize("seed", [0, 1, 158])
def test_moved_samples_and_columns_give_planes_of_equal_value(seed):
    """Thirteen classes of three or four: of several best planes any may come, none is worse."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(45) % 13)
    Z = standardise(rng.normal(size=(45, 14)))
    rows, columns = rng.permutation(45), rng.permutation(14)
    for side, moved in zip(sides(y, 13), sides(y[rows], 13), strict=True):
        plane, other = (separate(*given, 0.05, 5.0, 50) for given in
                        ((Z, side), (Z[rows][:, columns], moved)))  # fmt: skip
        value = concave_objective(Z, side, plane.last)
        assert concave_objective(Z[rows][:, columns], moved, other.last) == pytest.approx(value)


def test_moved_samples_and_columns_move_the_scores_where_one_plane_is_best():
    X, y = gaussian(0, 60, 20)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(60), rng.permutation(20)
    moved = FSV().fit(X[rows][:, columns], y[rows]).scores_
    np.testing.assert_allclose(moved, FSV().fit(X, y).scores_[columns], rtol=1e-6, atol=1e-9)


def test_fsv_subset_and_order():
    X, y = gaussian(0, 60, 20)
    selector = FSV().fit(X, y)
    assert selector.cut_.name == "own"
    np.testing.assert_array_equal(selector.support_, selector.scores_ > 0)
    assert set(selector.order_[:2]) <= {0, 1, 2, 3}
    assert FSV(sparsity=0.99).fit(X, y).n_features_ == 1


@pytest.mark.parametrize("method", [FSV, LassoHinge])
def test_awkward_tables(method):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24, 8))
    X[:, 3] = X[:, 1]
    X[:, 6] *= 1e6
    for y in ([0] * 23 + [1], rng.integers(0, 2, 24), rng.random(24) < 0.5, [0.0, 1.0, 2.0] * 8):
        selector = method(n_features_to_select=3).fit(X, np.array(y))
        assert np.isfinite(selector.scores_).all()
        assert selector.scores_.max() > 0


@pytest.mark.parametrize("alpha", [0.0, -1.0, "none"])
@pytest.mark.parametrize("method", [FSV, LassoHinge])
def test_alpha_must_be_positive(method, alpha):
    with pytest.raises(ValueError, match="'alpha' parameter"):
        method(alpha=alpha).fit(*gaussian(0, 20, 5))


def test_folds_hold_every_class():
    y = np.repeat([0, 1, 2], [10, 6, 5])
    folds = stratified_folds(y)
    np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), range(21))
    for train, test in folds:
        assert set(y[train]) == {0, 1, 2}
        assert not set(train) & set(test)
