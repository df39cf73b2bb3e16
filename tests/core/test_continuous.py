"""A target of numbers: against scikit-learn, on planted models, and where it must equal classes."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import kendalltau
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.feature_selection import f_regression, mutual_info_regression, r_regression

from inffs import InfFSS, catalogue, rank
from inffs.measures import fisher, mutual_information, squared_correlation
from inffs.measures.continuous import equal_frequency_codes, explained_ratio

TAKE_NUMBERS = [
    entry.key
    for entry in catalogue()
    if entry.supervised and "regression" in entry.estimator._targets
]


# ecfs also weighs deviations, here all alike; pairs of features and y want few bins each
PARAMS = {"ecfs": {"alpha": 1.0}} | {key: {"bins": 4} for key in ("cife", "jmi", "cmim", "mri")}


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, y + 0.5  # a fraction: regression


@pytest.fixture(scope="module")
def planted():
    """Four of thirty columns make y, all alike."""
    rng = np.random.default_rng(3)
    X, true = rng.normal(size=(500, 30)), np.array([3, 11, 17, 28])
    return X, X[:, true].sum(axis=1) + 0.5 * rng.normal(size=500), true


def test_the_methods_that_take_numbers():
    assert set(TAKE_NUMBERS) == {
        "inf-fs-s", "inf-fs-c", "mi", "fisher", "ecfs", "mrmr", "mifs", "cife", "icap", "jmi",
        "cmim", "mri", "relieff", "lasso-hinge", "lasso-unhinged", "nhtp", "grahtp",
    }  # fmt: skip


def test_squared_correlation_and_f_statistic_are_scikit_learns(diabetes):
    X, y = diabetes
    np.testing.assert_allclose(squared_correlation(X, y), r_regression(X, y) ** 2, rtol=1e-10)
    F, _ = f_regression(X, y)
    np.testing.assert_allclose(explained_ratio(X, y) * (y.size - 2), F, rtol=1e-10)
    ours = rank(X, y, method="fisher").order_
    np.testing.assert_array_equal(ours, np.argsort(-F, kind="stable"))


def test_sparse_shifted_and_huge_columns(rng):
    X = np.where(rng.uniform(size=(50, 6)) < 0.6, 0.0, rng.normal(size=(50, 6)))
    y = X[:, 0] + rng.normal(size=50)
    plain = squared_correlation(X, y)
    np.testing.assert_allclose(squared_correlation(sparse.csc_array(X), y), plain, rtol=1e-12)
    np.testing.assert_allclose(squared_correlation(1e150 * X, 1e150 * y), plain, rtol=1e-10)
    np.testing.assert_allclose(squared_correlation(X + 1e4, 7 - y), plain, rtol=1e-8)
    X[:, 3] = 2.0
    assert squared_correlation(X, y)[3] == 0


def test_two_values_of_equal_size_rank_as_fisher_does(rng):
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 40)) + np.outer(y, rng.normal(size=40))
    here = np.argsort(-squared_correlation(X, y.astype(float)))
    np.testing.assert_array_equal(here, np.argsort(-fisher(X, y)))


def test_bins_of_equal_frequency(rng):
    y = rng.exponential(size=103)
    codes = equal_frequency_codes(y)
    assert codes.max() == 1
    assert equal_frequency_codes(y, 10).max() == 9
    assert np.ptp(np.bincount(codes)) <= 2
    assert (np.diff(codes[np.argsort(y)]) >= 0).all()
    many = np.where(np.arange(100) < 95, 1.5, np.arange(100.0))
    assert np.bincount(equal_frequency_codes(many)).min() >= 1
    assert np.unique(codes[y == y[0]]).size == 1


def test_information_agrees_with_scikit_learns_neighbours():
    """Two estimates of one quantity: their rankings of Friedman's ten columns agree."""
    X, y = make_friedman1(600, 10, noise=0.5, random_state=0)
    ours = mutual_information(X, equal_frequency_codes(y))
    theirs = mutual_info_regression(X, y, random_state=0)
    assert set(np.argsort(-ours)[:5]) == set(np.argsort(-theirs)[:5]) == {0, 1, 2, 3, 4}
    assert kendalltau(ours, theirs).statistic > 0.5


@pytest.mark.parametrize("key", TAKE_NUMBERS)
def test_planted_columns_are_found(key, planted):
    X, y, true = planted
    params = PARAMS.get(key, {})
    found = rank(X, y, method=key, n_features_to_select=6, **params)
    assert len(set(found.get_support(indices=True)) & set(true)) >= 3
    assert not hasattr(found, "classes_")


@pytest.mark.parametrize("key", TAKE_NUMBERS)
def test_units_of_y_do_not_matter(key, diabetes):
    X, y = diabetes
    here = rank(X, y, method=key, n_features_to_select=4)
    there = rank(X, 3.5 * y + 0.25, method=key, n_features_to_select=4)
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-8, atol=1e-12)


def test_whole_numbers_are_classes_however_many_there_are(rng):
    X = rng.normal(size=(100, 5))
    ages = rng.integers(18, 90, size=100)
    assert InfFSS(n_features_to_select=2).fit(X, ages).target_type_ == "classification"
    assert (
        InfFSS(n_features_to_select=2, target_type="regression").fit(X, ages).target_type_
        == "regression"
    )
    many = np.tile(X, (5, 1)), np.arange(500) % 25
    assert InfFSS(n_features_to_select=2).fit(*many).classes_.size == 25
    assert InfFSS(n_features_to_select=2).fit(X, ages.astype(str)).classes_.size > 20


def test_classes_score_as_before(labelled):
    """Whole numbers stay classes, also as floats."""
    X, y = labelled
    make = partial(InfFSS, n_features_to_select=2)
    np.testing.assert_array_equal(make().fit(X, y).scores_, make().fit(X, y * 1.0).scores_)


def test_false_discovery_rate_finds_the_planted_columns(planted):
    X, y, true = planted
    found = InfFSS((0.5, 0.5, 0.0), n_features_to_select="fdr").fit(X, y)
    assert set(true) <= set(found.get_support(indices=True))
    assert found.n_features_ <= 7


def test_predict_finds_the_planted_columns_first(planted):
    X, y, true = planted
    found = InfFSS((0.5, 0.5, 0.0), n_features_to_select="predict").fit(X, y)
    assert set(found.order_[:4]) == set(true)
    assert not found.cut_.forced
    measured = found.size_selection_
    assert measured.sizes[np.argmax(measured.means)] <= 7
    assert measured.means[measured.place(found.n_features_)] > measured.means.max() - 0.005
    assert found.n_features_ == 5  # the first size that is evaluated and holds all four


class TestBadInput:
    def test_numbers_that_are_all_the_same(self, labelled):
        with pytest.raises(ValueError, match=r"y is 0.5 in every row: give a target that varies"):
            InfFSS().fit(labelled[0], np.full(40, 0.5))

    def test_method_that_needs_classes(self, planted):
        X, y, _ = planted
        with pytest.raises(ValueError, match=r"y is continuous .* a method that takes numbers"):
            rank(X, y, method="svm-rfe")
