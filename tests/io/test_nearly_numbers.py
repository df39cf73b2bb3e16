"""Text that is nearly numbers: stray cells, numbers as strings, ids."""

import numpy as np
import pytest

from inffs.io import read_table


def table_of(tmp_path, *lines):
    path = tmp_path / "table.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_nearly_numeric_column_names_its_first_wrong_cell(tmp_path):
    path = table_of(tmp_path, "a\tb", *(f"{place}\t0" for place in range(9)), "n.d.\t1")
    with pytest.raises(ValueError, match=r"'a' .all numbers but 1, the first 'n.d.' in row 9"):
        read_table(path)


def test_one_decimal_comma_among_points_is_named(tmp_path):
    path = table_of(tmp_path, "a\tb", *(f"{place}.5\t0" for place in range(9)), "9,5\t1")
    with pytest.raises(ValueError, match=r"'a' .all numbers but 1, the first '9,5' in row 9"):
        read_table(path)


def test_numbers_as_text_are_ranked_as_numbers(tmp_path):
    path = table_of(tmp_path, "a\tb", "9\t0", "10\t1", "100\t0", "x\t1")
    words = read_table(path, encode="ordinal").X[:, 0]
    np.testing.assert_array_equal(words, [2, 0, 1, 3])  # x makes them words
    path = table_of(tmp_path, "a\tb", "t9\t0", "t10\t1", "t9\t0")
    np.testing.assert_array_equal(read_table(path, encode="ordinal").X[:, 0], [1, 0, 1])


def test_levels_that_are_numbers_stand_in_their_order():
    from inffs.io._prepare import _encode

    coded = _encode(np.array(["9", "10", "100", "9"], dtype=object), "a", "ordinal")
    np.testing.assert_array_equal(coded["a"], [0, 1, 2, 0])


def test_one_column_per_sample_is_refused(tmp_path):
    path = table_of(tmp_path, "who\tb", *(f"p{place}\t{place}" for place in range(5)))
    with pytest.raises(ValueError, match=r"'who' is different in every row.*index"):
        read_table(path, encode="onehot")
    assert read_table(path, encode="onehot", index="who").names == ["b"]


def test_a_label_that_is_a_row_asks_to_transpose(tmp_path):
    path = table_of(tmp_path, "gene\ts1\ts2", "a\t1\t2", "state\till\twell")
    with pytest.raises(ValueError, match=r"is in the first column.*transpose=True"):
        read_table(path, label="state")
    assert list(read_table(path, label="state", transpose=True).y) == ["ill", "well"]
