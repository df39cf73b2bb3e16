"""Fisher score against the published program, the naive formula and scikit-learn's ANOVA."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import f_classif

from inffs.methods import FisherScore
from tests.methods.filter_goldens import cases, names, published_fisher, table


@pytest.mark.parametrize("case", cases("fisher"), ids=names("fisher"))
def test_two_classes_as_the_published_program(case):
    X, y = table(case["data"])
    np.testing.assert_allclose(published_fisher(X, y), case["score"], rtol=1e-10, atol=1e-12)
    shares = np.array([(y == 1).mean(), (y == -1).mean()])
    selector = FisherScore().fit(X, y)
    np.testing.assert_allclose(
        selector.scores_, (shares @ shares) * np.array(case["score"]), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_array_equal(selector.order_, case["ranking"])


def test_several_classes_by_the_formula(labelled):
    X, y = labelled
    X = np.delete(X, 5, axis=1)
    means = np.array([X[y == g].mean(axis=0) for g in range(3)])
    within = np.array([X[y == g].var(axis=0, ddof=1) for g in range(3)]).sum(axis=0)
    expected = ((means - X.mean(axis=0)) ** 2).sum(axis=0) / within
    np.testing.assert_allclose(FisherScore().fit(X, y).scores_, expected, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_order_of_the_analysis_of_variance_on_balanced_classes(classes, rng):
    y = np.repeat(np.arange(classes), 15)
    X = rng.normal(size=(y.size, 40)) + np.outer(y, rng.normal(size=40))
    expected = np.argsort(-f_classif(X, y)[0], kind="stable")
    np.testing.assert_array_equal(FisherScore().fit(X, y).order_, expected)


def test_a_perfect_separator_stands_first(rng):
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 5)) + 3 * np.outer(y, [1, 0, 0, 0, 0])
    X[:, 4] = 1e-3 * y
    selector = FisherScore().fit(X, y)
    assert selector.order_[0] == 4
    assert np.isfinite(selector.scores_).all()
    assert selector.order_[1] == 0


def test_a_class_with_one_member_has_no_variance(rng):
    y = np.r_[0, np.ones(9, dtype=int)]
    X = rng.normal(size=(10, 4))
    expected = X[1:].var(axis=0, ddof=1)
    between = (X[0] - X.mean(axis=0)) ** 2 + (X[1:].mean(axis=0) - X.mean(axis=0)) ** 2
    np.testing.assert_allclose(FisherScore().fit(X, y).scores_, between / expected, rtol=1e-12)


def test_scale_and_shift_change_nothing(labelled, rng):
    X, y = labelled
    moved = X * rng.uniform(0.1, 100, size=12) + rng.normal(size=12)
    moved[:, 7] = moved[:, 2]
    here, there = FisherScore().fit(X, y), FisherScore().fit(moved, y)
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-9)


def test_sparse_equals_dense(rng):
    X = sparse.random_array((60, 30), density=0.2, random_state=rng, format="csr")
    y = np.arange(60) % 3
    dense = FisherScore().fit(X.toarray(), y)
    thin = FisherScore().fit(X, y)
    np.testing.assert_allclose(thin.scores_, dense.scores_, rtol=1e-10)
    np.testing.assert_array_equal(thin.order_, dense.order_)
