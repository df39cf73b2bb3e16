"""Cuts that look at the table as well as at the scores: a measured best.

``"cross-validation"`` takes the smallest selection that predicts as well as the best one,
``"stability"`` the most reproducible one. Both can be given by name or as an instance with
parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from inffs._utils.progress import track
from inffs._utils.words import best_of
from inffs.cuts.cut import BuiltInCut, Cut
from inffs.cuts.stability import stability_curve
from inffs.evaluation import Part, choose, find_judge
from inffs.evaluation.folds import splits_of
from inffs.target import CLASSIFICATION, MULTILABEL, SURVIVAL, TARGET_TYPES, Target


@dataclass(frozen=True)
class CrossValidation(BuiltInCut):
    """The smallest size that predicts within one standard error of the best one.

    The error is that of the two sizes' difference over the folds.

    The features are ranked again inside every fold, never on its test part (the one-standard-error
    rule: Breiman and others 1984, Sec. 3.4.3; selection inside: Ambroise, McLachlan 2002).

    Parameters
    ----------
    estimator : estimator or name of a judge, optional
        Judges the selections; a linear SVM on standardised columns by default.
    sizes : list of int, optional
        Sizes to try; by default 1, 2, 3, 5, 8, ... up to all features.
    cv : int or splitter, default=5
        Folds, stratified by the labels.
    scoring : str or callable, optional
        The estimator's own score by default.

    See Also
    --------
    Supported : Departs from what stands out only where the check says so.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts import CrossValidation
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select=CrossValidation(cv=3)).fit(X, y).cut_.name
    'cross-validation'
    """

    estimator: Any = None
    sizes: Any = None
    cv: Any = 5
    scoring: Any = None

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        refuse_without_labels("cross-validation", selector, X, y, TARGET_TYPES)
        sizes = self._sizes(scores.size)
        folds = self._judge(selector, _by_rows(X), y, sizes)
        means = folds.mean(axis=0)
        best, chosen = int(np.argmax(means)), choose(folds, sizes, slack=1.0)
        return Cut("cross-validation", int(sizes[chosen]), (
            f"{sizes[chosen]} features score {means[chosen]:.3f} in cross-validation, within one "
            f"standard error of the difference to the best size, {sizes[best]} ({means[best]:.3f})."
        ))  # fmt: skip

    def _sizes(self, n: int) -> np.ndarray:
        if self.sizes is not None:
            sizes = np.unique(np.asarray(self.sizes, dtype=int))
            if sizes.size == 0 or sizes[0] < 1:
                raise ValueError(f"sizes={self.sizes!r}: give numbers of features from 1.")
            return np.unique(np.minimum(sizes, n))
        steps = np.geomspace(1, n, max(2, round(np.log(n) / np.log(1.6)) + 1))
        return np.unique(np.round(steps).astype(int))

    def _judge(self, selector: Any, X: Any, y: Target, sizes: np.ndarray) -> np.ndarray:
        """Scores of shape (folds, sizes)."""
        judge = find_judge(self.estimator, self.scoring, y.type)
        splits = splits_of(self.cv, X, y.strata())
        out = np.empty((len(splits), sizes.size))
        for row, (train, test) in enumerate(track(splits, "cross-validation of the size")):
            order = selector.rank_again(X[train], y.take(train))
            subsets = [order[:size] for size in sizes]
            out[row] = judge.scores(Part(X, y, train, test), subsets)[:, 0]
        return out


@dataclass(frozen=True)
class Stability(BuiltInCut):
    """The size at which the selection is most reproducible over subsamples.

    Nogueira's stability (JMLR 2018), which is corrected for chance, of the best k features over
    rankings of random parts of the samples, for every k at once; among equals the largest size.
    Costs as many fits as there are subsamples.

    Parameters
    ----------
    subsamples : int, default=16
        How many parts are drawn, stratified by the labels where there are any.
    share : float in (0, 1), default=0.5
        Share of the samples in each part.
    random_state : int, RandomState or None, default=0
        Seed of the parts.

    See Also
    --------
    inffs.StabilitySelection : Counts features instead of sizes.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts import Stability
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select=Stability(subsamples=4)).fit(X, y).cut_.name
    'stability'
    """

    subsamples: int = 16
    share: float = 0.5
    random_state: Any = 0

    def __post_init__(self) -> None:
        if not 0 < self.share < 1 or self.subsamples < 2:
            raise ValueError(
                f"Stability takes a share between 0 and 1 and at least 2 subsamples, "
                f"not share={self.share!r} and subsamples={self.subsamples!r}."
            )

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        if selector is None or X is None:
            raise ValueError("The stability cut ranks parts of the table: it needs the table.")
        table = _by_rows(X)
        parts = track(self._parts(table.shape[0], y), "stability", self.subsamples)
        again = clone(selector).set_params(n_features_to_select=scores.size)
        orders = [
            again.rank_checked(table[part], None if y is None else y.take(part)) for part in parts
        ]
        curve = stability_curve(np.stack(orders))
        size = int(np.flatnonzero(curve >= curve.max() - 1e-12)[-1]) + 1
        return Cut("stability", size, (
            f"The most reproducible selection over {self.subsamples} subsamples is that of the "
            f"{best_of(size)} (Nogueira's stability {curve[size - 1]:.2f})."
        ))  # fmt: skip

    def _parts(self, T: int, y: Any) -> list[np.ndarray]:
        rng = check_random_state(self.random_state)
        strata = None if y is None or y.type == MULTILABEL else y.strata()
        codes = np.zeros(T, dtype=int) if strata is None else strata
        classes = [np.flatnonzero(codes == code) for code in np.unique(codes)]
        least = 2 if len(classes) == 1 else 1

        def draw(rows: np.ndarray) -> np.ndarray:
            return rng.choice(rows, max(least, round(self.share * rows.size)), replace=False)

        return [
            np.sort(np.concatenate([draw(rows) for rows in classes]))
            for _ in range(self.subsamples)
        ]


def refuse_without_labels(
    cut: str, selector: Any, X: Any, y: Any, types: tuple[str, ...] = (CLASSIFICATION, MULTILABEL)
) -> None:
    """Raise where a cut that asks the labels has no table or no labels of these kinds."""
    if selector is None or X is None:
        raise ValueError(f"The cut {cut!r} needs the whole table, not only the scores.")
    if y is None:
        raise ValueError(
            f"The cut {cut!r} needs labels, and {type(selector).__name__} is unsupervised: use a "
            "supervised method, or the cut 'stability'."
        )
    if y.type not in types:
        what = "survival times" if y.type == SURVIVAL else "continuous"
        raise ValueError(
            f"The cut {cut!r} needs classes, and y is {what}: give a number, 'auto' or the cut "
            "'stability'."
        )


def _by_rows(X: Any) -> Any:
    """The table as something whose rows can be taken."""
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
