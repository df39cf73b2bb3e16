"""One method among all others: ranks, differences and their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_1samp

from inffs.comparison import summary
from inffs.comparison.summary import fair_means
from inffs.evaluation.estimates import interval_of_mean
from reproduction.datasets import known, plain_name
from reproduction.statistics import critical_difference, interval_over_sets, ranks
from reproduction.third_party import THIRD_PARTY

NEAREST = 5
FEWEST = 5  # splits that a place requires
MOST = 0.75  # of the methods: on a set that fewer finish, most would lose their place
_SETS = ("dataset", "split")


def over_sizes(rows: pd.DataFrame) -> pd.DataFrame:
    """Quality in percent, mean over the fixed sizes: (data set, split) in rows, methods in columns.

    Rows are finished ones of one evaluator; baselines, side studies of one set and sets with fewer
    than five splits are left out.
    """
    return _wide(rows[_splits(rows) >= FEWEST])


def _splits(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby("dataset")["split"].transform("nunique")


def _wide(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows[~rows["asked"].isin(["auto", "all"]) & (rows["kind"] != "baseline")]
    rows = rows[~rows["dataset"].str.endswith("(log)")]
    return 100 * rows.pivot_table(index=list(_SETS), columns="method", values="score")


def ranked(quality: pd.DataFrame) -> pd.DataFrame:
    """The sets that the ranks use: three quarters of the methods have five splits of them."""
    own = quality.drop(columns=third_party_methods(quality))
    finish = (own.groupby("dataset").count() >= FEWEST).mean(axis=1)
    return quality[quality.index.get_level_values("dataset").isin(finish.index[finish >= MOST])]


def outside_ranks(rows: pd.DataFrame, method: str, reference: str) -> pd.DataFrame:
    """The place of the method on the sets that the ranks leave out."""
    in_ranks = ranked(over_sizes(rows)).index.get_level_values("dataset")
    return set_by_set(_wide(rows[~rows["dataset"].isin(in_ranks)]), method, reference)


def set_by_set(quality: pd.DataFrame, method: str, reference: str) -> pd.DataFrame:
    """The place of the method on each data set, and its lead over the reference method."""
    lines = []
    for dataset, each in quality.groupby("dataset"):
        means = fair_means(each.dropna(axis=1, how="all")).sort_values(ascending=False)
        if not {method, reference} <= set(means.index):
            continue
        other = means.drop(method).index[0]
        ahead = (each[method] - each[reference]).dropna()
        lines.append({
            "data set": dataset, "splits": len(each), "methods": len(means),
            "place": list(means.index).index(method) + 1, "score": means[method],
            "best other": other, "its score": means[other], f"minus {reference}": ahead.mean(),
            "ahead on splits": int((ahead > 0).sum()),
        })  # fmt: skip
    return pd.DataFrame(lines).round(1)


def places(quality: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """Average rank and mean quality of the methods that have every set, and Nemenyi's distance."""
    means = pd.DataFrame({name: _means(each) for name, each in quality.groupby("dataset")})
    means = means.T.dropna(axis=1)
    found = ranks(means)
    table = pd.DataFrame({
        "average rank": found.mean().round(1), "mean score": means.mean().round(1),
        "sets first": (found == 1).sum(),
    })  # fmt: skip
    table = table.rename_axis("method").sort_values("average rank", kind="stable").reset_index()
    return table, critical_difference(means.shape[1], means.shape[0])


def without_place(quality: pd.DataFrame, table: pd.DataFrame) -> str:
    """A sentence that names the methods which miss a set and so have no place; "" if none does.

    A third-party method that has half of the sets or fewer is not named.
    """
    sets = quality.groupby("dataset").count() >= FEWEST
    rarely = {name for name in third_party_methods(quality) if sets[name].mean() <= 0.5}
    left = sorted(set(quality.columns) - set(table["method"]) - rarely)
    if not left:
        return ""
    return f"Without results on some of these sets, and so without a rank: {', '.join(left)}."


def _means(quality: pd.DataFrame) -> pd.Series:
    """Means over the splits of a data set; none with fewer than five."""
    return fair_means(quality.loc[:, quality.count() >= FEWEST])


def against(quality: pd.DataFrame, method: str, rivals: list[str]) -> pd.DataFrame:
    """The method minus each rival in points, split by split, with the interval over the sets.

    Rivals that share five splits of no set with the method have no line.
    """
    lines = []
    for rival in rivals:
        if (difference := _paired(quality, method, rival)).empty:
            continue
        mean, low, high = interval_over_sets(difference)
        better, worse = clear_sets(difference)
        lines.append({
            "rival": rival, "difference": mean, "from": low, "to": high,
            "sets": difference.index.get_level_values("dataset").nunique(),
            "clearly better on": better, "clearly worse on": worse,
        })  # fmt: skip
    return pd.DataFrame(lines).round(1)


