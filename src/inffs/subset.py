"""The subset of a ranking under constraints.

Some features must stay or go, no two may correlate too much, groups are selected together, and the
number of features has bounds. The ranking itself is the method's and does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inffs.graph import unit_profiles
from inffs.graph.profiles import Profiles
from inffs.validation.checks import find_columns, number_groups

_TILE = 256  # candidates that are compared at a time


@dataclass(frozen=True)
class Constraints:
    """What is asked of a subset, features by position.

    ``groups`` has a number per feature, -1 for a feature without a group; None for no groups.
    """

    include: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()
    max_correlation: float | None = None
    groups: np.ndarray | None = None
    group_score: str | None = None
    min_features: int | None = None
    max_features: int | None = None

    @classmethod
    def resolve(
        cls,
        n: int,
        names: Sequence[str] | None,
        *,
        include: Any = None,
        exclude: Any = None,
        feature_groups: Any = None,
        **others: Any,
    ) -> Constraints:
        """Find the features that the parameters name in a table of n features."""
        included = find_columns(include, n, names, "include")
        excluded = find_columns(exclude, n, names, "exclude")
        for place in sorted(set(included) & set(excluded)):
            name = place if names is None else repr(names[place])
            raise ValueError(f"include and exclude both name column {name}: remove it from one.")
        groups = None if feature_groups is None else number_groups(feature_groups, n, names)
        if others.get("group_score") is not None and (groups is None or groups.max() < 0):
            raise ValueError(
                f"group_score={others['group_score']!r} needs groups of columns: give "
                "feature_groups as well."
            )
        return cls(included, excluded, groups=groups, **others)

    def sizes(self, n: int) -> tuple[int, int]:
        """The least and the largest number of features."""
        least, most = self.min_features or 0, min(self.max_features or n, n)
        if least > most:
            raise ValueError(f"min_features={least}, but at most {most} features can be selected.")
        return least, most

    def words(self) -> str:
        """The constraints as the end of a sentence; empty without any."""
        parts = [f"{len(self.exclude):,} excluded"] * bool(self.exclude)
        if self.max_correlation is not None:
            parts.append(f"no two correlate above {self.max_correlation:g}")
        parts += [f"{len(self.include):,} included"] * bool(self.include)
        parts += ["groups kept together"] * (self.groups is not None)
        parts += ["groups ranked by their mean"] * (self.group_score == "mean")
        bounds = {"at least": self.min_features, "at most": self.max_features}
        parts += [f"{name} {value:,}" for name, value in bounds.items() if value is not None]
        return ", ".join(parts)


@dataclass(frozen=True)
class Subset:
    """The selected features are the first ones of ``order``.

    ``represented_by`` holds for every skipped feature the selected one it correlates with, else -1.
    """

    order: np.ndarray
    size: int
    represented_by: np.ndarray


def choose_subset(
    constraints: Constraints,
    order: np.ndarray,
    scores: np.ndarray,
    size: int,
    *,
    refill: bool,
    similarity: Similarity | None = None,
) -> Subset:
    """Walk the ranking and select what the constraints allow, until ``size`` features are selected.

    With ``refill`` the next feature in the ranking replaces a skipped one. Without it, a feature
    behind the first ``size`` is selected only because of ``include`` and ``min_features``.
    """
    n = order.size
    least, most = constraints.sizes(n)
    limit = min(size, most) if refill else most
    if len(constraints.include) > limit:
        raise ValueError(
            f"include names {len(constraints.include):,} features, but at most {limit:,} are "
            "to be selected: include fewer or select more."
        )
    groups = np.full(n, -1) if constraints.groups is None else constraints.groups
    wanted = int(np.clip(max(size, len(constraints.include)), least, most))
    walk = _Walk(groups, similarity)
    for feature in constraints.include:
        walk.add(walk.group(feature))
    walk.open[list(constraints.exclude)] = False
    end = n if refill else size
    line = _group_order(order, scores, groups) if constraints.group_score == "mean" else order
    walk.follow(line[:end], wanted)
    walk.follow(line[end:], least)
    if not walk.kept and size > 0:
        raise ValueError("The constraints leave no feature to select: exclude fewer features.")
    chosen = np.zeros(n, dtype=bool)
    chosen[walk.kept] = True
    by = np.full(n, -1) if similarity is None else similarity.represented(walk.kept)
    first = np.concatenate([order[chosen[order]], order[~chosen[order]]])
    return Subset(first, len(walk.kept), by)


def _group_order(order: np.ndarray, scores: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The ranking with every group at the mean score of its members.

    The mean is of places where the scores do not fall along the order.
    """
    grouped = groups >= 0
    falling = np.all(np.diff(scores[order]) <= 0)
    values = scores.astype(float) if falling else -np.argsort(order).astype(float)
    sizes = np.maximum(np.bincount(groups[grouped]), 1)
    means = np.bincount(groups[grouped], values[grouped]) / sizes
    values = np.where(grouped, means[groups], values)
    return order[np.argsort(-values[order], kind="stable")]


