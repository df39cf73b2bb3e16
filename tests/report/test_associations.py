"""The target along a feature and over a pair of features, as numbers and as pictures."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, ttest_1samp

from inffs import Constrained, InfFSC, InfFSS
from inffs.report._feature_charts import (
    associations,
    class_profile,
    pair_chart,
    profile_chart,
    target_profile,
    thirds,
)
from tests.report.conftest import write_report


def test_shares_are_those_of_the_bins(rng):
    values, codes = rng.normal(size=300), rng.integers(0, 3, 300)
    found = class_profile(values, codes, 3)
    assert found.counts.tolist() == [30] * 10
    np.testing.assert_allclose(found.values.sum(axis=1), 1.0)
    order = np.argsort(values)
    for place in range(10):
        inside = order[30 * place : 30 * place + 30]
        assert found.centres[place] == np.median(values[inside])
        for code in range(3):
            members = np.count_nonzero(codes[inside] == code)
            interval = binomtest(members, 30).proportion_ci(0.95, method="wilson")
            assert found.values[place, code] == members / 30
            assert found.low[place, code] == pytest.approx(interval.low, abs=1e-12)
            assert found.high[place, code] == pytest.approx(interval.high, abs=1e-12)


def test_means_have_students_interval(rng):
    values, y = rng.normal(size=120), rng.normal(size=120)
    found = target_profile(values, y)
    first = np.argsort(values)[:12]
    interval = ttest_1samp(y[first], 0.0).confidence_interval(0.95)
    assert found.values[0, 0] == pytest.approx(y[first].mean())
    assert (found.low[0, 0], found.high[0, 0]) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("profile", [lambda v, y: class_profile(v, y, 2), target_profile])
@pytest.mark.parametrize("kind", ["tied", "two values", "few", "missing", "constant"])
def test_odd_columns(kind, profile, rng):
    values, y = rng.normal(size=60), rng.integers(0, 2, 60)
    if kind == "tied":
        values = np.round(values)
    if kind in ("two values", "constant"):
        values = (values > (0.5 if kind == "two values" else 99)).astype(float)
    if kind == "few":
        values, y = values[:5], y[:5]
    if kind == "missing":
        values[::3] = np.nan
    found = profile(values, y)
    assert found.counts.sum() == np.count_nonzero(~np.isnan(values))
    assert found.counts.min() > 0
    assert (np.diff(found.centres) > 0).all()
    for each in (found.values, found.low, found.high):
        assert np.isfinite(each).all()
    assert ((found.low <= found.values) & (found.values <= found.high)).all()


def test_thirds_of_a_continuous_target():
    assert np.bincount(thirds(np.arange(90.0))).tolist() == [30, 30, 30]


def made_table(kind, rng):
    """Columns 0 and 1 are a ring, or the label is the sign of their product."""
    X = rng.uniform(-1, 1, size=(600, 8))
    if kind == "curve":
        return X, (np.abs(np.hypot(X[:, 0], X[:, 1]) - 0.7) < 0.2).astype(int)
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def test_associations_of_a_selector(rng):
    found = associations(InfFSC(n_features_to_select=2).fit(*made_table("curve", rng)))
    assert set(found) == {(0, None), (1, None)}
    found = associations(InfFSC(n_features_to_select=2).fit(*made_table("pair", rng)))
    assert found == [(0, 1)]
    X, y = made_table("curve", rng)
    constrained = Constrained(InfFSC(n_features_to_select=2), exclude=[0]).fit(X, y)
    assert associations(constrained) == [(1, None)]
    assert associations(InfFSC(curves=False, pairs=False).fit(X, y)) == []
    assert associations(InfFSS().fit(X, y)) == []


def test_pictures_of_curves_and_pairs(rng):
    X, y = made_table("curve", rng)
    curve = profile_chart(class_profile(X[:, 0], y, 2), "<size>", "kind", True)
    assert "&lt;size&gt;" in curve
    assert "<size>" not in curve
    assert len(re.findall('class="bump', curve)) == 2
    assert len(re.findall(' band"', curve)) == 2
    mean = profile_chart(target_profile(X[:, 0], y), "size", "weight", False)
    assert len(re.findall('class="bump', mean)) == 1
    X[5, 0] = np.nan
    pair = pair_chart(X[:, 0], X[:, 1], y, ("a", "b"), "kind")
    assert len(re.findall('class="dots', pair)) == 2
    assert pair.count("h0") == 400


@pytest.mark.parametrize(
    ("kind", "target", "caption"),
    [
        ("curve", "classes", "x0: curved"),
        ("curve", "continuous", "x0: curved"),
        ("pair", "classes", "x0 together with x1"),
        ("pair", "continuous", "x0 together with x1"),
    ],
)
def test_the_page_shows_them(kind, target, caption, rng, tmp_path):
    X, y = made_table(kind, rng)
    y = y + 0.1 * rng.normal(size=y.size) if target == "continuous" else y
    frame = pd.DataFrame(X).add_prefix("x")
    selector = InfFSC(n_features_to_select=2).fit(frame, y)
    page = write_report(selector, frame, y, tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"<figcaption>{caption}</figcaption>" in page
