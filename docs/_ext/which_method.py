"""Results of the benchmark for all methods: text, tables and figures of a guide page."""

from __future__ import annotations

from pathlib import Path

import comparison_facts
import pandas as pd

from inffs.comparison import summary
from inffs.comparison.methods import BASELINES
from inffs.comparison.page import fixed_sizes, methods_by_class
from reproduction import drawing
from reproduction.datasets import plain_name
from reproduction.paper import MICROARRAY, NIPS
from reproduction.scatter import comparable, name_points

KINDS = {
    "microarray": "few samples, thousands of columns (microarrays)",
    "nips": "many samples (the NIPS sets)",
    "cnn": "features of neural networks",
}
NEAR = 0.01

NAMED = {"inf-fs-c", "fisher", "mrmr", "relieff", "laplacian"}  # with names in the figure


class Kind:
    """The results on one kind of data: accuracy averaged over sizes and sets, time of a fit."""

    def __init__(self, table: pd.DataFrame, key: str) -> None:
        mine = table[table["challenge"] == key]
        mine = mine[~mine["dataset"].str.endswith(" (log)")]
        names = {"microarray": MICROARRAY, "nips": NIPS}.get(key) or tuple(
            plain_name(name) for name in mine["dataset"].unique()
        )
        self.key, self.sets = key, comparable(mine, names)
        mine = mine[mine["dataset"].isin(self.sets)]
        sizes = fixed_sizes(mine, key)
        self.per_set = pd.DataFrame(
            {name: summary.curves(mine, [name], sizes).dropna().mean(axis=1) for name in self.sets}
        )
        self.accuracy = self.per_set.dropna().mean(axis=1)
        self.seconds = mine.groupby(["method", "dataset"])["cpu_seconds"].median().groupby(
            "method"
        ).mean()  # fmt: skip
        self.splits = mine.groupby("dataset")["splits"].agg(["min", "max"])
        groups = methods_by_class(mine) if len(mine) else {"unsupervised": [], "supervised": []}
        self.everyone = {title: [name for name in group if name not in BASELINES]
                         for title, group in groups.items()}  # fmt: skip
        self.groups = {title: [name for name in group if name in self.accuracy.index]
                       for title, group in groups.items()}  # fmt: skip

    def ranked(self, title: str) -> pd.Series:
        """Accuracies of a class of methods, best first, baselines left out."""
        names = [name for name in self.groups[title] if name not in BASELINES]
        return self.accuracy[names].sort_values(ascending=False)

    def told_sets(self) -> str:
        low, high = self.splits["min"].min(), self.splits["max"].max()
        splits = f"{low} to {high} splits" if low < high else f"splits: {high}"
        return f"{', '.join(self.sets)}; {splits}"


def kinds(table: pd.DataFrame) -> list[Kind]:
    """Kinds of data that have results."""
    found = [Kind(table, key) for key in KINDS]
    return [kind for kind in found if len(kind.accuracy)]


def words(kind: Kind) -> list[str]:
    """Describe the results, one paragraph for each class of methods."""
    name = KINDS[kind.key]
    lines = [f"**{name[0].upper()}{name[1:]}** ({kind.told_sets()})."]
    for title, label in (("unsupervised", "Without labels"), ("supervised", "With labels")):
        ranked = kind.ranked(title)
        if ranked.empty:
            continue
        best = ranked.index[0]
        near = ranked[ranked >= ranked.iloc[0] - NEAR]
        cheap = kind.seconds[near.index].idxmin()
        lines.append(f"{label} `{best}` is best with {_percent(ranked.iloc[0])} on average"
                     + _next(ranked, near, cheap, kind.seconds))  # fmt: skip
        lines.append(_own_form(ranked, "inf-fs-s" if title == "supervised" else "inf-fs-u"))
    lines.append(_baselines(kind))
    return [" ".join(filter(None, lines)), ""]


def _next(ranked: pd.Series, near: pd.Series, cheap: str, seconds: pd.Series) -> str:
    if len(near) == 1:
        return f", then `{ranked.index[1]}` with {_percent(ranked.iloc[1])}." if len(
            ranked
        ) > 1 else "."  # fmt: skip
    return (
        f". {len(near)} of {len(ranked)} methods lie within one point of it. The fastest of them "
        f"is `{cheap}` ({_time(seconds[cheap])} per fit)."
    )


