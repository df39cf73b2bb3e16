"""NHTP and GraHTP: hard-thresholding pursuits for sparse logistic and linear regression."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.methods.solvers.one_vs_rest import sides, standardise, standardised_target
from inffs.scores import Ranking
from inffs.target import REGRESSION

_SUFFICIENT = 5e-5  # sigma of the line search
_DELTA = 1e-10
_SHORTEST = 1e-4
_RIDGE = 1e-6


class NHTP(FeatureSelector):
    """Rank features by Newton hard-thresholding pursuit.

    The method minimises the logistic loss f(x), or the squared loss for regression, with at most s
    non-zero weights. From x = 0 it takes a gradient step of length eta, keeps the support of the s
    largest entries, takes a Newton step on this support, and shortens it until f decreases enough.
    It stops when x is a stationary point of the thresholded step within ``tol``. Parameters,
    initial step and the order of the tests are those of the authors' program, iterate for iterate.
    For separable classes the loss tends to 0, and a ridge of 1e-6 / T keeps the weights finite.

    The columns are standardised, which also replaces the missing intercept; the authors scale rows
    and columns. The score is |x_j|; features outside the support follow by |gradient|. The support
    is the subset that the method selects. With more than two classes there is one model per class
    against the rest, and the score is the sum of |x_j|.

    An iteration takes O(Tn + T s^2) time; the memory is O(Tn). The scales of the columns do not
    matter.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select, which is also the size s of the support of each model.
        Without a number s is a fifth of the number of samples (the authors' choice for
        microarrays), and "auto" selects the features of all supports.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    max_iter : int, default=2000
        The maximum number of iterations per class.
    tol : float, default=1e-6
        The distance from stationarity at which the iteration ends.

    Attributes
    ----------
    n_iter_ : int
        The largest number of iterations that a class needed.

    See Also
    --------
    inffs.methods.GraHTP : Gradient steps with hard thresholding.
    inffs.methods.L0SVM : Rescale by the weights until few are left.

    References
    ----------
    S. Zhou, N. Xiu, H.-D. Qi, "Global and quadratic convergence of Newton hard-thresholding
    pursuit", Journal of Machine Learning Research 22, 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import NHTP
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = NHTP(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 0,  6, 12])
    """

    _supervised = True
    _chooses_size = True
    _targets = ("classification", "multilabel", "regression")
    _scale_free = True
    _size_matters = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        max_iter: int = 2000,
        tol: float = 1e-6,
        target_type: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_iter = max_iter
        self.tol = tol
        self.target_type = target_type

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        """Run one pursuit per class against the rest (one for regression); unite the supports."""
        Z = standardise(X)
        size = min(self._size_asked(self.n_features_in_) or -(-Z.shape[0] // 5), Z.shape[1])
        if self.target_type_ == REGRESSION:
            problems: list[Logistic] = [LeastSquares(Z, standardised_target(y))]
        else:
            problems = [Logistic(Z, (side > 0) * 1.0) for side in sides(y, self.classes_.size)]
        pursuits = [
            self._pursue(problem, size) for problem in track(problems, "hard-thresholding pursuits")
        ]
        self.n_iter_ = max(iterations for _, iterations in pursuits)
        score = np.sum([np.abs(x) for x, _ in pursuits], axis=0)
        slopes = [each.gradient(x) for each, (x, _) in zip(problems, pursuits, strict=True)]
        slope = np.sum(np.abs(slopes), axis=0)
        kept = max(1, int(np.count_nonzero(score)))
        why = f"{kept} features have a non-zero weight."
        return Ranking(score, np.lexsort((-slope, -score)), kept, why)

    def _pursue(self, problem: Logistic, size: int) -> tuple[np.ndarray, int]:
        return pursue(problem, size, self.max_iter, self.tol)


def pursue(problem: Logistic, size: int, max_iter: int, tol: float) -> tuple[np.ndarray, int]:
    """The authors' iteration from x = 0: the weights, and the number of iterations."""
    x = np.zeros(problem.table.shape[1])
    value, slope = problem.value(x), problem.gradient(x)
    eta, old = _first_step(problem, slope, size), np.empty(0, dtype=int)
    if slope @ slope < 1e-20:
        return x, 0
    for k in range(1, max_iter + 1):
        stepped = x - eta * slope
        support = largest(stepped, size)
        lost = np.setdiff1d(old, support, assume_unique=True)
        error = _distance(x, slope, support, lost, eta)
        if error < tol:
            return x, k
        direction, descent = _direction(problem, x, slope, support, lost, eta)
        new, value_new = _search(problem, x, support, direction, descent, value)
        rose = value_new > value
        if rose:
            new = np.zeros_like(x)
            new[support] = stepped[support]
            value_new = problem.value(new)
        change = abs(value_new - value) / (1 + abs(value_new))
        if k > 10 and ((change < 1e-6 and rose) or (change < 1e-10 and error < 1e-2)):
            return x if value_new > value else new, k
        x, value, slope, old = new, value_new, problem.gradient(new), support
        if k % 50 == 0:
            eta = _adapted(eta, error, k)
    return x, max_iter


