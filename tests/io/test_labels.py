"""Labels in a second file, and tables that stand on their side."""

import numpy as np
import pandas as pd
import pytest

from inffs.io import read_table, write_table
from tests.io.make_files import NAMES, _xlsx, frame, sample


@pytest.fixture
def files(tmp_path):
    """The table without its label, and the labels in another order under the patients' names."""
    frame().drop(columns="status").to_csv(tmp_path / "t.csv", index=False)
    pheno = pd.DataFrame({"sample_id": sample()[2], "age": range(30), "diagnosis": sample()[1]})
    pheno.sample(frac=1, random_state=0).to_csv(tmp_path / "pheno.tsv", index=False, sep="\t")
    return tmp_path / "t.csv", {"labels": tmp_path / "pheno.tsv", "label": "diagnosis"}


@pytest.mark.parametrize("on", ["sample_id", 0, None])
def test_labels_are_matched_by_name(files, on):
    path, labels = files
    table = read_table(path, index="sample", on=on, **labels)
    X, y, samples = sample()
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)
    np.testing.assert_array_equal(table.index, samples)
    assert (table.names, table.label, table.notes) == (NAMES, "diagnosis", [])


def test_what_does_not_match_is_counted_and_named(files):
    path, labels = files
    table = frame().drop(columns="status")
    table.loc[[2, 5], "sample"] = ["stranger", "foreigner"]
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"2 of 30 samples .*pheno.tsv: 'stranger', 'foreigner'"):
        read_table(path, index="sample", **labels)
    read = read_table(path, index="sample", allow_missing_samples=True, **labels)
    assert read.shape == (28, 8)
    left = np.delete(np.arange(30), [2, 5])
    np.testing.assert_array_equal(read.X, sample()[0][left])
    np.testing.assert_array_equal(read.y, sample()[1][left])
    assert "2 of 30 samples are not in pheno.tsv: 'stranger'" in read.notes[0]
    assert "2 of 30 rows of pheno.tsv are not a sample of the table: 's2', 's5'" in read.notes[1]


@pytest.mark.parametrize("wide", [0, 600])
@pytest.mark.parametrize(("ending", "sign"), [("csv", ","), ("tsv", "\t"), ("csv", ";")])
@pytest.mark.parametrize("by", ["id", 0])
def test_names_of_samples_stay_text(tmp_path, wide, ending, sign, by):
    """Compared with pandas told that the column is text."""
    ids = ["001", "010", "100", "1e3", "12345"]
    table = pd.DataFrame({"id": ids, "a": [0.5, 1, 2, 3, 4], "b": [1, 2, 3, 4, 7]})
    more = {f"x{k}": np.arange(5.0) + k for k in range(wide)}
    pd.concat([table, pd.DataFrame(more)], axis=1).to_csv(
        tmp_path / f"t.{ending}", index=False, sep=sign
    )
    read = read_table(tmp_path / f"t.{ending}", index=by)
    plain = pd.read_csv(tmp_path / f"t.{ending}", sep=sign, dtype={"id": str})
    assert list(read.index) == list(plain["id"]) == ids
    np.testing.assert_array_equal(read.X, plain.drop(columns="id").to_numpy(float))
    write_table(read, tmp_path / "again.csv")
    assert list(pd.read_csv(tmp_path / "again.csv", dtype=str)["id"]) == ids


def test_zeros_before_a_number_are_part_of_a_sample_name(tmp_path):
    (tmp_path / "t.csv").write_text("id,a\n001,0.1\n002,0.2\n003,0.3\n")
    (tmp_path / "y.csv").write_text("id,y\n001,u\n002,v\n003,v\n")
    given = {"index": "id", "labels": tmp_path / "y.csv", "label": "y"}
    table = read_table(tmp_path / "t.csv", **given)
    assert (list(table.index), list(table.y)) == (["001", "002", "003"], ["u", "v", "v"])
    (tmp_path / "y.csv").write_text("id,y\n1,u\n002,v\n3,v\n")
    with pytest.raises(ValueError, match=r"2 of 3 samples .*'001', '003'.*'001' is written '1'"):
        read_table(tmp_path / "t.csv", **given)


def test_labels_on_another_sheet_of_the_workbook(tmp_path):
    values = [["id", "a"], ["001", 0.1], ["002", 0.2], ["003", 0.3]]
    pheno = [["id", "kind"], ["003", "w"], ["001", "u"], ["002", "v"]]
    _xlsx(tmp_path / "book.xlsx", values, "values", pheno=pheno)
    labels = {"labels": tmp_path / "book.xlsx#pheno", "label": "kind"}
    table = read_table(tmp_path / "book.xlsx", sheet="values", index="id", **labels)
    assert list(table.y) == ["u", "v", "w"]
    assert list(table.index) == ["001", "002", "003"]
    labels["labels"] = tmp_path / "book.xlsx#phen"
    with pytest.raises(ValueError, match=r"no sheet 'phen'.*'pheno'"):
        read_table(tmp_path / "book.xlsx", sheet="values", index="id", **labels)


