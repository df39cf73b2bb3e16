"""MCFS against the published program, naive algebra and the conditions its parts must meet."""

import numpy as np
import pytest
from scipy.linalg import eigh

from inffs.methods import MCFS
from inffs.methods.mcfs import spectral_embedding
from inffs.methods.solvers.neighbours import neighbour_graph
from tests.methods.unsupervised_goldens import TABLES, golden, table


def clusters(rng, sizes=(20, 15, 12), n=9, apart=30.0):
    """Groups of samples far apart along the first features, one feature a group."""
    label = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(label.size, n))
    X[np.arange(label.size), label] += apart
    return X, label


@pytest.mark.parametrize("name", TABLES)
def test_published_embedding(name):
    X = table(name)
    ours = spectral_embedding(neighbour_graph(X, 5), 4)
    published = golden(name, "mcfs_Y")
    signs = np.sign((ours * published).sum(axis=0))
    np.testing.assert_allclose(ours * signs, published, rtol=1e-9, atol=1e-9 * abs(ours).max())


@pytest.mark.parametrize("name", ["a0", "b", "d"])
@pytest.mark.parametrize("size", [3, 5, 8, 12, None])
def test_published_scores_and_ranking(name, size):
    X = table(name)
    selector = MCFS(n_components=4, n_nonzero=size, n_features_to_select=3).fit(X)
    key = f"mcfs_card{size or X.shape[1]}"
    np.testing.assert_allclose(
        selector.scores_, golden(name, f"{key}_score"), rtol=1e-9, atol=1e-10
    )
    published = golden(name, f"{key}_rank")
    np.testing.assert_array_equal(selector.order_[: published.size], published)


def test_as_many_nonzero_as_features_is_the_ridge_form():
    X = table("d")
    few, every = MCFS(n_nonzero=60).fit(X), MCFS().fit(X)
    np.testing.assert_array_equal(few.scores_, every.scores_)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
def test_ridge_form_is_the_naive_solve(shape, rng):
    X = rng.normal(size=shape)
    X[:, 7] = X[:, 2]
    selector = MCFS(n_components=3).fit(X)
    solved = np.linalg.solve(X.T @ X + 1e-3 * np.eye(shape[1]), X.T @ selector.embedding_)
    expected = np.abs(solved / np.linalg.norm(solved, axis=0)).max(axis=1)
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-8)
    assert selector.scores_[7] == selector.scores_[2]


def test_identical_columns_share_the_regression_of_the_whole_table(rng):
    X = rng.normal(size=(30, 12))
    X[:, [5, 11]] = X[:, [0]]
    target = X[:, 0] + 0.5 * X[:, 3] + 0.3 * rng.normal(size=30)
    found = MCFS(n_nonzero=4)._regress(X, target[:, None])[:, 0]
    assert found[0] == found[5] == found[11] != 0
    assert np.unique(found[found != 0]).size == 4
    gradient = X.T @ (target - X @ found) - 1e-3 * found
    level = np.abs(gradient[found != 0])
    np.testing.assert_allclose(level, level.mean(), rtol=1e-8)
    assert (np.abs(gradient) <= level.mean() * (1 + 1e-8)).all()


def test_embedding_solves_the_generalised_eigenproblem(rng):
    graph = neighbour_graph(rng.normal(size=(50, 4)), 6)
    degree = np.diag(graph.sum(axis=1))
    values, vectors = eigh(degree - graph.toarray(), degree)
    assert values[0] == pytest.approx(0, abs=1e-12)
    ours = spectral_embedding(graph, 3)
    np.testing.assert_allclose(np.abs(ours), np.abs(vectors[:, 1:4]), atol=1e-9)


def test_lanczos_finds_the_dense_vectors(rng):
    """Above 400 samples the eigenvectors come from Lanczos."""
    graph = neighbour_graph(rng.normal(size=(450, 3)), 5)
    degree = np.diag(graph.sum(axis=1))
    _, vectors = eigh(degree - graph.toarray(), degree, subset_by_index=[1, 6])
    np.testing.assert_allclose(np.abs(spectral_embedding(graph, 6)), np.abs(vectors), atol=1e-8)


@pytest.mark.parametrize("sizes", [(20, 15, 12), (160, 150, 140)])
def test_components_come_first(sizes, rng):
    X, label = clusters(rng, sizes)
    graph = neighbour_graph(X, 5)
    embedding = spectral_embedding(graph, 4)
    assert embedding.shape == (label.size, 4)
    for group in range(3):
        assert np.ptp(embedding[label == group, :2], axis=0).max() < 1e-12
    degree = graph.sum(axis=1)
    inner = (embedding.T * degree) @ embedding
    np.testing.assert_allclose(inner, np.eye(4), atol=1e-8)
    np.testing.assert_allclose(degree @ embedding, 0, atol=1e-8)


def test_features_of_the_clusters_come_first(rng):
    X, _ = clusters(rng)
    selector = MCFS(n_components=2, n_nonzero=3, n_features_to_select=3).fit(X)
    assert set(selector.order_[:3]) == {0, 1, 2}


def test_split_graph_does_not_depend_on_the_order_of_samples(rng):
    X, _ = clusters(rng)
    order = rng.permutation(47)
    here, there = MCFS().fit(X), MCFS().fit(X[order])
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-7)


def test_more_components_of_the_graph_than_asked_for(rng):
    X, _ = clusters(rng, sizes=(7, 8, 9, 10), n=6)
    assert MCFS(n_components=2).fit(X).embedding_.shape == (34, 2)


def test_far_outlier_without_weight_stays_at_zero(rng):
    X = rng.normal(size=(150, 5))
    X[17] = 1e6
    selector = MCFS(n_components=3).fit(X)
    assert not selector.embedding_[17].any()
    assert np.isfinite(selector.scores_).all()


def test_large_values_make_the_ridge_vanish(rng):
    X = 1e9 * rng.normal(size=(20, 30))
    X[11] = X[4]
    scores = MCFS(n_components=2).fit(X).scores_
    assert np.isfinite(scores).all()
    assert scores.max() <= 1 + 1e-12


def test_more_components_than_samples_are_refused(rng):
    with pytest.raises(ValueError, match="n_components=9, but X has only 9 samples"):
        MCFS(n_components=9).fit(rng.normal(size=(9, 4)))
