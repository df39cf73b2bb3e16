"""Every method on random awkward tables: a whole, finite, repeatable answer, or a sentence of ours.

``INFFS_CASES=20000 pytest tests/trust/test_properties.py`` sets how many tables are tried over all
methods together; the quick default leaves the long run to the slow test.
"""

import functools
import traceback

import numpy as np
import pytest

from tests.quick import draws, is_slow
from tests.trust.tables import CASES, ENTRIES, Knobs, fitted, knobs, tame_knobs, try_tables

QUICK, THOROUGH = 320, 20_000
SLOW = {key for key, entry in ENTRIES.items() if is_slow(entry.estimator)}
# Equally good answers exist, and which one comes follows the places of rows and columns.
SEVERAL_BEST = {"fsv"}
# Choices build on one another, and ties go to the earlier column.
TIES_BY_POSITION = {"inf-fs-c", "mrmr", "mifs", "cife", "icap", "jmi", "cmim", "mri"}
SMALL = {"max_samples": 12, "max_features": 12}
MEDIUM = {"max_samples": 24, "max_features": 24}


def is_ours(error):
    """Raised by this package or scikit-learn's validation on purpose, and a sentence."""
    if isinstance(error, np.linalg.LinAlgError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1].filename.replace("\\", "/")
    raised_here = "/inffs/" in last or last.endswith("sklearn/utils/validation.py")
    return raised_here and str(error).rstrip().endswith((".", ")"))


def check(key, case, fit=fitted):
    X, y = case.table()
    before = X.copy()
    try:
        selector = fit(key, X, y, case.size)
    except (ValueError, TypeError) as error:
        if not is_ours(error):
            raise
        return "refused"
    n = X.shape[1]
    assert np.isfinite(selector.scores_).all()
    assert sorted(selector.order_) == list(range(n))
    assert 1 <= selector.n_features_ <= n == selector.support_.size
    assert selector.support_.sum() == selector.n_features_
    np.testing.assert_array_equal(X, before)
    again = fit(key, X, y, case.size)
    np.testing.assert_array_equal(again.scores_, selector.scores_)
    np.testing.assert_array_equal(again.order_, selector.order_)
    return "answered"


def close(scores, expected):
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def check_invariance(key, case):
    """Moved columns, moved samples, another layout; another scale where the method says so."""
    X, y = case.table()
    rng = np.random.default_rng(case.seed)
    fit = functools.partial(fitted, key, size=-(-case.features // 2))
    plain = fit(np.ascontiguousarray(X), y)
    close(fit(X, y).scores_, plain.scores_)
    facts = ENTRIES[key].estimator
    if not (draws(facts) or key in SEVERAL_BEST):
        rows = rng.permutation(X.shape[0])
        close(fit(X[rows], y[rows]).scores_, plain.scores_)
    if not (draws(facts) or key in SEVERAL_BEST | TIES_BY_POSITION):
        columns = rng.permutation(X.shape[1])
        close(fit(X[:, columns], y).scores_, plain.scores_[columns])
    if facts()._scale_free:
        powers = 2.0 ** rng.integers(-30, 31, X.shape[1])  # powers of two round nothing
        np.testing.assert_array_equal(fit(X * powers, y).order_, plain.order_)


def size_of(key):
    return SMALL if key in SLOW else MEDIUM


def run(key, cases, tables, check=check, seed=None):
    """Try this many tables on one method."""
    return try_tables(tables, cases, lambda case: check(key, case), seed)


def share(key, total):
    """How many of all tables a method gets: those that take long a third of the others'."""
    fast = len(ENTRIES) - len(SLOW)
    unit = -(-3 * total // (3 * fast + len(SLOW)))
    return -(-unit // 3) if key in SLOW else unit


@pytest.mark.parametrize("key", ENTRIES)
def test_answer_or_sentence(key):
    run(key, share(key, CASES or QUICK), knobs(**size_of(key)))


@pytest.mark.parametrize("key", ENTRIES)
def test_invariance(key):
    run(key, 2, tame_knobs(**size_of(key)), check_invariance)


def knobs_of(samples, features, classes, quirks, exponent, dtype, seed):
    quirks = frozenset(quirks.split(", ")) if quirks else frozenset()
    return Knobs(samples, features, classes, quirks, exponent, dtype, "C", seed)


# fmt: off
FOUND = [  # tables that once overflowed, divided 0 by 0 or met a singular matrix
    ("inf-fs-s", knobs_of(36, 12, 15, "denormals, class", 0, "float64", 2001205968)),
    ("mi", knobs_of(6, 3, 2, "denormals, class", 0, "float64", 877432774)),
    ("mi", knobs_of(60, 40, 38, "mixed scales, dominant", 150, "float32", 1579357551)),
    ("laplacian", knobs_of(6, 5, 2, "far from zero", 150, "float64", 4219954183)),
    ("fisher", knobs_of(2, 1, 2, "", 20, "float32", 0)),
    ("fisher", knobs_of(5, 14, 2, "near-duplicates, mixed scales", 150, "float64", 1125913776)),
    ("fsasl", knobs_of(50, 59, 47, "ties, duplicates", 20, "float64", 3859907210)),
    ("l0-svm", knobs_of(3, 54, 2, "near-duplicates, far from zero, zeros", 20, "float64", 1737536921)),  # noqa: E501
    ("l0-svm", knobs_of(5, 1, 2, "dominant", -100, "float16", 988905426)),
    ("l0-svm", knobs_of(2, 7, 2, "ties, near-duplicates, far from zero, constants", 0, "float64", 329641)),  # noqa: E501
    ("svm-rfe", knobs_of(6, 60, 3, "", 150, "float64", 3238597117)),
    ("l0-svm", knobs_of(2, 7, 2, "ties, constants, far from zero, duplicates", 0, "float64", 0)),
    ("svm-rfe", knobs_of(17, 58, 2, "ties, far from zero", 0, "float64", 0)),
    ("sw-svm-rfe", knobs_of(4, 2, 2, "ties, dominant", 0, "float64", 0)),
    ("lasso-unhinged", knobs_of(44, 10, 2, "zeros, denormals", 20, "float64", 4127198589)),
    ("l0-svm", knobs_of(9, 7, 2, "far from zero, dominant, denormals, mixed scales", -49, "float64", 1716)),  # noqa: E501
    ("lasso-unhinged", knobs_of(5, 3, 2, "denormals, dominant", 150, "float64", 4196836541)),
]
# fmt: on


@pytest.mark.parametrize(("key", "case"), FOUND)
def test_tables_that_once_broke_a_method(key, case):
    check(key, case, lambda key, X, y, size: fitted(key, X, y))


def thoroughly(key, seed=None):
    """This method's share of 20,000 tables; every tenth has the full size."""
    cases = share(key, CASES or THOROUGH)
    large = -(-cases // 10)
    outcomes = run(key, large, knobs(), seed=seed)
    return outcomes + run(key, cases - large, knobs(**size_of(key)), seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("key", ENTRIES)
def test_answer_or_sentence_thoroughly(key):
    assert thoroughly(key).total() >= share(key, CASES or THOROUGH)


@pytest.mark.slow
@pytest.mark.parametrize("key", ENTRIES)
def test_invariance_thoroughly(key):
    run(key, 10 if key in SLOW else 50, tame_knobs(), check_invariance)
