"""The report as an object."""

import re
from html import unescape

import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

import inffs
from inffs.io import read_table
from inffs.report._outputs import write_outputs
from inffs.report._report import Study

X, Y = load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def report():
    return inffs.Report(inffs.InfFSS(n_features_to_select=3).fit(X, Y), X, Y, folds=0)


def test_a_notebook_gets_the_page_in_a_frame(report, tmp_path):
    frame = report._repr_html_()
    page = unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert page == report.save(tmp_path / "r.html").read_text("utf-8")
    assert "proline" in page
    assert frame.count("<iframe") == 1
    assert "allow-same-origin" not in frame


def test_save_overwrites_only_when_told(report, tmp_path):
    report.save(tmp_path / "r.html")
    with pytest.raises(FileExistsError):
        report.save(tmp_path / "r.html")
    report.save(tmp_path / "r.html", force=True)


def test_the_ranking_is_the_file_of_a_run(report, tmp_path):
    X.assign(kind=Y).to_csv(tmp_path / "wine.csv", index=False)
    table = read_table(tmp_path / "wine.csv", label="kind")
    write_outputs(
        Study(report.selector, table.X, table.y, table.names, folds=0), table, tmp_path / "run"
    )
    file = pd.read_csv(tmp_path / "run" / "ranking.csv")
    pd.testing.assert_frame_equal(report.ranking(), file, check_dtype=False, rtol=1e-12)
    own = report.selector.ranking(X, Y)
    pd.testing.assert_frame_equal(own, file[own.columns], check_dtype=False, rtol=1e-12)


def test_a_selector_that_saw_nothing():
    with pytest.raises(NotFittedError):
        inffs.Report(inffs.InfFSU(), X)
