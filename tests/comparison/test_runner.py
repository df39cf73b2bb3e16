"""The runner: order, limits, skips, resume after kill -9, the same table in parallel."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import psutil
import pytest

from inffs._utils.progress import listen
from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import find_method, find_methods
from inffs.comparison.process import Child, Limits, Watch
from inffs.comparison.protocol import Protocol
from inffs.comparison.runner import Round, run, status
from inffs.comparison.store import LINES, MEASURED, Store
from inffs.comparison.trial import run_trial
from reproduction.suite import evaluate_stored
from tests.system import KILL

# "auto" fits often: the tests of the protocol try it
PROTOCOL = Protocol(sizes=(2, 5), n_splits=2, Cs=(0.1, 1.0), folds=3, automatic=False)
SLOW = "ensemble-svm-rfe"
METHODS = ("variance", "fisher", "inf-fs-u[alpha=0.5]", "inf-fs-s[weights=(0.5,0.5,0)]")


def table(name, seed, T=40, n=12):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % 2
    X = rng.normal(size=(T, n))
    X[:, :2] += 2 * y[:, None]
    return Dataset(name, X, y, [f"x{j}" for j in range(n)])


def suite(methods=METHODS, protocol=PROTOCOL):
    return [
        Round(table(name, seed), protocol, tuple(find_methods(methods)))
        for seed, name in enumerate(["one", "two"])
    ]


def same(left, right):
    drop = list(MEASURED)
    pd.testing.assert_frame_equal(left.drop(columns=drop), right.drop(columns=drop))


def trials_in(folder):
    """The number of trials that a folder holds, without opening it."""
    path = folder / LINES
    return path.read_bytes().count(b'{"rows"') if path.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The small suite, run once, one trial at a time; and what was told on the way."""
    folder, told = tmp_path_factory.mktemp("whole"), []
    with listen(lambda *news: told.append(news)):
        assert run(suite(), Store(folder))
    return folder, told


def test_whole_suite_and_nothing_twice(whole):
    tmp_path, told = whole
    frame = Store(tmp_path).frame()
    assert len(frame["trial"].unique()) == 2 * 4 * 2
    assert (frame["status"] == "done").all()
    assert told[-1] == ("trials on two", 8, 8)
    assert (frame["peak_mib"] >= 0).all()

    lines = trials_in(tmp_path)
    run(suite(), Store(tmp_path))
    assert trials_in(tmp_path) == lines == 16
    same(Store(tmp_path).frame(), frame)


def test_two_at_a_time_give_the_same_table(whole, tmp_path, monkeypatch):
    running, at_once, real = set(), [], Child.run

    def counted(child, *arguments):
        running.add(child)
        at_once.append(len(running))
        try:
            return real(child, *arguments)
        finally:
            running.remove(child)

    monkeypatch.setattr(Child, "run", counted)
    run(suite(), Store(tmp_path), n_jobs=2)
    assert max(at_once) == 2
    same(Store(whole[0]).frame(), Store(tmp_path).frame())


def one_round(*methods, T=40, n=12):
    return [Round(table("one", 0, T, n), PROTOCOL, tuple(find_methods(methods)))]


def outcome(folder, method):
    """What became of a method's trials: their statuses, their reasons, how many."""
    rows = Store(folder).frame()
    mine = rows[rows["method"] == method]
    return set(mine["status"]), set(mine["reason"]), mine["trial"].nunique()


def test_a_fit_that_takes_too_long_is_skipped_on_every_split(tmp_path):
    run(one_round("variance", SLOW, n=12_000), Store(tmp_path), Limits(fit_timeout=0.25))
    reason = "the fit took more than 0.25 s of processor time"
    assert outcome(tmp_path, SLOW) == ({"skipped"}, {reason}, 2)
    assert outcome(tmp_path, "variance")[0] == {"done"}


@pytest.fixture
def held(monkeypatch):
    """Every fit is held for 1.5 s soon after it began, as by a machine that is too busy."""
    real = Watch.enter

    def enter(watch, phase):
        real(watch, phase)
        if phase == "fit":
            process = psutil.Process(watch._process.pid)
            threading.Timer(0.05, process.suspend).start()
            threading.Timer(1.55, process.resume).start()

    monkeypatch.setattr(Watch, "enter", enter)


