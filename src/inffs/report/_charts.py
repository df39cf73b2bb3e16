"""Charts as inline SVG: scales, axes and elements, and the charts of the ranking and the paths.

Text is escaped, and colours come from the style of the page.
"""

from __future__ import annotations

import base64
import io
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from inffs._utils.words import counted
from inffs.conditional import SelectedFeature
from inffs.cuts import Cut
from inffs.meta.consensus import overlap_curves
from inffs.meta.constrained import unconstrained
from inffs.report._check import Check
from inffs.report._reasons import Groups, Settling, paths_of

_ids = itertools.count(1)
_LETTER = 11.0
_WIDTH, _HEIGHT = 640, 338  # of a wide chart
_BESIDE_NAME = 124.0  # where the name of the axis ends, in the letters of a phone
_RED, _GREEN, _BLUE = 42, 111, 219
_ROW, _TOP = 22, 14  # of the chart of the paths
_TRUNK, _BRANCH, _NAME, _BAR = 14, 34, 48, 250
_LONGEST_BAR, _GAP = 200.0, 24
_MOST_ROWS, _COLOURS = 40, 8
_REPEATED = 0.5  # share of the association of a feature that an earlier one explains


def element(name: str, *children: Any, **attributes: Any) -> Markup:
    """An element; text and attribute values are escaped, ``class_`` and ``font_size`` renamed."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(str(escape(child)) for child in children)
    return Markup(f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>")


def _short(value: Any) -> Any:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


class Scale:
    """Maps values to pixels, linearly or by logarithm."""

    def __init__(
        self, low: float, high: float, start: float, stop: float, log: bool = False
    ) -> None:
        if not high > low:
            low, high = low - 0.5, high + 0.5
        self.low, self.high, self.start, self.stop, self.log = low, high, start, stop, log

    def __call__(self, value: Any) -> Any:
        """The pixels of a value, or of an array of values."""
        low, high = self.low, self.high
        if self.log:
            value, low, high = np.log(value), math.log(low), math.log(high)
        return self.start + (value - low) / (high - low) * (self.stop - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            decades = [10.0**power for power in powers]
            if len(decades) > 2:
                return decades
            steps = (factor * decade for decade in [0.1, *decades] for factor in (1, 2, 5))
            return [step for step in steps if self.low <= step <= self.high]
        raw = (self.high - self.low) / count
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def whole_ticks(self) -> list[float]:
        """Ticks at whole numbers, the first value among them."""
        found = [value for value in self.ticks(6) if value == round(value)]
        return found if self.low in found else [self.low, *found]


def apart(ticks: list[tuple[float, str]], x: Scale) -> list[tuple[float, str]]:
    """The ticks whose words, about 11 pixels a letter on a telephone, leave room for the next."""
    kept: list[tuple[float, str]] = []
    for value, words in ticks:
        last = x(kept[-1][0]) + _LETTER * len(kept[-1][1]) / 2 if kept else -1e9
        if x(value) - _LETTER * len(words) / 2 > last + 4:
            kept.append((value, words))
    return kept


def spread(heights: Sequence[float], gap: float, most: float = math.inf) -> list[float]:
    """Heights moved down for a gap between any two, and up where they pass ``most``.

    The order stays.
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    moved = list(heights)
    for before, place in pairwise(order):
        moved[place] = max(moved[place], moved[before] + gap)
    for place in reversed(order):
        moved[place] = min(moved[place], most)
        most = moved[place] - gap
    return moved


