"""Mutual information against scikit-learn's estimate on discrete data and the published program."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

from inffs.measures import mutual_information
from inffs.measures.batch import equal_width_bins
from inffs.methods import MutualInformation
from tests.methods.filter_goldens import cases, names, published_information, table


@pytest.mark.parametrize("case", cases("mi"), ids=names("mi"))
def test_the_published_program_and_its_slips_are_understood(case):
    X, y = table(case["data"])
    np.testing.assert_allclose(published_information(X, y), case["score"], rtol=1e-9, atol=1e-11)


def test_the_published_order_where_its_slips_do_not_bite():
    case = cases("mi")[1]
    assert case["data"] == "a_plain"
    selector = MutualInformation().fit(*table("a_plain"))
    np.testing.assert_allclose(selector.scores_, case["score"], atol=2e-4)
    np.testing.assert_array_equal(selector.order_, case["ranking"])


@pytest.mark.parametrize("classes", [2, 4])
def test_discrete_data_as_an_independent_estimate(classes, rng):
    y = rng.integers(classes, size=120)
    X = np.where(rng.random((120, 8)) < 0.5, y[:, None], rng.integers(6, size=(120, 8)))
    mi = [mutual_info_score(column, y) for column in X.T]
    normalised = [normalized_mutual_info_score(column, y) for column in X.T]
    np.testing.assert_allclose(mutual_information(X.astype(float), y), mi, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(MutualInformation().fit(X, y).scores_, normalised, rtol=1e-10)


@pytest.mark.parametrize("bins", [2, 7, 20])
def test_binned_data_as_an_independent_estimate(bins, labelled):
    X, y = labelled
    codes = [np.digitize(f, np.linspace(f.min(), f.max(), bins + 1)[1:-1]) for f in X.T]
    expected = [normalized_mutual_info_score(code, y) for code in codes]
    expected[5] = 0.0  # the constant column
    np.testing.assert_allclose(
        MutualInformation(bins=bins).fit(X, y).scores_, expected, rtol=1e-10, atol=1e-12
    )


def test_a_constant_column_is_worth_nothing():
    X, y = table("a")
    selector = MutualInformation().fit(X, y)
    assert selector.scores_[20] == 0
    assert selector.order_[-1] == 20
    assert mutual_information(X, y)[20] == 0
    assert cases("mi")[0]["ranking"][0] == 20  # the published program puts it first


def test_no_score_exceeds_one_on_integers():
    X, y = table("b")
    scores = MutualInformation().fit(X, y).scores_
    assert scores.max() <= 1 < max(cases("mi")[2]["score"])


@pytest.mark.parametrize("step", [1.0, 0.1, 1 / 3, 7.0])
@pytest.mark.parametrize("levels", [2, 5, 10, 11, 31, 61])
def test_values_on_an_even_grid_are_binned_alike_wherever_it_lies(step, levels):
    grid = np.arange(levels)
    expected = equal_width_bins(grid[:, None].astype(float), 10)
    if levels <= 10:
        assert np.unique(expected).size == levels
    exact = np.minimum(grid * 10 // (levels - 1), 9)
    np.testing.assert_array_equal(expected.ravel(), exact)
    for shift in (0.0, -17.3, 1000.1):
        np.testing.assert_array_equal(
            equal_width_bins((shift + step * grid)[:, None], 10), expected
        )


def test_the_class_under_other_names_scores_one(rng):
    y = rng.integers(3, size=50)
    X = np.c_[rng.normal(size=50), np.array([5.0, -2.0, 0.5])[y]]
    assert MutualInformation().fit(X, y).scores_[1] == pytest.approx(1.0)


@pytest.mark.parametrize("density", [0.1, 0.6, 1.0])
def test_sparse_equals_dense(density, rng):
    X = sparse.random_array((60, 30), density=density, random_state=rng, format="csr")
    X.data -= 0.3
    y = np.arange(60) % 3
    dense, thin = MutualInformation().fit(X.toarray(), y), MutualInformation().fit(X, y)
    np.testing.assert_allclose(thin.scores_, dense.scores_, rtol=1e-12)
    np.testing.assert_array_equal(thin.order_, dense.order_)


@pytest.mark.parametrize("bins", [1, 0, -3, 2.5, "many"])
def test_bins_out_of_range(bins, labelled):
    with pytest.raises(ValueError, match="'bins' parameter"):
        MutualInformation(bins=bins).fit(*labelled)
