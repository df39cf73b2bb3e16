"""The rule that "auto" is with labels: the smallest size that predicts as well as the best one.

Every size is evaluated on samples that had no part in the ranking.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.sparse import issparse

from inffs._utils.progress import in_passes, track
from inffs.cuts.by_scores import Knee
from inffs.cuts.curve import Cohort, Curve, Fold, filled
from inffs.cuts.cut import Cut, RankAgain, SizeRule, SizeSelection
from inffs.cuts.samples import Samples
from inffs.evaluation.evaluators import find_evaluator
from inffs.evaluation.folds import N_FOLDS, Part, Split, holdout
from inffs.scores import Ranking
from inffs.validation.lazy import LazyTable

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
_SPARSE = (300, 500)  # evaluated as well for sparse tables, whose features tell little each
_FURTHER = (300, 500, 700, 1000)  # evaluated where the best lies at the end
_REPEATS = 4
_MOST = 2000  # samples that decide the size
_FEWEST = 10  # samples, or groups of samples, that can be evaluated


@dataclass(frozen=True)
class Predict(SizeRule):
    """Keep the smallest size whose cross-validated score is close to the best one.

    This is what "auto" means for a method that uses labels. The features are ranked again in every
    fold of five folds, four times. A linear SVM (ridge for numbers, a Cox model for survival times)
    predicts the test samples from the best features. The sizes are 1, 2, 3, 5, 7, 10, 15, 20, 30,
    50, 70, 100, 150 and 200, for a sparse table also 300 and 500. Larger sizes follow if the best
    one is the last. The mean scores are smoothed over the logarithm of the size. The smallest size
    within ``tolerance`` of the best one is kept. A smaller size is also kept if its loss over the
    folds is within the tolerance by two standard errors.

    The score is the accuracy, R2, the mean average precision of several labels, or the concordance
    index. It is the balanced accuracy if one class holds more than 80 % of the samples. The rule
    claims nothing if the best smoothed mean does not exceed the baseline by 2.5 standard errors.
    One feature is then kept because a selection cannot be empty, and the cut is marked ``forced``.

    The rounds of folds end early if the best smoothed mean is less than one standard error above
    the baseline, because a claim is then out of reach.

    The folds depend on the target, the groups and the seed. Copies of a sample, and samples of one
    group, stay on one side of every split. Classes with fewer samples than folds are ranked but not
    evaluated. Larger tables get fewer repeats. A table of more than four million values is ranked
    five times. Of more than 2,000 samples, a stratified sample of 2,000 decides. With fewer than
    ten samples nothing can be evaluated. The knee of the scores then decides, and the cut is marked
    ``forced``.

    Parameters
    ----------
    tolerance : "auto" or float, default="auto"
        How far the smoothed score may lie below the best one. "auto" is half a standard error of
        the best accuracy, and at least 0.005. For other scores than an accuracy it is 0.005. With 0
        the best size is kept.
    scoring : str or callable, optional
        A scorer of scikit-learn instead of the score above.
    cv : int, splitter or iterable, optional
        The folds, by default four times five. A number of folds is repeated as well.
    estimator : str or estimator, optional
        The model that predicts: a name in ``inffs.evaluation`` or any estimator.
    random_state : int, default=0
        Seed of the folds.

    See Also
    --------
    Stability : Chooses the most reproducible size.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts import Predict
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = InfFSS(n_features_to_select=Predict(tolerance=0.01)).fit(X, y)
    >>> selector.cut_.name
    'predict'
    """

    tolerance: float | str = "auto"
    scoring: Any = None
    cv: Any = None
    estimator: Any = None
    random_state: int = 0

    def __post_init__(self) -> None:
        number = isinstance(self.tolerance, Real) and self.tolerance >= 0
        if not number and self.tolerance != "auto":
            raise ValueError(
                f'Predict takes tolerance="auto" or a number from 0, not {self.tolerance!r}.'
            )

    def __call__(self, ranking: Ranking, samples: Samples | None, rank_again: RankAgain) -> Cut:
        """The size, and as ``evidence`` what was measured."""
        if samples is not None and samples.target is None:
            raise ValueError(
                "The cut 'predict' needs labels, and this method does not use them: use a "
                "supervised method, or the cut 'stability'."
            )
        found: Any = "The size was not evaluated, because no table was kept."
        if samples is not None:
            found = evaluate_sizes(
                samples, rank_again, tolerance=self.tolerance, scoring=self.scoring, cv=self.cv,
                estimator=self.estimator, random_state=self.random_state,
            )  # fmt: skip
        if isinstance(found, str):
            size, why = Knee()(np.minimum.accumulate(ranking.scores[ranking.order]))
            return Cut("knee", size, f"{found} {why}", forced=samples is not None)
        return Cut("predict", found.size, found.why, forced=not found.claimed, evidence=found)


def evaluate_sizes(
    samples: Samples,
    rank_again: RankAgain,
    *,
    sizes: Sequence[int] | None = None,
    tolerance: float | str = "auto",
    scoring: Any = None,
    cv: Any = None,
    estimator: Any = None,
    random_state: int = 0,
    repeats: int = _REPEATS,
) -> SizeSelection | str:
    """What every size reaches; a sentence where the samples do not suffice.

    Parameters
    ----------
    samples : Samples
        What was ranked.
    rank_again : callable
        ``rank_again(samples, n)`` gives the order of the features on some of the samples.
    sizes : sequence of int, optional
        Sizes to evaluate. By default 1 to 200, of a sparse table to 500, and more where the best
        lies at the end.
    repeats : int, default=4
        How often there are folds, where the table is small.
    tolerance, scoring, cv, estimator, random_state
        As :class:`inffs.cuts.Predict` takes them.
    """
    rows = _decisive(samples, random_state)
    few = (samples if rows.size == len(samples) else samples.take(rows)).by_rows()
    if getattr(rank_again, "takes_weights", False):
        few, first = few.merged()
        rows = rows[first]
    cohort = Cohort.of(few, int(cv) if isinstance(cv, Integral) else N_FOLDS)
    if cohort.n_units < _FEWEST or cohort.n_folds < 2:
        return "The size was not evaluated, because there are too few samples."
    n, most = few.X.shape[1], max(SIZES if sizes is None else sizes)
    evaluated = _sizes_of(few.X) if sizes is None else [size for size in sizes if size <= n]
    evaluator = find_evaluator(estimator, scoring, cohort.target.type)
    curve = Curve(cohort, evaluator, scoring, evaluated)
    rounds = cohort.rounds(cv, random_state, repeats)
    table = few.X if isinstance(few.X, LazyTable) else filled(few.X)
    with in_passes(len(rounds)):
        for number, splits in enumerate(rounds):
            if number and curve.hopeless():
                break
            curve.add_folds(_rank_folds(cohort, table, splits, rank_again, min(n, most)))
    if len(curve.folds) < 2:
        return "The size was not evaluated: parts of the samples cannot be ranked or have no score."
    for size in _FURTHER if sizes is None else ():
        if curve.best_is_last() and curve.sizes[-1] < size <= n:
            curve.add_size(size)
    most_lost = curve.tolerance() if isinstance(tolerance, str) else tolerance
    return curve.selection(curve.smallest(most_lost), rows)


def _sizes_of(X: Any) -> list[int]:
    """The sizes to evaluate first: of few features, all of them are the last one."""
    n = X.shape[1]
    sizes = [size for size in ((*SIZES, *_SPARSE) if issparse(X) else SIZES) if size <= n]
    return [*sizes, n] if sizes[-1] < n < SIZES[-1] else sizes


def _decisive(samples: Samples, seed: int) -> np.ndarray:
    """All rows, or those of a stratified sample of a large table."""
    T = len(samples)
    if T <= _MOST:
        return np.arange(T)
    strata = samples.known_target.strata()
    return holdout(strata, 1 - _MOST / T, seed, groups=samples.groups)[0]


def _rank_folds(
    cohort: Cohort, table: Any, splits: list[Split], rank_again: RankAgain, most: int
) -> list[Fold]:
    """The features, ranked again in every training part, to which the rare classes belong."""
    samples, folds = cohort.samples, []
    rare = np.setdiff1d(np.arange(len(samples)), cohort.evaluated)
    for train, test in track(splits, "ranking in folds"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                order = rank_again(samples.take(np.sort(np.append(train, rare))), most)
            except ValueError:  # all columns are constant in this part, for example
                continue
        folds.append(Fold(Part(table, cohort.target, train, test), order, samples))
    return folds
