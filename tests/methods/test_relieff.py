"""ReliefF against skrebate, recorded numbers and the formula in exact arithmetic."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.datasets import load_iris, load_wine

from inffs.methods import ReliefF, relieff
from tests.methods.filter_goldens import cases, recorded, table


@pytest.fixture(params=["library", "compiled"], autouse=True)
def loops(request, monkeypatch):
    """Every test runs with SciPy's distances and, where numba is installed, with compiled loops."""
    if request.param == "compiled":
        pytest.importorskip("numba")
        assert relieff.compiled_loops(0) is not None
    else:
        monkeypatch.setattr(relieff, "find_spec", lambda name: None)
        assert relieff.compiled_loops(1e12) is None


def naive(X, y, k, sigma=None):
    """The published sums, sample by sample; distances in whole numbers, so that ties are exact."""
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    unit = int(np.lcm.reduce(span.astype(int)))
    whole = ((X - low) * (unit // span.astype(int))).astype(int)
    priors = {c: (y == c).mean() for c in np.unique(y)}
    score = np.zeros(X.shape[1])
    for r in range(len(y)):
        difference = np.abs(whole - whole[r])
        distance = difference.sum(axis=1)
        for c, prior in priors.items():
            others = [i for i in np.flatnonzero(y == c) if i != r]
            near = sorted(others, key=lambda i: (distance[i], i))[:k]
            if not near:
                continue
            rank = np.arange(1, len(near) + 1)
            weight = np.ones(len(near)) if sigma is None else np.exp(-((rank / sigma) ** 2))
            sign = -1.0 if c == y[r] else prior / (1 - priors[y[r]])
            score += sign * (weight / weight.sum()) @ difference[near] / unit / len(y)
    return score


@pytest.mark.parametrize("case", recorded()["skrebate"]["cases"], ids=lambda c: c["n_neighbors"])
def test_equals_skrebate_on_two_continuous_classes(case):
    X, y = recorded()["skrebate"]["X"], recorded()["skrebate"]["y"]
    selector = ReliefF(n_neighbors=case["n_neighbors"], n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, case["score"], rtol=0, atol=1e-14)


# Table b with k = 10 was recorded with ties decided by rounding: the exact test below covers it.
RECORDED = [case for case in cases("relieff") if (case["data"], case["k"]) != ("b", 10)]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['data']} {case['k']}")
def test_recorded_scores(case):
    X, y = table(case["data"])
    expected = np.array(case["score"])
    if case["data"] == "a":
        expected[20] = expected.min()  # our place for a constant column; recorded as 0
    selector = ReliefF(n_neighbors=case["k"], n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("k", [1, 5, 10, 100])
@pytest.mark.parametrize("sigma", [None, 2.0])
def test_ties_go_by_sample_index(k, sigma):
    X, y = table("b")
    selector = ReliefF(n_neighbors=k, sigma=sigma, n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, naive(X, y, k, sigma), rtol=0, atol=1e-13)


def test_several_unequal_classes():
    X, y = load_wine(return_X_y=True)
    X = np.round(X[:, [0, 1, 3, 4, 10]])
    selector = ReliefF(n_neighbors=7, n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, naive(X, y, 7), rtol=0, atol=1e-13)


def test_iris_as_documented_elsewhere():
    """MATLAB's documentation prints these; the last digit depends on the order of exact ties."""
    scores = ReliefF(n_features_to_select=None).fit(*load_iris(return_X_y=True)).scores_
    np.testing.assert_allclose(scores, [0.1399, 0.1226, 0.3590, 0.3754], atol=1.5e-4)


def test_one_member_and_classes_below_k():
    X, y = table("b")
    keep = np.r_[np.flatnonzero(y == 1)[:1], np.flatnonzero(y == -1)[:4], np.arange(50, 58)]
    X, y = X[keep], np.r_[0, np.ones(4), np.full(8, 2)].astype(int)
    X = X[:, np.ptp(X, axis=0) > 0]
    selector = ReliefF(n_neighbors=10, n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, naive(X, y, 10), rtol=0, atol=1e-13)


def test_only_classes_of_one_member():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [0.5, 3.0]])
    scores = ReliefF(n_features_to_select=None).fit(X, ["a", "b", "c"]).scores_
    np.testing.assert_allclose(scores, naive(2 * X, np.arange(3), 10), atol=1e-14)


