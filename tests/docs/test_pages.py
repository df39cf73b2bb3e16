"""The Python and the commands on the pages of the guide work as shown."""

import re
import shlex
from pathlib import Path

import pytest

from tests.command import run_inffs
from tests.docs.snippets import blocks, run_python

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not {"_build", "examples", "gallery", "catalogue", "reproduction"} & set(page.parts[-3:])
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.stem)
def test_python(page, breast_cancer_csv, big_parquet):
    run_python(page)


LONG = {"which-method", "designs"}  # their commands compare methods and evaluate many sizes


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.slow] * (page.stem in LONG))
        for page in PAGES
        if blocks(page, "console")
    ],
)
@pytest.mark.usefixtures(
    "breast_cancer_csv", "patients_csv", "pairs_csv", "scenes_csv", "expression_csv", "cells_h5ad"
)
def test_commands_are_known_and_take_these_options(page):
    """Lines of a console block after "$ ": an inffs command is run as it stands."""
    for line in "".join(blocks(page, "console")).splitlines():
        if not line.startswith("$ inffs "):
            continue
        words = shlex.split(line.removeprefix("$ inffs "), comments=True)
        done = run_inffs(words, Path.cwd())
        assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_no_page_is_longer_than_four_thousand_words(page):
    words = page.read_text("utf-8").replace("|", " ").split()
    assert len(words) <= 4000


def test_the_paper_has_the_form_that_the_journal_asks_for():
    folder = DOCS.parent / "paper"
    text = (folder / "paper.md").read_text("utf-8")
    body = text[text.index("# Summary") :]
    assert 750 <= len(body.split()) <= 1750
    sections = ["Summary", "Statement of need", "State of the field", "Software design",
                "Research impact statement", "AI usage disclosure", "Acknowledgements",
                "References"]  # fmt: skip
    assert re.findall(r"^# (.+)$", body, re.MULTILINE) == sections
    known = re.findall(r"^@\w+\{(\w+),", (folder / "paper.bib").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"\[@(\w+)\]", body)) == set(known)
