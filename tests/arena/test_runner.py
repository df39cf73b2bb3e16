"""The runner: order, limits, skips, resume after kill -9, any engine the same table."""

import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pandas as pd
import pytest

from inffs._engine.progress import listen
from inffs.arena.data.datasets import Dataset
from inffs.arena.engine import runner
from inffs.arena.engine.contestants import find_contestant, invite
from inffs.arena.engine.protocol import Protocol
from inffs.arena.engine.runner import Limits, Round, run
from inffs.arena.engine.store import MEASURED, Store

PROTOCOL = Protocol(sizes=(2, 5), n_splits=2, Cs=(0.1, 1.0), folds=3)
METHODS = ("variance", "fisher", "inf-fs-u[alpha=0.5]", "inf-fs-s[weights=(0.5,0.5,0)]")


def table(name, seed, T=40, n=12):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :2] += 2 * y[:, None]
    return Dataset(name, X, y, [f"x{j}" for j in range(n)])


def suite(methods=METHODS, protocol=PROTOCOL):
    return [
        Round(table(name, seed), protocol, tuple(invite(methods)))
        for seed, name in enumerate(["one", "two"])
    ]


def same(left, right):
    drop = list(MEASURED)
    pd.testing.assert_frame_equal(left.drop(columns=drop), right.drop(columns=drop))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The small suite, run once, one trial at a time; and what was told on the way."""
    folder, told = tmp_path_factory.mktemp("whole"), []
    with listen(lambda *news: told.append(news)):
        assert run(suite(), Store(folder))
    return folder, told


def test_whole_suite_and_nothing_twice(whole, monkeypatch):
    tmp_path, told = whole
    frame = Store(tmp_path).frame()
    assert len(frame["trial"].unique()) == 2 * 4 * 2
    assert (frame["status"] == "done").all()
    assert told[-1] == ("two: trials", 8, 8)
    assert (frame["peak_mib"] >= 0).all()

    def never(*_):
        raise AssertionError("a trial ran twice")

    monkeypatch.setattr(runner, "attempt", never)
    run(suite(), Store(tmp_path))
    same(Store(tmp_path).frame(), frame)


def test_two_at_a_time_give_the_same_table(whole, tmp_path, monkeypatch):
    at_once, real = [], runner.Cell.run

    def counted(cell, *arguments):
        at_once.append(len(runner._cells) - len(runner._idle))
        return real(cell, *arguments)

    monkeypatch.setattr(runner.Cell, "run", counted)
    run(suite(), Store(tmp_path), n_jobs=2)
    assert max(at_once) == 2
    same(Store(whole[0]).frame(), Store(tmp_path).frame())


@pytest.mark.slow
def test_any_backend_of_joblib_serves(whole, tmp_path):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        run(suite(), Store(tmp_path), n_jobs=None)
    same(Store(whole[0]).frame(), Store(tmp_path).frame())


SLOW_METHOD = """
import time
from inffs.arena.engine import baselines

def slow(self, X, y):
    time.sleep(60)

def huge(self, X, y):
    import numpy
    self.hog = numpy.ones(2**26)
    time.sleep(60)

def wrong(self, X, y):
    raise ValueError("the method has its reasons")

def deadly(self, X, y):
    import os
    os._exit(7)
"""


@pytest.mark.parametrize(
    ("body", "limits", "status", "reason"),
    [
        ("slow", Limits(fit_timeout=0.5), "skipped", "the fit took longer than 0.5 s"),
        ("huge", Limits(memory=400), "skipped", "it took more than 400 MiB"),
        ("wrong", Limits(), "failed", "ValueError: the method has its reasons"),
        ("deadly", Limits(), "skipped", r"its process died \(exit code 7\)"),
    ],
)
def test_limits_are_recorded_and_the_rest_goes_on(
    tmp_path, monkeypatch, body, limits, status, reason
):
    (tmp_path / "sitecustomize.py").write_text(
        f"{SLOW_METHOD}\nbaselines.Variance._score = {body}\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    run(suite()[:1], Store(tmp_path / "out"), limits)
    frame = Store(tmp_path / "out").frame()
    bad = frame[frame["method"] == "variance"]
    assert (bad["status"] == status).all()
    assert len(bad) == 2  # the second split is skipped with the first, or fails like it
    assert bad["reason"].str.fullmatch(reason).all()
    others = frame[frame["method"] != "variance"]
    assert (others["status"] == "done").all()
    assert len(others["trial"].unique()) == 6


def test_slow_method_gets_fewer_splits(tmp_path):
    protocol = Protocol(sizes=(2,), n_splits=4, Cs=(1.0,))
    limits = Limits(slow_fit=0.0, slow_splits=2)
    run(suite(("fisher",), protocol)[:1], Store(tmp_path), limits)
    assert sorted(Store(tmp_path).frame()["split"].unique()) == [0, 1]


def test_budget_stops_cleanly(tmp_path):
    long = Protocol(sizes=(2, 5), n_splits=10_000, Cs=(0.1, 1.0), folds=3)
    started = time.monotonic()
    assert not run(suite(protocol=long)[:1], Store(tmp_path), budget=8)
    assert time.monotonic() - started < 20
    frame = Store(tmp_path).frame()
    assert (frame["status"] == "done").all()


def test_method_that_cannot_take_the_set_is_skipped_with_its_reason(tmp_path):
    dataset = table("labels", 0)
    labels = np.column_stack([dataset.y, 1 - dataset.y])
    labelled = Dataset("labels", dataset.X, labels, dataset.names)
    only = Round(labelled, Protocol(n_splits=1, sizes=(2,)), (find_contestant("fisher"),))
    run([only], Store(tmp_path))
    assert Store(tmp_path).frame()["reason"].tolist() == [
        "takes one column of classes, not several labels"
    ]


CHILD = """
import sys
sys.path.insert(0, {here!r})
from test_runner import PROTOCOL, suite
from inffs.arena.engine.runner import run
from inffs.arena.engine.store import Store
print("begun", flush=True)
run(suite(), Store({out!r}), n_jobs=2)
"""


@pytest.mark.parametrize("parts", [pytest.param(1, marks=pytest.mark.slow), 6])
def test_killed_run_resumes_to_the_same_table(whole, tmp_path, parts):
    out = tmp_path / "killed"
    script = CHILD.format(here=os.path.dirname(__file__), out=str(out))
    child = subprocess.Popen([sys.executable, "-c", script], env={
        **os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    deadline = time.monotonic() + 60
    while len(list(out.glob("parts/part-*"))) < parts and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    before = len(Store(out).done())
    assert parts <= before < 16
    run(suite(), Store(out))
    same(Store(out).frame(), Store(whole[0]).frame())


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dask_cluster_gives_the_same_table(whole, tmp_path):
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        run(suite(), Store(tmp_path), dask=cluster.scheduler_address)
    same(Store(whole[0]).frame(), Store(tmp_path).frame())
