"""The cut that a cross-validated check supports."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import binom

from inffs._engine.progress import track
from inffs.columns.lazy import LazyTable
from inffs.cuts.by_scores import Knee
from inffs.cuts.cut import BuiltInCut, Cut
from inffs.cuts.permuted import PermutedLabels
from inffs.evaluation.choice import choose
from inffs.evaluation.folds import make_folds
from inffs.evaluation.judges import find_judge
from inffs.evaluation.parts import CLASSES, NUMBERS, SURVIVAL, Part, as_target

_GRID = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_C = 0.1  # of the judge: a value of its path that serves few samples as well as many
_SELDOM = 0.0005  # measured: the best size on noise lies above it in one of twenty tables
_GUESS = {NUMBERS: 0.0, SURVIVAL: 0.5}  # R2 and concordance of knowing nothing
_FEWEST = 10  # samples that can be checked


@dataclass(frozen=True)
class Evidence:
    """What is known before the choice: where the prior is, and a judge's scores of every size.

    ``folds`` has the shape (n_folds, n_sizes); ``guess`` is what guessing reaches; ``n_samples``
    is 0 where the scores are no shares of right answers.
    """

    prior: Cut
    sizes: np.ndarray
    folds: np.ndarray
    guess: float
    n_samples: int = 0

    def choose(self) -> int:
        """The size nearest the prior (as a factor) among those not clearly worse than the best."""
        distance = np.abs(np.log(self.sizes / self.prior.size))
        return int(self.sizes[choose(self.folds, distance)])

    def mean(self, size: int) -> float:
        """The judge's mean score of this size."""
        return float(self.folds[:, self._place(size)].mean())

    def best(self) -> int:
        """The size with the best mean; the smallest among equals."""
        return int(self.sizes[int(np.argmax(np.round(self.folds.mean(axis=0), 12)))])

    def beats_guessing(self, size: int) -> bool:
        """Whether guessing hardly ever gives so many right answers.

        The size was chosen among many and the folds are not independent, so the bound is strict.
        Scores that are no shares of right answers have to lie three standard errors above.
        """
        scores = self.folds[:, self._place(size)]
        if self.n_samples:
            right = round(self.n_samples * float(scores.mean()))
            return bool(binom.sf(right - 1, self.n_samples, self.guess) <= _SELDOM)
        error = scores.std(ddof=1) / np.sqrt(scores.size)
        return bool(scores.mean() - 3 * error > self.guess)

    def _place(self, size: int) -> int:
        return int(np.searchsorted(self.sizes, size))


