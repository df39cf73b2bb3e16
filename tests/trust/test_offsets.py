"""Offsets, constants and samples without a part change nothing that they should not change."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFSC
from inffs.measures import cox_score, effects, fisher, squared_correlation


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
    assert effects(x[:, None], y).slope[0] == pytest.approx(exact, rel=1e-12)


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
