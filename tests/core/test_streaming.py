"""Chunks of samples give what the whole table gives."""

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFSS, measures
from inffs.measures import column_ranges
from inffs.measures.running import RunningMeasures
from inffs.methods import FisherScore


@pytest.fixture
def table(rng):
    T, n = 500, 30
    y = rng.integers(0, 4, T)
    X = rng.normal(size=(T, n)) * rng.uniform(0.01, 100, n) + 1e4
    X[:, :5] += y[:, None]
    X[:, 7] = 2.5
    X[:, 9] = 10.0 * y + 0.1  # separates the classes perfectly
    return X, np.array(["a", "b", "c", "d"])[y]


def chunks(X, y, count):
    return zip(np.array_split(X, count), np.array_split(y, count), strict=True)


@pytest.mark.parametrize("count", [1, 2, 7, 500])
@pytest.mark.parametrize("selector", [FisherScore(), InfFSS(), InfFSS((0.6, 0, 0.4), bins=9)])
def test_any_number_of_chunks_is_the_batch(selector, count, table):
    X, y = table
    expected = type(selector)(**{**selector.get_params(), "n_features_to_select": "knee"}).fit(X, y)
    ranges = column_ranges(np.array_split(X, 3))
    for part, labels in chunks(X, y, count):
        selector.partial_fit(part, labels, classes=np.unique(y), ranges=ranges)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-10, atol=1e-14)
    np.testing.assert_array_equal(selector.support_, expected.support_)
    del selector.running_


def test_dispersion_and_sparse_chunks(table, rng):
    S = sparse.random(300, 40, 0.1, format="csr", random_state=0, data_rvs=rng.standard_normal)
    y = rng.integers(0, 3, 300)
    running = RunningMeasures(40, 3, column_ranges([S.tocsc()]), 20)
    for rows in np.array_split(np.arange(300), 6):
        running.add(S[rows].tocsc(), y[rows])
    D = S.toarray()
    np.testing.assert_allclose(running.dispersion(), measures.dispersion(D), rtol=1e-12)
    np.testing.assert_allclose(running.fisher(), measures.fisher(D, y), rtol=1e-10)
    np.testing.assert_allclose(
        running.mutual_information(), measures.mutual_information(D, y), rtol=1e-10, atol=1e-14
    )


def test_fit_forgets_the_chunks(table):
    X, y = table
    selector = FisherScore().partial_fit(X[:400], y[:400])
    selector.fit(X[:100], y[:100])
    np.testing.assert_array_equal(selector.scores_, FisherScore().fit(X[:100], y[:100]).scores_)


def test_surprises_are_named(table):
    X, y = table
    with pytest.raises(ValueError, match="label 'd' was not announced"):
        FisherScore().partial_fit(X[y != "d"], y[y != "d"]).partial_fit(X, y)
    wild = X.copy()
    wild[0, 3] = 1e6
    with pytest.raises(ValueError, match=r"Column 3 has the value 1e\+06 outside its range"):
        InfFSS().partial_fit(X, y).partial_fit(wild, y)
    with pytest.raises(ValueError, match="10 samples, but y has 9 labels"):
        FisherScore().partial_fit(X[:10], y[:9])
    with pytest.raises(ValueError, match="two arrays of 30 values"):
        InfFSS().partial_fit(X, y, ranges=([0], [1]))
    with pytest.raises(ValueError, match="features"):
        FisherScore().partial_fit(X, y).partial_fit(X[:, :4], y)
    with pytest.raises(ValueError, match="no chunk"):
        column_ranges([])


def test_classes_can_be_corrected_after_a_first_chunk_that_failed(rng):
    X, y = rng.normal(size=(12, 3)), [0, 1, 2] * 4
    selector = FisherScore()
    with pytest.raises(ValueError, match="The label 2 was not announced"):
        selector.partial_fit(X, y, classes=[0, 1])
    selector.partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_allclose(selector.scores_, FisherScore().fit(X, y).scores_)


def test_values_on_the_edges_of_bins_fall_as_in_the_batch(rng):
    """0.1 to 0.8 in seven bins: every value is an edge, where the last bit decides."""
    X = rng.integers(1, 9, size=(200, 3)) / 10.0
    y = rng.integers(0, 2, 200)
    selector = InfFSS((0, 1, 0), bins=7)
    for part, labels in chunks(X, y, 5):
        selector.partial_fit(part, labels, classes=[0, 1], ranges=column_ranges([X]))
    expected = InfFSS((0, 1, 0), bins=7).fit(X, y)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-12)
