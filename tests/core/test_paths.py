"""Paths: every question against the adjacency matrix written out."""

import numpy as np
import pytest
from scipy import linalg

from inffs import InfFS, InfFSS, InfFSU
from inffs.graph import Matrix, PairwiseMax, RankOne, Sum
from inffs.paths import Regularization, walk, walk_grid
from inffs.relations import Precomputed
from tests import reference


@pytest.fixture
def A(rng):
    A = rng.uniform(size=(25, 25))
    return (A + A.T) / 2


@pytest.fixture
def asymmetric(rng):
    return rng.uniform(size=(25, 25)) * rng.uniform(size=(25, 1))


@pytest.mark.parametrize("kind", ["spectral", "markov"])
@pytest.mark.parametrize("which", ["A", "asymmetric"])
def test_scores(which, kind, request):
    A = request.getfixturevalue(which)
    paths = walk(Matrix(A), Regularization(kind))
    expected, r = reference.scores(A, kind)
    np.testing.assert_allclose(paths.scores(), expected, rtol=1e-10)
    assert paths.r == pytest.approx(r, rel=1e-12)
    radius = np.abs(np.linalg.eigvals(A)).max()
    assert paths.spectral_radius == pytest.approx(radius, rel=1e-12)


@pytest.mark.parametrize("which", ["A", "asymmetric"])
@pytest.mark.parametrize("length", [1, 2, 5, 17, 60])
def test_every_finite_length(which, length, request):
    A = request.getfixturevalue(which)
    paths = walk(Matrix(A))
    expected = np.linalg.matrix_power(paths.r * A, length).sum(axis=1)
    np.testing.assert_allclose(paths.scores(length), expected, rtol=1e-9)


def test_lengths_add_up(A):
    paths = walk(Matrix(A))
    total = sum(paths.scores(length) for length in range(1, 400))
    np.testing.assert_allclose(total, paths.scores(), rtol=1e-10)


@pytest.mark.parametrize("which", ["A", "asymmetric"])
def test_exponential_series(which, request):
    A = request.getfixturevalue(which)
    paths = walk(Matrix(A), Regularization(series="exponential"))
    expected = linalg.expm(paths.r * A).sum(axis=1) - 1
    np.testing.assert_allclose(paths.scores(), expected, rtol=1e-9)


@pytest.mark.parametrize("which", ["A", "asymmetric"])
def test_own_series(which, request):
    A = request.getfixturevalue(which)
    paths = walk(Matrix(A), Regularization(series=lambda x: x + 3 * x**3))
    B = paths.r * A
    expected = (B + 3 * np.linalg.matrix_power(B, 3)).sum(axis=1)
    np.testing.assert_allclose(paths.scores(), expected, rtol=1e-9)


def test_own_series_must_start_at_zero(A):
    with pytest.raises(ValueError, match="must be 0 at 0"):
        walk(Matrix(A), Regularization(series=np.exp))


@pytest.mark.parametrize("series", ["geometric", "exponential", lambda x: x**2])
@pytest.mark.parametrize("kind", ["spectral", "markov"])
def test_rank_one_in_closed_form(series, kind, rng):
    u, v = rng.uniform(size=12), rng.uniform(size=12)
    closed = walk(RankOne(u, v), Regularization(kind, series=series))
    walked = walk(Matrix(np.outer(u, v)), Regularization(kind, series=series))
    np.testing.assert_allclose(closed.scores(), walked.scores(), rtol=1e-10)
    np.testing.assert_allclose(closed.scores(3), walked.scores(3), rtol=1e-10)
    assert closed.r == pytest.approx(walked.r)
    assert closed.spectral_radius == pytest.approx(u @ v)


def test_separate_parts_of_a_graph(rng):
    """The largest eigenvalue lives in a small part; the walk starts mostly outside it."""
    A = np.zeros((60, 60))
    A[:3, :3] = 5.0
    A[3:, 3:] = rng.uniform(size=(57, 57)) * 0.1
    A = (A + A.T) / 2
    paths = walk(Matrix(A))
    assert paths.spectral_radius == pytest.approx(15.0)
    np.testing.assert_allclose(paths.scores(), reference.scores(A)[0], rtol=1e-9)


