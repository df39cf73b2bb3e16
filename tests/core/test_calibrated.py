"""Calibrated cuts on planted truth, and against the same thing done one step at a time."""

import numpy as np
import pytest
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
from scipy import sparse
from scipy.stats import false_discovery_control, median_abs_deviation
from sklearn.feature_selection import f_regression

from inffs import InfFS, InfFSS, InfFSSCV, InfFSU, InfFSUCV
from inffs.cuts import (
    PermutedLabels,
)
from inffs.measures import fisher, mutual_information
from inffs.methods import CMIM, ECFS, MRMR, FisherScore, LassoUnhinged, MutualInformation, ReliefF
from inffs.relations import Coupling, Decorrelation, Dispersion
from tests.core.planted import planted

SUPERVISED = [FisherScore, MutualInformation, InfFSS]


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


@pytest.mark.parametrize("method", SUPERVISED)
@pytest.mark.parametrize("informative", [0, 20])
def test_the_promise_is_kept(method, informative):
    """Mean false-discovery proportion over 60 tables: at most q = 0.2 and two standard errors."""
    found = []
    for seed in range(60):
        X, y = planted(informative, 1.2, seed)
        selector = method(n_features_to_select=PermutedLabels(q=0.2)).fit(X, y)
        kept = np.flatnonzero(selector.support_)
        if selector.cut_.forced:
            assert selector.n_features_ == 1
            kept = kept[:0]
        found.append(np.mean(kept >= informative) if kept.size else 0.0)
    assert np.mean(found) <= 0.2 + 2 * np.std(found) / np.sqrt(60)


def test_noise_is_not_taken_for_a_finding_more_often_than_promised():
    """Among 200 tables of noise at most a share q has any finding: 0.1 and two standard errors."""
    found = []
    for seed in range(200):
        X, y = planted(0, 0.0, seed, T=40, n=500)
        cut = FisherScore(n_features_to_select="permuted").fit(X, y).cut_
        found.append(cut.q_values.min() <= 0.1)
    assert np.mean(found) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 200)


@pytest.mark.parametrize("method", SUPERVISED)
def test_planted_features_are_found(method):
    X, y = planted(20, 2.5, 1)
    selector = method(n_features_to_select="permuted").fit(X, y)
    assert selector.cut_.name == "permuted"
    assert selector.support_[:20].all()
    assert 20 <= selector.n_features_ <= 26
    assert (selector.cut_.q_values[:20] <= 0.1).all()
    assert selector.cut_.why.startswith(f"Of the best {selector.n_features_}, at most 10%")


def test_fisher_is_cut_where_benjamini_and_hochberg_cut():
    X, y = planted(30, 1.2, 3)
    selector = FisherScore(n_features_to_select="permuted").fit(X, y)
    q = selector.cut_.q_values
    assert abs(selector.n_features_ - np.count_nonzero(q <= 0.1)) <= 3
    measure = LabelMeasure(1.0, 0.0)
    pair = measure.observed_and_permuted(X, y, 50, np.random.RandomState(0))
    np.testing.assert_allclose(q, false_discovery_control(standardise(*pair).p_values()))


@pytest.mark.parametrize("method", [ReliefF, LassoUnhinged])
def test_methods_with_scores_of_their_own_have_their_own_null(method):
    """Against fitting the method to permuted labels, one after the other, and all pairs counted."""
    X, y = planted(10, 2.0, 3, n=60)
    cut = method(n_features_to_select="permuted").fit(X, y).cut_
    rng = np.random.RandomState(0)
    again = [method(n_features_to_select=60).fit(X, y[rng.permutation(60)]) for _ in range(10)]
    permuted = np.stack([selector.scores_ for selector in again])
    fudge = np.median(permuted.std(axis=0, ddof=1))
    null = np.empty((10, 60))
    for row in range(10):
        others = np.delete(permuted, row, axis=0)
        null[row] = (permuted[row] - others.mean(axis=0)) / (others.std(axis=0, ddof=1) + fudge)
    here = method(n_features_to_select=60).fit(X, y).scores_ - permuted.mean(axis=0)
    here /= permuted.std(axis=0, ddof=1) + fudge
    p = (1 + (null[None] >= here[:, None, None]).sum(axis=(1, 2))) / 601
    np.testing.assert_allclose(cut.q_values, false_discovery_control(p))
    assert not cut.forced


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


