"""Measures for survival times against statsmodels and the definitions written out."""

import numpy as np
import pytest
from scipy import sparse

from inffs.measures.survival import concordance, cox_score


def lifetimes(rng, T, ties):
    time = rng.exponential(size=T) * 10
    time = np.ceil(time) if ties else time
    return time, rng.uniform(size=T) < 0.7


@pytest.mark.parametrize("ties", [False, True])
def test_score_test_against_statsmodels(ties, rng):
    phreg = pytest.importorskip("statsmodels.duration.hazard_regression").PHReg
    time, event = lifetimes(rng, 80, ties)
    X = rng.normal(size=(80, 6)) + np.outer(-np.log(time), [0.5, 0, 0, 1, 0, 0])
    X[:, 2] = rng.integers(0, 3, size=80)
    found = cox_score(X, time, event)
    for column, ours in zip(X.T, found, strict=True):
        model = phreg(time, column[:, None], status=event.astype(int), ties="efron")
        theirs = model.score(np.zeros(1))[0] ** 2 / -model.hessian(np.zeros(1))[0, 0]
        assert ours == pytest.approx(theirs, rel=1e-8)


def naive_concordance(x, time, event):
    won, pairs = 0.0, 0
    for i in np.flatnonzero(event):
        for j in range(x.size):
            if time[j] > time[i] or (time[j] == time[i] and not event[j]):
                pairs += 1
                won += (x[i] > x[j]) + 0.5 * (x[i] == x[j])
    return won / pairs


@pytest.mark.parametrize("ties", [False, True])
def test_concordance_by_its_definition(ties, rng):
    time, event = lifetimes(rng, 40, ties)
    X = np.round(rng.normal(size=(40, 5)), 1)
    wanted = [naive_concordance(column, time, event) for column in X.T]
    np.testing.assert_allclose(concordance(X, time, event), wanted, rtol=1e-12)


def test_sparse_tables_and_constant_columns(rng):
    time, event = lifetimes(rng, 60, True)
    X = np.where(rng.uniform(size=(60, 8)) < 0.7, 0.0, rng.normal(size=(60, 8)))
    X[:, 3] = 0.0
    thin = sparse.csc_array(X)
    np.testing.assert_allclose(cox_score(thin, time, event), cox_score(X, time, event), rtol=1e-10)
    assert cox_score(X, time, event)[3] == 0
    np.testing.assert_array_equal(concordance(thin, time, event), concordance(X, time, event))
    assert concordance(X, time, event)[3] == 0.5


def test_scales_and_units_do_not_matter(rng):
    time, event = lifetimes(rng, 70, True)
    X = rng.normal(size=(70, 5))
    plain = cox_score(X, time, event)
    np.testing.assert_allclose(cox_score(1e6 + 3 * X, 365 * time, event), plain, rtol=1e-7)
    np.testing.assert_allclose(cox_score(-X, time, event), plain, rtol=1e-10)


def test_noise_has_a_chi_square_distribution(rng):
    """Mean 1 and variance 2 over many columns that say nothing."""
    time, event = lifetimes(rng, 200, False)
    found = cox_score(rng.normal(size=(200, 4000)), time, event)
    assert found.mean() == pytest.approx(1.0, abs=0.08)
    assert found.var() == pytest.approx(2.0, abs=0.35)
