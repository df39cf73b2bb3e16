"""Pictures of a comparison: score against size, time and stability; each a matplotlib figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from inffs._utils.files import new_file
from inffs.comparison import drawing, summary
from inffs.comparison.dataset import plain_name
from inffs.comparison.drawing import BASELINES, OURS

CLASSES = {"unsupervised": False, "supervised": True}


def methods_by_class(table: pd.DataFrame) -> dict[str, list[str]]:
    """Methods of both classes, baselines with each of them."""
    kinds = table.drop_duplicates("method").set_index("method")
    baselines = [name for name in kinds.index if name in BASELINES]
    return {
        title: [name for name in kinds.index if kinds.loc[name, "supervised"] == supervised
                and name not in baselines] + baselines
        for title, supervised in CLASSES.items()
    }  # fmt: skip


def fixed_sizes(table: pd.DataFrame, challenge: tuple[str, ...] | str) -> list[str]:
    """Sizes asked for on the data sets of a challenge, in rising order."""
    names = (challenge,) if isinstance(challenge, str) else challenge
    mine = table[table["challenge"].isin(names) & ~table["asked"].isin(["auto", "all"])]
    order = mine.groupby("asked")["n_features"].mean().sort_values()
    return list(order.index)


def per_set(table: pd.DataFrame, names: tuple[str, ...]) -> Any:
    """Fig. 2 and 3: a row for each data set, unsupervised methods left, supervised right."""
    sets = present(table, names)
    sets = [name for name in sets if not _of_one_set(table, name).empty]
    if not sets:
        return None
    figure, axes = drawing.axes(2, height=4.2, rows=len(sets))
    for row, name in enumerate(sets):
        _both_classes(axes[2 * row : 2 * row + 2], table, name)
    return figure


def curves_of(table: pd.DataFrame, sets: list[str], sizes: list[str]) -> pd.DataFrame:
    """Percentages, methods in rows, sizes in columns; all features are the same at every size."""
    curves = summary.curves(table, sets, sizes).dropna()
    whole = summary.grid(table, "all", sets)
    if "all" in whole and not curves.empty:
        curves.loc["all"] = whole["all"].mean()
    return 100 * curves


def _of_one_set(table: pd.DataFrame, dataset: str) -> pd.DataFrame:
    mine = table[table["dataset"] == dataset]
    return curves_of(mine, [dataset], fixed_sizes(mine, tuple(mine["challenge"].unique())))


def _both_classes(axes: Any, table: pd.DataFrame, dataset: str) -> None:
    """Each form of Inf-FS among its class, the other form dashed beside it."""
    curves = _of_one_set(table, dataset)
    groups = methods_by_class(table[table["dataset"] == dataset])
    for axis, (title, methods) in zip(axes, groups.items(), strict=True):
        other = [name for name in OURS if name not in methods and name in curves.index]
        shown = [name for name in methods if name in curves.index]
        axis.set_title(f"{drawing.plain(dataset)}, {title}", loc="left")
        if not shown:
            axis.set_visible(False)
            continue
        drawing.lines(axis, curves.loc[[*shown, *other]], other)
        axis.set_ylabel(f"{table.loc[table['dataset'] == dataset, 'measure'].iloc[0]} (%)")


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
    points = best.groupby("method")[[column, "quality"]].mean()
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
        shown[axis] = _points(axis, mine[column], 100 * mine["quality"])
    figure.supxlabel(left_out(table, sets, "auto"), fontsize=drawing.SMALL)
    figure.draw_without_rendering()
    for axis, (named, colors) in shown.items():
        drawing.name_points(axis, named, colors)
    return figure


def _points(axis: Any, x: pd.Series, y: pd.Series) -> tuple[dict, dict]:
    """Draw the points; where they lie and their colours, by name."""
    found = drawing.looks(y)
    colors = {name: look["color"] for name, look in found.items()}
    for name in x.index:
        size = 60 if name in OURS else 22
        axis.scatter(x[name], y[name], s=size, color=colors[name], zorder=found[name]["zorder"])
    return {name: (x[name], y[name]) for name in x.index}, colors


def _described(sets: list[str]) -> str:
    return f"mean of {len(sets)} data sets" if len(sets) > 1 else drawing.plain(sets[0])


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
    named = ", ".join(summary.incomplete(table, asked, sets))
    return f"Left out, no result on some of the sets: {named}" if named else ""


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
