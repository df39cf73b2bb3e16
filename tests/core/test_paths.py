"""Paths: every question against the adjacency matrix written out."""

import itertools

import numpy as np
import pytest
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

import inffs.paths
from inffs import InfFS, InfFSS, InfFSU
from inffs.graph.operators import Matrix, PairwiseMax, RankOne, Sum
from inffs.paths import MAX_STEPS, Regularization, walk
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
@pytest.mark.parametrize("factor", [0.9, 0.3])
def test_rank_one_in_closed_form(series, kind, factor, rng):
    u, v = rng.uniform(size=12), rng.uniform(size=12)
    closed = walk(RankOne(u, v), Regularization(kind, factor, series))
    walked = walk(Matrix(np.outer(u, v)), Regularization(kind, factor, series))
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
    for feature in (25, -1):
        with pytest.raises(ValueError, match=rf"no feature {feature}: they are 0 to 24\."):
            paths.visits(feature)
    with pytest.raises(ValueError, match="length must be at least 1"):
        paths.scores(0)
    with pytest.raises(ValueError, match="at least two features"):
        paths.value([3])
    with pytest.raises(ValueError, match="trace_paths"):
        paths.without_graph().visits(0)


@pytest.mark.parametrize("kind", ["spectral", "markov"])
@pytest.mark.parametrize("series", ["geometric", "exponential", lambda x: x * (0.9 - x)])
def test_weighted_sums_against_the_matrices_written_out(A, rng, kind, series):
    """The last series is 0 at the first guess of the spectral radius."""
    sigma, rule = rng.uniform(size=25), Regularization(kind, series=series)
    for alpha in np.linspace(0, 1, 11):
        found = walk(Sum([alpha, 1 - alpha], [PairwiseMax(sigma), Matrix(A)]), rule).scores()
        whole = alpha * np.maximum.outer(sigma, sigma) + (1 - alpha) * A
        values, vectors = np.linalg.eigh(whole)
        x = rule.r(values.max(), whole.sum(axis=1).max()) * values
        expected = vectors @ (rule.on_numbers(x) * vectors.sum(axis=0))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_paths_speak_of_the_input_features(labelled):
    X, y = labelled
    selector = InfFSU(0.3, regularization="markov").fit(X)
    np.testing.assert_array_equal(selector.walk_.scores(), selector.scores_)
    paths = selector.trace_paths(X)
    np.testing.assert_array_equal(paths.scores(), selector.scores_)
    assert paths.value([0, 5]) == 0.0  # column 5 is constant: not in the graph
    assert paths.between(5, 1, 2) == 0.0
    assert paths.visits(5).tolist() == np.eye(12)[5].tolist()
    assert paths.stop_probabilities()[5] == 1.0
    assert paths.visits(11)[11] >= 1.0
    with pytest.raises(ValueError, match="trace_paths"):
        selector.walk_.visits(0)
    assert InfFSS().fit(X, y).trace_paths(X, y).visits(3).shape == (12,)


