"""Tables made of the store's rows: means over the splits, ranks, stability."""

from __future__ import annotations

import numpy as np
import pandas as pd

from inffs.comparison.statistics import fair_means, interval_over_sets, kuncheva, ranks
from inffs.comparison.trial import DONE
from inffs.cuts.stability import nogueira
from inffs.evaluation.estimates import interval_of_mean, interval_of_proportion

KEYS = ["dataset", "setting", "method", "asked"]
MEASURES = {
    "mean_average_precision": "mean average precision", "r2": "R2", "concordance": "concordance",
}  # fmt: skip
GUESSED = {"R2": 0.0, "concordance": 0.5}  # by who knows nothing


def finished(frame: pd.DataFrame, setting: str = "paper") -> pd.DataFrame:
    """Rows with a result; ``quality`` is the ``measure`` of the kind of target."""
    rows = frame[(frame["status"] == DONE) & (frame["setting"] == setting)].copy()
    rows["quality"], rows["measure"] = rows["accuracy"], "accuracy"
    for column, words in MEASURES.items():
        if column in rows:
            has = rows[column].notna()
            rows.loc[has, "quality"], rows.loc[has, "measure"] = rows.loc[has, column], words
    return rows


def means(frame: pd.DataFrame, setting: str = "paper") -> pd.DataFrame:
    """One line for each data set, method and size: accuracy with interval, cost, stability."""
    return lines_of(finished(frame, setting))


def lines_of(rows: pd.DataFrame) -> pd.DataFrame:
    """One line for each data set, setting, method and size of finished rows."""
    seconds = rows["cpu_seconds"].fillna(rows["fit_seconds"])
    rows = rows.assign(cpu_seconds=seconds, features=rows["features"].astype(np.int64))
    groups = rows.groupby(KEYS, sort=True)
    same = rows.drop_duplicates(KEYS).set_index(KEYS)[["challenge", "supervised", "kind",
                                                       "features", "measure"]]  # fmt: skip
    lines = pd.concat([
        groups.agg(splits=("split", "nunique")),
        groups[["n_features", "balanced_accuracy"]].mean(),
        groups[["fit_seconds", "cpu_seconds", "tune_seconds", "peak_mib"]].median(),
    ], axis=1).join(same)  # fmt: skip
    found = [_over_splits(group) for _, group in groups]
    estimated = ["quality", "low", "high", "nogueira", "kuncheva"]
    lines[estimated] = pd.DataFrame(found, index=lines.index, columns=estimated)
    lines[estimated[:3]] = lines[estimated[:3]].add(_lacking_splits(rows), axis=0)
    columns = [*KEYS, "challenge", "supervised", "kind", "features", "splits", "n_features",
               "measure", "quality", "low", "high", "balanced_accuracy", "fit_seconds",
               "cpu_seconds", "tune_seconds", "peak_mib", "nogueira", "kuncheva"]  # fmt: skip
    return lines.reset_index()[columns]


def _lacking_splits(rows: pd.DataFrame) -> pd.Series:
    """What the means of methods that lack some splits are to be raised by, in order of KEYS."""
    found = {}
    for (dataset, setting, asked), group in rows.groupby(["dataset", "setting", "asked"]):
        wide = group.pivot_table(index="split", columns="method", values="quality", dropna=False)
        for method, raised in (fair_means(wide) - wide.mean()).items():
            found[dataset, setting, method, asked] = raised
    index = pd.MultiIndex.from_tuples(list(found), names=KEYS)
    return pd.Series(list(found.values()), index, dtype=float)


def _over_splits(group: pd.DataFrame) -> tuple[float, ...]:
    """Mean quality with its interval, and two measures of stability."""
    n = int(group["features"].iloc[0])
    picked = [each for each in group["selected"] if len(each)]
    return (*_interval(group), nogueira(picked, n), kuncheva(picked, n))


def measure_of(table: pd.DataFrame) -> str:
    """What quality is in these rows; "quality" where it is several things."""
    found = table["measure"].unique()
    return str(found[0]) if len(found) == 1 else "quality"


