"""Inf-FS with weights that are chosen by cross-validation, with the selection in every fold."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from inffs._utils.threads import run_jobs
from inffs.base import FeatureSelector, Ranked
from inffs.cuts import Samples, apply_cut, needs_table
from inffs.cuts.cut import size_asked
from inffs.evaluation import EVALUATORS, Evaluator, Part, find_evaluator
from inffs.evaluation.assess import choose
from inffs.evaluation.folds import Split, splits_of
from inffs.inf_fs import _PathSelector
from inffs.paths import walk_grid
from inffs.relations import (
    BoundTable,
    Coupling,
    Decorrelation,
    Dispersion,
    Relation,
    check_weights,
    simplex,
)
from inffs.scores import Scored
from inffs.validation.adjustment import adjust_target, remove_effects
from inffs.validation.checks import identical_columns, require_varying_columns

GRID_CONSTRAINT = [Interval(Integral, 2, None, closed="left"), "array-like"]


class _PathSelectorCV(_PathSelector):
    """Base of both cross-validated forms: a grid of weights, evaluated at the requested size."""

    _supervised = True
    _targets = ("classification", "multilabel", "regression", "survival")
    _lazy = False
    grid_parameter = ""  # the parameter that holds the candidates
    _parameter_constraints: dict = {
        **FeatureSelector._parameter_constraints,
        "estimator": [HasMethods(["fit"]), StrOptions(set(EVALUATORS)), None],
        "scoring": [str, callable, None],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    estimator: Any
    scoring: Any
    cv: Any
    n_jobs: Any

    def _grid(self) -> np.ndarray:
        """Candidate weights, one per row."""
        raise TypeError(f"{type(self).__name__} has no grid")

    def _grid_scores(self, X: Any, y: Any, grid: np.ndarray) -> np.ndarray:
        """Scores (n, candidates) of the columns of X, which all vary."""
        raise TypeError(f"{type(self).__name__} has no grid")

    def _name_candidate(self, weights: np.ndarray) -> dict:
        raise TypeError(f"{type(self).__name__} has no grid")

    def _for_parts(self) -> Any:
        """A copy that ranks parts of the table with the weights chosen on the whole."""
        chosen = list(self.best_params_.values())
        return clone(self).set_params(**{self.grid_parameter: chosen})

    def _rank_samples(self, samples: Samples) -> Ranked:
        if not hasattr(self, "best_params_"):
            self._choose_weights(samples)
        return super()._rank_samples(samples)

    def _choose_weights(self, samples: Samples) -> None:
        candidates, best = [self._name_candidate(row) for row in self._grid()], 0
        if len(candidates) > 1:
            (folds,), (best,) = self._evaluate_grid(samples, [self.n_features_to_select])
            self.cv_results_ = _results_table(folds, candidates)
            self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        self.best_params_ = candidates[best]
        for name, value in self.best_params_.items():
            setattr(self, f"{name}_", value)

    def choose(self, X: Any, y: Any, sizes: list, groups: Any = None) -> list[dict]:
        """Choose the weights for several sizes, with one ranking per fold and candidate."""
        X, y = self._check_table(X, y)
        _, best = self._evaluate_grid(Samples(X, y, groups=groups), sizes)
        return [self._name_candidate(self._grid()[place]) for place in best]

    def _evaluate_grid(self, samples: Samples, sizes: list) -> tuple[np.ndarray, list[int]]:
        """Scores of shape (sizes, folds, candidates), and the candidate chosen for each size."""
        grid, target = self._grid(), samples.known_target.occurring()
        samples = replace(samples.by_rows(), target=target)
        evaluator = find_evaluator(self.estimator, self.scoring, target.type)
        splits = splits_of(self.cv, samples.X, target.strata(), samples.groups)
        evaluate = delayed(self._evaluate_fold)
        jobs = (evaluate(samples, split, grid, sizes, evaluator) for split in splits)
        found = np.array(run_jobs(jobs, self.n_jobs, "cross-validation", len(splits)))
        distance = ((grid - 1 / grid.shape[1]) ** 2).sum(axis=1)  # from equal weights
        scores = found.swapaxes(0, 1)
        return scores, [choose(folds, distance) for folds in scores]

    def _evaluate_fold(
        self, samples: Samples, split: Split, grid: np.ndarray, sizes: list, evaluator: Evaluator
    ) -> np.ndarray:
        """Scores of shape (sizes, candidates) on the test part.

        What the covariates explain in the training part is removed from both parts.
        """
        X, target, known = samples.X, samples.known_target, samples.covariates
        if known is not None:
            X, target = remove_effects(X, known, split[0]), adjust_target(target, known, split[0])
        training = Samples(X, target).take(split[0]).by_columns()
        varying = require_varying_columns(training.X, "the training part of a fold")
        table = training.of_columns(varying).X
        scores = self._grid_scores(table, training.known_target.occurring(), grid)
        subsets = [
            varying[Scored(column).best_first()[: self._size_of(asked, column, X.shape[1])]]
            for asked in sizes
            for column in scores[identical_columns(table)].T
        ]
        return evaluator.scores(Part(X, target, *split), subsets)[:, 0].reshape(len(sizes), -1)

    def _size_of(self, asked: Any, scores: np.ndarray, n: int) -> int:
        """The size; a rule that ranks parts of the samples is replaced by a cut by scores."""
        asked = "knee" if asked == "auto" or needs_table(asked) else asked
        return size_asked(asked, n) or apply_cut(asked, scores).size


class InfFSUCV(_PathSelectorCV):
    """Rank features by Inf-FS_U with alpha chosen by cross-validation, as in the paper.

    In every fold one walk of the graph gives the scores at all alphas, and an estimator evaluates
    the features selected at each alpha on the held-out part. Ties go to the alpha nearest 0.5. The
    labels are used for the choice of alpha and, with "auto", of the size.

    A fit takes about as long as one fit of :class:`InfFSU` per fold, and the fits of the estimator;
    with "auto" twice as long. The memory is that of :class:`InfFSU`.

    Parameters
    ----------
    alphas : int or array, default=11
        The number of equally spaced alphas on [0, 1], or the alphas.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select, in every fold and at the end.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    estimator : classifier or name of an evaluator, optional
        The default is a linear SVM on standardised columns.
    scoring : str or callable, optional
        The default is the score of the estimator.
    cv : int, splitter or iterable, default=5
        The folds, which are stratified, and by group if ``groups`` are given.
    n_jobs : int, optional
        The number of folds that joblib runs at the same time.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    cv_results_ : dict
        The score of every alpha on every fold, as in the searches of scikit-learn.
    best_score_, best_params_
        The mean score of the chosen alpha, and the alpha as a dict.

    See Also
    --------
    InfFSU : Takes one alpha.

    References
    ----------
    G. Roffo et al., "Infinite Feature Selection: A Graph-based Feature Filtering Approach", IEEE
    TPAMI 2020, Sec. 4.1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSUCV
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSUCV(n_features_to_select=3).fit(X, y).n_features_
    3
    """

    grid_parameter = "alphas"
    _parameter_constraints: dict = {
        **_PathSelectorCV._parameter_constraints,
        "alphas": GRID_CONSTRAINT,
    }

    def __init__(
        self,
        alphas: Any = 11,
        *,
        n_features_to_select: Any = "auto",
        estimator: Any = None,
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: Any = None,
        target_type: str = "auto",
    ) -> None:
        self.alphas = alphas
        self.n_features_to_select = n_features_to_select
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.target_type = target_type

    alpha_: float

    def _grid(self) -> np.ndarray:
        given = self.alphas
        whole = isinstance(given, Integral)
        alphas = np.arange(given) / (given - 1) if whole else np.ravel(given)
        if not ((alphas >= 0) & (alphas <= 1)).all():
            raise ValueError(f"Every alpha must lie in [0, 1]; {given!r} do not.")
        return np.stack([alphas, 1 - alphas], axis=1)

    def _grid_scores(self, X: Any, y: Any, grid: np.ndarray) -> np.ndarray:
        table = BoundTable(X, memory_limit=self.memory_limit)
        parts = [Dispersion().bind(table), Decorrelation().bind(table)]
        return walk_grid(parts, grid.T)

    def _name_candidate(self, weights: np.ndarray) -> dict:
        return {"alpha": float(weights[0])}

    def _relation(self) -> Relation:
        return self.alpha_ * Dispersion() + (1 - self.alpha_) * Decorrelation()


class InfFSSCV(_PathSelectorCV):
    """Rank features by Inf-FS_S with weights chosen by cross-validation, as in the paper.

    The measures are computed once per fold and combined for every candidate. Ties go to the weights
    nearest (1/3, 1/3, 1/3).

    A fit takes O(nT) time per fold and the fits of the estimator, and memory for a few blocks of
    columns.

    Parameters
    ----------
    weight_grid : int or array of shape (candidates, 3), default=5
        The number of equally spaced values on each edge of the simplex, to which equal weights are
        added (5 values give 16 candidates), or the candidates.
    bins : "auto" or int, default="auto"
        The number of equal-width bins for the mutual information.
    n_features_to_select, estimator, scoring, cv, n_jobs, target_type
        As for :class:`InfFSUCV`.

    Attributes
    ----------
    weights_ : tuple of three floats
        The chosen weights.
    cv_results_, best_score_, best_params_
        As for :class:`InfFSUCV`.

    See Also
    --------
    InfFSS : Takes the weights.

    References
    ----------
    G. Roffo et al., "Infinite Feature Selection: A Graph-based Feature Filtering Approach", IEEE
    TPAMI 2020, Sec. 4.1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSSCV
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSSCV(n_features_to_select=3).fit(X, y).n_features_
    3
    """

    grid_parameter = "weight_grid"
    _parameter_constraints: dict = {
        **_PathSelectorCV._parameter_constraints,
        "weight_grid": GRID_CONSTRAINT,
        "bins": [StrOptions({"auto"}), Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        weight_grid: Any = 5,
        *,
        n_features_to_select: Any = "auto",
        bins: Any = "auto",
        estimator: Any = None,
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: Any = None,
        target_type: str = "auto",
    ) -> None:
        self.weight_grid = weight_grid
        self.n_features_to_select = n_features_to_select
        self.bins = bins
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.target_type = target_type

    weights_: tuple[float, float, float]

    def _grid(self) -> np.ndarray:
        if not isinstance(self.weight_grid, Integral):
            return np.array([check_weights(row) for row in np.atleast_2d(self.weight_grid)])
        return np.array(simplex(int(self.weight_grid)))

    def _grid_scores(self, X: Any, y: Any, grid: np.ndarray) -> np.ndarray:
        measures = Coupling(tuple(grid.max(axis=0)), self.bins).measure(X, y)
        return np.stack(measures, axis=1) @ grid.T

    def _name_candidate(self, weights: np.ndarray) -> dict:
        return {"weights": tuple(float(weight) for weight in weights)}

    def _relation(self) -> Relation:
        return Coupling(self.weights_, self.bins)


def _results_table(folds: np.ndarray, params: list[dict]) -> dict:
    """``cv_results_`` in the form of scikit-learn's searches."""
    means = folds.mean(axis=0)
    place = 1 + (means[None, :] > means[:, None] + 1e-12).sum(axis=1)
    table: dict[str, Any] = {f"split{i}_test_score": fold for i, fold in enumerate(folds)}
    table |= {"mean_test_score": means, "std_test_score": folds.std(axis=0)}
    return {"params": params, **table, "rank_test_score": place}
