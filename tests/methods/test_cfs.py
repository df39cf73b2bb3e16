"""CFS against the published program and NumPy's correlation matrix."""

import numpy as np
import pytest
from sklearn import config_context

from inffs.methods import CFS
from tests.methods.unsupervised_goldens import TABLES, golden, table, without_constant


@pytest.mark.parametrize("name", TABLES)
def test_published_scores_and_ranking(name):
    selector = CFS().fit(table(name))
    least = golden(name, "cfs_score").astype(float)
    np.testing.assert_allclose(
        1 - without_constant(name, selector.scores_), without_constant(name, least), atol=1e-13
    )
    published = golden(name, "cfs_rank")
    np.testing.assert_allclose(
        np.nan_to_num(least[selector.order_], nan=2),
        np.nan_to_num(least[published], nan=2),
        atol=1e-13,
    )


@pytest.mark.parametrize("n", [2, 7, 40])
def test_tiles_give_the_whole_matrix(n, rng):
    X = rng.normal(size=(15, n)) * 10.0 ** rng.integers(-8, 8, size=n) + 5
    correlation = np.abs(np.corrcoef(X, rowvar=False))
    expected = 1 - correlation.min(axis=1)
    with config_context(working_memory=36 * 64 / 2**20):  # tiles of 6 x 6
        np.testing.assert_allclose(CFS().fit(X).scores_, expected, atol=1e-12)


def test_single_precision_is_scored_in_double(rng):
    X = rng.normal(size=(50, 20)).astype(np.float32)
    double = CFS().fit(X.astype(np.float64)).scores_
    np.testing.assert_allclose(CFS().fit(X).scores_, double, rtol=1e-13)


def test_scale_and_offset_of_columns_do_not_matter(rng):
    X = rng.normal(size=(30, 9))
    there = CFS().fit(X * rng.uniform(-3, 3, size=9) + rng.normal(size=9)).scores_
    np.testing.assert_allclose(there, CFS().fit(X).scores_, atol=1e-12)


def test_values_near_the_end_of_floating_point(rng):
    X = rng.normal(size=(30, 4))
    there = CFS().fit(X * np.array([1e300, 1e-300, 1.0, 1e200])).scores_
    np.testing.assert_allclose(there, CFS().fit(X).scores_, atol=1e-12)


def test_one_column_has_no_partner(rng):
    for samples in range(3, 60):
        column = rng.normal(size=(samples, 1))
        assert CFS().fit(column).scores_[0] == 0.0
        assert CFS().fit(np.hstack([column, -column])).scores_.tolist() == [0.0, 0.0]


def test_identical_columns_share_one_score(rng):
    X = rng.normal(size=(25, 600))
    X[:, 550] = X[:, 3]
    scores = CFS().fit(X).scores_
    assert scores[550] == scores[3]
