"""The cross-validated score of the selected features, with the ranking inside the folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from inffs._utils.progress import track
from inffs._utils.threads import threaded
from inffs.cuts.cut import SizeSelection, fold_errors
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.evaluation.folds import Split
from inffs.evaluation.metrics import MAIN, measures
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
    """The words of the cross-validation: its score, its model and its baseline.

    ``share`` is True for scores that are shares of the samples: they are written as percent.
    """

    measure: str
    model: str
    baseline: str
    share: bool = False

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
        return f"{100 * value:.1f} %" if self.share else f"{value:.2f}"

    def error(self, value: float) -> str:
        """A standard error as it stands behind a ±."""
        return f"{100 * value:.1f}" if self.share else f"{value:.2f}"


_SVM, _LARGEST = "a linear SVM", "the most frequent class"
WORDINGS = {
    "accuracy": Wording("accuracy", _SVM, _LARGEST, share=True),
    "balanced_accuracy": Wording("balanced accuracy", _SVM, _LARGEST, share=True),
    "mean_average_precision": Wording(
        "mean average precision", "a linear SVM per label", "the share of the samples with a label"
    ),
    "r2": Wording("R2", "a ridge regression", "the mean"),
    "concordance": Wording("C-index", "a Cox model with a ridge penalty", "a random order"),
}


@dataclass(frozen=True)
class Check:
    """Cross-validated scores of shape (folds, sizes).

    ``measure`` names the score and ``words`` its wording; ``whole`` are the scores with all
    features, ``baseline`` the score without any feature, ``claimed`` whether the scores beat it.

    ``chosen`` is the place of the size that the report is about; ``orders`` the rankings of the
    folds, best feature first. ``lone`` is the score of one feature of every group of correlated
    selected features, the last one in the ranking; NaN where there are no groups. ``others`` holds
    more measures, by name, as ``selected`` and ``whole`` hold the score. ``from_rule`` is True
    where the scores are those that decided on the size; ``left_out`` names classes that were then
    too small to be evaluated.
    """

    sizes: list[int]
    chosen: int
    folds: int
    selected: np.ndarray
    random: np.ndarray
    whole: np.ndarray
    baseline: float
    baseline_error: float
    claimed: bool
    orders: np.ndarray
    n_samples: int
    test_share: float
    lone: np.ndarray
    measure: str = "accuracy"
    others: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    from_rule: bool = False
    left_out: str = ""

    @property
    def words(self) -> Wording:
        """How the score is written."""
        return WORDINGS[self.measure]

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
        if "auc" not in self.others:
            return None
        other = "balanced_accuracy" if "balanced_accuracy" in self.others else "accuracy"
        values, areas = (self.others[name][0][:, self.chosen] for name in (other, "auc"))
        return other.replace("_", " "), values, float(np.nanmean(areas))

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

    def times_kept(self, size: int) -> np.ndarray:
        """In how many folds every feature was among the ``size`` best."""
        best = self.orders[:, :size].ravel()
        return np.bincount(best, minlength=self.orders.shape[1])


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
    known: Sequence[np.ndarray | None] = [None] * len(splits) if found is None else found.orders
    sizes = _sizes(X.shape[1], selector.n_features_) if found is None else found.sizes.tolist()
    rng = np.random.default_rng(seed)
    scored = _Scored(target, None if found is None else _variance(target, splits))
    one = partial(_fold, selector, X, scored, preparation or Preparation(), sizes, rng)
    draws = max(1, round(_DRAWS / len(splits)))
    jobs = zip(track(splits, "evaluating"), known, strict=True)
    rows, orders = zip(*(one(*split, order, draws) for split, order in jobs), strict=True)
    measure = MAIN[target.type] if found is None else found.measure
    main = {name: _together(rows, name, measure) for name in rows[0]}
    others = [name for name in rows[0]["selected"] if name != measure]
    check = Check(
        sizes,
        sizes.index(selector.n_features_),
        len(splits),
        selected=main["selected"] if found is None else found.scores,
        random=main["random"],
        whole=main["whole"][:, 0],
        **_baseline(target, found),
        orders=np.array(orders),
        test_share=float(np.mean([test.size / (test.size + train.size) for train, test in splits])),
        lone=main["lone"][:, 0],
        measure=measure,
        others={
            name: (_together(rows, "selected", name), _together(rows, "whole", name)[:, 0])
            for name in others
        },
        from_rule=found is not None,
        left_out="" if found is None else found.left_out,
    )
    return check if found is not None else replace(check, claimed=_beats_baseline(check, target))


def _decisive(selector: Any) -> SizeSelection | None:
    """The cross-validation that decided on the size, where the report can go on with it."""
    found = getattr(selector, "size_selection_", None)
    if found is None or constraints_of(selector) or found.measure not in WORDINGS:
        return None
    return found if selector.n_features_ in found.sizes else None


def _baseline(target: Target, found: SizeSelection | None) -> dict[str, Any]:
    """The score without any feature, its error, and of how many samples."""
    if found is not None:
        return {
            "baseline": found.baseline, "baseline_error": found.baseline_error,
            "claimed": found.claimed, "n_samples": found.n_units,
        }  # fmt: skip
    T, baseline, error = len(target), 0.5, 0.0
    if target.type == CLASSIFICATION:
        baseline = float(np.bincount(target.values).max() / T)
        error = float(np.sqrt(baseline * (1 - baseline) / T))
    elif target.type == REGRESSION:
        baseline = 0.0
    elif target.type == MULTILABEL:
        baseline = float(target.values.mean())
    return {"baseline": baseline, "baseline_error": error, "claimed": False, "n_samples": T}


def _beats_baseline(check: Check, target: Target) -> bool:
    """Whether a size that was given beats the baseline, by accuracy or by balanced accuracy."""
    found = [(check.kept, check.baseline)]
    if target.type == CLASSIFICATION:
        codes = np.unique(target.values).size
        found.append((check.others["balanced_accuracy"][0][:, check.chosen], 1 / codes))
    return any(
        values.mean() - _CLAIM * max(check.error(values), check.baseline_error) > baseline
        for values, baseline in found
    )


def _variance(target: Target, splits: Sequence[Split]) -> np.ndarray | None:
    """The variance of every output, for R2 as the rule for the size computes it."""
    if target.type != REGRESSION:
        return None
    rows = np.unique(np.concatenate([test for _, test in splits]))
    return np.maximum(np.var(target.columns(rows), axis=0), 1e-300)


@dataclass(frozen=True)
class _Scored:
    """A target, and the variances that R2 refers to; those of every test part if None."""

    target: Target
    variance: np.ndarray | None

    def measures(self, outputs: np.ndarray, rows: np.ndarray) -> dict[str, float]:
        if self.variance is None:
            return measures(self.target, outputs, rows)
        left = (self.target.columns(rows) - outputs) ** 2
        return {"r2": float(np.mean(1 - left.mean(axis=0) / self.variance))}


Measured = dict[str, np.ndarray]


def _together(rows: Sequence[dict[str, Measured]], which: str, measure: str) -> np.ndarray:
    """One measure of one kind of subsets in all folds."""
    return np.array([row[which][measure] for row in rows])


def _sizes(n: int, kept: int) -> list[int]:
    """Round numbers up to a few times what was kept, and what was kept."""
    most = min(n, max(50, 2 * kept))
    round_sizes = {size for size in _SIZES if size <= most and abs(size - kept) > kept / 5}
    sizes = sorted(round_sizes | {kept})
    while len(sizes) > _MOST_SIZES:
        sizes.pop(1 if sizes[0] == kept else 0)
    return sizes


def _fold(
    selector: Any,
    X: Any,
    scored: _Scored,
    preparation: Preparation,
    sizes: list[int],
    rng: Any,
    train: np.ndarray,
    test: np.ndarray,
    order: np.ndarray | None,
    draws: int,
) -> tuple[dict[str, Measured], np.ndarray]:
    """Measures of all features, of the best, of random ones, of one per group; the order."""
    X = preparation.of(X, train)
    scored = replace(scored, target=preparation.target_of(scored.target, train))
    if order is None:
        own = with_size(selector, max(sizes))
        with warnings.catch_warnings():
            for reported in (FewValuesWarning, TableWarning):  # by the fit on all samples
                warnings.simplefilter("ignore", reported)
            order = own.fit(X[train], scored.target.take(train)).order_
    if selector.missing != "refuse":
        X = Preparation(impute="median").of(X, train)  # the model needs every value
    part = Part(X.tocsr() if hasattr(X, "tocsr") else X, scored.target, train, test)
    orders = [order, *(rng.permutation(X.shape[1]) for _ in range(draws))]
    lone = one_per_group(X[train], order[: selector.n_features_])
    jobs = [[order], *([each[:size] for size in sizes] for each in orders), [lone]]
    whole, selected, *drawn, alone = threaded(partial(_evaluated, part, scored), jobs)
    random = {name: np.mean([draw[name] for draw in drawn], axis=0) for name in selected}
    if lone.size == selector.n_features_:
        alone = {name: np.full(1, np.nan) for name in selected}
    return {"whole": whole, "selected": selected, "random": random, "lone": alone}, order


def _evaluated(part: Part, scored: _Scored, subsets: Sequence[np.ndarray]) -> Measured:
    """All measures of the usual model on sets of columns."""
    evaluator = find_evaluator(kind=part.target.type)
    outputs = evaluator.outputs(part, subsets, (evaluator.usual,))
    found = [scored.measures(each[0], part.test) for each in outputs]
    return {name: np.array([row[name] for row in found]) for name in found[0]}


def one_per_group(X: Any, features: np.ndarray) -> np.ndarray:
    """The last feature of every group of correlated ones, and those in no group."""
    if not 2 <= features.size <= SHOWN:
        return features
    found = group_features(X, features)
    place = {feature: number for number, feature in enumerate(features.tolist())}
    left: set[int] = set()
    for start, stop in found.groups:
        group = sorted(found.features[start:stop].tolist(), key=place.__getitem__)
        left.update(group[:-1])
    return np.array([feature for feature in features.tolist() if feature not in left])