def _first_step(problem: Logistic, slope: np.ndarray, size: int) -> float:
    """The step from all 1, as published, or all -1: the order of the classes does not matter."""
    n = slope.size
    first = np.full(n, 1.0 if slope[np.argmax(np.abs(slope))] >= 0 else -1.0)
    slopes = np.abs(problem.gradient(first))
    slopes = slopes[slopes > 1e-8]
    if slopes.size == 0:
        return 10 * (1 + size / n) / min(10, np.log(max(n, 2)))
    mean = np.mean(1 / slopes)
    if mean > 2:
        return np.log2(1 + mean) / np.log2(mean) * np.exp((size / n) ** (1 / 3))
    if mean < 1:
        return np.log2(1 + mean) * np.sqrt(n / size)
    return np.log2(1 + mean) * np.exp((size / n) ** (1 / 3))


def _distance(
    x: np.ndarray, slope: np.ndarray, support: np.ndarray, lost: np.ndarray, eta: float
) -> float:
    """How far x is from a stationary point of the thresholded gradient step."""
    outside = max(0.0, np.abs(slope).max() - np.abs(x[support]).min() / eta)
    return outside + np.sqrt(slope[support] @ slope[support] + x[lost] @ x[lost])


def _direction(
    problem: Logistic,
    x: np.ndarray,
    slope: np.ndarray,
    support: np.ndarray,
    lost: np.ndarray,
    eta: float,
) -> tuple[np.ndarray, float]:
    """The Newton direction on the support and its slope, or minus the gradient."""
    part, slack = slope[support], x[lost] @ x[lost] / (4 * eta)
    delta = 1e-4 if slack > 1e-4 else _DELTA
    weighted = problem.curvature(x) * (problem.table[:, lost] @ x[lost])
    direction = problem.newton(x, support, weighted @ problem.table[:, support] - part)
    along = direction @ part
    if not along <= max(-delta * (direction @ direction) + slack, -(part @ part)):
        return -part, part @ part  # as published: the slope has the wrong sign
    return direction, along - x[lost] @ slope[lost]


def _search(
    problem: Logistic,
    x: np.ndarray,
    support: np.ndarray,
    direction: np.ndarray,
    descent: float,
    value: float,
) -> tuple[np.ndarray, float]:
    """Halve the step, six trials at most, until the value falls enough."""
    for halving in range(6):
        step = 0.5**halving
        new = np.zeros_like(x)
        new[support] = x[support] + step * direction
        value_new = problem.value(new)
        if value_new < value + step * _SUFFICIENT * descent:
            break
    return new, value_new


def _adapted(eta: float, error: float, k: int) -> float:
    if error > 1 / k**2:
        return eta / (1.05 if k < 1500 else 1.5)
    return eta * 1.25


class GraHTP(NHTP):
    """Rank features by gradient hard-thresholding pursuit.

    The method minimises the logistic loss f(x), or the squared loss for regression, with at most s
    non-zero weights. It takes a gradient step, keeps the support of the s largest entries,
    minimises f on that support, and repeats until the support does not change (Algorithm 1 of the
    paper). The paper sets the length of the step by constants that are unknown in practice. Here it
    starts at the inverse curvature along one standardised column (4, or 1 for regression) and is
    halved until f decreases, so the iteration cannot cycle.

    The columns are standardised, which also replaces the missing intercept; a ridge of 1e-6 / T
    keeps the weights finite for separable classes. The score is |x_j|; features outside the support
    follow by |gradient|. The support is the subset that the method selects. With more than two
    classes there is one model per class against the rest, and the score is the sum of |x_j|.

    An iteration takes O(Tn + T s^2) time; the memory is O(Tn). The scales of the columns do not
    matter.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select, which is also the size s of the support of each model.
        Without a number s is a fifth of the number of samples, and "auto" selects the features of
        all supports.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    max_iter : int, default=100
        The maximum number of changes of the support per class.
    tol : float, default=1e-8
        The length of the gradient on the support at which the inner minimisation ends.

    Attributes
    ----------
    n_iter_ : int
        The largest number of supports that a class needed.

    See Also
    --------
    inffs.methods.NHTP : Newton steps with hard thresholding.
    inffs.methods.L0SVM : Rescale by the weights until few are left.

    References
    ----------
    X.-T. Yuan, P. Li, T. Zhang, "Gradient hard thresholding pursuit for sparsity-constrained
    optimization", ICML 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import GraHTP
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = GraHTP(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 0,  6, 12])
    """

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        max_iter: int = 100,
        tol: float = 1e-8,
        target_type: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.max_iter = max_iter
        self.tol = tol
        self.target_type = target_type

    def _pursue(self, problem: Logistic, size: int) -> tuple[np.ndarray, int]:
        return pursue_exactly(problem, size, self.max_iter, self.tol)


