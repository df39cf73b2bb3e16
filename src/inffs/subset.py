"""Wishes on the subset: what must stay or go, no near-copies, whole families, a least and a most.

The ranking is the method's; wishes decide who of it is kept. They are parameters of every selector.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from inffs.graph import unit_profiles
from inffs.graph.profiles import Profiles
from inffs.validation.named import find_columns, number_families

_TILE = 256  # candidates that are compared at a time

WISHES: dict[str, Any] = {
    "include": None,
    "exclude": None,
    "max_correlation": None,
    "feature_groups": None,
    "group_score": None,
    "min_features": None,
    "max_features": None,
}

WISH_CONSTRAINTS: dict[str, list] = {
    "include": [str, Integral, "array-like", None],
    "exclude": [str, Integral, "array-like", None],
    "max_correlation": [Interval(Real, 0, 1, closed="left"), None],
    "feature_groups": [dict, "array-like", None],
    "group_score": [StrOptions({"best", "mean"}), None],
    "min_features": [Interval(Integral, 1, None, closed="left"), None],
    "max_features": [Interval(Integral, 1, None, closed="left"), None],
}

SHARED = WISHES | {"missing": "refuse"}  # what every selector takes beside its own parameters


def take_also(cls: type, shared: dict[str, Any]) -> None:
    """Let the constructor of a selector take these parameters beside its own."""
    own = vars(cls).get("__init__")
    if own is None:
        return
    signature = inspect.signature(own)
    names = [name for name in shared if name not in signature.parameters]

    @functools.wraps(own)
    def __init__(self: Any, *args: Any, **params: Any) -> None:
        given = {name: params.pop(name, shared[name]) for name in names}
        own(self, *args, **params)
        vars(self).update(given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(name, keyword, default=shared[name]) for name in names]
    parameters = [*signature.parameters.values(), *more]
    __init__.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    cls.__init__ = __init__  # type: ignore[misc]


def wishes_of(selector: Any) -> dict[str, Any]:
    """The wishes that were made of a selector; empty where there are none."""
    made = {name: getattr(selector, name, None) for name in WISHES}
    return {name: value for name, value in made.items() if value is not None}


def wishes_by_position(selector: Any) -> dict[str, Any]:
    """The wishes of a fitted selector as they are said of a table without names."""
    wishes, n = wishes_of(selector), selector.n_features_in_
    names = getattr(selector, "feature_names_in_", None)
    for name in wishes.keys() & {"include", "exclude"}:
        wishes[name] = find_columns(wishes[name], n, names, name)
    if "feature_groups" in wishes:
        wishes["feature_groups"] = number_families(wishes["feature_groups"], n, names)
    return wishes


def grant_wishes(
    selector: Any, X: Any, live: np.ndarray, sample_weight: np.ndarray | None = None
) -> None:
    """Put what the wishes keep first; without wishes all stays as the cut has it."""
    wishes = wishes_of(selector)
    if not wishes:
        return
    names, cut = getattr(selector, "feature_names_in_", None), selector.cut_
    likeness = _Likeness.of(
        wishes.get("max_correlation"), X, live, selector.order_.size, sample_weight
    )
    subset = choose_subset(
        wishes, selector.order_, selector.scores_, cut.size, cut.name == "given", likeness, names
    )
    selector.order_ = subset.order
    selector.ranking_[subset.order] = np.arange(1, subset.order.size + 1)
    selector.cut_ = replace(cut, size=subset.size, why=cut.why + subset.why)
    if "max_correlation" in wishes:
        selector.represented_by_ = subset.represented_by


@dataclass(frozen=True)
class Subset:
    """Who is kept: ``kept`` first in ``order``; ``represented_by`` holds -1 for everyone else."""

    order: np.ndarray
    size: int
    represented_by: np.ndarray
    why: str


def choose_subset(
    wishes: dict[str, Any],
    order: np.ndarray,
    scores: np.ndarray,
    size: int,
    given: bool,
    likeness: _Likeness | None,
    names: Sequence[str] | None,
) -> Subset:
    """Walk the ranking and keep what the wishes allow, until ``size`` features are kept.

    Who is passed over makes room for the next one where a number was ``given``; where a cut has
    decided, nobody behind the cut is kept but by ``include`` and ``min_features``.
    """
    n = order.size
    least, most = wishes.get("min_features") or 0, wishes.get("max_features") or n
    if least > min(most, n):
        raise ValueError(f"min_features={least}, but at most {min(most, n)} can be kept.")
    included = find_columns(wishes.get("include"), n, names, "include")
    excluded = find_columns(wishes.get("exclude"), n, names, "exclude")
    _refuse_both(included, excluded, names)
    wanted = int(np.clip(max(size, len(included)), least, most))
    if len(included) > (min(size, most) if given else most):
        raise ValueError(
            f"include names {len(included)} features, but at most "
            f"{min(size, most) if given else most} are to be kept."
        )
    families = number_families(wishes.get("feature_groups"), n, names)
    walk = _Walk(wanted, families, likeness)
    walk.keep(included)
    walk.excluded[list(excluded)] = True
    end = n if given else size
    line = _in_line(order, scores, families, wishes.get("group_score"))
    walk.follow(line[:end])
    walk.follow(line[end:] if walk.count < least else line[:0], least)
    if walk.count == 0 and size > 0:
        raise ValueError("The wishes leave nothing to keep: exclude fewer features.")
    return _settled(walk, order, wishes, len(excluded))


def _in_line(
    order: np.ndarray, scores: np.ndarray, families: np.ndarray, how: str | None
) -> np.ndarray:
    """The order in which features are considered: families at their best or their mean member.

    The mean is of scores, or of places where a method has an order of its own.
    """
    if how is None:
        return order
    grouped = families >= 0
    if not grouped.any():
        raise ValueError(f"group_score={how!r} needs families of columns: give feature_groups=.")
    if how == "best":
        return order
    falling = np.all(np.diff(scores[order]) <= 0)
    values = scores.astype(float) if falling else -np.argsort(order).astype(float)
    sizes = np.maximum(np.bincount(families[grouped]), 1)
    means = np.bincount(families[grouped], values[grouped]) / sizes
    values = np.where(grouped, means[families], values)
    return order[np.argsort(-values[order], kind="stable")]


class _Walk:
    """Keeps features, family by family, while there is room."""

    def __init__(self, room: int, families: np.ndarray, likeness: _Likeness | None) -> None:
        self.room, self.families, self.likeness = room, families, likeness
        self.kept: list[int] = []
        self.excluded = np.zeros(families.size, dtype=bool)
        self._is_kept = np.zeros(families.size, dtype=bool)

    @property
    def count(self) -> int:
        return len(self.kept)

    def keep(self, features: Iterable[int]) -> None:
        """Keep these whatever they are, with their families."""
        for feature in features:
            self._add(self._family(feature))

    def follow(self, order: np.ndarray, room: int | None = None) -> None:
        room = self.room if room is None else room
        for start in range(0, order.size, _TILE):
            if self.count >= room:
                return
            tile = order[start : start + _TILE]
            if self.likeness is not None:
                self.likeness.compare(self.kept, tile)
            for feature in tile:
                self._consider(int(feature), room)

    def _consider(self, feature: int, room: int) -> None:
        if self._is_kept[feature] or self.excluded[feature]:
            return
        family = [one for one in self._family(feature) if not self.excluded[one]]
        if self.count and self.count + len(family) > room:
            return
        if self.likeness is not None and any(self.likeness.taken(one) for one in family):
            return
        self._add(family)

    def _family(self, feature: int) -> list[int]:
        if self.families[feature] < 0:
            return [feature]
        return np.flatnonzero(self.families == self.families[feature]).tolist()

    def _add(self, family: list[int]) -> None:
        new = [one for one in family if not self._is_kept[one]]
        self._is_kept[new] = True
        self.kept += new
        if self.likeness is not None:
            for one in new:
                self.likeness.add(one)


class _Likeness:
    """|Spearman correlation| of candidates with what is kept, a tile of candidates at a time."""

    def __init__(self, most: float, profiles: Profiles, live: np.ndarray, n: int) -> None:
        self.most, self.profiles = most, profiles
        self.place = np.full(n, -1)
        self.place[live] = np.arange(live.size)
        self._tile = np.empty(0, dtype=int)
        self._highest: dict[int, float] = {}

    @classmethod
    def of(
        cls, most: float | None, X: Any, live: np.ndarray, n: int, sample_weight: Any = None
    ) -> _Likeness | None:
        if most is None:
            return None
        if X is None:
            raise ValueError("max_correlation needs the whole table: it cannot follow chunks.")
        return cls(float(most), unit_profiles(X, sample_weight=sample_weight), live, n)

    def compare(self, kept: list[int], tile: np.ndarray) -> None:
        """Remember how much each of the tile correlates with the kept ones."""
        self._tile = tile[self.place[tile] >= 0]
        highest = self._with(np.array(kept, dtype=int), self._tile).max(axis=0, initial=0.0)
        self._highest = dict(zip(self._tile.tolist(), highest.tolist(), strict=True))

    def add(self, feature: int) -> None:
        """A feature is kept: the rest of the tile is compared with it."""
        if self._tile.size:
            more = self._with(np.array([feature]), self._tile).max(axis=0, initial=0.0)
            for one, value in zip(self._tile.tolist(), more.tolist(), strict=True):
                self._highest[one] = max(self._highest[one], value)

    def taken(self, feature: int) -> bool:
        return self._highest.get(feature, 0.0) > self.most

    def represented(self, kept: list[int], n: int) -> np.ndarray:
        """For everyone who is not kept: the kept one most like it, if it is more than allowed."""
        out = np.full(n, -1)
        standing = np.array([one for one in kept if self.place[one] >= 0], dtype=int)
        others = np.setdiff1d(np.flatnonzero(self.place >= 0), standing)
        for start in range(0, others.size if standing.size else 0, 4 * _TILE):
            tile = others[start : start + 4 * _TILE]
            found = self._with(standing, tile)
            alike = found.max(axis=0) > self.most
            out[tile[alike]] = standing[found.argmax(axis=0)[alike]]
        return out

    def _with(self, kept: np.ndarray, tile: np.ndarray) -> np.ndarray:
        kept = kept[self.place[kept] >= 0]
        if kept.size == 0 or tile.size == 0:
            return np.zeros((kept.size, tile.size))
        return np.abs(self.profiles.correlations(self.place[kept], self.place[tile]))


def _settled(walk: _Walk, order: np.ndarray, wishes: dict[str, Any], excluded: int) -> Subset:
    n = order.size
    inside = np.zeros(n, dtype=bool)
    inside[walk.kept] = True
    mine = np.concatenate([order[inside[order]], order[~inside[order]]])
    likeness = walk.likeness
    by = np.full(n, -1) if likeness is None else likeness.represented(walk.kept, n)
    told = []
    if excluded:
        told.append(f"{excluded} excluded")
    if likeness is not None:
        told.append(f"no two correlate above {likeness.most:g}")
    told += [name for name in ("include", "feature_groups") if wishes.get(name) is not None]
    told += ["families by their mean member"] * (wishes.get("group_score") == "mean")
    told += [
        f"{name}={wishes[name]}" for name in ("min_features", "max_features") if name in wishes
    ]
    why = f" With the wishes ({', '.join(told)}) {walk.count} of {n} features are kept."
    return Subset(mine, walk.count, by, why)


def _refuse_both(
    included: Sequence[int], excluded: Sequence[int], names: Sequence[str] | None
) -> None:
    both = sorted(set(included) & set(excluded))
    if both:
        name = both[0] if names is None else repr(names[both[0]])
        raise ValueError(f"Column {name} stands in include and in exclude: it cannot be both.")