def test_paths_between_features_beside_constant_ones(rng):
    """Indices are those of the input, whatever columns are not in the graph."""
    X = rng.normal(size=(30, 9))
    X[:, [2, 3, 8]] = 1.0
    live = np.array([0, 1, 4, 5, 6, 7])
    A = np.zeros((9, 9))
    A[np.ix_(live, live)] = reference.unsupervised_graph(X[:, live], 0.3)
    paths = InfFSU(0.3, regularization="markov").fit(X).trace_paths(X)
    expected = np.linalg.inv(np.eye(9) - paths.r * A)
    for i in range(9):
        np.testing.assert_allclose(paths.visits(i), expected[i], rtol=1e-8, atol=1e-10)
        for j in range(9):
            assert paths.value([i, j]) == pytest.approx(A[i, j], rel=1e-10)
            assert paths.between(i, j, 2) == pytest.approx((paths.r * A @ A * paths.r)[i, j])
    np.testing.assert_allclose(paths.stop_probabilities(), 1 - paths.r * A.sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(paths.scores(), expected.sum(axis=1) - 1, rtol=1e-9)


@pytest.mark.parametrize("kind", ["spectral", "markov"])
@pytest.mark.parametrize("series", ["geometric", "exponential", lambda x: x**2])
def test_a_graph_without_edges_scores_nothing(kind, series):
    for graph in (Matrix(np.zeros((6, 6))), RankOne(np.zeros(6)), PairwiseMax(np.zeros(6))):
        paths = walk(graph, Regularization(kind, series=series))
        assert paths.r == paths.spectral_radius == 0.0
        np.testing.assert_array_equal(paths.scores(), np.zeros(6))
        np.testing.assert_array_equal(paths.scores(2), np.zeros(6))


def test_slow_walks_say_so():
    """A long chain of features with a factor near 1 needs more steps than are taken."""
    n = 1000
    chain = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    chain[0, 0] = 1.0
    with pytest.warns(Warning, match="still change after 300 steps"):
        InfFS(Precomputed(chain), factor=1 - 1e-9).fit(np.random.default_rng(0).normal(size=(5, n)))


def scores_of_every_walk(A, regularization):
    """Scores after 1, 2, ... steps, each from a basis of A^l e made by QR in one go."""
    n = A.shape[0]
    start = Q = np.full((n, 1), 1 / np.sqrt(n))
    while Q.shape[1] < n:
        projected = Q.T @ A @ Q
        r = regularization.r(np.abs(np.linalg.eigvals(projected)).max(), A.sum(axis=1).max())
        weights = np.linalg.solve(np.eye(Q.shape[1]) - r * projected, r * projected @ Q.T @ start)
        yield np.sqrt(n) * (Q @ weights).ravel()
        Q = np.linalg.qr(np.hstack([Q, A @ Q[:, -1:]]))[0]


@pytest.fixture
def chain(rng):
    """Features in a row, each tied to the next: the walk is long."""
    weights = rng.uniform(0.5, 1.0, size=119)
    return np.diag(weights, 1) + np.diag(weights, -1)


def relative_change(scores, last):
    """The largest; scores below a thousandth of the best may move as that thousandth may."""
    return np.max(np.abs(scores - last) / (scores + 1e-3 * scores.max()))


@pytest.mark.parametrize("which", ["A", "asymmetric", "chain"])
@pytest.mark.parametrize("kind", ["spectral", "markov"])
def test_the_walk_ends_when_the_scores_stand_still(which, kind, request):
    """No step earlier, none later; past sixteen steps it is looked at every eighth."""
    graph, regularization = Matrix(request.getfixturevalue(which)), Regularization(kind)
    after = [None, *itertools.islice(scores_of_every_walk(graph._matrix, regularization), 60)]
    looked_at = [*range(1, 17), *range(24, len(after), 8)]
    changes = {k: relative_change(after[k], after[j]) for j, k in itertools.pairwise(looked_at)}
    for precision in 10.0 ** -np.linspace(0.5, 7, 25):
        graph.precision = precision
        expected = next(steps for steps, change in changes.items() if change <= precision)
        assert walk(graph, regularization).steps == expected


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_walk_ends_when_there_is_nowhere_left_to_go(symmetric, rng):
    """Three kinds of features, alike within a kind: A^l e has three directions, no more."""
    between = rng.uniform(size=(3, 3))
    between = between + between.T if symmetric else between
    kind = np.repeat([0, 1, 2], [9, 14, 7])
    A = between[np.ix_(kind, kind)]
    paths = walk(Matrix(A))
    assert paths.steps == 3
    np.testing.assert_allclose(paths.scores(), reference.scores(A)[0], rtol=1e-10)
    np.testing.assert_allclose(paths.basis.T @ paths.basis, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("n", [MAX_STEPS, MAX_STEPS + 1])
def test_a_walk_through_the_whole_space_is_no_slow_walk(n):
    chain = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    chain[0, 0] = 1.0
    regularization = Regularization(factor=1 - 1e-9)
    if n == MAX_STEPS:
        scores = walk(Matrix(chain), regularization).scores()
        np.testing.assert_allclose(scores, reference.scores(chain, factor=1 - 1e-9)[0], rtol=1e-4)
    else:
        with pytest.warns(ConvergenceWarning, match=f"still change after {MAX_STEPS} steps"):
            walk(Matrix(chain), regularization)


def test_what_was_walked_cannot_be_changed(A):
    paths = walk(Matrix(A))
    for changed, name in [(paths, "steps"), (paths.regularization, "factor")]:
        with pytest.raises(AttributeError):
            setattr(changed, name, 1)


def test_the_basis_is_orthonormal_where_directions_nearly_coincide():
    hilbert = linalg.hilbert(30)
    paths = walk(Matrix(hilbert), Regularization(factor=0.99))
    np.testing.assert_allclose(paths.basis.T @ paths.basis, np.eye(paths.steps), atol=1e-13)


def test_the_number_of_steps_is_foreseen(A, monkeypatch):
    told = []
    monkeypatch.setattr(inffs.paths, "expect_passes", told.append)
    steps = walk(Matrix(A)).steps
    assert len(told) == steps - 1
    assert told[:2] == [5, 5]
    assert max(abs(foreseen - steps) for foreseen in told[2:]) <= 1


def test_visits_that_do_not_converge_say_so_to_the_caller():
    """A ring that is walked one way only: the solver sees a step of it at a time."""
    paths = walk(Matrix(np.roll(np.eye(30), 1, axis=1)), Regularization(factor=1 - 1e-7))
    with pytest.warns(ConvergenceWarning, match="visits have not converged") as told:
        paths.visits(0)
    assert told[0].filename == __file__
