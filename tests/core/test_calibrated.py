"""Scores under permuted labels, against the same thing done one step at a time."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import median_abs_deviation
from sklearn.feature_selection import f_regression

from inffs import InfFS
from inffs.cuts.permutation import (
    LabelMeasure,
    _shrinking,
    chance,
    draw_in,
    permuted_fisher,
    permuted_information,
    permuted_ratio,
    standardise,
)
from inffs.measures import fisher, mutual_information
from inffs.relations import Coupling, Decorrelation, Dispersion
from tests.core.planted import planted


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_permutations_at_once_are_permutations_one_by_one(classes, form, rng):
    X, y = rng.normal(size=(50, 9)) * (rng.random((50, 9)) < 0.7), rng.integers(0, classes, 50)
    shuffled = np.stack([rng.permutation(y) for _ in range(4)])
    ratios = permuted_fisher(form(X), shuffled)
    shared = permuted_information(form(X), shuffled, "auto")
    for row, labels in enumerate(shuffled):
        np.testing.assert_allclose(ratios[row], fisher(draw_in(X), labels), rtol=1e-5)
        np.testing.assert_allclose(shared[row], mutual_information(X, labels), rtol=1e-4, atol=1e-6)


def test_the_scaling_of_the_null_is_the_observed_one(rng):
    X, y = planted(5, 2.0, 0, n=40)
    observed, permuted = LabelMeasure(0.3, 0.7).observed_and_permuted(
        X, y, 3, np.random.RandomState(0)
    )
    h, m = fisher(X, y), mutual_information(X, y)
    np.testing.assert_allclose(observed**2, 0.3 * h / np.ptp(h) + 0.7 * m / np.ptp(m))
    shuffle = np.random.RandomState(0).permutation(60)
    again = fisher(X, y[shuffle]), mutual_information(X, y[shuffle])
    expected = 0.3 * again[0] / np.ptp(h) + 0.7 * again[1] / np.ptp(m)
    np.testing.assert_allclose(permuted[0] ** 2, expected, rtol=1e-4, atol=1e-6)


def test_p_values_of_a_null_are_uniform(rng):
    null = np.sqrt(rng.chisquare(1, size=(101, 2000))) * rng.lognormal(size=2000)
    p = np.sort(standardise(null[0], null[1:]).p_values())
    assert np.abs(p - np.arange(1, 2001) / 2001).max() < 1.63 / np.sqrt(2000)  # Kolmogorov, 1 %


def test_far_tail_is_resolved_and_not_overdone(rng):
    """Of 200,000 null features about 20 lie below 1e-4, although there are but 50 permutations."""
    null = np.sqrt(rng.chisquare(1, size=(51, 200_000)))
    p = standardise(null[0], null[1:].astype(np.float32)).p_values()
    assert 8 <= np.count_nonzero(p < 1e-4) <= 36


def test_chance_averages_to_the_false_discovery_rate(rng):
    p = np.concatenate([rng.beta(0.1, 8.0, 60), rng.random(940)])
    falling = np.sort(p)
    mean = np.cumsum(np.sort(chance(p))) / np.arange(1, 1001)
    plain = falling * 1000 / np.arange(1, 1001)
    assert (mean <= plain + 1e-9).all()
    corners = np.append(np.diff(np.sort(chance(p))) > 0, False)
    np.testing.assert_allclose(mean[corners], plain[corners])


@pytest.mark.parametrize("freedom", [4, 1e6])
def test_few_permutations_borrow_their_deviations(freedom):
    """Variances drawn from the prior of Smyth's model: its degrees of freedom are found again."""
    rng = np.random.default_rng(0)
    variance = 2.0 * freedom / rng.chisquare(freedom, size=20_000)
    draws = rng.normal(size=(5, 20_000)) * np.sqrt(variance)
    deviation = _shrinking(draws.var(axis=0, ddof=1), 4)
    prior = deviation(np.zeros(1), 4)[0] ** 2 * (freedom + 4) / freedom
    assert prior == pytest.approx(2.0, rel=0.1)
    assert (deviation(np.array([1e6]), 4)[0] > 100) == (freedom < 1e3)


@pytest.mark.parametrize(
    ("relation", "weights"),
    [
        (None, None),
        (Dispersion(), None),
        (Coupling((0, 0, 1)), None),
        (0.5 * Coupling((0.2, 0.3, 0.5)) + Dispersion(), (0.1, 0.15)),
        (Decorrelation() * Coupling((0.2, 0.8, 0)), (0.2, 0.8)),
    ],
)
def test_how_much_labels_weigh_in_a_relation(relation, weights):
    assert InfFS(relation)._label_weights() == (weights and pytest.approx(weights))


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_permuted_numbers_at_once_are_regressions_one_by_one(form, rng):
    X, y = rng.normal(size=(50, 9)) * (rng.random((50, 9)) < 0.7), 1e6 + rng.normal(size=50)
    shuffled = np.stack([rng.permutation(y) for _ in range(4)])
    ratios = permuted_ratio(form(X), shuffled)
    for row, numbers in enumerate(shuffled):
        expected = f_regression(draw_in(X), numbers)[0] / 48
        np.testing.assert_allclose(ratios[row], expected, rtol=1e-5)


def test_far_values_are_drawn_in_by_the_median_absolute_deviation(rng):
    X = rng.standard_cauchy(size=(60, 40))
    X[:, 1] = rng.random(60) < 0.2  # mostly one value: stays
    reach = 5 * median_abs_deviation(X, scale="normal")
    middle = np.median(X, axis=0)
    expected = np.clip(X, middle - reach, middle + reach)
    expected[:, 1] = X[:, 1]
    np.testing.assert_allclose(draw_in(X), expected, rtol=1e-4)
    gaussian = rng.normal(size=(60, 40))
    np.testing.assert_array_equal(draw_in(gaussian), gaussian)
