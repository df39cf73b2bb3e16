"""The store: whole or absent, found when broken, the same table whoever wrote it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from inffs.comparison.runner import status
from inffs.comparison.store import Plan, Store


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


@pytest.mark.parametrize("damage", ["cut", "empty", "byte", "text"])
def test_broken_part_is_named_and_ignored(tmp_path, damage):
    store = Store(tmp_path)
    store.append(rows("a"))
    (first,) = (tmp_path / "parts").iterdir()
    store.append(rows("b"))
    content = first.read_bytes()
    broken = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "byte": content[:-6] + bytes([content[-6] ^ 255]) + content[-5:],
        "text": b"not a table at all",
    }
    first.write_bytes(broken[damage])
    with pytest.warns(UserWarning, match=rf"{first.name} cannot be read"):
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


def test_many_small_parts_become_one(tmp_path):
    store = Store(tmp_path)
    for number in range(210):
        store.append(rows(f"t{number:03d}", sizes=(10,)))
    before = store.frame()
    assert len(list((tmp_path / "parts").iterdir())) < 20
    again = Store(tmp_path).frame()
    assert again["trial"].tolist() == before["trial"].tolist() == sorted(before["trial"])


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


def test_parts_may_be_put_together_while_another_reads(tmp_path, monkeypatch):
    from inffs.comparison import store as module

    writer = Store(tmp_path)
    for name in "abc":
        writer.append(rows(name))
    real = module.parquet.read_table

    def read_late(path, **options):
        if len(writer._tables) > 1:
            writer._merge(list(writer._tables))
        return real(path, **options)

    monkeypatch.setattr(module.parquet, "read_table", read_late)
    assert Store(tmp_path).finished_trials() == {"a", "b", "c"}


def test_part_of_an_older_layout_is_read(tmp_path):
    store = Store(tmp_path)
    store.parts.mkdir()
    older = pa.Table.from_pylist(rows("a")).drop_columns(["selected"])
    parquet.write_table(older, store.parts / "part-old.parquet")
    assert Store(tmp_path).finished_trials() == {"a"}
    assert Store(tmp_path).frame()["selected"].map(len).tolist() == [0, 0]


def test_dangling_part_is_named_and_ignored(tmp_path):
    store = Store(tmp_path)
    store.append(rows("a"))
    (store.parts / "part-gone.parquet").symlink_to(tmp_path / "nowhere")
    with pytest.warns(UserWarning, match="part-gone.parquet cannot be read"):
        assert Store(tmp_path).finished_trials() == {"a"}


def test_parquet_of_something_else_is_named_and_ignored(tmp_path):
    import pandas as pd

    store = Store(tmp_path)
    store.append(rows("a"))
    pd.DataFrame({"gene": [1.0, 2.0]}).to_parquet(store.parts / "part-genes.parquet")
    with pytest.warns(UserWarning, match=r"part-genes.parquet .* no column 'trial'"):
        again = Store(tmp_path)
    assert again.frame()["trial"].unique().tolist() == ["a"]


@pytest.mark.parametrize("content", ['{"dataset": "d", "meth', "[1]", '{"a": {"b": 1}}'])
def test_cut_off_plan_is_named_and_ignored(tmp_path, content):
    store = Store(tmp_path)
    store.append(rows("a"))
    (tmp_path / "plans.jsonl").write_text(content)
    with pytest.warns(UserWarning, match=r"plans.jsonl cannot be read"):
        assert status(tmp_path).empty
    store.add_plan(Plan("d", "paper", ("m",), 1))
    with pytest.warns(UserWarning, match=r"plans.jsonl cannot be read"):
        assert status(tmp_path)["done"].tolist() == [1]


def test_two_processes_that_merge_the_same_files_lose_nothing(tmp_path):
    for name in "abc":
        Store(tmp_path).append(rows(name))
    one, two = Store(tmp_path), Store(tmp_path)
    one._merge(list(one._tables))
    two._merge(list(two._tables))
    assert Store(tmp_path).finished_trials() == {*"abc"}
    assert len(Store(tmp_path).frame()) == 6


def test_columns_of_older_files_are_read_under_their_new_names(tmp_path):
    older = [{**row, "judge": "rbf", "picks_in": "50"} for row in rows("a")]
    older[0]["selected"] = None
    store = Store(tmp_path)
    store.parts.mkdir()
    parquet.write_table(pa.Table.from_pylist(older), store.parts / "part-old.parquet")
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


def test_nested_selections_are_stored_once(tmp_path):
    order = np.random.default_rng(0).permutation(5000)
    picked = {"10": order[:10], "50": order[:50], "other": order[100:103], "long": order[:2000],
              "none": order[:0]}  # fmt: skip
    kept = [{"trial": "a", "asked": asked, "n_features": len(each), "status": "done",
             "selected": each.tolist()} for asked, each in picked.items()]  # fmt: skip
    store = Store(tmp_path)
    store.append(kept)
    (part,) = store.parts.glob("part-*")
    stored = parquet.read_table(part)["selected"].to_pylist()
    assert sorted(len(each) for each in stored if each) == [3, 50]
    rows = Store(tmp_path).frame().set_index("asked")["selected"]
    for asked in ("10", "50", "other", "none"):
        np.testing.assert_array_equal(rows[asked], picked[asked])
    assert len(rows["long"]) == 0  # longer than what is kept
