"""The paper's figures from our results, and a few of our own; each is a matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.methods import BASELINES
from inffs.comparison.page import fixed_sizes, methods_by_class
from reproduction import drawing
from reproduction.datasets import plain_name
from reproduction.drawing import OURS, RED, curves_of, per_set
from reproduction.paper import MICROARRAY, NIPS
from reproduction.scatter import against_stability, against_time, comparable, left_out, present
from reproduction.statistics import critical_difference, nemenyi, ranks
from reproduction.tables import average_ranks

# what a figure shows, and what to see
SHOWN = {
    "microarray": (
        "Fig. 1 of the paper: accuracy against the number of features, mean of the microarray sets",
        "Plain variance (dotted) follows Inf-FS_U closely, and several supervised methods lie "
        "beside Inf-FS_S.",
    ),
    "nips": (
        "Fig. 2 of the paper: the NIPS sets, with the other form of Inf-FS dashed",
        "The two forms are far apart on dexter and gina, and equal on madelon.",
    ),
    "ranks": (
        "Fig. 4 of the paper: average rank against the number of features. A larger bubble is a "
        "rank that varies more between data sets",
        "The bubbles of the first supervised methods overlap.",
    ),
    "cardinality": (
        "Fig. 5 of the paper: from few to all features, with equal weights",
        "The lines rise to the level of all features and hardly exceed it.",
    ),
    "differences-100": (
        "Average ranks at 100 features. A bar joins methods whose ranks do not differ "
        "significantly (Nemenyi's test)",
        "The bar of the first methods joins most of them.",
    ),
}
DETAILED = {
    "cnn": (
        "Fig. 3 of the paper: features of neural networks, with the other form of Inf-FS dashed",
        "Most methods reach the same accuracy at 25 % of the features.",
    ),
    "differences-10": ("Average ranks at 10 features", "The bars are those of Nemenyi's test."),
    "time": (
        "Accuracy at the best size against the time of a fit",
        "Slow methods are not more accurate.",
    ),
    "stability": (
        "Accuracy at the best size against the stability of the selection (Nogueira)",
        "Stable methods are not always the accurate ones.",
    ),
}


def pictures(drawn: list[str], captions: dict[str, tuple[str, str]]) -> list[str]:
    """Each of these figures that was drawn, with a sentence that says what to see."""
    return [
        f"![{what}](reproduction/{name}.png)\n\n{what}. {see}"
        for name, (what, see) in captions.items()
        if name in drawn
    ]


def microarray(table: pd.DataFrame) -> Any:
    """Fig. 1: accuracy against size, averaged over the microarray sets that are complete."""
    sets = comparable(table, MICROARRAY)
    sizes = fixed_sizes(table, "microarray")
    if not sets or not sizes:
        return None
    table = table[table["dataset"].isin(sets)]
    curves = curves_of(table, sets, sizes)
    figure, axes = drawing.axes(2)
    for axis, (title, methods) in zip(axes, methods_by_class(table).items(), strict=True):
        drawing.lines(axis, curves.loc[[name for name in methods if name in curves.index]])
        axis.set_title(f"{title} methods", loc="left")
        axis.set_ylabel("accuracy (%)")
    figure.suptitle(f"Mean of {', '.join(sets)}")
    return figure


def bubbles(table: pd.DataFrame) -> Any:
    """Fig. 4: average rank against size; the area of a bubble is the variance of the rank."""
    sets = comparable(table, MICROARRAY + NIPS)
    sizes = fixed_sizes(table, ("microarray", "nips"))
    if len(sets) < 2 or not sizes:
        return None
    figure, axes = drawing.axes(2, height=5.2)
    for axis, (title, methods) in zip(axes, methods_by_class(table).items(), strict=True):
        methods = [name for name in methods if name not in BASELINES]
        mean, variance = average_ranks(table, sets, sizes, methods)
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
        found = drawing.looks(lines.groupby("method")["score"].mean())
        for method, rows in lines.groupby("method"):
            rows = rows.sort_values("n_features")
            style = "-" if rows["supervised"].iloc[0] else "--"
            share = 100 * rows["n_features"] / rows["features"]
            color = found[str(method)]["color"]
            axis.plot(share, 100 * rows["score"], style, color=color, label=method)
        _whole(axis, lines)
        axis.set_xlabel("features kept (%)")
        axis.set_ylabel(f"{summary.measure_of(lines)} (%)")
        axis.set_title(drawing.plain(name), loc="left")
        axis.legend(frameon=False)
        axis.grid(alpha=0.25)
    return figure


def _whole(axis: Any, table: pd.DataFrame) -> None:
    """A line at the quality of all features, where a part that lies above it pays."""
    whole = table.loc[table["n_features"] == table["features"], "score"]
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


def all_figures(frame: pd.DataFrame) -> dict[str, Any]:
    """Every figure that the results allow, by name, without third-party methods."""
    table = summary.means(frame[frame["kind"] != "third-party"])
    cnn = tuple(
        plain_name(name) for name in table.loc[table["challenge"] == "cnn", "dataset"].unique()
    )
    makers: dict[str, Callable[[], Any]] = {
        "microarray": lambda: microarray(table),
        "nips": lambda: per_set(table, tuple(present(table, NIPS))),
        "cnn": lambda: per_set(table, tuple(present(table, cnn))),
        "ranks": lambda: bubbles(table),
        "cardinality": lambda: cardinality(frame),
        "differences-10": lambda: differences(table, "10"),
        "differences-100": lambda: differences(table, "100"),
        "time": lambda: against_time(table, MICROARRAY + NIPS),
        "stability": lambda: against_stability(table, MICROARRAY + NIPS),
    }
    drawn = {name: make() for name, make in makers.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}
