"""Small SVG pictures: scales, axes and escaped elements. Colours come from the page's style."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup, escape

_ids = itertools.count(1)
_LETTER = 11.0


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

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
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

    def text(self, x: float, y: float, words: str, class_: str = "", **more: Any) -> None:
        self.add("text", words, x=x, y=y, class_=class_ or None, **more)

    def curve(self, points: Iterable[tuple[float, float]], class_: str, **more: Any) -> None:
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add("path", d=path, class_=class_, **more)

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


def thinned(places: Sequence[int] | range, most: int = 400) -> list[int]:
    """At most about ``most`` of the places, the ends kept, denser at the start (for log axes)."""
    if len(places) <= most:
        return list(places)
    steps = (len(places) - 1) ** (1 / (most - 1))
    spots = {round(steps**k) for k in range(most)} | {0, len(places) - 1}
    return [places[spot] for spot in sorted(spot for spot in spots if spot < len(places))]


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
