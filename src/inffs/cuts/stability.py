"""Does a method select the same features twice? Nogueira's stability, and the rule that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from inffs._utils.progress import track
from inffs._utils.words import best_of
from inffs.cuts.cut import Cut, RankAgain, SizeRule
from inffs.cuts.samples import Samples
from inffs.scores import Ranking
from inffs.target import MULTILABEL


@dataclass(frozen=True)
class Stability(SizeRule):
    """Keep the size at which the selection is most reproducible over subsamples.

    Random parts of the samples are ranked. Nogueira's stability (JMLR 2018) of the best k features
    is corrected for chance and computed for every k. Of equally stable sizes the largest is kept.
    It takes as many fits as there are subsamples.

    Parameters
    ----------
    subsamples : int, default=16
        The number of parts, stratified by the labels if there are any.
    share : float in (0, 1), default=0.5
        Share of the samples in each part.
    random_state : int, RandomState or None, default=0
        Seed of the parts.

    See Also
    --------
    inffs.StabilitySelection : Keeps the features that are selected most often.

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

    def __call__(self, ranking: Ranking, samples: Samples, rank_again: RankAgain) -> Cut:
        """The size whose selections agree most."""
        n, table = ranking.scores.size, samples.by_rows()
        if n == 1 or np.ptp(ranking.scores) <= 1e-12 * np.abs(ranking.scores).max():
            return Cut("stability", n, "All scores are equal: nothing tells the features apart.")
        parts = track(self._parts(len(samples), samples.target), "ranking subsets", self.subsamples)
        curve = stability_curve(np.stack([rank_again(table.take(part), n) for part in parts]))
        size = int(np.flatnonzero(curve >= curve.max() - 1e-12)[-1]) + 1
        return Cut("stability", size, (
            f"The most reproducible selection over {self.subsamples} subsamples is that of the "
            f"{best_of(size)} (Nogueira's stability {curve[size - 1]:.2f})."
        ))  # fmt: skip

    def _parts(self, T: int, y: Any) -> list[np.ndarray]:
        rng = check_random_state(self.random_state)
        plain = y is None or y.type == MULTILABEL
        codes = np.zeros(T, dtype=int) if plain else y.strata()
        classes = [np.flatnonzero(codes == code) for code in np.unique(codes)]
        least = 2 if len(classes) == 1 else 1

        def draw(rows: np.ndarray) -> np.ndarray:
            return rng.choice(rows, max(least, round(self.share * rows.size)), replace=False)

        return [
            np.sort(np.concatenate([draw(rows) for rows in classes]))
            for _ in range(self.subsamples)
        ]


def nogueira(picked: Sequence[Any], n: int) -> float:
    """Return the stability of selections of any sizes (Nogueira and others 2018, JMLR, Eq. 4).

    1 when all are equal, 0 on average for random ones; NaN where it is not defined.
    """
    M = len(picked)
    mean_size = float(np.mean([len(features) for features in picked])) if M > 1 else 0.0
    if mean_size in (0, n):
        return float("nan")
    chosen = np.concatenate([np.asarray(features, dtype=int) for features in picked])
    share = np.bincount(chosen, minlength=n) / M
    variance = (M / (M - 1)) * share * (1 - share)
    return float(1 - variance.mean() / ((mean_size / n) * (1 - mean_size / n)))


def stability_curve(orders: np.ndarray) -> np.ndarray:
    """Nogueira's stability of the best k, for k = 1 ... n - 1, of M complete orders (M, n).

    Growing k by one raises the count c of M features; sum c (M - c) then changes by M - 1 - 2 c
    each, so that one sort of every feature's places gives all sizes: O(nM log M).
    """
    M, n = orders.shape
    places = np.empty((n, M), dtype=np.intp)
    for column, order in enumerate(orders):
        places[order, column] = np.arange(n)
    places.sort(axis=1)
    steps = np.broadcast_to(M - 1 - 2 * np.arange(M), places.shape)
    spread = np.cumsum(np.bincount(places.ravel(), steps.ravel(), minlength=n))[:-1]
    share = np.arange(1, n) / n
    return 1 - spread / (n * M * (M - 1)) / (share * (1 - share))