def _own_form(ranked: pd.Series, key: str) -> str:
    if key not in ranked or ranked.index[0] == key:
        return ""
    place = list(ranked.index).index(key) + 1
    return f"`{key}` has place {place} of {len(ranked)} with {_percent(ranked[key])}."


def _baselines(kind: Kind) -> str:
    have = [name for name in ("variance", "random") if name in kind.accuracy]
    texts = [f"{_percent(kind.accuracy[name])} ({name})" for name in have]
    return f"The baselines reach {' and '.join(texts)}." if texts else ""


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"


def places(found: list[Kind], title: str) -> pd.Series:
    """Mean place of every method over the data sets it has run on, best first."""
    each = [kind.per_set.loc[[name for name in kind.per_set.index if name in kind.everyone[title]]]
            for kind in found]  # fmt: skip
    ranks = pd.concat(each, axis=1).rank(ascending=False) if each else pd.DataFrame()
    return ranks.mean(axis=1).sort_values(kind="stable")


def table_of(found: list[Kind], title: str) -> list[str]:
    """Accuracy on every kind of data and time of a fit, in the order of the mean place."""
    heads = [f"{kind.key} (%)" for kind in found] + [f"fit, {kind.key} (s)" for kind in found]
    lines = [f"| method | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for key in places(found, title).index:
        cells = [_cell(100 * kind.accuracy.get(key, float("nan")), ".1f") for kind in found]
        cells += [_cell(kind.seconds.get(key, float("nan")), ".2g") for kind in found]
        lines.append(f"| [{key}](../catalogue/{key.split(' ')[0]}) | {' | '.join(cells)} |")
    return [*lines, ""]


def _cell(value: float, form: str) -> str:
    return "-" if pd.isna(value) else f"{value:{form}}"


def draw(kind: Kind, path: Path) -> None:
    """Accuracy against the time of a fit, with Inf-FS and well-known methods coloured."""
    figure, axes = drawing.axes(2, width=4.6, height=4.4)
    for axis, (title, group) in zip(axes, kind.groups.items(), strict=True):
        shown = [name for name in group if name in kind.seconds and name != "all"]
        colors = {name: drawing.RED if name in drawing.OURS else drawing.LEADERS[0]
                  if name in NAMED else drawing.REST for name in shown}  # fmt: skip
        axis.set_xscale("log")
        axis.set_xlabel("processor time of a fit (s)")
        axis.set_ylabel("accuracy, mean over sizes and sets (%)")
        axis.set_title(f"{title} methods", loc="left")
        axis.grid(alpha=0.25)
        axis.margins(0.12)
        for name in shown:
            axis.scatter(kind.seconds[name], 100 * kind.accuracy[name], color=colors[name],
                         s=50 if colors[name] != drawing.REST else 20)  # fmt: skip
        points = {name: (kind.seconds[name], 100 * kind.accuracy[name]) for name in shown}
        figure.draw_without_rendering()
        name_points(axis, points, colors)
    figure.savefig(path, dpi=110)


def write(folder: Path, results: Path = comparison_facts.RESULTS) -> None:
    """``which-method.md`` and its figures for the guide's page."""
    folder.mkdir(parents=True, exist_ok=True)
    table = comparison_facts.means_of(results)
    found = [] if table is None else kinds(table)
    lines = [] if found else [comparison_facts.NOTHING.replace("``", "`")]
    for kind in found:
        draw(kind, folder / f"which-{kind.key}.png")
        lines += [*words(kind), f"![Accuracy against the time of a fit: {KINDS[kind.key]}]"
                  f"(../generated/which-{kind.key}.png)", ""]  # fmt: skip
    missing = [label for key, label in KINDS.items() if key not in [kind.key for kind in found]]
    if found and missing:
        lines += [f"No results yet on: {'; '.join(missing)}.", ""]
    for title, label in (("unsupervised", "Without labels"), ("supervised", "With labels")):
        if found:
            lines += [
                f"### {label}, ordered by the mean place over the data sets",
                "",
                *table_of(found, title),
            ]
    (folder / "which-method.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
