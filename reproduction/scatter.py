"""Scatter plots of the methods: accuracy against the time of a fit and against stability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from inffs.comparison import summary
from inffs.comparison.page import methods_by_class
from reproduction import drawing
from reproduction.datasets import plain_name
from reproduction.drawing import OURS, REST, SMALL, looks, plain


def against_time(table: pd.DataFrame, names: tuple[str, ...]) -> Any:
    """Best accuracy of each method against the time of a fit, averaged over these data sets."""
    return _scatter(table, names, "cpu_seconds", "processor time of a fit (s)", logarithmic=True)


def against_stability(table: pd.DataFrame, names: tuple[str, ...]) -> Any:
    """Accuracy against the stability of the selection (Nogueira's measure)."""
    label = "stability of the selection (Nogueira)"
    return _scatter(table, names, "nogueira", label, logarithmic=False)


def best_points(
    table: pd.DataFrame, column: str, names: tuple[str, ...]
) -> tuple[pd.DataFrame, list[str]]:
    """Each method at its best size, averaged over the sets that nearly all methods have."""
    sets = comparable(table[table[column].notna()], names)
    best = summary.best_sizes(table[table["dataset"].isin(sets)])
    best = best[best["method"] != "all"].dropna(subset=[column])
    points = best.groupby("method")[[column, "score"]].mean()
    return points[best.groupby("method")["dataset"].nunique() == len(sets)], sets


def _scatter(
    table: pd.DataFrame, names: tuple[str, ...], column: str, label: str, *, logarithmic: bool
) -> Any:
    points, sets = best_points(table, column, names)
    if points.empty:
        return None
    figure, axes = drawing.axes(2, height=5.2)
    shown = {}
    for axis, (title, methods) in zip(axes, methods_by_class(table).items(), strict=True):
        mine = points.loc[[name for name in methods if name in points.index]]
        if logarithmic:
            axis.set_xscale("log")
        axis.set_xlabel(label)
        axis.set_ylabel(f"{summary.plain_measure(table)} at the best size (%)")
        axis.set_title(f"{title} methods, {_described(sets)}", loc="left", fontsize=10)
        axis.grid(alpha=0.25)
        axis.margins(0.12)
        shown[axis] = _points(axis, mine[column], 100 * mine["score"])
    figure.supxlabel(left_out(table, sets, "auto"), fontsize=SMALL)
    figure.draw_without_rendering()
    for axis, (named, colors) in shown.items():
        name_points(axis, named, colors)
    return figure


def _points(axis: Any, x: pd.Series, y: pd.Series) -> tuple[dict, dict]:
    """Draw the points; where they lie and their colours, by name."""
    found = looks(y)
    colors = {name: look["color"] for name, look in found.items()}
    for name in x.index:
        size = 60 if name in OURS else 22
        axis.scatter(x[name], y[name], s=size, color=colors[name], zorder=found[name]["zorder"])
    return {name: (x[name], y[name]) for name in x.index}, colors


def _described(sets: list[str]) -> str:
    return f"mean of {len(sets)} data sets" if len(sets) > 1 else plain(sets[0])


def present(table: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    """The data sets of these names, or that stand in for them, in that order."""
    every = sorted(table["dataset"].unique(), reverse=True)
    have = {plain_name(name): name for name in every} | {name: name for name in every}
    return [have[name] for name in names if name in have]


def comparable(table: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    """Of these data sets those on which most methods have results: only they are averaged."""
    counts = table.groupby("dataset")["method"].nunique()
    sets = present(table, names)
    most = max((counts[name] for name in sets), default=0)
    return [name for name in sets if counts[name] >= 0.75 * most]


def left_out(table: pd.DataFrame, sets: list[str], asked: str) -> str:
    """Methods that cannot be averaged because they lack a result on one of the data sets."""
    named = ", ".join(incomplete(table, asked, sets))
    return f"Left out, no result on some of the sets: {named}" if named else ""


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


def incomplete(table: pd.DataFrame, asked: str, datasets: list[str]) -> dict[str, list[str]]:
    """Return the methods that lack a result on some of the data sets, with those data sets."""
    mine = table[(table["asked"] == asked) & table["dataset"].isin(datasets)]
    pivot = mine.pivot_table(index="method", columns="dataset", values="score")
    pivot = pivot.reindex(columns=datasets)
    lacking = {
        str(name): [d for d in datasets if pd.isna(row[d])] for name, row in pivot.iterrows()
    }
    return {name: missing for name, missing in lacking.items() if missing}
