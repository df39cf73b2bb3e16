"""Why a feature scored as it did: its measures, and the features it repeats or completes.

Correlations are Spearman's, by tiles of the n x n matrix that are never kept: time O(n^2 T),
memory O(nT). float64 up to 2000 features, float32 above. Beyond 50,000 features every one of them
is compared with the 20,000 best only, which bounds the time to O(nT).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inffs._utils.threads import threaded
from inffs.graph import unit_profiles
from inffs.graph.tiles import walk_half
from inffs.measures.batch import rescale
from inffs.ranking import Measured, measured
from inffs.report._facts import target_in
from inffs.validation.missing import as_seen

_HEIGHT, _WIDTH = 256, 1024
_COMPANIONS = 200
_ALL_PAIRS_UP_TO, _COMPARED = 50_000, 20_000


@dataclass(frozen=True)
class Reasons(Measured):
    """The measures of every feature, and two features beside it: indices, -1 for none.

    ``nearest`` is the feature with the highest |correlation|; ``complement`` the one among the best
    that is good itself and least repeated by this feature.

    Parameters
    ----------
    dispersion, fisher, information : ndarray of shape (n_features,)
        The measures, where the target has them.
    effects : object, optional
        What each feature says of the target by itself (:func:`inffs.measures.effects`).
    mean_correlation : ndarray of shape (n_features,)
        Mean of |Spearman| with the others.
    nearest, complement : ndarray of int of shape (n_features,)
        Features.
    nearest_correlation, complement_correlation : ndarray of shape (n_features,)
        |Spearman| with them.

    See Also
    --------
    explain : Makes them.

    Examples
    --------
    >>> import inffs
    >>> from inffs.report import explain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> explain(inffs.InfFSU().fit(X), X).nearest.tolist()
    [2, 2, 3, 2]
    """

    mean_correlation: np.ndarray
    nearest: np.ndarray
    nearest_correlation: np.ndarray
    complement: np.ndarray
    complement_correlation: np.ndarray


def explain(selector: Any, X: Any, y: Any = None, own: Any = None) -> Reasons:
    """The reasons behind the ranking of a fitted selector.

    ``own`` is the table in its own units where X, which the selector was fitted on, was scaled.

    Parameters
    ----------
    selector : fitted selector
        Any.
    X : ndarray, CSC matrix or lazy table of shape (n_samples, n_features)
        What it was fitted on.
    y : ndarray of shape (n_samples,), optional
        The target, as in ``fit``.
    own : ndarray, optional
        The table in its own units.

    Returns
    -------
    Reasons

    See Also
    --------
    inffs.write_report : Shows them.

    Examples
    --------
    >>> import inffs
    >>> from inffs.report import explain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> explain(inffs.InfFSU().fit(X), X).mean_correlation.round(2).tolist()
    [0.63, 0.26, 0.71, 0.69]
    """
    X, weight = as_seen(selector.missing, X)
    target = target_in(selector, y)
    profiles = unit_profiles(X, sample_weight=weight)
    mean, nearest, highest = _redundancy(profiles, selector.order_)
    complement, complement_correlation = _complement(selector, profiles)
    return Reasons(
        **vars(measured(X, target, own, weight)),
        mean_correlation=mean,
        nearest=nearest,
        nearest_correlation=highest,
        complement=complement,
        complement_correlation=complement_correlation,
    )


def partner_columns(selector: Any, names: list[str], reasons: Reasons) -> dict[str, Any]:
    """For a table of the ranking: how much a feature repeats others, and whom most."""
    order = selector.order_
    nearest = reasons.nearest[order]
    return {
        "mean_abs_correlation": reasons.mean_correlation[order],
        "most_redundant_partner": [names[one] if one >= 0 else None for one in nearest],
        "partner_abs_correlation": reasons.nearest_correlation[order],
    }


def _redundancy(profiles: Any, order: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean |correlation| with the other features, the nearest and its |correlation|."""
    n = profiles.shape[0]
    if n > _ALL_PAIRS_UP_TO:
        return _redundancy_with(profiles, np.sort(order[:_COMPARED]))
    found = _AllPairs(profiles)
    found.run()
    return found.sums / max(1, n - 1), found.nearest, found.highest


