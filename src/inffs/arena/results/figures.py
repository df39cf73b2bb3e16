"""The paper's figures from our results, and a few of our own; each is a matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from inffs._utils.files import new_file
from inffs.arena.data.paper import MICROARRAY, NIPS, paper_name
from inffs.arena.results import drawing, summary
from inffs.arena.results.drawing import BASELINES, OURS, RED
from inffs.arena.results.statistics import critical_difference, nemenyi, ranks

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


def microarray(table: pd.DataFrame) -> Any:
    """Fig. 1: accuracy against size, averaged over the microarray sets that are complete."""
    sets = comparable(table, MICROARRAY)
    sizes = fixed_sizes(table, "microarray")
    if not sets or not sizes:
        return None
    table = table[table["dataset"].isin(sets)]
    curves = _curves(table, sets, sizes)
    figure, axes = drawing.axes(2)
    for axis, (title, methods) in zip(axes, methods_by_class(table).items(), strict=True):
        drawing.lines(axis, curves.loc[[name for name in methods if name in curves.index]])
        axis.set_title(f"{title} methods", loc="left")
        axis.set_ylabel("accuracy (%)")
    figure.suptitle(f"Mean of {', '.join(sets)}")
    return figure


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


def _curves(table: pd.DataFrame, sets: list[str], sizes: list[str]) -> pd.DataFrame:
    """Percentages, methods in rows, sizes in columns; all features are the same at every size."""
    curves = summary.curves(table, sets, sizes).dropna()
    whole = summary.grid(table, "all", sets)
    if "all" in whole and not curves.empty:
        curves.loc["all"] = whole["all"].mean()
    return 100 * curves


def _of_one_set(table: pd.DataFrame, dataset: str) -> pd.DataFrame:
    mine = table[table["dataset"] == dataset]
    return _curves(mine, [dataset], fixed_sizes(mine, tuple(mine["challenge"].unique())))


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


def bubbles(table: pd.DataFrame) -> Any:
    """Fig. 4: average rank against size; the area of a bubble is the variance of the rank."""
    sets = comparable(table, MICROARRAY + NIPS)
    sizes = fixed_sizes(table, ("microarray", "nips"))
    if len(sets) < 2 or not sizes:
        return None
    figure, axes = drawing.axes(2, height=5.2)
    for axis, (title, methods) in zip(axes, methods_by_class(table).items(), strict=True):
        methods = [name for name in methods if name not in BASELINES]
        mean, variance = summary.average_ranks(table, sets, sizes, methods)
        if mean.empty:
            axis.set_visible(False)
            continue
        _bubbles(axis, mean.dropna(), variance)
        axis.set_title(f"{title} methods, {len(sets)} data sets", loc="left")
    figure.supxlabel(left_out(table, sets, sizes[0]), fontsize=drawing.SMALL)
    return figure


def _bubbles(axis: Any, mean: pd.DataFrame, variance: pd.DataFrame) -> None:
    found = drawing.looks(-mean.mean(axis=1))
    x = [drawing.place_of(size) for size in mean.columns]
    for name in mean.index:
        look = found[name]
        axis.plot(x, mean.loc[name], **look)
        alpha = 0.2 if look["color"] == drawing.REST else 0.45
        axis.scatter(x, mean.loc[name], s=10 + 12 * variance.loc[name], color=look["color"],
                     alpha=alpha, linewidths=0, zorder=look["zorder"])  # fmt: skip
    axis.margins(y=0.06)
    axis.set_xticks(x, list(mean.columns))
    axis.set_xlabel("features kept")
    axis.set_ylabel("average rank (1 is best)")
    colors = {name: look["color"] for name, look in found.items()}
    drawing.name_ends(axis, x[-1], mean.iloc[:, -1].to_dict(), colors)
    axis.invert_yaxis()


def cardinality(frame: pd.DataFrame) -> Any:
    """Fig. 5: quality from 5 % to 100 % of the features."""
    table = summary.means(frame, "cardinality")
    sets = list(table["dataset"].unique())
    if not sets:
        return None
    figure, axes = drawing.axes(len(sets), height=4.5)
    for axis, name in zip(axes, sets, strict=True):
        lines = table[table["dataset"] == name]
        found = drawing.looks(lines.groupby("method")["quality"].mean())
        for method, rows in lines.groupby("method"):
            rows = rows.sort_values("n_features")
            style = "-" if rows["supervised"].iloc[0] else "--"
            share = 100 * rows["n_features"] / rows["features"]
            color = found[str(method)]["color"]
            axis.plot(share, 100 * rows["quality"], style, color=color, label=method)
        _whole(axis, lines)
        axis.set_xlabel("features kept (%)")
        axis.set_ylabel(f"{summary.measure_of(lines)} (%)")
        axis.set_title(drawing.plain(name), loc="left")
        axis.legend(frameon=False)
        axis.grid(alpha=0.25)
    return figure


def _whole(axis: Any, table: pd.DataFrame) -> None:
    """A line at the quality of all features, where a part that lies above it pays."""
    whole = table.loc[table["n_features"] == table["features"], "quality"]
    if len(whole):
        axis.axhline(100 * whole.mean(), color="#333333", linestyle=":", label="all features")


def differences(table: pd.DataFrame, asked: str) -> Any:
    """Average ranks over the data sets; a bar joins methods that Nemenyi's test cannot part."""
    import scikit_posthocs

    sets = comparable(table, MICROARRAY + NIPS)
    scores = summary.grid(table, asked, sets)
    groups = {title: scores[[name for name in methods if name in scores]]
              for title, methods in methods_by_class(table).items()}  # fmt: skip
    groups = {title: mine for title, mine in groups.items() if mine.shape[1] >= 3}
    if len(sets) < 3 or not groups:
        return None
    heights = [1.0 + 0.13 * mine.shape[1] for mine in groups.values()]
    figure, axes = _stacked(heights)
    for axis, (title, mine) in zip(axes, groups.items(), strict=True):
        reach = critical_difference(mine.shape[1], mine.shape[0])
        scikit_posthocs.critical_difference_diagram(
            ranks(mine).mean(), nemenyi(mine), ax=axis,
            label_fmt_left="{label} ({rank:.1f})", label_fmt_right="({rank:.1f}) {label}",
            label_props={"fontsize": 9}, elbow_props={"linewidth": 1.0},
            marker_props={"s": 14}, crossbar_props={"linewidth": 2.2},
            color_palette={name: RED if name in OURS else "#555555" for name in mine},
        )  # fmt: skip
        axis.set_title(
            f"{asked} features, {title}, {mine.shape[0]} data sets: ranks nearer than {reach:.1f} "
            "cannot be told apart", loc="left", fontsize=10, pad=22,
        )  # fmt: skip
    figure.supxlabel(left_out(table, sets, asked), fontsize=drawing.SMALL)
    return figure