class Picture:
    """An accessible SVG: a title, a description, and what is added to it."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        self.width, self.height = width, height
        self._title, self._description = title, description
        self._parts: list[Markup] = []

    def add(self, name: str, *children: Any, **attributes: Any) -> None:
        self._parts.append(element(name, *children, **attributes))

    def line(self, x1: float, y1: float, x2: float, y2: float, class_: str) -> None:
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)

    def text(self, x: float, y: float, words: str, class_: str | None = None) -> None:
        self.add("text", words, x=x, y=y, class_=class_)

    def curve(self, xs: Iterable[float], ys: Iterable[float], class_: str) -> None:
        """A line through points."""
        path = "L".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
        self.add("path", d=f"M{path}", class_=class_)

    def dots(self, xs: Iterable[float], ys: Iterable[float], class_: str) -> None:
        """A round dot at every point, as wide as the line of its class."""
        path = "".join(f"M{x:.1f},{y:.1f}h0" for x, y in zip(xs, ys, strict=True))
        self.add("path", d=path, class_=class_)

    def band(self, xs: Any, low: Any, middle: Any, high: Any, *classes: str) -> None:
        """An area between the lowest and the highest points, and a line through the middle."""
        self.curve([*xs, *xs[::-1]], [*high, *low[::-1]], classes[0])
        self.curve(xs, middle, classes[1])

    def axes(self, x: Scale, y: Scale, x_name: str, y_name: str, share: bool = False) -> None:
        """A frame-less pair of axes with light rules, x in whole numbers; ``share``: y in percent.

        Ticks of x that would run into their neighbour, on a telephone too, are left out.
        """
        for value in y.ticks():
            at = y(value)
            self.line(x.start, at, x.stop, at, "rule")
            self.text(x.start - 7, at + 5, f"{value:.0%}" if share else short(value), "tick end")
        for value, words in apart([(value, f"{value:,.0f}") for value in x.whole_ticks()], x):
            self.text(x(value), y.start + 18, words, "tick mid")
        self.line(x.start, y.start, x.stop, y.start, "axis")
        self.text((x.start + x.stop) / 2, y.start + 42, x_name, "name mid")
        self.text(x.start, y.stop - 10, y_name, "name")

    def render(self) -> Markup:
        place = next(_ids)
        title = element("title", self._title, id=f"t{place}")
        words = element("desc", self._description, id=f"d{place}")
        return element(
            "svg",
            title,
            words,
            *self._parts,
            viewBox=f"0 0 {self.width} {self.height}",
            role="img",
            aria_labelledby=f"t{place} d{place}",
        )


def thinned(n: int, most: int = 400) -> np.ndarray:
    """At most about so many of n places, the ends kept, denser at the start (for log axes)."""
    if n <= most:
        return np.arange(n)
    return np.unique([0, *np.geomspace(1, n - 1, most).round().astype(int)])


def clip(text: str, most: int) -> str:
    """A long text with its middle left out: names often differ at their ends.

    Examples
    --------
    >>> clip("control group, day 12", 13)
    'contro…day 12'
    """
    if len(text) <= most:
        return text
    front = (most - 1) // 2
    return f"{text[:front]}…{text[len(text) - (most - 1 - front) :]}"


def short(value: float) -> str:
    """Three digits, as people write them: 4,250 rather than 4.25e+03.

    Examples
    --------
    >>> short(4252.1), short(0.2914), short(3.2e9)
    ('4,250', '0.291', '3.2e+09')
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < 1e6 else f"{rounded:.3g}"


def core_range(values: np.ndarray) -> tuple[float, float, tuple[str, str]]:
    """The range to draw: outliers far beyond the middle 96 % are drawn at its edge."""
    low, inner, outer, high = np.quantile(values, [0, 0.02, 0.98, 1]).tolist()
    reach = outer - inner
    first = inner if inner - low > reach > 0 else low
    last = outer if high - outer > reach > 0 else high
    below, above = "< " * (first > low), "> " * (last < high)
    return first, last, (f"{below}{short(first)}", f"{above}{short(last)}")


def p_text(p: float) -> str:
    """A p-value with two digits.

    Examples
    --------
    >>> p_text(0.0342), p_text(1.234e-6)
    ('0.034', '1.2e-6')
    """
    if p >= 0.001 or p == 0:
        return f"{p:.2g}"
    mantissa, exponent = f"{p:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def score_axis(n: int) -> Scale:
    """Places in the ranking along the score chart."""
    return Scale(1, max(n, 2), 64, _WIDTH - 16, log=n > 60)


