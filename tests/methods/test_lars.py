"""The path against scikit-learn's, and against the optimality conditions of the elastic net."""

import numpy as np
import pytest
from sklearn.linear_model import lars_path

from inffs.methods.mcfs import lars_coefficients
from tests.methods.unsupervised_goldens import table


def augmented_path(X, y, ridge):
    """scikit-learn's lasso path on X with sqrt(ridge) I below, which adds the ridge to X'X."""
    below = np.diag(np.sqrt(ridge))
    _, _, path = lars_path(
        np.vstack([X, below]), np.append(y, np.zeros(len(ridge))), method="lasso"
    )
    return path


@pytest.mark.parametrize(("T", "n"), [(50, 20), (15, 40)])
@pytest.mark.parametrize("size", [1, 4, 9, 14])
def test_coefficients_are_those_of_scikit_learn(T, n, size, rng):
    X, y = rng.normal(size=(T, n)), rng.normal(size=T)
    X[:, 1:4] += X[:, [0]]
    ridge = rng.uniform(0.5e-3, 2e-3, size=n)
    path = augmented_path(X, y, ridge)
    counts = (np.abs(path) > 1e-12).sum(axis=0)  # at its knot a new coefficient is 0 to rounding
    first = path[:, np.flatnonzero(counts >= size)[0]]
    np.testing.assert_allclose(lars_coefficients(X, y, size, ridge), first, rtol=1e-7, atol=1e-10)


def walk_with_drops():
    """A table on which the lasso path drops features on the way to 25 of 30."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 30)) + 0.3 * rng.normal(size=(40, 30))
    return X, X @ rng.normal(size=30) + rng.normal(size=40)


def test_dropped_features_leave_the_factor_right():
    X, y = walk_with_drops()
    ridge = np.full(30, 1e-3)
    path = augmented_path(X, y, ridge)
    counts = (np.abs(path) > 1e-12).sum(axis=0)  # at its knot a new coefficient is 0 to rounding
    assert (np.diff(counts[: np.argmax(counts >= 25)]) <= 0).any(), (
        "no drop: the test tests nothing"
    )
    expected = path[:, np.flatnonzero(counts >= 25)[0]]
    np.testing.assert_allclose(lars_coefficients(X, y, 25, ridge), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["a0", "b", "d"])
@pytest.mark.parametrize("size", [2, 7, 15])
def test_optimality_conditions(name, size, rng):
    X = table(name)
    y = rng.normal(size=X.shape[0])
    coefficients = lars_coefficients(X, y, size, np.full(X.shape[1], 1e-3))
    gradient = X.T @ (y - X @ coefficients) - 1e-3 * coefficients
    active = coefficients != 0
    assert active.sum() == size
    level = np.abs(gradient[active])
    np.testing.assert_allclose(level, level.mean(), rtol=1e-8)
    assert (np.sign(gradient[active]) == np.sign(coefficients[active])).all()
    assert (np.abs(gradient) <= level.mean() * (1 + 1e-8)).all()


def test_a_column_and_its_negative(rng):
    X = rng.normal(size=(20, 5))
    X[:, 4] = -X[:, 0]
    y = 3 * X[:, 0] + 0.1 * rng.normal(size=20)
    coefficients = lars_coefficients(X, y, 3, np.full(5, 1e-3))
    assert coefficients[0] == pytest.approx(-coefficients[4], rel=1e-6)


def test_path_that_ends_early(rng):
    X = np.eye(6)[:, :4]
    y = np.array([3.0, 0.0, 0.0, 0.0, 1.0, 2.0])
    coefficients = lars_coefficients(X, y, 3, np.full(4, 1e-3))
    np.testing.assert_allclose(coefficients, [3 / 1.001, 0, 0, 0], rtol=1e-12, atol=1e-13)


def test_target_orthogonal_to_every_column():
    X = np.eye(4)[:, :2]
    assert not lars_coefficients(X, np.array([0.0, 0.0, 1.0, 2.0]), 1, np.full(2, 1e-3)).any()
