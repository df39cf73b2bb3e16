"""The rule that "auto" is with labels: the smallest size that predicts as well as the best one.

Every size is evaluated on samples that had no part in the ranking.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import check_scoring

from inffs._utils.progress import track
from inffs._utils.words import counted
from inffs.cuts.by_scores import Knee
from inffs.cuts.cut import (
    Cut,
    RankAgain,
    Ranking,
    SizeRule,
    SizeSelection,
    smallest_near_best,
    smooth,
)
from inffs.cuts.samples import Samples
from inffs.evaluation.evaluators import EstimatorEvaluator, Evaluator, find_evaluator
from inffs.evaluation.folds import Split, by_appearance, holdout, make_folds, splits_of
from inffs.evaluation.metrics import main_score
from inffs.evaluation.parts import Part
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL, Target
from inffs.validation.adjustment import adjust_target, remove_effects
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import filled_with_medians, has_missing

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
_SPARSE = (300, 500)  # evaluated as well for sparse tables, whose features tell little each
_FURTHER = (300, 500, 700, 1000)  # evaluated where the best lies at the end
_N_FOLDS, _REPEATS = 5, 4
_WORK = 4e6  # values of the table that all repeats together rank; one repeat at least
_MOST = 2000  # samples that decide the size
_FEWEST = 10  # samples, or groups of samples, that can be evaluated
_CLAIM = 2.5  # standard errors above the baseline
_UNEQUAL = 0.8  # share of the largest class above which the accuracy is balanced
_NAMES = {
    "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "r2": "R2",
    "mean_average_precision": "mean average precision", "concordance": "C-index",
}  # fmt: skip


@dataclass(frozen=True)
class Predict(SizeRule):
    """The smallest size whose cross-validated score is within a tolerance of the best.

    This is what "auto" means for a method that uses labels. The features are ranked again in every
    fold of four times five, and a linear SVM (ridge for numbers, a Cox model for survival times)
    predicts the samples left out from the best 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150 and
    200 of them (of a sparse table also 300 and 500), from more where the best lies at the end. The
    mean scores are smoothed over the logarithm of the size. A smaller size is kept as well if its
    loss, fold by fold, is within the tolerance by two standard errors: smoothing would round off a
    step that is far larger.

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


