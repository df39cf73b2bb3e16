"""L0-SVM: a linear SVM whose weights repeatedly rescale the columns until few are left."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs._utils.threads import column_blocks
from inffs.base import FeatureSelector
from inffs.methods.solvers.elimination import centred_features, one_vs_one, refuse_tiny
from inffs.scores import Ranking

_GONE = 1e-3  # a scale below this share of the largest is zero
_SETTLED = 1e-3


class L0SVM(FeatureSelector):
    """Rank features by approximate minimisation of the zero norm of a linear SVM (l2-AROM).

    Each column has a scale, initially 1. In each iteration an SVM is trained on the scaled columns,
    and each scale is multiplied by |w_j| (the multiplicative update of the paper), until all
    factors are within 0.1 % of 1 or after ``max_iter`` iterations. A feature is removed when its
    scale falls below a thousandth of the largest. The remaining features are the subset that the
    method selects. The score is the number of iterations that a feature remained plus its final
    scale, relative to the largest.

    The published program requires separable classes (infinite C); here ``C`` is finite, and any
    classes are allowed. With more than two classes there is an SVM for every pair of classes, and
    the factor is sqrt(sum of w_j^2).

    It takes O(T^2 n) time per iteration and O(T^2 + nT) memory. The result depends on the scales of
    the columns. Bring columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" selects those whose scale is not zero.
    C : float, default=100.0
        The cost of a sample on the wrong side of its margin. A large value gives the hard margin
        of the paper.
    max_iter : int, default=20
        The maximum number of iterations.

    Attributes
    ----------
    n_iter_ : int
        The number of iterations.

    See Also
    --------
    inffs.methods.FSV : A concave penalty on a linear program.
    inffs.methods.SVMRFE : Eliminate features by the weights of a linear SVM.

    References
    ----------
    J. Weston, A. Elisseeff, B. Schölkopf, M. Tipping, "Use of the zero-norm with linear models and
    kernel methods", Journal of Machine Learning Research 3, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import L0SVM
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = L0SVM(n_features_to_select=3).fit(scale(X)[::3], y[::3])
    >>> selector.get_support(indices=True)
    array([ 2,  9, 12])
    """

    _supervised = True
    _chooses_size = True
    _fixed_scale = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, *, n_features_to_select: Any = "auto", C: float = 100.0, max_iter: int = 20
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.max_iter = max_iter

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        refuse_tiny(X)
        scores = np.zeros(X.shape[1])
        remaining, scale = np.arange(X.shape[1]), np.ones(X.shape[1])
        bound = np.full(y.size, float(self.C))
        for done in track(range(self.max_iter), "multiplicative updates"):
            self.n_iter_ = done + 1
            factor = _weights(_scaled(X, remaining, scale), y, bound)
            if not (scale * factor).any():  # no feature separates the classes
                break
            scale = scale * factor
            scores[remaining] = done + scale / scale.max()
            keep = scale > _GONE * scale.max()
            remaining, scale = remaining[keep], scale[keep]
            if np.linalg.norm(factor - 1) < _SETTLED * np.linalg.norm(factor):
                break
        scores[remaining] += 1.0
        return Ranking(
            scores, size=remaining.size, why=f"{remaining.size} features have a non-zero scale."
        )


def _scaled(X: np.ndarray, remaining: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The remaining columns, centred and multiplied by their scales, one per row."""
    scaled = np.empty((remaining.size, X.shape[0]))
    with np.errstate(over="ignore"):
        for block in column_blocks(remaining.size, X.shape[0]):
            part = centred_features(X[:, remaining[block]])
            np.multiply(part, scale[block, None], out=scaled[block])
        if np.isfinite(np.einsum("ij,ij->", scaled, scaled)):
            return scaled
    raise ValueError(
        "The weights of L0SVM grow past the range of floating point on these values: "
        "scale the columns first, or give a smaller C."
    )


def _weights(features: np.ndarray, y: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """|w_j|; for several machines the root of the sum of squares."""
    machines = one_vs_one(features, y, bound)
    return np.sqrt(np.sum([m.squared_weights(features) for m in machines], axis=0))
