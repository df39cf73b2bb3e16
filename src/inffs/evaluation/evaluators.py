"""Evaluators: models that evaluate a set of columns. One registry, one line each.

An evaluator is fitted on the training part of some columns, standardised inside it, along its path
of settings. It returns outputs for the test part: a column per class (one for two classes), per
label, or the number itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC

from inffs._utils.threads import dense
from inffs.evaluation.cox import cox_path
from inffs.evaluation.folds import Part, inner_products
from inffs.evaluation.metrics import main_score
from inffs.evaluation.svm import LinearSVM, by_samples, gram_path, svm_path
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL, TARGET_TYPES

CS = (1e-3, 1e-2, 1e-1, 1.0, 1e1)

Subsets = Sequence[np.ndarray]
_MOST_STEPS = 1_000_000  # of libsvm, which may not end on hard problems


class Evaluator:
    """Base class of all evaluators.

    ``settings`` are ordered from the simplest model to the most flexible one.

    See Also
    --------
    find_evaluator : Returns an evaluator by its name.
    assess : Evaluates sets of columns with it.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation import Part, find_evaluator
    >>> from inffs.target import make_target
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = np.arange(150)
    >>> part = Part(X, make_target(y), rows[rows % 3 > 0], rows[rows % 3 == 0])
    >>> evaluator = find_evaluator("knn")
    >>> scores = evaluator.scores(part, [np.array([0]), np.array([2, 3])])  # sets by settings
    >>> bool(scores[1, 0] > scores[0, 0])
    True
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    targets: ClassVar[frozenset[str]] = frozenset({CLASSIFICATION, MULTILABEL})
    parameter: ClassVar[str] = "C"
    settings: tuple[float, ...] = CS
    usual: float = 0.1
    linear: ClassVar[bool] = True

    def outputs(self, part: Part, subsets: Subsets, settings: Sequence[float]) -> list[np.ndarray]:
        """Return outputs of shape (n_settings, n_test, n_outputs) for every set of columns."""
        found: dict[bytes, np.ndarray] = {}
        keys = [np.sort(columns).tobytes() for columns in subsets]
        for key, columns in zip(keys, subsets, strict=True):
            if key not in found:
                found[key] = self._outputs(part, columns, settings)
        return [found[key] for key in keys]

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} does not define _outputs")

    def scores(
        self, part: Part, subsets: Subsets, settings: Sequence[float] | None = None
    ) -> np.ndarray:
        """Return the scores on the test part, of shape (n_subsets, n_settings)."""
        settings = (self.usual,) if settings is None else settings
        found = self.outputs(part, subsets, settings)
        return np.array([
            [main_score(part.target, each, part.test) for each in outputs] for outputs in found
        ])  # fmt: skip


class LinearEvaluator(Evaluator):
    """A linear SVM with squared hinge and free intercept, exact, along a path of C."""

    name = "linear"
    title = "linear SVM"

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        Y = part.target.columns(part.train)
        if by_samples(part.train.size, columns.size):
            train, test, _ = inner_products(part, columns)
            beta, intercept = gram_path(train, Y, settings)
            return test @ beta.transpose(0, 2, 1) + intercept[:, None, :]
        A, B = part.standardised(columns)
        coef, intercept = svm_path(A, Y, settings)
        return np.stack([B @ w.T + b for w, b in zip(coef, intercept, strict=True)])


class HingeEvaluator(Evaluator):
    """The classical soft-margin SVM (hinge, free intercept) by libsvm; one against one."""

    name = "hinge"
    title = "linear SVM (hinge)"

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        train, test, _ = inner_products(part, columns)
        return libsvm(train, test, part, settings)