def test_five_fits_find_what_ten_find():
    found = []
    for seed in range(4):
        X, y = planted(15, 1.2, seed, T=80)
        rules = PermutedLabels(fits=5), PermutedLabels(fits=10)
        found.append([LassoUnhinged(n_features_to_select=r).fit(X, y).n_features_ for r in rules])
    few, many = np.mean(found, axis=0)
    assert few >= 0.8 * many


def test_methods_without_a_null_of_their_own_say_what_was_tested():
    X, y = planted(20, 2.5, 1, n=60)
    assert "one by one: what CMIM says" in CMIM(n_features_to_select="permuted").fit(X, y).cut_.why
    for method in (FisherScore, ReliefF, ECFS):
        assert "one by one" not in method(n_features_to_select="permuted").fit(X, y).cut_.why


@pytest.mark.parametrize("method", [*SUPERVISED, ReliefF])
def test_nothing_found_is_nothing_claimed(method):
    X, y = planted(0, 0.0, 0, n=300)
    cut = method(n_features_to_select="permuted").fit(X, y).cut_
    assert cut.forced
    assert cut.size == 1
    assert cut.why.startswith("Nothing stands out")
    X[:, 0] += 5 * y
    assert not method(n_features_to_select="permuted").fit(X, y).cut_.forced


def test_luck_of_correlated_features_is_told_where_there_is_some():
    """Copies of one column stand out together or not at all; independent ones do not."""
    X, y = planted(20, 2.0, 2, n=300)
    assert "permutations" in FisherScore(n_features_to_select="permuted").fit(X, y).cut_.why
    assert "together" not in FisherScore(n_features_to_select="permuted").fit(X, y).cut_.why
    rng = np.random.default_rng(0)
    one = rng.normal(size=60)
    one -= np.array([one[y == 0].mean(), one[y == 1].mean()])[y]
    one = (one / one.std() + 0.47 * y)[:, None]
    copies = one + 0.02 * rng.normal(size=(60, 300))
    cut = FisherScore(n_features_to_select="permuted").fit(copies, y).cut_
    assert not cut.forced
    assert "in one of twenty permutations 300 or more did so by chance alone" in cut.why


def test_larger_q_keeps_more_and_the_seed_decides():
    X, y = planted(40, 1.0, 4)
    sizes = [
        FisherScore(n_features_to_select=PermutedLabels(q=q)).fit(X, y).n_features_
        for q in (0.01, 0.1, 0.4)
    ]
    assert sizes[0] < sizes[1] < sizes[2]
    again = [
        FisherScore(n_features_to_select=PermutedLabels(random_state=seed)).fit(X, y).cut_.q_values
        for seed in (5, 5, 6)
    ]
    np.testing.assert_array_equal(again[0], again[1])
    assert np.any(again[0] != again[2])


def test_a_ranking_by_something_else_keeps_no_promise_and_says_so():
    """Noise with a large dispersion stands first: the features found are not those at the top."""
    X, y = planted(20, 2.0, 5)
    X[:, 20:] *= 50
    selector = InfFSS((0.1, 0.0, 0.9), n_features_to_select="permuted").fit(X, y)
    assert np.count_nonzero(selector.cut_.q_values <= 0.1) >= 20
    assert selector.n_features_ == 1
    assert selector.cut_.forced
    assert "does not put them first" in selector.cut_.why


@pytest.mark.parametrize("method", SUPERVISED)
def test_scales_of_columns_do_not_matter_where_the_method_says_so(method):
    X, y = planted(20, 1.5, 6)
    factor = np.random.default_rng(0).lognormal(0, 3, size=1000)
    params = {"weights": (0.5, 0.5, 0.0)} if method is InfFSS else {}
    here = method(n_features_to_select="permuted", **params).fit(X, y).cut_
    there = method(n_features_to_select="permuted", **params).fit(X * factor, y).cut_
    assert here.size == there.size
    np.testing.assert_allclose(here.q_values, there.q_values, rtol=0.02)


def test_constant_columns_have_q_value_one(labelled):
    X, y = labelled
    cut = InfFSS(n_features_to_select="permuted").fit(X, y).cut_
    assert cut.q_values.shape == (12,)
    assert cut.q_values[5] == 1.0
    assert cut.q_values[0] < 0.1


