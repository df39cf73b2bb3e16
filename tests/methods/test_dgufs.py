"""DGUFS: the published ADMM as it is, and the steps that replace it."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from inffs.methods import DGUFS
from inffs.methods.dgufs import _guide, cluster_factor
from inffs.methods.solvers.neighbours import neighbour_graph
from tests.methods.planted import chance_to_rank_above, planted
from tests.methods.published_dgufs import published_admm
from tests.methods.unsupervised_goldens import TABLES, golden, table

FILE = "embedding_methods.json"


def five_with_itself(X):
    S = neighbour_graph(X, 4, weight="binary").toarray()
    np.fill_diagonal(S, 1.0)
    return S


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("m", [3, 6])
def test_published_admm(name, m):
    X = table(name)
    Y, _, _ = published_admm(X.T, five_with_itself(X), m, 0.5, 0.5, 100)
    live = np.flatnonzero(Y.any(axis=1))
    np.testing.assert_array_equal(live, golden(name, f"dgufs_orig_m{m}_live", FILE))
    rows = golden(name, f"dgufs_orig_m{m}_Y_live", FILE)
    np.testing.assert_allclose(Y[live], rows, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["a0", "d"])
def test_published_kernel(name):
    X = table(name)
    _, L, _ = published_admm(X.T, five_with_itself(X), 6, 0.5, 0.5, 100)
    np.testing.assert_allclose(L, golden(name, "dgufs_orig_m6_L", FILE), atol=1e-11)


@pytest.mark.parametrize("name", TABLES)
def test_published_library_calls(name):
    X = table(name)
    S = -cdist(X, X)
    Y, _, _ = published_admm(X.T, S / -S.min(), 2, 0.5, 0.9, 5)
    np.testing.assert_allclose(Y[:, 0] + Y[:, 1], golden(name, "dgufs_fslib_score", FILE))
    Y, _, _ = published_admm(X.T, five_with_itself(X), 5, 0.5, 0.9, 5)
    live = golden(name, "dgufs_knn5_m5_it5_live", FILE)
    np.testing.assert_array_equal(np.flatnonzero(Y.any(axis=1)), live)


@pytest.mark.parametrize("name", ["a0", "b", "d"])
def test_the_admm_takes_the_shortest_columns(name):
    X = table(name)
    Y, _, _ = published_admm(X.T, five_with_itself(X), 6, 0.5, 0.5, 100)
    shortest = np.sort(np.argsort(np.linalg.norm(X, axis=0))[:6])
    np.testing.assert_array_equal(np.flatnonzero(Y.any(axis=1)), shortest)
    rows = np.linalg.norm(golden(name, "dgufs_orig_m6_Y_live", FILE), axis=1)
    np.testing.assert_allclose(np.linalg.norm(Y, axis=1)[shortest], rows, rtol=1e-12)


def objective(X, S, chosen, F, alpha, beta):
    L = F @ F.T
    gain = np.sum(_guide(X, S, chosen, beta) * L) - np.sum(L**2) / 2
    return gain - alpha * F.shape[1]


def test_each_step_maximises_the_model(rng):
    """No kernel near L and no exchange of a feature is better, and the objective only rises."""
    X, _ = planted(40, 60, 8)
    S = five_with_itself(X)
    chosen, values = np.arange(8), []
    for _ in range(20):
        F = cluster_factor(_guide(X, S, chosen, 0.5), 0.5)
        values.append(objective(X, S, chosen, F, 0.5, 0.5))
        for scale in (0.0, 1e-3, 1e-1):
            other = F * (1 + scale * rng.normal()) + scale * rng.normal(size=F.shape)
            assert objective(X, S, chosen, other[:, 1:], 0.5, 0.5) <= values[-1]
            assert objective(X, S, chosen, other, 0.5, 0.5) <= values[-1] + 1e-9
        best = np.sort(np.argsort(-np.square(F.T @ X).sum(axis=0))[:8])
        if np.array_equal(best, chosen):
            break
        chosen = best
        values.append(objective(X, S, chosen, F, 0.5, 0.5))
    assert (np.diff(values) >= -1e-9).all()
    assert len(values) > 2


def test_scores_are_the_dependence_on_the_kernel():
    X, _ = planted(40, 60, 8)
    X = X + 3.0  # centring is the method's business
    selector = DGUFS(n_features_to_select=8).fit(X)
    chosen = np.sort(selector.order_[:8])
    centred = X - X.mean(axis=0)
    S = neighbour_graph(X, 5, weight="binary").toarray() + np.eye(40)
    F = cluster_factor(_guide(centred, S, chosen, 0.5), 0.5)
    H = np.eye(40) - 1 / 40
    expected = [f @ H @ F @ F.T @ H @ f for f in X.T]
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-9)
    assert selector.kernel_rank_ == F.shape[1]


@pytest.mark.parametrize("asked", ["auto", 10])
@pytest.mark.parametrize(
    ("T", "n", "informative", "shift"),
    [(90, 40, 10, 2.5), (60, 200, 20, 2.5), (100, 1000, 10, 2.0)],
)
def test_informative_features_stand_above_noise(T, n, informative, shift, asked):
    for seed in range(2):
        X, where = planted(T, n, informative, shift=shift, seed=seed)
        selector = DGUFS(n_features_to_select=asked).fit(X)
        assert chance_to_rank_above(selector.scores_, where) > 0.95
