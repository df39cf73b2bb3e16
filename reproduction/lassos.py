"""Both lassos at the penalty of best accuracy in five folds, as in the paper's experiments.

Of a path of penalties the one with the best accuracy in stratified folds is taken, the largest in
case of ties. Nothing is random.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

from inffs._utils.threads import over_columns
from inffs.methods import LassoHinge, LassoUnhinged
from inffs.methods.lasso_hinge import falling_alphas, sums, upper_bound, walk
from inffs.methods.lasso_unhinged import mean_products, weighted_first
from inffs.methods.solvers.one_vs_rest import column_scale, sides, standardise, stratified_folds
from inffs.scores import Ranking

N_ALPHAS = 50


class LassoHingeCV(LassoHinge):
    """The hinge loss; after the fit ``alphas_`` and ``cv_scores_`` hold what was compared."""

    _parameter_constraints = {
        **LassoHinge._parameter_constraints, "alpha": [StrOptions({"cv"})]
    }  # fmt: skip

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        Z, machines = standardise(X), sides(y, self.classes_.size)
        self.alphas_ = falling_alphas(max(upper_bound(Z, each) for each in machines), self.n_alphas)
        self.cv_scores_ = self._accuracy(X, y)
        tried = self.alphas_[: int(np.argmax(self.cv_scores_)) + 1]
        self.alpha_ = float(tried[-1])
        points = [walk(Z, side, tried)[-1] for side in machines]
        return weighted_first(*sums(points), self.alpha_)

    def _accuracy(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        right = np.zeros(self.alphas_.size)
        for train, test in stratified_folds(y):
            centre, scale = X[train].mean(axis=0, dtype=np.float64), column_scale(X[train])
            learned, other = (X[train] - centre) / scale, (X[test] - centre) / scale
            paths = [walk(learned, each, self.alphas_) for each in sides(y[train], y.max() + 1)]
            decisions = [[other @ at.weights + at.bias for at in path] for path in paths]
            right += (vote(np.array(decisions)) == y[test]).sum(axis=1)
        return right / y.size


class LassoUnhingedCV(LassoUnhinged):
    """The unhinged loss; after the fit ``alphas_`` and ``cv_scores_`` hold what was compared."""

    _parameter_constraints = {
        **LassoUnhinged._parameter_constraints, "alpha": [StrOptions({"cv"})]
    }  # fmt: skip

    def _score(self, X: Any, y: np.ndarray) -> Ranking:
        side = np.array(sides(y, int(y.max()) + 1))
        moments = np.abs(mean_products(X, side, column_scale(X)))
        self.alphas_ = falling_alphas(moments.max(), N_ALPHAS)
        self.cv_scores_ = self._accuracy(X, y, side)
        self.alpha_ = float(self.alphas_[np.argmax(self.cv_scores_)])
        weight = np.maximum(moments - self.alpha_, 0.0).sum(axis=0)
        return weighted_first(weight, moments.sum(axis=0), self.alpha_)

    def _accuracy(self, X: Any, y: np.ndarray, side: np.ndarray) -> np.ndarray:
        right = np.zeros(self.alphas_.size)
        for train, test in stratified_folds(y):
            of_block = partial(_decisions, side=side, alphas=self.alphas_, train=train, test=test)
            right += (vote(np.sum(over_columns(X, of_block), axis=0)) == y[test]).sum(axis=1)
        return right / y.size


def _decisions(
    block: Any, *, side: np.ndarray, alphas: np.ndarray, train: Any, test: Any
) -> np.ndarray:
    """The contribution of some columns to the decisions (machines, alphas, test samples)."""
    rows = block.tocsr() if sparse.issparse(block) else block
    learned = sparse.csc_array(rows[train]) if sparse.issparse(rows) else rows[train]
    centre = np.asarray(learned.mean(axis=0, dtype=np.float64)).ravel()
    scale = column_scale(learned)
    moments = mean_products(rows[train], side[:, train], scale)
    decisions = np.empty((len(moments), alphas.size, test.size))
    for machine, m in enumerate(moments):
        weights = np.sign(m) * np.maximum(np.abs(m) - alphas[:, None], 0.0) / scale
        decisions[machine] = np.asarray(rows[test] @ weights.T).T - (weights @ centre)[:, None]
    return decisions


def vote(decisions: np.ndarray) -> np.ndarray:
    """Class codes from decision values, with one machine per entry of the first axis."""
    if len(decisions) == 1:
        return (decisions[0] > 0).astype(int)
    return decisions.argmax(axis=0)
