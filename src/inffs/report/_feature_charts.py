"""Charts of single features and of pairs: against classes, numbers and survival times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import chi2, norm, t

from inffs.conditional import ConditionalPath
from inffs.measures import cox_score
from inffs.report._svg import Picture, Scale, clip, core_range, p_text, short, thinned
from inffs.target import CLASSIFICATION, REGRESSION, Target

Range = tuple[float, float, tuple[str, str]]  # its ends, and these as words
MOST_CLASSES = 8
_SHORT_NAME = 11
_COLOURS, _MOST_LINES = 8, 4  # of many classes those whose shares change most are drawn
_MOST_DOTS = 400
_MOST_BINS, _FEWEST_SAMPLES = 10, 12  # bins along a feature, and samples in each
_CONFIDENCE = 0.95
_THIRDS = ("low", "middle", "high")
_SHOWN = 0.95  # of the samples were watched no longer: the tail of few is not drawn


@dataclass(frozen=True)
class Along:
    """Charts of the first features: what a section of the page shows, and how to read it."""

    name: str
    title: str
    how: str
    draw: Callable[[np.ndarray, str], Markup]
    continuous: tuple[str, np.ndarray] | None = None  # name and values of a continuous target


def along_target(target: Target | None, label: str | None) -> Along | None:
    """Charts of the first features against numbers or survival times; None for other targets."""
    if target is None or target.type == CLASSIFICATION or target.has_several:
        return None
    if target.type == REGRESSION:
        shown = label or "y"
        return Along(
            "Target",
            f"{shown} by the first features",
            "Each dot is a sample. The line joins the medians of five equal parts of the samples.",
            lambda values, name: scatter_chart(values, target.values, name, shown),
            (shown, target.values),
        )
    return Along(
        "Survival",
        "Survival by the first features",
        "Kaplan-Meier curves of the samples above and below the median of each feature. p is from "
        "a log-rank test of the two halves. The features were selected with these samples, so "
        "these p-values are too small.",
        lambda values, name: survival_chart(values, target.values, name),
    )


def class_chart(values: np.ndarray, codes: np.ndarray, classes: list[str], title: str) -> Markup:
    """One feature: the samples of every class along it, and the class medians.

    Of many classes those with the highest and the lowest medians; long names stand above the dots.
    """
    medians = np.array([np.median(values[codes == code]) for code in range(len(classes))])
    shown = _ends(medians)
    long = max(len(classes[code]) for code in shown) > _SHORT_NAME
    step = 40 if long else 26
    names = ", ".join(classes[code] for code in shown)
    height = 30 + step * len(shown)
    picture = Picture(300, height, f"{title} by class", f"Values for the classes {names}.")
    low, high, ends = core_range(values)
    x = Scale(low, high, 10 if long else 84, 290)
    rng = np.random.default_rng(0)
    for row, code in enumerate(shown):
        inside = np.clip(values[codes == code], low, high)
        middle = 16 + step * row + 14 * long
        _dots(picture, x, inside, middle, f"dots c{code % 8}", rng)
        if long:
            picture.text(10, middle - 13, clip(classes[code], 46), "tick")
        else:
            picture.text(78, middle + 4, classes[code], "tick end")
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
    heights = middle + rng.uniform(-7, 7, drawn.size)
    dots = [f"M{x(v):.1f},{h:.1f}h0" for v, h in zip(drawn, heights, strict=True)]
    picture.add("path", d="".join(dots), class_=kind)
    median = x(float(np.median(values)))
    picture.line(median, middle - 11, median, middle + 11, "median")


def scatter_chart(values: np.ndarray, y: np.ndarray, title: str, label: str) -> Markup:
    """The samples of a feature, y upwards; a line through the medians of y by fifths of it."""
    picture = Picture(
        300, 190, f"{label} against {title}", f"The correlation is {_correlation(values, y):.2f}."
    )
    x, up = _axes(picture, core_range(values), core_range(np.asarray(y)))
    drawn = np.random.default_rng(0).permutation(y.size)[:_MOST_DOTS]
    clipped, heights = np.clip(values, x.low, x.high), np.clip(y, up.low, up.high)
    _scatter(picture, x, up, clipped[drawn], heights[drawn], "dots c0")
    part = _bins(clipped, 5)
    medians = zip(_medians(clipped, part), _medians(heights, part), strict=True)
    picture.curve([(x(a), up(b)) for a, b in medians], "trend")
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
    dots = (f"M{x(a):.1f},{up(b):.1f}h0" for a, b in zip(values, heights, strict=True))
    picture.add("path", d="".join(dots), class_=kind)


def _correlation(values: np.ndarray, y: np.ndarray) -> float:
    moving = np.ptp(values) > 0 and np.ptp(y) > 0
    return float(np.corrcoef(values, y)[0, 1]) if moving else 0.0


def kaplan_meier(time: np.ndarray, event: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The times of deaths, rising, and the share that lives on after each (Kaplan, Meier 1958)."""
    deaths, count = np.unique(time[event], return_counts=True)
    at_risk = time.size - np.searchsorted(np.sort(time), deaths, side="left")
    return deaths, np.cumprod(1 - count / at_risk)


