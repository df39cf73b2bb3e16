"""The reference is complete: every public name and every method of the catalogue has its place."""

import re
import sys
from pathlib import Path

import pytest

import inffs
from inffs.cuts import CUTS, by_table

DOCS = Path(__file__).parents[2] / "docs"
API = (DOCS / "api.rst").read_text("utf-8")


@pytest.fixture(scope="module")
def extension():
    """The module that writes the catalogue's pages."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        import catalogue_pages
    finally:
        sys.path.pop(0)
    return catalogue_pages


def documented(extension):
    """Names that the pages document: directives on the API page and on the catalogue's pages."""
    named = re.findall(r"^\.\. (?:auto(?:class|function)|py:data):: (\S+)", API, re.MULTILINE)
    return set(named) | {extension.public_name(entry) for entry in inffs.catalogue()}


def test_every_public_name_of_the_package(extension):
    missing = {f"inffs.{name}" for name in inffs.__all__} - documented(extension)
    assert not missing


def test_nothing_is_documented_that_is_not_there(extension):
    for name in documented(extension):
        module, _, thing = name.rpartition(".")
        assert hasattr(__import__(module, fromlist=[thing]), thing), name


@pytest.mark.parametrize(
    "name",
    ["arena", "cuts.by_scores", "landmarks", "measures", "paths", "plot", "relations", "tables"],
)
def test_modules_that_are_documented_whole(name):
    assert re.search(rf"^\.\. automodule:: inffs\.{name}\n   :members:$", API, re.MULTILINE)


def test_every_cut_can_be_looked_up():
    """By name on the guide's page, by class in the reference."""
    page = (DOCS / "guide" / "how-many.md").read_text("utf-8")
    for name in CUTS:
        assert f"`{name}`" in page, name
    listed = re.search(r"automodule:: inffs\.cuts\.by_table\n   :members: (.*)", API)[1].split(", ")
    own = {n for n, thing in vars(by_table).items() if isinstance(thing, type)
           and thing.__module__ == "inffs.cuts.by_table" and not n.startswith("_")}  # fmt: skip
    assert set(listed) == own


def test_a_page_for_every_method(extension):
    index = extension.index({entry.key: True for entry in inffs.catalogue()})
    keys = [entry.key for entry in inffs.catalogue()]
    toctree = index.partition(".. toctree::")[2].split()[3:]
    assert toctree == keys
    for key in keys:
        assert f":doc:`{key}`" in index


def test_citations_agree_with_the_catalogue(extension):
    entries = extension.bibtex.entries()
    assert set(entries) == {entry.key for entry in inffs.catalogue()}
    for entry in inffs.catalogue():
        year = re.search(r"year\s+= \{(\d+)\}", entries[entry.key])[1]
        first_author = re.split(r"[ ,]", entry.paper.removeprefix("van de ").removeprefix("van "))[
            0
        ]
        assert year in entry.paper, entry.key
        assert first_author in entries[entry.key].replace(r"{\"o}", "ö"), entry.key


def test_other_programs_are_told_of_known_methods(extension):
    assert set(extension.SLIPS) <= {entry.key for entry in inffs.catalogue()}


@pytest.mark.parametrize("key", ["fisher", "mi", "lasso-hinge"])
def test_a_ranking_that_follows_the_class_finds_the_known_truth(extension, key, tmp_path):
    """Supervised methods whose first 12 places are the 12 columns that carry the class."""
    entry = next(entry for entry in inffs.catalogue() if entry.key == key)
    sentence = extension.known_truth.draw(entry, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000
    counts = {name: int(n) for n, name in re.findall(r"(\d+) (signals|noisy copies)", sentence)}
    assert counts["signals"] >= 4
    assert sum(counts.values()) >= 9


@pytest.mark.parametrize(("key", "expected"), [("fisher", False), ("mi", False), ("mcfs", True)])
def test_whether_scales_matter_is_found_out(extension, key, expected):
    entry = next(entry for entry in inffs.catalogue() if entry.key == key)
    assert extension.known_truth.scales_matter(entry) == expected
