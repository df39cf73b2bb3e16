"""A consensus of methods: its arithmetic against formulas and simulation, its manners."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import Consensus, InfFSS, InfFSU, rank
from inffs.meta.consensus import overlap_curves, overlap_matrix, rra_p_values
from inffs.methods import FisherScore, ReliefF

CHECKS = parametrize_with_checks(
    [
        Consensus([FisherScore(), InfFSS()], how="rra"),
        Consensus(["inf-fs-u", "laplacian"], how="median"),
    ]
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


def test_p_values_of_two_rankings_by_hand():
    """rho = min(1 - (1 - a)^2, b^2) for a <= b; P(rho' <= rho) integrated over the unit square."""
    ranks = np.stack([np.arange(1.0, 11), [7.0, 2, 3, 10, 5, 1, 4, 6, 9, 8]], axis=1)
    for (a, b), found in zip(np.sort(ranks, axis=1) / 10, rra_p_values(ranks), strict=True):
        rho = min(1 - (1 - a) ** 2, b**2)
        low, high = 1 - np.sqrt(1 - rho), np.sqrt(rho)
        assert found == pytest.approx(1 - (1 - low) ** 2 + (high - low) ** 2)


@pytest.mark.parametrize("M", [1, 3, 6])
def test_p_values_are_uniform_where_rankings_are_random(M, rng):
    """Of many random rankings: the exact p-value of a random feature is a uniform number."""
    ranks = np.ceil(rng.uniform(size=(40_000, M)) * 40_000)
    found = rra_p_values(ranks)
    for level in (0.01, 0.1, 0.5):
        assert np.mean(found <= level) == pytest.approx(level, abs=4 * np.sqrt(level / 40_000))


def test_p_values_keep_the_bounds_of_the_paper(rng):
    """rho <= p <= M rho (Bonferroni), also where they are tiny."""
    from scipy.stats import beta

    ranks = np.vstack([np.ones((1, 5)), rng.integers(1, 1001, size=(200, 5))]).astype(float)
    ranks = np.vstack([ranks, np.full((799, 5), 900.0)])
    k = np.arange(1, 6)
    rho = beta.cdf(np.sort(ranks, axis=1) / 1000, k, 6 - k).min(axis=1)
    found = rra_p_values(ranks)
    assert (found >= rho * (1 - 1e-9)).all()
    assert (found <= np.minimum(5 * rho, 1) * (1 + 1e-9)).all()
    assert found[0] < 1e-14


@pytest.mark.parametrize("how", ["mean-rank", "median", "rra"])
def test_the_same_ranking_three_times_is_that_ranking(how, labelled):
    X, y = labelled
    alone = FisherScore(n_features_to_select=4).fit(X, y)
    three = Consensus(["fisher"] * 3, how=how, n_features_to_select=4).fit(X, y)
    np.testing.assert_array_equal(three.order_, alone.order_)
    np.testing.assert_allclose(three.agreement_, 1.0, rtol=1e-12)
    assert three.names_ == ["fisher (1)", "fisher (2)", "fisher (3)"]


def test_mean_ranks_and_agreement_by_hand(labelled):
    X, y = labelled
    keys = ["inf-fs-s", "relieff", "mrmr"]
    found = Consensus(keys, n_features_to_select=3).fit(X, y)
    live = np.delete(np.arange(12), 5)
    each = [rank(X[:, live], y, method=key) for key in keys]
    ranks = np.stack([rankdata(-s.scores_) if s.ties_.any() else s.ranking_ for s in each], axis=1)
    np.testing.assert_array_equal(found.ranks_[live], ranks)
    np.testing.assert_allclose(found.scores_[live], 1 - (ranks.mean(axis=1) - 1) / 11)
    tau = kendalltau(ranks[:, 0], ranks[:, 2]).statistic
    assert found.agreement_[0, 2] == pytest.approx(tau)
    assert found.order_[-1] == 5
    shared = set(each[0].order_[:4]) & set(each[1].order_[:4])
    assert found.overlap_at(4)[0, 1] == len(shared) / 4


def test_selectors_from_elsewhere_have_a_say(labelled):
    X, y = labelled
    forest = SelectFromModel(RandomForestClassifier(10, random_state=0))
    found = Consensus([("forest", forest), SelectKBest(k=3), ReliefF()], how="median").fit(X, y)
    assert found.names_ == ["forest", "SelectKBest", "ReliefF"]
    assert set(found.order_[:3]) <= {0, 1, 2, 3, 7}
    assert len(np.unique(found.ranks_[np.arange(12) != 5, 0])) == 2


def test_median_shrugs_off_a_stray_ranking(labelled):
    X, y = labelled
    plain = Consensus(["fisher", "mi", "inf-fs-s"], how="median", n_features_to_select=4).fit(X, y)
    assert set(plain.order_[:3]) <= {0, 1, 2, 3, 7}


def test_unsupervised_methods_need_no_labels(labelled):
    X, _ = labelled
    assert Consensus([InfFSU(), "cfs"]).fit(X).n_features_ >= 1


class TestBadInput:
    def test_one_method_is_no_consensus(self, labelled):
        with pytest.raises(ValueError, match="at least two methods; there are 1"):
            Consensus(["fisher"]).fit(*labelled)

    def test_unknown_key(self, labelled):
        with pytest.raises(ValueError, match=r"no method 'fischer'. Did you mean fisher"):
            Consensus(["fischer", "mi"]).fit(*labelled)

    def test_what_is_no_method(self, labelled):
        with pytest.raises(ValueError, match="3 is no method: a consensus takes keys"):
            Consensus(["fisher", 3]).fit(*labelled)

    def test_unknown_aggregation(self, labelled):
        with pytest.raises(ValueError, match="The 'how' parameter"):
            Consensus(["fisher", "mi"], how="vote").fit(*labelled)

    def test_no_labels(self, labelled):
        with pytest.raises(ValueError, match="it requires y"):
            Consensus(["fisher", "inf-fs-u"]).fit(labelled[0])

    def test_continuous_y_where_one_method_needs_classes(self, labelled, rng):
        with pytest.raises(ValueError, match="y is continuous"):
            Consensus(["svm-rfe", "inf-fs-c"]).fit(labelled[0], rng.normal(size=40))

    def test_overlap_at_too_many(self, labelled):
        with pytest.raises(ValueError, match="k=13 must be between 1 and 12"):
            Consensus(["fisher", "mi"]).fit(*labelled).overlap_at(13)


def test_overlap_of_every_size_is_that_of_each(rng):
    ranks = np.stack([rankdata(rng.integers(0, 30, 40)) for _ in range(3)], axis=1)
    curves = overlap_curves(ranks)
    for k in (1, 7, 40):
        found = overlap_matrix(ranks, k)
        np.testing.assert_allclose(curves[:, k - 1], found[[1, 2, 2], [0, 0, 1]])


def test_scales_matter_if_they_do_to_a_member():
    assert Consensus(["fisher", "mi"])._scale_free
    assert not Consensus(["fisher", "inf-fs-s"])._scale_free
    assert not Consensus([FisherScore(), SelectKBest()])._scale_free


def test_methods_in_parallel_give_the_same_ranking(labelled):
    X, y = labelled
    keys = ["inf-fs-s", "fisher", "relieff"]
    one, two = (Consensus(keys, n_jobs=jobs).fit(X, y) for jobs in (None, 2))
    np.testing.assert_array_equal(one.ranks_, two.ranks_)
    np.testing.assert_array_equal(one.order_, two.order_)