def halves(values: np.ndarray) -> np.ndarray:
    """True for the upper half: above the median, or not below it where that parts nobody."""
    middle = np.median(values)
    above = values > middle
    return above if above.any() else values >= middle


def survival_chart(values: np.ndarray, y: np.ndarray, title: str) -> Markup:
    """The share alive over time, samples with low values and with high ones apart."""
    time, event, upper = y["time"], y["event"], halves(values)
    p = logrank(upper, y)
    picture = Picture(
        300,
        206,
        f"Survival by {title}",
        f"{int((~upper).sum())} samples with low values, {int(upper.sum())} with high ones; "
        f"log-rank p {p_text(p)}.",
    )
    last = float(np.quantile(time, _SHOWN))
    x, up = Scale(0.0, last, 40, 290), Scale(0.0, 1.0, 164, 12)
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    for value in (0.0, 0.5, 1.0):
        picture.text(34, up(value) + 4, f"{value:.0%}", "tick end")
    for code, part in enumerate((~upper, upper)):
        if part.any():
            picture.curve(_steps(x, up, time[part], event[part]), f"survival s{code}")
    picture.text(x.start, 180, "0", "tick")
    picture.text(x.stop, 180, short(last), "tick end")
    picture.text(x.start, 200, f"low ({int((~upper).sum())})", "tick survival-name s0")
    picture.text(130, 200, f"high ({int(upper.sum())})", "tick survival-name s1")
    picture.text(x.stop, 200, f"p {p_text(p)}", "tick end")
    return picture.render()


def logrank(upper: np.ndarray, y: np.ndarray) -> float:
    """P-value of the score test of a Cox model with the half as its column."""
    if upper.all() or not upper.any():
        return 1.0
    return float(chi2.sf(cox_score(upper[:, None].astype(float), y["time"], y["event"])[0], 1))


def _steps(x: Scale, up: Scale, time: np.ndarray, event: np.ndarray) -> list[tuple[float, float]]:
    """The corners of the curve, to the last sample that was watched or the end of the picture."""
    deaths, alive = kaplan_meier(time, event)
    alive = alive[deaths <= x.high]
    deaths = deaths[deaths <= x.high]
    points, level = [(x(0.0), up(1.0))], 1.0
    for place in thinned(range(deaths.size)):
        points += [(x(deaths[place]), up(level)), (x(deaths[place]), up(alive[place]))]
        level = float(alive[place])
    return [*points, (x(min(float(time.max()), x.high)), up(level))]


def association_charts(
    selector: Any,
    names: list[str],
    columns: Sequence[np.ndarray],
    classes: tuple[list[str], np.ndarray] | None,
    target: tuple[str, np.ndarray] | None,
) -> list[tuple[str, Markup]]:
    """Captions and pictures of the curved features and the pairs among the best features.

    ``columns`` are the values of the first features of ``selector.order_``; ``target`` is the name
    of a continuous target and its values. Other targets have no pictures.
    """
    values = dict(zip(selector.order_.tolist(), columns, strict=False))
    charts = []
    for one in associations(selector):
        if one.feature not in values or (one.partner is not None and one.partner not in values):
            continue
        name, first = names[one.feature], values[one.feature]
        if one.partner is not None:
            both, second = (name, names[one.partner]), values[one.partner]
            if classes:
                points = class_points(first, second, classes[1], classes[0])
            elif target:
                points = target_points(first, second, target[1])
            else:
                continue
            label = target[0] if target else "Class"
            charts.append((f"{name} together with {both[1]}", pair_chart(points, both, label)))
        elif classes:
            profile = class_profile(first, classes[1], len(classes[0]))
            charts.append((f"{name}: curved", profile_chart(profile, name, "Class", classes[0])))
        elif target:
            profile = target_profile(first, target[1])
            charts.append((f"{name}: curved", profile_chart(profile, name, target[0])))
    return charts


