"""The 1-norm SVM: features ranked by their entry into its path."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._utils.progress import track
from inffs.base import FeatureSelector
from inffs.methods.lasso_unhinged import weighted_first
from inffs.methods.solvers.hinge_lp import HingeProgram, LinearModel
from inffs.methods.solvers.one_vs_rest import sides, standardise, standardised_target
from inffs.scores import Ranking
from inffs.target import REGRESSION

_DEPTH = 1e-3  # the last lambda of the path, as a share of the bound above which all is zero


class LassoHinge(FeatureSelector):
    """Rank features by an L1-penalised linear classifier with the hinge loss.

    The model minimises (1/T) sum_i max(0, 1 - y_i (w.z_i + b)) + alpha |w|_1 over w and b, where z
    are the standardised columns: the plain hinge loss, not its square, with a free bias. The
    literature states the problem (van de Geer 2008), but no ranking; here

    - with ``alpha="path"``, ``n_alphas`` values of alpha form a geometric path from the bound above
      which w = 0 down to a thousandth of it. The score is the largest alpha at which the feature
      has a weight. Features that enter together are ordered by |w_j| at the last alpha, and those
      that never enter by their gain |sum_i a_i y_i z_ij|: how close they are to entering.
    - with a number, the score is |w_j| at this alpha, and the features with a weight are the subset
      that ``n_features_to_select="auto"`` selects.

    For regression (y scaled to mean 0 and variance 1) the squared loss replaces the hinge loss:
    this is the lasso, by scikit-learn's coordinate descent.

    With more than two classes there is one model per class against the rest, and a feature gets its
    largest entry and the sum of |w_j|. Each alpha takes a few linear programs over the few columns
    that matter (HiGHS, column generation) and O(nT) time for the gains of all features, until the
    hinge loss is 0. With thousands of samples in overlapping classes a path takes many minutes:
    give one alpha there. The memory is O(nT + n_alphas n). The scales of the columns do not matter.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. With a single alpha "auto" selects the features that have
        a weight.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    alpha : "path" or float, default="path"
        The penalty.
    n_alphas : int, default=50
        The number of points of the path.

    Attributes
    ----------
    alpha_ : float
        The penalty of the result (the last one of the path for ``alpha="path"``).
    alphas_ : ndarray of shape (n_alphas,)
        The decreasing penalties of the path (only with ``alpha="path"``).

    See Also
    --------
    inffs.methods.LassoUnhinged : The linear loss with an l1 penalty.
    inffs.methods.FSV : A concave penalty on a linear program.

    References
    ----------
    S. A. van de Geer, "High-dimensional generalized linear models and the lasso", Annals of
    Statistics 36, 2008.
    J. Zhu, S. Rosset, T. Hastie, R. Tibshirani, "1-norm support vector machines", NIPS 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import LassoHinge
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = LassoHinge(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 6,  9, 12])
    """

    _supervised = True
    _chooses_size = True
    _targets = ("classification", "regression")
    _scale_free = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "alpha": [StrOptions({"path"}), Interval(Real, 0, None, closed="neither")],
        "n_alphas": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        alpha: float | str = "path",
        n_alphas: int = 50,
        target_type: str = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.n_alphas = n_alphas
        self.target_type = target_type

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        if self.target_type_ == REGRESSION:
            machines, follow, bound = [standardised_target(y)], walk_lasso, largest_alpha
        else:
            machines, follow, bound = sides(y, self.classes_.size), walk, upper_bound
        Z = standardise(X)
        if self.alpha != "path":
            self.alpha_ = float(self.alpha)
            points = [follow(Z, side, [self.alpha_])[-1] for side in machines]
            return weighted_first(*sums(points), self.alpha_)
        top = max(bound(Z, side) for side in machines)
        self.alphas_ = falling_alphas(top, self.n_alphas)
        self.alpha_ = float(self.alphas_[-1])
        return _by_entry([follow(Z, side, self.alphas_) for side in machines], self.alphas_)


def falling_alphas(top: float, count: int) -> np.ndarray:
    """A geometric path that ends at a thousandth of ``top``."""
    return top * _DEPTH ** (np.arange(1, count + 1) / count)


def upper_bound(Z: np.ndarray, side: np.ndarray) -> float:
    """An alpha above which w = 0 is optimal, from the dual point with equal class weights."""
    positive = side > 0
    apart = (positive / positive.sum() - ~positive / (~positive).sum()) @ Z
    share = min(positive.mean(), 1 - positive.mean())
    return max(float(share * np.abs(apart).max()), np.finfo(float).tiny)


def walk(Z: np.ndarray, side: np.ndarray, alphas: Any) -> list[LinearModel]:
    """The solution at every decreasing alpha; the last one is repeated once the loss is 0."""
    T, n = Z.shape
    program = HingeProgram(Z, side, np.full(T, 1 / T))
    path: list[LinearModel] = []
    for alpha in track(alphas, "following the hinge path"):
        still = path and _stands_still(path[-1], alpha)
        path.append(path[-1] if still else program.solve(np.full(n, alpha)))
    return path


def _stands_still(point: LinearModel, alpha: float) -> bool:
    """Whether the loss is 0, or no weight reduces the objective yet."""
    return point.loss <= 1e-10 or (not point.weights.any() and point.gains.max() <= alpha)


def walk_lasso(Z: np.ndarray, side: np.ndarray, alphas: Any) -> list[LinearModel]:
    """The lasso (1/2T) |y - b - Zw|^2 + alpha |w|_1 at every alpha; Z has columns of mean 0.

    A gain is |z_j . residual| / T. The feature enters where it reaches alpha.
    """
    target = side - side.mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        _, weights, _ = lasso_path(
            np.asfortranarray(Z), target, alphas=alphas, tol=1e-8, max_iter=100_000
        )
    rest = target[:, None] - Z @ weights
    gains, losses = np.abs(Z.T @ rest) / side.size, (rest**2).mean(axis=0) / 2
    return [
        LinearModel(w, float(side.mean()), gain, float(loss))
        for w, gain, loss in zip(weights.T, gains.T, losses, strict=True)
    ]


def largest_alpha(Z: np.ndarray, side: np.ndarray) -> float:
    """The smallest alpha at which all weights of the lasso are 0."""
    return max(float(np.abs((side - side.mean()) @ Z).max()) / side.size, np.finfo(float).tiny)


def _by_entry(paths: list[list[LinearModel]], alphas: np.ndarray) -> Ranking:
    entry = np.zeros(paths[0][0].weights.size)
    for path in paths:
        for alpha, point in zip(alphas, path, strict=True):
            entry = np.where(point.weights != 0, np.maximum(entry, alpha), entry)
    weight, gain = sums([path[-1] for path in paths])
    return Ranking(entry, np.lexsort((-gain, -weight, -entry)))


def sums(points: list[LinearModel]) -> tuple[np.ndarray, np.ndarray]:
    """|w_j| and the gain of every feature, summed over the machines."""
    weight = np.sum([np.abs(point.weights) for point in points], axis=0)
    return weight, np.sum([point.gains for point in points], axis=0)
