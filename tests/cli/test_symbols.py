"""``--names``: gene symbols beside the features, everywhere and never instead of them."""

import io
import json

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from typer.testing import CliRunner

from inffs.cli import build_app

SYMBOLS = {"mean radius": "TP53", "worst area": "=BRCA1", "worst texture": "HLA-A"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command, and table.csv with symbols.csv for three of its columns."""
    monkeypatch.chdir(tmp_path)
    load_breast_cancer(as_frame=True).frame.to_csv("table.csv", index=False)
    pd.Series(SYMBOLS, name="symbol").to_csv("symbols.csv", index_label="id")

    def one(*words, fails=0):
        done = CliRunner().invoke(build_app(), [str(word) for word in words])
        assert done.exit_code == fails, done.output
        return done

    return one


def test_ranking_page_and_terminal(run, tmp_path):
    asked = ("table.csv", "--label", "target", "--method", "fisher", "--names", "symbols.csv")
    done = run("select", *asked, "-o", "out", "--folds", 0, "--keep", 25)
    assert "3 of 30 features have a name" in done.stderr
    ranking = pd.read_csv("out/ranking.csv")
    assert list(ranking.columns[:2]) == ["feature", "name"]
    known = ranking.dropna(subset="name").set_index("feature")["name"].to_dict()
    assert known == SYMBOLS
    assert "=BRCA1 (worst area)" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    assert "TP53 (mean radius)" in page
    assert (
        "worst area"
        in json.loads((tmp_path / "out" / "run.json").read_text())["selection"]["features"]
    )
    assert "TP53" not in (tmp_path / "out" / "selected.csv").read_text()


def test_rank_has_a_column(run):
    asked = ("table.csv", "--label", "target", "--method", "fisher")
    plain = pd.read_csv(io.StringIO(run("rank", *asked).stdout))
    named = pd.read_csv(io.StringIO(run("rank", *asked, "--names", "symbols.csv").stdout))
    assert named.dropna(subset="name").set_index("feature")["name"].to_dict() == SYMBOLS
    pd.testing.assert_frame_equal(named.drop(columns="name"), plain)


def test_ids_of_digits_a_file_without_a_header_and_spreadsheets(run):
    frame = pd.read_csv("table.csv").rename(columns={"worst area": "007"})
    frame.to_csv("table.csv", index=False)
    with open("symbols.csv", "w") as file:
        file.write("007,=A\n007,B\nmean radius,\n")
    run("select", "table.csv", "--label", "target", "--names", "symbols.csv", "-o", "out",
        "--no-report", "--spreadsheet-safe")  # fmt: skip
    ranking = pd.read_csv("out/ranking.csv", dtype=str).set_index("feature")
    assert ranking["name"].dropna().to_dict() == {"007": "'=A"}


def test_wrong_files(run):
    pd.DataFrame({"id": ["other"], "symbol": ["X"]}).to_csv("symbols.csv", index=False)
    done = run("rank", "table.csv", "--label", "target", "--names", "symbols.csv", fails=2)
    assert "--names symbols.csv" in done.stderr
    done = run("rank", "table.csv", "--label", "target", "--names", "table.csv", fails=1)
    assert "31 columns" in done.stderr
