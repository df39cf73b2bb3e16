"""Drawing with matplotlib: score against the number of features, a row for each data set.

Inf-FS is red, the best other methods are coloured, the rest is grey; every line has its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inffs._utils.files import new_file
from inffs.comparison import summary
from inffs.comparison.methods import BASELINES
from inffs.comparison.page import fixed_sizes, methods_by_class

OURS = ("inf-fs-u", "inf-fs-s")
RED, REST = "#c1272d", "#b4b4b4"
LEADERS = ("#0072b2", "#e69f00", "#009e73", "#8e44ad", "#56b4e9")
_BASELINE_COLORS = {"all": "#000000", "variance": "#333333", "random": "#777777"}
SMALL = 8.0  # points


def per_set(table: pd.DataFrame, names: tuple[str, ...]) -> Any:
    """Fig. 2 and 3: a row for each data set, unsupervised methods left, supervised right."""
    sets = [name for name in names if not _curves_of_one(table, name).empty]
    if not sets:
        return None
    figure, panels = axes(2, height=4.2, rows=len(sets))
    for row, name in enumerate(sets):
        _both_classes(panels[2 * row : 2 * row + 2], table, name)
    return figure


def _both_classes(panels: Any, table: pd.DataFrame, dataset: str) -> None:
    """Each form of Inf-FS among its class, the other form dashed beside it."""
    curves = _curves_of_one(table, dataset)
    groups = methods_by_class(table[table["dataset"] == dataset])
    for axis, (title, methods) in zip(panels, groups.items(), strict=True):
        other = [name for name in OURS if name not in methods and name in curves.index]
        shown = [name for name in methods if name in curves.index]
        axis.set_title(f"{plain(dataset)}, {title}", loc="left")
        if not shown:
            axis.set_visible(False)
            continue
        lines(axis, curves.loc[[*shown, *other]], other)
        axis.set_ylabel(f"{table.loc[table['dataset'] == dataset, 'measure'].iloc[0]} (%)")


def curves_of(table: pd.DataFrame, sets: list[str], sizes: list[str]) -> pd.DataFrame:
    """Percentages, methods in rows, sizes in columns; all features are the same at every size."""
    curves = summary.curves(table, sets, sizes).dropna()
    whole = summary.grid(table, "all", sets)
    if "all" in whole and not curves.empty:
        curves.loc["all"] = whole["all"].mean()
    return 100 * curves


def _curves_of_one(table: pd.DataFrame, dataset: str) -> pd.DataFrame:
    mine = table[table["dataset"] == dataset]
    return curves_of(mine, [dataset], fixed_sizes(mine, tuple(mine["challenge"].unique())))


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
        return {"color": _BASELINE_COLORS[name], "linewidth": 1.4, "linestyle": ":", "zorder": 4}
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


def save(figures: dict[str, Any], folder: Path, formats: tuple[str, ...] = ("png", "svg")) -> None:
    """Write the figures; the same results give the same bytes."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "inffs"}):
        for name, figure in figures.items():
            figure.draw_without_rendering()
            figure.set_layout_engine("none")  # all formats have the layout that was found once
            for kind in formats:
                date = {"Date": None} if kind == "svg" else {}
                with new_file(folder / f"{name}.{kind}", force=True) as beside:
                    figure.savefig(beside, dpi=110, metadata=date)