def _redundancy_with(
    profiles: Any, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same, seen among some features only."""

    def of_block(rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        tile = np.minimum(np.abs(profiles.correlations(rows, others)), 1.0)
        own = np.arange(rows.start, rows.stop)[:, None] == others
        tile[own] = 0.0
        place, compared = tile.argmax(axis=1), others.size - own.sum(axis=1)
        highest = tile[np.arange(place.size), place].astype(float)
        mean = tile.sum(axis=1, dtype=float) / np.maximum(1, compared)
        return mean, np.where(highest > 0, others[place], -1), highest

    n = profiles.shape[0]
    blocks = [slice(start, min(start + _HEIGHT, n)) for start in range(0, n, _HEIGHT)]
    parts = threaded(of_block, blocks, "comparing features")
    mean, nearest, highest = (np.concatenate(part) for part in zip(*parts, strict=True))
    return mean, nearest, highest


class _AllPairs:
    """Sum and largest of |correlation| with the other features, one pass over half the tiles.

    Where the largest stands is looked up only in columns that beat what earlier strips found;
    strips are merged in order, so ties go to the smaller index whatever the threads do.
    """

    def __init__(self, profiles: Any) -> None:
        self._profiles = profiles
        self.n = profiles.shape[0]
        self.sums = np.zeros(self.n)
        self.highest = np.zeros(self.n)
        self.nearest = np.full(self.n, -1)

    def run(self) -> None:
        strips = walk_half(
            self._tile, self.n, (_HEIGHT, _WIDTH), self._begin, self._visit, "comparing features"
        )
        for start, (sums, highest, nearest) in strips:
            rest = slice(start, self.n)
            self.sums[rest] += sums
            better = highest > self.highest[rest]
            self.highest[rest][better] = highest[better]
            self.nearest[rest][better] = nearest[better]

    def _begin(self, start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        left = self.n - start
        return np.zeros(left), np.zeros(left), np.full(left, -1)

    def _visit(self, found: tuple, I: slice, J: slice, tile: np.ndarray) -> None:
        """Rows against the features of a tile, and the mirror image."""
        sums, highest, nearest = found
        own = np.arange(I.stop - I.start)
        sums[own] += tile.sum(axis=1)
        place = tile.argmax(axis=1)
        _raise(highest, nearest, own, tile[own, place], place + J.start)
        if I != J:
            sums[J.start - I.start : J.stop - I.start] += tile.sum(axis=0)
            self._mirror(tile, J, I.start, highest, nearest)

    def _tile(self, I: slice, J: slice) -> np.ndarray:
        tile = self._profiles.correlations(I, J)
        np.abs(tile, out=tile)
        np.minimum(tile, 1.0, out=tile)
        if I == J:
            np.fill_diagonal(tile, 0.0)
        return tile

    def _mirror(
        self, part: np.ndarray, below: slice, start: int, highest: np.ndarray, nearest: np.ndarray
    ) -> None:
        peak = part.max(axis=0)
        hopeful = np.flatnonzero(peak > self.highest[below])
        if hopeful.size:
            rows = part[:, hopeful].argmax(axis=0)
            at = hopeful + (below.start - start)
            _raise(highest, nearest, at, peak[hopeful], rows + start)


def _raise(
    highest: np.ndarray, nearest: np.ndarray, at: np.ndarray, values: np.ndarray, who: np.ndarray
) -> None:
    """Note new record values, and whose they are."""
    better = values > highest[at]
    highest[at[better]] = values[better]
    nearest[at[better]] = who[better]


def _complement(selector: Any, profiles: Any) -> tuple[np.ndarray, np.ndarray]:
    """Among the best features the one with the largest score x (1 - |correlation|)."""
    best = selector.order_[: min(max(2, selector.n_features_), _COMPANIONS)]
    worth = rescale(selector.scores_)[best]
    weight = worth if worth.max() > 0 else np.ones(best.size)
    n = profiles.shape[0]
    blocks = [slice(start, min(start + _WIDTH, n)) for start in range(0, n, _WIDTH)]

    def of_block(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        redundancy = np.minimum(np.abs(profiles.correlations(rows, best)), 1.0)
        gain = weight * (1.0 - redundancy)
        gain[np.arange(rows.start, rows.stop)[:, None] == best] = -1.0
        place = gain.argmax(axis=1)
        return best[place], redundancy[np.arange(place.size), place]

    if n < 2:
        return np.full(n, -1), np.zeros(n)
    parts = threaded(of_block, blocks)
    complement, correlation = (np.concatenate(part) for part in zip(*parts, strict=True))
    return complement, correlation.astype(float)
