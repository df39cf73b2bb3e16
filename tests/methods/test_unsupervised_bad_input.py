"""Awkward tables: a sound answer or one clear sentence from every unsupervised method."""

import numpy as np
import pytest

from inffs import rank

KEYS = ["laplacian", "mcfs", "llcfs", "cfs", "udfs", "dgufs", "fsasl", "ufsol"]
every_method = pytest.mark.parametrize("key", KEYS)
# such tables leave UDFS several directions of the same cost, and it says so
pytestmark = pytest.mark.filterwarnings("ignore::inffs.RoundingWarning")


def sound(selector, n):
    assert np.isfinite(selector.scores_).all()
    assert sorted(selector.order_) == list(range(n))


@pytest.mark.parametrize("key", [key for key in KEYS if key != "cfs"])
@pytest.mark.parametrize("T", [2, 5])
def test_no_more_samples_than_neighbours(key, T, rng):
    X = rng.normal(size=(T, 6))
    with pytest.raises(ValueError, match=r"n_\w+=\d+, but X has only \d samples"):
        rank(X, method=key)


@every_method
def test_smallest_table_that_is_accepted(key, rng):
    sound(rank(rng.normal(size=(7, 3)), method=key), 3)


@every_method
def test_one_column_that_varies(key, rng):
    X = np.ones((20, 3))
    X[:, 1] = rng.normal(size=20)
    selector = rank(X, method=key)
    sound(selector, 3)
    assert selector.order_[0] == 1
    assert rank(np.abs(X), method=key).order_[0] == 1  # of one sign


@every_method
def test_duplicate_samples(key, rng):
    X = np.repeat(rng.normal(size=(8, 5)), 4, axis=0)
    sound(rank(X, method=key), 5)


@every_method
def test_two_different_samples_only(key, rng):
    X = np.repeat(rng.normal(size=(2, 5)), 10, axis=0)
    sound(rank(X, method=key), 5)


@every_method
def test_one_sample_unlike_the_others(key, rng):
    X = np.zeros((30, 5))
    X[3] = rng.normal(size=5)
    sound(rank(X, method=key), 5)


@every_method
def test_all_zero_samples(key, rng):
    X = rng.normal(size=(25, 6))
    X[[0, 3, 4, 9, 10, 11, 12]] = 0.0
    sound(rank(X, method=key), 6)


@every_method
@pytest.mark.parametrize("T", [15, 60])
def test_constant_and_duplicate_columns(key, T, rng):
    X = rng.normal(size=(T, 20))
    X[:, 3] = -2.0
    X[:, 7] = X[:, 12]
    selector = rank(X, method=key)
    sound(selector, 20)
    assert selector.scores_[7] == pytest.approx(selector.scores_[12], rel=1e-9)
    assert selector.order_[-1] == 3


@every_method
def test_all_columns_equal(key, rng):
    X = np.repeat(rng.normal(size=(20, 1)), 5, axis=1)
    selector = rank(X, method=key)
    sound(selector, 5)
    np.testing.assert_allclose(selector.scores_, selector.scores_[0], rtol=1e-9, atol=1e-12)


@every_method
def test_integers_with_many_ties(key, rng):
    sound(rank(rng.integers(0, 2, size=(40, 9)), method=key), 9)
    sound(rank(rng.integers(0, 2, size=(20, 50)), method=key), 50)


@every_method
@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1e8, 1e30])
@pytest.mark.parametrize("n", [4, 40])
def test_small_and_large_values(key, scale, n, rng):
    sound(rank(scale * rng.normal(size=(20, n)), method=key), n)


@pytest.mark.parametrize("key", ["udfs", "fsasl", "ufsol"])
def test_more_clusters_than_samples(key, rng):
    with pytest.raises(ValueError, match="n_clusters=9, but X has only 8 samples"):
        rank(rng.normal(size=(8, 12)), method=key, n_clusters=9)


@pytest.mark.parametrize("key", ["udfs", "fsasl", "ufsol"])
def test_as_many_clusters_as_samples_or_features(key, rng):
    sound(rank(rng.normal(size=(8, 12)), method=key, n_clusters=8), 12)
    sound(rank(rng.normal(size=(20, 4)), method=key, n_clusters=6), 4)
