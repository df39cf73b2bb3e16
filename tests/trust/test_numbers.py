"""Numbers that can be relied on: threads, types, processes and time change nothing."""

import gc
import json
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import inffs
from inffs import RoundingWarning, rank
from tests.trust.tables import ENTRIES, fitted

every_method = pytest.mark.parametrize("key", ENTRIES)
FAST = ["inf-fs-u", "inf-fs-s", "laplacian", "relieff", "fisher", "mi", "mrmr", "cfs"]


def table(T=50, n=40, classes=3, seed=11):
    """float32 values, so that both types hold the same table."""
    rng = np.random.default_rng(seed)
    y = np.arange(T) % classes
    X = rng.normal(size=(T, n)) * rng.uniform(0.5, 2, n)
    X[:, : n // 4] += y[:, None]
    return X.astype(np.float32).astype(np.float64), y


def ranked(key, X, y):
    """All features are kept: "auto" would rank parts of the table again to check a size."""
    return fitted(key, X, y, X.shape[1])


def order_of(key):
    """For workers: the order of the shared table."""
    return ranked(key, *table()).order_.tolist()


@every_method
def test_one_and_two_threads_give_one_order(key):
    X, y = table()
    with threadpool_limits(1):
        one = ranked(key, X, y)
    with threadpool_limits(2):
        two = ranked(key, X, y)
    np.testing.assert_array_equal(two.order_, one.order_)
    np.testing.assert_allclose(two.scores_, one.scores_, rtol=1e-7, atol=1e-10)


@every_method
def test_float32_holds_the_same_values_as_float64(key):
    X, y = table()
    double, single = ranked(key, X, y), ranked(key, X.astype(np.float32), y)
    np.testing.assert_array_equal(single.order_, double.order_)
    assert single.scores_.dtype == np.float64


def test_ten_threads_at_once():
    alone = {key: order_of(key) for key in FAST}
    asked = (FAST * 5)[:40]
    with ThreadPoolExecutor(10) as pool:
        together = list(pool.map(order_of, asked))
    assert together == [alone[key] for key in asked]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers(start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {start} here")
    here = [order_of(key) for key in FAST]
    with multiprocessing.get_context(start).Pool(2) as pool:
        there = pool.map_async(order_of, FAST).get(timeout=240)
    assert there == here


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def growth_of_200_fits(key):
    """MiB that fits 11 to 200 add to this process."""
    X, y = table(T=60, n=200)
    for done in range(200):
        fitted(key, X, y)
        if done == 9:
            gc.collect()
            early = resident()
    gc.collect()
    return resident() - early


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("key", FAST)
def test_two_hundred_fits_leak_nothing(key, monkeypatch):
    """In a process of its own: what other tests left to the allocator is not ours.

    One heap for all threads: a second one that a thread begins on a busy machine is no leak.
    """
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(growth_of_200_fits, (key,)) < 5


@every_method
def test_ties_are_counted(key):
    X, y = table(T=40, n=12)
    X[:, 7] = X[:, 2]
    X[:, [4, 9, 11]] = 1.0
    selector = ranked(key, X, y)
    assert selector.ties_.shape == (12,)
    assert selector.ties_[[4, 9, 11]].tolist() == [2, 2, 2]
    scores, ties = selector.scores_, selector.ties_
    if ties[2]:  # a method with an order of its own has none
        assert ties[2] == ties[7] >= 1
        np.testing.assert_allclose(scores[2], scores[7], rtol=1e-10)


@pytest.mark.parametrize("key", ["inf-fs-u", "inf-fs-s", "laplacian", "fisher", "mi", "relieff"])
def test_a_cut_through_a_tie_says_so(key):
    X, y = table(T=40, n=6)
    X[:, [1, 3, 5]] = X[:, :1]
    selector = ENTRIES[key].estimator(n_features_to_select=2).fit(X, y)
    place = selector.ranking_[[0, 1, 3, 5]]
    sentence = "goes through 4 features whose scores agree to rounding"
    assert (sentence in selector.cut_.why) == bool(place.min() <= 2 < place.max())
    first = int(place.min())
    cut_inside = ENTRIES[key].estimator(n_features_to_select=first).fit(X, y)
    assert sentence in cut_inside.cut_.why
    assert selector.ties_.tolist() == [3, 3, 0, 3, 0, 3]


def ring_of_samples():
    """Points of a regular polygon: eigenvalues of their neighbour graph come in pairs."""
    angle = 2 * np.pi * np.arange(24) / 24
    return np.column_stack([np.cos(angle), np.sin(angle)])


def test_repeated_eigenvalues_are_told():
    with pytest.warns(RoundingWarning, match="rounding chooses it"):
        rank(ring_of_samples(), method="mcfs", n_neighbors=2, n_components=3)


def test_directions_that_are_not_unique_are_told():
    X = table(T=40, n=4)[0]
    X = np.column_stack([X, X @ np.array([[1, 2, 3], [2, 1, -1], [3, 1, 1], [4, -2, 5.0]])])
    with pytest.warns(RoundingWarning, match="drop such columns"):
        rank(X, method="udfs")


def orders_of(interpreter, **environment):
    script = Path(__file__).with_name("orders.py")
    source = Path(inffs.__file__).parents[1]
    done = subprocess.run(
        [interpreter, str(script)], check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(source), **environment},
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("other", ["OPENBLAS_CORETYPE", "INFFS_OTHER_PYTHON"])
def test_another_blas_gives_the_same_orders(other):
    """The same build with kernels for an old processor; and any interpreter that is named."""
    here = orders_of(sys.executable)
    if other == "OPENBLAS_CORETYPE":
        there = orders_of(sys.executable, OPENBLAS_CORETYPE="Prescott")
    elif other in os.environ:
        there = orders_of(os.environ[other])
    else:
        pytest.skip("INFFS_OTHER_PYTHON names no interpreter with another BLAS")
    assert there["tables"] == here["tables"]
    assert there["orders"] == here["orders"]
