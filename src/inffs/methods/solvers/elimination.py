"""Backward elimination by the squared weights of linear SVMs, shared by the SVM-RFE family."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils import gen_batches

from inffs._utils.progress import track
from inffs._utils.threads import values_at_once
from inffs.methods.solvers.dual_svm import DualSVM, NotSolvedError
from inffs.methods.solvers.proximal_svm import ProximalSVM

_REBUILD = 100  # removals between two fresh Gram matrices
_LARGEST = 8000  # the largest square matrix held has this many rows; beyond it libsvm takes over
_TALL = 1.5  # with more samples than this times the features proximal steps replace the pivots,
_FEW = 500  # unless the samples are so few that pivots cost next to nothing
_TINY = 1e-140  # values below: their squares, and those of the weights, come near 0
_TIE = 1e-10  # criteria this close (relative) are a tie: the solver rounds at 1e-11


class Machine:
    """One two-class SVM on some of the rows, kept at its optimum while features leave."""

    def __init__(
        self, features: np.ndarray, rows: np.ndarray, y: np.ndarray, bound: np.ndarray
    ) -> None:
        self.rows, self.y, self.bound = rows, y, bound
        self.dual: DualSVM | None = None  # while there are more features than samples
        self.primal: ProximalSVM | None = ProximalSVM(y, bound)
        if rows.size <= _LARGEST and not self._has_few_features(features):
            self.dual = DualSVM(self._gram(features), y, bound)

    def _has_few_features(self, features: np.ndarray) -> bool:
        return self.rows.size > max(_FEW, _TALL * len(features))

    def _gram(self, features: np.ndarray) -> np.ndarray:
        gram = np.zeros((self.rows.size, self.rows.size))
        for block in gen_batches(features.shape[0], max(1, values_at_once() // self.rows.size)):
            part = features[block]
            part = part if self.rows.size == part.shape[1] else part[:, self.rows]
            gram += part.T @ part
        return gram

    def squared_weights(self, features: np.ndarray) -> np.ndarray:
        """w_j^2 of the SVM on these features (one per row), those of the last ``rebuild``."""
        try:
            coef = np.zeros(features.shape[1])
            coef[self.rows] = self._coef(features)
            return (features @ coef) ** 2
        except NotSolvedError:
            return self._libsvm(features) ** 2

    def _coef(self, features: np.ndarray) -> np.ndarray:
        if self.dual is not None:
            try:
                return self.dual.solve()
            except NotSolvedError:
                self.dual = None
        if self.primal is None or len(features) > min(_LARGEST, self.rows.size):
            raise NotSolvedError
        try:
            return self.primal.solve(features[:, self.rows])
        except NotSolvedError:
            self.primal = None
            raise

    def _libsvm(self, features: np.ndarray) -> np.ndarray:
        weight = self.bound / self.bound.max()
        model = SVC(
            C=self.bound.max(), kernel="linear", gamma="auto", tol=1e-6,
            max_iter=10**5,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                model.fit(features[:, self.rows].T, self.y, sample_weight=weight)
            except ValueError as error:
                raise ValueError(
                    "The linear SVM on these values has no finite solution in floating point: "
                    "scale the columns first (MinMaxScaler)."
                ) from error
        return model.coef_[0]

    def drop(self, feature: np.ndarray) -> None:
        """Remove one feature from the Gram matrix."""
        if self.dual is not None:
            try:
                self.dual.drop_feature(feature[self.rows])
            except NotSolvedError:
                self.dual = None

    def rebuild(self, features: np.ndarray) -> None:
        """Compute the Gram matrix of these features; the coefficients are kept as a start."""
        if self.dual is None:
            return
        if self.primal is not None and self._has_few_features(features):
            self.primal.coef, self.primal.bias, self.dual = self.dual.coef, self.dual.bias, None
        else:
            try:
                self.dual.replace_gram(self._gram(features))
            except NotSolvedError:
                self.dual = None


def refuse_tiny(X: np.ndarray) -> None:
    """Raise an error for values so small that the squared weights underflow."""
    if np.abs(X).max() < _TINY:
        raise ValueError(
            "The values of X are so small that the squared weights of an SVM leave the range of "
            "floating point: scale the columns first."
        )


def centred_features(X: np.ndarray) -> np.ndarray:
    """The columns of X as rows, centred: the intercept is free, so offsets only cause rounding."""
    features = np.array(X.T, dtype=np.float64, order="C")
    for _ in range(2):
        features -= features.mean(axis=1, keepdims=True)
    return features


def one_vs_one(features: np.ndarray, y: np.ndarray, bound: np.ndarray) -> list[Machine]:
    """One machine for every pair of classes; rows with bound 0 are left out."""
    machines = []
    for first, second in itertools.combinations(range(int(y.max()) + 1), 2):
        rows = np.flatnonzero(((y == first) | (y == second)) & (bound > 0))
        side = np.where(y[rows] == second, 1.0, -1.0)
        if np.ptp(side) > 0:
            machines.append(Machine(features, rows, side, bound[rows]))
    return machines


def eliminate(
    X: np.ndarray, y: np.ndarray, bound: np.ndarray, step: float
) -> tuple[np.ndarray, np.ndarray]:
    """Drop the features of least sum of w^2 until none is left.

    ``bound`` holds an upper bound C_i for every sample; ``step`` is a number of features or, below
    1, the share of those that remain. Returns the order of features, best first, and scores that
    fall along it: the largest criterion any feature had on leaving, up to this one's leaving.
    """
    refuse_tiny(X)
    features = centred_features(X)  # a copy: rows are emptied
    n = features.shape[0]
    machines = one_vs_one(features, y, bound)
    rounding = np.finfo(np.float64).eps * y.size * bound.max() * np.abs(features).sum(axis=1)
    names = np.arange(n)  # of the rows of ``features``; -1 once a feature has left
    left, order, criterion = n, np.empty(n, dtype=np.intp), np.empty(n)
    for size in track(_chunk_sizes(n, step), "eliminating features"):
        weights = np.sum([machine.squared_weights(features) for machine in machines], axis=0)
        leaving = _smallest(np.where(names < 0, np.inf, weights), size)
        left -= size
        order[left : left + size] = names[leaving[::-1]]
        criterion[left : left + size] = weights[leaving[::-1]]
        names[leaving] = -1
        features, names = _forget(machines, features, names, leaving)
    criterion[criterion <= rounding[order] ** 2] = 0.0  # w is a sum over the samples
    scores = np.empty(n)
    scores[order] = np.maximum.accumulate(criterion[::-1])[::-1]
    return order, scores


def _forget(
    machines: list[Machine], features: np.ndarray, names: np.ndarray, leaving: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Remove features from every machine; rebuild them periodically."""
    gone = int(np.count_nonzero(names < 0))
    if gone == names.size:
        return features, names
    some_dual = any(machine.dual is not None for machine in machines)
    if leaving.size == 1 and gone < _REBUILD and some_dual:
        for machine in machines:
            machine.drop(features[leaving[0]])
        features[leaving[0]] = 0.0
        if not any(machine.dual is not None and machine.dual.drained for machine in machines):
            return features, names
    features, names = features[names >= 0], names[names >= 0]
    for machine in machines:
        machine.rebuild(features)
    return features, names


def _chunk_sizes(n: int, step: float) -> list[int]:
    """The number of features removed each time; the last one is removed alone."""
    sizes = []
    while n:
        size = int(step * n) if step < 1 else int(step)
        sizes.append(min(max(1, size), max(1, n - 1)))
        n -= sizes[-1]
    return sizes


def _smallest(weights: np.ndarray, size: int) -> np.ndarray:
    """The indices of the smallest weights in increasing order, ties to the smaller index."""
    if size == 1:
        return np.flatnonzero(weights <= weights.min() * (1 + _TIE))[:1]
    return np.argsort(weights, kind="stable")[:size]
