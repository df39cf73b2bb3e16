"""Every method takes a table on disk: by columns where it works so, whole where that fits."""

import re

import numpy as np
import pytest

from inffs import catalogue, open_table, rank
from inffs.cuts.predict import SIZES
from inffs.validation import intake
from inffs.validation.lazy import LazyTable
from tests.quick import draws, quick_params

EVERY = [entry.key for entry in catalogue()]
BY_COLUMNS = [entry.key for entry in catalogue() if entry.estimator._lazy]


def quick(entry):
    """Parameters for a quick fit that is the same every time."""
    seed = {"random_state": 0} if draws(entry.estimator) else {}
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
    given = {**FIXED[key], "n_features_to_select": 5}
    lazy = rank(on_disk, y, method=key, **given)
    whole = rank(X, y, method=key, **given)
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(lazy.order_, whole.order_)


def read_at_most(monkeypatch, most):
    """From now on a table on disk may be read by so many columns at once."""
    read = LazyTable.__array__

    def bounded(self, *args, **kwargs):
        assert self.shape[1] <= most, f"{self.shape[1]} columns were read at once"
        return read(self, *args, **kwargs)

    monkeypatch.setattr(LazyTable, "__array__", bounded)
    monkeypatch.setattr(intake, "available_memory", lambda: 1000.0)


@pytest.mark.parametrize("key", BY_COLUMNS)
def test_by_columns_means_never_whole(key, table, monkeypatch):
    on_disk, _, y = table
    read_at_most(monkeypatch, 30)
    given = {**FIXED[key], "n_features_to_select": 5}
    rank(on_disk, y, method=key, **given)


@pytest.mark.parametrize("key", BY_COLUMNS)
def test_the_size_rule_reads_the_columns_of_the_largest_size(key, rng, tmp_path, monkeypatch):
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 250))
    X[:, :4] += 2 * y[:, None]
    np.save(tmp_path / "X.npy", X)
    whole = rank(X, y, method=key, **FIXED[key])
    read_at_most(monkeypatch, SIZES[-1])
    on_disk = rank(open_table(tmp_path / "X.npy"), y, method=key, **FIXED[key])
    assert (on_disk.n_features_, on_disk.cut_.name) == (whole.n_features_, whole.cut_.name)


@pytest.mark.parametrize("key", [key for key in EVERY if key not in BY_COLUMNS])
def test_a_table_that_does_not_fit_is_refused(key, table, monkeypatch):
    on_disk, _, y = table
    monkeypatch.setattr(intake, "available_memory", lambda: 1000.0)
    with pytest.raises(ValueError, match="needs the whole table in memory") as caught:
        rank(on_disk, y, method=key)
    proposed = re.search(r"on disk, such as (.+), (.+) or (.+)\.$", str(caught.value)).groups()
    assert set(proposed) <= set(BY_COLUMNS)


def test_unhinged_thresholds_by_columns(table):
    on_disk, X, y = table
    lazy = rank(on_disk, y, method="lasso-unhinged", alpha=0.05)
    whole = rank(X, y, method="lasso-unhinged", alpha=0.05)
    np.testing.assert_allclose(lazy.scores_, whole.scores_, rtol=1e-12)
    assert lazy.alpha_ == pytest.approx(whole.alpha_, rel=1e-12)
