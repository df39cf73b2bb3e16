"""What the study of the cuts says, for the page about how many features to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from comparison_facts import RESULTS

from inffs.cuts import DEFAULTS, SCORE_CUTS
from reproduction.cutting import CHOOSING, FIXED, REPORTING, STUDY, cut_table, is_among

NOTHING = (
    "Not measured yet: no results of the study of the cuts lie in `results/`. "
    "`python -m reproduction run --datasets cuts --out results` makes them."
)
KINDS = {True: "With labels", False: "Without labels"}
GROUPS = {"choosing": CHOOSING, "reporting": REPORTING}
LOWEST, HIGHEST = -10.0, 5.0  # of the figure; what lies below is drawn at its foot
HEADER = (
    "| cut | choosing sets | size | reporting sets | worst ranking | size | stability | time |\n"
    "|---|---|---|---|---|---|---|---|"
)


def rows_of_study(folder: Path = RESULTS) -> pd.DataFrame | None:
    """The rows of the study, or None where there are none."""
    if not (folder / "parts").is_dir():
        return None
    from inffs.comparison.store import Store

    rows = Store(folder).frame()
    rows = rows[rows["setting"] == STUDY]
    both = is_among(rows, CHOOSING).any() and is_among(rows, REPORTING).any()
    return rows if both else None


def evidence(
    frame: pd.DataFrame | None,
    tables: dict[Any, pd.DataFrame],
    image: str = "../generated/cuts.png",
) -> list[str]:
    """Lines of Markdown: the tables for both kinds, the figure and what they say."""
    if frame is None:
        return [NOTHING]
    lines = [_setting(frame), ""]
    for kind, title in KINDS.items():
        choosing, reporting = (tables[kind, group] for group in GROUPS)
        lines += [f"### {title}", "", *_verdict(kind, choosing, reporting), "", HEADER]
        for cut in choosing["cut"]:
            lines.append(_line(kind, cut, choosing, reporting))
        lines.append("")
    lines += [f"![Accuracy lost against the number of features kept, every cut]({image})", ""]
    return [*lines, EXPLAINED]


EXPLAINED = (
    "Differences are in points of accuracy at the cut minus accuracy at the best of 10, 50, 100, "
    "150 and 200 features, which is chosen in hindsight for every ranking and data set: no rule "
    "can know it, and the fixed sizes themselves (in the table and as the grey line) show how much "
    "that is worth; a fairly chosen size is for every split the one best over the other splits. "
    "Means over the rankings, then over the data sets; in brackets the 95 % "
    "interval of 2000 bootstraps that draw the splits of each data set, all cuts together: a set "
    "with one split adds no width. *Worst "
    "ranking* is the mean of the worst single ranking on a data set, *size* the mean number of "
    "features kept. *Stability* is Nogueira's over the splits (– "
    "where more than 1500 features are kept), *time* the processor time of the cut in fits of the "
    "method. `supported`, `cross-validation` and `stability`, which fit the method again, were "
    "measured on fewer splits, and cuts that often keep nearly everything not on the largest sets. "
    "The C of the SVM is 0.1, and 0.01 where there are more than 1000 samples. The SVM is that of "
    "an earlier judge; the study has not been judged again."
)


def all_tables(frame: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    """One for each kind and group of data sets."""
    return {
        (kind, name): cut_table(frame, sets, kind)
        for kind in KINDS
        for name, sets in GROUPS.items()
    }


def _setting(frame: pd.DataFrame) -> str:
    done = frame[frame["asked"].isin(FIXED)].groupby("dataset")[["split", "method"]].nunique()
    text = {
        name: ", ".join(
            f"{each} ({n}{'' if m == done['method'].max() else f', only {m} rankings'})"
            for each, n, m in done.itertuples()
            if each.split()[0] in sets
        )
        for name, sets in GROUPS.items()
    }
    supervised = frame.groupby("method")["supervised"].first()
    rankings = {
        kind: ", ".join(f"`{name}`" for name in supervised.index[supervised == kind])
        for kind in KINDS
    }
    return (
        f"The rankings {rankings[True]} (with labels) and {rankings[False]} (without) were made "
        "on the training part of random splits, with default parameters, and ended by every cut; "
        "a linear SVM on the kept features was judged on the test part. The default was chosen on "
        f"{text['choosing']} and is reported on {text['reporting']}; in brackets the splits. An "
        "earlier rule (fewer features than `histogram` on the choosing sets) gave `middle` for "
        "both kinds from five splits; the rule below was written with all these tables in view. "
        "`middle` is the survivor of eleven combinations of cuts tried on the "
        "choosing sets, so its figure there flatters it."
    )


def _verdict(kind: bool, choosing: pd.DataFrame, reporting: pd.DataFrame) -> list[str]:
    name = quickest(kind)
    here, there = (table.set_index("cut").loc[name] for table in (choosing, reporting))
    old = reporting.set_index("cut").loc["histogram"]
    text = (
        f"`auto` is **`{DEFAULTS[kind][0]}`**, the runner-up `{DEFAULTS[kind][1]}`. Of the cuts "
        "that read only the scores and whose worst ranking fares no worse than with `histogram`, "
        f"`{name}` loses least on the choosing sets, {_points(here)}"
        f"{'; `supported` begins with it' if kind else ''}. On the reporting sets `{name}` is "
        f"{_points(there)} off the best fixed size, {there['fair']:+.1f} where that size is chosen "
        f"fairly, {there['worst_set']:+.1f} on the worst of them and {there['worst']:+.1f} for the "
        f"worst ranking ({there['worst_where']}); it keeps {there['size']:,.0f} features, at least "
        f"{there['smallest']:,.0f}; `histogram` {old['size']:,.0f} at {_points(old)}."
    )
    return [text, "", _aims(there, old)]


def quickest(kind: bool) -> str:
    """The default, or the runner-up where the default does more than read the scores."""
    return next(name for name in DEFAULTS[kind] if name in SCORE_CUTS)


def _aims(there: Any, old: Any) -> str:
    """What was asked of the default on the reporting sets, and whether it is so."""
    aims = {
        "within a point of the best fixed size on average": there["difference"] >= -1,
        "within three for the worst ranking": there["worst"] >= -3,
        "fewer features than `histogram` on average": there["size"] < old["size"],
        "never all features and never fewer than two": there["all_kept"] == 0
        and there["smallest"] >= 2,
    }
    return "Asked of it: " + "; ".join(f"{aim}: {'met' if is_so else 'missed'}"
                                      for aim, is_so in aims.items()) + "."  # fmt: skip


def _points(row: Any) -> str:
    """The difference with its interval, which a single split of every data set does not give."""
    if row["splits"] < 2:
        return f"{row['difference']:+.1f} (one split)"
    return f"{row['difference']:+.1f} [{row['low']:+.1f}, {row['high']:+.1f}]"


def _line(kind: bool, cut: str, choosing: pd.DataFrame, reporting: pd.DataFrame) -> str:
    here = choosing.set_index("cut").loc[cut]
    name = f"{cut} features" if cut in FIXED else f"`{cut}`"
    marks = dict(zip(DEFAULTS[kind], ("**{}** (auto)", "{} (runner-up)"), strict=True))
    cells = [marks.get(cut, "{}").format(name), _points(here) + _sets(here, choosing)]
    cells.append(f"{here['size']:,.0f}")
    if cut not in set(reporting["cut"]):
        return "| " + " | ".join([*cells, *["–"] * 5]) + " |"
    there = reporting.set_index("cut").loc[cut]
    cells += [
        _points(there) + _sets(there, reporting), f"{there['worst']:+.1f}",
        f"{there['size']:,.0f}", _number(there["stability"], ".2f"),
        "–" if cut in FIXED else f"{there['fits']:.2g}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _sets(row: Any, table: pd.DataFrame) -> str:
    """On how many of the data sets, where not on all."""
    most = table["sets"].max()
    return "" if row["sets"] == most else f" ({row['sets']} of {most} sets)"


def _number(value: float, form: str) -> str:
    return "–" if pd.isna(value) else f"{value:{form}}"


def draw(tables: dict[Any, pd.DataFrame], path: Path) -> None:
    """Accuracy lost against size, one panel for each kind and group of data sets."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        2, 2, figsize=(13, 9), sharex=True, sharey=True, layout="constrained"
    )
    for row, (kind, title) in enumerate(KINDS.items()):
        for column, group in enumerate(GROUPS):
            axis = axes[row, column]
            _panel(axis, tables[kind, group], DEFAULTS[kind])
            axis.set_title(f"{title}, {group} sets", loc="left", fontsize=11)
            axis.set_xlabel("features kept (mean)" if row else "")
        axes[row, 0].set_ylabel("accuracy minus that of the best fixed size, points")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _panel(axis: Any, table: pd.DataFrame, named: tuple[str, str]) -> None:
    rows = table.set_index("cut")
    fixed = rows.reindex([size for size in FIXED if size in rows.index])
    axis.plot(fixed["size"], fixed["difference"].clip(LOWEST), "o-", color="#9aa3ad", ms=4, lw=1.2)
    for size, row in fixed.iterrows():
        axis.annotate(size, (row["size"], max(LOWEST, row["difference"])), xytext=(0, 6),
                      fontsize=7, textcoords="offset points", color="#6b7480",
                      ha="center")  # fmt: skip
    cuts = rows.drop(index=fixed.index).sort_values("difference", ascending=False)
    for (cut, row), height in zip(cuts.iterrows(), _spread(cuts["difference"]), strict=True):
        color = {named[0]: "#d55e00", named[1]: "#0072b2"}.get(str(cut), "#3c4650")
        axis.vlines(row["size"], row["low"], row["high"], color=color, lw=1)
        below = row["difference"] < LOWEST
        y = LOWEST if below else row["difference"]
        axis.plot(row["size"], y, "v" if below else "s", ms=5, color=color)
        words = f"{cut} ({row['difference']:+.0f})" if below else str(cut)
        words += _sets(row, table)
        axis.annotate(words, (row["size"], y), xytext=(1.03, height), fontsize=8, color=color,
                      textcoords=axis.get_yaxis_transform(), va="center", annotation_clip=False,
                      fontweight="bold" if cut in named else "normal",
                      arrowprops={"arrowstyle": "-", "lw": 0.4, "color": color})  # fmt: skip
    axis.axhline(0, color="black", lw=0.8)
    axis.axhline(-1, color="black", lw=0.8, ls=":")
    axis.set_xscale("log")
    axis.set_ylim(LOWEST - 0.5, HIGHEST)
    axis.spines[["top", "right"]].set_visible(False)


def _spread(falling: pd.Series) -> list[float]:
    """Heights for the names beside a panel, in order and far enough apart to be read."""
    gap = (HIGHEST - LOWEST) / 22
    heights = [min(HIGHEST, max(LOWEST, value) + gap) for value in falling]
    for place in range(1, len(heights)):
        heights[place] = min(heights[place], heights[place - 1] - gap)
    lift = max(0.0, LOWEST - heights[-1])
    for place in range(len(heights) - 1, -1, -1):
        floor = LOWEST + (len(heights) - 1 - place) * gap
        heights[place] = max(heights[place], floor) if lift else heights[place]
    return heights


def write_evidence(folder: Path, results: Path = RESULTS) -> None:
    """``cuts.md``, and ``cuts.png`` where there are results."""
    frame = rows_of_study(results)
    tables = {} if frame is None else all_tables(frame)
    if tables:
        draw(tables, folder / "cuts.png")
    (folder / "cuts.md").write_text("\n".join(evidence(frame, tables)) + "\n", encoding="utf-8")
