"""The version stands in one place; what repeats it agrees."""

import re
from importlib.metadata import version
from pathlib import Path

import inffs


def test_the_citation_names_this_version():
    text = (Path(__file__).parents[1] / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", text, re.MULTILINE)[1] == inffs.__version__


def test_the_installed_package_has_this_version():
    assert version("inffs") == inffs.__version__
