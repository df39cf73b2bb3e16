"""Every method takes a table on disk: by columns where it works so, whole where that fits."""

import re

import numpy as np
import pytest

from inffs import catalogue, open_table, rank
from inffs.validation import intake
from inffs.validation.lazy import LazyTable
from tests.quick import quick_params

EVERY = [entry.key for entry in catalogue()]
BY_COLUMNS = [entry.key for entry in catalogue() if entry.estimator._lazy]


def quick(entry):
    """Parameters for a quick fit that is the same every time."""
    seed = {"random_state": 0} if entry.estimator._stochastic else {}
    return {**quick_params(entry.estimator), **seed}


FIXED = {entry.key: quick(entry) for entry in catalogue()}


@pytest.fixture
def table(rng, tmp_path):
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 60)) * rng.uniform(0.5, 2, 60)
    X[:, :4] += y[:, None]
    X[:, 7] = 4.0
    np.save(tmp_path / "X.npy", X)
    return open_table(tmp_path / "X.npy"), X, y


@pytest.mark.parametrize("key", EVERY)
def test_same_numbers(key, table):
    on_disk, X, y = table
    lazy = rank(on_disk, y, method=key, **FIXED[key])
    whole = rank(X, y, method=key, **FIXED[key])
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(lazy.order_, whole.order_)


@pytest.mark.parametrize("key", BY_COLUMNS)
def test_by_columns_means_never_whole(key, table, monkeypatch):
    on_disk, _, y = table
    read = LazyTable.__array__

    def not_whole(self, *args, **kwargs):
        # the check of "auto" reads the 50 columns that may be kept
        assert self.shape[1] <= 50, "the whole table was read at once"
        return read(self, *args, **kwargs)

    monkeypatch.setattr(LazyTable, "__array__", not_whole)
    monkeypatch.setattr(intake, "available_memory", lambda: 1000.0)
    rank(on_disk, y, method=key, **FIXED[key])


@pytest.mark.parametrize("key", [key for key in EVERY if key not in BY_COLUMNS])
def test_a_table_that_does_not_fit_is_refused(key, table, monkeypatch):
    on_disk, _, y = table
    monkeypatch.setattr(intake, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match="needs the whole table in memory") as caught:
        rank(on_disk, y, method=key)
    proposed = re.search(r"on disk, such as (.+), (.+) or (.+)\.$", str(caught.value)).groups()
    assert set(proposed) <= set(BY_COLUMNS)


@pytest.mark.parametrize("alpha", ["cv", 0.05])
def test_unhinged_thresholds_by_columns(alpha, table):
    on_disk, X, y = table
    lazy = rank(on_disk, y, method="lasso-unhinged", alpha=alpha)
    whole = rank(X, y, method="lasso-unhinged", alpha=alpha)
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-12)
    assert lazy.alpha_ == pytest.approx(whole.alpha_, rel=1e-12)