class RBFEvaluator(Evaluator):
    """The kernel exp(-|x - z|^2 / m), m the median of the training distances.

    A hinge SVM for classes and labels, kernel ridge regression for numbers.
    """

    name = "rbf"
    title = "RBF SVM"
    linear = False
    targets = frozenset({CLASSIFICATION, MULTILABEL, REGRESSION})

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        train, test, lengths = inner_products(part, columns)
        own = train.diagonal()
        train = own[:, None] + own - 2 * train
        test = lengths[:, None] + own - 2 * test
        apart = train[np.triu_indices_from(train, 1)]
        width = float(np.median(apart)) if apart.size else 1.0
        width = width if width > 0 else max(float(apart.max(initial=0)), 1.0)
        train, test = (np.exp(-np.maximum(each, 0) / width) for each in (train, test))
        if part.target.type != REGRESSION:
            return libsvm(train, test, part, settings)
        Y = part.target.columns(part.train)
        mean = Y.mean(axis=0)
        return mean + _ridge(train, Y - mean, test, settings)


class NeighboursEvaluator(Evaluator):
    """The mean of the five nearest training samples."""

    name = "knn"
    title = "5 nearest neighbours"
    targets = frozenset({CLASSIFICATION, MULTILABEL, REGRESSION})
    parameter = "n_neighbors"
    settings = (5,)
    usual = 5

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        A, B = part.standardised(columns)
        most = min(int(max(settings)), part.train.size)
        near = NearestNeighbors(n_neighbors=most, algorithm="brute").fit(A)
        places = near.kneighbors(B, return_distance=False)
        values = part.target.columns(part.train)[places]
        return np.stack([values[:, : int(k)].mean(axis=1) for k in settings])


class RidgeEvaluator(Evaluator):
    """Least squares with a ridge: 1/2 |w|^2 + C sum (y - f)^2, the whole path from one spectrum."""

    name = "ridge"
    title = "ridge"
    targets = frozenset({CLASSIFICATION, MULTILABEL, REGRESSION})

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        A, B = _centred(part, columns)
        Y = part.target.columns(part.train)
        mean = Y.mean(axis=0)
        if A.shape[0] > A.shape[1]:
            return mean + _ridge(A.T @ A, A.T @ (Y - mean), B, settings)
        return mean + _ridge(A @ A.T, Y - mean, B @ A.T, settings)


class CoxEvaluator(Evaluator):
    """A Cox model with a ridge, 1/2 |w|^2 - C log partial likelihood; its output is the risk."""

    name = "cox"
    title = "ridge Cox model"
    targets = frozenset({SURVIVAL})

    def _outputs(self, part: Part, columns: np.ndarray, settings: Sequence[float]) -> np.ndarray:
        A, B = _centred(part, columns)
        known = part.target.values[part.train]
        weights = cox_path(A, known["time"], known["event"], settings)
        return np.stack([(B @ w)[:, None] for w in weights])


@dataclass(frozen=True)
class EstimatorEvaluator(Evaluator):
    """An estimator of the user's, with a scorer; fitted on the columns as they are."""

    estimator: Any = None
    scoring: Any = None

    name: ClassVar[str] = "estimator"
    targets: ClassVar[frozenset[str]] = frozenset(TARGET_TYPES)

    def scores(
        self, part: Part, subsets: Subsets, settings: Sequence[float] | None = None
    ) -> np.ndarray:
        scorer = check_scoring(self.estimator, self.scoring)
        return np.array([[self._score(part, columns, scorer)] for columns in subsets])

    def _score(self, part: Part, columns: np.ndarray, scorer: Any) -> float:
        columns, target = np.sort(columns), part.target
        train, test = part.X[part.train][:, columns], part.X[part.test][:, columns]
        fitted = clone(self.estimator).fit(train, target.original(part.train))
        return float(scorer(fitted, test, target.original(part.test)))


EVALUATORS: dict[str, Evaluator] = {
    evaluator.name: evaluator()
    for evaluator in (
        LinearEvaluator, HingeEvaluator, RBFEvaluator, NeighboursEvaluator, RidgeEvaluator,
        CoxEvaluator,
    )
}  # fmt: skip
USUAL = {CLASSIFICATION: "linear", MULTILABEL: "linear", REGRESSION: "ridge", SURVIVAL: "cox"}