def pursue_exactly(
    problem: Logistic, size: int, max_iter: int, tol: float
) -> tuple[np.ndarray, int]:
    """Gradient step, threshold, minimise; until the support repeats."""
    x = np.zeros(problem.table.shape[1])
    support = largest(problem.gradient(x), size)
    x = minimise(problem, support, x, tol)
    value = problem.value(x)
    for done in range(1, max_iter):
        slope, step = problem.gradient(x), problem.first_step
        while step > _SHORTEST:
            candidate = largest(x - step * slope, size)
            if np.array_equal(candidate, support):
                return x, done
            new = minimise(problem, candidate, x, tol)
            if problem.value(new) < value * (1 - 1e-10):
                break
            step /= 2
        else:
            return x, done
        x, value, support = new, problem.value(new), candidate
    return x, max_iter


def minimise(problem: Logistic, support: np.ndarray, start: np.ndarray, tol: float) -> np.ndarray:
    """Newton steps with halving to the least value over one support."""
    x = np.zeros_like(start)
    x[support] = start[support]
    goal = problem.value(x) + 0.5 * problem.ridge * (x @ x)
    for _ in range(100):
        slope = problem.gradient(x)[support]
        if np.linalg.norm(slope) <= tol:
            break
        direction = problem.newton(x, support, -slope)
        if not np.isfinite(direction).all() or direction @ slope >= 0:
            direction = -slope
        for halving in range(30):
            new = x.copy()
            new[support] += 0.5**halving * direction
            goal_new = problem.value(new) + 0.5 * problem.ridge * (new @ new)
            if goal_new < goal + 1e-4 * 0.5**halving * (direction @ slope):
                break
        else:
            break
        x, goal = new, goal_new
    return x


class Logistic:
    """f(x) = mean(log(1 + exp(a_i.x)) - b_i a_i.x), labels b 0 or 1; tiny ridge in derivatives.

    The ridge mu |x|^2 / 2 with mu = 1e-6 / T is added to the derivatives only, as published: it
    keeps systems solvable and weights finite where the classes are separable.
    """

    first_step = 4.0  # 1 / curvature of the loss along one standardised column

    def __init__(self, table: np.ndarray, label: np.ndarray) -> None:
        self.table, self.label = table, label
        self.ridge = _RIDGE / label.size

    def value(self, x: np.ndarray) -> float:
        margin = self._margin(x)
        return float(np.mean(np.logaddexp(0.0, margin) - self.label * margin))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        rest = self._predicted(x) - self.label
        return rest @ self.table / self.label.size + self.ridge * x

    def _predicted(self, x: np.ndarray) -> np.ndarray:
        return expit(self._margin(x))

    def curvature(self, x: np.ndarray) -> np.ndarray:
        """The weight of every sample in the Hessian."""
        share = self._predicted(x)
        return share * (1.0 - share) / self.label.size

    def newton(self, x: np.ndarray, rows: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Solve H_SS d = right on the features S; NaN where that fails."""
        part, weight = self.table[:, rows], self.curvature(x)
        try:
            if rows.size <= weight.size:
                hessian = (part.T * weight) @ part
                hessian[np.diag_indices(rows.size)] += self.ridge
                return cho_solve(cho_factor(hessian), right)
            root = np.sqrt(weight)[:, None] * part  # a T x T system, by Woodbury's identity
            inner = root @ root.T
            inner[np.diag_indices(weight.size)] += self.ridge
            return (right - root.T @ cho_solve(cho_factor(inner), root @ right)) / self.ridge
        except LinAlgError:
            return np.full(rows.size, np.nan)

    def _margin(self, x: np.ndarray) -> np.ndarray:
        used = np.flatnonzero(x)
        if used.size * 4 < x.size:
            return self.table[:, used] @ x[used]
        return self.table @ x


class LeastSquares(Logistic):
    """f(x) = mean((a_i.x - b_i)^2) / 2 for regression, with the same ridge in its derivatives."""

    first_step = 1.0

    def value(self, x: np.ndarray) -> float:
        rest = self._margin(x) - self.label
        return float(rest @ rest) / (2 * self.label.size)

    def _predicted(self, x: np.ndarray) -> np.ndarray:
        return self._margin(x)

    def curvature(self, x: np.ndarray) -> np.ndarray:
        return np.full(self.label.size, 1 / self.label.size)


def largest(values: np.ndarray, size: int) -> np.ndarray:
    """Indices, rising, of the values of largest magnitude; ties go to the smaller index."""
    return np.sort(np.argsort(-np.abs(values), kind="stable")[:size])
