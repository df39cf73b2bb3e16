"""The paper's figures from our results, and a few of our own; each is a matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inffs.arena import summary
from inffs.arena.paper import MICROARRAY, NIPS, paper_name
from inffs.arena.statistics import nemenyi, ranks
from inffs.methods import catalogue

OURS = {"inf-fs-u": "#c1272d", "inf-fs-s": "#c1272d"}
_BASELINES = {"all": "#222222", "random": "#999999", "variance": "#666666"}
_MARKERS = "osv^D<>pPXh*d"


def _axes(columns: int = 1, width: float = 6.4, height: float = 5.0, rows: int = 1) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, np.atleast_1d(figure.subplots(rows, columns)).ravel()


def _plain(name: str) -> str:
    """A name is data: dollar signs are no mathematics."""
    return name.replace("$", r"\$")


def _style(method: str) -> dict[str, Any]:
    """The same look for a method in every figure."""
    import matplotlib

    keys = [entry.key for entry in catalogue()]
    key = method.partition("[")[0]
    place = keys.index(key) if key in keys else len(keys)
    if method in OURS:
        return {"color": OURS[method], "linewidth": 2.8, "marker": "o", "zorder": 5}
    if method in _BASELINES:
        return {"color": _BASELINES[method], "linewidth": 1.4, "linestyle": ":", "marker": ""}
    color = matplotlib.colormaps["tab20"](place % 20)
    return {"color": color, "linewidth": 1.1, "marker": _MARKERS[place % len(_MARKERS)],
            "markersize": 4}  # fmt: skip


def _lines(axis: Any, table: pd.DataFrame, methods: list[str]) -> None:
    for method in methods:
        axis.plot(table.columns, 100 * table.loc[method], label=method, **_style(method))
    axis.set_xlabel("features kept")
    axis.set_ylabel("accuracy (%)")
    axis.grid(alpha=0.25)


def _legend(axis: Any) -> None:
    """Below the axes: thirty methods hide nothing there."""
    axis.legend(fontsize=7, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False)


def _groups(table: pd.DataFrame) -> dict[str, list[str]]:
    """Methods of both classes, baselines with each of them."""
    kinds = table.drop_duplicates("method").set_index("method")
    baselines = [name for name in kinds.index if kinds.loc[name, "kind"] == "baseline"]
    return {
        title: [name for name in kinds.index if kinds.loc[name, "supervised"] == supervised
                and name not in baselines] + [name for name in baselines if name != "all"]
        for title, supervised in (("unsupervised", False), ("supervised", True))
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
    curves = summary.curves(table, sets, sizes).dropna()
    figure, axes = _axes(2)
    for axis, (title, methods) in zip(axes, _groups(table).items(), strict=True):
        _lines(axis, curves, [name for name in methods if name in curves.index])
        _legend(axis)
        axis.set_title(f"{title}, mean of {', '.join(sets)}", fontsize=9)
    return figure


def per_set(table: pd.DataFrame, names: tuple[str, ...]) -> Any:
    """Fig. 2 and 3: a panel for each data set, unsupervised methods dashed."""
    sets = present(table, names)
    if not sets:
        return None
    columns = min(2, len(sets))
    figure, axes = _axes(columns, 6.4, 4.2, -(-len(sets) // columns))
    unsupervised = set(table.loc[~table["supervised"].astype(bool), "method"])
    lines: dict[str, Any] = {}
    for axis, name in zip(axes, sets, strict=False):
        mine = table[table["dataset"] == name]
        sizes = fixed_sizes(mine, tuple(mine["challenge"].unique()))
        curves = summary.curves(mine, [name], sizes).dropna()
        _lines(axis, curves, list(curves.index))
        axis.set_title(_plain(name), fontsize=9)
        for line in axis.get_lines():
            lines[str(line.get_label())] = line
            if line.get_label() in unsupervised:
                line.set_linestyle("--")
    for axis in axes[len(sets) :]:
        axis.set_visible(False)
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=7, fontsize=7)
    return figure


def bubbles(table: pd.DataFrame) -> Any:
    """Fig. 4: average rank against size; the area of a bubble is the variance of the rank."""
    sets = comparable(table, MICROARRAY + NIPS)
    sizes = fixed_sizes(table, ("microarray", "nips"))
    if len(sets) < 2 or not sizes:
        return None
    figure, axes = _axes(2, height=5.4)
    for axis, (title, methods) in zip(axes, _groups(table).items(), strict=True):
        methods = [name for name in methods if name not in _BASELINES]
        mean, variance = summary.average_ranks(table, sets, sizes, methods)
        for method in mean.index:
            style, ranked = _style(str(method)), mean.loc[method, sizes]
            width = 2.8 if method in OURS else 0.8
            area = 12 + 14 * variance.loc[method]
            axis.scatter(sizes, ranked, s=area, color=style["color"], alpha=0.4, linewidths=0)
            axis.plot(sizes, ranked, color=style["color"], linewidth=width, label=method)
        axis.invert_yaxis()
        axis.set_xlabel("features kept")
        axis.set_ylabel("average rank (1 is best)")
        axis.set_title(f"{title}, {len(sets)} data sets", fontsize=9)
        _legend(axis)
    return figure


def cardinality(frame: pd.DataFrame) -> Any:
    """Fig. 5: quality from 5 % to 100 % of the features."""
    table = summary.means(frame, "cardinality")
    sets = list(table["dataset"].unique())
    if not sets:
        return None
    figure, axes = _axes(len(sets))
    for axis, name in zip(axes, sets, strict=True):
        for method, rows in table[table["dataset"] == name].groupby("method"):
            rows = rows.sort_values("n_features")
            style = "-" if rows["supervised"].iloc[0] else "--"
            share = 100 * rows["n_features"] / rows["features"]
            axis.plot(share, 100 * rows["quality"], style, color=OURS[str(method)], label=method)
        axis.set_xlabel("features kept (%)")
        axis.set_ylabel("accuracy (%)")
        axis.set_title(_plain(name), fontsize=9)
        axis.legend()
        axis.grid(alpha=0.25)
    return figure


def critical_difference(table: pd.DataFrame, asked: str) -> Any:
    """Average ranks over the data sets; a bar joins methods that Nemenyi's test cannot part."""
    import scikit_posthocs
    from matplotlib import pyplot

    scores = summary.grid(table, asked, comparable(table, MICROARRAY + NIPS))
    if scores.shape[0] < 3 or scores.shape[1] < 3:
        return None
    figure, axis = pyplot.subplots(figsize=(9, 1.2 + 0.16 * scores.shape[1]))
    scikit_posthocs.critical_difference_diagram(
        ranks(scores).mean(), nemenyi(scores), ax=axis, label_props={"fontsize": 7}
    )
    axis.set_title(f"{asked} features, {scores.shape[0]} data sets", fontsize=9)
    pyplot.close(figure)
    return figure


