"""What the build writes by itself: the arena's numbers and the command's help."""

import sys
from pathlib import Path

import pytest

import inffs
from inffs.arena import Store
from inffs.cli import _COMMANDS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def extensions():
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    yield
    sys.path.pop(0)


def test_without_results_it_says_so(tmp_path):
    import arena_facts

    assert arena_facts.measured(tmp_path) is None
    assert arena_facts.told(None, "fisher") == [arena_facts.NOTHING]
    assert "Not measured yet" in arena_facts.overview(None)[0]


def test_results_are_told_as_they_are():
    """The numbers on the pages, against means taken straight from the store's rows."""
    import arena_facts

    rows = Store(ROOT / "results").frame()
    rows = rows[(rows["asked"] == "50") & (rows["setting"] == "paper") & (rows["status"] == "done")]
    colon = rows[rows["dataset"] == "colon"].groupby("method")["accuracy"].mean()
    lines = arena_facts.told(arena_facts.measured(ROOT / "results"), "fisher")
    place = int((colon > colon["fisher"] + 1e-12).sum()) + 1
    assert f"     - {100 * colon['fisher']:.1f} %" in lines
    assert f"     - {place} of {colon.size}" in lines


def test_a_method_without_results_is_told_as_such():
    import arena_facts

    lines = arena_facts.told(arena_facts.measured(ROOT / "results"), "no-such-method")
    assert lines[0].startswith("Not measured yet")


def test_every_command_has_its_help():
    import command_help

    texts = command_help.help_texts()
    assert set(texts) == {"", *_COMMANDS}
    assert "--label" in texts["select"]
    assert all("Usage: inffs" in text for text in texts.values())


def test_citation_text():
    import bibtex

    text = bibtex.entries()["mcfs"]
    assert text.startswith("@inproceedings{cai2010mcfs,")
    assert len(bibtex.entries()) == len(inffs.catalogue())
