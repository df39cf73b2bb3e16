"""Does "auto" keep what it promises? The tables and the picture of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

DATA = Path(__file__).parents[1] / "data"
FALSE, RECALL, MEAN, WORST = 0.25, 0.6, -0.7, -3.0  # what was asked
RULES = ("supported", "supported, constants of other sets", "smaller of knee and permuted", "knee")
FRESH = "supported, fresh splits"
YARDSTICK = "best fixed size of the first splits, fresh splits"
COLORS = ("#d55e00", "#e69f00", "#0072b2", "#6b7480")


def read(name: str) -> pd.DataFrame | None:
    path = DATA / f"{name}.csv"
    return pd.read_csv(path) if path.exists() else None


def planted_lines(rows: pd.DataFrame) -> list[str]:
    """What is kept of planted features, on tables of all shapes."""
    can = rows[rows["reach"] >= RECALL]
    lines = [
        f"**Planted tables** ({rows.groupby(['table', 'planted'])['tables'].max().sum()} tables, "
        f"rankings {_names(rows)}: the kinds of [the page of evidence](../cuts-evidence), and "
        "noise of 50 and 200 samples by 2,000 to 200,000 columns with 20 planted ones). Planted "
        f"features can be found where some size of the same ranking, chosen by who knows them, has "
        f"a recall of {RECALL} with at most {FALSE} noise; an empty claim has no noise and no "
        "recall.",
        "",
        "| rule | noise among the kept | recall where they can be found | recall on all | size |",
        "|---|---|---|---|---|",
    ]
    for rule, mine in rows.groupby("rule", sort=False):
        there = can[can["rule"] == rule]
        lines.append(
            f"| `{rule}` | {mine['false'].mean():.2f} | {there['recall'].mean():.2f} (least "
            f"{there['recall'].min():.2f}) | {mine['recall'].mean():.2f} | "
            f"{mine['size'].mean():,.0f} |"
        )
    auto, wide = (part[part["rule"] == "supported"] for part in (rows, _wide(rows)))
    found = can[can["rule"] == "supported"]["recall"]
    low = (found < RECALL).sum()
    return [
        *lines, "",
        f"Asked of `supported`: noise at most {FALSE} on average: "
        f"{_met(auto['false'].mean() <= FALSE)} (on the wide tables {wide['false'].mean():.2f}); "
        f"recall at least {RECALL} wherever they can be found: {_met(low == 0)} "
        f"({low} of {found.size} kinds of tables and rankings lie below: {_below(can)}; of all "
        f"{len(auto)}, findable or not, {(auto['recall'] < RECALL).sum()} do). A fit "
        f"with `auto` took {auto['fits'].median():.0f} times as long as one that is told the size "
        "(median): at most ten fits, the rest is the judge.", "",
    ]  # fmt: skip


def _below(can: pd.DataFrame) -> str:
    mine = can[(can["rule"] == "supported") & (can["recall"] < RECALL)]
    kinds = mine.groupby(["table", "planted"])["ranking"].agg(", ".join)
    return "; ".join(f"{table}, {planted} planted ({by})" for (table, planted), by in kinds.items())


def _wide(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["table"].str.contains(" x ")]


def _names(rows: pd.DataFrame) -> str:
    return ", ".join(f"`{name}`" for name in rows["ranking"].unique())


def _met(is_so: Any) -> str:
    return "met" if is_so else "missed"


def real_lines(rows: pd.DataFrame) -> list[str]:
    """How far the sizes are from the best fixed one on real sets."""
    first = rows[~rows["rule"].isin([FRESH, YARDSTICK])]
    told = ", ".join(
        f"{name} ({n})" for name, n in first.groupby("dataset")["splits"].max().items()
    )
    lines = [
        f"**Real sets**, a third of the samples held out, rankings {_names(rows)}; in brackets the "
        f"splits: {told}. Points of accuracy off the best of 10, 50, 100, 150 and 200 features. In "
        "hindsight that size was lucky, too: the third column takes the one that was best on half "
        "of the splits and measures both on the other half.",
        "",
        "| rule | mean | mean, size chosen on other splits | worst set and ranking | worst set, "
        "all rankings | features |",
        "|---|---|---|---|---|---|",
        *(_real_line(rule, rows[rows["rule"] == rule]) for rule in (*RULES, FRESH, YARDSTICK)),
    ]
    mine, other, fresh, fixed = (
        rows[rows["rule"] == rule]["difference"] for rule in (*RULES[:2], FRESH, YARDSTICK)
    )
    return [
        *lines, "",
        f"Asked of it: at most {-MEAN} points below the best fixed size on average: "
        f"{_met(mine.mean() >= MEAN)}; 3 at worst, measured over every set with every ranking, in "
        f"hindsight: {_met(mine.min() >= WORST)} on the twenty splits. Twenty splits were asked "
        "for; sets with fewer take long. The second line leaves every set out once: the judge's C, "
        "the standard errors, where to begin when nothing stands out and the bound of guessing are "
        f"those of 81 combinations that lose least on the other sets (3 at worst: "
        f"{_met(other.min() >= WORST)}). The last two lines are measured on twenty further splits "
        f"of the two smallest sets, {_sets(rows, FRESH)}, on which nothing was chosen: {-MEAN} on "
        f"average is {_met(fresh.mean() >= MEAN)} and 3 at worst is {_met(fresh.min() >= WORST)} "
        "there. They have 41 and 30 samples to learn from and 21 and 15 to judge: even the fixed "
        f"size that was best on the first twenty splits loses {-fixed.mean():.1f} points on the "
        f"next twenty on average and {-fixed.min():.1f} at worst.", "",
    ]  # fmt: skip


def _real_line(rule: str, rows: pd.DataFrame) -> str:
    mine = rows.set_index(["dataset", "ranking"])
    off, by_set = mine["difference"], mine.groupby(level="dataset")["difference"].mean()
    cells = [
        rule, f"{off.mean():+.2f}", f"{mine['halves'].mean():+.2f}",
        f"{off.min():+.1f} ({' '.join(off.idxmin())})", f"{by_set.min():+.1f} ({by_set.idxmin()})",
        f"{mine['size'].mean():,.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _sets(rows: pd.DataFrame, rule: str) -> str:
    *most, last = rows[rows["rule"] == rule]["dataset"].unique()
    return f"{', '.join(most)} and {last}"


def draw(rows: pd.DataFrame, path: Path) -> None:
    """Every set and ranking as a point, rule by rule."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = rows[rows["rule"].isin(RULES)]
    sets = list(dict.fromkeys(rows["dataset"]))
    figure, axis = pyplot.subplots(figsize=(9, 4.8), layout="constrained")
    for place, (rule, color) in enumerate(zip(RULES, COLORS, strict=True)):
        mine = rows[rows["rule"] == rule]
        height = mine["dataset"].map(sets.index) + 0.17 * (place - 1.5)
        axis.plot(mine["difference"], height, "o", ms=4.5, color=color, alpha=0.8, label=rule)
    axis.axvline(0, color="black", lw=0.8)
    axis.axvline(WORST, color="black", lw=0.8, ls=":")
    splits = rows.groupby("dataset")["splits"].max()
    axis.set_yticks(range(len(sets)), [f"{name} ({splits[name]})" for name in sets])
    axis.invert_yaxis()
    axis.set_xlabel(
        "points of accuracy off the best fixed size, one point a ranking (in brackets: splits)"
    )
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def write_support(folder: Path) -> None:
    """``support.md`` and the picture."""
    planted, real = map(read, ("cut-planted", "cut-support"))
    lines = [] if planted is None else planted_lines(planted)
    if real is not None:
        draw(real, folder / "support.png")
        lines += real_lines(real)
        lines += ["![Points off the best fixed size, set by set](../generated/support.png)", ""]
    (folder / "support.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
