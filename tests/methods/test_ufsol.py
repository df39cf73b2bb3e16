"""UFSOL against the published program, and its own start."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from inffs.methods import UFSOL
from inffs.methods.ufsol import (
    Problem,
    _unit_rows,
    alternate,
    ordinal_laplacian,
    unit_memberships,
)
from tests.methods.planted import chance_to_rank_above, planted
from tests.methods.unsupervised_goldens import TABLES, golden, table

FILE = "embedding_methods.json"
CALLS = {  # key: alpha, beta, clusters
    "ufsol_fslib": (1e6, 1e2, 2),
    "ufsol10_s2": (100.0, 1e-4, 3),
    "ufsol10_s3": (1.0, 1e-6, 2),
}


def published_k_means(points, draws):
    """Lloyd from each row of draws; the least sum of distances (not squared) wins."""
    best, least = None, np.inf
    for draw in draws:
        centres, labels = points[draw], None
        for _ in range(100):
            distance = cdist(points, centres)
            new = distance.argmin(axis=1)
            if labels is not None and (new == labels).all():
                break
            labels = new
            farthest = points[distance.min(axis=1).argmax()]
            centres = np.array(
                [
                    points[labels == j].mean(axis=0) if j in labels else farthest
                    for j in range(len(draw))
                ]
            )
        if distance.min(axis=1).sum() < least:
            best, least = labels, distance.min(axis=1).sum()
    return unit_memberships(best)


def published_weights(W):
    length = np.linalg.norm(W, axis=1)
    return np.divide(0.5, length, out=np.full(length.size, 1 / 5e-7), where=length > 0)


def run_published(name, key, call):
    """The program's run: its start, its weights and its draws for k-means."""
    alpha, beta, count = call
    problem = Problem(table(name), 5, alpha, beta)
    draws = iter(golden(name, f"{key}_draws", FILE).reshape(-1, 10, count))
    W = np.eye(problem.X.shape[1])[:, :count]

    def memberships(points):
        return published_k_means(points, next(draws))

    steps = int(golden(name, f"{key}_steps", FILE))
    V = memberships(problem.X @ W)
    return alternate(problem, W, V, memberships, published_weights, steps)[0]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("key", CALLS)
def test_published_scores(name, key):
    W = run_published(name, key, CALLS[key])
    expected = golden(name, f"{key}_score", FILE)
    np.testing.assert_allclose(np.square(W).sum(axis=1), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_the_program_does_not_leave_the_first_features(name):
    W = run_published(name, "ufsol10_s1", (1.0, 100.0, 3))
    top = set(np.argsort(-np.square(W).sum(axis=1))[:3])
    assert top == set(golden(name, "ufsol10_s1_rank", FILE)[:3]) == {0, 1, 2}


def test_published_graph():
    laplacian = ordinal_laplacian(_unit_rows(table("d")), 5).toarray()
    np.testing.assert_allclose(laplacian, golden("d", "ufsol_Ltrip", FILE), atol=1e-12)


def test_neighbours_at_one_distance_give_no_weight():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    points = np.vstack([corners, corners + 100.0])
    assert np.abs(ordinal_laplacian(points[:3], 2).toarray()).max() < 1e-6
    assert np.isfinite(ordinal_laplacian(np.repeat(points, 3, axis=0), 2).toarray()).all()


@pytest.mark.parametrize(("T", "n", "informative"), [(150, 40, 10), (60, 70, 10), (60, 200, 20)])
def test_informative_features_stand_above_noise(T, n, informative):
    shares = []
    for seed in range(2):
        X, where = planted(T, n, informative, seed=seed)
        scores = UFSOL(max_iter=20, random_state=0).fit(X).scores_
        shares.append(chance_to_rank_above(scores, where))
    assert np.mean(shares) > 0.8


def test_the_first_columns_have_no_advantage():
    X, where = planted(60, 200, 20)
    selector = UFSOL(random_state=0).fit(X)
    assert set(selector.order_[:20]) == set(where)


def test_only_random_state_decides():
    X, _ = planted(50, 30, 5)
    first, second = (UFSOL(random_state=3, max_iter=10).fit(X).scores_ for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_identical_columns_share_their_score():
    X = table("a")
    selector = UFSOL(random_state=0, max_iter=10).fit(X)
    assert selector.scores_[2] == selector.scores_[21]