@pytest.mark.parametrize("method", [InfFSU, InfFSUCV])
def test_unsupervised_scores_have_no_null(method):
    X, y = planted(4, 2.0, 9, n=20)
    with pytest.raises(ValueError, match=f"{method.__name__} do not depend on labels.*no null"):
        method(n_features_to_select="permuted").fit(X, y)


def test_a_relation_with_a_coupling_has_the_null_of_its_measures():
    X, y = planted(10, 2.0, 0, n=200)
    found = InfFS(Coupling((1, 0, 0)), n_features_to_select="permuted").fit(X, y)
    plain = InfFSS((1, 0, 0), n_features_to_select="permuted").fit(X, y)
    np.testing.assert_array_equal(found.cut_.q_values, plain.cut_.q_values)
    assert found.n_features_ == plain.n_features_
    aware = InfFS(Coupling((0.5, 0.5, 0)) * Decorrelation(power=2), n_features_to_select="permuted")
    assert aware.fit(X, y).support_[:10].sum() >= 8


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


def test_refusals_say_what_is_missing():
    X, y = planted(4, 2.0, 9, n=20)
    with pytest.raises(ValueError, match="dispersion, which ignores the labels"):
        InfFSS((0, 0, 1), n_features_to_select="permuted").fit(X, y)
    with pytest.raises(ValueError, match="needs labels, and InfFSU is unsupervised"):
        InfFSU(n_features_to_select="cross-validation").fit(X)
    with pytest.raises(ValueError, match="needs the whole table"):
        FisherScore(n_features_to_select="permuted").partial_fit(X, y)
    with pytest.raises(ValueError, match="Did you mean permuted"):
        FisherScore(n_features_to_select="permute").fit(X, y)


@pytest.mark.parametrize("wrong", [{"q": 0}, {"q": 1.0}, {"permutations": 3}, {"fits": 3}])
def test_no_promise_without_sense(wrong):
    with pytest.raises(ValueError, match="q between 0 and 1 and at least 10 permutations"):
        PermutedLabels(**wrong)


def test_greedy_orders_are_cut_by_position():
    X, y = planted(10, 2.5, 10, n=200)
    for name in ("permuted", "stability", "cross-validation"):
        selector = MRMR(n_features_to_select=name).fit(X, y)
        np.testing.assert_array_equal(
            np.sort(selector.order_[: selector.cut_.size]), selector.get_support(indices=True)
        )
        assert selector.n_features_ < 60


def test_weights_of_the_cross_validated_form_are_the_chosen_ones():
    X, y = planted(5, 2.5, 11, n=60)
    selector = InfFSSCV(weight_grid=[(1, 0, 0)], n_features_to_select="permuted").fit(X, y)
    plain = FisherScore(n_features_to_select="permuted").fit(X, y)
    np.testing.assert_array_equal(selector.cut_.q_values, plain.cut_.q_values)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_permuted_numbers_at_once_are_regressions_one_by_one(form, rng):
    X, y = rng.normal(size=(50, 9)) * (rng.random((50, 9)) < 0.7), 1e6 + rng.normal(size=50)
    shuffled = np.stack([rng.permutation(y) for _ in range(4)])
    ratios = permuted_ratio(form(X), shuffled)
    for row, numbers in enumerate(shuffled):
        expected = f_regression(draw_in(X), numbers)[0] / 48
        np.testing.assert_allclose(ratios[row], expected, rtol=1e-5)


@pytest.mark.parametrize("method", [*SUPERVISED, MRMR])
def test_numbers_have_a_null_too(method, rng):
    X = rng.normal(size=(150, 300))
    y = X[:, 0] - X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=150)
    cut = method(n_features_to_select="permuted").fit(X, y).cut_
    assert not cut.forced
    assert cut.size <= 5
    assert (cut.q_values[:3] <= 0.1).all()
    noise = method(n_features_to_select="permuted").fit(X, rng.normal(size=150)).cut_
    assert noise.forced


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


def test_heavy_tails_are_not_taken_for_findings():
    """150 tables of Cauchy noise; without drawing far values in 0.17 of them had a finding."""
    found = []
    for seed in range(150):
        X = np.random.default_rng(seed).standard_cauchy(size=(60, 300))
        cut = FisherScore(n_features_to_select="permuted").fit(X, np.arange(60) % 2).cut_
        found.append(not cut.forced)
    assert np.mean(found) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 150)
