"""Numeric targets, survival times and weights against exact arithmetic, on awkward columns.

``INFFS_CASES=10000 pytest tests/trust/test_targets.py -m slow`` sets how many tables are tried.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from inffs import measures
from tests.trust import exact
from tests.trust.tables import CASES, try_tables
from tests.trust.test_forms import FAMILIES, Column, tangled, values

QUICK, THOROUGH = 60, 10_000


@dataclass(frozen=True)
class Case:
    """Columns, a numeric target that may follow the first of them, and whole weights."""

    samples: int
    columns: tuple
    target: Column
    follows: bool
    heaviest: int
    times: int
    seed: int

    def table(self):
        rng = np.random.default_rng(self.seed)
        halves = rng.permutation(np.arange(self.samples) % 2)
        X = np.column_stack([values(column, halves, rng) for column in self.columns])
        y = values(self.target, halves, rng)
        if self.follows:
            y = y + np.ptp(y) * (X[:, 0] - X[0, 0]) / max(np.ptp(X[:, 0]), 1e-300)
        return X, y, rng.integers(1, self.heaviest + 1, self.samples)

    def survival(self):
        rng = np.random.default_rng(self.seed + 1)
        return rng.integers(1, self.times + 1, self.samples), rng.random(self.samples) < 0.6


# squares of larger values leave the range of floating point, and selectors refuse them by name
columns = st.builds(Column, st.sampled_from(FAMILIES), st.integers(-140, 140), st.integers(0, 13))
cases = st.builds(
    Case,
    samples=st.integers(4, 20),
    columns=st.lists(columns, min_size=1, max_size=3).map(tuple),
    target=columns,
    follows=st.booleans(),
    heaviest=st.integers(1, 3),
    times=st.integers(1, 20),
    seed=st.integers(0, 2**32 - 1),
)


def check_targets(case):
    X, y, weight = case.table()
    assume(np.isfinite(X).all() and np.isfinite(y).all())
    thin = tangled(X, np.random.default_rng(case.seed))
    ones = np.ones_like(weight)
    for given, counted in ((None, ones), (weight.astype(float), weight)):
        expected = [exact.share(column, y, counted) for column in X.T]
        expected = np.array([float(each or 0) for each in expected])
        for form in (X, thin):
            found = measures.squared_correlation(form, y, sample_weight=given)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
    check_survival(X, thin, *case.survival())


def check_survival(X, thin, time, event):
    """The score, also with a sample that is never at risk."""
    assume(event.any())
    expected = [exact.cox(column, time, event) for column in X.T]
    expected = np.array([float(each or 0) for each in expected])
    more = np.vstack([X, np.full((1, X.shape[1]), 1e150)])
    for form, times, events in (
        (X, time, event), (thin, time, event), (more, np.append(time, 0), np.append(event, False))
    ):  # fmt: skip
        found = measures.cox_score(form, times, events)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_targets_are_exact():
    try_tables(cases, QUICK, check_targets)


@pytest.mark.slow
def test_targets_are_exact_thoroughly():
    total = CASES or THOROUGH
    assert try_tables(cases, total, check_targets).total() >= total
