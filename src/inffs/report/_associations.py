"""What a curved feature and a pair of features have to do with the target, as numbers to draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm, t

from inffs.conditional import ConditionalPath

_MOST_BINS, _FEWEST_SAMPLES = 10, 12  # bins along a feature, and samples in each
_CONFIDENCE = 0.95
_MOST_POINTS = 400
_THIRDS = ("low", "middle", "high")


@dataclass(frozen=True)
class Association:
    """A selected feature that is not on its path for a straight line alone.

    ``kind`` is "curve" or "pair"; ``partner`` is the other feature of a pair.
    """

    feature: int
    kind: str
    partner: int | None


@dataclass(frozen=True)
class Profile:
    """The target along a feature, in bins of about equally many samples.

    ``centres`` (bins,) are medians of the feature. ``values``, ``low`` and ``high``, all of shape
    (bins, lines), are the share of each class or the mean of a continuous target (one line), and
    the limits of its 95 % confidence interval. ``counts`` are the samples of each bin.
    """

    centres: np.ndarray
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class Points:
    """Samples of two features: ``x``, ``y``, and the ``code`` and the names of their groups.

    The groups are the classes, or the thirds of a continuous target.
    """

    x: np.ndarray
    y: np.ndarray
    code: np.ndarray
    names: tuple[str, ...]


def associations(selector: Any) -> list[Association]:
    """The selected features with a curve or in a pair, in their order; every pair once."""
    paths = getattr(selector, "paths_", None)
    if not (isinstance(paths, list) and paths and isinstance(paths[0], ConditionalPath)):
        return []
    picks = {pick.feature: pick for path in paths for pick in path.picks}
    found: list[Association] = []
    for feature in selector.order_[: selector.n_features_].tolist():
        pick = picks.get(feature)
        if pick is None or pick.kind == "line":
            continue
        if all((one.feature, one.partner) != (pick.partner, feature) for one in found):
            found.append(Association(feature, pick.kind, pick.partner))
    return found


def class_profile(values: np.ndarray, codes: np.ndarray, n_classes: int) -> Profile:
    """The share of every class along a feature, with Wilson's confidence interval.

    Samples with a missing value (NaN) are left out, here and in the functions below.
    """
    values, codes, part = _binned(values, codes)
    counts = np.bincount(part)
    members = np.zeros((counts.size, n_classes))
    np.add.at(members, (part, codes), 1.0)
    total = counts[:, None]
    share = members / total
    z = norm.ppf((1 + _CONFIDENCE) / 2)
    middle = (members + z**2 / 2) / (total + z**2)
    half = z * np.sqrt(total * share * (1 - share) + z**2 / 4) / (total + z**2)
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return Profile(_medians(values, part), share, low, high, counts)


def target_profile(values: np.ndarray, y: np.ndarray) -> Profile:
    """The mean of a continuous target along a feature, with Student's confidence interval."""
    values, y, part = _binned(values, np.asarray(y, dtype=float))
    counts = np.bincount(part)
    mean = np.bincount(part, y) / counts
    squares = np.bincount(part, (y - mean[part]) ** 2)
    free = np.maximum(counts - 1, 1)
    half = t.ppf((1 + _CONFIDENCE) / 2, free) * np.sqrt(squares / free / counts)
    centres = _medians(values, part)
    return Profile(centres, mean[:, None], (mean - half)[:, None], (mean + half)[:, None], counts)


def class_points(
    first: np.ndarray, second: np.ndarray, codes: np.ndarray, names: list[str]
) -> Points:
    """At most 400 samples of two features, chosen at random, with their classes."""
    there = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    if there.size > _MOST_POINTS:
        chosen = np.random.default_rng(0).choice(there.size, _MOST_POINTS, replace=False)
        there = there[np.sort(chosen)]
    return Points(first[there], second[there], codes[there], tuple(names))


def target_points(first: np.ndarray, second: np.ndarray, y: np.ndarray) -> Points:
    """The same with the thirds of a continuous target in place of the classes."""
    limits = np.quantile(y, [1 / 3, 2 / 3])
    return class_points(first, second, np.searchsorted(limits, y, side="left"), list(_THIRDS))


def _binned(values: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and target where a value is present, and bins, in which equal values stay together."""
    there = ~np.isnan(values)
    values, target = values[there], target[there]
    bins = int(np.clip(values.size // _FEWEST_SAMPLES, 1, _MOST_BINS))
    limits = np.quantile(values, np.arange(1, bins) / bins)
    part = np.searchsorted(np.unique(limits), values, side="left")
    return values, target, np.unique(part, return_inverse=True)[1]


def _medians(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    return np.array([np.median(values[part == code]) for code in range(part.max() + 1)])
