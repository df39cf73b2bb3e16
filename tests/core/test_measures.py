"""Measures against NumPy, SciPy and scikit-learn, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

from inffs import measures
from inffs.measures.batch import (
    number_of_bins,
    rescale,
    standard_deviation,
    symmetric_uncertainty,
)
from tests import reference


@pytest.fixture
def table(rng):
    X = rng.normal(size=(90, 25)) * rng.uniform(0.1, 10, 25)
    y = rng.integers(0, 3, 90)
    X[:, :4] += y[:, None]
    return X, y


def test_dispersion(table):
    X, _ = table
    sigma = X.std(axis=0, ddof=1)
    np.testing.assert_allclose(measures.dispersion(X), sigma / sigma.max(), rtol=1e-13)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e9])
def test_dispersion_has_no_unit(table, scale):
    X, _ = table
    np.testing.assert_allclose(measures.dispersion(X * scale), measures.dispersion(X), rtol=1e-12)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
def test_one_sample_does_not_vary(make):
    np.testing.assert_array_equal(measures.dispersion(make([[3.0, -1.0, 0.0]])), np.zeros(3))


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_fisher(table, classes, rng):
    X, _ = table
    y = np.arange(90) % classes
    np.testing.assert_allclose(
        measures.fisher(X, y, scaled=True), reference.fisher(X, y), rtol=1e-10, atol=1e-14
    )


def test_fisher_orders_like_the_two_class_formula(table, rng):
    X, _ = table
    y = np.repeat([0, 1], [30, 60])
    gap = X[:30].mean(axis=0) - X[30:].mean(axis=0)
    two = gap**2 / (X[:30].var(axis=0, ddof=1) + X[30:].var(axis=0, ddof=1))
    expected = (two - two.min()) / np.ptp(two)
    np.testing.assert_allclose(measures.fisher(X, y, scaled=True), expected, rtol=1e-9, atol=1e-13)


def test_fisher_orders_like_anova_on_balanced_classes(table):
    X, _ = table
    y = np.arange(90) % 3
    np.testing.assert_array_equal(np.argsort(measures.fisher(X, y)), np.argsort(f_classif(X, y)[0]))


def test_perfect_separator_is_twice_the_best_other(table):
    X, y = table
    X[:, 3] = y * 5.0 + 0.1
    ratio = measures.fisher(X, y)
    others = np.delete(ratio, 3)
    assert ratio[3] == 2 * others.max()
    assert np.ptp(measures.fisher(X, y, scaled=True)[others.argsort()[-5:]]) > 0
    np.testing.assert_array_equal(measures.fisher(X[:, [3]], y), [1.0])


def test_separator_far_from_zero_is_still_perfect(table):
    X, y = table
    X[:, 3] = 1e6 + y
    ratio = measures.fisher(X, y)
    assert ratio[3] == 2 * np.delete(ratio, 3).max()


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("members", [1, 2, 3])
def test_class_with_few_members(table, members, make):
    X, _ = table
    y = np.zeros(90, dtype=int)
    y[17 : 17 + members] = 1
    few, rest = X[y == 1], X[y == 0]
    between = sum((part.mean(axis=0) - X.mean(axis=0)) ** 2 for part in (few, rest))
    within = rest.var(axis=0, ddof=1) + (few.var(axis=0, ddof=1) if members > 1 else 0)
    np.testing.assert_allclose(measures.fisher(make(X), y), between / within, rtol=1e-10)


@pytest.mark.parametrize("T", [30, 90, 250])
def test_information(T, rng):
    X, y = rng.normal(size=(T, 12)), rng.integers(0, 4, T)
    bins = number_of_bins(T)
    assert bins == {30: 10, 90: 10, 250: 20}[T]
    np.testing.assert_allclose(
        measures.mutual_information(X, y, scaled=True),
        reference.mutual_information(X, y, bins),
        rtol=1e-9,
        atol=1e-13,
    )


@pytest.mark.parametrize(
    ("T", "bins"), [(2, 10), (109, 10), (110, 11), (150, 15), (200, 20), (201, 20), (9999, 20)]
)
def test_bins_follow_the_number_of_samples(T, bins):
    assert number_of_bins(T) == bins
    assert number_of_bins(T, 7) == 7


@pytest.mark.parametrize("classes", [2, 3, 40])
def test_symmetric_uncertainty(classes, rng):
    X, y = rng.integers(0, 6, size=(80, 5)).astype(float), np.arange(80) % classes
    X[0], X[1] = 0, 5
    X[:, 4] = 2.0
    expected = [normalized_mutual_info_score(y, column) for column in X.T[:4]]
    uncertainty = symmetric_uncertainty(X, y, bins=6)
    np.testing.assert_allclose(uncertainty[:4], expected, rtol=1e-10)
    assert uncertainty[4] == 0
    assert symmetric_uncertainty(X[:, [4]], np.zeros(80)) == 0


def test_information_of_independent_columns_is_not_negative():
    """Every level of the column meets every class equally often: nothing but rounding is left."""
    for classes in range(2, 9):
        for levels in range(2, 9):
            X = np.repeat(np.arange(levels), classes * 3)[:, None] * 1.0
            y = np.arange(X.size) % classes
            information = measures.mutual_information(X, y)
            assert 0 <= information[0] < 1e-13


def test_information_of_discrete_columns(rng):
    X, y = rng.integers(0, 5, size=(80, 6)).astype(float), rng.integers(0, 3, 80)
    X[0], X[1] = 0, 4  # every column spans its levels
    expected = [mutual_info_score(column, y) for column in X.T]
    np.testing.assert_allclose(measures.mutual_information(X, y, bins=5), expected, rtol=1e-10)


def test_constant_column_tells_nothing(table):
    X, y = table
    X[:, 2] = 7.0
    assert measures.mutual_information(X, y)[2] == 0
    assert measures.fisher(X, y)[2] == 0
    assert measures.dispersion(X)[2] == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_sparse_equals_dense(sign, rng):
    S = sparse.random(60, 40, 0.2, format="csc", random_state=3, data_rvs=rng.standard_normal)
    S.data = np.abs(S.data) * sign if sign < 0 else S.data
    S = S.tolil()
    S[:, 5] = rng.normal(size=(60, 1)) + 5  # a column without zeros
    S[:, 6] = rng.normal(size=(60, 1)) - 1e3
    S[:, 39] = 0.0
    S = S.tocsc()
    y = rng.integers(0, 3, 60)
    y[7] = 3  # a class with one member
    D = S.toarray()
    np.testing.assert_allclose(measures.dispersion(S), measures.dispersion(D), rtol=1e-12)
    np.testing.assert_allclose(measures.fisher(S, y), measures.fisher(D, y), rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(
        measures.mutual_information(S, y), measures.mutual_information(D, y)
    )
    np.testing.assert_array_equal(symmetric_uncertainty(S, y), symmetric_uncertainty(D, y))


def test_multi_label_is_the_mean_of_one_vs_rest(table, rng):
    X, _ = table
    Y = rng.integers(0, 2, size=(90, 3))
    for measure in (measures.fisher, measures.mutual_information):
        expected = np.mean([measure(X, column) for column in Y.T], axis=0)
        np.testing.assert_allclose(measure(X, Y), expected, rtol=1e-14)


def test_single_precision_input_is_measured_in_double(table):
    X, y = table
    X = X.astype(np.float32)
    for measure in (measures.fisher, measures.mutual_information):
        np.testing.assert_allclose(measure(X, y), measure(X.astype(float), y), rtol=1e-12)


def test_sparse_columns_in_single_precision_are_binned_in_double(rng):
    """Values on a grid lie on the edges of bins, where the last bit decides."""
    X = (rng.integers(0, 41, size=(200, 30)) * 0.1 - 1.7).astype(np.float32)
    y = rng.integers(0, 3, 200)
    for bins in (7, 10, 20):
        thin = measures.mutual_information(sparse.csc_array(X), y, bins)
        np.testing.assert_allclose(thin, measures.mutual_information(X, y, bins), rtol=1e-9)


def test_rescale_of_a_constant_vector():
    np.testing.assert_array_equal(rescale(np.full(3, 2.0)), np.zeros(3))


@pytest.mark.parametrize("scale", [1e-300, 2.0**-1060])
def test_bins_of_denormal_columns(scale, rng):
    X = rng.integers(0, 40, size=(30, 4)) * 1.0
    y = rng.integers(0, 3, size=30)
    np.testing.assert_array_equal(
        measures.mutual_information(X * scale, y), measures.mutual_information(X, y)
    )
    np.testing.assert_allclose(
        measures.mutual_information(sparse.csc_array(X * scale), y),
        measures.mutual_information(X, y),
        atol=1e-12,
    )


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
def test_denormal_columns_beside_others(make, rng):
    X, y = rng.integers(0, 40, size=(30, 4)) * 1.0, rng.integers(0, 3, size=30)
    mixed = X * np.array([1.0, 1e-300, 1e5, 2.0**-1060])
    np.testing.assert_allclose(
        measures.mutual_information(make(mixed), y), measures.mutual_information(X, y), rtol=1e-12
    )


@pytest.mark.parametrize("T", [2, 3])
def test_standard_deviation_of_very_few_samples(T, rng):
    X = rng.normal(size=(T, 5))
    np.testing.assert_allclose(standard_deviation(X), X.std(axis=0, ddof=1))
    np.testing.assert_allclose(standard_deviation(sparse.csc_array(X)), X.std(axis=0, ddof=1))
