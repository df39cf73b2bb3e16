"""Workbooks, 10x folders, loom, MATLAB 7.3, R; and files that are something else."""

import gzip
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import mmwrite

from inffs.io import read_table
from tests.io.make_files import NAMES, _mtx, _xlsx, frame, r_writer, sample, with_objects


def test_sheets_by_name(tmp_path):
    _xlsx(tmp_path / "t.xlsx", sheet="genes & co")
    table = read_table(tmp_path / "t.xlsx", sheet="genes & co", label="status", index="sample")
    np.testing.assert_array_equal(table.X, sample()[0])
    with pytest.raises(ValueError, match=r"no sheet 'proteins': it has 'genes & co'"):
        read_table(tmp_path / "t.xlsx", sheet="proteins")
    frame().to_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="CSV files have no sheet"):
        read_table(tmp_path / "t.csv", sheet="genes")


def test_cells_of_a_sheet(tmp_path):
    rows = [["id", "a", "b", "y"], ["u", 1.5, "", 1], ["v", "NA", 2, 0], ["w", "#N/A", 3.25, 1]]
    _xlsx(tmp_path / "t.xlsx", rows)
    table = read_table(tmp_path / "t.xlsx", index="id", label="y", impute="median")
    np.testing.assert_array_equal(table.X, [[1.5, 2.625], [1.5, 2], [1.5, 3.25]])
    assert table.y.dtype == np.int64


def test_a_sheet_without_header(tmp_path):
    _xlsx(tmp_path / "t.xlsx", [[0.5, 1.25, 3], [0.1, 2.5, 4], [0.7, 9.5, 4]])
    assert read_table(tmp_path / "t.xlsx").shape == (3, 3)
    assert read_table(tmp_path / "t.xlsx", header=True).names == ["0.5", "1.25", "3"]


def test_a_sheet_with_a_merged_header(tmp_path):
    _xlsx(tmp_path / "t.xlsx", [["", "blood", "", ""], ["id", "na", "k", "ca"], ["u", 1, 2, 3]])
    with pytest.raises(ValueError, match=r"header of two rows \(merged cells\)"):
        read_table(tmp_path / "t.xlsx")


def test_a_sheet_with_a_password(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(5000))
    with pytest.raises(ValueError, match="protected with a password"):
        read_table(tmp_path / "t.xlsx")


@pytest.mark.parametrize("packed", [False, True])
def test_folder_of_10x(packed, tmp_path):
    folder = tmp_path / "filtered_feature_bc_matrix"
    folder.mkdir()
    _mtx(folder / "matrix.mtx")
    if packed:
        for path in list(folder.iterdir()):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    table = read_table(folder)
    X = sample()[0]
    X[np.abs(X) < 0.5] = 0
    assert sparse.issparse(table.X)
    np.testing.assert_allclose(table.X.toarray(), X)
    assert table.names == NAMES
    assert list(table.index) == list(sample()[2])


def test_matrix_market_with_a_prefix_and_alone(tmp_path, rng):
    X = sparse.random(5, 7, 0.5, random_state=rng)
    mmwrite(tmp_path / "x.mtx", X, precision=17)
    alone = read_table(tmp_path / "x.mtx")
    np.testing.assert_array_equal(alone.X.toarray(), X.toarray())
    assert "rows are the samples" in alone.notes[0]
    mmwrite(tmp_path / "GSM1_matrix.mtx", X)
    (tmp_path / "GSM1_barcodes.tsv").write_text("".join(f"c{j}\n" for j in range(7)))
    (tmp_path / "GSM1_genes.tsv").write_text("".join(f"g{j}\n" for j in range(5)))
    table = read_table(tmp_path / "GSM1_matrix.mtx")
    np.testing.assert_allclose(table.X.toarray(), X.toarray().T)
    assert table.names == [f"g{j}" for j in range(5)]
    (tmp_path / "GSM1_genes.tsv").write_text("g\n")
    with pytest.raises(ValueError, match="1 features and 7 barcodes"):
        read_table(tmp_path / "GSM1_matrix.mtx")


def test_matrix_market_that_announces_too_much(tmp_path):
    head = "%%MatrixMarket matrix coordinate real general\n"
    (tmp_path / "t.mtx").write_text(f"{head}10 10 100000000\n1 1 1\n")
    with pytest.raises(ValueError, match="announces 100,000,000 entries"):
        read_table(tmp_path / "t.mtx")
    (tmp_path / "u.mtx").write_text(f"{head}1000000000 10000000000 1\n1 1 1\n")
    with pytest.raises(ValueError, match="claims 10,000,000,000 columns"):
        read_table(tmp_path / "u.mtx")


def test_thin_loom_is_sparse(tmp_path):
    h5py = pytest.importorskip("h5py")
    X = np.zeros((1200, 6))
    X[::7, 2] = 3
    with h5py.File(tmp_path / "t.loom", "w") as file:
        file["matrix"] = X
    table = read_table(tmp_path / "t.loom")
    assert sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), X.T)