def _stacked(heights: list[float]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, sum(heights) + 0.6), layout="constrained")
    return figure, figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False).ravel()


def against_time(table: pd.DataFrame) -> Any:
    """Best accuracy of each method against the time of a fit, averaged over the data sets."""
    return _scatter(table, "cpu_seconds", "processor time of a fit (s)", logarithmic=True)


def against_stability(table: pd.DataFrame) -> Any:
    """Accuracy against the stability of the selection (Nogueira's measure)."""
    return _scatter(table, "nogueira", "stability of the selection (Nogueira)", logarithmic=False)


def best_points(table: pd.DataFrame, column: str) -> tuple[pd.DataFrame, list[str]]:
    """Each method at its best size, averaged over the data sets that nearly all methods have."""
    known = table[table[column].notna()]
    sets = comparable(known, MICROARRAY + NIPS) or sorted(
        known.loc[known["challenge"] == "own", "dataset"].unique()
    )
    best = summary.best_sizes(table[table["dataset"].isin(sets)])
    best = best[best["method"] != "all"].dropna(subset=[column])
    points = best.groupby("method")[[column, "quality"]].mean()
    return points[best.groupby("method")["dataset"].nunique() == len(sets)], sets


def _scatter(table: pd.DataFrame, column: str, label: str, *, logarithmic: bool) -> Any:
    points, sets = best_points(table, column)
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
    """Those of our data sets that stand for the paper's names, in that order."""
    have = {paper_name(name): name for name in sorted(table["dataset"].unique(), reverse=True)}
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


def all_figures(frame: pd.DataFrame) -> dict[str, Any]:
    """Every figure that the results allow, by name; guests stand apart from the paper's methods."""
    table = summary.means(frame[frame["kind"] != "guest"])
    cnn = tuple(
        paper_name(name) for name in table.loc[table["challenge"] == "cnn", "dataset"].unique()
    )
    makers: dict[str, Callable[[], Any]] = {
        "microarray": lambda: microarray(table),
        "nips": lambda: per_set(table, NIPS),
        "cnn": lambda: per_set(table, cnn),
        "ranks": lambda: bubbles(table),
        "cardinality": lambda: cardinality(frame),
        "differences-10": lambda: differences(table, "10"),
        "differences-100": lambda: differences(table, "100"),
        "time": lambda: against_time(table),
        "stability": lambda: against_stability(table),
    }
    drawn = {name: make() for name, make in makers.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}


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
