"""One feature against a target of numbers: the samples, and the medians of its fifths."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from inffs.report._svg import Picture, Scale, core_range

_MOST = 400
_PARTS = 5


def scatter_chart(values: np.ndarray, y: np.ndarray, title: str, label: str) -> Markup:
    """The samples of a feature, y upwards; a line through the medians of y by fifths of it."""
    picture = Picture(
        300, 190, f"{label} against {title}", f"The correlation is {_correlation(values, y):.2f}."
    )
    low, high, ends = core_range(values)
    bottom, top, marks = core_range(np.asarray(y))
    x, up = Scale(low, high, 56, 290), Scale(bottom, top, 164, 12)
    rng = np.random.default_rng(0)
    drawn = rng.permutation(y.size)[:_MOST]
    clipped, heights = np.clip(values, low, high), np.clip(y, bottom, top)
    dots = [f"M{x(clipped[i]):.1f},{up(heights[i]):.1f}h0" for i in drawn]
    picture.line(x.start, up.start, x.stop, up.start, "axis")
    picture.add("path", d="".join(dots), class_="dots c0")
    picture.curve([(x(a), up(b)) for a, b in _medians(clipped, heights)], "trend")
    picture.text(x.start, 182, ends[0], "tick")
    picture.text(x.stop, 182, ends[1], "tick end")
    picture.text(50, up.start, marks[0], "tick end")
    picture.text(50, up.stop + 10, marks[1], "tick end")
    return picture.render()


def _medians(values: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """Medians of both over fifths of the samples along the feature; equal values stay together."""
    edges = np.unique(np.quantile(values, np.arange(1, _PARTS) / _PARTS))
    part = np.searchsorted(edges, values, side="left")
    return [
        (float(np.median(values[part == code])), float(np.median(y[part == code])))
        for code in np.unique(part)
    ]


def _correlation(values: np.ndarray, y: np.ndarray) -> float:
    moving = np.ptp(values) > 0 and np.ptp(y) > 0
    return float(np.corrcoef(values, y)[0, 1]) if moving else 0.0