def write_mat73(path, X, cells=None, thin=None):
    """What MATLAB's ``save -v7.3`` writes: HDF5 behind 512 bytes, columns first."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"] = X.T
        file["X"].attrs["MATLAB_class"] = np.bytes_("double")
        if cells is not None:
            references = []
            for place, text in enumerate(cells):
                codes = np.array([list(map(ord, text))], dtype=np.uint16).T
                file[f"#refs#/{place}"] = codes
                file[f"#refs#/{place}"].attrs["MATLAB_class"] = np.bytes_("char")
                references.append(file[f"#refs#/{place}"].ref)
            made = file.create_dataset("Y", (1, len(cells)), dtype=h5py.ref_dtype)
            made[0] = references
            made.attrs["MATLAB_class"] = np.bytes_("cell")
        if thin is not None:
            group = file.create_group("S")
            group.attrs["MATLAB_class"] = np.bytes_("double")
            group.attrs["MATLAB_sparse"] = thin.shape[0]
            group["data"], group["ir"], group["jc"] = thin.data, thin.indices, thin.indptr
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def test_matlab_7_3(tmp_path):
    pytest.importorskip("h5py")
    X, labels, _ = sample()
    write_mat73(tmp_path / "t.mat", X, list(labels))
    table = read_table(tmp_path / "t.mat", label="Y")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, labels)


def test_sparse_matlab_7_3(tmp_path, rng):
    pytest.importorskip("h5py")
    thin = sparse.random(9, 40, 0.2, format="csc", random_state=rng)
    write_mat73(tmp_path / "t.mat", np.ones((2, 1)), thin=thin)
    table = read_table(tmp_path / "t.mat")
    np.testing.assert_array_equal(table.X.toarray(), thin.toarray())


def test_r_lists_and_matrices(tmp_path, rng):
    rdata = r_writer()
    X = rng.normal(size=(5, 3))
    rdata.write_rds(tmp_path / "m.rds", X)
    np.testing.assert_array_equal(read_table(tmp_path / "m.rds").X, X)
    rdata.write_rda(tmp_path / "l.rda", {"set": {"x": X, "y": np.arange(5.0)}})
    table = read_table(tmp_path / "l.rda", label="y")
    np.testing.assert_array_equal(table.y, np.arange(5))
    rdata.write_rds(tmp_path / "t.rds", "only text")
    with pytest.raises(ValueError, match="no data frame and no matrix"):
        read_table(tmp_path / "t.rds")


def test_r_row_names_are_samples(tmp_path):
    rdata = r_writer()
    table = pd.DataFrame({"a": [1.5, 2.5]}, index=["u", "v"])
    rdata.write_rds(tmp_path / "t.rds", with_objects(table))
    table = read_table(tmp_path / "t.rds")
    assert table.names == ["a"]
    assert list(table.index) == ["u", "v"]


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_text_that_is_stored_as_bytes(ending, tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2, 3], "city": ["Köln".encode(), b"Bonn", None]})
    getattr(frame, f"to_{ending[1:]}")(tmp_path / f"t{ending}")
    table = read_table(tmp_path / f"t{ending}", index="city")
    assert table.index.tolist() == ["Köln", "Bonn", None]
    frame.assign(city=[b"K\xf6ln"] * 3).to_feather(tmp_path / "u.feather")
    with pytest.raises(ValueError, match=r"u\.feather could not be read as Feather"):
        read_table(tmp_path / "u.feather", label="city")


def word_document(path):
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("word/document.xml", "<w:document/>")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".xlsx", ".docx", ".parquet", ".npz"])
def test_a_word_document(ending, tmp_path):
    word_document(tmp_path / f"t{ending}")
    with pytest.raises(ValueError, match="is a Word document, n"):
        read_table(tmp_path / f"t{ending}")


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", r"an image \(PNG\)"),
        (b"\xff\xd8\xff\xe0", r"an image \(JPEG\)"),
        (b"%PDF-1.7", "a PDF document"),
        (b"<!DOCTYPE html>", "a web page"),
        (b"PAR1", "a Parquet file, not CSV"),
        (b"\x1f\x8b\x08", "a gzipped file"),
    ],
)
def test_other_files(start, said, tmp_path):
    (tmp_path / "t.csv").write_bytes(start + bytes(range(256)))
    with pytest.raises(ValueError, match=said):
        read_table(tmp_path / "t.csv")


def test_a_folder_of_something_else(tmp_path):
    with pytest.raises(ValueError, match=r"a folder without matrix\.mtx"):
        read_table(tmp_path)


def test_arff_of_many_attributes(tmp_path):
    """Linear in the attributes: a quadratic step would take minutes."""
    n = 100_000
    head = "".join(f"@attribute a{j} {'numeric' if j else '{u,v}'}\n" for j in range(n))
    row = ",".join(["u", *["1"] * (n - 1)])
    (tmp_path / "t.arff").write_text(f"@relation r\n{head}@data\n{row}\n{row}\n")
    assert read_table(tmp_path / "t.arff", label="a0").shape == (2, n - 1)


def test_loom_with_names_for_other_columns(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "t.loom", "w") as file:
        file["matrix"] = np.ones((7, 4))
        file["row_attrs/Gene"] = np.array(NAMES, dtype="S")
    with pytest.raises(ValueError, match="8 names for 7 columns"):
        read_table(tmp_path / "t.loom")


def test_a_sheet_reads_as_the_same_cells_of_a_text_file(tmp_path):
    """Numbers that are text in the workbook are numbers, and names of samples are text."""
    rows = [
        ["id", "a", "b", "y"],
        ["001", "1.5", "-", "+"],
        ["010", "2", 4, "-"],
        ["1e3", 3, 5, ""],
    ]
    _xlsx(tmp_path / "t.xlsx", rows)
    (tmp_path / "t.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    options = {"index": "id", "label": "y", "impute": "median", "drop_missing_labels": True}
    sheet, text = (read_table(tmp_path / name, **options) for name in ("t.xlsx", "t.csv"))
    assert list(sheet.index) == list(text.index) == ["001", "010"]
    assert list(sheet.y) == list(text.y) == ["+", "-"]
    np.testing.assert_array_equal(sheet.X, text.X)
