"""Reasons for the rank of a feature: its measures, the features it correlates with, its paths.

Correlations are Spearman's, by tiles of the n x n matrix that are never kept: time O(n^2 T),
memory O(nT). float64 up to 2000 features, float32 above. Beyond 50,000 features every one of them
is compared with the 20,000 best only, which bounds the time to O(nT).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from scipy.stats import spearmanr
from sklearn.utils.validation import check_is_fitted

from inffs._utils.threads import threaded
from inffs.conditional import ConditionalPath
from inffs.cuts import SCORE_CUTS, Cut, apply_cut, needs_table
from inffs.graph import unit_profiles
from inffs.measures.batch import rescale
from inffs.meta.constrained import unconstrained
from inffs.paths import Paths
from inffs.ranking import Measured, measured
from inffs.target import REGRESSION, Target, make_target
from inffs.validation.checks import varying_columns
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import weights_of_present

REDUNDANT = 0.7  # mean |correlation| inside a group of features that repeat each other
SHOWN = 120
_SETTLED = 0.9995  # rank agreement
_HEIGHT, _WIDTH = 256, 1024
_COMPANIONS = 200
_ALL_PAIRS_UP_TO, _COMPARED = 50_000, 20_000


@dataclass(frozen=True)
class Reasons(Measured):
    """The measures of every feature, and the features that repeat or complement it.

    ``nearest`` is the feature with the highest absolute correlation. ``complement`` is one of the
    best features with a low correlation with this feature. Both are indices, or -1 for none.

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
    """Return the reasons behind the ranking of a fitted selector.

    Parameters
    ----------
    selector : fitted selector
        The selector whose ranking is explained.
    X : ndarray, CSC matrix or lazy table of shape (n_samples, n_features)
        The table on which the selector was fitted.
    y : ndarray of shape (n_samples,), optional
        The target, as in ``fit``.
    own : ndarray, optional
        The table in its own units, if X was scaled.

    Returns
    -------
    Reasons

    See Also
    --------
    inffs.Report : Shows the reasons.

    Examples
    --------
    >>> import inffs
    >>> from inffs.report import explain
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> explain(inffs.InfFSU().fit(X), X).mean_correlation.round(2).tolist()
    [0.63, 0.26, 0.71, 0.69]
    """
    weight = weights_of_present(selector.missing, X)
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
    own = np.arange(rows.start, rows.stop)
    columns = np.arange(profiles.shape[0]) if others is None else others
    sums, highest, nearest = np.zeros(own.size), np.zeros(own.size), np.full(own.size, -1)
    for start in range(0, columns.size, _WIDTH):
        part = columns[start : start + _WIDTH]
        of_part = slice(start, start + part.size) if others is None else part
        tile = profiles.correlations(rows, of_part)
        np.abs(tile, out=tile)
        if part[0] <= own[-1] and own[0] <= part[-1]:
            tile[own[:, None] == part] = 0.0  # a feature is not compared with itself
        sums += tile.sum(axis=1)
        best = tile.argmax(axis=1)
        values = tile[np.arange(own.size), best]
        better = values > highest
        highest[better], nearest[better] = values[better], part[best[better]]
    mean = np.minimum(sums / np.maximum(1, columns.size - np.isin(own, columns)), 1.0)
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


def target_in(selector: Any, y: Any) -> Target | None:
    """The target as in ``fit``; None if the report cannot show anything about it."""
    if y is None:
        return None
    fitted = unconstrained(selector)
    asked = getattr(fitted, "target_type_", getattr(fitted, "target_type", "auto"))
    try:
        target = make_target(y, asked).occurring()
    except ValueError:  # a selector without labels takes any y
        return None
    if target.type == REGRESSION:
        return target if len(target) and np.ptp(target.values, axis=0).any() else None
    if target.classes is not None:
        return target if target.classes.size >= 2 else None
    return target


def alternative_cuts(selector: Any, X: Any = None) -> list[Cut]:
    """The cuts that need only the scores, and the cut that was used.

    Constant columns are left out of a cut; they are known only if X is given.
    """
    scores = selector.scores_[selector.order_]
    if X is not None:
        scores = scores[: varying_columns(X).size]
    if np.any(np.diff(scores) > 0):
        return []
    cuts = [selector.cut_] if needs_table(selector.cut_.name) else []
    for name in SCORE_CUTS:
        try:
            cuts.append(apply_cut(name, scores))
        except Exception:  # a cut that needs more than the scores
            continue
    return sorted(cuts, key=lambda cut: cut.size)


