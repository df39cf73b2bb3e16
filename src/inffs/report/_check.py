"""Does the ranking help to predict? A cross-validated answer, the selection inside the folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from inffs._utils.progress import track
from inffs._utils.threads import threaded
from inffs.evaluation import Part, find_judge, make_folds, measures
from inffs.evaluation.folds import Split
from inffs.evaluation.quality import MAIN
from inffs.meta.constrained import constraints_of, with_size
from inffs.report._facts import SHOWN, group_features
from inffs.report._kinds import WORDINGS, Wording
from inffs.target import CLASSIFICATION, SURVIVAL, Target, make_target
from inffs.validation.missing import FewValuesWarning
from inffs.validation.preparation import Preparation

_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_DRAWS = 3
_MOST_SIZES = 9


@dataclass(frozen=True)
class Check:
    """Accuracies of shape (folds, sizes); ``whole`` with all features; ``guess`` the largest class.

    For numbers they are R2, for survival times concordances: ``words`` says which.

    ``chosen`` is the place of the size that the report is about; ``orders`` the rankings of the
    folds, best feature first. ``lone`` is the accuracy of one feature of every group of kept
    features that repeat each other, the last one in the ranking; NaN where there are no groups.
    ``others`` holds more measures, by name, as ``selected`` and ``whole`` hold the accuracy.
    """

    sizes: list[int]
    chosen: int
    folds: int
    selected: np.ndarray
    random: np.ndarray
    whole: np.ndarray
    guess: float
    orders: np.ndarray
    n_samples: int
    lone: np.ndarray
    others: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    words: Wording = WORDINGS[CLASSIFICATION]

    @property
    def kept(self) -> np.ndarray:
        """Accuracies in the folds at the chosen size."""
        return self.selected[:, self.chosen]

    @property
    def accuracy(self) -> float:
        """Mean accuracy at the chosen size."""
        return float(self.kept.mean())

    @property
    def chance(self) -> float:
        """Mean accuracy of as many features drawn at random."""
        return float(self.random[:, self.chosen].mean())

    def error(self, values: np.ndarray) -> float:
        """Standard error of the mean of a share over the folds: what stands behind a ±.

        At least that of so many samples drawn one by one, with two right and two wrong answers
        more (Agresti and Coull 1998): equal folds prove nothing to be exact.
        """
        if not self.words.share:
            return float(values.std(ddof=1) / np.sqrt(values.size))
        share = (values.mean() * self.n_samples + 2) / (self.n_samples + 4)
        least = np.sqrt(share * (1 - share) / (self.n_samples + 4))
        return float(max(least, values.std(ddof=1) / np.sqrt(values.size)))

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
) -> Check | None:
    """Accuracy of a linear model on the best features; None where a class has one member only.

    For regression it is the R2 of a ridge regression, for survival times the concordance of a Cox
    model with a ridge.

    The selector is fitted anew on the training part of every fold, so no test sample has had a say
    in the ranking it is judged by, nor in what ``preparation`` fills in and scales by. The model is
    a linear SVM on standardised columns, its intercept free.
    """
    target = make_target(y)
    splits, known = _kept_folds(selector)
    if not splits:
        folds = min(folds, int(np.unique(target.strata(), return_counts=True)[1].min()))
        if folds < 2:
            return None
        splits = make_folds(target.strata(), folds, seed=seed)
        known = [None] * len(splits)
    sizes = _sizes(X.shape[1], selector.n_features_)
    chosen = sizes.index(selector.n_features_)
    rng = np.random.default_rng(seed)
    one = partial(_fold, selector, X, target, preparation or Preparation(), sizes, rng)
    jobs = zip(track(splits, "checking"), known, strict=True)
    rows, orders = zip(*(one(*split, order) for split, order in jobs), strict=True)
    measure = MAIN[target.type]
    main = {name: _together(rows, name, measure) for name in rows[0]}
    others = [name for name in rows[0]["selected"] if name != measure]
    return Check(
        sizes,
        chosen,
        len(splits),
        selected=main["selected"],
        random=main["random"],
        whole=main["whole"][:, 0],
        guess=_guessed(target),
        orders=np.array(orders),
        n_samples=len(target),
        lone=main["lone"][:, 0],
        others={
            name: (_together(rows, "selected", name), _together(rows, "whole", name)[:, 0])
            for name in others
        },
        words=WORDINGS[target.type],
    )


def _kept_folds(selector: Any) -> tuple[list[Split], list[np.ndarray | None]]:
    """The folds and rankings that decided on the size: one cross-validation serves both."""
    found = getattr(selector, "size_selection_", None)
    if found is None or constraints_of(selector):
        return [], []
    return list(found.folds), list(found.orders)


def _guessed(target: Target) -> float:
    """What who knows nothing reaches."""
    if target.type == CLASSIFICATION:
        return float(np.bincount(target.values).max() / target.values.size)
    return 0.5 if target.type == SURVIVAL else 0.0


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
    target: Target,
    preparation: Preparation,
    sizes: list[int],
    rng: Any,
    train: np.ndarray,
    test: np.ndarray,
    order: np.ndarray | None = None,
) -> tuple[dict[str, Measured], np.ndarray]:
    """Measures of all features, of the best, of random ones, of one per group; the order."""
    X = preparation.of(X, train)
    if order is None:
        own = with_size(selector, max(sizes))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewValuesWarning)  # the fit on all has told of them
            order = own.fit(X[train], target.take(train)).order_
    if selector.missing != "refuse":
        X = Preparation(impute="median").of(X, train)  # the judge needs every value
    part = Part(X.tocsr() if hasattr(X, "tocsr") else X, target, train, test)
    orders = [order, *(rng.permutation(X.shape[1]) for _ in range(_DRAWS))]
    lone = one_per_group(X[train], order[: selector.n_features_])
    jobs = [[order], *([each[:size] for size in sizes] for each in orders), [lone]]
    whole, selected, *drawn, alone = threaded(partial(_judged, part), jobs)
    random = {name: np.mean([draw[name] for draw in drawn], axis=0) for name in selected}
    if lone.size == selector.n_features_:
        alone = {name: np.full(1, np.nan) for name in selected}
    return {"whole": whole, "selected": selected, "random": random, "lone": alone}, order


def _judged(part: Part, subsets: Sequence[np.ndarray]) -> Measured:
    """All measures of the usual judge on sets of columns."""
    judge = find_judge(kind=part.target.type)
    outputs = judge.outputs(part, subsets, (judge.usual,))
    found = [measures(part.target, each[0], part.test) for each in outputs]
    return {name: np.array([row[name] for row in found]) for name in found[0]}


def one_per_group(X: Any, features: np.ndarray) -> np.ndarray:
    """Of every group of features that repeat each other the last, and those in no group."""
    if not 2 <= features.size <= SHOWN:
        return features
    found = group_features(X, features)
    place = {feature: number for number, feature in enumerate(features.tolist())}
    left: set[int] = set()
    for start, stop in found.groups:
        group = sorted(found.features[start:stop].tolist(), key=place.__getitem__)
        left.update(group[:-1])
    return np.array([feature for feature in features.tolist() if feature not in left])