def score_geometry(n: int) -> dict[str, Any]:
    """Where a place stands on the score chart, for a handle over it."""
    x = score_axis(n)
    return {
        "start": x.start, "stop": x.stop, "width": _WIDTH, "beside": _BESIDE_NAME, "log": x.log,
        "last": n,
    }  # fmt: skip


def _upwards(low: float, high: float) -> Scale:
    """The heights of a wide chart."""
    return Scale(low, high, 282, 34)


def score_chart(selector: Any, cuts: list[Cut]) -> Markup:
    """The scores along the ranking, the cut, and marks where other cuts would be."""
    scores = selector.scores_[selector.order_]
    n, kept = scores.size, selector.n_features_
    picture = Picture(
        _WIDTH, _HEIGHT, "Scores from the best feature to the last",
        f"The score falls from {scores[0]:.3g} to {scores[-1]:.3g}; "
        f"the cut is after {kept} of {n} features.",
    )  # fmt: skip
    low = min(0.0, float(scores.min()))
    x, y = score_axis(n), _upwards(low, max(float(scores.max()), low + 1e-12))
    picture.axes(x, y, "place in the ranking", "score")
    picture.add(
        "rect", x=x.start, y=y.stop, width=x(kept) - x.start, height=y.start - y.stop, class_="kept"
    )
    drawn = thinned(n)
    picture.curve(x(drawn + 1), y(scores[drawn]), "curve")
    for cut in cuts:
        if cut.size != kept:
            picture.line(x(cut.size), y.start - 10, x(cut.size), y.start, "other")
    picture.line(x(kept), y.stop, x(kept), y.start, "cut")
    # above the curve; the script moves these words in the same way
    left = x(kept) < _WIDTH / 2
    at = max(x(kept), _BESIDE_NAME) if left else x(kept)
    picture.text(at, 24, f"{kept:,} selected", "cut-name" if left else "cut-name end")
    return picture.render()


def check_chart(check: Check) -> Markup:
    """The score against the size: selected, random and all features."""
    picture = Picture(
        _WIDTH, _HEIGHT, f"Cross-validated {check.words.measure} by number of features",
        f"{counted(check.sizes[check.chosen], 'selected feature')}: {check.text(check.score)}, "
        f"all features: {check.text(check.whole.mean())}.",
    )  # fmt: skip
    x = Scale(check.sizes[0], check.sizes[-1], 64, _WIDTH - 24, log=check.sizes[-1] > 20)
    curves = {"random": check.random, "selected": check.selected}
    lines = {"whole": float(check.whole.mean()), "baseline": check.baseline}
    lowest = min(*(folds.mean(axis=0).min() for folds in curves.values()), *lines.values()) - 0.06
    y = _upwards(max(0.0 if check.baseline else -0.5, float(lowest)), 1.0)
    measure = f"{check.words.measure} in the test folds"
    picture.axes(x, y, "number of features", measure, share=check.words.share)
    for kind, value in lines.items():
        picture.line(x.start, y(value), x.stop, y(value), kind)
    places = x(np.array(check.sizes))
    for kind, folds in curves.items():
        error = np.array([check.error(column) for column in folds.T])
        mean = np.maximum(folds.mean(axis=0), y.low)
        low, high = np.maximum(mean - error, y.low), np.minimum(mean + error, 1.0)
        picture.band(places, y(low), y(mean), y(high), f"band {kind}", f"line {kind}")
        for at, height in zip(places, y(mean), strict=True):
            picture.add("circle", cx=at, cy=height, r=2.5, class_=f"point {kind}")
    picture.add("circle", cx=places[check.chosen], cy=y(check.score), r=5, class_="dot")
    return picture.render()


