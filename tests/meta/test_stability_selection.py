"""Stability selection: its promise on tables without a signal, its manners, its sentences."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import InfFSS, InfFSU, StabilitySelection
from inffs.evaluation.folds import halves
from inffs.meta.stability_selection import least_threshold
from inffs.methods import ILFS, FisherScore

CHECKS = parametrize_with_checks(
    [
        StabilitySelection(FisherScore(), pairs=5),
        StabilitySelection(InfFSU(), pairs=2, max_false=2),
        StabilitySelection(SelectKBest(k=1), pairs=5),
    ]
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


def gaussian(rng, T, n):
    return rng.normal(size=(T, n))


def correlated(rng, T, n):
    """Ten blocks of columns that correlate by 0.8."""
    return np.repeat(rng.normal(size=(T, 10)), n // 10, axis=1) + 0.5 * rng.normal(size=(T, n))


def heavy_tailed(rng, T, n):
    return rng.standard_t(2, size=(T, n))


NULLS = [gaussian, correlated, heavy_tailed]


def null_frequencies(make, tables):
    """Of all 100 features on every table: nothing is true, so whatever is kept is false."""
    selector = StabilitySelection(FisherScore(), n_per_half=8)
    y = np.arange(60) % 2
    return np.array(
        [
            selector.set_params(random_state=seed)
            .fit(make(np.random.default_rng([seed, 91]), 60, 100), y)
            .frequencies_
            for seed in range(tables)
        ]
    )


def mean_and_error(frequencies, most, assumption):
    """False features let through by the threshold that promises ``most``: mean, standard error."""
    threshold = least_threshold(most, 8, 100, 50, assumption)
    counts = (frequencies >= threshold - 1e-9).sum(axis=1)
    return counts.mean(), counts.std() / np.sqrt(counts.size)


@pytest.mark.slow
@pytest.mark.parametrize("make", NULLS)
def test_the_bound_holds_where_nothing_is_true(make):
    frequencies = null_frequencies(make, 200)
    for most in (1.0, 0.6, 0.3):
        assert mean_and_error(frequencies, most, "unimodal")[0] <= most
        mean, error = mean_and_error(frequencies, most, "r-concave")
        assert mean - 2 * error <= most  # this bound is nearly reached
    assert mean_and_error(frequencies, 1.0, "none")[0] <= 0.5


@pytest.mark.parametrize("make", NULLS)
def test_the_bound_holds_on_a_few_tables(make):
    assert mean_and_error(null_frequencies(make, 12), 1.0, "unimodal")[0] <= 1


@pytest.fixture
def planted(rng):
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 120))
    X[:, :6] += 1.6 * y[:, None]
    return X, y


def test_planted_features_are_found(planted):
    selector = StabilitySelection(FisherScore(), random_state=0).fit(*planted)
    assert selector.get_support()[:6].all()
    assert selector.get_support()[6:].sum() <= 2
    assert (selector.frequencies_[:6] > 0.9).all()
    assert "6 features were selected in at least" in selector.cut_.why


def test_frequencies_are_counts_of_what_the_selector_picks(planted):
    """Counted again with scikit-learn's F test on the same halves."""
    X, y = planted
    ours = StabilitySelection(SelectKBest(f_classif), n_per_half=7, pairs=6, random_state=3)
    drawn = halves(y, 6, np.random.RandomState(3))
    counts = sum(SelectKBest(f_classif, k=7).fit(X[half], y[half]).get_support() for half in drawn)
    np.testing.assert_array_equal(ours.fit(X, y).frequencies_, counts / 12)
    assert ours.n_per_half_ == 7


