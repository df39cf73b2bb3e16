"""The estimators against the paper's formulas in float64."""

import numpy as np
import pytest

from inffs import InfFSS, InfFSU
from inffs.paths import Regularization, walk
from inffs.relations import BoundTable, Decorrelation, Dispersion
from tests import reference


def gaussian(rng, T, n):
    return rng.normal(size=(T, n)) * rng.uniform(0.5, 2, size=n)


def correlated(rng, T, n):
    return rng.normal(size=(T, max(2, n // 3))) @ rng.normal(size=(max(2, n // 3), n)) + 0.3 * (
        rng.normal(size=(T, n))
    )


def tied(rng, T, n):
    return rng.integers(0, 4, size=(T, n)) + np.arange(T)[:, None] % 2 * 1.0


def duplicated(rng, T, n):
    X = rng.normal(size=(T, n))
    X[:, n // 2 :] = X[:, : n - n // 2]
    return X


TABLES = [gaussian, correlated, tied, duplicated]


def same_order_where_apart(scores, expected, gap):
    """Wherever two expected scores differ by more than the gap, ours differ the same way."""
    order = np.argsort(-expected, kind="stable")
    steps = expected[order][:-1] - expected[order][1:]
    ours = scores[order][:-1] - scores[order][1:]
    assert (ours[steps > gap * expected.max()] > 0).all()


@pytest.mark.parametrize("make", TABLES)
@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("regularization", ["spectral", "markov"])
def test_unsupervised(make, alpha, regularization, rng):
    X = make(rng, 30, 60)
    expected, r = reference.scores(reference.unsupervised_graph(X, alpha), regularization)
    selector = InfFSU(alpha, regularization=regularization).fit(X)
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-9)
    assert selector.walk_.r == pytest.approx(r, rel=1e-10)
    same_order_where_apart(selector.scores_, expected, 1e-9)


@pytest.mark.parametrize("shape", [(2, 1), (3, 1), (2, 2), (3, 2), (5, 2), (2, 7), (3, 40)])
@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_tiny_tables(shape, alpha, rng):
    X = rng.normal(size=shape)
    expected, _ = reference.scores(reference.unsupervised_graph(X, alpha))
    np.testing.assert_allclose(InfFSU(alpha).fit(X).scores_, expected, rtol=1e-9)


def test_no_edges_score_nothing():
    """All columns duplicates and alpha = 0: the spectral radius is 0, and so are the scores."""
    X = np.repeat(np.arange(6.0)[:, None], 4, axis=1)
    np.testing.assert_array_equal(InfFSU(0.0).fit(X).scores_, np.zeros(4))


@pytest.mark.parametrize("make", [gaussian, correlated, tied])
def test_single_precision_tiles(make, rng):
    """Above 2000 features the tiles are in single precision."""
    X = make(rng, 20, 2100)
    expected, _ = reference.scores(reference.unsupervised_graph(X, 0.4))
    scores = InfFSU(0.4).fit(X).scores_
    np.testing.assert_allclose(scores, expected, rtol=1e-7)
    same_order_where_apart(scores, expected, 1e-7)


@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("weights", [(1 / 3, 1 / 3, 1 / 3), (1, 0, 0), (0.2, 0.5, 0.3), (0, 0, 1)])
def test_supervised(classes, weights, rng):
    T, n = 70, 40
    X = gaussian(rng, T, n)
    y = np.arange(T) % classes
    X[:, :5] += y[:, None]
    sigma = X.std(axis=0, ddof=1)
    s = (
        weights[0] * reference.fisher(X, y)
        + weights[1] * reference.mutual_information(X, y, 10)
        + weights[2] * sigma / sigma.max()
    )
    expected, _ = reference.scores(np.outer(s, s))
    found = InfFSS(weights, n_features_to_select=5).fit(X, y).scores_
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_constant_columns_change_nothing_for_the_others(rng):
    X = gaussian(rng, 25, 30)
    X[:, [0, 7, 29]] = [1.0, -3.0, 0.0]
    rest = np.delete(np.arange(30), [0, 7, 29])
    expected, _ = reference.scores(reference.unsupervised_graph(X[:, rest], 0.2))
    selector = InfFSU(0.2).fit(X)
    np.testing.assert_allclose(selector.scores_[rest], expected, rtol=1e-9)
    np.testing.assert_array_equal(selector.scores_[[0, 7, 29]], 0.0)
    np.testing.assert_array_equal(selector.order_[-3:], [0, 7, 29])


@pytest.mark.parametrize("factor", [0.1, 0.5, 0.99])
def test_any_factor(factor, rng):
    X = correlated(rng, 30, 50)
    expected, _ = reference.scores(reference.unsupervised_graph(X, 0.5), factor=factor)
    np.testing.assert_allclose(InfFSU(factor=factor).fit(X).scores_, expected, rtol=1e-9)


def test_the_two_regularizations_rank_alike_but_not_always_equally(rng):
    """The paper says the rankings are equal: for a graph of rank one they are; here nearly."""
    from scipy.stats import kendalltau

    X = correlated(rng, 40, 400)
    spectral = InfFSU(0.3).fit(X)
    markov = InfFSU(0.3, regularization="markov").fit(X)
    tau = kendalltau(spectral.scores_, markov.scores_).statistic
    assert 0.99 < tau < 1.0


def test_eight_products_are_enough(rng):
    X = gaussian(rng, 50, 1500)
    graph = (0.5 * Dispersion() + 0.5 * Decorrelation()).bind(BoundTable(X, memory_limit=1000))
    assert walk(graph, Regularization()).steps <= 9