def test_time_that_the_machine_gave_to_others_is_not_the_fits(held, tmp_path):
    limits = Limits(fit_timeout=1.2, slow_fit=1.2, slow_splits=1)
    run(one_round(SLOW, n=3000), Store(tmp_path), limits)
    assert outcome(tmp_path, SLOW)[0] == {"done"}
    rows = Store(tmp_path).frame()
    assert rows["fit_seconds"].min() > 1.2 > rows["cpu_seconds"].max()
    assert rows["split"].nunique() == PROTOCOL.n_splits


@pytest.mark.parametrize(("program", "times"), [("while True: pass", 1), ("input()", 10)])
def test_work_is_stopped_by_the_processor_and_sleep_by_the_clock(program, times):
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)
    watch = Watch(process, Limits(fit_timeout=0.2), None)
    watch.enter("fit")
    started = time.monotonic()
    while (stopped := watch.exceeded()) is None:
        time.sleep(0.02)
    spent = time.monotonic() - started
    process.kill()
    process.communicate()
    assert stopped == ("skipped", "the fit took more than 0.2 s of processor time")
    assert spent > 0.19 * times


def test_too_much_memory_is_skipped(tmp_path):
    run(one_round(SLOW, n=6000), Store(tmp_path), Limits(memory=20))
    assert outcome(tmp_path, SLOW) == ({"skipped"}, {"it took more than 20 MiB"}, 2)


def test_an_error_of_a_method_is_its_failure_and_the_rest_goes_on(tmp_path):
    run(one_round("mrmr[bins=0]", "fisher"), Store(tmp_path))
    statuses, reasons, trials = outcome(tmp_path, "mrmr[bins=0]")
    assert (statuses, trials) == ({"failed"}, 2)
    assert "The 'bins' parameter" in reasons.pop()
    assert outcome(tmp_path, "fisher")[0] == {"done"}


def trial_processes():
    """The processes that run trials for this one."""
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if any("inffs.comparison.process" in word for word in child.cmdline()):
                yield child.pid


class Killer(threading.Thread):
    """Kills this many of the processes that begin a trial, as the kernel does for memory."""

    def __init__(self, kills):
        super().__init__(daemon=True)
        self.kills, self.killed, self.over = kills, set(), threading.Event()

    def run(self):
        while len(self.killed) < self.kills and not self.over.wait(0.002):
            for pid in set(trial_processes()) - self.killed:
                self.killed.add(pid)
                os.kill(pid, KILL)
                break

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def test_a_killed_process_costs_time_only(whole, tmp_path):
    with Killer(1) as killer:
        run(suite(), Store(tmp_path))
    assert len(killer.killed) == 1
    same(Store(whole[0]).frame(), Store(tmp_path).frame())


def test_a_crash_is_no_skip_and_runs_again(whole, tmp_path):
    only = suite(("fisher",))[:1]
    with Killer(10**6):
        run(only, Store(tmp_path))
    statuses, reasons, trials = outcome(tmp_path, "fisher")
    assert (statuses, reasons) == ({"crashed"}, {"its process died (exit code -9), 2 times"})
    assert status(tmp_path)[["crashed", "left"]].to_numpy().tolist() == [[trials, 2]]
    run(only, Store(tmp_path))
    assert outcome(tmp_path, "fisher") == ({"done"}, {""}, 2)


