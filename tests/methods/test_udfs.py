"""UDFS against the published program, and what it does where the program is ill-posed."""

import numpy as np
import pytest
from scipy.linalg import eigh, null_space

from inffs.methods import UDFS
from inffs.methods.solvers.quadratic import QuadraticForm
from inffs.methods.udfs import _reweighted, local_scatter
from tests.methods.planted import chance_to_rank_above, planted
from tests.methods.unsupervised_goldens import golden, table

FILE = "embedding_methods.json"
LIBRARY = {"n_neighbors": 1, "gamma": 1e-5, "reg": 1e-5, "n_clusters": 2}
SCRIPTS = {"n_neighbors": 5, "gamma": 0.1, "reg": 1.0}


@pytest.mark.parametrize("name", ["a0", "b"])
@pytest.mark.parametrize(
    ("key", "params"), [("udfs_fslib", LIBRARY), ("udfs_k5", {**SCRIPTS, "n_clusters": 3})]
)
def test_published_scores(name, key, params):
    selector = UDFS(**params).fit(table(name))
    expected = golden(name, f"{key}_score", FILE)
    np.testing.assert_allclose(selector.scores_, expected, rtol=0, atol=1e-9 * expected.max())
    np.testing.assert_array_equal(selector.order_, golden(name, f"{key}_rank", FILE))


@pytest.mark.parametrize("name", ["a0", "b", "d"])
@pytest.mark.parametrize(("key", "params"), [("udfs_x0", SCRIPTS), ("udfs_x0f", LIBRARY)])
def test_published_scores_from_a_given_start(name, key, params):
    selector = UDFS(**params, init=golden(name, "udfs_x0", FILE)).fit(table(name))
    expected = golden(name, f"{key}_score", FILE)
    np.testing.assert_allclose(selector.scores_, expected, rtol=0, atol=1e-9 * expected.max())


def test_constant_and_duplicate_columns_take_the_whole_score_in_the_program():
    X = table("a")
    local = local_scatter(X, 5, 1.0)
    W = _reweighted(QuadraticForm(X, lambda M: local @ M), np.ones(25), 0.1, 3, 20)
    expected = golden("a", "udfs_k5_score", FILE)
    np.testing.assert_allclose(np.square(W).sum(axis=1), expected, rtol=0, atol=1e-9)
    ours = UDFS(**SCRIPTS, n_clusters=3).fit(X)
    assert ours.scores_[2] == ours.scores_[21]
    assert ours.order_[-1] == 5
    alone = UDFS(**SCRIPTS, n_clusters=3).fit(table("a0")).scores_
    np.testing.assert_allclose(np.delete(ours.scores_, [5, 21]), alone, atol=1e-9)


def test_local_scatter_is_the_naive_sum():
    X = table("d")
    expected = np.zeros((24, 24))
    H = np.eye(6) - 1 / 6
    for i in range(24):
        near = np.argsort(np.square(X - X[i]).sum(axis=1), kind="stable")[:6]
        Z = X[near].T @ H
        expected[np.ix_(near, near)] += H @ np.linalg.inv(Z.T @ Z + np.eye(6)) @ H
    local = local_scatter(X, 5, 1.0).toarray()
    np.testing.assert_allclose(local, expected, atol=1e-14)
    np.testing.assert_allclose(local, golden("d", "udfs_k5_L", FILE), atol=1e-12)


def test_lanczos_in_the_sample_space_finds_the_dense_eigenvectors(rng):
    X, core = rng.normal(size=(15, 60)), rng.normal(size=(15, 15))
    core = core @ core.T
    ridge = 10.0 ** rng.uniform(-2, 5, 60)
    form, full = QuadraticForm(X, lambda M: core @ M), X.T @ core @ X
    expected = eigh(full + np.diag(ridge), subset_by_index=[0, 2])[1]
    np.testing.assert_allclose(np.abs(form.least(ridge, 3)), np.abs(expected), atol=1e-9)
    np.testing.assert_allclose(form.diagonal(), np.diag(full))


@pytest.mark.parametrize(
    ("T", "n", "informative"), [(150, 40, 10), (60, 70, 10), (60, 200, 20), (100, 1000, 30)]
)
def test_informative_features_stand_above_noise(T, n, informative):
    shares = []
    for seed in range(3):
        X, where = planted(T, n, informative, seed=seed)
        shares.append(chance_to_rank_above(UDFS().fit(X).scores_, where))
    assert np.mean(shares) > 0.7


def test_few_samples_are_invariant_to_the_order_of_rows_and_columns(rng):
    X, _ = planted(30, 80, 10)
    assert null_space(X).shape[1] >= 50  # the program's first step is arbitrary here
    columns, rows = rng.permutation(80), rng.permutation(30)
    here, there = UDFS().fit(X), UDFS().fit(X[rows][:, columns])
    np.testing.assert_allclose(there.scores_, here.scores_[columns], atol=1e-9)


def test_init_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"init has shape \(3, 2\).*each of the 23 features"):
        UDFS(init=np.ones((3, 2))).fit(table("a0"))


def test_init_follows_its_columns_past_a_constant_one():
    X, start = table("a0"), golden("a0", "udfs_x0", FILE)
    wider = UDFS(init=np.insert(start, 4, 7.0, axis=0)).fit(np.insert(X, 4, 1.0, axis=1))
    expected = UDFS(init=start).fit(X).scores_
    np.testing.assert_allclose(np.delete(wider.scores_, 4), expected, atol=1e-12)
