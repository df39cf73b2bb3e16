"""The cut "fdr": which features it keeps, and what it claims of noise."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from inffs import Constrained, InfFSC, InfFSS, InfFSU
from inffs.cuts import FalseDiscoveryRate
from inffs.cuts.false_discovery_rate import p_values
from inffs.methods import MRMR, FisherScore, MutualInformation, ReliefF
from inffs.target import as_survival
from tests.core.planted import planted

METHODS = [FisherScore, MutualInformation, InfFSS, InfFSC, MRMR, ReliefF]


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_keep_the_same_features_in_their_own_order(method):
    X, y = planted(20, 2.5, 1, n=200)
    found = method(n_features_to_select="fdr").fit(X, y)
    expected = false_discovery_control(p_values(X, y))
    np.testing.assert_array_equal(found.cut_.q_values, expected)
    np.testing.assert_array_equal(found.get_support(indices=True), np.flatnonzero(expected <= 0.1))
    np.testing.assert_array_equal(np.sort(found.cut_.features), found.get_support(indices=True))
    assert found.support_[:20].all()
    plain = method(n_features_to_select=200).fit(X, y).order_
    first = found.order_[: found.n_features_]
    np.testing.assert_array_equal(first, plain[np.isin(plain, first)])
    np.testing.assert_array_equal(found.order_[found.n_features_ :], plain[~np.isin(plain, first)])
    np.testing.assert_array_equal(found.ranking_[found.order_], np.arange(1, 201))


def test_significant_features_that_rank_last_are_kept():
    X, y = planted(20, 2.0, 5)
    X[:, 20:] *= 50
    selector = InfFSS((0.1, 0.0, 0.9), n_features_to_select="fdr").fit(X, y)
    assert selector.support_[:20].sum() >= 19
    assert not selector.cut_.forced


@pytest.mark.parametrize("informative", [0, 20])
def test_the_false_discovery_rate_holds(informative):
    """Mean false share over 100 tables: at most q = 0.2 and two standard errors."""
    found = []
    for seed in range(100):
        X, y = planted(informative, 1.2, seed, n=300)
        cut = FisherScore(n_features_to_select=FalseDiscoveryRate(q=0.2)).fit(X, y).cut_
        found.append(0.0 if cut.forced else np.mean(cut.features >= informative))
    assert np.mean(found) <= 0.2 + 2 * np.std(found) / np.sqrt(100)


@pytest.mark.parametrize("method", [FisherScore, InfFSC])
def test_nothing_significant_is_nothing_claimed(method):
    X, y = planted(0, 0.0, 0, n=300)
    selector = method(n_features_to_select="fdr").fit(X, y)
    assert selector.cut_.forced
    assert selector.cut_.size == selector.n_features_ == 1
    assert selector.cut_.features is None
    X[:, 0] += 5 * y
    assert not method(n_features_to_select="fdr").fit(X, y).cut_.forced


def test_weights_and_missing_values_are_allowed(rng):
    X, y = planted(10, 3.0, 3, n=100)
    weight = 1.0 + rng.integers(0, 3, y.size)
    plain = FisherScore(n_features_to_select="fdr").fit(X, y)
    weighted = FisherScore(n_features_to_select="fdr").fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(weighted.support_, plain.support_)
    X[rng.random(X.shape) < 0.1] = np.nan
    gappy = FisherScore(missing="ignore", n_features_to_select="fdr").fit(X, y)
    assert gappy.support_[:10].sum() >= 9
    assert gappy.n_features_ < 20


def test_survival_times(rng):
    X = rng.normal(size=(120, 150))
    time, censored = np.exp(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=120)), rng.random(120) < 0.3
    selector = InfFSS(n_features_to_select="fdr").fit(X, as_survival(~censored, time))
    assert selector.support_[:2].all()
    assert selector.n_features_ <= 6


@pytest.mark.parametrize("method", [FisherScore, InfFSC, MRMR])
def test_numbers(method, rng):
    X = rng.normal(size=(150, 300))
    y = X[:, 0] - X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=150)
    selector = method(n_features_to_select="fdr").fit(X, y)
    assert selector.support_[:3].all()
    assert selector.n_features_ <= 6
    assert method(n_features_to_select="fdr").fit(X, rng.normal(size=150)).cut_.forced


def test_larger_rates_keep_more_and_the_seed_decides():
    X, y = planted(40, 1.0, 4)
    cuts = [FalseDiscoveryRate(q=q) for q in (0.01, 0.1, 0.4)]
    sizes = [FisherScore(n_features_to_select=cut).fit(X, y).n_features_ for cut in cuts]
    assert sizes[0] < sizes[1] < sizes[2]
    seeds = [FalseDiscoveryRate(random_state=seed) for seed in (5, 5, 6)]
    again = [FisherScore(n_features_to_select=cut).fit(X, y).cut_.q_values for cut in seeds]
    np.testing.assert_array_equal(again[0], again[1])
    assert np.any(again[0] != again[2])


def test_constant_columns_have_q_value_one(labelled):
    X, y = labelled
    cut = InfFSS(n_features_to_select="fdr").fit(X, y).cut_
    assert cut.q_values.shape == (12,)
    assert cut.q_values[5] == 1.0
    assert cut.q_values[0] < 0.1
    assert 5 not in cut.features


def test_limits_are_kept():
    X, y = planted(20, 2.5, 1, n=200)
    method = FisherScore(n_features_to_select="fdr")
    limited = Constrained(method, max_features=5, exclude=[0]).fit(X, y)
    plain = method.fit(X, y).order_
    np.testing.assert_array_equal(limited.order_[:5], plain[plain != 0][:5])


def test_refusals_name_what_is_missing():
    X, y = planted(4, 2.0, 9, n=20)
    with pytest.raises(ValueError, match="needs labels"):
        InfFSU(n_features_to_select="fdr").fit(X)
    with pytest.raises(ValueError, match="whole table"):
        FisherScore(n_features_to_select="fdr").partial_fit(X, y)
    for q in (0, 1.0):
        with pytest.raises(ValueError, match="q"):
            FalseDiscoveryRate(q=q)