def agreement_chart(consensus: Any) -> Markup:
    """How much of the best k features the methods share: mean, least and most of the pairs."""
    shares, kept = overlap_curves(consensus.ranks_), max(1, consensus.n_features_)
    n, mean = shares.shape[1], shares.mean(axis=0)
    picture = Picture(
        _WIDTH, _HEIGHT, "Best features that two methods share",
        f"Two methods share {mean[kept - 1]:.0%} of their best {kept} features on average; "
        f"{kept / n:.0%} are expected by chance.",
    )  # fmt: skip
    x, y = score_axis(n), _upwards(0.0, 1.0)
    picture.axes(x, y, "best features of every method", "share that two methods have", share=True)
    drawn = thinned(n)
    sizes = drawn + 1
    band = shares.min(axis=0), mean, shares.max(axis=0)
    low, middle, high = (y(each[drawn]) for each in band)
    picture.band(x(sizes), low, middle, high, "band selected", "line selected")
    picture.curve(x(sizes), y(sizes / n), "line random")
    picture.line(x(kept), y.stop, x(kept), y.start, "cut")
    return picture.render()


def settle_chart(settling: Settling, names: list[str]) -> Markup:
    """Ranks of the best features by the longest path that is counted."""
    worst = int(settling.ranks.max())
    picture = Picture(
        _WIDTH, 360, "Places of the best features as paths grow longer",
        f"Rank agreement with the final ranking: {settling.agreement[0]:.3f} with single edges, "
        f"{settling.agreement[-1]:.3f} with paths of up to {settling.lengths[-1]} edges.",
    )  # fmt: skip
    x = Scale(1, settling.lengths[-1], 44, _WIDTH - 170)
    y = Scale(1, max(worst, 2), 34, 310, log=worst > 40)
    for length in settling.lengths:
        picture.text(x(length), 330, str(length), "tick mid")
    picture.text((x.start + x.stop) / 2, 350, "longest path counted (edges)", "name mid")
    for value in y.ticks(6) if worst > 40 else range(1, worst + 1, max(1, worst // 8)):
        picture.text(36, y(value) + 4, f"{value:,.0f}", "tick end")
    picture.text(8, 18, "place", "name")
    xs, heights = x(np.array(settling.lengths)), y(settling.ranks)
    ends = heights[-1].tolist()
    for place, label in enumerate(spread(ends, 14)):
        picture.curve(xs, heights[:, place], f"bump c{place % 8}")
        if label - ends[place] > 1:
            picture.line(x.stop + 1, ends[place], x.stop + 14, label, f"bump c{place % 8}")
        name = clip(names[settling.features[place]], 21)
        picture.text(x.stop + 18, label + 4, name, "tick")
    return picture.render()


def heat_map(groups: Groups, names: list[str]) -> Markup:
    """|correlation| of the selected features in cluster order, groups outlined."""
    m = groups.features.size
    labels = [clip(name, 28) for name in names] if m <= 40 else []
    left = 16 + 6.6 * max(map(len, labels), default=0)
    side = float(min(480, max(200, 26 * m)))
    picture = Picture(
        max(460, round(left + side + 24)),
        round(side + 60),
        "Redundancy of the selected features",
        f"|Spearman correlation| of {m} features, clustered, with "
        f"{counted(len(groups.groups), 'group')} of correlated features.",
    )
    cell = side / m
    picture.add("rect", x=left, y=10, width=side, height=side, class_="frame")
    picture.add(
        "image", x=left, y=10, width=side, height=side, href=_png(groups.correlation),
        preserveAspectRatio="none", style="image-rendering:pixelated",
    )  # fmt: skip
    for number, (start, stop) in enumerate(groups.groups):
        size = (stop - start) * cell
        corner = left + start * cell, 10 + start * cell
        picture.add("rect", x=corner[0], y=corner[1], width=size, height=size, class_="group")
        if size > 14:
            picture.text(corner[0] + size + 3, corner[1] + 11, f"{number + 1}", "tick group-name")
    for place, label in enumerate(labels):
        picture.text(left - 6, 10 + (place + 0.5) * cell + 4, label, "tick end")
    _shades(picture, left, side + 26)
    return picture.render()


def _shades(picture: Picture, left: float, top: float) -> None:
    """What the shades mean: five squares from 0 to 1."""
    for step in range(5):
        at = left + 34 * step
        picture.add("rect", x=at, y=top, width=34, height=10, class_="frame")
        picture.add("rect", x=at, y=top, width=34, height=10, class_="shade", opacity=step / 4)
        picture.text(at + 17, top + 24, f"{step / 4:.3g}", "tick mid")


def _png(values: np.ndarray) -> str:
    """One hue whose opacity is the value: readable on light and dark ground."""
    from PIL import Image

    pixels = np.empty((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = _RED, _GREEN, _BLUE
    pixels[..., 3] = np.round(255 * np.clip(values, 0, 1))
    file = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


@dataclass(frozen=True)
class Branches:
    """The chart of the paths, and the numbers of the text beside it."""

    chart: Markup
    shown: int
    picked: int
    classes: int


def branches(selector: Any, names: list[str], n_classes: int = 0) -> Branches | None:
    """The selected part of the paths; None for selectors without conditional paths.

    A bar is split among the classes, if the paths use them.
    """
    paths = paths_of(selector)
    if not paths:
        return None
    left, drawn = min(_MOST_ROWS, selector.n_features_), []
    for path in paths:
        drawn.append(list(path.selected[:left]))
        left -= len(drawn[-1])
        if not left:
            break
    rows = sum(map(len, drawn))
    n_classes = n_classes if n_classes == paths[0].selected[0].signal.size else 0
    first = ", ".join(names[added.feature] for added in drawn[0])
    picture = Picture(
        _WIDTH, _TOP + _ROW * rows + (_GAP + 6) * len(drawn), "Paths as branches",
        f"{rows} features on {len(drawn)} paths. The first path: {first}.",
    )  # fmt: skip
    largest = max(added.gain for selected in drawn for added in selected) or 1.0
    top = float(_TOP)
    for number, selected in enumerate(drawn, start=1):
        end = top + _ROW * len(selected) + 6
        picture.curve([_TRUNK, _TRUNK, _BRANCH], [_TOP - 12, top, top + 10], "branch")
        picture.curve([_BRANCH, _BRANCH], [top + 10, end], "branch")
        picture.text(_NAME, top + 5, f"Path {number}", "path-name")
        for step, added in enumerate(selected, start=1):
            middle = top + _ROW * step + 6
            length = _LONGEST_BAR * float(np.sqrt(added.gain / largest))
            picture.add("circle", cx=_BRANCH, cy=middle, r=4, class_="dot")
            picture.text(_NAME, middle + 4, clip(names[added.feature], 28))
            _bar(picture, added, middle, length, n_classes)
            words = f"{added.gain:.2g}" + _remark(selector, added, names)
            picture.text(_BAR + length + 6, middle + 4, clip(words, 25), "tick")
        top = end + _GAP
    return Branches(picture.render(), rows, sum(map(len, paths)), n_classes)


def _bar(
    picture: Picture, added: SelectedFeature, middle: float, length: float, classes: int
) -> None:
    """What the feature adds, split among the classes; faint where the feature is low in a class.

    With two classes the class with the high values gets all of it.
    """
    shares = added.signal**2 if classes > 2 else added.signal[:classes] > 0
    shares = shares / max(float(shares.sum()), 1e-300) if classes else np.ones(1)
    left = float(_BAR)
    for code in np.argsort(-shares, kind="stable").tolist():
        width = length * float(shares[code])
        kind = ("all" if classes == 0 else f"c{code}") if code < _COLOURS else "others"
        faint = " faint" if classes > 2 and added.signal[code] < 0 else ""
        if width > 0.3:
            picture.add(
                "rect", x=left, y=middle - 6, width=width, height=12, class_=f"part {kind}{faint}"
            )
        left += width


def _remark(selector: Any, added: SelectedFeature, names: list[str]) -> str:
    """The earlier feature that explains the first one of a path, if this is more than noise."""
    told = unconstrained(selector).explain(added.feature)
    quiet = told.step != 1 or added.evidence < added.noise
    if quiet or told.redundant_with is None or told.redundant_share < _REPEATED:
        return ""
    return f", {told.redundant_share:.0%} in {names[told.redundant_with]}"
