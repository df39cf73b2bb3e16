"""The rule that "auto" is with labels: the smallest size that predicts as well as the best one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inffs.cuts.by_scores import Knee
from inffs.cuts.cut import Cut, RankAgain, Ranking, SizeRule
from inffs.cuts.evaluate import evaluate_sizes
from inffs.cuts.samples import Samples


@dataclass(frozen=True)
class Predict(SizeRule):
    """The smallest size whose cross-validated score is within a tolerance of the best.

    This is what "auto" means for a method that uses labels. The features are ranked again in every
    fold of four times five, and a linear SVM (ridge for numbers, a Cox model for survival times)
    predicts the samples left out from the best 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150 and
    200 of them, from more where the best lies at the end. The mean scores are smoothed over the
    logarithm of the size. A smaller size is kept as well if its loss, fold by fold, is within the
    tolerance by two standard errors: smoothing would round off a step that is far larger.

    The score is the accuracy, the balanced accuracy where one class holds more than 80 % of the
    samples (of 4 against 44 samples no accuracy can be told from the baseline), R2, the mean
    average precision of several labels, or the concordance index. Nothing is claimed where the best
    smoothed mean does not beat the baseline by 2.5 standard errors of as many samples as there are
    distinct samples or groups: then one feature is kept because a selection cannot be empty, and
    the cut is marked ``forced``.

    The folds follow from the target, the groups and the seed. Copies of a sample, and samples of
    one group, stay on one side of every split. Classes with fewer samples than folds are ranked
    but not evaluated. Larger tables get fewer repeats: one of more than four million values is
    ranked five times. Of more than 2,000 samples a stratified sample of 2,000 decides. With fewer
    than ten samples nothing can be evaluated: the knee of the scores decides, and the cut is marked
    ``forced``.

    Parameters
    ----------
    tolerance : float, default=0.005
        How far the smoothed score may lie below the best one. 0 serves accuracy alone.
    scoring : str or callable, optional
        A scorer of scikit-learn instead of the score above.
    cv : int, splitter or iterable, optional
        Folds, by default four times five; a number is repeated as well.
    estimator : str or estimator, optional
        Predicts instead of the usual model: a name in ``inffs.evaluation`` or any estimator.
    random_state : int, default=0
        Seed of the folds.

    See Also
    --------
    Stability : Asks how reproducible a selection is.

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

    tolerance: float = 0.005
    scoring: Any = None
    cv: Any = None
    estimator: Any = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise ValueError(f"Predict takes a tolerance of 0 or more, not {self.tolerance!r}.")

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