def _paired(quality: pd.DataFrame, method: str, rival: str) -> pd.Series:
    """The method minus the rival on the sets of which both have five splits."""
    difference = (quality[method] - quality[rival]).dropna()
    return difference[difference.groupby("dataset").transform("size") >= FEWEST]


def third_party_methods(quality: pd.DataFrame) -> list[str]:
    """The selectors of other packages in these results."""
    return [name for name in THIRD_PARTY if name in quality]


def with_tuned(quality: pd.DataFrame, tuned: pd.DataFrame, method: str) -> pd.DataFrame:
    """Rivals with chosen parameters beside a method that has none to choose.

    Both settings have the same splits, so they pair; ``tuned`` holds rows of the second setting.
    """
    return over_sizes(tuned).drop(columns=method, errors="ignore").join(quality[method])


def clear_sets(difference: pd.Series) -> tuple[int, int]:
    """On how many data sets the interval of a difference lies above zero, and below."""
    found = [interval_of_mean(each) for _, each in difference.groupby("dataset")]
    return sum(low > 0 for _, low, _ in found), sum(high < 0 for _, _, high in found)


def nearest(quality: pd.DataFrame, method: str, count: int = NEAREST) -> list[str]:
    """The rivals with the best average ranks."""
    table, _ = places(ranked(quality))
    return [name for name in table["method"] if name != method][:count]


def by_size(rows: pd.DataFrame, method: str, rivals: list[str]) -> pd.DataFrame:
    """The difference at each size that is asked for on more than one set; shares come last."""
    sizes = set(rows["asked"]) - {"auto", "all"}
    order = sorted(sizes, key=lambda size: (size.endswith("%"), float(size.rstrip("%"))))
    found = {size: over_sizes(rows[rows["asked"] == size]) for size in order}
    lines = [
        {"size": size, "sets": sets, **_differences(quality, method, rivals)}
        for size, quality in found.items()
        if (sets := quality.groupby("dataset").ngroups) > 1
    ]
    return pd.DataFrame(lines).round(1)


def by_classes(
    quality: pd.DataFrame, method: str, rivals: list[str], classes: dict[str, int] | None = None
) -> pd.DataFrame:
    """The difference on sets of two classes and on sets of more; by default those we know."""
    classes = classes or {entry.name: entry.classes for entry in known()}
    names = quality.index.get_level_values("dataset")
    many = np.array([classes.get(plain_name(name), 2) > 2 for name in names])
    groups = {"two": quality[~many], "more": quality[many]}
    return pd.DataFrame([
        {"classes": title, "sets": part.groupby("dataset").ngroups,
         **_differences(part, method, rivals)}
        for title, part in groups.items() if len(part)
    ]).round(1)  # fmt: skip


def _differences(quality: pd.DataFrame, method: str, rivals: list[str]) -> dict[str, float]:
    have = [name for name in rivals if name in quality and method in quality]
    return {name: interval_over_sets(_paired(quality, method, name))[0] for name in have}


def price(rows: pd.DataFrame, method: str, rivals: list[str], asked: str = "50") -> pd.DataFrame:
    """Stability at one size and the processor time of a fit, as multiples of the method's."""
    table = summary.means(rows[rows["asked"] == asked])
    mine = table[table["method"].isin([method, *rivals])]
    seconds = mine.pivot_table(index="dataset", columns="method", values="cpu_seconds")
    stable = mine.groupby("method")["nogueira"].mean().round(2)
    ratio = seconds.div(seconds[method], axis=0).median().round(2)
    found = pd.DataFrame({"stability": stable, "times as long": ratio}).rename_axis("method")
    return found.loc[[method, *rivals]].reset_index()


def lead(quality: pd.DataFrame, method: str, rival: str) -> dict[str, Any]:
    """Whether the method is better than the rival on two thirds of the sets, and beyond the noise.

    ``leads`` is true where both hold: its mean is above the rival's on two thirds of the data sets,
    and the interval of the mean difference lies above zero. That interval is of these sets; the
    one for ``sets like these`` (Student's, over the means of the sets) also counts how they differ.
    """
    difference = _paired(quality, method, rival)
    means = difference.groupby("dataset").mean()
    mean, low, high = interval_over_sets(difference)
    better = int((means > 0).sum())
    others = ttest_1samp(means, 0.0).confidence_interval()
    return {
        "sets": len(means), "better on": better, "difference": round(mean, 1),
        "from": round(low, 1), "to": round(high, 1),
        "sets like these": f"{others.low:.1f} to {others.high:.1f}",
        "leads": bool(better >= 2 / 3 * len(means) and low > 0),
    }  # fmt: skip
