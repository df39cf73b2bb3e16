"""A browser; a report of a small table with hostile names, and one of 50,000 features."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from inffs import Consensus, Report, rank
from tests.report.hostile import hostile_table

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def write_report(selector, X, y=None, path="report.html", *, force=False, **given):
    return Report(selector, X, y, **given).save(path, force=force)


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory):
    X, y = hostile_table()
    selector = rank(X, y, method="inf-fs-u", n_features_to_select=12)
    path = tmp_path_factory.mktemp("page") / "report.html"
    run = {"command": "inffs select '</pre><script>window.hurt = 6</script>'", "table": "<t>"}
    return write_report(selector, X, y, path, run=run, title="</title><script>1</script>")


@pytest.fixture(scope="session")
def big_page(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 50_000)).astype(np.float32)
    methods = ["fisher", "mi", "inf-fs-s"]
    selector = Consensus(methods, n_features_to_select=100).fit(X, np.arange(12) % 2)
    names = [f"ENSG{place:011d}" for place in range(50_000)]
    path = tmp_path_factory.mktemp("page") / "big.html"
    return write_report(
        selector, X, np.arange(12) % 2, path, feature_names=names, reasons=cheap_reasons(X)
    )


def cheap_reasons(X):
    """Reasons without the n x n comparison, which this page does not test."""
    from inffs import measures
    from inffs.report import Reasons

    n = X.shape[1]
    share, nearest = np.linspace(0, 0.7, n), (np.arange(n) + 1) % n
    spread = measures.dispersion(X)
    return Reasons(spread, spread, share, share, nearest, share, nearest, share)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    found = os.environ.get("INFFS_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no browser: install chromium (make browser) or set INFFS_BROWSER to one")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """Open a file; gives the page, and fails on any error, dialog or network request."""
    contexts, troubles = [], []

    def opened(path, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: troubles.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: note(request.url))
        page.goto(Path(path).as_uri())
        return page

    def note(url):
        if not url.startswith(("file:", "data:")):
            troubles.append(f"network: {url}")

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def column(page, key):
    """The texts of a column of the ranking, by its key or its number."""
    found = f"[data-key={key}]" if isinstance(key, str) else f":nth-child({key})"
    return page.locator(f"#table tbody tr > {found}").all_inner_texts()
