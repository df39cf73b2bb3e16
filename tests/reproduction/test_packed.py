"""Results in one compressed file: the same table, found when broken."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from inffs.comparison.store import LINES, Plan
from reproduction.packed import PACKED, PackedStore
from tests.comparison.test_store import rows


@pytest.mark.parametrize("damage", ["cut", "empty", "byte", "text"])
def test_a_broken_packed_file_is_named_and_ignored(tmp_path, damage):
    store = PackedStore(tmp_path)
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
        again = PackedStore(tmp_path)
    assert again.finished_trials() == {"b"}


def test_packed_store_is_the_same_table(tmp_path):
    store = PackedStore(tmp_path / "run")
    for name in "abc":
        store.append(rows(name))
    store.append([{"trial": "d", "asked": "", "status": "skipped", "reason": "slow"}])
    store.add_plan(Plan("d", "paper", ("m",), 1))
    store.pack(tmp_path / "kept")
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["results.parquet"]
    pd.testing.assert_frame_equal(PackedStore(tmp_path / "kept").frame(), store.frame())
    assert PackedStore(tmp_path / "kept").plans().keys() == {("d", "paper")}
    again = PackedStore(tmp_path / "kept")
    again.append(rows("e"))
    assert PackedStore(tmp_path / "kept").finished_trials() == {*"abcde"}


def test_a_packed_store_may_hold_a_part(tmp_path):
    store = PackedStore(tmp_path / "run")
    for name in "abc":
        store.append(rows(name))
    store.pack(tmp_path / "kept", lambda frame: frame[frame["trial"] != "b"])
    assert set(PackedStore(tmp_path / "kept").frame()["trial"]) == {"a", "c"}


def test_part_of_an_older_layout_is_read(tmp_path):
    written_in(tmp_path, pa.Table.from_pylist(rows("a")).drop_columns(["selected"]))
    assert PackedStore(tmp_path).finished_trials() == {"a"}
    assert PackedStore(tmp_path).frame()["selected"].map(len).tolist() == [0, 0]


def test_parquet_of_something_else_is_named_and_ignored(tmp_path):
    PackedStore(tmp_path).append(rows("a"))
    parquet.write_table(pa.table({"gene": [1.0, 2.0]}), tmp_path / PACKED)
    with pytest.warns(UserWarning, match=rf"{PACKED} .* no column 'trial'"):
        again = PackedStore(tmp_path)
    assert again.frame()["trial"].unique().tolist() == ["a"]


def written_in(folder, table):
    """A table as an earlier version of the package kept it."""
    (folder / "parts").mkdir()
    parquet.write_table(table, folder / "parts" / "part-old.parquet")


def test_columns_of_older_files_are_read_under_their_new_names(tmp_path):
    older = [{**row, "judge": "rbf", "picks_in": "50"} for row in rows("a")]
    older[0]["selected"] = None
    written_in(tmp_path, pa.Table.from_pylist(older))
    frame = PackedStore(tmp_path).frame(evaluator="rbf")
    assert frame["evaluator"].tolist() == ["rbf", "rbf"]
    assert frame["selected"].map(len).tolist() == [10, 50]


def test_nested_selections_are_stored_once(tmp_path):
    order = np.random.default_rng(0).permutation(5000)
    picked = {"10": order[:10], "50": order[:50], "other": order[100:103], "long": order[:2000],
              "none": order[:0]}  # fmt: skip
    kept = [{"trial": "a", "asked": asked, "n_features": len(each), "status": "done",
             "selected": each.tolist()} for asked, each in picked.items()]  # fmt: skip
    store = PackedStore(tmp_path)
    store.append(kept)
    packed = store.pack(tmp_path / "kept")
    stored = parquet.read_table(packed)["selected"].to_pylist()
    assert sorted(len(each) for each in stored if each) == [3, 50]
    rows = PackedStore(tmp_path / "kept").frame().set_index("asked")["selected"]
    for asked in ("10", "50", "other", "none"):
        np.testing.assert_array_equal(rows[asked], picked[asked])
    assert len(rows["long"]) == 0  # longer than what is kept
