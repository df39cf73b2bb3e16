"""Reasons for the rank of a feature: its measures, and the features it correlates with.

Correlations are Spearman's, by tiles of the n x n matrix that are never kept: time O(n^2 T),
memory O(nT). float64 up to 2000 features, float32 above. Beyond 50,000 features every one of them
is compared with the 20,000 best only, which bounds the time to O(nT).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from inffs._utils.threads import threaded
from inffs.graph import unit_profiles
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
    effects : dict, optional
        The association of each feature with the target (:func:`inffs.measures.effects`).
    mean_correlation : ndarray of shape (n_features,)
        Mean of |Spearman| with the others.
    nearest, complement : ndarray of int of shape (n_features,)
        Features.
    nearest_correlation, complement_correlation : ndarray of shape (n_features,)
        |Spearman| with them.

    See Also
    --------
    explain : Computes them.

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
    """Columns of the ranking: the mean correlation with others, and the most correlated one."""
    order = selector.order_
    nearest = reasons.nearest[order]
    return {
        "mean_abs_correlation": reasons.mean_correlation[order],
        "most_redundant_partner": [names[one] if one >= 0 else None for one in nearest],
        "partner_abs_correlation": reasons.nearest_correlation[order],
    }


def _redundancy(profiles: Any, order: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean |correlation| with the other features, the nearest one and its |correlation|."""
    n = profiles.shape[0]
    others = None if n <= _ALL_PAIRS_UP_TO else np.sort(order[:_COMPARED])
    blocks = [slice(start, min(start + _HEIGHT, n)) for start in range(0, n, _HEIGHT)]
    of_block = partial(_redundancy_of_block, profiles, others)
    parts = threaded(of_block, blocks, "comparing features")
    mean, nearest, highest = (np.concatenate(part) for part in zip(*parts, strict=True))
    return mean, nearest, highest


def _redundancy_of_block(
    profiles: Any, others: np.ndarray | None, rows: slice
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for some features, compared with some others (all if None), tile by tile."""
    count = profiles.shape[0] if others is None else others.size
    own = np.arange(rows.start, rows.stop)
    sums, highest, nearest = np.zeros(own.size), np.zeros(own.size), np.full(own.size, -1)
    place = own if others is None else np.searchsorted(others, own)
    compared = place < count
    if others is not None:
        compared[compared] = others[place[compared]] == own[compared]
    for start in range(0, count, _WIDTH):
        part = slice(start, min(start + _WIDTH, count))
        tile = profiles.correlations(rows, part if others is None else others[part])
        np.abs(tile, out=tile)
        here = np.flatnonzero(compared & (place >= part.start) & (place < part.stop))
        tile[here, place[here] - part.start] = 0.0
        sums += tile.sum(axis=1)
        best = tile.argmax(axis=1)
        values = tile[np.arange(own.size), best]
        better = values > highest
        highest[better], nearest[better] = values[better], best[better] + part.start
    if others is not None:
        nearest = np.where(nearest >= 0, others[nearest], -1)
    mean = np.minimum(sums / np.maximum(1, count - compared), 1.0)
    return mean, nearest, np.minimum(highest, 1.0)


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
