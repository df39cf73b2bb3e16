"""Tables of the pages: the paper's Table 3, costs, tuned methods, progress; and Markdown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from inffs.comparison import summary
from inffs.comparison.page import fixed_sizes
from inffs.comparison.runner import status
from inffs.comparison.trial import DONE
from inffs.methods import catalogue
from reproduction.datasets import plain_name
from reproduction.packed import PackedStore
from reproduction.paper import MICROARRAY, NIPS, TABLE_3
from reproduction.scatter import comparable
from reproduction.statistics import friedman, holm_wilcoxon, interval_over_sets, ranks

TABLE_3_NAMES = {
    "dataset": "data set", "paper_size": "paper's size", "paper_accuracy": "paper's accuracy",
    "difference": "difference", "best_size": "best fixed size", "paper_best_size": "paper's best",
    "best_accuracy": "its accuracy", "paper_best_accuracy": "paper's at its best",
    "best_difference": "difference at best",
}  # fmt: skip


def table_3(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 3 beside ours: automatic subset and best fixed size, per method."""
    lines = []
    for dataset in table["dataset"].unique():
        for method in ("lasso-unhinged", "lasso-hinge", "inf-fs-u", "inf-fs-s"):
            mine = table[(table["dataset"] == dataset) & (table["method"] == method)]
            auto, fixed = mine[mine["asked"] == "auto"], mine[mine["asked"] != "auto"]
            if auto.empty or fixed.empty:
                continue
            best = fixed.loc[fixed["score"].idxmax()]
            theirs = TABLE_3.get((plain_name(dataset), method), (np.nan,) * 4)
            lines.append(
                {
                    "dataset": dataset,
                    "method": method,
                    "size": auto["n_features"].iloc[0],
                    "accuracy": 100 * auto["score"].iloc[0],
                    "best_size": best["n_features"],
                    "best_accuracy": 100 * best["score"],
                    "paper_size": theirs[0],
                    "paper_accuracy": theirs[1],
                    "paper_best_size": theirs[2],
                    "paper_best_accuracy": theirs[3],
                }
            )
    out = pd.DataFrame(lines)
    if not out.empty:
        out["difference"] = out["accuracy"] - out["paper_accuracy"]
        out["best_difference"] = out["best_accuracy"] - out["paper_best_accuracy"]
    return out


def third_party(table: pd.DataFrame) -> pd.DataFrame:
    """Third-party methods, both forms of Inf-FS and our best method: means over the sizes."""
    fixed = table[~table["asked"].isin(["auto", "all"])]
    means = 100 * fixed.pivot_table(index="method", columns="dataset", values="score")
    kinds = table.drop_duplicates("method").set_index("method")["kind"]
    here = kinds.index[kinds == "third-party"]
    if here.empty:
        return pd.DataFrame()
    means = means[means.loc[here].notna().any().pipe(lambda has: has.index[has])]
    ours = means.drop(index=here).drop(index=["all", "random"], errors="ignore")
    shown = means.loc[[*here, *(name for name in ("inf-fs-u", "inf-fs-s") if name in means.index)]]
    shown.loc["best other"] = ours.max()
    return shown.round(1).rename_axis(columns=None).reset_index()


def growth(table: pd.DataFrame) -> pd.Series:
    """Exponent of the fit's processor time in the number of features."""
    slopes = {}
    for method, rows in table.groupby("method"):
        if rows["features"].nunique() >= 3:
            x, y = np.log(rows["features"]), np.log(rows["cpu_seconds"])
            slopes[method] = np.polyfit(x, y, 1)[0]
    return pd.Series(slopes, dtype=float)


def test_table(table: pd.DataFrame) -> pd.DataFrame:
    """Friedman's test over the data sets at every fixed size, both classes of methods."""
    table = table[table["kind"] != "third-party"]
    lines = []
    kinds = table.drop_duplicates("method").set_index("method")["supervised"]
    for asked in fixed_sizes(table, ("microarray", "nips")):
        sets = comparable(table, MICROARRAY + NIPS)
        scores = summary.grid(table, asked, sets)
        for title, flag in (("unsupervised", False), ("supervised", True)):
            mine = scores[[name for name in scores if bool(kinds[name]) == flag]]
            statistic, p = friedman(mine)
            lines.append({"features": asked, "methods": title, "number of methods": mine.shape[1],
                          "data sets": mine.shape[0], "Friedman": statistic, "p": p,
                          "differ from Inf-FS": _different(mine, flag)})  # fmt: skip
    return pd.DataFrame(lines)


def _different(scores: pd.DataFrame, supervised: bool) -> str:
    """Methods that Wilcoxon's test with Holm's correction tells from Inf-FS at 5 %."""
    control = "inf-fs-s" if supervised else "inf-fs-u"
    if control not in scores or scores.shape[0] < 2 or scores.shape[1] < 2:
        return "-"
    p = holm_wilcoxon(scores, control)
    named = [
        f"{name} ({'better' if scores[name].mean() > scores[control].mean() else 'worse'})"
        for name in p.index[p < 0.05]
    ]
    return ", ".join(named) or "none"


