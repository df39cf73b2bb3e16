"""The scores of many sizes in folds, and what is reached without any feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from inffs._utils.progress import track
from inffs._utils.words import counted
from inffs.cuts.cut import SizeSelection, share_error, smallest_near_best, smooth
from inffs.cuts.samples import Samples
from inffs.evaluation.evaluators import EstimatorEvaluator, Evaluator
from inffs.evaluation.folds import Part, Split, by_appearance, make_folds, splits_of
from inffs.evaluation.metrics import MAIN, is_share, main_score
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL, Target
from inffs.validation.adjustment import adjust_target, remove_effects
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import filled_with_medians, has_missing

_WORK = 4e6  # values of the table that all repeats together rank; one repeat at least
_CLAIM = 2.5  # standard errors above the baseline
_HOPELESS = 1.0  # standard errors: a claim is out of reach, and further rounds are not made
_LEAST_TOLERANCE = 0.005
_UNEQUAL = 0.8  # share of the largest class above which the accuracy is balanced


@dataclass(frozen=True)
class Cohort:
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
    def of(cls, samples: Samples, n_folds: int) -> Cohort:
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

    def rounds(self, cv: Any, seed: int, most: int) -> list[list[Split]]:
        """Rows of the samples: folds of the evaluated ones, in every round shuffled anew."""
        strata, units = self.target.strata()[self.evaluated], self.units[self.evaluated]
        together = units if self.n_units < units.size else None
        if cv is None or isinstance(cv, Integral):
            T, n = self.samples.X.shape
            strata = strata if strata.ndim == 2 else by_appearance(strata)
            rounds = [
                make_folds(strata, self.n_folds, groups=together, seed=seed + each)
                for each in range(int(np.clip(_WORK // (T * n), 1, most)))
            ]
        else:
            rounds = [splits_of(cv, np.zeros((units.size, 1)), strata, together)]
        rows = self.evaluated
        return [[(rows[train], rows[test]) for train, test in folds] for folds in rounds]

    def class_counts(self) -> np.ndarray:
        """The effective number of samples of every class that is evaluated."""
        codes = self.target.values[self.evaluated]
        own = [self.evaluated[codes == code] for code in np.unique(codes)]
        return np.array([self.n_effective(rows) for rows in own])

    def shares(self) -> np.ndarray:
        """The weighted share of every class among those evaluated."""
        codes, weight = self.target.values[self.evaluated], self.weight[self.evaluated]
        return np.bincount(codes, weights=weight, minlength=self.target.n_classes) / weight.sum()


@dataclass(frozen=True)
class Fold:
    """A training part, its ranking, and the samples left out."""

    part: Part
    order: np.ndarray
    samples: Samples

    def read(self, n: int) -> tuple[Part, np.ndarray]:
        """The part, and where its best n features stand: of a table on disk only these are read."""
        best = self.order[:n]
        design = self.samples.covariates
        if not isinstance(self.part.X, LazyTable) and design is None:
            return self.part, best
        X, target = filled(np.asarray(self.part.X[:, best])), self.part.target
        if design is not None:
            known = design, self.part.train, self.samples.sample_weight
            X, target = remove_effects(X, *known), adjust_target(target, *known)
        return replace(self.part, X=X, target=target), np.arange(best.size)


def filled(table: Any) -> Any:
    """The table with medians in place of missing values."""
    return filled_with_medians(table) if has_missing(table) else table


class Curve:
    """Scores of every fold and size, and what stands behind them."""

    def __init__(
        self, cohort: Cohort, evaluator: Evaluator, scoring: Any, sizes: Sequence[int]
    ) -> None:
        self.cohort, self.evaluator, self.scoring = cohort, evaluator, scoring
        self.folds: list[Fold] = []
        self.sizes = np.array(sizes)
        self.scores = np.empty((0, len(sizes)))
        self.balanced = (
            cohort.target.type == CLASSIFICATION
            and scoring is None
            and cohort.shares().max() > _UNEQUAL
        )

    def add_folds(self, folds: list[Fold]) -> None:
        """Evaluate all sizes in further folds, of which those without a score are left out.

        The precision of labels that no test sample has is not defined.
        """
        found = [self._of_fold(fold, self.sizes) for fold in track(folds, "evaluating sizes")]
        scored = [place for place, scores in enumerate(found) if not np.isnan(scores).any()]
        self.folds = self.folds + [folds[place] for place in scored]
        self.scores = np.vstack([self.scores, *(found[place] for place in scored)])

    def add_size(self, size: int) -> None:
        """Evaluate a larger size in all folds."""
        found = [self._of_fold(fold, [size]) for fold in track(self.folds, "evaluating sizes")]
        self.scores = np.hstack([self.scores, found])
        self.sizes = np.append(self.sizes, size)

    def smoothed(self) -> np.ndarray:
        return smooth(self.sizes, self.scores.mean(axis=0))

    def best_is_last(self) -> bool:
        smoothed = np.round(self.smoothed(), 12)
        return int(np.argmax(smoothed)) == smoothed.size - 1

    def hopeless(self) -> bool:
        """Whether the scores so far are so near the baseline that more folds would not help."""
        if len(self.folds) < 2:
            return False
        baseline, error = self.baseline()
        return bool(self.smoothed().max() < baseline + _HOPELESS * error)

    def tolerance(self) -> float:
        """Half a standard error of the best score if it is a share, and at least half a point."""
        if not is_share(self.measure()):
            return _LEAST_TOLERANCE
        error = share_error(self.smoothed().max(), self.cohort.n_units)
        return max(_LEAST_TOLERANCE, 0.5 * float(error))

    def smallest(self, tolerance: float) -> int:
        parts = [fold.part for fold in self.folds]
        shares = [part.test.size / (part.train.size + part.test.size) for part in parts]
        return smallest_near_best(self.sizes, self.scores, tolerance, float(np.mean(shares)))

    def _of_fold(self, fold: Fold, sizes: Any) -> list[float]:
        part, places = fold.read(max(sizes))
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
        if isinstance(self.evaluator, EstimatorEvaluator):
            return self._dummy()
        if kind == REGRESSION:
            return 0.0, self._error_of_numbers()
        if kind == SURVIVAL:
            events = max(1, int(cohort.target.values["event"][cohort.evaluated].sum()))
            return 0.5, 1 / (3 * np.sqrt(min(events, cohort.n_effective())))
        if kind == MULTILABEL:
            return _with_error(self._random_precision(), cohort.n_effective())
        if self.balanced:
            counts = cohort.class_counts()
            return _with_error(1 / counts.size, counts.size**2 / (1 / counts).sum())
        return _with_error(float(cohort.shares().max()), cohort.n_effective())

    def _random_precision(self) -> float:
        """The mean score of random outputs: few samples per fold raise an average precision."""
        rng, target = np.random.default_rng(0), self.cohort.target
        tests = [fold.part.test for fold in self.folds for _ in range(20)]
        draws = [
            main_score(target, rng.random((test.size, target.values.shape[1])), test)
            for test in tests
        ]
        return float(np.mean(draws))

    def _error_of_numbers(self) -> float:
        """The error of R2 as a mean over units, at the best size."""
        best = int(np.argmax(self.smoothed()))
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
            counts = self.cohort.class_counts()
            return _with_error(mean, counts.size**2 / (1 / counts).sum())
        best = self.scores[:, np.argmax(self.smoothed())]
        return mean, float((best - found).std(ddof=1) / np.sqrt(self.cohort.n_folds))

    def measure(self) -> str:
        if isinstance(self.evaluator, EstimatorEvaluator):
            return self.scoring if isinstance(self.scoring, str) else "score"
        if self.balanced:
            return "balanced_accuracy"
        return MAIN[self.cohort.target.type]

    def selection(self, size: int, rows: np.ndarray) -> SizeSelection:
        """The record, with rows as they stand in the table of ``fit``."""
        baseline, error = self.baseline()
        best = self.smoothed().max()
        claimed = bool(best - baseline >= _CLAIM * error and best > baseline)
        return SizeSelection(
            size=size if claimed else 1,
            sizes=self.sizes,
            scores=self.scores,
            measure=self.measure(),
            baseline=baseline,
            baseline_error=error,
            n_units=self.cohort.n_units,
            claimed=claimed,
            folds=tuple((rows[fold.part.train], rows[fold.part.test]) for fold in self.folds),
            orders=tuple(fold.order for fold in self.folds),
            left_out=self.cohort.left_out,
        )


def _with_error(share: float, n: float) -> tuple[float, float]:
    """A share and its standard error over n independent samples."""
    return share, float(np.sqrt(share * (1 - share) / n))
