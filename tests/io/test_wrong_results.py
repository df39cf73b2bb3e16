"""Files that were once read or written wrongly without a word."""

import numpy as np
import pytest
from scipy.io import savemat

from inffs.io import Table, read_table, write_table
from tests.io.make_files import _xlsx


@pytest.mark.parametrize("kind", [".npz", ".mat"])
@pytest.mark.parametrize("label", ["X", "x", "data", "feature_names", "names", "y"])
def test_a_label_keeps_its_name_and_the_features_theirs(kind, label, tmp_path, rng):
    table = Table(rng.normal(size=(6, 3)), ["a", "b", "c"], np.array(list("uvuvuv")), label)
    write_table(table, tmp_path / f"t{kind}")
    back = read_table(tmp_path / f"t{kind}", label=label)
    np.testing.assert_array_equal(back.X, table.X)
    np.testing.assert_array_equal(back.y, table.y)
    assert back.names == table.names


@pytest.mark.parametrize("label", ["_y", "7th", "a b", "z" * 80])
def test_mat_variables_have_names_that_matlab_takes(label, tmp_path, rng):
    table = Table(rng.normal(size=(6, 3)), ["a", "b", "c"], np.arange(6) % 2, label)
    write_table(table, tmp_path / "t.mat")
    (y,) = (read_table(tmp_path / "t.mat", label=name).y for name in ["Y"])
    np.testing.assert_array_equal(y, table.y)


def test_mat_cells_as_labels(tmp_path, rng):
    cells = np.array([["ill"], ["well"], ["ill"], ["well"]], dtype=object)
    savemat(tmp_path / "t.mat", {"X": rng.normal(size=(4, 3)), "Y": cells})
    table = read_table(tmp_path / "t.mat", label="Y")
    assert table.y.dtype.kind == "U"
    assert table.y.tolist() == ["ill", "well", "ill", "well"]
    numbers = np.empty((4, 1), dtype=object)
    numbers[:, 0] = [1.0, 2.0, 1.0, 2.0]
    savemat(tmp_path / "n.mat", {"X": rng.normal(size=(4, 3)), "Y": numbers})
    y = read_table(tmp_path / "n.mat", label="Y").y
    assert y.dtype.kind == "f"
    assert y.tolist() == [1, 2, 1, 2]


def test_mat_labels_as_rows_of_characters(tmp_path, rng):
    savemat(tmp_path / "t.mat", {"X": rng.normal(size=(3, 4)), "Y": ["ill", "well", "ill"]})
    assert read_table(tmp_path / "t.mat", label="Y").y.tolist() == ["ill", "well", "ill"]


HEADERLESS = [
    "5.1,3.5,1.4\n4.9,3.0,1.4\n4.7,3.2,1.3\n",
    "1,2\n3,4\n5,7\n".replace("1,2", "9,2"),
    "0,0,1\n0,1,1\n1,0,0\n",
    "1e-3;2;4\n3;4;8\n",
]


