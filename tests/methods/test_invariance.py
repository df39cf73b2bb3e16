"""What must not matter to any method: class names, the places of columns, and units.

A method whose ranking depends on units says so (``_scale_free``, ``_fixed_scale``), and its fit
warns.
"""

import functools
import warnings

import numpy as np
import pytest

from inffs import TableWarning
from inffs.methods import catalogue
from inffs.target import CLASSIFICATION
from tests.quick import draws, quick_params

ENTRIES = {
    entry.key: entry for entry in catalogue()
    if not entry.supervised or CLASSIFICATION in entry.estimator._targets
}  # fmt: skip
COMMON_UNIT = {key for key, entry in ENTRIES.items() if entry.estimator._fixed_scale}
N, KEPT = 16, 5


@functools.cache
def table(classes):
    rng = np.random.default_rng(classes)
    y = rng.permutation(np.arange(60) % classes)
    X = rng.normal(size=(60, N))
    X[:, :KEPT] += 1.2 * y[:, None]
    return X, y


def fitted(key, X, y):
    """The method with few turns, without its warnings."""
    estimator = ENTRIES[key].estimator
    seed = {"random_state": 0} if draws(estimator) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = estimator(n_features_to_select=KEPT, **quick_params(estimator), **seed)
        return selector.fit(X, y if ENTRIES[key].supervised else None)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("key", [key for key, entry in ENTRIES.items() if entry.supervised])
def test_names_of_classes_do_not_matter(key, classes):
    X, y = table(classes)
    names = np.array(["z", "m", "a"])[y]
    np.testing.assert_array_equal(fitted(key, X, names).order_, fitted(key, X, y).order_)


@pytest.mark.parametrize("key", ENTRIES)
def test_places_of_columns_do_not_matter(key):
    X, y = table(2)
    moved = np.random.default_rng(1).permutation(N)
    before, after = fitted(key, X, y), fitted(key, X[:, moved], y)
    np.testing.assert_array_equal(after.get_support(), before.get_support()[moved])


@pytest.mark.parametrize("key", ENTRIES)
def test_units_do_not_matter_or_are_reported(key):
    X, y = table(2)
    estimator = ENTRIES[key].estimator
    plain = fitted(key, X, y)
    if key in COMMON_UNIT:
        selector = estimator(n_features_to_select=KEPT, **quick_params(estimator))
        for factor in (1e4, 1e-4):
            with pytest.warns(TableWarning, match="scale range|MinMaxScaler"):
                selector.fit(factor * X, y if ENTRIES[key].supervised else None)
    else:
        np.testing.assert_array_equal(fitted(key, 1024 * X, y).order_, plain.order_)
    if estimator()._scale_free:
        factors = 2.0 ** np.random.default_rng(2).integers(-9, 10, N)
        np.testing.assert_array_equal(fitted(key, X * factors, y).order_, plain.order_)


def test_methods_with_a_fixed_penalty():
    assert {
        "ensemble-svm-rfe", "fsasl", "l0-svm", "llcfs", "mcfs", "svm-rfe", "sw-svm-rfe", "udfs",
    } == COMMON_UNIT  # fmt: skip
