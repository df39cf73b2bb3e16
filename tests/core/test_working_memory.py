"""Every method holds its temporaries to scikit-learn's working_memory, and says what else it keeps.

What a fit keeps beside the table stands in the catalogue (``Entry.keeps``, counted in float64
numbers); all else must come in blocks. Peaks are those of NumPy's own allocations (tracemalloc).
"""

import re
import tracemalloc

import numpy as np
import pytest
from sklearn import config_context
from threadpoolctl import threadpool_limits

from inffs import catalogue
from inffs.methods import find_entry
from tests.quick import draws, quick_params

MIB = 2**20
SLACK = 5 * MIB  # blocks of a megabyte, a tile, and vectors of length n or T


def numbers_kept(entry, T, n):
    """``"2 n T + T^2"`` for this T and n."""
    text = re.sub(r"(?<=[\dnT]) (?=[nT])", " * ", entry.keeps or "0").replace("^", "**")
    return eval(text, {"n": n, "T": T})


def fit(key, X, y, working_memory):
    """The fitted selector and the bytes it took at its peak."""
    cls = find_entry(key).estimator
    seed = {"random_state": 0} if draws(cls) else {}
    selector = cls(n_features_to_select=5, **quick_params(cls), **seed)
    with config_context(working_memory=working_memory), threadpool_limits(1, user_api="blas"):
        tracemalloc.start()
        selector.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return selector, peak


def assert_small(key, T, n, rng):
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :10] += y[:, None]
    few, peak = fit(key, X, y, working_memory=1)
    assert peak <= 8 * 1.1 * numbers_kept(find_entry(key), T, n) + SLACK
    plenty, _ = fit(key, X, y, working_memory=1024)
    scale = np.abs(plenty.scores_).max()
    np.testing.assert_allclose(few.scores_, plenty.scores_, rtol=1e-8, atol=1e-10 * scale)
    np.testing.assert_array_equal(few.order_[:5], plenty.order_[:5])


@pytest.mark.parametrize("key", [entry.key for entry in catalogue()])
def test_many_features(key, rng):
    """The table takes 9.2 MiB: what is not kept must be far less."""
    assert_small(key, 100, 12_000, rng)


@pytest.mark.parametrize("key", ["laplacian", "llcfs", "mcfs", "relieff", "udfs", "ufsol"])
def test_many_samples(key, rng):
    """The distances of all pairs of samples would take 30 MiB."""
    T, n = 2000, 20
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :4] += 3 * y[:, None]
    few, peak = fit(key, X, y, working_memory=1)
    assert peak <= 8 * MIB
    plenty, _ = fit(key, X, y, working_memory=1024)
    np.testing.assert_allclose(few.scores_, plenty.scores_, rtol=1e-7, atol=1e-9)


def test_long_columns_come_one_at_a_time():
    from inffs._utils.threads import column_blocks

    with config_context(working_memory=16):
        widths = [b.stop - b.start for b in column_blocks(10, 1_000_000)]
    assert widths == [1] * 10
