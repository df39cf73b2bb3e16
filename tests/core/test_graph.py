"""Every graph's products against its own edges, and its edges against the formula."""

import numpy as np
import pytest
from scipy import sparse

from inffs.graph import operators as graph
from inffs.graph import tiles, unit_profiles
from inffs.graph.profiles import SparseProfiles, dense_profiles
from tests import reference

N, T = 130, 20


def dense(g):
    everything = slice(0, g.n)
    return np.asarray(g.block(everything, everything), dtype=float)


@pytest.fixture
def X(rng):
    X = rng.normal(size=(T, N))
    X[:, 3] = rng.integers(0, 3, T)
    X[:, 8] = X[:, 2]
    return X


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "STORED_SHAPE", (16, 40))
    monkeypatch.setattr(tiles, "PASSING_SHAPE", (7, 31))


def graphs(X, rng):
    ranks = unit_profiles(X)
    u, v = rng.uniform(size=N), rng.uniform(size=N)
    decorrelated = graph.Decorrelated(ranks, budget=1e9)
    asymmetric = graph.Matrix(rng.uniform(size=(N, N)))
    return {
        "rank one": graph.RankOne(u),
        "rank one, asymmetric": graph.RankOne(u, v),
        "pairwise max": graph.PairwiseMax(np.round(u, 1)),
        "stored tiles": decorrelated,
        "passing tiles": graph.Decorrelated(ranks, budget=0),
        "squared": graph.Decorrelated(ranks, power=2),
        "squared tiles": graph.Decorrelated(
            unit_profiles(rng.normal(size=(N, N))), budget=1e9, power=2
        ),
        "blocks": graph.Blocks(lambda I, J: np.outer(u[I] + 1, u[J] + 1), N),
        "blocks, asymmetric": graph.Blocks(
            lambda I, J: np.outer(u[I], v[J]), N, symmetric=False, budget=1e9
        ),
        "matrix": asymmetric,
        "sum": graph.Sum([0.3, 2.0], [graph.PairwiseMax(u), decorrelated]),
        "sum, asymmetric": graph.Sum([1.0, 0.5], [asymmetric, graph.RankOne(u, v)]),
        "modulated": graph.multiply(graph.RankOne(u), graph.Decorrelated(ranks, power=2)),
        "modulated, asymmetric": graph.multiply(decorrelated, graph.RankOne(u, v)),
        "product of rank ones": graph.multiply(graph.RankOne(u), graph.RankOne(v, u)),
        "product by blocks": graph.multiply(graph.PairwiseMax(u), decorrelated),
    }


NAMES = list(graphs(np.random.default_rng(1).normal(size=(5, N)), np.random.default_rng(1)))


@pytest.mark.parametrize("name", NAMES)
def test_products_are_those_of_the_edges(name, X, rng, small_tiles):
    g = graphs(X, rng)[name]
    A, V = dense(g), rng.normal(size=(N, 3))
    np.testing.assert_allclose(g.dot(V), A @ V, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(g.dot(V), A @ V, rtol=1e-11, atol=1e-11)  # tiles kept by now
    np.testing.assert_allclose(g.dot_transposed(V), A.T @ V, rtol=1e-11, atol=1e-11)
    assert g.symmetric == np.allclose(A, A.T, atol=1e-13)
    np.testing.assert_allclose(g.block(slice(70, 90), slice(3, 10)), A[70:90, 3:10], atol=1e-13)
    some = np.array([5, 2, 9])
    np.testing.assert_allclose(g.block(some, [1]), A[np.ix_(some, [1])], atol=1e-13)


def test_a_product_has_the_products_of_the_edges(X, rng):
    parts = graphs(X, rng)
    for left in ("rank one", "rank one, asymmetric", "pairwise max", "matrix"):
        for right in ("rank one", "rank one, asymmetric", "stored tiles", "matrix"):
            product = graph.multiply(parts[left], parts[right])
            A = dense(parts[left]) * dense(parts[right])
            np.testing.assert_allclose(dense(product), A, rtol=1e-13, atol=1e-15)
            np.testing.assert_allclose(product.dot(np.eye(N)), A, rtol=1e-11, atol=1e-12)


def test_rounding_is_that_of_the_least_exact_part(X):
    single = dense_profiles(X, dtype=np.float32)
    fine, coarse = (
        graph.Decorrelated(unit_profiles(X), power=2),
        graph.Decorrelated(single, power=2),
    )
    assert fine.precision == graph.Decorrelated(unit_profiles(X)).precision == 1e-12
    assert coarse.precision == graph.Decorrelated(single).precision == 1e-8
    rank_one, highest = graph.RankOne(X[0] ** 2), graph.PairwiseMax(X[0])
    for other in (fine, coarse):
        for product in (graph.multiply(rank_one, other), graph.multiply(highest, other)):
            assert product.precision == other.precision
        assert graph.Sum([1, 1], [other, highest]).precision == other.precision


def test_no_edge_is_negative_by_rounding(rng):
    """Correlations of a column with its multiples come out at 1 and a little above."""
    X = np.outer(rng.normal(size=50), rng.uniform(0.1, 10, size=60))
    pearson = unit_profiles(X, "pearson")
    everything = slice(0, 60)
    assert pearson.correlations(everything, everything).max() > 1
    for g in (graph.Decorrelated(pearson), graph.Decorrelated(pearson, power=2)):
        assert dense(g).min() >= 0
        np.testing.assert_allclose(dense(g), 0, atol=1e-14)


def test_decorrelation_is_the_formula(X):
    R = np.abs(reference.spearman(X))
    np.fill_diagonal(R, 1.0)
    np.testing.assert_allclose(dense(graph.Decorrelated(unit_profiles(X))), 1 - R, atol=1e-14)
    squared = dense(graph.Decorrelated(unit_profiles(X), power=2))
    np.testing.assert_allclose(squared, 1 - R**2, atol=1e-14)
    pearson = np.abs(np.corrcoef(X.T))
    np.testing.assert_allclose(
        dense(graph.Decorrelated(unit_profiles(X, "pearson"))), 1 - pearson, atol=1e-13
    )


def test_constant_column_is_not_redundant_with_itself(X):
    X[:, 4] = 2.0
    A = dense(graph.Decorrelated(unit_profiles(X)))
    np.testing.assert_array_equal(A[4], np.ones(N))
    V = np.eye(N)
    np.testing.assert_allclose(graph.Decorrelated(unit_profiles(X)).dot(V), A, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "weighted"),
    [("spearman", 0), ("pearson", 0), ("clipped", 0), ("pearson", 1), ("clipped", 1)],
)
@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
def test_sparse_profiles_equal_dense_ones(kind, weighted, density, rng):
    S = sparse.random(40, 60, density, format="csc", random_state=1, data_rvs=rng.standard_normal)
    S.data = np.round(S.data, 1)  # ties, and explicit zeros
    S.data[:80] *= 1e200
    weight = rng.uniform(0.2, 3, size=40) if weighted else None
    thin, full = (unit_profiles(each, kind, None, weight) for each in (S, S.toarray()))
    assert isinstance(thin, SparseProfiles)
    everything = slice(0, 60)
    np.testing.assert_allclose(thin.row(3), full.row(3), atol=1e-14)
    np.testing.assert_allclose(thin.project(np.eye(40)[:, :3]), full.rows[:, :3], atol=1e-14)
    np.testing.assert_allclose(
        thin.correlations(everything, everything),
        full.correlations(everything, everything),
        atol=1e-13,
    )
    np.testing.assert_array_equal(thin.present(), full.present())
    V = rng.normal(size=(60, 2))
    for power in (1, 2):
        here, there = (graph.Decorrelated(each, power=power) for each in (thin, full))
        np.testing.assert_allclose(here.dot(V), there.dot(V), atol=1e-11)


