"""The store: whole or absent, found when broken, the same table whoever wrote it."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from inffs.comparison.store import LINES, Plan, Store
from tests.system import needs_limits

ROOT = Path(__file__).parents[2]


def rows(trial, sizes=(10, 50), **more):
    return [
        {"trial": trial, "dataset": "d", "method": "m", "setting": "paper", "split": 0,
         "asked": str(size), "n_features": size, "accuracy": size / 100, "status": "done",
         "reason": "", "selected": list(range(size)), **more}
        for size in sizes
    ]  # fmt: skip


def test_rows_come_back(tmp_path):
    Store(tmp_path).append(rows("a"))
    frame = Store(tmp_path).frame()
    assert frame["accuracy"].tolist() == [0.1, 0.5]
    assert frame["selected"][0].tolist() == list(range(10))
    assert Store(tmp_path).finished_trials() == {"a"}
    assert np.isnan(frame["fit_seconds"]).all()


def test_empty_store(tmp_path):
    store = Store(tmp_path)
    assert store.finished_trials() == set()
    assert store.frame().empty


@pytest.mark.parametrize("damage", ["cut", "byte", "text"])
def test_a_damaged_line_is_named_and_ignored(tmp_path, damage):
    """And a line that comes later, in the same run or in another one, is read."""
    Store(tmp_path).append(rows("a"))
    path = tmp_path / LINES
    content = path.read_bytes()
    broken = {
        "cut": content[: len(content) // 2],
        "byte": content.replace(b"0.5", b"0.7"),
        "text": b"not a result at all",
    }
    path.write_bytes(broken[damage])
    with pytest.warns(UserWarning, match="these trials run again"):
        Store(tmp_path).append(rows("b"))
    with pytest.warns(UserWarning, match=rf"{LINES} cannot be read .1 damaged line"):
        again = Store(tmp_path)
    assert again.finished_trials() == {"b"}


def test_a_trial_that_stands_twice_is_read_once(tmp_path):
    store = Store(tmp_path)
    store.append(rows("a"))
    store.append(rows("a"))
    assert len(store.frame()) == 2
    assert len(Store(tmp_path).frame()) == 2


def test_a_result_replaces_an_earlier_skip(tmp_path):
    store = Store(tmp_path)
    store.append([{"trial": "a", "asked": "", "status": "skipped", "reason": "slow"}])
    assert store.finished_trials() == {"a"}
    assert store.finished_trials(retry=True) == set()
    store.append(rows("a"))
    assert store.frame()["status"].tolist() == ["done", "done"]
    assert store.finished_trials(retry=True) == {"a"}


def test_plans_of_many_writers_all_stay(tmp_path):
    def write(number):
        for dataset in range(5):
            Store(tmp_path).add_plan(Plan(f"d{dataset}", "paper", (f"m{number}",), 2, package="1"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    plans = Store(tmp_path).plans()
    assert len(plans) == 5
    assert {len(plan.methods) for plan in plans.values()} == {8}


@needs_limits
def test_a_full_disk_is_an_error_and_no_result_is_lost(tmp_path):
    Store(tmp_path).append(rows("a"))
    full = (tmp_path / LINES).stat().st_size + 100
    program = (
        "import resource, signal, sys\n"
        "from inffs.comparison.store import Store\n"
        "from tests.comparison.test_store import rows\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({full}, {full}))\n"
        "Store(sys.argv[1]).append(rows('b'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 1
    assert "OSError" in done.stderr
    with pytest.warns(UserWarning, match="1 damaged line"):
        Store(tmp_path).append(rows("c"))
    with pytest.warns(UserWarning, match="1 damaged line"):
        assert Store(tmp_path).finished_trials() == {"a", "c"}
