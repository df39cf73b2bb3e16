"""How the figures look: Inf-FS red, the best rivals coloured, the rest grey, all named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

OURS = ("inf-fs-u", "inf-fs-s")
RED, REST = "#c1272d", "#b4b4b4"
LEADERS = ("#0072b2", "#e69f00", "#009e73", "#8e44ad", "#56b4e9")
BASELINES = {"all": "#000000", "variance": "#333333", "random": "#777777"}
SMALL = 8.0  # points


def axes(columns: int = 1, width: float = 5.2, height: float = 4.8, rows: int = 1) -> Any:
    """A figure without pyplot's memory of it, and its axes in a row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(rows, columns)).ravel()


def plain(name: str) -> str:
    """A name is data: dollar signs are no mathematics."""
    return name.replace("$", r"\$")


def looks(values: pd.Series) -> dict[str, dict[str, Any]]:
    """A look for every method: Inf-FS stands out, so do the best few of the others."""
    rivals = [name for name in values.sort_values(ascending=False).index
              if name not in OURS and name not in BASELINES]  # fmt: skip
    colors = dict(zip(rivals, LEADERS, strict=False))
    return {str(name): _look(str(name), colors.get(name, REST)) for name in values.index}


def _look(name: str, color: str) -> dict[str, Any]:
    if name in OURS:
        return {"color": RED, "linewidth": 3.0, "zorder": 5}
    if name in BASELINES:
        return {"color": BASELINES[name], "linewidth": 1.4, "linestyle": ":", "zorder": 4}
    leading = color != REST
    return {"color": color, "linewidth": 1.6 if leading else 0.9, "zorder": 3 if leading else 2}


def place_of(size: str) -> float:
    """Where a size stands on the axis: "50" or "5%"."""
    return float(size.rstrip("%"))


def lines(axis: Any, curves: pd.DataFrame, faint: Iterable[str] = ()) -> None:
    """A line for each row of percentages, named at its end; ``faint`` ones are dashed."""
    found = looks(curves.mean(axis=1).drop(list(faint), errors="ignore"))
    x = [place_of(size) for size in curves.columns]
    faint_look = {"color": RED, "linewidth": 1.0, "linestyle": "--", "zorder": 4}
    for name in curves.index:
        axis.plot(x, curves.loc[name], **found.get(str(name), faint_look))
    axis.set_xticks(x, [str(size) for size in curves.columns])
    _cut_off_far_below(axis, curves)
    colors = {str(name): found.get(str(name), faint_look)["color"] for name in curves.index}
    ends = {str(name): curves.loc[name].iloc[-1] for name in curves.index}
    name_ends(axis, x[-1], ends, colors, set(OURS) - set(faint))
    axis.set_xlabel("features kept")
    axis.grid(alpha=0.25)


def _cut_off_far_below(axis: Any, curves: pd.DataFrame) -> None:
    """One method that fails at one size must not press all others together: it leaves the axes."""
    values = curves.to_numpy()
    top, middle = np.nanmax(values), np.nanmedian(values)
    bottom = max(np.nanmin(values), middle - 5 * max(top - middle, 1.0))
    margin = 0.04 * max(top - bottom, 0.5)
    axis.set_ylim(bottom - margin, top + margin)


def name_ends(
    axis: Any,
    x: float,
    ends: Mapping[str, float],
    colors: Mapping[str, str],
    strong: Iterable[str] = OURS,
) -> None:
    """Names right of the axes, each beside the end of its line, none over another."""
    low, high = sorted(axis.get_ylim())
    order = sorted(ends, key=lambda name: ends[name])
    inside = [min(max(ends[name], low), high) for name in order]
    height = axis.figure.get_size_inches()[1] / axis.get_gridspec().nrows * 72 * 0.8
    gap = 1.25 * SMALL * (high - low) / height
    for name, y, place in zip(order, inside, spread(inside, gap, low, high), strict=True):
        bold = name in strong
        color = colors[name] if colors[name] != REST else "#666666"
        axis.annotate(
            plain(name), (x, y), (1.07, place), textcoords=("axes fraction", "data"),
            fontsize=SMALL + bold, fontweight="bold" if bold else "normal", color=color,
            va="center", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": color, "shrinkA": 1,
                        "shrinkB": 0, "relpos": (0, 0.5)},
        )  # fmt: skip


def spread(values: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places for rising values that keep them ``gap`` apart and move them as little as can be."""
    if len(values) > 1:
        gap = min(gap, (high - low) / (len(values) - 1))
    blocks: list[tuple[float, int]] = []  # mean of value minus its step inside the block, members
    for value in values:
        blocks.append((value, 1))
        while len(blocks) > 1 and blocks[-2][0] + blocks[-2][1] * gap > blocks[-1][0]:
            (above, many), (start, few) = blocks.pop(), blocks.pop()
            start = (start * few + (above - few * gap) * many) / (few + many)
            blocks.append((start, few + many))
    places = [start + step * gap for start, members in blocks for step in range(members)]
    top = high - gap * np.arange(len(places))[::-1]
    bottom = low + gap * np.arange(len(places))
    return [float(each) for each in np.maximum(np.minimum(places, top), bottom)]


_OFFSETS = [(x, y) for reach in (1, 2, 3, 4) for x, y in
            ((1, 0.4), (-1, 0.4), (1, -1.2), (-1, -1.2), (0, 1), (0, -1.8), (1, 1.3), (-1, 1.3))
            for x, y in ((x * (4 + 3 * reach), y * 4.5 * reach),)]  # fmt: skip


def name_points(axis: Any, points: Mapping[str, tuple[float, float]], colors: Any) -> None:
    """Names beside points of a figure drawn once, so that none lies over another; best first."""
    shown = {name: axis.transData.transform(point) for name, point in points.items()}
    pixel = axis.figure.dpi / 72
    taken = [_box(x - 3 * pixel, y - 3 * pixel, 6 * pixel, 6 * pixel) for x, y in shown.values()]
    for name in sorted(points, key=lambda each: -points[each][1]):
        width, height = 0.56 * SMALL * len(name) * pixel, 1.1 * SMALL * pixel
        offset, box = _free(shown[name], width, height, pixel, taken, axis.bbox)
        taken.append(box)
        far = abs(offset[0]) + abs(offset[1]) > 14
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": "#999999"} if far else None
        axis.annotate(
            plain(name), points[name], offset, textcoords="offset points", fontsize=SMALL,
            ha="left" if offset[0] > 0 else "right" if offset[0] < 0 else "center",
            color=colors[name] if colors[name] != REST else "#555555",
            fontweight="bold" if name in OURS else "normal", arrowprops=line,
        )  # fmt: skip


def _box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x, y, x + width, y + height


def _free(
    at: np.ndarray, width: float, height: float, pixel: float, taken: list, inside: Any
) -> tuple[tuple[float, float], tuple]:
    """The nearest offset in points whose box meets the fewest others."""
    best: tuple[Any, ...] = ()
    for dx, dy in _OFFSETS:
        left = at[0] + dx * pixel - (width if dx < 0 else width / 2 if dx == 0 else 0)
        box = _box(left, at[1] + dy * pixel - 0.2 * height, width, height)
        outside = box[0] < inside.x0 or box[2] > inside.x1 + 0.3 * width
        met = sum(_meet(box, other) for other in taken) + 2 * outside
        if not best or met < best[0]:
            best = (met, (dx, dy), box)
        if met == 0:
            break
    return best[1], best[2]


def _meet(one: tuple, other: tuple) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