@pytest.mark.parametrize("memory", [1, 0.001])
def test_blocks_of_queries_change_nothing(memory, rng):
    X, y = rng.normal(size=(90, 40)), np.arange(90) % 4
    whole = ReliefF(n_features_to_select=None).fit(X, y).scores_
    with config_context(working_memory=memory):
        np.testing.assert_allclose(
            ReliefF(n_features_to_select=None).fit(X, y).scores_, whole, rtol=0, atol=1e-15
        )


def test_a_far_outlier_does_not_blur_the_neighbours(rng):
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    X = np.vstack([X, np.full(6, 1e5), np.full(6, -1e5)])
    y = np.r_[y, 0, 1]
    distance = np.abs(X[:, None, :] - X[None]).sum(axis=2)
    near = [
        np.argsort(np.where((y == c) & (np.arange(42) != r), distance[r], np.inf))[:3]
        for r in range(42)
        for c in (y[r], 1 - y[r])
    ]
    expected = sum(
        (-1) ** (place % 2 == 0) * np.abs(X[place // 2] - X[others]).mean(axis=0)
        for place, others in enumerate(near)
    )
    scores = ReliefF(n_neighbors=3, n_features_to_select=None).fit(X, y).scores_
    np.testing.assert_allclose(scores, expected / np.ptp(X, axis=0) / 42, rtol=1e-6)


@pytest.mark.parametrize("columns", [3, 1500])
@pytest.mark.parametrize("batch", [slice(0, 37), slice(5, 30)])
def test_distances_are_those_of_scipy(columns, batch, rng):
    X = rng.normal(size=(37, columns))
    expected = cdist(X[batch], X, "cityblock")
    np.testing.assert_allclose(relieff.manhattan_distances(X, batch), expected, rtol=1e-13)


def test_scale_and_shift_change_nothing(labelled):
    X, y = labelled
    scale = 2.0 ** np.arange(12)
    there = ReliefF(n_features_to_select=None).fit(X * scale - 5, y).scores_
    np.testing.assert_allclose(
        there, ReliefF(n_features_to_select=None).fit(X, y).scores_, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("params", [{"n_neighbors": 0}, {"sigma": 0}, {"sigma": -1.0}])
def test_parameters_out_of_range(params, labelled):
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        ReliefF(**params, n_features_to_select=None).fit(*labelled)


def test_a_tiny_sigma_is_the_nearest_neighbour_alone(labelled):
    X, y = labelled
    nearest = ReliefF(n_neighbors=1, n_features_to_select=None).fit(X, y).scores_
    np.testing.assert_allclose(
        ReliefF(sigma=1e-3, n_features_to_select=None).fit(X, y).scores_, nearest, atol=1e-15
    )


def test_several_labels_share_their_distances():
    """One pass gives the mean over the labels of one against the rest, in blocks, too."""
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(50, 12)), (rng.random((50, 4)) < 0.3).astype(int)
    Y[:, 2] = 0  # nobody has it
    expected = np.mean(
        [ReliefF(n_features_to_select=None).fit(X, Y[:, k]).scores_ for k in (0, 1, 3)], axis=0
    )
    np.testing.assert_allclose(
        ReliefF(n_features_to_select=None).fit(X, Y).scores_, expected, rtol=1e-12, atol=1e-15
    )
    with config_context(working_memory=0.02):
        np.testing.assert_allclose(
            ReliefF(n_features_to_select=None).fit(X, Y).scores_, expected, rtol=1e-12, atol=1e-15
        )