def test_many_samples_are_summed_in_double(rng):
    """More than 2 x 4096 samples in single precision are added in parts."""
    X = rng.normal(size=(10_000, 6))
    ranks = dense_profiles(X, dtype=np.float32)
    assert ranks.dtype == np.float32
    R = ranks.correlations(slice(0, 6), slice(0, 6))
    np.testing.assert_allclose(R, reference.spearman(X), atol=2e-7)


def test_ties_get_their_mean_rank(rng):
    X = rng.integers(0, 4, size=(30, 5)).astype(float)
    ranks = unit_profiles(X)
    R = ranks.correlations(slice(0, 5), slice(0, 5))
    np.testing.assert_allclose(R, reference.spearman(X), atol=1e-14)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (lambda I, J: np.ones(3), "block of shape"),
        (lambda I, J: -np.ones((5, 5)), "-1.0 for the features 0 and 0"),
        (lambda I, J: np.full((5, 5), np.nan), "nan for"),
        (lambda I, J: np.add.outer(np.arange(5.0), np.zeros(5)), "not symmetric"),
    ],
)
def test_edges_are_checked(edges, message):
    with pytest.raises(ValueError, match=message):
        graph.Blocks(edges, 5).dot(np.ones((5, 1)))


def test_the_bad_pair_is_named_wherever_it_stands(small_tiles):
    edges = np.ones((N, N))
    edges[101, 97] = edges[97, 101] = -0.5
    g = graph.Blocks(lambda I, J: edges[I, J], N)
    with pytest.raises(ValueError, match=r"-0\.5 for the features 97 and 101:"):
        g.dot(np.ones((N, 1)))
    with pytest.raises(ValueError, match=r"-0\.5 for the features 101 and 97:"):
        g.block([101], [97])
    with pytest.raises(ValueError, match="shape \\(2,\\) for 3 by 4 features"):
        graph.Blocks(lambda I, J: np.ones(2), N).block(slice(0, 3), slice(0, 4))


@pytest.mark.parametrize("level", [1.0, 1e6])
@pytest.mark.parametrize(("apart", "refused"), [(1e-11, False), (1e-7, True)])
def test_symmetric_to_rounding_is_symmetric(level, apart, refused):
    edges = np.full((5, 5), level)
    edges[3, 1] *= 1 + apart
    edges[2, 4] = 1e-14  # beside 0: rounding too
    edges[4, 2] = 0.0
    g = graph.Blocks(lambda I, J: edges[I, J], 5)
    if refused:
        with pytest.raises(ValueError, match="not symmetric"):
            g.dot(np.ones((5, 1)))
    else:
        np.testing.assert_allclose(g.dot(np.ones((5, 1)))[0], 5 * level)


def test_graphs_without_a_product_say_so():
    class Silent(graph.Graph):
        n, symmetric = 3, False

    for ask in (lambda g: g.dot(np.ones((3, 1))), lambda g: g.dot_transposed(np.ones((3, 1)))):
        with pytest.raises(TypeError, match="Silent has no"):
            ask(Silent())
    with pytest.raises(TypeError, match="Silent has no blocks"):
        Silent().block([0], [1])
