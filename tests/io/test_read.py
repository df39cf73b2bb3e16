"""Reading: every format round trip, and what is about tables."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc
from scipy import sparse

from inffs.io import FORMATS, read_table, write_table
from inffs.io._formats import find_format
from tests.io.make_files import KINDS, NAMES, frame, sample, write

SPARSE = {".svmlight", ".h5ad", ".mtx"}
NAMED = set(KINDS) - {".npy", ".mat", ".svmlight"}
WRITABLE = [kind for kind in KINDS if find_format(f"t{kind}")[0].write is not None]


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("kind", KINDS)
def test_reads_what_the_formats_own_library_wrote(kind, tmp_path):
    path, label, index, X = write(kind, tmp_path)
    table = read_table(path, label=label, index=index)
    np.testing.assert_allclose(dense(table.X), X, rtol=1e-12)
    assert sparse.issparse(table.X) == (kind in SPARSE)
    if kind in NAMED:
        assert [name.translate({46: 32, 95: 32}) for name in table.names] == NAMES
    if label is not None:
        ill = np.isin(np.asarray(table.y).astype(str), ["ill", "1", "1.0"])
        np.testing.assert_array_equal(ill, sample()[1] == "ill")
    if index is not None or kind in (".h5ad", ".loom", ".mtx"):
        np.testing.assert_array_equal(table.index.astype(str), sample()[2].astype(str))


@pytest.mark.parametrize("kind", WRITABLE)
def test_what_we_write_we_read(kind, tmp_path):
    path, label, index, X = write(kind, tmp_path)
    table = read_table(path, label=label, index=index)
    small = table.take([4, 1])
    again = tmp_path / f"again{kind}"
    write_table(small, again)
    back = read_table(again, label=label, index=index)
    np.testing.assert_allclose(dense(back.X), X[:, [4, 1]], rtol=1e-15)
    if label is not None:
        np.testing.assert_array_equal(back.y, table.y)
    if kind in NAMED:
        assert back.names == [NAMES[4], NAMES[1]]


def test_every_registered_format_is_covered():
    tried = {find_format(f"t{kind}")[0].name for kind in KINDS}
    assert {form.name for form in FORMATS} == tried


@pytest.mark.filterwarnings("ignore:Feather V1")
def test_feather_of_version_1(tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    try:
        feather.write_feather(frame(), str(tmp_path / "t.feather"), version=1)
    except (TypeError, ValueError):
        pytest.skip("this pyarrow writes no such files")
    table = read_table(tmp_path / "t.feather", label="status", index="sample")
    np.testing.assert_array_equal(table.X, sample()[0])
    assert list(table.y) == list(sample()[1])


def test_arrow_stream(tmp_path):
    table = pa.Table.from_pandas(frame())
    with ipc.new_stream(str(tmp_path / "t.arrow"), table.schema) as sink:
        sink.write_table(table)
    assert read_table(tmp_path / "t.arrow", label="status", index="sample").shape == (30, 8)


def test_sparse_npz_stays_sparse(tmp_path, rng):
    X = sparse.random(20, 50, 0.1, random_state=rng, format="csr")
    sparse.save_npz(tmp_path / "t.npz", X)
    table = read_table(tmp_path / "t.npz")
    assert sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), X.toarray())


def test_parquet_keeps_float32_and_a_stored_pandas_index(tmp_path):
    table = frame().set_index("sample").drop(columns="status").astype(np.float32)
    table.to_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet")
    assert read.X.dtype == np.float32
    assert read.names == NAMES


@pytest.mark.parametrize("label", ["status", -1, "-1", 9, "9"])
def test_label_by_name_or_position(label, tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", label=label, index=0)
    assert table.label == "status"
    assert table.index_name == "sample"
    assert table.names == NAMES


def test_a_name_wins_over_a_position(tmp_path):
    pd.DataFrame({"1": [1, 2, 3], "b": [4, 5, 6], "c": [0, 1, 0]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert read_table(tmp_path / "t.csv", label="1").names == ["b", "c"]


def test_semicolons_quotes_and_byte_order_mark(tmp_path):
    text = '﻿"a;b";"c ""d"""\n1,5;2\n3;4\n'.replace("1,5", "1.5")
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    table = read_table(tmp_path / "t.csv")
    assert table.names == ["a;b", 'c "d"']
    np.testing.assert_array_equal(table.X, [[1.5, 2], [3, 4]])


