"""The benchmark's parsers, on small files that the formats' own libraries wrote."""

import zipfile

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from reproduction.fetch import DataError
from reproduction.readers import READERS
from tests.io.make_files import r_writer

NUMBERED = ["x1", "x2", "x3"]


def check(table, X, y, names):
    found = table.X.toarray() if sparse.issparse(table.X) else table.X
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(table.y, y)
    assert table.names == names


@pytest.fixture
def X(rng):
    return rng.normal(size=(6, 3))


def test_a_list_of_r(X, tmp_path):
    y = np.array([1.0, 2, 1, 2, 2, 1])
    r_writer().write_rda(tmp_path / "t.rda", {"set": {"x": X, "y": y}})
    check(READERS["rdata"]([tmp_path / "t.rda"]), X, y, NUMBERED)


def test_lymphoma_loses_its_two_normal_samples(X, tmp_path):
    columns = "".join(f"@attribute g{place} numeric\n" for place in range(3))
    rows = "\n".join(
        ",".join(map(repr, row.tolist())) + f",{'ab'[k % 2]}" for k, row in enumerate(X)
    )
    text = f"@relation t\n{columns}@attribute class {{a,b}}\n@data\n{rows}\n"
    (tmp_path / "t.arff").write_text(text)
    kept = [0, 1, 2, 5]
    expected = [*"aba", "b"]
    check(READERS["lymphoma"]([tmp_path / "t.arff"]), X[kept], expected, ["g0", "g1", "g2"])


def test_csv_with_the_class_last(X, tmp_path):
    rows = np.column_stack([X, [0, 1] * 3])
    np.savetxt(tmp_path / "t.csv", rows, "%.17g", ",", header="a,b,c,y", comments="")
    check(READERS["csv"]([tmp_path / "t.csv"]), X, [0, 1] * 3, ["a", "b", "c"])


def test_both_parts_of_dexter(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("dexter_train.csv", "a,b,c,y\n1,,2.5,1\n,,,-1\n")
        archive.writestr("dexter_test.csv", "a,b,c,y\n,7,,-1\n")
    table = READERS["dexter"]([tmp_path / "t.zip"])
    assert sparse.issparse(table.X)
    check(table, [[1, 0, 2.5], [0, 0, 0], [0, 7, 0]], [1, -1, -1], ["a", "b", "c"])


def test_matlab_files_one_below_the_other(X, tmp_path):
    paths = [tmp_path / "one.mat", tmp_path / "two.mat"]
    for path, part in zip(paths, (slice(0, 4), slice(4, 6)), strict=True):
        savemat(path, {"fts": X[part], "labels": np.arange(6)[part, None]})
    check(READERS["mat"](paths), X, np.arange(6), NUMBERED)


@pytest.mark.parametrize(("stored", "read"), [(np.float16, np.float32), (np.float32, np.float64)])
def test_npz_of_short_numbers(stored, read, X, tmp_path):
    np.savez(tmp_path / "t.npz", X=X.astype(stored), y=np.arange(6))
    table = READERS["npz"]([tmp_path / "t.npz"])
    assert table.X.dtype == read
    check(table, X.astype(stored), np.arange(6), NUMBERED)


def test_several_labels(X, tmp_path):
    Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1]])
    difficult = np.array([[1, 1], [0, 0], [0, 0], [1, 0], [0, 0], [0, 0]])
    np.savez(tmp_path / "t.npz", X=X, Y=Y, difficult=difficult, test=[0, 0, 1, 1, 0, 0])
    table = READERS["labels"]([tmp_path / "t.npz"])
    check(table, X, Y, NUMBERED)
    assert np.argwhere(table.difficult).tolist() == [[0, 1], [3, 0]]  # not where it has the label
    assert np.flatnonzero(table.official_test).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"X": np.eye(3)}, "holds no array Y"),
        ({"X": np.eye(3), "Y": np.full((3, 2), 2)}, "must be 0 / 1"),
        ({"X": np.eye(3), "Y": np.ones((2, 2))}, "one row per sample"),
    ],
)
def test_labels_that_are_none(arrays, said, tmp_path):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(DataError, match=said):
        READERS["labels"]([tmp_path / "t.npz"])


def test_a_challenge_of_nips(tmp_path):
    (tmp_path / "t.data").write_text("1 2 3 \n4 5 6 \n")
    (tmp_path / "t.labels").write_text("-1\n1\n")
    paths = [tmp_path / "t.data", tmp_path / "t.labels"]
    check(READERS["nips"](paths), [[1, 2, 3], [4, 5, 6]], [-1, 1], NUMBERED)


def test_gina_is_known_by_its_sums(tmp_path):
    """One column carries the sum of the challenge's training part; rows behind it are no part."""
    table = np.zeros((3155, 3), dtype=int)
    table[:, 0] = np.where(np.arange(3155) < 1550, 1, -1)
    table[7, 2] = 164947945
    path = tmp_path / "t.csv"
    np.savetxt(path, table, "%d", ",", header='"label","p0","p1"', comments="")
    check(READERS["gina"]([path]), table[:3153, 1:], table[:3153, 0], ["p0", "p1"])
    table[7, 2] += 1
    np.savetxt(path, table, "%d", ",", header='"label","p0","p1"', comments="")
    with pytest.raises(DataError, match="its sums differ"):
        READERS["gina"]([path])