class _Walk:
    """Selects features, group by group; ``open`` are those neither selected nor excluded."""

    def __init__(self, groups: np.ndarray, similarity: Similarity | None) -> None:
        self.groups, self.similarity = groups, similarity
        self.kept: list[int] = []
        self.open = np.ones(groups.size, dtype=bool)

    def follow(self, order: np.ndarray, most: int) -> None:
        """Select the next features that fit, until there are ``most``."""
        for start in range(0, order.size, _TILE):
            if len(self.kept) >= most:
                return
            tile = order[start : start + _TILE]
            if self.similarity is not None:
                grouped = (self.groups >= 0) & np.isin(self.groups, self.groups[tile])
                self.similarity.compare(self.kept, np.union1d(tile, np.flatnonzero(grouped)))
            for feature in tile[self.open[tile]]:
                group = self.group(feature)  # empty if it was selected with its group
                fits = not self.kept or len(self.kept) + len(group) <= most
                if fits and not (self.similarity and self.similarity.too_high(group)):
                    self.add(group)

    def group(self, feature: int) -> list[int]:
        """The open features of its group, or the feature alone."""
        if self.groups[feature] < 0:
            return [int(feature)] if self.open[feature] else []
        return np.flatnonzero((self.groups == self.groups[feature]) & self.open).tolist()

    def add(self, group: list[int]) -> None:
        self.kept += group
        self.open[group] = False
        if self.similarity is not None:
            self.similarity.add(group)


class Similarity:
    """|Spearman correlation| of candidates with the selected features, a tile at a time."""

    def __init__(self, most: float, X: Any, sample_weight: Any = None) -> None:
        self.most = most
        self.profiles: Profiles = unit_profiles(X, sample_weight=sample_weight)
        self._tile = np.empty(0, dtype=int)
        self._highest = np.zeros(X.shape[1])

    def compare(self, kept: list[int], tile: np.ndarray) -> None:
        """Note how much each candidate of the tile correlates with the selected ones."""
        self._tile = tile
        self._highest[tile] = 0.0
        self.add(kept)

    def add(self, kept: list[int]) -> None:
        """Compare the tile with features that were selected."""
        if kept and self._tile.size:
            found = self._between(kept, self._tile).max(axis=0)
            self._highest[self._tile] = np.maximum(self._highest[self._tile], found)

    def too_high(self, group: list[int]) -> bool:
        return bool((self._highest[group] > self.most).any())

    def represented(self, kept: list[int]) -> np.ndarray:
        """For every other feature: the selected one most like it, if they correlate too much."""
        out = np.full(self._highest.size, -1)
        others = np.setdiff1d(np.arange(out.size), kept)
        for start in range(0, others.size if kept else 0, 4 * _TILE):
            tile = others[start : start + 4 * _TILE]
            found = self._between(kept, tile)
            alike = found.max(axis=0) > self.most
            out[tile[alike]] = np.array(kept)[found.argmax(axis=0)[alike]]
        return out

    def _between(self, kept: list[int], tile: np.ndarray) -> np.ndarray:
        return np.abs(self.profiles.correlations(np.array(kept), tile))
