"""A report of a small labelled table with hostile names, and one of 50,000 features."""

import numpy as np
import pytest

from inffs import rank, write_report
from tests.report.hostile import hostile_table


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
    selector = rank(X, np.arange(12) % 2, method="fisher", n_features_to_select=100)
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
    share, twins = np.linspace(0, 0.7, n), (np.arange(n) + 1) % n
    spread = measures.dispersion(X)
    return Reasons(spread, spread, share, share, twins, share, twins, share)
