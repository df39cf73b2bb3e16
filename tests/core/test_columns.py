"""What is told of columns before they are scored."""

import numpy as np
import pytest
from scipy import sparse

from inffs.validation.checks import (
    first_bad_value,
    first_unsquarable,
    identical_columns,
    varying_columns,
    without_offsets,
)


def table(rng):
    X = rng.normal(size=(50, 9))
    X[:, 2] = 4.0
    X[:-1, 5], X[-1, 5] = 1.0, 1.0 + 1e-15  # varies in the last row only
    X[:, 7] = X[:, 1]
    X[:, 8] = 0.0
    return X


def test_varying_columns(rng):
    X = table(rng)
    expected = np.flatnonzero(np.ptp(X, axis=0) > 0)
    np.testing.assert_array_equal(varying_columns(X), expected)
    np.testing.assert_array_equal(varying_columns(sparse.csc_array(X)), expected)


def test_identical_columns(rng):
    X = table(rng)
    X[:, 3] = X[:, 1]
    X[0, 3] += 1e-13  # nearly the same is not the same
    expected = [0, 1, 2, 3, 4, 5, 6, 1, 8]
    np.testing.assert_array_equal(identical_columns(X), expected)
    np.testing.assert_array_equal(identical_columns(sparse.csc_array(X)), expected)


def test_negative_zero_is_zero(rng):
    X = np.zeros((20, 2))
    X[3] = 1.0
    X[5, 1] = -0.0
    np.testing.assert_array_equal(identical_columns(X), [0, 0])


def test_columns_that_share_a_fingerprint_only(rng):
    X = rng.integers(0, 2, size=(200, 300)).astype(np.float32)
    first = identical_columns(X)
    for j, i in enumerate(first):
        assert (X[:, i] == X[:, j]).all()
    _, expected = np.unique(X, axis=1, return_inverse=True)
    assert np.unique(first).size == np.unique(expected).size


def test_first_bad_value(rng):
    X = table(rng)
    assert first_bad_value(X) is None
    X[9, 6], X[3, 4], X[2, 4] = np.nan, np.inf, np.nan
    assert first_bad_value(X) == (2, 4, "NaN")
    assert first_bad_value(sparse.csc_array(X)) == (2, 4, "NaN")


def test_only_columns_far_from_zero_are_moved(rng):
    X = table(rng)
    X[:, 2] = 7.0
    assert without_offsets(X) is X
    far_away = X.copy()
    far_away[:, [1, 2, 4]] += 2.0**40 * np.array([1, 1, -1])
    moved = without_offsets(far_away)
    kept = [j for j in range(X.shape[1]) if j not in (1, 4)]
    np.testing.assert_array_equal(moved[:, kept], far_away[:, kept])
    np.testing.assert_array_equal(moved[:, [1, 4]], far_away[:, [1, 4]] - far_away[0, [1, 4]])
    assert np.abs(moved[:, [1, 4]]).max() < 100


def test_sums_that_overflow_are_not_bad_values():
    X = np.full((3, 2), 1.5e308)
    assert first_bad_value(X) is None


@pytest.mark.parametrize("layout", [np.array, sparse.csc_array, np.asfortranarray])
def test_first_value_whose_square_overflows(layout, rng):
    X = rng.normal(size=(6, 5)) * 1e150
    assert first_unsquarable(layout(X)) is None
    assert first_unsquarable(layout(np.float32(1e30) * np.ones((6, 5), np.float32))) is None
    X[4, 3] = -1e155
    assert first_unsquarable(layout(X)) == (4, 3, -1e155)
    X[:, 1] = 0.0
    X[2, 2], X[0, 4] = 4e153, 1e155  # 1.3e154 / sqrt(30) is 2.4e153, whatever is stored
    assert first_unsquarable(layout(X)) == (2, 2, 4e153)