@dataclass(frozen=True)
class Groups:
    """Kept features in the order of a clustering, |correlation| between them, and groups.

    ``groups`` holds (start, stop) in that order for every group of at least two features.
    """

    features: np.ndarray
    correlation: np.ndarray
    groups: list[tuple[int, int]]

    def members(self, group: tuple[int, int], ranking: np.ndarray) -> np.ndarray:
        """The features of a group, best first: the first one names it."""
        inside = self.features[group[0] : group[1]]
        return inside[np.argsort(ranking[inside], kind="stable")]


def group_features(X: Any, features: np.ndarray) -> Groups:
    """Cluster features by |Spearman|, average linkage, cut at a mean |correlation| of 0.7."""
    features = np.asarray(features)
    if features.size < 2:
        return Groups(features, np.ones((features.size, features.size)), [])
    profiles = unit_profiles(X[:, features])
    everything = slice(0, features.size)
    correlation = np.minimum(np.abs(profiles.correlations(everything, everything)), 1.0)
    np.fill_diagonal(correlation, 1.0)
    distance = squareform(1.0 - (correlation + correlation.T) / 2, checks=False)
    tree = hierarchy.linkage(distance, "average")
    flat = hierarchy.fcluster(tree, 1.0 - REDUNDANT, "distance")
    order = hierarchy.leaves_list(tree)
    edges = np.flatnonzero(np.diff(flat[order])) + 1
    bounds = [0, *edges.tolist(), features.size]
    groups = [(start, stop) for start, stop in pairwise(bounds) if stop - start > 1]
    return Groups(features[order], correlation[np.ix_(order, order)], groups)


@dataclass(frozen=True)
class Settling:
    """Ranks of some features by paths of at most 1, 2, ... edges, and how near to the end."""

    lengths: list[int]
    features: np.ndarray
    ranks: np.ndarray
    agreement: np.ndarray
    overlap: np.ndarray
    same_scores: bool = False

    @property
    def flat(self) -> bool:
        """Whether longer paths change nothing."""
        return bool((self.agreement > _SETTLED).all() and (self.ranks == self.ranks[-1]).all())

    @property
    def moves(self) -> bool:
        """Whether there is something to draw."""
        return not (self.flat or self.same_scores)

    @property
    def settled(self) -> int:
        """From which length on the whole ranking hardly changes; beyond the last: from none."""
        still = np.flatnonzero(self.agreement < _SETTLED)
        return int(still[-1]) + 2 if still.size else 1


def settle(selector: Any, features: int = 12, longest: int = 10) -> Settling | None:
    """How the ranking settles as paths grow longer; None for a selector without such paths."""
    paths = getattr(unconstrained(selector), "walk_", None)
    if not isinstance(paths, Paths):
        return None
    final = selector.order_[:features]
    kept = set(selector.order_[: selector.n_features_].tolist())
    total = np.zeros(selector.scores_.size)
    ranks, agreement, overlap = [], [], []
    for length in range(1, longest + 1):
        total = total + paths.scores(length=length)
        order = np.argsort(-total, kind="stable")
        place = np.argsort(order) + 1
        ranks.append(place[final])
        agreement.append(float(spearmanr(place, selector.ranking_).statistic))
        overlap.append(len(kept & set(order[: len(kept)].tolist())) / len(kept))
    lengths = list(range(1, longest + 1))
    told = np.array(ranks), np.array(agreement), np.array(overlap)
    return Settling(lengths, final, *told, _proportional(paths))


def _proportional(paths: Paths) -> bool:
    """Whether paths of every length give the same scores up to a factor."""
    one, two = paths.scores(length=1), paths.scores(length=2)
    return bool(np.isclose(one @ two, np.sqrt((one @ one) * (two @ two)), rtol=1e-9))


def paths_of(selector: Any) -> list[ConditionalPath]:
    """The conditional paths of a fitted selector; none for a selector of another kind."""
    paths = getattr(unconstrained(selector), "paths_", None)
    if not isinstance(paths, list) or not all(isinstance(path, ConditionalPath) for path in paths):
        return []
    return paths


def names_of(selector: Any, X: Any, given: Any) -> list[str]:
    """The names of the features: as given, of the table, as seen in ``fit``, or numbered."""
    check_is_fitted(selector)
    n = selector.n_features_in_
    known = given, getattr(X, "columns", None), getattr(selector, "feature_names_in_", None)
    found = next((each for each in known if each is not None), map("x{}".format, range(n)))
    names = [str(name) for name in found]
    if len(names) != n:
        raise ValueError(
            f"feature_names has {len(names)} names, but there are {n} features: give one for each."
        )
    return names


def matrix_of(selector: Any, X: Any) -> Any:
    """X as numbers, of as many columns as the selector saw."""
    if not isinstance(X, LazyTable):
        X = X.tocsc() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != selector.n_features_in_:
        raise ValueError(
            f"X has shape {X.shape}, but the selector was fitted on "
            f"{selector.n_features_in_} features: give it the same table."
        )
    return X
