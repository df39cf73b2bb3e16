"""The cross-validated score of the selected features, with the ranking inside the folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from inffs._utils.progress import track
from inffs._utils.threads import threaded
from inffs.cuts.cut import SizeSelection, fold_errors
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.evaluation.metrics import MAIN, NAMES, is_share, measures, score_text
from inffs.guards import TableWarning
from inffs.meta.constrained import constraints_of, with_size
from inffs.report._reasons import SHOWN, group_features
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, Target, make_target
from inffs.validation.missing import FewValuesWarning
from inffs.validation.preparation import Preparation

_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_DRAWS = 15  # random sets of every size, over all folds
_CLAIM = 2.5  # standard errors above the baseline, as the rule for the size has it
_MOST_SIZES = 9


@dataclass(frozen=True)
class Wording:
    """The words of the cross-validation: its score, its model and its baseline."""

    key: str
    model: str
    baseline: str

    @property
    def measure(self) -> str:
        """The measure as people read it."""
        return NAMES[self.key]

    @property
    def share(self) -> bool:
        """Whether scores are shares of the samples, which are written as percent."""
        return is_share(self.key)

    @property
    def title(self) -> str:
        """The measure at the beginning of a line."""
        return self.measure[:1].upper() + self.measure[1:]

    def text(self, value: float) -> str:
        """A score as text: 96.7 %, or 0.47.

        Examples
        --------
        >>> WORDINGS["accuracy"].text(0.9667), WORDINGS["r2"].text(0.4712)
        ('96.7 %', '0.47')
        """
        return score_text(self.key, value)

    def error(self, value: float) -> str:
        """A standard error as it stands behind a ±."""
        return self.text(value).removesuffix(" %")


_SVM, _LARGEST = "a linear SVM", "the most frequent class"
_KINDS = (
    Wording("accuracy", _SVM, _LARGEST),
    Wording("balanced_accuracy", _SVM, _LARGEST),
    Wording(
        "mean_average_precision",
        "a linear SVM per label",
        "the share of the samples with a label",
    ),
    Wording("r2", "a ridge regression", "the mean"),
    Wording("concordance", "a Cox model with a ridge penalty", "a random order"),
)
WORDINGS = {wording.key: wording for wording in _KINDS}


@dataclass(frozen=True)
class Check:
    """The cross-validated scores of the features of every fold.

    ``selected`` are those of the best features, of shape (folds, sizes).
    ``scores`` holds an array for every measure. Its rows are the folds; its columns are all
    features, the best of every size, as many random ones, and one feature of every group of
    correlated selected features (NaN where there are no groups). ``chosen`` is the place of the
    size that the report is about, and ``orders`` are the rankings of the folds. ``baseline`` is the
    score without any feature, and ``claimed`` whether the scores beat it. ``from_rule`` is True
    where the scores decided on the size; ``left_out`` then names classes that were too small.
    """

    sizes: list[int]
    chosen: int
    measure: str
    selected: np.ndarray
    scores: dict[str, np.ndarray]
    orders: np.ndarray
    baseline: float
    baseline_error: float
    n_samples: int
    test_share: float
    claimed: bool = False
    from_rule: bool = False
    left_out: str = ""

    @property
    def words(self) -> Wording:
        """How the score is written."""
        return WORDINGS[self.measure]

    @property
    def folds(self) -> int:
        """The number of folds."""
        return len(self.orders)

    @property
    def whole(self) -> np.ndarray:
        """Scores in the folds with all features."""
        return self.scores[self.measure][:, 0]

    @property
    def others(self) -> list[str]:
        """The names of the other measures."""
        return [name for name in self.scores if name != self.measure]

    @property
    def random(self) -> np.ndarray:
        """Scores of random features, of shape (folds, sizes)."""
        return self.scores[self.measure][:, len(self.sizes) + 1 : -1]

    @property
    def lone(self) -> np.ndarray:
        """Scores of one feature of every group, the last one in the ranking."""
        return self.scores[self.measure][:, -1]

    @property
    def kept(self) -> np.ndarray:
        """Scores in the folds at the chosen size."""
        return self.selected[:, self.chosen]

    @property
    def score(self) -> float:
        """Mean score at the chosen size."""
        return float(self.kept.mean())

    @property
    def at_random(self) -> float:
        """Mean score of as many features drawn at random."""
        return float(self.random[:, self.chosen].mean())

    @property
    def beside(self) -> tuple[str, np.ndarray, float] | None:
        """Of classes another share at the chosen size, by its name, and the AUC."""
        if "auc" not in self.scores:
            return None
        other = "accuracy" if self.measure == "balanced_accuracy" else "balanced_accuracy"
        values, areas = (self.of_best(name)[:, self.chosen] for name in (other, "auc"))
        return other.replace("_", " "), values, float(np.nanmean(areas))

    def of_best(self, measure: str) -> np.ndarray:
        """One of the other measures, of shape (folds, sizes)."""
        return self.scores[measure][:, 1 : len(self.sizes) + 1]

    def error(self, values: np.ndarray) -> float:
        """Standard error of the mean of scores over the folds, as shown after ±."""
        n = self.n_samples if self.words.share else None
        return float(fold_errors(values[:, None], self.test_share, n)[0])

    def error_of_difference(self, values: np.ndarray) -> float:
        """The same for differences between scores of the same folds."""
        return float(fold_errors(values[:, None], self.test_share)[0])

    def text(self, value: float) -> str:
        """A score as text."""
        return self.words.text(value)

    def error_text(self, values: np.ndarray) -> str:
        """The standard error of scores as it stands behind a ±."""
        return self.words.error(self.error(values))

    def with_error(self, values: np.ndarray) -> str:
        """The mean of scores in the folds and its standard error."""
        return f"{self.text(values.mean())} (± {self.error_text(values)})"

    def stated(self, value: float) -> str:
        """A score and its name: 96.7 % accuracy, R2 0.47."""
        measure, text = self.words.measure, self.text(value)
        return f"{text} {measure}" if self.words.share else f"{measure} {text}"

    def times_kept(self, size: int) -> np.ndarray:
        """In how many folds every feature was among the ``size`` best."""
        best = self.orders[:, :size].ravel()
        return np.bincount(best, minlength=self.orders.shape[1])

    def beats_baseline(self, n_classes: int | None) -> bool:
        """Whether a size that was given does, by the score or, of classes, the balanced one."""
        found = [(self.kept, self.baseline)]
        if n_classes is not None:
            found.append((self.of_best("balanced_accuracy")[:, self.chosen], 1 / n_classes))
        return any(
            values.mean() - _CLAIM * max(self.error(values), self.baseline_error) > baseline
            for values, baseline in found
        )


def cross_check(
    selector: Any,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    seed: int = 0,
    preparation: Preparation | None = None,
    groups: Any = None,
) -> Check | None:
    """Score of a linear model on the best features; None where a class has one member only.

    Where a cross-validation decided on the size (``size_selection_``), its folds, rankings and
    scores are used, and only the scores of random and of all features are computed. With
    constraints only its folds are used, because the rankings change.

    Otherwise the selector is fitted anew on the training part of every fold. What ``preparation``
    fills in and scales is learned there as well, so no test sample takes part in the ranking. The
    model is a linear SVM on standardised columns for classes, a ridge regression (R2) for numbers,
    and a Cox model (concordance) for survival times. ``groups`` are samples that stay together.
    """
    target = make_target(y)
    found, kept = _decisive(selector), getattr(selector, "size_selection_", None)
    if found is not None:
        splits = list(found.folds)
    elif kept is not None:
        splits = list(kept.folds[: max(folds, 2)])
    else:
        folds = min(folds, int(np.unique(target.strata(), return_counts=True)[1].min()))
        if folds < 2:
            return None
        splits = make_folds(target.strata(), folds, groups=groups, seed=seed)
    orders: Sequence[np.ndarray | None] = [None] * len(splits) if found is None else found.orders
    sizes = _sizes(X.shape[1], selector.n_features_) if found is None else found.sizes.tolist()
    rng, variance = np.random.default_rng(seed), None
    if found is not None and target.type == REGRESSION:  # R2 as the rule for the size computes it
        rows = np.unique(np.concatenate([test for _, test in splits]))
        variance = np.maximum(np.var(target.columns(rows), axis=0), 1e-300)
    run = _Run(selector, X, target, preparation or Preparation(), sizes, variance)
    draws = max(1, round(_DRAWS / len(splits)))
    jobs = zip(track(splits, "evaluating"), orders, strict=True)
    measured, ranked = zip(
        *(run.fold(*split, order, rng, draws) for split, order in jobs), strict=True
    )
    scores = {name: np.array([fold[name] for fold in measured]) for name in measured[0]}
    share = float(np.mean([test.size / (test.size + train.size) for train, test in splits]))
    place = sizes.index(selector.n_features_)
    if found is not None:
        return Check(
            sizes, place, found.measure, found.scores, scores, np.array(ranked), found.baseline,
            found.baseline_error, found.n_units, share, found.claimed, True, found.left_out,
        )  # fmt: skip
    measure, baseline = MAIN[target.type], _baseline(target)
    check = Check(
        sizes, place, measure, scores[measure][:, 1 : len(sizes) + 1], scores, np.array(ranked),
        *baseline, len(target), share,
    )  # fmt: skip
    classes = np.unique(target.values).size if target.type == CLASSIFICATION else None
    return replace(check, claimed=check.beats_baseline(classes))


def _decisive(selector: Any) -> SizeSelection | None:
    """The cross-validation that decided on the size, where the report can go on with it."""
    found = getattr(selector, "size_selection_", None)
    if found is None or constraints_of(selector) or found.measure not in WORDINGS:
        return None
    return found if selector.n_features_ in found.sizes else None


def _baseline(target: Target) -> tuple[float, float]:
    """The score without any feature, and its standard error."""
    if target.type == CLASSIFICATION:
        share = float(target.counts.max() / len(target))
        return share, float(np.sqrt(share * (1 - share) / len(target)))
    if target.type == MULTILABEL:
        return float(target.values.mean()), 0.0
    return 0.0 if target.type == REGRESSION else 0.5, 0.0


Measured = dict[str, np.ndarray]


def _sizes(n: int, kept: int) -> list[int]:
    """Round numbers up to a few times what was kept, and what was kept."""
    most = min(n, max(50, 2 * kept))
    round_sizes = {size for size in _SIZES if size <= most and abs(size - kept) > kept / 5}
    sizes = sorted(round_sizes | {kept})
    while len(sizes) > _MOST_SIZES:
        sizes.pop(1 if sizes[0] == kept else 0)
    return sizes


@dataclass(frozen=True)
class _Run:
    """What is evaluated, and the variances that R2 refers to; those of every test part if None."""

    selector: Any
    X: Any
    target: Target
    preparation: Preparation
    sizes: list[int]
    variance: np.ndarray | None

    def fold(
        self, train: np.ndarray, test: np.ndarray, order: np.ndarray | None, rng: Any, draws: int
    ) -> tuple[Measured, np.ndarray]:
        """Measures of all features, of the best, of random ones, of one per group; the order."""
        selector, X = self.selector, self.preparation.of(self.X, train)
        target = self.preparation.target_of(self.target, train)
        if order is None:
            own = with_size(selector, max(self.sizes))
            with warnings.catch_warnings():
                for reported in (FewValuesWarning, TableWarning):  # by the fit on all samples
                    warnings.simplefilter("ignore", reported)
                order = own.fit(X[train], target.take(train)).order_
        if selector.missing != "refuse":
            X = Preparation(impute="median").of(X, train)  # the model needs every value
        part = Part(X.tocsr() if hasattr(X, "tocsr") else X, target, train, test)
        orders = [order, *(rng.permutation(X.shape[1]) for _ in range(draws))]
        lone = one_per_group(X[train], order[: selector.n_features_])
        jobs = [[order], *([each[:size] for size in self.sizes] for each in orders), [lone]]
        whole, best, *drawn, alone = threaded(partial(self._measures, part), jobs)
        if lone.size == selector.n_features_:
            alone = {name: np.full(1, np.nan) for name in best}
        random = {name: np.mean([draw[name] for draw in drawn], axis=0) for name in best}
        kinds = (whole, best, random, alone)
        return {name: np.concatenate([each[name] for each in kinds]) for name in best}, order

    def _measures(self, part: Part, subsets: Sequence[np.ndarray]) -> Measured:
        """All measures of the usual model on sets of columns."""
        evaluator, rows = find_evaluator(kind=part.target.type), part.test
        outputs = [each[0] for each in evaluator.outputs(part, subsets, (evaluator.usual,))]
        if self.variance is None:
            found = [measures(part.target, each, rows) for each in outputs]
            return {name: np.array([one[name] for one in found]) for name in found[0]}
        truth = part.target.columns(rows)
        left = [((truth - each) ** 2).mean(axis=0) for each in outputs]
        return {"r2": np.array([np.mean(1 - each / self.variance) for each in left])}


def one_per_group(X: Any, features: np.ndarray) -> np.ndarray:
    """The last feature of every group of correlated ones, and those in no group."""
    if not 2 <= features.size <= SHOWN:
        return features
    found, ranking = group_features(X, features), np.empty(X.shape[1], dtype=int)
    ranking[features] = np.arange(features.size)
    left = [each for group in found.groups for each in found.members(group, ranking)[:-1]]
    return features[~np.isin(features, left)]