def evaluate_sizes(
    samples: Samples,
    rank_again: RankAgain,
    *,
    sizes: Sequence[int] | None = None,
    tolerance: float = 0.005,
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
    few = (samples if rows is None else samples.take(rows)).by_rows()
    rows = np.arange(len(few)) if rows is None else rows
    if getattr(rank_again, "takes_weights", False):
        few, first = few.merged()
        rows = rows[first]
    cohort = _Cohort.of(few, int(cv) if isinstance(cv, Integral) else _N_FOLDS)
    if cohort.n_units < _FEWEST or cohort.n_folds < 2:
        return "The size was not evaluated, because there are too few samples."
    n = few.X.shape[1]
    asked = SIZES if sizes is None else tuple(sizes)
    most = min(n, max(asked))
    folds = _rank_folds(cohort, cohort.splits(cv, random_state, repeats), rank_again, most)
    if len(folds) < 2:
        return "The size was not evaluated, because parts of the samples cannot be ranked."
    evaluator = find_evaluator(estimator, scoring, cohort.target.type)
    curve = _Curve(cohort, folds, evaluator, scoring)
    if sizes is None and n < SIZES[-1]:
        asked = (*asked, n)
    elif sizes is None and issparse(few.X):
        asked = (*asked, *_SPARSE)
    curve.add(asked, n)
    for size in _FURTHER if sizes is None else ():
        if curve.best_is_last() and size <= n:
            curve.add([size], n)
    return curve.selection(curve.smallest(tolerance), rows)


@dataclass(frozen=True)
class _Cohort:
    """The samples, and which of them are evaluated: not those of classes too small for the folds.

    ``units`` are equal for samples that stay together.
    """

    samples: Samples
    target: Target
    units: np.ndarray
    evaluated: np.ndarray
    n_folds: int
    left_out: str = ""

    @classmethod
    def of(cls, samples: Samples, n_folds: int) -> _Cohort:
        target, units = samples.known_target, samples.units()
        if samples.covariates is not None:  # and anew in every fold
            target = adjust_target(target, samples.covariates, weight=samples.sample_weight)
        everyone = np.arange(len(samples))
        if target.type != CLASSIFICATION:
            return cls(samples, target, units, everyone, min(n_folds, np.unique(units).size))
        pairs = np.unique(np.stack([target.values, units]), axis=1)
        sizes = np.bincount(pairs[0], minlength=target.n_classes)
        n_folds = int(min(n_folds, np.sort(sizes)[-2]))
        rare = np.flatnonzero((sizes < n_folds) & (sizes > 0))
        evaluated = np.flatnonzero(~np.isin(target.values, rare))
        left_out = ""
        if rare.size:
            left_out = (
                f"{counted(rare.size, 'class', 'classes')} with fewer than {n_folds} samples "
                f"({everyone.size - evaluated.size} in all) could not be evaluated."
            )
        return cls(samples, target, units, evaluated, n_folds, left_out)

    @property
    def n_units(self) -> int:
        return int(np.unique(self.units[self.evaluated]).size)

    def n_effective(self, rows: np.ndarray | None = None) -> float:
        """As many units of equal weight determine a weighted mean as well (Kish 1965)."""
        rows = self.evaluated if rows is None else rows
        units = np.unique(self.units[rows], return_inverse=True)[1]
        each = np.bincount(units, weights=self.weight[rows])
        return float(each.sum() ** 2 / (each @ each))

    @property
    def weight(self) -> np.ndarray:
        weight = self.samples.sample_weight
        return np.ones(len(self.samples)) if weight is None else weight

    def splits(self, cv: Any, seed: int, most: int) -> list[Split]:
        """Rows of the samples: repeated folds of the evaluated ones."""
        strata, units = self.target.strata()[self.evaluated], self.units[self.evaluated]
        together = units if self.n_units < units.size else None
        if cv is None or isinstance(cv, Integral):
            T, n = self.samples.X.shape
            repeats = int(np.clip(_WORK // (T * n), 1, most))
            strata = strata if strata.ndim == 2 else by_appearance(strata)
            found = make_folds(strata, self.n_folds, groups=together, seed=seed, repeats=repeats)
        else:
            found = splits_of(cv, np.zeros((units.size, 1)), strata, together)
        return [(self.evaluated[train], self.evaluated[test]) for train, test in found]

    def shares(self) -> np.ndarray:
        """The weighted share of every class among those evaluated."""
        codes, weight = self.target.values[self.evaluated], self.weight[self.evaluated]
        return np.bincount(codes, weights=weight, minlength=self.target.n_classes) / weight.sum()


@dataclass(frozen=True)
class _Fold:
    part: Part
    order: np.ndarray
    samples: Samples

    def read(self, n: int) -> tuple[Part, np.ndarray]:
        """The part, and where its best n features stand: of a table on disk only these are read."""
        best = self.order[:n]
        design = self.samples.covariates
        if not isinstance(self.part.X, LazyTable) and design is None:
            return self.part, best
        X, target = _filled(np.asarray(self.part.X[:, best])), self.part.target
        if design is not None:
            known = design, self.part.train, self.samples.sample_weight
            X, target = remove_effects(X, *known), adjust_target(target, *known)
        return replace(self.part, X=X, target=target), np.arange(best.size)


def _filled(table: Any) -> Any:
    return filled_with_medians(table) if has_missing(table) else table


def _decisive(samples: Samples, seed: int) -> np.ndarray | None:
    """Rows of a stratified sample of a large table; None where all samples decide."""
    T = len(samples)
    if T <= _MOST:
        return None
    strata = samples.known_target.strata()
    return holdout(strata, 1 - _MOST / T, seed, groups=samples.groups)[0]


def _rank_folds(
    cohort: _Cohort, splits: list[Split], rank_again: RankAgain, most: int
) -> list[_Fold]:
    """The features, ranked again in every training part, to which the rare classes belong."""
    samples, folds = cohort.samples, []
    rare = np.setdiff1d(np.arange(len(samples)), cohort.evaluated)
    table = samples.X if isinstance(samples.X, LazyTable) else _filled(samples.X)
    for train, test in track(splits, "ranking in folds"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                order = rank_again(samples.take(np.sort(np.append(train, rare))), most)
            except ValueError:  # all columns are constant in this part, for example
                continue
        folds.append(_Fold(Part(table, cohort.target, train, test), order, samples))
    return folds


class _Curve:
    """Scores of every fold and size, and what stands behind them."""

    def __init__(
        self, cohort: _Cohort, folds: list[_Fold], evaluator: Evaluator, scoring: Any
    ) -> None:
        self.cohort, self.folds, self.evaluator, self.scoring = cohort, folds, evaluator, scoring
        self.sizes = np.empty(0, dtype=int)
        self.scores = np.empty((len(folds), 0))
        self.balanced = (
            cohort.target.type == CLASSIFICATION
            and scoring is None
            and cohort.shares().max() > _UNEQUAL
        )

    def add(self, sizes: Sequence[int], n: int) -> None:
        """Evaluate these sizes (rising), as far as there are so many features."""
        sizes = [size for size in dict.fromkeys(sizes) if size <= n and size not in self.sizes]
        found = [self._of_fold(fold, sizes) for fold in track(self.folds, "evaluating sizes")]
        self.scores = np.hstack([self.scores, np.array(found).reshape(len(self.folds), -1)])
        self.sizes = np.append(self.sizes, sizes).astype(int)

    def best_is_last(self) -> bool:
        smoothed = np.round(smooth(self.sizes, self.scores.mean(axis=0)), 12)
        return int(np.argmax(smoothed)) == smoothed.size - 1

    def smallest(self, tolerance: float) -> int:
        parts = [fold.part for fold in self.folds]
        shares = [part.test.size / (part.train.size + part.test.size) for part in parts]
        return smallest_near_best(self.sizes, self.scores, tolerance, float(np.mean(shares)))

    def _of_fold(self, fold: _Fold, sizes: list[int]) -> list[float]:
        part, places = fold.read(max(sizes, default=0))
        subsets = [places[:size] for size in sizes]
        if isinstance(self.evaluator, EstimatorEvaluator):
            return self.evaluator.scores(part, subsets)[:, 0].tolist()
        outputs = self.evaluator.outputs(part, subsets, (self.evaluator.usual,))
        return [self.score(each[0], part) for each in outputs]

    def score(self, outputs: np.ndarray, part: Part) -> float:
        """The score of a model's outputs for the samples left out, which count by their weights."""
        target, test, weight = part.target, part.test, self.cohort.weight[part.test]
        if target.type == REGRESSION:
            left = (target.columns(test) - outputs) ** 2
            return float(np.mean(1 - np.average(left, axis=0, weights=weight) / self._variances()))
        if target.type != CLASSIFICATION:
            return main_score(target, outputs, test)
        truth = target.values[test]
        right = target.predict(outputs) == truth
        if not self.balanced:
            return float(np.average(right, weights=weight))
        classes = [truth == code for code in np.unique(truth)]
        return float(np.mean([np.average(right[own], weights=weight[own]) for own in classes]))

    def _variances(self) -> np.ndarray:
        """The variance of every output of a target of numbers."""
        rows = self.cohort.evaluated
        values, weight = self.cohort.target.columns(rows), self.cohort.weight[rows]
        centred = values - np.average(values, axis=0, weights=weight)
        return np.maximum(np.average(centred**2, axis=0, weights=weight), 1e-300)

    def baseline(self) -> tuple[float, float]:
        """What is reached without any feature, and its standard error."""
        cohort, kind = self.cohort, self.cohort.target.type
        T = cohort.n_effective()
        if isinstance(self.evaluator, EstimatorEvaluator):
            return self._dummy()
        if kind == CLASSIFICATION and self.balanced:
            return self._balanced_baseline()
        if kind == CLASSIFICATION:
            share = float(cohort.shares().max())
            return share, float(np.sqrt(share * (1 - share) / T))
        if kind == SURVIVAL:
            events = max(1, int(cohort.target.values["event"][cohort.evaluated].sum()))
            return 0.5, 1 / (3 * np.sqrt(min(events, T)))
        if kind == MULTILABEL:
            return self._shuffled_baseline()
        return 0.0, self._error_of_numbers()

    def _balanced_baseline(self) -> tuple[float, float]:
        cohort = self.cohort
        codes = cohort.target.values[cohort.evaluated]
        counts = np.array([
            cohort.n_effective(cohort.evaluated[codes == code]) for code in np.unique(codes)
        ])  # fmt: skip
        share = 1 / counts.size
        return share, float(np.sqrt((share * (1 - share) / counts).sum()) / counts.size)

    def _shuffled_baseline(self) -> tuple[float, float]:
        """The mean score of random outputs: few samples per fold raise an average precision."""
        rng, target = np.random.default_rng(0), self.cohort.target
        draws = [
            main_score(
                target, rng.random((fold.part.test.size, target.values.shape[1])), fold.part.test
            )
            for fold in self.folds
            for _ in range(20)
        ]
        share = float(np.mean(draws))
        return share, float(np.sqrt(share * (1 - share) / self.cohort.n_effective()))

    def _error_of_numbers(self) -> float:
        """The error of R2 as a mean over units, at the best size."""
        best = int(np.argmax(smooth(self.sizes, self.scores.mean(axis=0))))
        T, variances = len(self.cohort.samples), self._variances()
        gained, counts = np.zeros(T), np.zeros(T)
        for fold in self.folds:
            train, test = fold.part.train, fold.part.test
            part, subset = fold.read(self.sizes[best])
            outputs = self.evaluator.outputs(part, [subset], (self.evaluator.usual,))[0][0]
            values = part.target.columns(np.arange(T))
            left = (values[test] - outputs) ** 2
            more = (values[test] - values[train].mean(axis=0)) ** 2 - left
            gained[test] += np.mean(more / variances, axis=1)
            counts[test] += 1
        there = counts > 0
        units = np.unique(self.cohort.units[there], return_inverse=True)[1]
        each = np.bincount(units, weights=gained[there] / counts[there]) / np.bincount(units)
        return float(each.std(ddof=1) / np.sqrt(each.size))

    def _dummy(self) -> tuple[float, float]:
        """What a dummy of scikit-learn reaches by the same scorer, and a binomial error."""
        from sklearn.dummy import DummyClassifier, DummyRegressor

        numbers = self.cohort.target.type in (REGRESSION, SURVIVAL)
        dummy = DummyRegressor() if numbers else DummyClassifier(strategy="prior")
        scorer = self.scoring
        if scorer is None:
            scorer = check_scoring(getattr(self.evaluator, "estimator", dummy))
        evaluator = EstimatorEvaluator(dummy, None if numbers else scorer)
        first = [fold.read(1) for fold in self.folds]
        found = np.array([evaluator.scores(part, [places])[0, 0] for part, places in first])
        mean = float(found.mean())
        if not numbers and 0 < mean < 1:
            return mean, float(np.sqrt(mean * (1 - mean) / self._effective()))
        best = self.scores[:, np.argmax(smooth(self.sizes, self.scores.mean(axis=0)))]
        return mean, float((best - found).std(ddof=1) / np.sqrt(self.cohort.n_folds))

    def _effective(self) -> float:
        """As many samples of equal classes as tell as much as these."""
        if self.cohort.target.type != CLASSIFICATION:
            return self.cohort.n_effective()
        shares = self.cohort.shares()
        shares = shares[shares > 0]
        return float(self.cohort.n_effective() * shares.size**2 / (1 / shares).sum())

    def measure(self) -> str:
        if isinstance(self.evaluator, EstimatorEvaluator):
            return self.scoring if isinstance(self.scoring, str) else "score"
        if self.balanced:
            return "balanced_accuracy"
        return {
            CLASSIFICATION: "accuracy", MULTILABEL: "mean_average_precision", REGRESSION: "r2",
            SURVIVAL: "concordance",
        }[self.cohort.target.type]  # fmt: skip

    def selection(self, size: int, rows: np.ndarray) -> SizeSelection:
        """The record, with rows as they stand in the table of ``fit``."""
        baseline, error = self.baseline()
        order = np.argsort(self.sizes)
        sizes, scores = self.sizes[order], self.scores[:, order]
        smoothed = smooth(sizes, scores.mean(axis=0))
        claimed = bool(smoothed.max() - baseline >= _CLAIM * error and smoothed.max() > baseline)
        found = SizeSelection(
            size=size if claimed else 1,
            sizes=sizes,
            scores=scores,
            measure=self.measure(),
            baseline=baseline,
            baseline_error=error,
            n_units=self.cohort.n_units,
            claimed=claimed,
            why="",
            folds=tuple((rows[fold.part.train], rows[fold.part.test]) for fold in self.folds),
            orders=tuple(fold.order for fold in self.folds),
            left_out=self.cohort.left_out,
        )
        return replace(found, why=_why(found))


def _why(found: SizeSelection) -> str:
    name = _NAMES.get(found.measure, found.measure)
    best = int(np.argmax(found.means))
    baseline = found.text(found.baseline)
    if not found.claimed:
        why = (
            f"No size predicts clearly better than the baseline (cross-validated {name} "
            f"{found.text(found.smoothed.max())}, baseline {baseline}): nothing is claimed."
        )
    else:
        here = found.text(found.means[found.place(found.size)])
        why = f"Cross-validated {name}: {here} with {counted(found.size, 'feature')}"
        if found.sizes[best] != found.size:
            why += f", {found.text(found.means[best])} with {found.sizes[best]}"
        why += f", {baseline} for the baseline."
    return f"{why} {found.left_out}".strip()