def test_unnamed_row_numbers_are_no_feature(tmp_path):
    frame().drop(columns="sample").to_csv(tmp_path / "t.csv")
    table = read_table(tmp_path / "t.csv", label="status")
    assert table.names == NAMES
    assert "index" in table.notes[0]


def test_drop_by_name_and_pattern(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", label="status", drop=["sample", "gene [0-5]"])
    assert table.names == ["gene 6", "gene 7"]
    with pytest.raises(ValueError, match="No column matches drop 'zz"):
        read_table(tmp_path / "t.csv", drop=["zz*"])
    with pytest.raises(ValueError, match="No column is left"):
        read_table(tmp_path / "t.csv", drop=["*"])


def test_samples_as_columns(tmp_path):
    X, labels, _ = sample()
    turned = frame().set_index("sample").T
    turned.to_csv(tmp_path / "t.csv", index_label="gene")
    table = read_table(tmp_path / "t.csv", transpose=True, label="status")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, labels)
    assert table.names == NAMES
    numeric = turned.drop(index="status")
    numeric.to_csv(tmp_path / "n.tsv", index_label="gene", sep="\t")
    table = read_table(tmp_path / "n.tsv", transpose=True, index="gene")
    np.testing.assert_array_equal(table.X, X)
    assert list(table.index) == [f"s{i}" for i in range(30)]


def test_text_columns_are_refused_by_name(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(
        ValueError, match=r"2 columns are not numeric: 'sample' \(30 different.* index='sample' for"
    ):
        read_table(tmp_path / "t.csv")


def test_names_of_samples_and_patients_are_not_proposed_for_encoding(tmp_path):
    table = pd.DataFrame({"v": np.arange(60.0), "patient": [f"P{i // 3}" for i in range(60)]})
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"as in 'patient', is no feature.*groups=") as caught:
        read_table(tmp_path / "t.csv")
    assert "encode=" not in str(caught.value)
    table.assign(colour=["red", "blue"] * 30).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"Encode other text .*as in 'patient', is no"):
        read_table(tmp_path / "t.csv")


def test_encodings(tmp_path):
    table = pd.DataFrame({"v": [1.0, 2, 3, 4], "c": ["red", "blue", "red", "green"]})
    table.to_csv(tmp_path / "t.csv", index=False)
    onehot = read_table(tmp_path / "t.csv", encode="onehot")
    expected = pd.get_dummies(table, prefix_sep="=").astype(float)
    assert onehot.names == list(expected.columns)
    np.testing.assert_array_equal(onehot.X, expected)
    ordinal = read_table(tmp_path / "t.csv", encode="ordinal")
    np.testing.assert_array_equal(ordinal.X[:, 1], [2, 0, 2, 1])
    with pytest.raises(ValueError, match="onehot, ordinal"):
        read_table(tmp_path / "t.csv", encode="hash")


def test_truth_values_are_numbers(tmp_path):
    pd.DataFrame({"a": [True, False, True], "b": [1, 2, 3]}).to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_array_equal(read_table(tmp_path / "t.csv").X[:, 0], [1, 0, 1])


def test_missing_values_are_refused_with_counts_or_filled_in(tmp_path):
    from sklearn.impute import KNNImputer

    table = pd.DataFrame(sample()[0], columns=NAMES)
    table.iloc[[1, 2, 3], 2] = np.nan
    table.iloc[5, 0] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    message = r"2 columns have missing values: 'gene 2' \(3 of 30\), 'gene 0' \(1 of 30\).*impute"
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "t.csv")
    median = read_table(tmp_path / "t.csv", impute="median")
    np.testing.assert_allclose(median.X, table.fillna(table.median()))
    assert "4 missing values" in median.notes[0]
    knn = read_table(tmp_path / "t.csv", impute="knn")
    np.testing.assert_allclose(knn.X, KNNImputer().fit_transform(table))


