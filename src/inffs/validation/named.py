"""Find columns by name, position or pattern, one by one or in groups."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from numbers import Integral
from typing import Any

import numpy as np


def find_columns(
    asked: Any, n: int, names: Sequence[str] | None, parameter: str
) -> tuple[int, ...]:
    """Columns by name, position or pattern (* and ?), in their order; an unknown one is named."""
    if asked is None:
        return ()
    alone = isinstance(asked, (str, Integral))
    several = [asked] if alone else np.asarray(asked, dtype=object).ravel().tolist()
    found: dict[int, None] = {}
    for one in several:
        found.update(dict.fromkeys(_find(one, n, names, parameter)))
    return tuple(sorted(found))


def _find(one: Any, n: int, names: Sequence[str] | None, parameter: str) -> list[int]:
    if isinstance(one, (Integral, np.integer)) and not isinstance(one, (bool, np.bool_)):
        if not -n <= int(one) < n:
            raise ValueError(f"{parameter}={one}: columns are numbered 0 to {n - 1}.")
        return [int(one) % n]
    if names is None:
        raise ValueError(f"{parameter}={one!r}, but X has no column names: give positions.")
    exact = [place for place, name in enumerate(names) if name == one]
    found = exact or [place for place, name in enumerate(names) if fnmatchcase(str(name), str(one))]
    if not found:
        raise ValueError(f"{parameter}={one!r} is no column of X, nor a pattern of one.")
    return found


def one_hot_groups(names: Sequence[str]) -> dict[str, list[int]] | None:
    """Columns that one text column was made into ("colour=red", "colour=blue"), by its name."""
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        column, equals, _ = str(name).partition("=")
        if equals:
            groups.setdefault(column, []).append(place)
    return groups or None


def number_groups(groups: Any, n: int, names: Sequence[str] | None) -> np.ndarray:
    """A number for the group of every feature, -1 for a feature without a group."""
    out = np.full(n, -1)
    if groups is None:
        return out
    if isinstance(groups, dict):
        for number, members in enumerate(groups.values()):
            places = list(find_columns(members, n, names, "feature_groups"))
            twice = [place for place in places if out[place] >= 0]
            if twice:
                raise ValueError(
                    f"feature_groups has column {twice[0]} in two groups: name it once."
                )
            out[places] = number
        return out
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(
            f"feature_groups has {labels.shape} labels for {n} features: give one for each, or a "
            "dict of groups."
        )
    return np.unique(labels, return_inverse=True)[1]
