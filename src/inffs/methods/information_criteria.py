"""Greedy selection by mutual information: relevance to the class, redundancy among the chosen."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs._parallel import column_blocks, threaded
from inffs._progress import track
from inffs.measures import count_log_count, equal_width_bins, number_of_bins
from inffs.selector import FeatureSelector, Scored

_AUTO = 200  # features chosen when no number is asked for
_FEW = 32  # levels up to which integers are taken as they are
_TIE = 1e-12  # nats, relative to the label's entropy: criteria so close are equal
_CELLS = 2**15


class InformationCriterion(FeatureSelector):
    """Base of the greedy criteria: a criterion says how a chosen feature k counts against j.

    ``_term`` turns I(X_j; X_k) and I(X_j; X_k | Y) into a number per candidate, ``_fold`` gathers
    these over the chosen ones, ``_share`` weighs the gathered total for so many chosen, and the
    next choice is the largest I(X_j; Y) - share * total.
    """

    _supervised = True
    _conditional = True  # whether I(X_j; X_k | Y) is needed
    _fold: Any = np.add
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "bins": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
    }

    bins: int | str

    def __init__(self, *, bins: int | str = "auto", n_features_to_select: Any = "auto") -> None:
        self.bins = bins
        self.n_features_to_select = n_features_to_select

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        return pair - given_class

    def _share(self, chosen: int) -> float:
        return 1.0

    def _score(self, X: np.ndarray, y: np.ndarray) -> Scored:
        asked = self._size_asked(self.n_features_in_)
        steps = min(X.shape[1], _AUTO if asked is None else asked)
        table = PairCounts(X, y, number_of_bins(y.size, self.bins))
        order, scores = self._choose(table, steps)
        why = f"The first {steps} choices: so many are made when no number is asked for."
        return Scored(scores, order=order, size=steps, why=why)

    def _choose(self, table: PairCounts, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """The order of choice, the rest behind by the last criterion, and the criteria."""
        value, total = table.relevance.copy(), None
        free = np.ones(value.size, dtype=bool)
        chosen: list[int] = []
        for _ in track(range(steps), "features chosen"):
            if chosen:
                term = self._term(*table.with_chosen(chosen[-1], self._conditional))
                total = term if total is None else self._fold(total, term)
                latest = table.relevance - self._share(len(chosen)) * total
                value[free] = latest[free]
            best = np.max(value, where=free, initial=-np.inf)
            chosen.append(int(np.argmax(free & (value >= best - table.tie))))
            free[chosen[-1]] = False
        rest = np.flatnonzero(free)
        behind = rest[np.argsort(-np.round(value[rest] / table.tie), kind="stable")]
        return np.concatenate([np.array(chosen, dtype=int), behind]), value


class MRMR(InformationCriterion):
    """Minimum redundancy, maximum relevance: I(X_j; Y) - mean_k I(X_j; X_k)

    ENTRY
    """

    _conditional = False

    def _term(self, pair: np.ndarray, given_class: np.ndarray) -> np.ndarray:
        return pair

    def _share(self, chosen: int) -> float:
        return 1 / chosen


class PairCounts:
    """The binned table, its relevance, and its pairwise terms with one chosen column at a time.

    Every information is a sum of k log k over counts k. With c the number of samples in a cell,
    the sum over cells of c log c is the sum over samples of log c, so one bincount over
    (candidate, its level, level of the chosen one, class) and a gather serve all candidates.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, bins: int) -> None:
        self._y, self._classes = y, int(y.max()) + 1
        self._T = y.size
        self._xlogx = count_log_count(self._T)
        self.codes, self.levels = discretise(X, bins)
        self._blocks = column_blocks(X.shape[1], self._T, _CELLS)
        self._alone, self._with_class = self._sums(np.zeros(self._T, dtype=np.intp), 1, True)
        self._label = self._xlogx[np.bincount(y)].sum()
        information = self._with_class - self._alone - self._label + self._xlogx[self._T]
        self.relevance = np.maximum(information, 0.0) / self._T
        self.tie = _TIE * (self._xlogx[self._T] - self._label) / self._T

    def with_chosen(self, k: int, conditional: bool) -> tuple[np.ndarray, np.ndarray]:
        """I(X_j; X_k) and I(X_j; X_k | Y) for every j (the latter 0 where it is not asked for)."""
        pair, triple = self._sums(self.codes[:, k], int(self.levels[k]), conditional)
        whole = self._xlogx[self._T]
        shared = (pair - self._alone - self._alone[k] + whole) / self._T
        if not conditional:
            return shared, np.zeros_like(shared)
        given = (triple - self._with_class - self._with_class[k] + self._label) / self._T
        return shared, given

    def _sums(
        self, other: np.ndarray, levels: int, with_class: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """sum of c log c over the cells (j, other) and over the cells (j, other, class)."""
        classes = self._classes if with_class else 1
        inner = other.astype(np.intp) * classes + (self._y if with_class else 0)

        def of_block(columns: slice) -> tuple[np.ndarray, np.ndarray]:
            width = levels * classes
            sizes = self.levels[columns]
            start = np.concatenate([[0], np.cumsum(sizes)])
            place = (self.codes[:, columns] + start[:-1]) * width
            place += inner[:, None]
            counts = np.bincount(place.ravel(), minlength=int(start[-1]) * width)
            fine = np.add.reduceat(self._xlogx[counts], start[:-1] * width)
            if not with_class:
                return fine, fine
            coarse = self._xlogx[counts.reshape(-1, classes).sum(axis=1)]
            return np.add.reduceat(coarse, start[:-1] * levels), fine

        parts = threaded(of_block, self._blocks)
        pair, triple = (np.concatenate(part) for part in zip(*parts, strict=True))
        return pair, triple


def discretise(X: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Level of every value and number of levels of every column.

    Columns of integers with few levels are taken as they are; others are cut into equal widths.
    """

    def of_block(columns: slice) -> tuple[np.ndarray, np.ndarray]:
        block = X[:, columns]
        codes = equal_width_bins(block, bins)
        low = block.min(axis=0)
        span = block.max(axis=0) - low
        whole = np.flatnonzero((span < max(_FEW, bins)) & (block == np.rint(block)).all(axis=0))
        codes[:, whole] = block[:, whole] - low[whole]
        return codes, codes.max(axis=0) + 1

    parts = threaded(of_block, column_blocks(X.shape[1], X.shape[0], _CELLS))
    return np.hstack([codes for codes, _ in parts]), np.concatenate([size for _, size in parts])
