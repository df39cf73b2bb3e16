"""Offsets, constants and samples without a part change nothing that they should not change."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFSC
from inffs.measures import cox_score, effects, fisher, squared_correlation
from inffs.methods import ILFS, JMI, MIFS, MRMR, NHTP, FisherScore, MutualInformation
from inffs.scores import Ranking, count_ties, falling_order


def _exact_share(x, y):
    x, y = ([Fraction(float(one)) for one in each] for each in (x, y))
    x, y = ([one - sum(each) / len(each) for one in each] for each in (x, y))
    shared = sum(a * b for a, b in zip(x, y, strict=True))
    return float(shared**2 / (sum(a * a for a in x) * sum(b * b for b in y)))


@pytest.mark.parametrize("value", [3.3, 0.1, 1e9 + 1 / 3])
def test_a_sparse_constant_column_has_no_fisher_score(value):
    for seed in range(70):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.5)
        X[:, 1], y = value, rng.integers(0, 3, 40)
        found = fisher(sparse.csc_matrix(X), y)
        assert found[1] == 0.0
        np.testing.assert_allclose(found, fisher(X, y), rtol=1e-10)


@pytest.mark.parametrize("far", [1e6, 1e9, 1e15])
def test_a_sample_never_at_risk_has_no_part_in_the_cox_score(rng, far):
    X, time = rng.normal(size=(60, 4)), 1 + rng.exponential(size=60)
    event = rng.random(60) < 0.7
    expected = cox_score(X, time, event)
    more = np.vstack([X, np.full((1, 4), far)])
    found = cox_score(more, np.append(time, 0.5), np.append(event, False))
    np.testing.assert_array_equal(found, expected)


def test_squared_correlation_of_narrow_columns_is_exact(rng):
    z, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    X = np.column_stack([1e6 + 1e-9 * z[:, 0], 1.7e9 + 1e-4 * z[:, 1], z[:, 2], np.full(50, 3.3)])
    expected = [_exact_share(column, y) for column in X.T[:3]]
    found = squared_correlation(X, y)
    np.testing.assert_allclose(found[:3], expected, rtol=1e-12)
    assert found[3] == 0.0
    shifted = 1.7e9 + 1e-4 * y
    expected = [_exact_share(column, shifted) for column in X.T[:3]]
    np.testing.assert_allclose(squared_correlation(X, shifted)[:3], expected, rtol=1e-12)


def test_the_slope_of_a_narrow_column_is_exact(rng):
    x, y = 1e6 + 1e-9 * rng.normal(size=50), 1e6 + rng.normal(size=50)
    a, b = ([Fraction(float(one)) for one in each] for each in (x, y))
    a, b = ([one - sum(each) / 50 for one in each] for each in (a, b))
    exact = float(sum(s * t for s, t in zip(a, b, strict=True)) / sum(s * s for s in a))
    assert effects(x[:, None], y)["slope"][0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("spread", [1e-4, 1e-3, 1.0])
def test_conditional_paths_follow_numbers_with_a_large_offset(rng, spread):
    X = rng.normal(size=(80, 12))
    y = 1.7e9 + spread * (X[:, 3] + 0.5 * X[:, 7] + 0.1 * rng.normal(size=80))
    selector = InfFSC(n_features_to_select=12)
    expected = selector.fit(X, (y - 1.7e9) / spread)
    order, scores = expected.order_, expected.scores_
    found = InfFSC(n_features_to_select=12).fit(X, y)
    np.testing.assert_array_equal(found.order_, order)
    np.testing.assert_allclose(found.scores_, scores, rtol=1e-9)


def test_a_weighted_sparse_constant_column_has_no_fisher_score():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        T = int(rng.integers(6, 40))
        X = rng.normal(size=(T, 3)) * (rng.random((T, 3)) < 0.4)
        X[:, 0], X[:, 1] = 3.3, rng.normal()
        y, weight = rng.permutation(np.arange(T) % 3), rng.random(T) + 0.1
        found = fisher(sparse.csc_matrix(X), y, sample_weight=weight)
        assert found[:2].tolist() == [0.0, 0.0]
        np.testing.assert_allclose(found, fisher(X, y, sample_weight=weight), rtol=1e-10)


def test_weighted_squared_correlation_of_narrow_columns_is_exact(rng):
    z, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    X = np.column_stack([1e6 + 1e-9 * z[:, 0], 1.7e9 + 1e-4 * z[:, 1], z[:, 2], np.full(30, 3.3)])
    weight = rng.integers(1, 4, 30)
    repeated = np.repeat(np.arange(30), weight)
    for target in (y, 1.7e9 + 1e-4 * y, 1e6 + 1e-9 * y):
        expected = [_exact_share(column, target[repeated]) for column in X[repeated].T[:3]]
        found = squared_correlation(X, target, sample_weight=weight)
        np.testing.assert_allclose(found[:3], expected, rtol=1e-12)
        assert found[3] == 0.0
    X[:5, 2] = np.nan
    there = repeated[repeated >= 5]
    found = squared_correlation(X, target, sample_weight=weight)[2]
    assert found == pytest.approx(_exact_share(X[there, 2], target[there]), rel=1e-12)


def test_weights_of_ilfs_are_copies_where_shares_lie_on_edges_of_tokens():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        half = np.round(rng.normal(size=(6, 4)), 1)
        X, y = np.vstack([half, 1.1 - half]), np.repeat([0, 1], 6)
        weight = np.tile(rng.integers(1, 4, 6), 2)
        copies = np.repeat(np.arange(12), weight)
        found = ILFS(n_features_to_select=3).fit(X, y, sample_weight=weight)
        expected = ILFS(n_features_to_select=3).fit(X[copies], y[copies])
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_order_of_the_classes_changes_no_pursuit(classes):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = np.round(rng.normal(size=(20, 6)), 1), rng.permutation(np.arange(20) % classes)
        found = NHTP(n_features_to_select=3).fit(X, y)
        expected = NHTP(n_features_to_select=3).fit(X, classes - 1 - y)
        np.testing.assert_array_equal(found.order_, expected.order_)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-8)


@pytest.mark.parametrize("method", [MRMR, MIFS, JMI])
@pytest.mark.parametrize("levels", [3, 17, 30, 60])
def test_factors_change_no_information_criterion(method, levels, rng):
    X = rng.integers(0, levels, size=(60, 12)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=60) * levels / 4 > levels).astype(int)
    factors = rng.choice([1, 2, 3, 10, 0.5, 0.1, 100], 12)
    order = method(n_features_to_select=12).fit(X, y).order_
    np.testing.assert_array_equal(method(n_features_to_select=12).fit(X * factors, y).order_, order)


def test_scores_that_agree_to_rounding_stand_by_index():
    scores = np.array([0.3, 0.7, 0.1 + 0.2, 0.7 + 1e-16, 0.3 - 1e-16, 0.7 + 2.5e-13, 0.5])
    assert falling_order(scores).tolist() == [1, 3, 5, 6, 0, 2, 4]
    assert falling_order(scores + 1e-15 * np.arange(7)).tolist() == [1, 3, 5, 6, 0, 2, 4]
    found = Ranking(scores).order
    assert count_ties(scores[found]).tolist() == [2, 2, 2, 0, 2, 2, 2]
    ranking = Ranking(scores[found])
    assert ranking.tie_at(3) == ranking.tie_at(4) == ""
    assert "3 features" in ranking.tie_at(2)


def test_dense_sparse_and_weighted_tables_have_one_order(rng):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (24, 30)) * 0.1
        y = np.arange(24) % 3
        X[:, 15:] = X[:, :15][:, rng.permutation(15)]
        for method in (FisherScore, MutualInformation):
            orders = [
                method(n_features_to_select=5).fit(X, y).order_,
                method(n_features_to_select=5).fit(sparse.csc_matrix(X), y).order_,
                method(n_features_to_select=5).fit(X, y, sample_weight=np.ones(24)).order_,
            ]
            np.testing.assert_array_equal(orders[1], orders[0])
            np.testing.assert_array_equal(orders[2], orders[0])
