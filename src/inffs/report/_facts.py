"""The numbers behind the charts of the report and of :mod:`inffs.plot`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from inffs.cuts import SCORE_CUTS, Cut, apply_cut
from inffs.cuts.registry import needs_table
from inffs.graph import unit_profiles
from inffs.meta.constrained import unconstrained
from inffs.paths import Paths
from inffs.target import REGRESSION, Target, make_target
from inffs.validation.checks import varying_columns

REDUNDANT = 0.7  # mean |correlation| inside a group of features that repeat each other
SHOWN = 120


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


def second_opinion(selector: Any, cuts: list[Cut]) -> Cut | None:
    """Another rule that reads only the scores, for comparison."""
    for name in ("knee", "histogram"):
        for cut in cuts:
            if cut.name == name != selector.cut_.name:
                return cut
    return None


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
        return bool((self.agreement > 0.9995).all() and (self.ranks == self.ranks[-1]).all())


def settle(selector: Any, features: int = 12, longest: int = 10) -> Settling | None:
    """How the ranking settles as paths grow longer; None for a selector without such paths."""
    paths = getattr(unconstrained(selector), "walk_", None)
    if not isinstance(paths, Paths):
        return None
    from scipy.stats import spearmanr

    final = selector.order_[:features]
    kept = set(selector.order_[: selector.n_features_].tolist())
    total = np.zeros(selector.scores_.size)
    ranks, agreement, overlap = [], [], []
    for length in range(1, longest + 1):
        total = total + paths.scores(length=length)
        order = np.argsort(-total, kind="stable")
        place = np.empty(order.size, dtype=int)
        place[order] = np.arange(1, order.size + 1)
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
