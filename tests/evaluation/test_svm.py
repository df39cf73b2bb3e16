"""The linear SVM against liblinear, a general optimiser and the written-out objective."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs.evaluation import LinearSVM
from inffs.evaluation._newton import Descent, KernelNewton
from inffs.evaluation.svm import gram_path, signs, svm_path

CS = (1e-3, 1e-2, 0.1, 1.0, 10.0)


def objective(X, y, w, b, C):
    slack = np.maximum(0, 1 - y * (X @ w + b))
    return 0.5 * w @ w + C * np.sum(slack**2)


def best_by_optimiser(X, y, C):
    """The minimum by L-BFGS on the objective as it is written, from zero."""

    def both(z):
        slack = np.maximum(0, 1 - y * (X @ z[:-1] + z[-1]))
        pull = -2 * C * slack * y
        value = 0.5 * z[:-1] @ z[:-1] + C * np.sum(slack**2)
        return value, np.append(z[:-1] + X.T @ pull, pull.sum())

    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-10}
    return minimize(
        both, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options=options
    ).fun


def table(T, n, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=T)
    X = rng.normal(size=(T, n))
    X[:, : min(n, 5)] += 0.7 * y[:, None]
    return X - X.mean(axis=0), y


@pytest.mark.parametrize("shape", [(200, 8), (60, 59), (40, 150), (30, 30)])
def test_the_objective_is_the_smallest_there_is(shape):
    X, codes = table(*shape)
    y = signs(codes, 2)
    coef, intercept = svm_path(X, y, CS)
    for w, b, C in zip(coef, intercept, CS, strict=True):
        ours = objective(X, y[:, 0], w[0], b[0], C)
        assert ours <= best_by_optimiser(X, y[:, 0], C) * (1 + 1e-6)


@pytest.mark.parametrize("shape", [(200, 8), (40, 150)])
def test_the_same_as_liblinear_with_a_nearly_free_intercept(shape):
    X, codes = table(*shape)
    y = signs(codes, 2)
    coef, intercept = svm_path(X, y, CS)
    for w, b, C in zip(coef, intercept, CS, strict=True):
        peer = LinearSVC(C=C, dual=False, intercept_scaling=1e4, tol=1e-10, max_iter=100_000)
        peer.fit(X, codes)
        theirs = objective(X, y[:, 0], peer.coef_[0], peer.intercept_[0], C)
        assert objective(X, y[:, 0], w[0], b[0], C) <= theirs * (1 + 1e-6)
        if C <= 1:
            np.testing.assert_allclose(w[0], peer.coef_[0], atol=1e-4)


@pytest.mark.parametrize("shape", [(1200, 210), (200, 3001)])
def test_descent_for_the_largest_tables_reaches_the_minimum_too(shape):
    rng = np.random.default_rng(0)
    X = sparse.random_array(shape, density=0.05, random_state=rng, format="csr", dtype=np.float64)
    y, dense, Cs = np.where(rng.random(shape[0]) < 0.4, 1.0, -1.0), X.toarray(), (0.01, 0.1, 1.0)
    coef, intercept = Descent(X).path(y, Cs)
    beta, bias = KernelNewton(dense @ dense.T).path(y, Cs)
    for w, b, exact, exact_b, C in zip(coef, intercept, beta @ dense, bias, Cs, strict=True):
        least = objective(dense, y, exact, exact_b, C)
        assert objective(dense, y, w, b, C) == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("shape", [(300, 40), (60, 200)])
def test_many_labels_are_each_at_their_minimum(shape):
    X, codes = table(*shape, classes=12)
    Y, X = signs(codes, 12), X.astype(np.float32)
    coef, intercept = svm_path(X, Y, CS)
    exact = X.astype(float)
    for C, W, b in zip(CS, coef, intercept, strict=True):
        for k in (0, 5, 11):
            best = best_by_optimiser(exact, Y[:, k], C)
            assert objective(exact, Y[:, k], W[k], b[k], C) <= best * (1 + 1e-6)


def test_the_forms_agree():
    X, codes = table(90, 60, classes=10)
    Y = signs(codes, 10)
    coef, intercept = svm_path(X, Y, CS)
    beta, bias = gram_path(X @ X.T, Y, CS)
    np.testing.assert_allclose(beta @ X, coef, atol=1e-6)
    np.testing.assert_allclose(bias, intercept, atol=1e-6)


@pytest.mark.parametrize("shape", [(80, 20), (30, 100)])
@pytest.mark.parametrize("classes", [2, 9])
def test_sparse_is_dense(shape, classes):
    X, codes = table(*shape, classes=classes)
    X[np.abs(X) < 0.8] = 0
    Y = signs(codes, classes)
    dense, sparse_ = svm_path(X, Y, CS), svm_path(sparse.csr_matrix(X), Y, CS)
    np.testing.assert_allclose(dense[0], sparse_[0], atol=1e-6)
    np.testing.assert_allclose(dense[1], sparse_[1], atol=1e-6)


def test_an_offset_of_the_columns_moves_the_intercept_only():
    X, codes = table(60, 10)
    plain, moved = LinearSVM().fit(X, codes), LinearSVM().fit(X + 1e6, codes)
    np.testing.assert_allclose(plain.coef_, moved.coef_, rtol=1e-5)
    np.testing.assert_array_equal(plain.predict(X), moved.predict(X + 1e6))


def test_separable_classes_at_a_huge_C_have_the_widest_margin():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
    coef, intercept = svm_path(X, np.array([[-1], [-1], [1], [1]]), [1e6])
    np.testing.assert_allclose(coef[0, 0], [1 / 3, 1 / 3], rtol=1e-5)
    np.testing.assert_allclose(intercept[0, 0], -4 / 3, rtol=1e-5)


def test_a_label_that_never_occurs_gets_minus_one():
    X, _ = table(40, 5)
    coef, intercept = svm_path(X, -np.ones((40, 1)), CS)
    np.testing.assert_allclose(coef, 0, atol=1e-9)
    np.testing.assert_allclose(intercept, -1)


@pytest.mark.parametrize("shape", [(50, 4), (20, 60)])
def test_columns_of_very_different_scale_give_finite_weights(shape):
    X, codes = table(*shape)
    X = X * np.geomspace(1e-6, 1e6, shape[1])
    coef, intercept = svm_path(X, signs(codes, 2), CS)
    assert np.isfinite(coef).all()
    assert np.isfinite(intercept).all()


@parametrize_with_checks([LinearSVM()])
def test_scikit_learn_takes_it(estimator, check):
    check(estimator)


def test_one_class_is_told():
    with pytest.raises(ValueError, match="at least 2 classes"):
        LinearSVM().fit(np.eye(3), ["a", "a", "a"])