def test_a_module_beside_the_table_is_not_executed(tmp_path, monkeypatch):
    for name in ("struct", "sitecustomize", "usercustomize", "inffs", "numpy"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w')\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    run(one_round("fisher"), Store("out"))
    assert outcome("out", "fisher")[0] == {"done"}
    assert not (tmp_path / "executed").exists()


def keep(folder, each):
    """What a run of this round leaves in a folder, without its processes."""
    store = Store(folder)
    store.add_plan(each.plan)
    done = store.finished_trials()
    for trial in each.trials():
        if trial.key(each.dataset.version) not in done:
            store.append(run_trial(each.dataset, trial))


def test_nothing_of_another_table_protocol_or_version_counts(tmp_path):
    """Two tables of one name in one folder, other sizes and another version: each alone."""
    first, second = table("t", 0), table("t", 1)
    other = replace(PROTOCOL, sizes=(2, 7))
    rounds = [Round(dataset, protocol, tuple(find_methods(("fisher",))))
              for dataset, protocol in ((first, PROTOCOL), (second, PROTOCOL), (second, other))
              ]  # fmt: skip
    together = tmp_path / "together"
    for number, each in enumerate(rounds):
        keep(together, each)
        keep(tmp_path / f"alone{number}", each)
        frame = Store(together).frame()
        same(frame, Store(tmp_path / f"alone{number}").frame())
        assert not frame.duplicated(["method", "split", "asked"]).any()
        assert status(together)["done"].tolist() == [2]
    assert len(Store(together).every_row()) == 3 * len(frame)
    keep(together, rounds[0])  # the first again: nothing runs, and it counts
    same(Store(together).frame(), Store(tmp_path / "alone0").frame())
    Store(together).add_plan(replace(rounds[0].plan, package="another"))
    assert Store(together).frame().empty


def test_stored_selections_are_evaluated_later_as_in_one_run(tmp_path):
    """Linear first and two more evaluators afterwards: the rows of a run with all three."""
    three = replace(PROTOCOL, evaluators=("linear", "rbf", "knn"))
    methods = tuple(find_methods(("all", "fisher", "inf-fs-s")))
    dataset = table("t", 0)
    keep(tmp_path / "once", Round(dataset, three, methods))
    first = Round(dataset, PROTOCOL, methods)
    keep(tmp_path / "later", first)
    store = Store(tmp_path / "later")
    assert evaluate_stored(dataset, first.plan, store, three.evaluators) == 2 * len(methods)
    assert evaluate_stored(dataset, first.plan, store, three.evaluators) == 0
    once, later = (Store(tmp_path / each).frame(evaluator=None) for each in ("once", "later"))
    same(once, later)
    assert once.groupby("evaluator").size().nunique() == 1
    counted = Store(tmp_path / "later").frame()
    assert set(counted["evaluator"]) == {"linear"}
    assert not counted.duplicated(["method", "split", "asked"]).any()
    assert once.groupby("evaluator")["accuracy"].mean().nunique() == 3  # they do not agree


def test_a_run_with_more_evaluators_ranks_nothing_again(tmp_path):
    first = one_round("fisher")[0]
    run([first], Store(tmp_path))
    fits = Store(tmp_path).frame()["fit_seconds"].tolist()
    more = replace(first, protocol=replace(PROTOCOL, evaluators=("linear", "knn")))
    run([more], Store(tmp_path))
    rows = Store(tmp_path).frame(evaluator=None)
    assert rows.groupby("evaluator").size().to_dict() == {"knn": len(fits), "linear": len(fits)}
    assert rows.loc[rows["evaluator"] == "linear", "fit_seconds"].tolist() == fits


def test_slow_method_gets_fewer_splits(tmp_path):
    protocol = replace(PROTOCOL, n_splits=4)
    limits = Limits(slow_fit=0.0, slow_splits=2)
    run(suite(("fisher",), protocol)[:1], Store(tmp_path), limits)
    assert sorted(Store(tmp_path).frame()["split"].unique()) == [0, 1]


def test_budget_stops_cleanly(tmp_path):
    long = replace(PROTOCOL, n_splits=10_000)
    for budget in (2, 8, 32):  # on a busy machine a process needs seconds to begin
        started = time.monotonic()
        assert not run(suite(protocol=long)[:1], Store(tmp_path), budget=budget)
        assert time.monotonic() - started < budget + 12
        if len(frame := Store(tmp_path).frame()):
            break
    assert len(frame)
    assert (frame["status"] == "done").all()


def test_method_that_cannot_take_the_set_is_skipped_with_its_reason(tmp_path):
    dataset = table("labels", 0)
    labels = np.column_stack([dataset.y, 1 - dataset.y])
    labelled = Dataset("labels", dataset.X, labels, dataset.names)
    only = Round(labelled, Protocol(n_splits=1, sizes=(2,)), (find_method("svm-rfe"),))
    run([only], Store(tmp_path))
    assert Store(tmp_path).frame()["reason"].tolist() == ["needs classes, not a multilabel target"]


CHILD = """
import sys
sys.path.insert(0, {here!r})
from test_runner import PROTOCOL, suite
from inffs.comparison.runner import run
from inffs.comparison.store import Store
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
    while trials_in(out) < parts and time.monotonic() < deadline:
        time.sleep(0.02)
    child.kill()
    child.wait()
    before = len(Store(out).finished_trials())
    assert parts <= before < 16
    run(suite(), Store(out))
    same(Store(out).frame(), Store(whole[0]).frame())
