"""UDFS, DGUFS, FSASL and UFSOL on tables that break the published programs."""

import numpy as np
import pytest

from inffs.methods import find_entry

KEYS = ["udfs", "dgufs", "fsasl", "ufsol"]
every_method = pytest.mark.parametrize("key", KEYS)
# such tables leave UDFS several directions of the same cost, and it says so
pytestmark = pytest.mark.filterwarnings("ignore::inffs.RoundingWarning")


def make(key, **params):
    selector = find_entry(key).estimator(**params)
    names = selector.get_params()
    if "random_state" in names:
        selector.set_params(random_state=0)
    return selector.set_params(max_iter=min(10, names["max_iter"]))


def scores(key, X, **params):
    fitted = make(key, **params).fit(X).scores_
    assert np.isfinite(fitted).all()
    return fitted


@every_method
@pytest.mark.parametrize("T", [3, 5])
def test_too_few_samples_for_the_neighbours(key, T, rng):
    with pytest.raises(ValueError, match=rf"n_neighbors=5, but X has only {T} samples"):
        make(key).fit(rng.normal(size=(T, 8)))


@every_method
def test_the_fewest_samples_that_will_do(key, rng):
    scores(key, rng.normal(size=(7, 8)))


@pytest.mark.parametrize("key", ["udfs", "fsasl", "ufsol"])
def test_more_clusters_than_samples(key, rng):
    with pytest.raises(ValueError, match="n_clusters=9, but X has only 8 samples"):
        make(key, n_clusters=9).fit(rng.normal(size=(8, 12)))


@pytest.mark.parametrize("key", ["udfs", "fsasl", "ufsol"])
def test_as_many_clusters_as_samples_or_features(key, rng):
    scores(key, rng.normal(size=(8, 12)), n_clusters=8)
    scores(key, rng.normal(size=(20, 4)), n_clusters=6)


@every_method
@pytest.mark.parametrize("n", [6, 40])
def test_duplicate_samples(key, n, rng):
    scores(key, np.repeat(rng.normal(size=(6, n)), 8, axis=0))
    two_kinds = np.repeat(rng.normal(size=(2, n)), [20, 10], axis=0)
    scores(key, two_kinds)


@every_method
@pytest.mark.parametrize("T", [15, 60])
def test_constant_and_duplicate_columns(key, T, rng):
    X = rng.normal(size=(T, 20))
    X[:, 3] = -2.0
    X[:, 7] = X[:, 12]
    fitted = scores(key, X)
    np.testing.assert_allclose(fitted[7], fitted[12], rtol=1e-6, atol=1e-12)
    assert make(key).fit(X).order_[-1] == 3


@every_method
@pytest.mark.parametrize("n", [5, 60])
def test_all_zero_samples(key, n, rng):
    X = rng.normal(size=(30, n))
    X[[2, 9, 10, 11, 20, 21, 22, 23]] = 0.0
    scores(key, X)


@every_method
def test_one_column_that_varies(key, rng):
    X = np.ones((20, 3))
    X[:, 1] = rng.normal(size=20)
    assert make(key).fit(X).order_[0] == 1
    X[:, 1] = np.abs(X[:, 1])  # of one sign
    assert make(key).fit(X).order_[0] == 1


@every_method
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_extreme_scales(key, scale, rng):
    scores(key, scale * rng.normal(size=(25, 10)))
    scores(key, scale * rng.normal(size=(12, 30)))


@every_method
def test_binary_table(key, rng):
    scores(key, rng.integers(0, 2, size=(30, 12)).astype(float))
    scores(key, rng.integers(0, 2, size=(20, 50)).astype(float))