@pytest.mark.parametrize("mark", ["NA", "", "?", "nan", "NULL", "#N/A"])
def test_marks_of_missing_values(mark, tmp_path):
    (tmp_path / "t.csv").write_text(f"a,b\n1,2\n{mark},3\n4,5\n")
    with pytest.raises(ValueError, match=r"'a' \(1 of 3\)"):
        read_table(tmp_path / "t.csv")


def test_empty_column_cannot_be_filled_in(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,\n2,\n")
    with pytest.raises(ValueError, match="No value at all in 'b'"):
        read_table(tmp_path / "t.csv", impute="median")


def test_infinity_and_missing_labels_are_named(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,u\n3,inf,v\n4,5,\n")
    with pytest.raises(ValueError, match=r"'b' holds infinity \(row 1\)"):
        read_table(tmp_path / "t.csv", label="y")
    with pytest.raises(ValueError, match=r"label 'y' is missing in 1 of 3 rows \(2\)"):
        read_table(tmp_path / "t.csv", label="y", drop=["b"])


def test_a_column_that_turns_to_text_late(tmp_path):
    rows = "\n".join(["1,2"] * 200_000)
    (tmp_path / "t.csv").write_text(f"a,b\n{rows}\n1.5,oops\n")
    with pytest.raises(ValueError, match=r"1 column is not numeric: 'b'"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"a,b\n1,2\n3\n", "rows of different lengths"),
        (b"a\xff,b\n1,2\n", "not UTF-8"),
    ],
)
def test_broken_files_get_a_sentence(content, said, tmp_path):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {".csv", ".tsv"}))
def test_garbage_is_refused_without_a_strange_error(kind, tmp_path):
    if kind == ".sav":
        pytest.importorskip("pyreadstat")
    path = tmp_path / f"t{kind}"
    path.write_bytes(b"this is no such file \x00\x01" * 40)
    with pytest.raises((ValueError, OSError)):
        read_table(path)


def test_unknown_ending_missing_file_and_no_column(tmp_path):
    with pytest.raises(ValueError, match=r"known format: \.csv"):
        read_table(tmp_path / "t.xyz")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "t.csv")
    frame().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"no column 'statu' .* Did you mean 'status'"):
        read_table(tmp_path / "t.csv", label="statu")
    with pytest.raises(ValueError, match="no column: there are 10"):
        read_table(tmp_path / "t.csv", label="99")


def test_equal_names_are_kept_and_told_apart_by_position(tmp_path):
    (tmp_path / "t.csv").write_text("a,a,y\n1,2,0\n3,4,1\n5,7,0\n")
    table = read_table(tmp_path / "t.csv", label="y")
    assert table.names == ["a", "a"]
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5, 7]])
    with pytest.raises(ValueError, match=r"2 columns are called 'a' \(positions 0, 1\)"):
        read_table(tmp_path / "t.csv", label="a")
    assert read_table(tmp_path / "t.csv", label=1).names == ["a", "y"]


def test_existing_file_is_not_overwritten(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", label="status", index="sample")
    write_table(table, tmp_path / "out.csv.gz")
    with gzip.open(tmp_path / "out.csv.gz", "rt") as file:
        assert file.readline().startswith('"sample","gene 0"')
    with pytest.raises(FileExistsError, match="force=True"):
        write_table(table, tmp_path / "out.csv.gz")
    write_table(table, tmp_path / "out.csv.gz", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv.gz", "t.csv"]


def test_types_that_change_after_the_first_block(tmp_path):
    """A file that packs far better than most is read in blocks: whole numbers, then a fraction."""
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write("a,b\n" + "1,2\n" * 600_000 + "1.5,NA\n")
    table = read_table(tmp_path / "t.csv.gz", impute="median")
    assert table.shape == (600_001, 2)
    assert table.X[-1].tolist() == [1.5, 2.0]
