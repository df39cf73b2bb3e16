"""Text as people have it: encodings, separators, decimal commas, remarks, missing values."""

import gzip

import numpy as np
import pandas as pd
import pytest

from inffs.io import read_table
from tests.io.make_files import NAMES, frame, sample

PLAIN = "sample,a,b,status\ns1,1.5,2,ill\ns2,-3,4.25,well\ns3,5,6,ill\n"
VALUES = [[1.5, 2], [-3, 4.25], [5, 6]]


def check(path):
    table = read_table(path, label="status", index="sample")
    np.testing.assert_array_equal(table.X, VALUES)
    assert table.names == ["a", "b"]
    assert list(table.y) == ["ill", "well", "ill"]
    assert list(table.index) == ["s1", "s2", "s3"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_encodings(encoding, ending, tmp_path):
    content = PLAIN.encode(encoding)
    if encoding == "utf-16-be":
        content = b"\xfe\xff" + content
    (tmp_path / f"t{ending}").write_bytes(gzip.compress(content) if "gz" in ending else content)
    check(tmp_path / f"t{ending}")


@pytest.mark.parametrize("n", [2, 600])
@pytest.mark.parametrize("option", [{}, {"label": "city"}, {"index": "city"}, {"encode": "onehot"}])
def test_cells_in_another_encoding(n, option, tmp_path):
    rows = [[f"g{j}" for j in range(n)] + ["city"], ["1.5"] * n + ["Köln"], ["2"] * n + ["Bonn"]]
    (tmp_path / "t.csv").write_bytes("\n".join(map(",".join, rows)).encode("latin-1"))
    with pytest.raises(ValueError, match=r"t\.csv is not UTF-8 text"):
        read_table(tmp_path / "t.csv", **option)


@pytest.mark.parametrize(
    ("ending", "sign"), [("csv", ";"), ("csv", "\t"), ("tsv", "\t"), ("txt", ";"), ("txt", " ")]
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_separators_and_decimal_commas(ending, sign, decimal, tmp_path):
    text = PLAIN.replace(",", sign).replace(".", decimal)
    (tmp_path / f"t.{ending}").write_text(text)
    check(tmp_path / f"t.{ending}")


def test_decimal_commas_as_spreadsheets_and_pandas_write_them(tmp_path):
    X = sample()[0]
    frame().to_csv(tmp_path / "quoted.csv", index=False, decimal=",")
    frame().to_csv(tmp_path / "semi.csv", index=False, decimal=",", sep=";")
    for name in ("quoted.csv", "semi.csv"):
        table = read_table(tmp_path / name, label="status", index="sample")
        np.testing.assert_array_equal(table.X, X)
        assert table.names == NAMES


def test_decimal_commas_that_come_late(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n" + "1;2\n" * 100 + "-;4\n" + "1,5;2\n")
    assert read_table(tmp_path / "t.csv", impute="median").X[-1].tolist() == [1.5, 2]


def test_thousands_are_no_decimals(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1,234;2\n5,678;3\n")
    with pytest.raises(ValueError, match=r"1 column is not numeric: 'a'"):
        read_table(tmp_path / "t.csv")


def test_a_semicolon_in_names_does_not_cut_them(tmp_path):
    (tmp_path / "t.csv").write_text("g;1,g;2,c\n1,2,3\n4,5,7\n")
    assert read_table(tmp_path / "t.csv").names == ["g;1", "g;2", "c"]


REMARKS = "# made today, by hand, in a hurry, at night\n#\n\n"


@pytest.mark.parametrize(
    "text",
    [
        REMARKS + PLAIN,
        PLAIN.replace("s2", "# a remark\ns2"),
        PLAIN + "# end, of, table\n",
        "!Series_title,x\n!Series_type,y\n" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
    ],
)
def test_remarks(text, tmp_path):
    (tmp_path / "t.csv").write_bytes(text.encode())
    check(tmp_path / "t.csv")


def test_a_header_and_sample_names_may_begin_with_the_sign_of_remarks(tmp_path):
    (tmp_path / "t.csv").write_text("#id,a,b\n#1,1,2\n#2,3,4\n")
    table = read_table(tmp_path / "t.csv", index=0)
    assert table.index_name == "#id"
    assert list(table.index) == ["#1", "#2"]


@pytest.mark.parametrize("mark", ["", "-", "--", ".", "NA", "N/A", "#N/A", "#DIV/0!", "None", "?"])
@pytest.mark.parametrize("n", [2, 600])
def test_marks_of_missing_numbers(mark, n, tmp_path):
    rows = [["1"] * n, ["2.5"] * n, ["4"] * n]
    rows[1][0] = mark
    head = [f"g{j}" for j in range(n)]
    (tmp_path / "t.csv").write_text("\n".join(",".join(row) for row in [head, *rows]))
    table = read_table(tmp_path / "t.csv", impute="median")
    assert table.X[:, 0].tolist() == [1, 2.5, 4]
    assert "1 missing value" in table.notes[0]


def test_plus_and_minus_are_classes(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,+\n3,5,-\n-,7,-\n")
    table = read_table(tmp_path / "t.csv", label="y", impute="median")
    assert list(table.y) == ["+", "-", "-"]
    assert table.X[2, 0] == 2


def test_the_header_of_r_is_one_name_short(tmp_path):
    """What R's write.table makes: names of rows without a name above them."""
    (tmp_path / "t.txt").write_text('"a" "b"\n"s1" 1.5 2\n"s2" -3 4.25\n"s3" 5 6\n')
    table = read_table(tmp_path / "t.txt", index=0)
    np.testing.assert_array_equal(table.X, VALUES)
    assert table.names == ["a", "b"]
    assert list(table.index) == ["s1", "s2", "s3"]


@pytest.fixture
def wide(rng):
    table = pd.DataFrame(rng.normal(size=(12, 700)).round(3)).add_prefix("g")
    table.insert(0, "sample", [f"s{i}" for i in range(12)])
    table["count"] = rng.integers(0, 9, 12)
    table.insert(300, "city", ['Köln, "alt"', "Bonn"] * 6)
    table["status"] = ["+", "-"] * 6
    return table


@pytest.mark.parametrize("form", [{}, {"quoting": 2}, {"sep": ";", "decimal": ","}, {"sep": "\t"}])
def test_wide_tables_come_out_as_pandas_has_them(wide, form, tmp_path):
    if form == {}:
        wide = wide.drop(columns="city")  # the quick way, without quotes
    wide.loc[3, "g7"] = np.nan
    wide.to_csv(tmp_path / "t.csv", index=False, **form)
    drop = ["city"] if "city" in wide else []
    table = read_table(
        tmp_path / "t.csv", label="status", index="sample", drop=drop, impute="later"
    )
    expected = wide.drop(columns=["sample", "status", *drop])
    np.testing.assert_array_equal(table.X, expected)
    assert table.names == list(expected)
    assert list(table.y) == list(wide["status"])
    counts = read_table(tmp_path / "t.csv", label="count", index="sample", drop=["status", *drop],
                        impute="later").y  # fmt: skip
    assert counts.dtype == np.int64


@pytest.mark.parametrize("damage", [("\n3,", "\n3,,"), ("\n3,", "\n"), ("\n3,", "\nthree,")])
def test_irregular_wide_tables_are_refused_as_narrow_ones(damage, tmp_path):
    head = ",".join(f"g{j}" for j in range(600))
    rows = [",".join([str(i)] * 600) for i in (5, 3, 4)]
    (tmp_path / "t.csv").write_text("\n".join([head, *rows]).replace(*damage))
    with pytest.raises(ValueError, match=r"rows of different lengths|not numeric: 'g0'"):
        read_table(tmp_path / "t.csv")


def test_a_merged_header_gets_a_sentence(tmp_path):
    (tmp_path / "t.csv").write_text("patient,blood,,,urine,\nid,na,k,ca,ph,vol\n1,2,3,4,5,6\n")
    with pytest.raises(ValueError, match=r"header of two rows \(merged cells\)"):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("header", ["%fat,age", "!fat,age", "#fat,age", "# fat,age", "##"])
def test_a_header_that_begins_as_a_remark_does(header, tmp_path):
    before = "% made by a program\n" if header != "##" else "## one, two\nfat,age\n"
    text = before + (f"{header}\n" if header != "##" else "") + "1.5,20\n3,41\n4,63\n"
    (tmp_path / "t.csv").write_text(text)
    table = read_table(tmp_path / "t.csv")
    assert table.names == (header.split(",") if header != "##" else ["fat", "age"])
    np.testing.assert_array_equal(table.X, [[1.5, 20], [3, 41], [4, 63]])


@pytest.mark.parametrize("mark", "%#!")
def test_a_remark_with_as_many_cells_as_the_header_below_it(mark, tmp_path):
    (tmp_path / "t.csv").write_text(f"{mark} made by Ann, on Monday\nfat,age\n1.5,20\n3,41\n")
    assert read_table(tmp_path / "t.csv").names == ["fat", "age"]


@pytest.mark.parametrize("first", ["", "id,"])
def test_a_quoted_name_over_two_lines_and_with_a_comma(first, tmp_path):
    rows = ["1.5,20", "3,41"] if not first else ["u,1.5,20", "v,3,41"]
    (tmp_path / "t.csv").write_text("\n".join([f'{first}"fat\n(%, dry)",age', *rows]) + "\n")
    table = read_table(tmp_path / "t.csv", index="id" if first else None)
    assert table.names == ["fat\n(%, dry)", "age"]
    np.testing.assert_array_equal(table.X, [[1.5, 20], [3, 41]])


def test_a_header_of_remarks_above_quoted_commas(tmp_path):
    text = '%fat,age,place\n"1,5",20,"Köln, alt"\n"3,25",41,Bonn\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    table = read_table(tmp_path / "t.csv", label="place")
    assert table.names == ["%fat", "age"]
    np.testing.assert_array_equal(table.X, [[1.5, 20], [3.25, 41]])
