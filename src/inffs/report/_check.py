"""Does the ranking help a classifier? A cross-validated answer, the selection inside the folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from inffs._engine.progress import track
from inffs._engine.threads import threaded
from inffs.evaluation import Part, as_target, find_judge, make_folds
from inffs.subset import wishes_by_position

_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_DRAWS = 3
_MOST_SIZES = 9


@dataclass(frozen=True)
class Check:
    """Accuracies of shape (folds, sizes); ``whole`` with all features; ``guess`` the largest class.

    ``chosen`` is the place of the size that the report is about; ``orders`` the rankings of the
    folds, best feature first.
    """

    sizes: list[int]
    chosen: int
    folds: int
    selected: np.ndarray
    random: np.ndarray
    whole: np.ndarray
    guess: float
    orders: np.ndarray

    @property
    def accuracy(self) -> float:
        """Mean accuracy at the chosen size."""
        return float(self.selected[:, self.chosen].mean())

    @property
    def chance(self) -> float:
        """Mean accuracy of as many features drawn at random."""
        return float(self.random[:, self.chosen].mean())

    def times_kept(self, size: int) -> np.ndarray:
        """In how many folds every feature was among the ``size`` best."""
        best = self.orders[:, :size].ravel()
        return np.bincount(best, minlength=self.orders.shape[1])


def cross_check(
    selector: Any, X: Any, codes: np.ndarray, *, folds: int = 5, seed: int = 0
) -> Check | None:
    """Accuracy of a linear model on the best features; None where a class has one member only.

    The selector is fitted anew on the training part of every fold, so no test sample has had a
    say in the ranking it is judged by. The model is a linear SVM on standardised columns, its
    intercept free.
    """
    folds = min(folds, int(np.bincount(codes).min()))
    if folds < 2:
        return None
    sizes = _sizes(X.shape[1], selector.n_features_)
    splits = make_folds(codes, folds, seed=seed)
    rng = np.random.default_rng(seed)
    rows = [_fold(selector, X, codes, split, sizes, rng) for split in track(splits, "checking")]
    selected, random, whole, orders = (np.array(part) for part in zip(*rows, strict=True))
    guess = float(np.bincount(codes).max() / codes.size)
    chosen = sizes.index(selector.n_features_)
    return Check(sizes, chosen, folds, selected, random, whole, guess, orders)


def _sizes(n: int, kept: int) -> list[int]:
    """Round numbers up to a few times what was kept, and what was kept."""
    most = min(n, max(50, 2 * kept))
    round_sizes = {size for size in _SIZES if size <= most and abs(size - kept) > kept / 5}
    sizes = sorted(round_sizes | {kept})
    while len(sizes) > _MOST_SIZES:
        sizes.pop(1 if sizes[0] == kept else 0)
    return sizes


def _fold(
    selector: Any, X: Any, codes: np.ndarray, split: Any, sizes: list[int], rng: Any
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    train, test = split
    wishes = wishes_by_position(selector)
    own = clone(selector).set_params(n_features_to_select=max(sizes), **wishes)
    own.fit(X[train], codes[train])
    table = X.tocsr() if hasattr(X, "tocsr") else X
    part, judge, n = Part(table, as_target(codes), train, test), find_judge(), X.shape[1]
    orders = [own.order_, *(rng.permutation(n) for _ in range(_DRAWS))]
    jobs = [[own.order_[:n]], *([order[:size] for size in sizes] for order in orders)]
    whole, selected, *drawn = threaded(lambda job: judge.scores(part, job)[:, 0], jobs)
    return selected, np.mean(drawn, axis=0), float(whole[0]), own.order_