@pytest.mark.parametrize("text", HEADERLESS)
def test_a_first_row_of_numbers_is_a_sample(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    table = read_table(tmp_path / "t.csv")
    rows = text.replace(";", ",").split()
    expected = [[float(cell) for cell in row.split(",")] for row in rows]
    np.testing.assert_array_equal(table.X, expected)
    assert table.names == [f"x{j}" for j in range(table.shape[1])]
    assert "header=" in table.notes[0]


def test_a_headerless_table_with_a_column_of_classes(tmp_path):
    rows = ["5.1,3.5,setosa", "7.0,3.2,versicolor", "4.9,3.0,setosa", "6.4,3.2,versicolor"]
    (tmp_path / "iris.csv").write_text("\n".join(rows))
    table = read_table(tmp_path / "iris.csv", label=-1)
    assert table.shape == (4, 2)
    assert table.y[0] == "setosa"


@pytest.mark.parametrize(
    "head",
    [
        "0,1,2,3,4,5",  # data frames number their columns
        "1,2,3,4,5,6",
        "400.0,402.5,405.0,407.5,410.0,412.5",  # wavelengths
        "9,7,5,3,2,1",
        "1433,2871,1001,77,8,12",  # numbers of patients above fractions
        "a,b,c,1,2,3",
    ],
)
def test_numbers_that_are_names(head, tmp_path):
    (tmp_path / "t.csv").write_text(f"{head}\n.1,.2,.3,.4,.5,.6\n.3,.1,.2,.9,.4,.4\n")
    table = read_table(tmp_path / "t.csv")
    assert table.names == head.split(",")
    assert table.shape == (2, 6)


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_a_first_row_that_holds_the_named_label_is_the_header(ending, tmp_path):
    """Names, a number among them, look like another sample: text, a number, text."""
    path = tmp_path / f"t{ending}"
    rows = [["id", "5", "sex"], ["a", 1.5, "f"], ["b", 2.5, "m"]]
    if ending == ".csv":
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    else:
        _xlsx(path, [["id", 5, "sex"], *rows[1:]])
    table = read_table(path, label="sex", index="id")
    assert (table.names, table.y.tolist(), table.index.tolist()) == (["5"], ["f", "m"], ["a", "b"])
    table = read_table(path, label="2", index=0)
    assert (table.names, table.y.tolist()) == (["x1"], ["sex", "f", "m"])
    (tmp_path / "l.csv").write_text("\n".join(["id,7", "a,1", "b,2"]))
    table = read_table(tmp_path / "l.csv", labels=path, label="sex", on="id", index="id")
    assert (table.names, table.y.tolist()) == (["7"], ["f", "m"])
    with pytest.raises(ValueError, match="no column 'age' for the label"):
        read_table(path, label="age")


@pytest.mark.parametrize("width", [3, 600])
@pytest.mark.parametrize("mark", ["NA", "NULL", "nan", "None"])
def test_a_mark_of_missing_values_may_be_the_name_of_a_gene_or_a_sample(mark, width, tmp_path):
    """The column of names is text; only an empty cell of it is missing."""
    names = [mark, *(f"g{place}" for place in range(width - 1))]
    rows = [",".join([name, "1.5", "2.5"]) for name in names]
    (tmp_path / "t.csv").write_text("\n".join(["gene,s0,s1", *rows]) + "\n")
    table = read_table(tmp_path / "t.csv", index="gene", transpose=True)
    assert table.names == names
    flat = [["id", *(f"c{place}" for place in range(width))], [mark, *["1.5"] * width],
            ["s", *["2.5"] * width]]  # fmt: skip
    (tmp_path / "u.csv").write_text("\n".join(map(",".join, flat)))
    assert read_table(tmp_path / "u.csv", index="id").index.tolist() == [mark, "s"]


def test_header_can_be_told(tmp_path):
    (tmp_path / "t.csv").write_text("0,1,2\n3,5,4\n8,7,9\n")
    assert read_table(tmp_path / "t.csv").shape == (2, 3)
    assert read_table(tmp_path / "t.csv", header=False).shape == (3, 3)
    (tmp_path / "u.csv").write_text("0.5,0.1\n3,5\n8,7\n")
    assert read_table(tmp_path / "u.csv", header=True).names == ["0.5", "0.1"]
    np.save(tmp_path / "t.npy", np.eye(3))
    with pytest.raises(ValueError, match="NPY files have no header"):
        read_table(tmp_path / "t.npy", header=True)


@pytest.mark.parametrize(("first", "names"), [(0, ["0", "1", "2"]), (1, ["1", "2", "3"])])
def test_svmlight_features_are_called_by_their_numbers(first, names, tmp_path):
    rows = [f"1 {first}:5 {first + 2}:7", f"0 {first + 1}:6"]
    (tmp_path / "t.svmlight").write_text("\n".join(rows) + "\n")
    table = read_table(tmp_path / "t.svmlight", label="label")
    assert table.names == names
    np.testing.assert_array_equal(table.X.toarray(), [[5, 0, 7], [0, 6, 0]])


def test_svmlight_labels_beyond_whole_numbers_stay_apart(tmp_path):
    (tmp_path / "t.svmlight").write_text("1e300 1:5\n2e300 1:6\n1e300 1:7\n")
    y = read_table(tmp_path / "t.svmlight", label="label").y
    assert y.tolist() == [1e300, 2e300, 1e300]


@pytest.mark.parametrize(("row", "count"), [("1,2,a,9", 4), ("1,2", 2), ("'1,5',2,a,9,9", 5)])
def test_arff_rows_of_another_length(row, count, tmp_path):
    head = "@RELATION r\n@ATTRIBUTE u NUMERIC\n@ATTRIBUTE v NUMERIC\n@ATTRIBUTE c {a,b}\n@DATA\n"
    (tmp_path / "t.arff").write_text(f"{head}1,2,a\n% a remark\n\n{row}\n2,4,b\n")
    with pytest.raises(ValueError, match=rf"row 2 .*has {count} values.*3 attributes"):
        read_table(tmp_path / "t.arff", label="c")


def test_two_parquet_columns_of_one_name(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    columns = [pa.array([1.0, 2.0, 3.0]), pa.array([3.0, 1.0, 2.0]), pa.array([0, 1, 0])]
    parquet.write_table(pa.table(columns, names=["a", "a", "y"]), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", label="y")
    assert table.names == ["a", "a"]
    np.testing.assert_array_equal(table.X, [[1, 3], [2, 1], [3, 2]])
    with pytest.raises(ValueError, match=r"2 columns are called 'a' \(positions 0, 1\)"):
        read_table(tmp_path / "t.parquet", label="a")
