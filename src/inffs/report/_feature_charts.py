"""Charts of single features and of pairs: against classes, numbers and survival times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.ndimage import median
from scipy.stats import CensoredData, ecdf, logrank, norm, t

from inffs.report._charts import Picture, Scale, clip, core_range, p_text, short, thinned
from inffs.report._reasons import paths_of
from inffs.target import REGRESSION, SURVIVAL, Target

Range = tuple[float, float, tuple[str, str]]  # its ends, and these as words
MOST_CLASSES = 8
_SHORT_NAME = 11
_COLOURS, _MOST_LINES = 8, 4  # of many classes those whose shares change most are drawn
_MOST_DOTS = 400
_MOST_BINS, _FEWEST_SAMPLES = 10, 12  # bins along a feature, and samples in each
_CONFIDENCE = 0.95
_SHOWN = 0.95  # of the samples were watched no longer: the tail of few is not drawn


def chart_of_features(target: Target | None, label: str | None) -> Callable[..., Markup] | None:
    """What draws a feature against the target, from its values and its ``title``; or None."""
    if target is None or target.has_several:
        return None
    if target.classes is not None:
        names = [str(name) for name in target.classes]
        return partial(class_chart, classes=(names, target.values))
    if target.type == REGRESSION:
        return partial(scatter_chart, y=target.values, label=label or "y")
    return partial(survival_chart, y=target.values)


def class_chart(values: np.ndarray, classes: tuple[list[str], np.ndarray], title: str) -> Markup:
    """One feature: the samples of every class along it, and the class medians.

    Of many classes those with the highest and the lowest medians; long names stand above the dots.
    """
    names, codes = classes
    shown = _ends(np.array([np.median(values[codes == code]) for code in range(len(names))]))
    long = max(len(names[code]) for code in shown) > _SHORT_NAME
    step = 40 if long else 26
    told = ", ".join(names[code] for code in shown)
    height = 30 + step * len(shown)
    picture = Picture(300, height, f"{title} by class", f"Values for the classes {told}.")
    low, high, ends = core_range(values)
    x = Scale(low, high, 10 if long else 84, 290)
    rng = np.random.default_rng(0)
    for row, code in enumerate(shown):
        inside = np.clip(values[codes == code], low, high)
        middle = 16 + step * row + 14 * long
        _dots(picture, x, inside, middle, f"dots c{code % _COLOURS}", rng)
        if long:
            picture.text(10, middle - 13, clip(names[code], 46), "tick")
        else:
            picture.text(78, middle + 4, names[code], "tick end")
    picture.text(x.start, height - 3, ends[0], "tick")
    picture.text(x.stop, height - 3, ends[1], "tick end")
    return picture.render()


def _ends(medians: np.ndarray) -> list[int]:
    """The classes to draw: all, or those with the highest and the lowest medians, highest first."""
    if medians.size <= MOST_CLASSES:
        return list(range(medians.size))
    order = np.argsort(medians, kind="stable")
    half = MOST_CLASSES // 2
    return [*order[::-1][:half].tolist(), *order[half - 1 :: -1].tolist()]


def _dots(
    picture: Picture, x: Scale, values: np.ndarray, middle: float, kind: str, rng: Any
) -> None:
    """Samples as dots around a line, and their median."""
    drawn = values if values.size <= 150 else rng.choice(values, 150, replace=False)
    picture.dots(x(drawn), middle + rng.uniform(-7, 7, drawn.size), kind)
    at = x(float(np.median(values)))
    picture.line(at, middle - 11, at, middle + 11, "median")


def scatter_chart(values: np.ndarray, y: np.ndarray, title: str, label: str) -> Markup:
    """The samples of a feature, y upwards; a line through the medians of y by fifths of it."""
    picture = Picture(300, 190, f"{label} against {title}", "Every dot is a sample.")
    x, up = _axes(picture, core_range(values), core_range(np.asarray(y)))
    drawn = np.random.default_rng(0).permutation(y.size)[:_MOST_DOTS]
    _scatter(picture, x, up, values[drawn], y[drawn], "dots c0")
    clipped, heights = np.clip(values, x.low, x.high), np.clip(y, up.low, up.high)
    part = _bins(clipped, 5)
    picture.curve(x(_medians(clipped, part)), up(_medians(heights, part)), "trend")
    return picture.render()


def _axes(picture: Picture, across: Range, upwards: Range) -> tuple[Scale, Scale]:
    """Scales of two ranges, and the words at their ends."""
    x, up = Scale(*across[:2], 56, 290), Scale(*upwards[:2], 164, 12)
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    picture.text(x.start, 182, across[2][0], "tick")
    picture.text(x.stop, 182, across[2][1], "tick end")
    picture.text(50, up.start, upwards[2][0], "tick end")
    picture.text(50, up.stop + 10, upwards[2][1], "tick end")
    return x, up


def _scatter(
    picture: Picture, x: Scale, up: Scale, values: np.ndarray, heights: np.ndarray, kind: str
) -> None:
    """Dots; those outside the scales stand at their ends."""
    picture.dots(x(np.clip(values, x.low, x.high)), up(np.clip(heights, up.low, up.high)), kind)


def halves(values: np.ndarray) -> np.ndarray:
    """True for the upper half: above the median, or not below it where none is above."""
    middle = np.median(values)
    above = values > middle
    return above if above.any() else values >= middle


def survival_chart(values: np.ndarray, y: np.ndarray, title: str) -> Markup:
    """The share alive over time, samples with low values and with high ones apart."""
    upper = halves(values)
    low, high = np.count_nonzero(~upper), np.count_nonzero(upper)
    parts = [
        CensoredData.right_censored(y["time"][part], ~y["event"][part])
        for part in (~upper, upper)
        if part.any()
    ]
    p = p_text(logrank(*parts).pvalue if len(parts) == 2 else 1.0)
    picture = Picture(
        300, 206, f"Survival by {title}",
        f"{low} samples with low values, {high} with high ones; log-rank p {p}.",
    )  # fmt: skip
    last = float(np.quantile(y["time"], _SHOWN))
    x, up = Scale(0.0, last, 40, 290), Scale(0.0, 1.0, 164, 12)
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    for value in (0.0, 0.5, 1.0):
        picture.text(34, up(value) + 4, f"{value:.0%}", "tick end")
    for code, part in enumerate(parts):
        picture.curve(*_steps(x, up, part), f"survival s{code}")
    picture.text(x.start, 180, "0", "tick")
    picture.text(x.stop, 180, short(last), "tick end")
    picture.text(x.start, 200, f"low ({low})", "tick survival-name s0")
    picture.text(130, 200, f"high ({high})", "tick survival-name s1")
    picture.text(x.stop, 200, f"p {p}", "tick end")
    return picture.render()


def _steps(x: Scale, up: Scale, lives: CensoredData) -> tuple[np.ndarray, np.ndarray]:
    """The corners of a Kaplan-Meier curve, to its last sample or the end of the picture."""
    curve = ecdf(lives).sf
    drawn = thinned(int(np.count_nonzero(curve.quantiles <= x.high)))
    times, alive = curve.quantiles[drawn], curve.probabilities[drawn]
    end = min(float(curve.quantiles[-1]), x.high)
    return x(np.r_[0.0, np.repeat(times, 2), end]), up(np.repeat(np.r_[1.0, alive], 2))


def association_charts(
    selector: Any,
    names: list[str],
    columns: Sequence[np.ndarray],
    target: Target | None,
    label: str | None,
) -> list[tuple[str, Markup]]:
    """Captions and pictures of the curved features and the pairs among the best features.

    ``columns`` are the values of the first features of ``selector.order_``. There are pictures of
    classes and of one column of numbers, which is named ``label``.
    """
    if target is None or target.has_several or target.type == SURVIVAL:
        return []
    columns_of = dict(zip(selector.order_.tolist(), columns, strict=False))
    classes, y = target.classes, target.values
    label = label or "y" if classes is None else "Class"
    charts: list[tuple[str, Markup]] = []
    for feature, partner in associations(selector):
        if feature not in columns_of or (partner is not None and partner not in columns_of):
            continue
        name, values = names[feature], columns_of[feature]
        if partner is not None:
            both, codes = (name, names[partner]), thirds(y) if classes is None else y
            chart = pair_chart(values, columns_of[partner], codes, both, label)
            charts.append((f"{name} together with {both[1]}", chart))
            continue
        profile = (
            target_profile(values, y) if classes is None else class_profile(values, y, classes.size)
        )
        chart = profile_chart(profile, name, label, shares=classes is not None)
        charts.append((f"{name}: curved", chart))
    return charts


def profile_chart(profile: Profile, title: str, label: str, shares: bool) -> Markup:
    """The share of every class, or the mean of the target, along a feature, with its band."""
    spans = np.ptp(profile.values, axis=0)
    lines = np.sort(np.argsort(-spans, kind="stable")[:_MOST_LINES]).tolist()
    what = "The share of every class" if shares else f"The mean of {label}"
    picture = Picture(300, 190, f"{label} along {title}", f"{what}, with 95 % intervals.")
    ends = (0.0, 1.0) if shares else (float(profile.low.min()), float(profile.high.max()))
    words = ("0%", "100%") if shares else (short(ends[0]), short(ends[1]))
    first, last = float(profile.centres[0]), float(profile.centres[-1])
    x, up = _axes(picture, (first, last, (short(first), short(last))), (*ends, words))
    for line in lines:
        edges = (up(each[:, line]) for each in (profile.low, profile.values, profile.high))
        colour = f"c{line % _COLOURS}"
        picture.band(x(profile.centres), *edges, f"part {colour} band", f"bump {colour}")
    return picture.render()


def pair_chart(
    first: np.ndarray, second: np.ndarray, codes: np.ndarray, titles: tuple[str, str], label: str
) -> Markup:
    """At most 400 samples of two features, coloured by class; missing values are left out."""
    picture = Picture(
        300, 204, f"{label} by {titles[0]} and {titles[1]}",
        f"{titles[0]} across, {titles[1]} upwards, a dot is a sample.",
    )  # fmt: skip
    there = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    there = np.random.default_rng(0).permutation(there)[:_MOST_DOTS]
    first, second, codes = first[there], second[there], codes[there]
    x, up = _axes(picture, core_range(first), core_range(second))
    for code in np.unique(codes).tolist():
        inside = codes == code
        _scatter(picture, x, up, first[inside], second[inside], f"dots c{code % _COLOURS}")
    picture.text(x.start, 199, f"{clip(titles[0], 20)} → , {clip(titles[1], 20)} ↑", "tick")
    return picture.render()


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


def associations(selector: Any) -> list[tuple[int, int | None]]:
    """The selected features that are not on their path for a straight line alone, in their order.

    Of a pair the first feature and its partner, of a curve the feature and None.
    """
    selected = {added.feature: added for path in paths_of(selector) for added in path.selected}
    found: list[tuple[int, int | None]] = []
    for feature in selector.order_[: selector.n_features_].tolist():
        added = selected.get(feature)
        if added is not None and added.kind != "line" and (added.partner, feature) not in found:
            found.append((feature, added.partner))
    return found


def thirds(y: np.ndarray) -> np.ndarray:
    """The third of every value: 0 is low, 2 is high."""
    return np.searchsorted(np.quantile(y, [1 / 3, 2 / 3]), y, side="left")


def class_profile(values: np.ndarray, codes: np.ndarray, n_classes: int) -> Profile:
    """The share of every class along a feature, with Wilson's confidence interval.

    Samples with a missing value (NaN) are left out, as in the function below.
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


def _binned(values: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and target where a value is present, and bins, in which equal values stay together."""
    there = ~np.isnan(values)
    values, target = values[there], target[there]
    count = int(np.clip(values.size // _FEWEST_SAMPLES, 1, _MOST_BINS))
    return values, target, _bins(values, count)


def _bins(values: np.ndarray, count: int) -> np.ndarray:
    """The bin of every value, from 0: at most so many bins, in which equal values stay together."""
    limits = np.unique(np.quantile(values, np.arange(1, count) / count))
    part = np.searchsorted(limits, values, side="left")
    return np.unique(part, return_inverse=True)[1]


def _medians(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    return np.array(median(values, part, np.unique(part)))
