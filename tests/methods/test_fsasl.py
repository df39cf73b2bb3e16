"""FSASL against the published program; its lassos against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from inffs.methods import FSASL
from inffs.methods.fsasl import (
    onto_simplex,
    represent_by_others,
    row_sparse_regression,
    smoothest_vectors,
)
from tests.methods.planted import chance_to_rank_above, planted
from tests.methods.unsupervised_goldens import TABLES, golden, table

FILE = "embedding_methods.json"
AUTHORS = {"n_clusters": 3, "lambda1": 0.5, "lambda2": 0.5, "lambda3": 0.1}


def close_to(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-9 * np.max(expected))


@pytest.mark.parametrize("name", TABLES)
def test_published_library_call(name):
    W = FSASL(max_iter=1)._projection(table(name))
    close_to(np.abs(W).sum(axis=1), golden(name, "fsasl_fslib_score", FILE))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("turns", [4, 50])
def test_published_scores(name, turns):
    W = FSASL(**AUTHORS, max_iter=turns)._projection(table(name))
    close_to(np.square(W).sum(axis=1), golden(name, f"fsasl_it{turns}_score", FILE))


@pytest.mark.parametrize("name", ["a0", "b", "d"])
@pytest.mark.parametrize("turns", [4, 50])
def test_published_ranking(name, turns):
    selector = FSASL(**AUTHORS, max_iter=turns).fit(table(name))
    np.testing.assert_array_equal(selector.order_, golden(name, f"fsasl_it{turns}_rank", FILE))
    assert selector.n_iter_ == turns


def test_published_global_structure():
    S = represent_by_others(table("d"), 0.01)
    np.testing.assert_allclose(S, golden("d", "fsasl_fslib_S", FILE), atol=1e-9)


@pytest.mark.parametrize("width", [3, 40])
def test_lassos_at_a_tight_tolerance_are_those_of_scikit_learn(width, rng):
    Z = rng.normal(size=(15, width))
    S = represent_by_others(Z, 0.1, tolerance=1e-14)
    for i in range(15):
        others = np.delete(np.arange(15), i)
        penalty = 0.1 * np.abs(Z[others] @ Z[i]).max()
        lasso = Lasso(alpha=penalty / width, fit_intercept=False, tol=1e-13, max_iter=10**6)
        fitted = lasso.fit(Z[others].T, Z[i])
        np.testing.assert_allclose(
            Z[others].T @ S[others, i], fitted.predict(Z[others].T), atol=1e-5
        )
        assert S[i, i] == 0


def test_projection_on_the_simplex(rng):
    V = rng.normal(size=(20, 5))
    P = onto_simplex(V)
    assert (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    for Q in rng.dirichlet(np.ones(5), size=(50, 20)):  # no probability vector is nearer
        assert (np.linalg.norm(V - P, axis=1) <= np.linalg.norm(V - Q, axis=1) + 1e-12).all()


def test_regression_is_the_same_in_both_spaces(rng):
    X, Y = rng.normal(size=(20, 20)), rng.normal(size=(20, 2))
    wider = np.column_stack([X, np.zeros(20)])  # one column more: solved among the samples
    W = row_sparse_regression(X, Y, 0.3)
    np.testing.assert_allclose(row_sparse_regression(wider, Y, 0.3)[:20], W, atol=1e-9)


def test_a_repeated_eigenvalue_gives_the_directions_in_which_the_table_varies(rng):
    laplacian = np.zeros((9, 9))
    for part in (slice(0, 3), slice(3, 6), slice(6, 9)):
        laplacian[part, part] = 3 * np.eye(3) - 1
    X = np.repeat([-1.0, 0.0, 1.0], 3)[:, None] + 1e-3 * rng.normal(size=(9, 4))
    Y = smoothest_vectors(laplacian, 1, X)
    np.testing.assert_allclose(np.abs(Y[:, 0]), np.repeat([1, 0, 1], 3) / np.sqrt(6), atol=2e-3)


@pytest.mark.parametrize(("T", "n", "informative"), [(90, 40, 10), (60, 200, 20)])
def test_informative_features_stand_above_noise(T, n, informative):
    for seed in range(2):
        X, where = planted(T, n, informative, seed=seed)
        assert chance_to_rank_above(FSASL(max_iter=15).fit(X).scores_, where) > 0.95


def test_no_structure_at_all():
    with pytest.raises(ValueError, match="lambda1 and lambda2 are both 0"):
        FSASL(lambda1=0.0, lambda2=0.0).fit(table("a0"))
