"""FSV: a separating plane with few features, by successive linear programs."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.methods.solvers.hinge_lp import HingeProgram, LinearModel
from inffs.methods.solvers.one_vs_rest import sides, standardise
from inffs.scores import Ranking


class FSV(FeatureSelector):
    """Rank features by concave minimisation of a separating plane.

    The plane w.z = g minimises (1 - sparsity) times the mean distance by which samples of either
    class lie beyond their margin, plus sparsity sum_j (1 - exp(-alpha |w_j|)), a smooth count of
    the features used. The concave term is replaced by its tangent at the last |w|, starting at w =
    0, and linear programs are solved until the value no longer decreases (the successive
    linearisation of the paper). The score is |w_j|. Features without a weight follow by |w_j| of
    the first program, then by their gain in it. The features with a weight are the subset that the
    method selects.

    The published library omits the slack variables (infeasible for overlapping classes), stops
    after three programs and uses the raw columns. Here classes may overlap, and columns are
    standardised, because exp(-alpha |w|) depends on their scale. With more than two classes there
    is one plane per class against the rest, and the score is the sum of |w_j|.

    Each program is solved with HiGHS over the few columns that matter (column generation): O(nT)
    time for pricing and a program with T rows, a handful of times. The scales of the columns do not
    matter. If few features separate a class, planes of equal value can have different weights; the
    order of samples and columns then decides which of them HiGHS returns.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" selects those that have a weight.
    sparsity : float, default=0.05
        The share of the objective that counts features, between 0 and 1.
    alpha : float, default=5.0
        The sharpness of the count.
    max_iter : int, default=50
        The maximum number of linear programs per class.

    Attributes
    ----------
    n_iter_ : int
        The largest number of linear programs that a class needed.

    See Also
    --------
    inffs.methods.LassoHinge : The hinge loss with an l1 penalty.
    inffs.methods.L0SVM : Rescale by the weights until few are left.

    References
    ----------
    P. S. Bradley, O. L. Mangasarian, "Feature selection via concave minimization and support
    vector machines", ICML 1998.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import FSV
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = FSV(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 6, 10, 12])
    """

    _supervised = True
    _chooses_size = True
    _scale_free = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "sparsity": [Interval(Real, 0, 1, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        sparsity: float = 0.05,
        alpha: float = 5.0,
        max_iter: int = 50,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.sparsity = sparsity
        self.alpha = alpha
        self.max_iter = max_iter

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        Z = standardise(X)
        planes = [
            separate(Z, side, self.sparsity, self.alpha, self.max_iter)
            for side in track(sides(y, self.classes_.size), "separating planes")
        ]
        self.n_iter_ = max(plane.programs for plane in planes)
        weight = np.sum([np.abs(plane.last.weights) for plane in planes], axis=0)
        early = np.sum([np.abs(plane.first.weights) for plane in planes], axis=0)
        gain = np.sum([plane.first.gains for plane in planes], axis=0)
        kept = int(np.count_nonzero(weight))
        why = f"{kept} features have a weight in the separating planes."
        if kept == 0:
            why = f"No feature is worth its cost at sparsity = {self.sparsity:g}; the best is kept."
            kept = 1
        return Ranking(weight, np.lexsort((-gain, -early, -weight)), kept, why)


@dataclass(frozen=True)
class Plane:
    """The first and the last program of a successive linearisation, and how many there were."""

    first: LinearModel
    last: LinearModel
    programs: int


def separate(
    Z: np.ndarray, side: np.ndarray, sparsity: float, alpha: float, max_iter: int
) -> Plane:
    """Successive linearisation from w = 0."""
    count = np.where(side > 0, np.count_nonzero(side > 0), np.count_nonzero(side < 0))
    program = HingeProgram(Z, side, (1 - sparsity) / count)
    first = last = program.solve(np.full(Z.shape[1], sparsity * alpha))
    for done in range(1, max_iter):
        costs = sparsity * alpha * np.exp(-alpha * np.abs(last.weights))
        point = program.solve(costs)
        fall = last.loss - point.loss + costs @ (np.abs(last.weights) - np.abs(point.weights))
        if fall <= 1e-9:
            return Plane(first, last, done)
        last = point
    return Plane(first, last, max_iter)