def plain_measure(table: pd.DataFrame) -> str:
    """The measure of numbers or survival times where these rows are about nothing else."""
    found = measure_of(table)
    return found if found in GUESSED else "accuracy"


def _interval(group: pd.DataFrame) -> tuple[float, float, float]:
    """Mean and interval over the splits: a share of samples, or a number that may be negative."""
    if group["measure"].iloc[0] in GUESSED:
        return interval_of_mean(group["quality"])
    return interval_of_proportion(group["quality"], int(group["samples"].iloc[0]))


def grid(table: pd.DataFrame, asked: str, datasets: list[str] | None = None) -> pd.DataFrame:
    """Quality at one size, data sets in rows, methods in columns; only methods that have all."""
    mine = table[table["asked"] == asked]
    pivot = mine.pivot_table(index="dataset", columns="method", values="quality")
    pivot = pivot.reindex(datasets) if datasets is not None else pivot
    return pivot.dropna(axis=1)


def incomplete(table: pd.DataFrame, asked: str, datasets: list[str]) -> dict[str, list[str]]:
    """Methods that lack a result on some of the data sets, with those data sets."""
    mine = table[(table["asked"] == asked) & table["dataset"].isin(datasets)]
    pivot = mine.pivot_table(index="method", columns="dataset", values="quality")
    pivot = pivot.reindex(columns=datasets)
    gaps = {str(name): [d for d in datasets if pd.isna(row[d])] for name, row in pivot.iterrows()}
    return {name: missing for name, missing in gaps.items() if missing}


def curves(table: pd.DataFrame, datasets: list[str], sizes: list[str]) -> pd.DataFrame:
    """Quality averaged over data sets, methods in rows, sizes in columns."""
    return pd.DataFrame({size: grid(table, size, datasets).mean() for size in sizes})


def average_ranks(
    table: pd.DataFrame, datasets: list[str], sizes: list[str], methods: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean and variance over data sets of each method's place, methods in rows."""
    mean, variance = {}, {}
    for size in sizes:
        scores = grid(table, size, datasets)
        places = ranks(scores[[name for name in methods if name in scores]])
        mean[size], variance[size] = places.mean(), places.var(ddof=0)
    return pd.DataFrame(mean), pd.DataFrame(variance)


def best_sizes(table: pd.DataFrame) -> pd.DataFrame:
    """Each method's best size on each data set; fewer features among equals."""
    rows = table[table["asked"] != "auto"].sort_values(
        ["quality", "n_features"], ascending=[False, True], kind="stable"
    )
    return rows.drop_duplicates(["dataset", "method"])


def tuned_gain(frame: pd.DataFrame) -> pd.DataFrame:
    """Each method in both settings on the data sets, splits and sizes that both have, in percent.

    ``gain`` is tuned minus untuned with its interval, ``other picks`` how often the choice changed
    anything. Methods may have different data sets, so only the two columns of one line compare.
    """
    key = ["dataset", "split", "asked", "method"]
    both = finished(frame, "tuned").merge(finished(frame), on=key, suffixes=("", "_untuned"))
    both = both[~both["asked"].isin(["auto", "all"])]
    lines = []
    for method, rows in both.groupby("method"):
        pivot = 100 * rows.groupby(["dataset", "split"])[["quality_untuned", "quality"]].mean()
        untuned, tuned = pivot.groupby("dataset").mean().mean()
        gain, low, high = interval_over_sets(pivot["quality"] - pivot["quality_untuned"])
        lines.append({
            "method": method, "labels": "yes" if rows["supervised"].iloc[0] else "no",
            "sets": rows["dataset"].nunique(), "untuned": untuned, "tuned": tuned,
            "gain": gain, "from": low, "to": high, "other picks": 100 * _picks_changed(rows),
        })  # fmt: skip
    columns = ["method", "labels", "sets", "untuned", "tuned", "gain", "from", "to", "other picks"]
    table = pd.DataFrame(lines, columns=columns)
    return table.sort_values(["labels", "gain"], ascending=False, ignore_index=True).round(1)


def _picks_changed(both: pd.DataFrame) -> float:
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
