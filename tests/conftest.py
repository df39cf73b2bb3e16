"""Tables that many tests share."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def labelled():
    """40 x 12, three classes; columns 0 to 3 carry the class, column 5 is constant, 7 equals 2."""
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], [14, 13, 13])
    X = rng.normal(size=(40, 12))
    X[:, :4] += 1.5 * y[:, None] * np.array([1.0, -1.0, 0.8, 1.2])
    X[:, 5] = 3.0
    X[:, 7] = X[:, 2]
    return X, y
