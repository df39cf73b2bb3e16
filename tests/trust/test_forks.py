"""A child forked while threads of its parent fit: it inherits no lock that nobody opens."""

import multiprocessing
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from inffs import open_table
from inffs.guards import look_at
from inffs.methods import FisherScore

CHILDREN, IDLE = 12, 1000

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads times of a child in /proc"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


def fits(X, y):
    FisherScore(n_features_to_select=1).fit(X, y)


def children_that_end(work, count=CHILDREN):
    """Fork children that work while three threads do; how many of them end by themselves.

    A child hangs if it computes nothing while its parent works a thousand times: no clock is
    asked, as a busy machine may give a child a fraction of its time.
    """
    enough, done = threading.Event(), []

    def go_on():
        while not enough.is_set():
            work()
            done.append(True)

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        children = [multiprocessing.get_context("fork").Process(target=work) for _ in range(count)]
        for child in children:
            child.start()
            end_or_kill(child, done)
    finally:
        enough.set()
        for thread in threads:
            thread.join()
    return sum(child.exitcode == 0 for child in children)


def end_or_kill(child, done):
    computed, since = None, len(done)
    while child.exitcode is None:
        child.join(0.01)
        now = cpu_time(child.pid)
        if now != computed:
            computed, since = now, len(done)
        elif len(done) > since + IDLE:
            child.kill()
            child.join()


def cpu_time(pid):
    """Of a child in ticks; what has ended computes no more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return None


def test_a_child_that_waits_for_ever_is_found():
    lock, parent = threading.Lock(), os.getpid()

    def work():
        if os.getpid() != parent:
            lock.acquire()
        time.sleep(0.001)

    lock.acquire()
    assert children_that_end(work, count=1) == 0


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
