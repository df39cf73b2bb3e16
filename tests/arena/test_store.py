"""The store: whole or absent, found when broken, the same table whoever wrote it."""

import numpy as np
import pytest

from inffs.arena.engine.store import Store


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
    assert Store(tmp_path).done() == {"a"}
    assert np.isnan(frame["fit_seconds"]).all()


def test_empty_store(tmp_path):
    store = Store(tmp_path)
    assert store.done() == set()
    assert store.frame().empty


@pytest.mark.parametrize("damage", ["cut", "empty", "byte", "text"])
def test_broken_part_is_named_and_set_aside(tmp_path, damage):
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
    assert again.done() == {"b"}
    assert (tmp_path / "set-aside" / first.name).exists()
    assert Store(tmp_path).done() == {"b"}


def test_a_trial_that_stands_twice_is_read_once(tmp_path):
    store = Store(tmp_path)
    store.append(rows("a"))
    store.append(rows("a"))
    assert len(store.frame()) == 2
    assert len(Store(tmp_path).frame()) == 2


def test_a_result_replaces_an_earlier_skip(tmp_path):
    store = Store(tmp_path)
    store.append([{"trial": "a", "asked": "", "status": "skipped", "reason": "slow"}])
    assert store.done() == {"a"}
    assert store.done(retry=True) == set()
    store.append(rows("a"))
    assert store.frame()["status"].tolist() == ["done", "done"]
    assert store.done(retry=True) == {"a"}


def test_many_small_parts_become_one(tmp_path):
    store = Store(tmp_path)
    for number in range(210):
        store.append(rows(f"t{number:03d}", sizes=(10,)))
    before = store.frame()
    assert len(list((tmp_path / "parts").iterdir())) < 20
    again = Store(tmp_path).frame()
    assert again["trial"].tolist() == before["trial"].tolist() == sorted(before["trial"])


def test_half_written_part_of_a_killed_process_is_ignored_then_removed(tmp_path):
    import os
    import time

    store = Store(tmp_path)
    store.append(rows("a"))
    left = tmp_path / "parts" / ".part-1.parquet.99.tmp"
    left.write_bytes(b"half")
    assert Store(tmp_path).done() == {"a"}
    assert left.exists()
    os.utime(left, (time.time() - 3600,) * 2)
    Store(tmp_path)
    assert not left.exists()


def test_packed_store_is_the_same_table(tmp_path):
    import pandas as pd

    store = Store(tmp_path / "run")
    for name in "abc":
        store.append(rows(name))
    store.append([{"trial": "d", "asked": "", "status": "skipped", "reason": "slow"}])
    store.pack(tmp_path / "kept")
    pd.testing.assert_frame_equal(Store(tmp_path / "kept").frame(), store.frame())


def test_parts_may_be_put_together_while_another_reads(tmp_path, monkeypatch):
    from inffs.arena.engine import store as module

    writer = Store(tmp_path)
    for name in "abc":
        writer.append(rows(name))
    real = module.parquet.read_table

    def read_late(path, **options):
        writer._compact()
        return real(path, **options)

    monkeypatch.setattr(module.parquet, "read_table", read_late)
    assert Store(tmp_path).done() == {"a", "b", "c"}


def test_part_of_an_older_layout_is_read(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    store = Store(tmp_path)
    older = pa.Table.from_pylist(rows("a")).drop_columns(["selected"])
    parquet.write_table(older, store.parts / "part-old.parquet")
    assert Store(tmp_path).done() == {"a"}
    assert Store(tmp_path).frame()["selected"].isna().all()
