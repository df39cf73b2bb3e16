"""The bounds of Shah and Samworth against optimisation and simulation that share no code."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from inffs.meta.stability_selection import expected_false, least_threshold, r_concave_tails


def largest_tail(mean, top, r, least):
    """Maximise P(X >= least) over distributions whose masses to the power r are convex."""
    points = np.arange(top + 1)
    second = np.zeros((top - 1, top + 1))
    for row in range(top - 1):
        second[row, row : row + 3] = 1, -2, 1
    best = 0.0
    for spread in (0.5, 1.0, 3.0, 8.0):
        start = (spread + points) / (spread + points).mean()

        def masses(g):
            f = g ** (1 / r)
            return f / f.sum()

        found = minimize(
            lambda g: -masses(g)[least:].sum(),
            start,
            method="SLSQP",
            bounds=[(1e-4, 1e4)] * (top + 1),
            constraints=[
                LinearConstraint(second, 0, np.inf),
                {"type": "eq", "fun": lambda g: masses(g) @ points - mean},
            ],
            options={"maxiter": 400, "ftol": 1e-12},
        )
        if found.success and (second @ found.x).min() > -1e-7:
            best = max(best, -found.fun)
    return best


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # of SLSQP in older SciPy
@pytest.mark.parametrize("r", [-0.5, -0.25])
@pytest.mark.parametrize(("mean", "least"), [(0.4, 4), (0.9, 5), (1.2, 7)])
def test_tail_of_r_concave_distributions_against_an_optimiser(r, mean, least):
    ours = r_concave_tails(mean, 8, r)[least]
    theirs = largest_tail(mean, 8, r, least)
    assert theirs <= ours * (1 + 1e-6)
    assert theirs >= ours * 0.99


def test_no_random_r_concave_distribution_exceeds_the_tail(rng):
    points = np.arange(13)
    for _ in range(300):
        slopes = np.sort(rng.exponential(size=12) * rng.choice([0.1, 1, 5]))
        masses = (rng.exponential() + 0.05 + np.concatenate([[0], np.cumsum(slopes)])) ** -2.0
        masses /= masses.sum()
        tails = masses[::-1].cumsum()[::-1]
        assert (tails <= r_concave_tails(float(masses @ points), 12, -0.5) + 1e-9).all()


def test_bounds_by_hand():
    """q^2 / (n (2 threshold - 1)) of Theorem 1, both branches of Theorem 2."""
    assert expected_false(20, 500, 0.9, 50, "none") == pytest.approx(400 / 500 / 0.8)
    assert expected_false(20, 500, 0.7, 50, "unimodal") == pytest.approx(0.8 / 2 / (0.4 - 0.01))
    assert expected_false(20, 500, 0.9, 50, "unimodal") == pytest.approx(0.8 * 4 * 0.11 / 1.02)


@pytest.mark.parametrize("q", [3, 20, 60])
def test_stronger_assumptions_give_smaller_bounds_and_higher_thresholds_too(q):
    none, unimodal, concave = (
        np.array([expected_false(q, 400, hits / 100, 50, what) for hits in range(55, 101)])
        for what in ("none", "unimodal", "r-concave")
    )
    assert (concave <= unimodal + 1e-12).all()
    assert (unimodal <= none + 1e-12).all()
    for bounds in (none, unimodal, concave):
        assert (np.diff(bounds) <= 1e-12).all()


def test_least_threshold_is_the_least():
    found = least_threshold(1.0, 20, 500, 50, "r-concave")
    here, below = (expected_false(20, 500, t, 50, "r-concave") for t in (found, found - 0.01))
    assert here <= 1 < below
    assert least_threshold(0.01, 20, 500, 50, "none") is None


def test_threshold_at_a_half_has_no_bound():
    with pytest.raises(ValueError, match=r"threshold=0.5 must be above 0.5"):
        expected_false(5, 100, 0.5, 50)
