"""Tables of the page: the paper's Table 3, third-party methods, how times grow."""

from __future__ import annotations

import numpy as np
import pandas as pd

from inffs.comparison import figures, summary
from inffs.comparison.dataset import plain_name
from inffs.comparison.statistics import friedman, holm_wilcoxon
from reproduction.paper import MICROARRAY, NIPS, TABLE_3


def table_3(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's Table 3 beside ours: automatic subset and best fixed size, per method."""
    lines = []
    for dataset in table["dataset"].unique():
        for method in ("lasso-unhinged", "lasso-hinge", "inf-fs-u", "inf-fs-s"):
            mine = table[(table["dataset"] == dataset) & (table["method"] == method)]
            auto, fixed = mine[mine["asked"] == "auto"], mine[mine["asked"] != "auto"]
            if auto.empty or fixed.empty:
                continue
            best = fixed.loc[fixed["quality"].idxmax()]
            theirs = TABLE_3.get((plain_name(dataset), method), (np.nan,) * 4)
            lines.append(
                {
                    "dataset": dataset,
                    "method": method,
                    "size": auto["n_features"].iloc[0],
                    "accuracy": 100 * auto["quality"].iloc[0],
                    "best_size": best["n_features"],
                    "best_accuracy": 100 * best["quality"],
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
    means = 100 * fixed.pivot_table(index="method", columns="dataset", values="quality")
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
    for asked in figures.fixed_sizes(table, ("microarray", "nips")):
        sets = figures.comparable(table, MICROARRAY + NIPS)
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
