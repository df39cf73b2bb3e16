"""The whole documentation from scratch: warnings are errors, links lead somewhere, no network."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import inffs

pytest.importorskip("sphinx")
pytest.importorskip("sphinx_gallery")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STABLE = {"doi.org", "inffs.github.io", "scikit-learn.org"}
OURS = "https://github.com/inffs/inffs"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The pages, built from a copy of the sources as a clean clone has them."""
    out = tmp_path_factory.mktemp("site")
    clone = tmp_path_factory.mktemp("clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "docs", str(out)],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return out


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.add(found.get("id"))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in {"img", "script", "iframe", "source"} and found.get("src"):
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "preload", "icon"):
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def pages(built):
    found = {}
    for page in built.rglob("*.html"):
        if "_static" in page.parts:  # a template of the theme
            continue
        found[page] = _Links()
        found[page].feed(page.read_text("utf-8"))
    return found


def test_links_inside_lead_somewhere(pages):
    broken = []
    for page, parsed in pages.items():
        for link in parsed.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (page.parent / unquote(address.path)).resolve() if address.path else page
            wanted = unquote(address.fragment)
            if not target.exists() or (
                wanted and target in pages and wanted not in pages[target].anchors
            ):
                broken.append(f"{page.name}: {link}")
    assert not broken


def test_links_outside_are_safe_and_stable(pages):
    """No network is asked: addresses are complete, encrypted and on hosts that keep theirs."""
    outside = {link for parsed in pages.values() for link in parsed.links if "://" in link}
    for link in outside:
        address = urlsplit(link)
        assert address.scheme == "https", link
        assert address.hostname in STABLE or f"{link}/".startswith(f"{OURS}/"), link
        assert not set(link) & set(' <>"{}|'), link


def test_nothing_is_loaded_from_elsewhere(pages):
    for page, parsed in pages.items():
        for source in parsed.loaded:
            address = urlsplit(source)
            assert not address.scheme or address.scheme == "data", f"{page.name}: {source}"
            assert not address.netloc, f"{page.name}: {source}"
            if not address.scheme:
                assert (page.parent / unquote(address.path)).exists(), f"{page.name}: {source}"


def test_every_example_and_every_method_has_its_page(built):
    examples = sorted((ROOT / "docs" / "examples").glob("plot_*.py"))
    assert len(examples) >= 12
    for example in examples:
        text = (built / "gallery" / f"{example.stem}.html").read_text("utf-8")
        assert "sphx_glr_" in text, f"{example.name} drew nothing"
    for entry in inffs.catalogue():
        text = (built / "catalogue" / f"{entry.key}.html").read_text("utf-8")
        assert entry.class_name in text


def test_links_into_scikit_learn(built):
    text = (built / "guide" / "pipeline.html").read_text("utf-8")
    where = "https://scikit-learn.org/stable/modules/generated/sklearn.pipeline.Pipeline.html"
    assert where in text
