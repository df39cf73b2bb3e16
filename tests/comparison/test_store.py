"""The store: whole or absent, found when broken, the same table whoever wrote it."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from inffs.comparison.store import LINES, PACKED, Plan, Store
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


@pytest.mark.parametrize("damage", ["cut", "empty", "byte", "text"])
def test_a_broken_packed_file_is_named_and_ignored(tmp_path, damage):
    store = Store(tmp_path)
    store.append(rows("a"))
    content = store.pack(tmp_path).read_bytes()
    (tmp_path / LINES).unlink()
    store.append(rows("b"))
    broken = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "byte": content[:-6] + bytes([content[-6] ^ 255]) + content[-5:],
        "text": b"not a table at all",
    }
    (tmp_path / PACKED).write_bytes(broken[damage])
    with pytest.warns(UserWarning, match=rf"{PACKED} cannot be read"):
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


def test_packed_store_is_the_same_table(tmp_path):
    import pandas as pd

    store = Store(tmp_path / "run")
    for name in "abc":
        store.append(rows(name))
    store.append([{"trial": "d", "asked": "", "status": "skipped", "reason": "slow"}])
    store.add_plan(Plan("d", "paper", ("m",), 1))
    store.pack(tmp_path / "kept")
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["results.parquet"]
    pd.testing.assert_frame_equal(Store(tmp_path / "kept").frame(), store.frame())
    assert Store(tmp_path / "kept").plans().keys() == {("d", "paper")}
    again = Store(tmp_path / "kept")
    again.append(rows("e"))
    assert Store(tmp_path / "kept").finished_trials() == {*"abcde"}


def test_a_packed_store_may_hold_a_part(tmp_path):
    store = Store(tmp_path / "run")
    for name in "abc":
        store.append(rows(name))
    store.pack(tmp_path / "kept", lambda frame: frame[frame["trial"] != "b"])
    assert set(Store(tmp_path / "kept").frame()["trial"]) == {"a", "c"}


def test_part_of_an_older_layout_is_read(tmp_path):
    written_in(tmp_path, pa.Table.from_pylist(rows("a")).drop_columns(["selected"]))
    assert Store(tmp_path).finished_trials() == {"a"}
    assert Store(tmp_path).frame()["selected"].map(len).tolist() == [0, 0]


def test_parquet_of_something_else_is_named_and_ignored(tmp_path):
    Store(tmp_path).append(rows("a"))
    parquet.write_table(pa.table({"gene": [1.0, 2.0]}), tmp_path / PACKED)
    with pytest.warns(UserWarning, match=rf"{PACKED} .* no column 'trial'"):
        again = Store(tmp_path)
    assert again.frame()["trial"].unique().tolist() == ["a"]


def written_in(folder, table):
    """A table as an earlier version of the package kept it."""
    (folder / "parts").mkdir()
    parquet.write_table(table, folder / "parts" / "part-old.parquet")


def test_columns_of_older_files_are_read_under_their_new_names(tmp_path):
    older = [{**row, "judge": "rbf", "picks_in": "50"} for row in rows("a")]
    older[0]["selected"] = None
    written_in(tmp_path, pa.Table.from_pylist(older))
    frame = Store(tmp_path).frame(evaluator="rbf")
    assert frame["evaluator"].tolist() == ["rbf", "rbf"]
    assert frame["selected"].map(len).tolist() == [10, 50]


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


def test_nested_selections_are_stored_once(tmp_path):
    order = np.random.default_rng(0).permutation(5000)
    picked = {"10": order[:10], "50": order[:50], "other": order[100:103], "long": order[:2000],
              "none": order[:0]}  # fmt: skip
    kept = [{"trial": "a", "asked": asked, "n_features": len(each), "status": "done",
             "selected": each.tolist()} for asked, each in picked.items()]  # fmt: skip
    store = Store(tmp_path)
    store.append(kept)
    packed = store.pack(tmp_path / "kept")
    stored = parquet.read_table(packed)["selected"].to_pylist()
    assert sorted(len(each) for each in stored if each) == [3, 50]
    rows = Store(tmp_path / "kept").frame().set_index("asked")["selected"]
    for asked in ("10", "50", "other", "none"):
        np.testing.assert_array_equal(rows[asked], picked[asked])
    assert len(rows["long"]) == 0  # longer than what is kept
