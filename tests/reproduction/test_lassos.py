"""The lassos whose penalty is chosen by cross-validation, against the same written plainly."""

import numpy as np
import pytest
from scipy import sparse

from inffs.methods.lasso_hinge import walk
from inffs.methods.solvers.one_vs_rest import sides, stratified_folds
from reproduction.compared import find_method
from reproduction.lassos import LassoHingeCV, LassoUnhingedCV, vote


def gaussian(seed, T, n, classes=2, shift=0.8):
    rng = np.random.default_rng(seed)
    y = np.arange(T) % classes
    X = rng.normal(size=(T, n))
    X[:, :4] += shift * y[:, None]
    return X, y


def test_hinge_penalty_by_cross_validation():
    X, y = gaussian(2, 50, 20, 3)
    selector = LassoHingeCV(alpha="cv", n_alphas=8).fit(X, np.array(["a", "b", "c"])[y])
    right = np.zeros(8)
    for train, test in stratified_folds(y):
        mean, sd = X[train].mean(axis=0), X[train].std(axis=0)
        machines = sides(y[train], 3)
        for place, alpha in enumerate(selector.alphas_):
            points = [walk((X[train] - mean) / sd, side, [alpha])[-1] for side in machines]
            told = [(X[test] - mean) / sd @ p.weights + p.bias for p in points]
            right[place] += (np.argmax(told, axis=0) == y[test]).sum()
    np.testing.assert_allclose(selector.cv_scores_, right / 50, atol=0.03)  # ties in the bias
    assert selector.alpha_ == selector.alphas_[np.argmax(selector.cv_scores_)]
    assert selector.cut_.name == "own"


def test_one_member_class_under_cross_validation():
    X, y = gaussian(0, 20, 5)
    y = np.where(np.arange(20) == 7, 2, y)
    selector = LassoHingeCV(alpha="cv", n_alphas=5).fit(X, y)
    assert 0 <= selector.cv_scores_.min() <= selector.cv_scores_.max() <= 1


def test_unhinged_penalty_by_cross_validation():
    X, y = gaussian(3, 60, 40, shift=1.5)
    selector = LassoUnhingedCV(alpha="cv").fit(X, y)
    assert selector.cut_.name == "own"
    assert selector.alpha_ == selector.alphas_[np.argmax(selector.cv_scores_)]
    assert selector.support_[:4].any()
    fold = np.empty(60, dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(60) % 5
    right = 0
    for k in range(5):
        train, test = fold != k, fold == k
        Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
        m = ((2 * y[train] - 1)[:, None] * Z[train]).mean(axis=0)
        w = np.sign(m) * np.maximum(np.abs(m) - selector.alpha_, 0)
        right += ((Z[test] @ w > 0) == y[test]).sum()
    assert selector.cv_scores_.max() == pytest.approx(right / 60)


def test_unhinged_sparse_is_dense():
    X, y = gaussian(0, 50, 12, 3, shift=1.0)
    X[np.abs(X) < 0.7] = 0
    dense = LassoUnhingedCV(alpha="cv").fit(X, y)
    thin = LassoUnhingedCV(alpha="cv").fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.scores_, dense.scores_, atol=1e-12)
    assert thin.n_features_ == dense.n_features_


def test_votes():
    np.testing.assert_array_equal(vote(np.array([[-1.0, 2.0]])), [0, 1])
    np.testing.assert_array_equal(vote(np.array([[0.0, 2.0], [1.0, 1.0], [0.5, 0.0]])), [1, 0])


def test_the_reproduction_takes_them_unless_a_penalty_is_given():
    assert find_method("lasso-hinge").params == {"alpha": "cv"}
    assert find_method("lasso-unhinged").estimator is LassoUnhingedCV
    assert find_method("lasso-hinge[alpha=0.1]").params == {"alpha": 0.1}
