"""Neighbour lists and graphs against naive formulas, scikit-learn and the published program."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.neighbors import NearestNeighbors

from inffs.methods.solvers.neighbours import centred_inverse, nearest_neighbours, neighbour_graph
from tests.methods.unsupervised_goldens import TABLES, golden, table


def naive_lists(X, k):
    """Sort every row of exact squared distances, ties by index, without the sample itself."""
    squared = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(squared, np.inf)
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(squared, order, axis=1)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [1, 5, 23])
def test_lists_are_the_naive_ones(name, k):
    X = table(name)
    near = nearest_neighbours(X, k)
    lists, squared = naive_lists(X, k)
    np.testing.assert_array_equal(near.indices, lists)
    np.testing.assert_allclose(near.squared, squared, rtol=1e-12)


def test_lists_are_those_of_scikit_learn(rng):
    X = rng.normal(size=(300, 7))
    distance, lists = NearestNeighbors(n_neighbors=8, algorithm="brute").fit(X).kneighbors()
    near = nearest_neighbours(X, 8)
    np.testing.assert_array_equal(near.indices, lists)
    np.testing.assert_allclose(np.sqrt(near.squared), distance, rtol=1e-10)


def test_blocks_give_what_one_block_gives(rng):
    X = rng.normal(size=(57, 9))
    whole = nearest_neighbours(X, 4)
    with config_context(working_memory=57 * 10 * 64 / 2**20):  # ten rows of distances at once
        parts = nearest_neighbours(X, 4)
    np.testing.assert_array_equal(parts.indices, whole.indices)
    np.testing.assert_allclose(parts.squared, whole.squared, rtol=1e-12)
    assert parts.mean_distance == pytest.approx(whole.mean_distance, rel=1e-13)


def test_equal_distances_go_to_the_smaller_index():
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5]]) * 0.1
    near = nearest_neighbours(corners, 2)
    np.testing.assert_array_equal(near.indices, [[4, 1], [4, 0], [4, 0], [4, 1], [0, 1]])


def test_duplicates_far_from_the_origin_are_at_distance_zero(rng):
    X = 1e6 + rng.normal(size=(12, 30))
    X[9] = X[4] = X[1]
    near = nearest_neighbours(X, 2)
    np.testing.assert_array_equal(near.indices[[1, 4, 9]], [[4, 9], [1, 9], [1, 4]])
    np.testing.assert_array_equal(near.squared[[1, 4, 9]], 0.0)


def test_small_distances_between_far_clusters_keep_their_digits(rng):
    X = np.repeat([[0.0], [1e7]], 10, axis=0) + 1e-3 * rng.normal(size=(20, 3))
    near = nearest_neighbours(X, 3)
    lists, squared = naive_lists(X, 3)
    np.testing.assert_array_equal(near.indices, lists)
    np.testing.assert_allclose(near.squared, squared, rtol=1e-13)


def test_duplicates_are_neighbours_but_not_the_sample_itself():
    X = np.array([[0.0], [0.0], [0.0], [5.0]])
    near = nearest_neighbours(X, 2)
    np.testing.assert_array_equal(near.indices, [[1, 2], [0, 2], [0, 1], [0, 1]])
    np.testing.assert_array_equal(near.squared, [[0, 0]] * 3 + [[25, 25]])


@pytest.mark.parametrize("T", [3, 5])
def test_too_few_samples_are_refused(T, rng):
    with pytest.raises(ValueError, match=f"n_neighbors=5, but X has only {T} samples"):
        nearest_neighbours(rng.normal(size=(T, 4)), 5)


@pytest.mark.parametrize(("factor", "what"), [(1e200, "large"), (1e-200, "small")])
def test_distances_out_of_range_are_refused(factor, what, rng):
    with pytest.raises(ValueError, match=f"so {what} that squared distances"):
        nearest_neighbours(factor * rng.normal(size=(9, 4)), 2)


@pytest.mark.parametrize("name", TABLES)
def test_mean_distance_counts_the_diagonal(name):
    X = table(name)
    near = nearest_neighbours(X, 5)
    assert near.mean_distance == pytest.approx(cdist(X, X).mean(), rel=1e-12)
    assert near.mean_distance == pytest.approx(golden(name, "bandwidth"), rel=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_heat_graph_is_the_published_one(name):
    expected = np.zeros([table(name).shape[0]] * 2)
    for i, j, weight in golden(name, "graph_edges"):
        expected[int(i), int(j)] = expected[int(j), int(i)] = weight
    np.testing.assert_allclose(neighbour_graph(table(name), 5).toarray(), expected, rtol=1e-9)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("weight", ["heat", "binary", "cosine"])
def test_graph_is_the_naive_one(name, weight):
    X = table(name)
    lists, squared = naive_lists(X, 4)
    expected = np.zeros([X.shape[0]] * 2)
    for i, j in np.ndindex(lists.shape):
        other = X[lists[i, j]]
        cosine = X[i] @ other / np.linalg.norm(X[i]) / np.linalg.norm(other)
        values = {"heat": np.exp(-squared[i, j] / 18), "binary": 1.0, "cosine": max(cosine, 0)}
        expected[i, lists[i, j]] = values[weight]
    expected = np.maximum(expected, expected.T)
    graph = neighbour_graph(X, 4, weight=weight, bandwidth=3.0)
    np.testing.assert_allclose(graph.toarray(), expected, rtol=1e-9, atol=1e-15)


def test_all_zero_samples_have_no_cosine(rng):
    X = np.abs(rng.normal(size=(10, 4)))
    X[[2, 6]] = 0.0
    graph = neighbour_graph(X, 3, weight="cosine").toarray()
    assert np.isfinite(graph).all()
    assert not graph[[2, 6]].any()


def test_graph_without_an_edge_is_refused(rng):
    with pytest.raises(ValueError, match="bandwidth=1e-09 is so small"):
        neighbour_graph(rng.normal(size=(10, 4)), 3, bandwidth=1e-9)
    with pytest.raises(ValueError, match="positive cosine"):
        neighbour_graph(np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]]), 1, weight="cosine")


def centred_kernels(rng, scale, n):
    members = scale * rng.normal(size=(4, 6, n))
    members -= members.mean(axis=1, keepdims=True)
    return members @ members.transpose(0, 2, 1)


@pytest.mark.parametrize("n", [3, 30])
def test_centred_inverse_is_the_naive_one(n, rng):
    kernels, H = centred_kernels(rng, 2.0, n), np.eye(6) - 1 / 6
    expected = H @ np.linalg.inv(kernels + 0.7 * np.eye(6)) @ H
    np.testing.assert_allclose(centred_inverse(kernels, 0.7), expected, atol=1e-13)


@pytest.mark.parametrize("scale", [1e5, 1e9, 1e14])
def test_centred_inverse_of_large_kernels_of_low_rank(scale, rng):
    """Three directions vary, two do not: those invert the ridge alone."""
    values = np.linalg.eigvalsh(centred_inverse(centred_kernels(rng, scale, 3), 0.5))
    np.testing.assert_allclose(values[:, -2:], 2.0, rtol=1e-5)
    np.testing.assert_allclose(values[:, :-2], 0.0, atol=1e-5)