def average_ranks(
    table: pd.DataFrame, datasets: list[str], sizes: list[str], methods: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean and variance over data sets of each method's place, methods in rows."""
    mean, variance = {}, {}
    for size in sizes:
        scores = summary.grid(table, size, datasets)
        places = ranks(scores[[name for name in methods if name in scores]])
        mean[size], variance[size] = places.mean(), places.var(ddof=0)
    return pd.DataFrame(mean), pd.DataFrame(variance)


def tuned_gain(frame: pd.DataFrame) -> pd.DataFrame:
    """Each method in both settings on the data sets, splits and sizes that both have, in percent.

    ``gain`` is tuned minus untuned with its interval, ``other features`` how often the choice
    changed the selection. Methods may have different data sets: compare only within a line.
    """
    key = ["dataset", "split", "asked", "method"]
    both = summary.finished(frame, "tuned").merge(
        summary.finished(frame), on=key, suffixes=("", "_untuned")
    )
    both = both[~both["asked"].isin(["auto", "all"])]
    lines = []
    for method, rows in both.groupby("method"):
        pivot = 100 * rows.groupby(["dataset", "split"])[["score_untuned", "score"]].mean()
        untuned, tuned = pivot.groupby("dataset").mean().mean()
        gain, low, high = interval_over_sets(pivot["score"] - pivot["score_untuned"])
        lines.append({
            "method": method, "labels": "yes" if rows["supervised"].iloc[0] else "no",
            "sets": rows["dataset"].nunique(), "untuned": untuned, "tuned": tuned,
            "gain": gain, "from": low, "to": high, "other features": 100 * _features_changed(rows),
        })  # fmt: skip
    columns = [
        "method",
        "labels",
        "sets",
        "untuned",
        "tuned",
        "gain",
        "from",
        "to",
        "other features",
    ]
    table = pd.DataFrame(lines, columns=columns)
    return table.sort_values(["labels", "gain"], ascending=False, ignore_index=True).round(1)


def _features_changed(both: pd.DataFrame) -> float:
    """The share of the trials and sizes whose features are others in the second setting."""
    pairs = zip(both["selected"], both["selected_untuned"], strict=True)
    return float(np.mean([set(tuned) != set(untuned) for tuned, untuned in pairs]))


def markdown(table: pd.DataFrame) -> str:
    """A table for a page in Markdown; a dash where there is no number."""
    if table.empty:
        return "No results yet."
    head = "| " + " | ".join(map(str, table.columns)) + " |"
    rule = "|" + "---|" * table.shape[1]
    cells = [_texts(column) for _, column in table.items()]
    rows = ["| " + " | ".join(row) + " |" for row in zip(*cells, strict=True)]
    return "\n".join([head, rule, *rows])


def _texts(column: pd.Series) -> list[str]:
    """The values as text; a column of tenths has them everywhere: 9.0 below 8.5."""
    form = ".1f" if _in_tenths(column) else "g"
    return [_text(value, form) for value in column]


def _in_tenths(column: pd.Series) -> bool:
    if not pd.api.types.is_float_dtype(column):
        return False
    known = column.dropna()
    return bool((known == known.round(1)).all() and (known != known.round()).any())


def _text(value: object, form: str) -> str:
    if isinstance(value, float):
        return "-" if pd.isna(value) else f"{value + 0.0:{form}}"  # -0 is 0
    return str(value)


def cost_table(table: pd.DataFrame, slopes: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Table 1: stated costs beside the time that was measured and how it grows."""
    slopes = {} if slopes is None else slopes
    measured = table[~table["dataset"].str.endswith(" (log)")]
    seconds = measured.groupby(["method", "dataset"])["cpu_seconds"].max().unstack()
    lines = [
        {
            "method": entry.key,
            "kind": entry.kind,
            "class": "supervised" if entry.supervised else "unsupervised",
            "cost in the paper": entry.paper_cost or "-",
            "cost here": entry.cost,
            "measured exponent of n": slopes.get(entry.key, np.nan),
            **{f"s on {name}": seconds.loc[entry.key, name] for name in seconds.columns},
        }
        for entry in catalogue()
        if entry.key in seconds.index
    ]
    return pd.DataFrame(lines).dropna(axis=1, how="all")


def shown_table_3(table: pd.DataFrame) -> pd.DataFrame:
    """Ours and the paper's side by side, in words."""
    order = ["dataset", "method", "size", "paper_size", "accuracy", "paper_accuracy", "difference",
             "best_size", "paper_best_size", "best_accuracy", "paper_best_accuracy",
             "best_difference"]  # fmt: skip
    shown = table[order].round(dict.fromkeys(order[2:], 1))
    return shown.rename(columns=TABLE_3_NAMES)


def progress(
    folder: str | Path, frame: pd.DataFrame, without: Collection[str] = ()
) -> pd.DataFrame:
    """How far every data set of the plan has come: splits done of those planned, and what fell."""
    rows = frame[(frame["status"] == DONE) & ~frame["method"].isin(without)]
    lines = []
    for _, row in status(PackedStore(folder), without).iterrows():
        mine = rows[(rows["dataset"] == row["dataset"]) & (rows["setting"] == row["setting"])]
        splits = mine.groupby("method")["split"].nunique()
        lines.append({
            "data set": row["dataset"], "setting": row["setting"], "methods": len(splits),
            "splits done": range_of(splits), "splits planned": row["splits"],
            "trials done": row["done"], "skipped": row["skipped"], "failed": row["failed"],
            "left": row["left"],
        })  # fmt: skip
    return pd.DataFrame(lines)


def range_of(counts: pd.Series) -> str:
    """Number of splits of the methods: "20", or "5 to 20" where slow ones got fewer."""
    if counts.empty:
        return "0"
    low, high = counts.min(), counts.max()
    return str(high) if low == high else f"{low} to {high}"