def find_evaluator(
    evaluator: Any = None, scoring: Any = None, kind: str = CLASSIFICATION
) -> Evaluator:
    """Return the evaluator of this name or estimator, or the default of a target type.

    Parameters
    ----------
    evaluator : str, estimator or Evaluator, optional
        A name in ``EVALUATORS`` or any estimator of scikit-learn.
    scoring : str or callable, optional
        The scorer of an estimator.
    kind : str, default="classification"
        The type of the target (see :class:`Target`).

    Returns
    -------
    Evaluator

    See Also
    --------
    assess : Evaluates sets of columns with it.

    Examples
    --------
    >>> from inffs.evaluation import find_evaluator
    >>> find_evaluator("knn").title
    '5 nearest neighbours'
    """
    if evaluator is None and (scoring is None or kind == SURVIVAL):
        return EVALUATORS[USUAL[kind]]
    if evaluator is None:
        return EstimatorEvaluator(_standard_estimator(kind), scoring)
    if isinstance(evaluator, Evaluator):
        return evaluator
    if not isinstance(evaluator, str):
        return EstimatorEvaluator(evaluator, scoring)
    able = [name for name, each in EVALUATORS.items() if kind in each.targets]
    if evaluator not in able:
        raise ValueError(
            f"There is no evaluator {evaluator!r} for {kind}; known: {', '.join(able)}."
        )
    return EVALUATORS[evaluator]


def _standard_estimator(kind: str) -> Any:
    """The default evaluator as an estimator, for a scoring of the user's."""
    from sklearn.linear_model import Ridge
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(
        StandardScaler(with_mean=False),
        LinearSVM(Evaluator.usual) if kind != REGRESSION else Ridge(),
    )
    return OneVsRestClassifier(model) if kind == MULTILABEL else model


def _centred(part: Part, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both parts of these columns, standardised, dense and with means of 0 in the training part."""
    A, B = (np.array(dense(each), dtype=np.float64) for each in part.standardised(columns))
    centre = A.mean(axis=0)
    return A - centre, B - centre


def _ridge(
    products: np.ndarray, right: np.ndarray, test: np.ndarray, settings: Sequence[float]
) -> np.ndarray:
    """The minimum of 1/2 |w|^2 + C sum (y - f)^2 for every C, from one spectrum.

    ``products`` are inner products of the features, or of the samples (a kernel).
    """
    values, vectors = linalg.eigh(products)
    right, left = vectors.T @ right, test @ vectors
    return np.stack([
        left @ (right / (np.maximum(values, 0) + 0.5 / C)[:, None]) for C in settings
    ])  # fmt: skip


def libsvm(
    train: np.ndarray, test: np.ndarray, part: Part, settings: Sequence[float]
) -> np.ndarray:
    """Outputs of libsvm on precomputed kernels; classes without a training sample come last."""
    target, codes = part.target, part.target.values[part.train]
    if target.type == MULTILABEL:
        each = [_libsvm_classes(train, test, column, 2, settings) for column in codes.T]
        return np.concatenate(each, axis=2)
    return _libsvm_classes(train, test, codes, target.n_classes, settings)


def _libsvm_classes(
    train: np.ndarray,
    test: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    settings: Sequence[float],
) -> np.ndarray:
    present = np.unique(codes)
    if present.size == 1:
        found = np.ones((len(settings), len(test), 1))
    else:
        found = np.stack([_decisions(train, test, codes, C) for C in settings])
    if n_classes == 2:
        return found if present.size == 2 else found * (2 * present[0] - 1)
    if present.size == 2:
        found = np.concatenate([-found, found], axis=2)
    full = np.full((*found.shape[:2], n_classes), found.min() - 1)
    full[:, :, present] = found
    return full


def _decisions(train: np.ndarray, test: np.ndarray, codes: np.ndarray, C: float) -> np.ndarray:
    model = SVC(C=C, kernel="precomputed", max_iter=_MOST_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(train, codes).decision_function(test).reshape(len(test), -1)