@dataclass(frozen=True)
class Supported(BuiltInCut):
    """The features that stand out, unless a check says that another size predicts better.

    Begins with the smaller of two sizes: ``permuted`` (what stands out against permuted labels) and
    ``knee`` (where the scores bend). Then the features are ranked again in every fold and a linear
    SVM judges the best 1, 2, 3, 5, 10, 20, 50, ... of them on the samples left out. The first size
    is kept unless it is worse than the best one by more than a standard error of their paired
    differences; then the nearest size that is not is taken.

    Where nothing stands out and the features kept do not predict better than guessing, nothing is
    claimed and the cut is marked ``forced``.

    Fits the method once per fold, and five times more where ``permuted`` has to fit it: at most ten
    fits by default, and the judge's. Tables on disk, streams, and tables of fewer than ten samples
    or three per class are not checked: there the first size stays, under the name of its rule.

    Parameters
    ----------
    q : float, default=0.1
        The false-discovery rate of ``permuted``.
    folds : int, default=5
        Folds of the check, stratified by the labels.
    random_state : int, default=0
        Seed of the permutations and of the folds.

    See Also
    --------
    PermutedLabels, Knee : Where it begins.
    CrossValidation : The size that predicts best.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts import Supported
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select=Supported(folds=3)).fit(X, y).cut_.name
    'supported'
    """

    q: float = 0.1
    folds: int = 5
    random_state: int = 0

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        prior = self.prior(scores, selector, X, y)
        if not _can_be_checked(selector, X, y):
            return prior
        evidence = self.evidence(prior, selector, X, y)
        if len(evidence.folds) < 2:
            return prior
        size = evidence.choose()
        forced = prior.forced and not evidence.beats_guessing(size)
        size = 1 if forced else size
        why = _why(evidence, size, forced)
        return replace(prior, name="supported", size=size, why=why, forced=forced)

    def prior(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        """The smaller of knee and permuted; one of them alone where the other says nothing."""
        bend = Cut("knee", *Knee()(scores))
        if X is None or y is None or not _has_null(selector, y):
            return bend
        rule = PermutedLabels(self.q, fits=5, random_state=self.random_state)
        found = rule(scores, selector=selector, X=X, y=y)
        is_order = bool((np.diff(np.sort(scores)) == 1).all())
        if found.forced or is_order or found.size <= bend.size:
            return found
        why = f"{bend.why} Against permuted labels {found.size} stand out."
        return replace(bend, why=why, q_values=found.q_values)

    def evidence(self, prior: Cut, selector: Any, X: Any, y: np.ndarray) -> Evidence:
        """Every size judged on samples that had no part in the ranking."""
        table = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
        target = as_target(y)
        sizes = np.unique([size for size in _GRID if size <= table.shape[1]] + [prior.size])
        judge, rows = find_judge(kind=target.kind), []
        splits = make_folds(target.strata(), self.folds, seed=self.random_state)
        for train, test in track(splits, "checking the size"):
            order = _ranked(selector, table[train], y[train])
            if order is not None:
                part = Part(table, target, train, test)
                rows.append(judge.scores(part, [order[:size] for size in sizes], [_C])[:, 0])
        judged = len(y) if target.kind == CLASSES else 0
        return Evidence(prior, sizes, np.array(rows), _guess(target), judged)


def _ranked(selector: Any, X: Any, y: np.ndarray) -> np.ndarray | None:
    """The order on some samples; None where the method cannot rank them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return selector.rank_again(X, y)
        except ValueError:  # all columns constant in this part, say
            return None


def _can_be_checked(selector: Any, X: Any, y: Any) -> bool:
    if selector is None or X is None or y is None or isinstance(X, LazyTable):
        return False
    few = y.ndim == 1 and y.dtype.kind in "iu" and np.bincount(y).min() < 3
    return y.shape[0] >= _FEWEST and not few


def _has_null(selector: Any, y: np.ndarray) -> bool:
    """Whether permuted labels tell something: classes, and scores that depend on them."""
    return y.dtype.kind in "iu" and any(selector._label_weights() or ())


def _guess(target: Any) -> float:
    if target.kind == CLASSES:
        return float(np.bincount(target.values).max() / target.values.size)
    if target.kind in _GUESS:
        return _GUESS[target.kind]
    return float(target.values.mean())


def _why(evidence: Evidence, size: int, forced: bool) -> str:
    """What stood out and what the check said of it."""
    prior, best = evidence.prior, evidence.best()
    here, top = evidence.mean(size), evidence.mean(best)
    if forced:
        return (
            f"{prior.why} In a check no size did clearly better than guessing ({top:.1%} at best, "
            f"{evidence.guess:.1%} by guessing)."
        )
    if prior.forced:
        return (
            f"No single feature stands out against permuted labels, but the best {size} predict: "
            f"{here:.1%} in a check, {evidence.guess:.1%} by guessing."
        )
    if size != prior.size:
        return (
            f"{prior.why} In a check {prior.size} do clearly worse than {best} "
            f"({evidence.mean(prior.size):.1%} against {top:.1%}); {size} ({here:.1%}) is the "
            "nearest size that does not."
        )
    if here >= top - 1e-12:
        return f"{prior.why} In a check no other size does better ({here:.1%})."
    return f"{prior.why} In a check they do as well as {best} ({here:.1%} against {top:.1%})."