def profile_chart(profile: Profile, title: str, label: str, classes: Sequence[str] = ()) -> Markup:
    """The share of every class, or the mean of the target, along a feature, with its band."""
    spans = np.ptp(profile.values, axis=0)
    lines = np.sort(np.argsort(-spans, kind="stable")[:_MOST_LINES]).tolist()
    height = 206 if classes else 190
    what = "The share of every class" if classes else f"The mean of {label}"
    picture = Picture(300, height, f"{label} along {title}", f"{what}, with 95% intervals.")
    ends = (0.0, 1.0) if classes else (float(profile.low.min()), float(profile.high.max()))
    words = ("0%", "100%") if classes else (short(ends[0]), short(ends[1]))
    first, last = float(profile.centres[0]), float(profile.centres[-1])
    x, up = _axes(picture, (first, last, (short(first), short(last))), (*ends, words))
    places = [x(centre) for centre in profile.centres]
    for line in lines:
        kind = f"c{line % _COLOURS}"
        upper = [(at, up(value)) for at, value in zip(places, profile.high[:, line], strict=True)]
        lower = [(at, up(value)) for at, value in zip(places, profile.low[:, line], strict=True)]
        picture.curve([*upper, *lower[::-1]], f"part {kind} band")
        middle = zip(places, profile.values[:, line], strict=True)
        picture.curve([(at, up(value)) for at, value in middle], f"bump {kind}")
    if classes:
        _legend(picture, [(f"c{line % _COLOURS}", classes[line]) for line in lines], 200)
    return picture.render()


def pair_chart(points: Points, titles: tuple[str, str], label: str) -> Markup:
    """The samples of two features, coloured by class."""
    picture = Picture(
        300, 222, f"{label} by {titles[0]} and {titles[1]}",
        f"{titles[0]} across, {titles[1]} upwards, a dot is a sample.",
    )  # fmt: skip
    x, up = _axes(picture, core_range(points.x), core_range(points.y))
    shown = np.unique(points.code).tolist()
    for code in shown:
        inside = points.code == code
        values = np.clip(points.x[inside], x.low, x.high)
        heights = np.clip(points.y[inside], up.low, up.high)
        _scatter(picture, x, up, values, heights, f"dots c{code % _COLOURS}")
    picture.text(x.start, 199, f"{clip(titles[0], 20)} → , {clip(titles[1], 20)} ↑", "tick")
    _legend(picture, [(f"c{code % _COLOURS}", points.names[code]) for code in shown], 217)
    return picture.render()


def _legend(picture: Picture, entries: list[tuple[str, str]], height: float) -> None:
    width = 290 / max(len(entries[:_MOST_LINES]), 1)
    for place, (kind, name) in enumerate(entries[:_MOST_LINES]):
        at = 4 + width * place
        picture.add("rect", x=at, y=height - 9, width=9, height=9, class_=f"part {kind}")
        picture.text(at + 12, height, clip(name, max(4, int((width - 16) / 6.6))), "tick")


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
    if there.size > _MOST_DOTS:
        chosen = np.random.default_rng(0).choice(there.size, _MOST_DOTS, replace=False)
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
    count = int(np.clip(values.size // _FEWEST_SAMPLES, 1, _MOST_BINS))
    return values, target, _bins(values, count)


def _bins(values: np.ndarray, count: int) -> np.ndarray:
    """The bin of every value, from 0: at most so many bins, in which equal values stay together."""
    limits = np.unique(np.quantile(values, np.arange(1, count) / count))
    part = np.searchsorted(limits, values, side="left")
    return np.unique(part, return_inverse=True)[1]


def _medians(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    return np.array([np.median(values[part == code]) for code in range(part.max() + 1)])
