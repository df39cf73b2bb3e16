"""ECFS against the published program's numbers and the dense eigenproblem."""

import numpy as np
import pytest
from scipy import sparse

from inffs.measures import fisher
from inffs.measures.batch import symmetric_uncertainty
from inffs.methods import ECFS
from inffs.methods.ecfs import centrality
from tests.methods.filter_goldens import (
    cases,
    names,
    published_fisher,
    published_information,
    table,
)


def dense_centrality(relevance, deviation, alpha):
    """The formula written out: two matrices, each min-max, and a full eigenproblem."""
    K, S = np.outer(relevance, relevance), np.maximum.outer(deviation, deviation)
    K, S = (M - M.min() if np.ptp(M) == 0 else (M - M.min()) / np.ptp(M) for M in (K, S))
    return np.abs(np.linalg.eigh(alpha * K + (1 - alpha) * S)[1][:, -1])


@pytest.mark.parametrize("case", cases("ecfs"), ids=names("ecfs"))
def test_published_measures_give_the_published_scores(case):
    X, y = table(case["data"])
    relevance = np.abs(published_fisher(X, y) + published_information(X, y)) / 2
    scores = centrality(relevance, X.std(axis=0, ddof=1), case["alpha"])
    np.testing.assert_allclose(scores, case["score"], rtol=1e-10, atol=1e-11)


def test_default_stays_near_the_published_one_without_a_constant_column():
    case = next(c for c in cases("ecfs") if c["data"] == "a_plain" and c["alpha"] == 0.5)
    selector = ECFS(n_features_to_select=None).fit(*table("a_plain"))
    np.testing.assert_allclose(selector.scores_, case["score"], atol=1e-4)
    np.testing.assert_array_equal(selector.order_, case["ranking"])


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n", [2, 30, 150])
def test_products_equal_the_dense_graph(alpha, n, rng):
    y = np.arange(60) % 3
    X = rng.normal(size=(60, n)) * rng.uniform(0.5, 3, size=n) + np.outer(y, rng.normal(size=n))
    share = np.bincount(y) / 60
    relevance = (fisher(X, y) / (share @ share) + symmetric_uncertainty(X, y)) / 2
    expected = dense_centrality(relevance, X.std(axis=0, ddof=1), alpha)
    np.testing.assert_allclose(
        ECFS(alpha=alpha, n_features_to_select=None).fit(X, y).scores_, expected, atol=1e-10
    )


def test_a_constant_column_is_never_rewarded():
    selector = ECFS(n_features_to_select=None).fit(*table("a"))
    assert selector.order_[-1] == 20
    assert selector.scores_[20] == 0


def test_duplicates_share_their_score_exactly():
    selector = ECFS(n_features_to_select=None).fit(*table("a"))
    assert selector.scores_[0] == selector.scores_[12]
    place = selector.ranking_
    assert place[12] == place[0] + 1


def test_columns_that_nothing_tells_apart_score_alike():
    y = np.arange(20) % 2
    X = np.tile(np.arange(20.0)[:, None], (1, 40))
    scores = ECFS(n_features_to_select=None).fit(X, y).scores_
    np.testing.assert_array_equal(scores, np.zeros(40))
    np.testing.assert_array_equal(ECFS(n_features_to_select=None).fit(X[:, :1], y).scores_, [0.0])


def test_sparse_equals_dense(rng):
    X = sparse.random_array((60, 80), density=0.3, random_state=rng, format="csr")
    y = np.arange(60) % 3
    dense, thin = (
        ECFS(n_features_to_select=None).fit(X.toarray(), y),
        ECFS(n_features_to_select=None).fit(X, y),
    )
    np.testing.assert_allclose(thin.scores_, dense.scores_, rtol=1e-8)
    np.testing.assert_array_equal(thin.order_, dense.order_)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, "half"])
def test_alpha_out_of_range(alpha, labelled):
    with pytest.raises(ValueError, match="'alpha' parameter"):
        ECFS(alpha=alpha, n_features_to_select=None).fit(*labelled)