@pytest.mark.parametrize("second", [False, True])
def test_samples_without_a_label_are_left_out_where_that_is_asked_for(tmp_path, second):
    (tmp_path / "t.csv").write_text("id,a,y\np,0.1,1\nq,0.2,\nr,0.3,0\ns,0.4,1\n")
    given = {"index": "id", "label": "y", "drop": [] if not second else ["y"]}
    if second:
        (tmp_path / "y.csv").write_text("id,y\np,1\nq,NA\nr,0\ns,1\n")
        given["labels"] = tmp_path / "y.csv"
    with pytest.raises(ValueError, match=r"'y' is missing in 1 of 4 rows.*drop_missing_labels"):
        read_table(tmp_path / "t.csv", **given)
    table = read_table(tmp_path / "t.csv", drop_missing_labels=True, **given)
    assert (list(table.index), table.y.tolist()) == (["p", "r", "s"], [1, 0, 1])
    assert table.y.dtype.kind == "i"
    np.testing.assert_array_equal(table.X, [[0.1], [0.3], [0.4]])
    assert any("1 sample without a label 'y'" in note for note in table.notes)


def test_names_of_samples_in_both_files(files, tmp_path):
    path, labels = files
    frame().drop(columns="status").rename(columns={"sample": "sample_id"}).to_csv(path, index=False)
    table = read_table(path, on="sample_id", **labels)
    assert table.names == NAMES
    assert list(table.index) == list(sample()[2])


def test_numbered_samples_match_as_text(tmp_path):
    pd.DataFrame({"id": [3, 1, 2], "a": [0.3, 0.1, 0.2]}).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "y.csv").write_text("id,y\n1,u\n2,v\n3,w\n")
    table = read_table(tmp_path / "t.csv", labels=tmp_path / "y.csv", on="id", label="y")
    assert list(table.y) == ["w", "u", "v"]


def test_labels_of_columns_that_are_samples(files, tmp_path):
    path, labels = files
    frame().drop(columns="status").set_index("sample").T.to_csv(path, index_label="gene")
    table = read_table(path, transpose=True, **labels)
    np.testing.assert_array_equal(table.X, sample()[0])
    np.testing.assert_array_equal(table.y, sample()[1])
    for index in (None, "gene"):
        with pytest.raises(ValueError, match=r"30 of the 30 .* in columns \(transpose=True\)"):
            read_table(path, index=index, **labels)


def test_sparse_tables_lose_rows_and_stay_sparse(files, tmp_path):
    from tests.io.make_files import write

    path, _, _, X = write(".h5ad", tmp_path)
    pheno = pd.read_csv(files[1]["labels"], sep="\t").iloc[:20]
    pheno.to_csv(files[1]["labels"], index=False, sep="\t")
    table = read_table(path, **files[1], allow_missing_samples=True)
    kept = [int(name[1:]) for name in table.index]
    assert sorted(kept) == kept
    assert len(kept) == 20
    np.testing.assert_array_equal(table.X.toarray(), X[kept])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"label": None}, r"name its column of classes \(label\)"),
        ({"label": "diagnose"}, "Did you mean 'diagnosis'"),
        ({"on": "patient"}, r"no column 'patient' for the sample names \(on=\.\.\.\)"),
        ({"on": "age"}, r"None of the 30 samples .* 's0'.* is in the column 'age' .*'2'"),
        (
            {"index": None},
            r"Name the column of sample names of .*t\.csv \(index=\.\.\.\) to match the labels\.$",
        ),
    ],
)
def test_refusals(files, options, said):
    path, labels = files
    with pytest.raises(ValueError, match=said):
        read_table(path, **{"index": "sample", **labels, **options})


def test_two_labels_for_one_sample(files):
    path, labels = files
    pheno = pd.read_csv(labels["labels"], sep="\t")
    pheno = pd.concat([pheno, pheno.iloc[:1].assign(diagnosis="other")])
    pheno.to_csv(labels["labels"], index=False, sep="\t")
    with pytest.raises(ValueError, match=r"1 sample stands in .*pheno\.tsv with several labels"):
        read_table(path, index="sample", **labels)


def turned(path, **form):
    frame().set_index("sample").T.to_csv(path, index_label="gene", **form)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".feather"])
def test_the_output_stands_as_the_input_does(ending, tmp_path):
    turned(tmp_path / "t.csv")
    table = read_table(tmp_path / "t.csv", transpose=True, label="status")
    write_table(table.take([4, 1]), tmp_path / f"out{ending}")
    back = read_table(tmp_path / f"out{ending}", transpose=True, label="status")
    np.testing.assert_array_equal(back.X, sample()[0][:, [4, 1]])
    np.testing.assert_array_equal(back.y, sample()[1])
    assert back.names == [NAMES[4], NAMES[1]]
    assert list(back.index) == list(sample()[2])
    if ending == ".csv":
        first = (tmp_path / "out.csv").read_text().splitlines()[0]
        assert first.startswith('"gene","s0","s1"')


def test_turned_arrays(tmp_path, rng):
    X = rng.normal(size=(5, 9))
    np.save(tmp_path / "t.npy", X)
    table = read_table(tmp_path / "t.npy", transpose=True)
    write_table(table.take([0, 3]), tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), X[[0, 3]])


def test_transpose_is_proposed_where_names_say_so(tmp_path):
    turned(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"no column 'status'.*seem to be columns.*transpose=True"):
        read_table(tmp_path / "t.csv", label="status")
    numbers = frame().drop(columns="status").set_index("sample").T
    numbers.to_csv(tmp_path / "n.csv", index_label="gene")
    with pytest.raises(ValueError, match=r"'gene'.*samples are columns.*transpose"):
        read_table(tmp_path / "n.csv")
    frame().drop(columns="status").to_csv(tmp_path / "upright.csv", index=False)
    with pytest.raises(ValueError) as caught:
        read_table(tmp_path / "upright.csv")
    assert "transpose" not in str(caught.value)
