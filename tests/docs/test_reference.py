"""The reference is complete: every public name and every method of the catalogue has its place."""

import importlib
import re
import sys
from pathlib import Path

import pytest

import inffs
from inffs.cuts import CUTS

DOCS = Path(__file__).parents[2] / "docs"


def from_the_documentation(name):
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def extension():
    """The module that writes the catalogue's pages."""
    return from_the_documentation("catalogue_pages")


@pytest.fixture(scope="module")
def reference():
    """The module that writes a page for every public object."""
    return from_the_documentation("api_pages")


def documented(reference):
    return [name for section in reference.SECTIONS for name in reference.names_of(section)]


def test_every_public_name_of_the_package(reference):
    missing = {f"inffs.{name}" for name in inffs.__all__} - set(documented(reference))
    assert missing == {"inffs.__version__"}
    assert "inffs.__version__" in reference.VERSION


def test_one_page_for_every_object(reference, tmp_path):
    reference.write_pages(tmp_path)
    names = documented(reference)
    things = [reference.find(name) for name in names]
    assert len(set(map(id, things))) == len(names)
    assert {path.stem for path in tmp_path.glob("*.rst")} == {"index", *names}
    text = (tmp_path / "inffs.Consensus.rst").read_text("utf-8")
    assert ".. autoclass:: inffs.Consensus\n   :members: ranking, overlap_at\n" in text
    assert ".. minigallery:: inffs.Consensus" in text
    (tmp_path / "inffs.gone.rst").write_text("x")
    reference.write_pages(tmp_path)
    assert not (tmp_path / "inffs.gone.rst").exists()


def test_a_selector_lists_what_it_inherits(reference):
    text = reference.page("inffs.InfFSS")
    assert text.index("autoclass:: inffs.InfFSS") < text.index("``order_``")
    for name in ("support_", "cut_", "transform()", "get_feature_names_out()"):
        assert f"``{name}``" in text, name
    assert "</api/inffs.base.FeatureSelector>" in text
    assert text.count("``scores_``") <= 1
    assert "Inherited" not in reference.page("inffs.base.FeatureSelector")


def test_every_selector_links_to_a_page_that_is_there(reference):
    pages = set(documented(reference))
    for entry in inffs.catalogue():
        told = entry.estimator()._doc_link_url_param_generator()["public_name"]
        assert told in pages, entry.key


def test_every_cut_can_be_looked_up(reference):
    """By name on the guide's page, by class in the reference."""
    page = (DOCS / "guide" / "how-many.md").read_text("utf-8")
    for name in CUTS:
        assert f"`{name}`" in page, name
    pages = documented(reference)
    assert {"inffs.cuts.stability.Stability", "inffs.cuts.predict.Predict"} <= set(pages)


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