def against_time(table: pd.DataFrame) -> Any:
    """Best accuracy of each method against the time of a fit, averaged over the data sets."""
    return _scatter(table, "cpu_seconds", "processor time of a fit (s)", logarithmic=True)


def against_stability(table: pd.DataFrame) -> Any:
    """Accuracy against the stability of the selection (Nogueira's measure)."""
    return _scatter(table, "nogueira", "stability (Nogueira)", logarithmic=False)


def _scatter(table: pd.DataFrame, column: str, label: str, *, logarithmic: bool) -> Any:
    best = summary.best_sizes(table)
    best = best[best["kind"] != "baseline"]
    if best.empty:
        return None
    count = best["dataset"].nunique()
    points = best.groupby("method")[[column, "quality"]].mean()
    points = points[best.groupby("method")["dataset"].nunique() == count].dropna()
    figure, (axis,) = _axes()
    for method, row in points.iterrows():
        color = _style(str(method))["color"]
        axis.scatter(row[column], 100 * row["quality"], color=color)
        axis.annotate(str(method), (row[column], 100 * row["quality"]), fontsize=7,
                      xytext=(4, 2), textcoords="offset points")  # fmt: skip
    if logarithmic:
        axis.set_xscale("log")
    axis.set_xlabel(label)
    axis.set_ylabel(f"accuracy at the best size (%), mean of {count}")
    axis.grid(alpha=0.25)
    return figure


def present(table: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    """Those of our data sets that stand for the paper's names, in that order."""
    have = {paper_name(name): name for name in sorted(table["dataset"].unique(), reverse=True)}
    return [have[name] for name in names if name in have]


def comparable(table: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    """Of these data sets those on which nearly all methods have results: only they are averaged."""
    counts = table.groupby("dataset")["method"].nunique()
    sets = present(table, names)
    most = max((counts[name] for name in sets), default=0)
    return [name for name in sets if counts[name] >= 0.9 * most]


def all_figures(frame: pd.DataFrame) -> dict[str, Any]:
    """Every figure that the results allow, by name."""
    table = summary.means(frame)
    cnn = tuple(
        paper_name(name) for name in table.loc[table["challenge"] == "cnn", "dataset"].unique()
    )
    makers: dict[str, Callable[[], Any]] = {
        "microarray": lambda: microarray(table),
        "nips": lambda: per_set(table, NIPS),
        "cnn": lambda: per_set(table, cnn),
        "ranks": lambda: bubbles(table),
        "cardinality": lambda: cardinality(frame),
        "differences-10": lambda: critical_difference(table, "10"),
        "differences-100": lambda: critical_difference(table, "100"),
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
            for kind in formats:
                date = {"Date": None} if kind == "svg" else {}
                figure.savefig(folder / f"{name}.{kind}", dpi=130, metadata=date)
