"""GraHTP: gradient hard-thresholding pursuit for sparse logistic and linear regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.base import FeatureSelector
from inffs.methods.nhtp import NHTP, Pursuit, score_by_pursuits
from inffs.methods.solvers.logistic import Logistic, largest
from inffs.scores import Scored

_SHORTEST = 1e-4


class GraHTP(FeatureSelector):
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
        The number of features to select. "auto" selects the support.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    n_nonzero : int, default=None
        The size s of the support of each model. None means the number of features to select, or a
        fifth of the number of samples if a cut chooses that.
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

    _supervised = True
    _chooses_size = True
    _targets = ("classification", "multilabel", "regression")
    _scale_free = True
    _size_matters = True
    _parameter_constraints = NHTP._parameter_constraints

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_nonzero: int | None = None,
        max_iter: int = 100,
        tol: float = 1e-8,
        target_type: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_nonzero = n_nonzero
        self.max_iter = max_iter
        self.tol = tol
        self.target_type = target_type

    def _score(self, X: np.ndarray, y: np.ndarray) -> Scored:
        return score_by_pursuits(self, pursue_exactly, X, y)


def pursue_exactly(problem: Logistic, size: int, max_iter: int, tol: float) -> Pursuit:
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
                return Pursuit(x, done)
            new = minimise(problem, candidate, x, tol)
            if problem.value(new) < value * (1 - 1e-10):
                break
            step /= 2
        else:
            return Pursuit(x, done)
        x, value, support = new, problem.value(new), candidate
    return Pursuit(x, max_iter)


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
