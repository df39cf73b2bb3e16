"""A table that stays on disk goes the same way as one that is read whole."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from inffs.io import read_table
from inffs.io._read import read_lazily


def both(path, **options):
    """What the two ways make of a file: the table, or the sentence that refuses it."""
    found = []
    for read in (read_table, read_lazily):
        try:
            found.append(read(path, **options))
        except ValueError as error:
            found.append(str(error))
    return found


def assert_equal(whole, lazy):
    np.testing.assert_array_equal(np.asarray(lazy.X), whole.X)
    assert (lazy.names, lazy.label, lazy.index_name) == (whole.names, whole.label, whole.index_name)
    for one, other in ((whole.y, lazy.y), (whole.index, lazy.index)):
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def frame(rng):
    table = pd.DataFrame(rng.normal(size=(20, 6))).add_prefix("g")
    table["count"] = np.arange(20)
    table["class"] = pd.Categorical(["a", "b"] * 10)
    return table.rename(index=lambda row: f"s{row}")


@pytest.fixture
def array(tmp_path, rng):
    np.save(tmp_path / "t.npy", rng.normal(size=(9, 5)))
    return tmp_path / "t.npy"


OPTIONS = [
    {},
    {"label": -1},
    {"label": "x2", "index": 0},
    {"drop": ["x[01]"], "label": 4},
    {"index": "x4", "drop": ["x3"]},
]
REFUSED = [{"label": 5}, {"label": -6}, {"label": "17"}, {"index": 99}, {"drop": ["nothing"]}]


@pytest.mark.parametrize("options", OPTIONS)
def test_arrays(array, options):
    assert_equal(*both(array, **options))


@pytest.mark.parametrize("options", [*REFUSED, {"drop": ["*"]}, {"label": "nobody"}])
def test_arrays_refused(array, options):
    whole, lazy = both(array, **options)
    assert isinstance(whole, str)
    assert lazy == whole


@pytest.mark.parametrize(
    "options", [{"label": "class"}, {"label": -1, "drop": ["g[0-2]"]}, {"label": 7, "index": 6}]
)
def test_parquet_with_a_stored_index(frame, tmp_path, options):
    frame.to_parquet(tmp_path / "t.parquet")
    whole, lazy = both(tmp_path / "t.parquet", **options)
    assert_equal(whole, lazy)
    assert not [name for name in lazy.names if "index" in name]
    if "index" not in options:
        assert list(lazy.index) == list(frame.index)


@pytest.mark.parametrize("options", [{"label": 8}, {"label": -9}, {"index": 8}, {}])
def test_parquet_refused(frame, tmp_path, options):
    frame.to_parquet(tmp_path / "t.parquet")
    whole, lazy = both(tmp_path / "t.parquet", **options)
    assert isinstance(whole, str)
    assert lazy == whole


def test_an_index_of_several_levels_is_no_feature(frame, tmp_path):
    levels = [["u"] * 10 + ["v"] * 10, range(20)]
    frame.index = pd.MultiIndex.from_arrays(levels, names=["site", "patient"])
    frame.to_parquet(tmp_path / "t.parquet")
    whole, lazy = both(tmp_path / "t.parquet", label="class")
    assert_equal(whole, lazy)
    assert whole.names == [*(f"g{j}" for j in range(6)), "count"]
    assert whole.index[0] == "u/0"
    by_level = read_table(tmp_path / "t.parquet", label="site", drop=["class"])
    assert by_level.y[-1] == "v"


def test_a_level_that_pandas_3_describes_instead_of_storing(frame, tmp_path):
    """What pandas 3 writes about an index of text and row numbers."""
    frame.index = pd.Index(["u"] * 10 + ["v"] * 10, name="site")
    table = pa.Table.from_pandas(frame)
    about = json.loads(table.schema.metadata[b"pandas"])
    assert about["index_columns"] == ["site"]
    about["index_columns"].append(
        {"kind": "range", "name": "patient", "start": 5, "stop": 45, "step": 2}
    )
    table = table.replace_schema_metadata({"pandas": json.dumps(about)})
    parquet.write_table(table, tmp_path / "t.parquet")
    whole, lazy = both(tmp_path / "t.parquet", label="class")
    assert_equal(whole, lazy)
    assert list(whole.index[[0, 1, 19]]) == ["u/5", "u/7", "v/43"]
    assert read_table(tmp_path / "t.parquet", label="patient", drop=["class"]).y[1] == 7


def test_equal_names_in_parquet(tmp_path, rng):
    columns = [pa.array(rng.normal(size=8)) for _ in range(4)]
    parquet.write_table(pa.Table.from_arrays(columns, names=list("aaba")), tmp_path / "t.parquet")
    whole, lazy = both(tmp_path / "t.parquet", label=1)
    assert_equal(whole, lazy)
    assert whole.names == ["a", "b", "a"]
    np.testing.assert_array_equal(lazy.X[:, [2, 0]], whole.X[:, [2, 0]])


def test_numbers_of_every_type_in_parquet(tmp_path):
    from decimal import Decimal

    columns = {
        "truth": [True, False, True],
        "decimal": [Decimal("1.5"), Decimal("2.5"), Decimal("-1")],
        "whole": pa.array([1, 2, 3], pa.uint8()),
        "short": pa.array([0.5, 1.5, 2.5], pa.float32()),
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert_equal(*both(tmp_path / "t.parquet"))


def test_the_sentence_names_the_last_position(array):
    with pytest.raises(ValueError, match=re.escape("no column: there are 5 (0 to 4)")):
        read_lazily(array, label=5)
