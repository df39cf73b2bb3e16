"""A linear SVM along a path of C: squared hinge, free intercept, many labels at once."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from inffs.evaluation._newton import Descent, KernelNewton, PrimalNewton
from inffs.target import signs

__all__ = ["LinearSVM", "gram_path", "svm_path"]

_LARGEST = 8000  # samples, or features, whose square matrix is held


def svm_path(X: Any, Y: np.ndarray, Cs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Linear SVMs with squared hinge and an intercept that is not penalised, for rising C.

    Minimises 1/2 |w|^2 + C sum_i max(0, 1 - Y_ik (w'x_i + b))^2 for every column k of Y and
    every C, each C started from the one before. With fewer features than samples Newton's method
    works on the weights, else on the samples' inner products. A table that is large in both ways is
    left to L-BFGS.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite numbers; columns of comparable scale.
    Y : array of shape (n_samples, n_labels)
        -1 and 1.
    Cs : array of shape (n_Cs,)
        Positive; given from small to large they share most of the work.

    Returns
    -------
    coef : array of shape (n_Cs, n_labels, n_features)
    intercept : array of shape (n_Cs, n_labels)

    See Also
    --------
    LinearSVM : The estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation.svm import svm_path
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> coef, intercept = svm_path(X, np.array([[-1], [-1], [1], [1]]), [0.01, 100.0])
    >>> np.sign(X @ coef[1].T + intercept[1]).ravel()
    array([-1., -1.,  1.,  1.])
    """
    X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if by_samples(*X.shape):
        gram = X @ X.T
        beta, intercept = gram_path(gram.toarray() if sparse.issparse(X) else gram, Y, Cs)
        return np.stack([(X.T @ part.T).T for part in beta]), intercept
    solver = PrimalNewton if X.shape[1] <= _LARGEST else Descent
    return _one_by_one(solver(X), Y, Cs)


def gram_path(gram: np.ndarray, Y: np.ndarray, Cs: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same from the samples' inner products, or any positive semidefinite kernel.

    Returns coefficients (n_Cs, n_labels, n_samples) and intercepts (n_Cs, n_labels); the decision
    values of other samples are their products with these samples, times the coefficients.
    """
    return _one_by_one(KernelNewton(gram), Y, Cs)


def by_samples(T: int, n: int) -> bool:
    """Whether the samples' inner products are the cheaper form."""
    return n >= T and T <= _LARGEST


def _one_by_one(solver: Any, Y: np.ndarray, Cs: Any) -> tuple[np.ndarray, np.ndarray]:
    paths = [solver.path(np.asarray(y, dtype=np.float64), Cs) for y in Y.T]
    coef, intercept = zip(*paths, strict=True)
    return np.stack(coef, axis=1), np.stack(intercept, axis=1)


class LinearSVM(ClassifierMixin, BaseEstimator):
    """Linear support vector classifier with squared hinge loss and a free intercept.

    scikit-learn's ``LinearSVC`` penalises the intercept, which costs accuracy if classes are
    unbalanced. Here it is free, as in the definition of the SVM, and the solution is exact. With
    more than two classes, there is one model per class against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss; the penalty is half the squared length of the weights.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_labels, n_features) and (n_labels,)
        One label for two classes, else one per class.
    classes_ : array
        The classes, sorted.

    See Also
    --------
    sklearn.svm.LinearSVC : Penalises the intercept.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.evaluation import LinearSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> float(LinearSVM().fit(X, y).score(X, y)) > 0.9
    True
    """

    _parameter_constraints = {"C": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> LinearSVM:
        """Fit the classifier to samples and their classes."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"LinearSVM needs samples of at least 2 classes, and y has 1 class only: "
                f"{self.classes_[0]!r}."
            )
        Y = signs(codes, self.classes_.size)
        centre = np.zeros(X.shape[1]) if sparse.issparse(X) else X.mean(axis=0)
        coef, intercept = svm_path(X if sparse.issparse(X) else X - centre, Y, [self.C])
        self.coef_, self.intercept_ = coef[0], intercept[0] - coef[0] @ centre
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return signed values: a vector for two classes, else a column for every class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        values = X @ self.coef_.T + self.intercept_
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the largest value."""
        values = self.decision_function(X)
        places = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[places]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