@pytest.mark.parametrize("sizes", [(10, 10), (11, 6), (2, 2, 3), (7, 2), (9,)])
def test_halves_are_complementary_and_hold_every_class(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    drawn = list(halves(codes, 20, np.random.RandomState(0)))
    assert len(drawn) == 40
    for first, second in zip(drawn[::2], drawn[1::2], strict=True):
        assert first.size == second.size == codes.size // 2
        assert not set(first) & set(second)
        both = np.bincount(codes[first]), np.bincount(codes[second])
        assert np.abs(both[0] - both[1]).max() <= 1
        assert min(both[0].min(), both[1].min()) >= 1


def test_a_selector_without_a_size_keeps_its_own(planted):
    found = StabilitySelection(InfFSS(n_features_to_select=0.05), n_per_half=None, random_state=0)
    assert found.fit(*planted).n_per_half_ == 6


def test_a_number_keeps_the_most_frequent(planted):
    X, y = planted
    selector = StabilitySelection(FisherScore(), n_features_to_select=9, random_state=0).fit(X, y)
    kept = selector.frequencies_[selector.get_support()]
    assert kept.size == 9
    assert kept.min() >= selector.frequencies_[~selector.get_support()].max()


def test_given_threshold_says_what_it_promises(planted):
    selector = StabilitySelection(FisherScore(), threshold=0.75, n_per_half=10, random_state=0)
    selector.fit(*planted)
    assert selector.threshold_ == 0.75
    assert 0 < selector.max_false_ < 100 / 120 / 0.5
    np.testing.assert_array_equal(selector.support_, selector.frequencies_ >= 0.75)


def test_nothing_may_be_kept():
    X = np.random.default_rng(5).normal(size=(40, 60))
    selector = StabilitySelection(FisherScore(), max_false=0.05, random_state=0)
    selector.fit(X, np.arange(40) % 2)
    assert selector.n_features_ == 0
    assert selector.cut_.why.startswith("No feature was selected in at least")


def test_frames_sparse_tables_and_pipelines(planted):
    X, y = planted
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    dense = StabilitySelection(FisherScore(), random_state=0).fit(X, y)
    thin = StabilitySelection(FisherScore(), random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.frequencies_, thin.frequencies_)
    frame = pd.DataFrame(X).add_prefix("g")
    named = make_pipeline(StandardScaler().set_output(transform="pandas"), dense).fit(frame, y)
    assert "g0" in named.get_feature_names_out()


def test_seed_decides_and_jobs_do_not(planted):
    X, y = planted
    one = StabilitySelection(FisherScore(), pairs=8, random_state=1).fit(X, y)
    two = StabilitySelection(FisherScore(), pairs=8, random_state=1, n_jobs=2).fit(X, y)
    other = StabilitySelection(FisherScore(), pairs=8, random_state=2).fit(X, y)
    np.testing.assert_array_equal(one.frequencies_, two.frequencies_)
    assert (one.frequencies_ != other.frequencies_).any()


def test_continuous_target_with_a_selector_that_takes_it(rng):
    X = rng.normal(size=(90, 40))
    y = X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=90)
    selector = StabilitySelection(SelectKBest(f_regression), random_state=0).fit(X, y)
    assert set(selector.get_support(indices=True)) >= {0, 1, 2}


class TestBadInput:
    def test_class_with_one_sample(self, planted):
        X, y = planted
        y = np.where(np.arange(80) == 3, "rare", np.array(["a", "b"])[y])
        with pytest.raises(ValueError, match=r"The class 'rare' has 1 sample, and both halves"):
            StabilitySelection(FisherScore()).fit(X, y)

    def test_promise_that_cannot_be_kept(self, planted):
        with pytest.raises(ValueError, match=r"No threshold keeps .* at 0.01, with 40 of 120"):
            StabilitySelection(FisherScore(), max_false=0.01, n_per_half=40).fit(*planted)

    def test_more_per_half_than_there_are(self, planted):
        with pytest.raises(ValueError, match="n_per_half=121, but X has only 120 varying"):
            StabilitySelection(FisherScore(), n_per_half=121).fit(*planted)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("threshold", 0.5),
            ("threshold", 1.1),
            ("max_false", 0),
            ("pairs", 1),
            ("assumption", "x"),
        ],
    )
    def test_parameter_out_of_range(self, name, value, planted):
        with pytest.raises(ValueError, match=f"The '{name}' parameter"):
            StabilitySelection(FisherScore(), **{name: value}).fit(*planted)

    def test_no_selector(self, planted):
        with pytest.raises(ValueError, match="The 'selector' parameter"):
            StabilitySelection("fisher").fit(*planted)

    def test_no_labels(self, planted):
        with pytest.raises(ValueError, match="it requires y"):
            StabilitySelection(FisherScore()).fit(planted[0])

    def test_continuous_labels_for_classes_only(self, planted, rng):
        with pytest.raises(ValueError, match="y is continuous"):
            StabilitySelection(ILFS()).fit(planted[0], rng.normal(size=80))
