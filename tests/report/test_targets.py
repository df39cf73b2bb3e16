"""The report's pictures of numbers and survival times."""

import re

import numpy as np
import pytest

from inffs.evaluation.kinds import as_survival
from inffs.report._scatter import _medians, scatter_chart
from inffs.report._survival import halves, kaplan_meier, logrank, survival_chart


@pytest.fixture
def lives(rng):
    time = np.ceil(10 * rng.exponential(size=80))
    return as_survival(rng.uniform(size=80) < 0.6, time)


def test_curves_and_test_against_statsmodels(lives, rng):
    duration = pytest.importorskip("statsmodels.duration.api")
    deaths, alive = kaplan_meier(lives["time"], lives["event"])
    theirs = duration.SurvfuncRight(lives["time"], lives["event"].astype(int))
    died = theirs.n_events > 0
    np.testing.assert_array_equal(deaths, theirs.surv_times[died])
    np.testing.assert_allclose(alive, theirs.surv_prob[died])
    continuous = as_survival(lives["event"], lives["time"] + rng.uniform(size=80) / 10)
    upper = rng.uniform(size=80) < 0.5
    _, p = duration.survdiff(continuous["time"], continuous["event"].astype(int), upper)
    assert logrank(upper, continuous) == pytest.approx(p, rel=1e-8)


def test_halves_part_the_samples():
    assert halves(np.arange(10.0)).sum() == 5
    np.testing.assert_array_equal(halves(np.array([0, 0, 0, 1.0])), [False, False, False, True])
    np.testing.assert_array_equal(halves(np.array([0, 1, 1, 1.0])), [False, True, True, True])


def test_a_survival_chart_begins_at_one_and_never_rises(lives, rng):
    drawn = str(survival_chart(rng.normal(size=80), lives, "<gene>"))
    assert "&lt;gene&gt;" in drawn
    paths = re.findall(r'd="M([^"]*)" class="survival s[01]"', drawn)
    assert len(paths) == 2
    for path in paths:
        heights = [float(point.split(",")[1]) for point in path.split("L")]
        assert heights[0] == 12.0
        assert (np.diff(heights) >= 0).all()


def test_a_scatter_chart_stays_inside_its_frame(rng):
    x = rng.normal(size=600)
    y = 3 * x + rng.normal(size=600)
    y[5] = 1e9
    drawn = str(scatter_chart(x, y, "area", "price <EUR>"))
    assert "price &lt;EUR&gt;" in drawn
    dots = re.findall(r"M([\d.-]+),([\d.-]+)h0", drawn)
    assert len(dots) == 400
    places = np.array(dots, dtype=float)
    assert places[:, 0].min() >= 56
    assert places[:, 0].max() <= 290
    assert places[:, 1].min() >= 12
    assert places[:, 1].max() <= 164


def test_medians_of_a_column_of_few_values(rng):
    y = rng.normal(size=50)
    assert len(_medians(np.repeat([0.0, 1.0], 25), y)) == 2
    assert len(_medians(np.zeros(50), y)) == 1
