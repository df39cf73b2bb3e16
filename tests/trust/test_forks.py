"""A child forked while threads of its parent fit: it inherits no lock that nobody opens."""

import multiprocessing
import os
import threading

import numpy as np
import pytest

from inffs import open_table
from inffs.guards import look_at
from inffs.methods import FisherScore

CHILDREN, SECONDS = 12, 20

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


def fits(X, y):
    FisherScore(n_features_to_select=1).fit(X, y)


def children_that_end(work):
    """Fork children that work while three threads do; how many of them end by themselves."""
    enough = threading.Event()

    def go_on():
        while not enough.is_set():
            work()

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        children = [
            multiprocessing.get_context("fork").Process(target=work) for _ in range(CHILDREN)
        ]
        for child in children:
            child.start()
            child.join(SECONDS)
            if child.exitcode is None:
                child.kill()
                child.join()
    finally:
        enough.set()
        for thread in threads:
            thread.join()
    return sum(child.exitcode == 0 for child in children)


def test_children_forked_during_fits_end(rng):
    X, y = rng.normal(size=(30, 20_000)), np.arange(30) % 3
    assert children_that_end(lambda: fits(X, y)) == CHILDREN


def test_children_forked_while_a_file_is_read_end(rng, tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {f"x{j}": rng.normal(size=200) for j in range(300)}
    parquet.write_table(pa.table(columns), tmp_path / "X.parquet")
    table = open_table(tmp_path / "X.parquet")
    assert children_that_end(lambda: table.read(slice(None))) == CHILDREN


def test_children_forked_while_a_table_is_looked_at_end(rng):
    X, y = rng.normal(size=(30, 4000)), np.arange(30) % 3
    assert children_that_end(lambda: look_at(X, y)) == CHILDREN
