"""Relations: their algebra, the user's own, and what they refuse."""

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFS, InfFSS, InfFSU, measures
from inffs.graph.operators import Modulated, RankOne
from inffs.relations import (
    BoundTable,
    Coupling,
    Decorrelation,
    Dispersion,
    Outer,
    Pairwise,
    Precomputed,
)
from tests import reference


@pytest.fixture
def table(rng):
    X = rng.normal(size=(30, 20)) * rng.uniform(0.5, 2, 20)
    y = np.arange(30) % 3
    X[:, :3] += y[:, None]
    X[:, 9] = 1.0
    return X, y


def adjacency(relation, X, y=None):
    graph = relation.bind(BoundTable(X, y))
    return graph.block(slice(0, graph.n), slice(0, graph.n))


def test_algebra(table):
    X, y = np.delete(table[0], 9, axis=1), table[1]
    D, C, S = (adjacency(r, X, y) for r in (Dispersion(), Decorrelation(), Coupling()))
    cases = [
        (0.3 * Dispersion() + 0.7 * Decorrelation(), 0.3 * D + 0.7 * C),
        (2 * (Dispersion() + 0.5 * Decorrelation()) * 3, 6 * (D + 0.5 * C)),
        (Coupling() * Decorrelation(), S * C),
        (Decorrelation() * (0.5 * Dispersion() + Coupling()), C * (0.5 * D + S)),
        (0 * Dispersion() + Decorrelation(), C),
    ]
    for relation, expected in cases:
        np.testing.assert_allclose(adjacency(relation, X, y), expected, atol=1e-13)


def test_the_paper_in_relations(table):
    X, y = table
    by_hand = InfFS(0.3 * Dispersion() + 0.7 * Decorrelation()).fit(X)
    np.testing.assert_array_equal(by_hand.scores_, InfFSU(0.3).fit(X).scores_)
    by_hand = InfFS(Coupling((0.5, 0.2, 0.3))).fit(X, y)
    np.testing.assert_array_equal(by_hand.scores_, InfFSS((0.5, 0.2, 0.3)).fit(X, y).scores_)


def test_a_supervised_graph_that_knows_redundancy(table):
    X, y = table
    X = np.delete(X, 9, axis=1)
    relation = Coupling() * Decorrelation(power=2)
    assert isinstance(relation.bind(BoundTable(X, y)), Modulated)
    s = Coupling().weigh(Coupling().measure(X, y))
    R = reference.spearman(X)
    np.fill_diagonal(R, 1.0)
    expected, _ = reference.scores(np.outer(s, s) * (1 - R**2))
    np.testing.assert_allclose(InfFS(relation).fit(X, y).scores_, expected, rtol=1e-9, atol=1e-14)


def test_squared_decorrelation_of_many_samples_goes_by_tiles(rng):
    X = rng.normal(size=(50, 12))
    R = reference.spearman(X)
    np.fill_diagonal(R, 1.0)
    expected, _ = reference.scores(1 - R**2)
    selector = InfFS(Decorrelation(power=2)).fit(X)
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-9)


def test_own_function_times_ours(table):
    X = np.delete(table[0], 9, axis=1)
    relation = Pairwise(blocks, blocks=True) * Decorrelation()
    expected, _ = reference.scores(blocks(X, X) * adjacency(Decorrelation(), X))
    np.testing.assert_allclose(InfFS(relation).fit(X).scores_, expected, rtol=1e-9)


def test_dispersion_minmax(table):
    X = table[0]
    s = X.std(axis=0, ddof=1)
    M = np.maximum.outer(s, s)
    expected = (M - M.min()) / (M.max() - M.min())
    np.testing.assert_allclose(adjacency(Dispersion("minmax"), X), expected, atol=1e-14)


def pairs(f, g):
    return 1.0 / (1.0 + abs(np.mean(f * g)))


def blocks(F, G):
    return 1.0 / (1.0 + np.abs(F.T @ G) / F.shape[0])


@pytest.mark.parametrize("relation", [Pairwise(pairs), Pairwise(blocks, blocks=True)])
def test_own_function(relation, table):
    X = np.delete(table[0], 9, axis=1)
    expected, _ = reference.scores(blocks(X, X))
    np.testing.assert_allclose(InfFS(relation).fit(X).scores_, expected, rtol=1e-10)
    np.testing.assert_allclose(
        InfFS(relation).fit(sparse.csr_array(X)).scores_, expected, rtol=1e-10
    )


def test_own_asymmetric_function(table):
    X = np.delete(table[0], 9, axis=1)

    def directed(F, G):
        return np.abs(F).mean(axis=0)[:, None] + 0.1 * np.abs(F.T @ G)

    expected, _ = reference.scores(directed(X, X))
    selector = InfFS(Pairwise(directed, blocks=True, symmetric=False)).fit(X)
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-10)
    with pytest.raises(ValueError, match="symmetric=False"):
        InfFS(Pairwise(directed, blocks=True)).fit(X)


def test_values_for_all_features_skip_the_constant_ones(table, rng):
    X, _ = table
    rest = np.delete(np.arange(20), 9)
    u, v, M = rng.uniform(size=20), rng.uniform(size=20), rng.uniform(size=(20, 20))
    for relation, part in (
        (Outer(u, v), Outer(u[rest], v[rest])),
        (Precomputed(M), Precomputed(M[np.ix_(rest, rest)])),
    ):
        whole = InfFS(relation).fit(X).scores_
        np.testing.assert_array_equal(whole[rest], InfFS(part).fit(X[:, rest]).scores_)
        assert whole[9] == 0.0


def test_outer_of_a_function(table):
    X, y = table
    relation = Outer(lambda X, y: measures.fisher(X, y, scaled=True))
    np.testing.assert_allclose(
        InfFS(relation).fit(X, y).scores_, InfFSS((1, 0, 0)).fit(X, y).scores_
    )


def test_measures_without_weight_are_not_computed(table, monkeypatch):
    X, y = table

    def forbidden(*_, **__):
        raise AssertionError("computed for nothing")

    monkeypatch.setattr(measures, "mutual_information", forbidden)
    monkeypatch.setattr(measures, "fisher", forbidden)
    InfFSS((0, 0, 1)).fit(X, y)
    assert isinstance(Coupling((0, 0, 1)).bind(BoundTable(X)), RankOne)


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        (Dispersion("none"), "scale must be 'max' or 'minmax', not 'none'"),
        (Decorrelation("kendall"), "kind must be 'spearman' or 'pearson', not 'kendall'"),
        (Decorrelation(power=3), "power must be 1 or 2, not 3"),
        (Outer(np.ones(7)), "values for 7 features, but the table has 20"),
        (Outer(-np.ones(20)), "must be finite and not negative"),
        (Precomputed(np.ones((3, 2))), "square matrix"),
        (Precomputed(np.ones((4, 4))), "values for 4 features, but the table has 20"),
        (Precomputed(-np.ones((20, 20))), "-1.0 for the features 0 and 0"),
        (Pairwise(lambda f, g: np.inf), "inf for"),
        (Pairwise(lambda f, g: np.ones(2)), "block of shape"),
        (Pairwise(lambda F, G: np.ones(5), blocks=True), "block of shape"),
        (Coupling(), "needs y"),
    ],
)
def test_refusals(relation, message, table):
    with pytest.raises(ValueError, match=message):
        InfFS(relation).fit(table[0])


@pytest.mark.parametrize("weight", [-0.1, np.nan, np.inf])
def test_weights_are_not_negative(weight):
    with pytest.raises(ValueError, match="finite and not negative"):
        weight * Dispersion()
