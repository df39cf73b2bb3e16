"""Does the ranking help a classifier? A cross-validated answer, the selection inside the folds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inffs._engine.progress import track
from inffs._engine.threads import threaded

_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_DRAWS = 3
_MOST_SIZES = 9
_FEW_SAMPLES = 2000
_COLUMNS = 2048


@dataclass(frozen=True)
class Check:
    """Accuracies of shape (folds, sizes); ``whole`` with all features; ``guess`` the largest class.

    ``chosen`` is the place of the size that the report is about.
    """

    sizes: list[int]
    chosen: int
    folds: int
    selected: np.ndarray
    random: np.ndarray
    whole: np.ndarray
    guess: float

    @property
    def accuracy(self) -> float:
        """Mean accuracy at the chosen size."""
        return float(self.selected[:, self.chosen].mean())

    @property
    def chance(self) -> float:
        """Mean accuracy of as many features drawn at random."""
        return float(self.random[:, self.chosen].mean())


def cross_check(
    selector: Any, X: Any, codes: np.ndarray, *, folds: int = 5, seed: int = 0
) -> Check | None:
    """Accuracy of a linear model on the best features; None where a class has one member only.

    The selector is fitted anew on the training part of every fold, so no test sample has had a
    say in the ranking it is judged by. The model is a ridge classifier on standardised columns.
    """
    folds = min(folds, int(np.bincount(codes).min()))
    if folds < 2:
        return None
    sizes = _sizes(X.shape[1], selector.n_features_)
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(codes, codes))
    rng = np.random.default_rng(seed)
    rows = [_fold(selector, X, codes, split, sizes, rng) for split in track(splits, "checking")]
    selected, random, whole = (np.array(part) for part in zip(*rows, strict=True))
    guess = float(np.bincount(codes).max() / codes.size)
    chosen = sizes.index(selector.n_features_)
    return Check(sizes, chosen, folds, selected, random, whole, guess)


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
) -> tuple[np.ndarray, np.ndarray, float]:
    train, test = split
    own = clone(selector).set_params(n_features_to_select=max(sizes)).fit(X[train], codes[train])
    judge = _Judge(X, codes, train, test)
    n = X.shape[1]
    jobs = [(own.order_, [n]), (own.order_, sizes)]
    jobs += [(rng.permutation(n), sizes) for _ in range(_DRAWS)]
    whole, selected, *drawn = threaded(lambda job: judge.accuracies(*job), jobs)
    return selected, np.mean(drawn, axis=0), float(whole[0])


class _Judge:
    """A ridge classifier (penalty 1) on standardised columns, for nested sets of features.

    With few samples it is solved in its dual form: the inner products of the samples grow with
    the features, so all sizes together cost one product. The answer is that of scikit-learn.
    """

    def __init__(self, X: Any, codes: np.ndarray, train: np.ndarray, test: np.ndarray) -> None:
        self._train, self._test = train, test
        self._codes = codes
        self._dense = not sparse.issparse(X)
        self._X = X if self._dense else X.tocsc()

    def accuracies(self, order: np.ndarray, sizes: list[int]) -> np.ndarray:
        if self._train.size > _FEW_SAMPLES or not self._dense:
            return np.array([self._by_library(order[:size]) for size in sizes])
        T = self._codes.size
        gram = np.zeros((T, self._train.size))
        found = []
        for start, stop in pairwise([0, *sizes]):
            for left in range(start, stop, _COLUMNS):
                block = self._standardised(order[left : min(left + _COLUMNS, stop)])
                gram += block @ block[self._train].T
            found.append(self._solve(gram))
        return np.array(found)

    def _standardised(self, columns: np.ndarray) -> np.ndarray:
        block = self._X[:, columns].astype(np.float64)
        block -= block[self._train].mean(axis=0)
        spread = block[self._train].std(axis=0)
        return np.divide(block, spread, out=np.zeros_like(block), where=spread > 0)

    def _solve(self, gram: np.ndarray) -> float:
        target = 2.0 * (self._codes[self._train, None] == np.unique(self._codes)) - 1.0
        means = target.mean(axis=0)
        inner = gram[self._train] + np.eye(self._train.size)
        weights = linalg.solve(inner, target - means, assume_a="pos")
        values = gram[self._test] @ weights + means
        return float(np.mean(values.argmax(axis=1) == self._codes[self._test]))

    def _by_library(self, columns: np.ndarray) -> float:
        model = make_pipeline(StandardScaler(with_mean=self._dense), RidgeClassifier())
        X, codes = self._X[:, columns], self._codes
        model.fit(X[self._train], codes[self._train])
        return float(model.score(X[self._test], codes[self._test]))
