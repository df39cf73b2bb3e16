"""Feature names are data: odd ones go through the whole command unharmed."""

import csv
import re

import numpy as np
import pytest

HOSTILE = "<script>alert(1)</script>"
ODD = [
    HOSTILE,
    "</script><img src=x onerror=alert(2)>",
    "=cmd|' /C calc'!A0",
    "größe μm ☃ 漢字",
    "two words, a comma",
    'a "quoted" name',
    "dup",
    "dup",
    "",
    "x" * 10_000,
    "line\nbreak",
    "{{ 7*7 }} [bold]markup[/bold]",
]


@pytest.fixture
def odd_table(tmp_path):
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, len(ODD))) + codes[:, None] * np.linspace(2, 0, len(ODD))
    with (tmp_path / "odd.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*ODD, "<b>class</b>"])
        writer.writerows([*row, f"<i>{code}</i>"] for row, code in zip(X, codes, strict=True))
    return tmp_path / "odd.csv"


def read(path):
    csv.field_size_limit(10**6)
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_odd_names_come_out_as_they_went_in(inffs, odd_table, tmp_path):
    done = inffs("select", odd_table, "--label", "<b>class</b>", "--keep", 11)
    assert done.returncode == 0, done.stderr
    rows = read(tmp_path / "inffs-odd" / "ranking.csv")
    assert sorted(row[0] for row in rows[1:]) == sorted(ODD)
    head = read(tmp_path / "inffs-odd" / "selected.csv")[0]
    assert set(head) <= {*ODD, "<b>class</b>"}
    assert len(head) == 12
    assert "[bold]markup" in done.stdout or "markup" not in done.stdout
    page = (tmp_path / "inffs-odd" / "report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2
    assert page.lower().count("</script") == 2
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "49" not in re.findall(r"\{\{ .*? \}\}", page)
    assert len(page) < 1_000_000


def test_spreadsheet_safe_names(inffs, odd_table, tmp_path):
    words = ["select", odd_table, "--label", "-1", "--keep", 11, "--no-report"]
    done = inffs(*words, "--spreadsheet-safe")
    assert done.returncode == 0, done.stderr
    names = {row[0] for row in read(tmp_path / "inffs-odd" / "ranking.csv")}
    assert "'=cmd|' /C calc'!A0" in names
    assert not any(name.startswith("=") for name in names)
    assert "apostrophe" in done.stderr


def test_spreadsheet_safe_samples_and_labels(inffs, tmp_path):
    rows = [["=id", "+y", "a", "b"]]
    rows += [[f"=HYPERLINK({row})", "@ill" if row % 2 else "-well", row, -row] for row in range(9)]
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    words = ["--label", "+y", "--index", "=id", "--keep", 2, "--no-report", "--spreadsheet-safe"]
    done = inffs("select", "t.csv", *words)
    assert done.returncode == 0, done.stderr
    cells = [cell for row in read(tmp_path / "inffs-t" / "selected.csv") for cell in row]
    assert not any(cell.startswith(("=", "+", "@", "-w")) for cell in cells)
    assert {"'=id", "'+y", "'@ill", "'-well", "'=HYPERLINK(0)"} <= set(cells)


def test_rank_prints_them(inffs, odd_table):
    done = inffs("rank", odd_table, "--label", "-1", "--format", "table", "--top", 12)
    assert done.returncode == 0
    assert HOSTILE in done.stdout
    assert "(no name, column " in done.stdout
    assert "[bold]markup" in done.stdout