def test_isolated_features_score_nothing():
    A = np.zeros((4, 4))
    A[0, 1] = A[1, 0] = 1.0
    np.testing.assert_allclose(walk(Matrix(A)).scores(), [9.0, 9.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("which", ["A", "asymmetric"])
def test_markov_questions(which, request):
    A = request.getfixturevalue(which)
    paths = walk(Matrix(A), Regularization("markov"))
    visits = np.linalg.inv(np.eye(25) - paths.r * A)
    np.testing.assert_allclose(paths.visits(7), visits[7], rtol=1e-8)
    np.testing.assert_allclose(paths.scores() + 1, visits.sum(axis=1), rtol=1e-10)
    stops = paths.stop_probabilities()
    np.testing.assert_allclose(stops, 1 - paths.r * A.sum(axis=1), rtol=1e-12)
    assert stops.min() == pytest.approx(0.1)
    np.testing.assert_allclose(visits @ stops, 1.0)  # every walk ends somewhere


@pytest.mark.parametrize("which", ["A", "asymmetric"])
def test_single_paths(which, request):
    A = request.getfixturevalue(which)
    paths = walk(Matrix(A))
    assert paths.value([3, 8, 1]) == pytest.approx(A[3, 8] * A[8, 1])
    power = np.linalg.matrix_power(paths.r * A, 4)
    assert paths.between(2, 9, 4) == pytest.approx(power[2, 9])


def test_questions_out_of_place(A):
    paths = walk(Matrix(A))
    with pytest.raises(ValueError, match="regularization='markov'"):
        paths.stop_probabilities()
    with pytest.raises(ValueError, match="no feature 25"):
        paths.visits(25)
    with pytest.raises(ValueError, match="at least one edge"):
        paths.scores(0)
    with pytest.raises(ValueError, match="at least two features"):
        paths.value([3])
    with pytest.raises(ValueError, match="trace_paths"):
        paths.without_graph().visits(0)


def test_a_grid_in_lockstep_is_one_by_one(A, rng):
    parts = [PairwiseMax(rng.uniform(size=25)), Matrix(A)]
    alphas = np.array([0.0, 0.2, 0.7, 1.0])
    together = walk_grid(parts, np.stack([alphas, 1 - alphas]))
    for alpha, column in zip(alphas, together.T, strict=True):
        alone = walk(Sum([alpha, 1 - alpha], parts)).scores()
        np.testing.assert_allclose(column, alone, rtol=1e-10)


def test_paths_speak_of_the_input_features(labelled):
    X, y = labelled
    selector = InfFSU(0.3, regularization="markov").fit(X)
    np.testing.assert_array_equal(selector.paths_.scores(), selector.scores_)
    paths = selector.trace_paths(X)
    np.testing.assert_array_equal(paths.scores(), selector.scores_)
    assert paths.value([0, 5]) == 0.0  # column 5 is constant: not in the graph
    assert paths.between(5, 1, 2) == 0.0
    assert paths.visits(5).tolist() == np.eye(12)[5].tolist()
    assert paths.stop_probabilities()[5] == 1.0
    assert paths.visits(11)[11] >= 1.0
    with pytest.raises(ValueError, match="trace_paths"):
        selector.paths_.visits(0)
    assert InfFSS().fit(X, y).trace_paths(X, y).visits(3).shape == (12,)


def test_slow_walks_say_so():
    """A long chain of features with a factor near 1 needs more steps than are taken."""
    n = 1000
    chain = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    chain[0, 0] = 1.0
    with pytest.warns(Warning, match="still move after 300 steps"):
        InfFS(Precomputed(chain), factor=1 - 1e-9).fit(np.random.default_rng(0).normal(size=(5, n)))
