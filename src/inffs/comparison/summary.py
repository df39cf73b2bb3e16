"""Tables of the results: means over the splits with intervals, and the stability of selections."""

from __future__ import annotations

import numpy as np
import pandas as pd

from inffs.comparison.trial import DONE
from inffs.cuts.stability import nogueira
from inffs.evaluation.estimates import interval_of_mean, interval_of_proportion
from inffs.evaluation.metrics import NAMES

KEYS = ["dataset", "setting", "method", "asked"]
MEASURES = {name: NAMES[name] for name in ("mean_average_precision", "r2", "concordance")}
NO_INFORMATION = {NAMES["r2"]: 0.0, NAMES["concordance"]: 0.5}  # scores without any feature


def finished(frame: pd.DataFrame, setting: str = "paper") -> pd.DataFrame:
    """Return the rows with a result; ``score`` is the ``measure`` of the target type."""
    rows = frame[(frame["status"] == DONE) & (frame["setting"] == setting)].copy()
    rows["score"], rows["measure"] = rows["accuracy"], "accuracy"
    for column, words in MEASURES.items():
        if column in rows:
            has = rows[column].notna()
            rows.loc[has, "score"], rows.loc[has, "measure"] = rows.loc[has, column], words
    return rows


def means(frame: pd.DataFrame, setting: str = "paper") -> pd.DataFrame:
    """Return a line for each data set, method and size: score with interval, cost, stability."""
    return lines_of(finished(frame, setting))


def lines_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each data set, setting, method and size of finished rows."""
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
    estimated = ["score", "low", "high", "nogueira"]
    lines[estimated] = pd.DataFrame(found, index=lines.index, columns=estimated)
    lines[estimated[:3]] = lines[estimated[:3]].add(_lacking_splits(rows), axis=0)
    columns = [*KEYS, "challenge", "supervised", "kind", "features", "splits", "n_features",
               "measure", "score", "low", "high", "balanced_accuracy", "fit_seconds",
               "cpu_seconds", "tune_seconds", "peak_mib", "nogueira"]  # fmt: skip
    return lines.reset_index()[columns]


def _lacking_splits(rows: pd.DataFrame) -> pd.Series:
    """What to add to the means of methods that lack some splits, in the order of KEYS."""
    found = {}
    for (dataset, setting, asked), group in rows.groupby(["dataset", "setting", "asked"]):
        wide = group.pivot_table(index="split", columns="method", values="score", dropna=False)
        for method, raised in (fair_means(wide) - wide.mean()).items():
            found[dataset, setting, method, asked] = raised
    index = pd.MultiIndex.from_tuples(list(found), names=KEYS)
    return pd.Series(list(found.values()), index, dtype=float)


def _over_splits(group: pd.DataFrame) -> tuple[float, ...]:
    """Mean score with its interval, and the stability of the selection."""
    first = group.iloc[0]
    if first["measure"] in NO_INFORMATION:
        interval = interval_of_mean(group["score"])
    else:
        interval = interval_of_proportion(group["score"], int(first["samples"]))
    selected = [each for each in group["selected"] if len(each)]
    return (*interval, nogueira(selected, int(first["features"])))


def measure_of(table: pd.DataFrame) -> str:
    """Return the measure of these rows; "score" where there are several."""
    found = table["measure"].unique()
    return str(found[0]) if len(found) == 1 else "score"


def plain_measure(table: pd.DataFrame) -> str:
    """Return R2 or the concordance index if these rows have no other measure, else accuracy."""
    found = measure_of(table)
    return found if found in NO_INFORMATION else "accuracy"


def grid(table: pd.DataFrame, asked: str, datasets: list[str] | None = None) -> pd.DataFrame:
    """Return the scores at one size, data sets x methods; only methods that have all."""
    mine = table[table["asked"] == asked]
    pivot = mine.pivot_table(index="dataset", columns="method", values="score")
    pivot = pivot.reindex(datasets) if datasets is not None else pivot
    return pivot.dropna(axis=1)


def curves(table: pd.DataFrame, datasets: list[str], sizes: list[str]) -> pd.DataFrame:
    """Return the scores averaged over data sets, methods x sizes."""
    return pd.DataFrame({size: grid(table, size, datasets).mean() for size in sizes})


def best_sizes(table: pd.DataFrame) -> pd.DataFrame:
    """Return each method's best size on each data set; fewer features among equals."""
    rows = table[table["asked"] != "auto"].sort_values(
        ["score", "n_features"], ascending=[False, True], kind="stable"
    )
    return rows.drop_duplicates(["dataset", "method"])


def fair_means(scores: pd.DataFrame) -> pd.Series:
    """Return the mean of every method (columns) over all splits (rows), also if it lacks some.

    Splits differ in difficulty. The effect of a split is estimated by least squares from
    score = method + split, and removed from the means of the methods that lack a split.
    """
    has, plain = scores.notna(), scores.mean()
    if has.all(axis=None):
        return plain
    own = has.mul(_split_effects(scores), axis=0).sum() / has.sum()
    return plain.where(has.all(), plain - own)


def _split_effects(scores: pd.DataFrame) -> np.ndarray:
    """How much better than usual the methods are on every split; the smallest solution."""
    values, has = scores.to_numpy().T, scores.notna().to_numpy().T
    methods, splits = np.nonzero(has)
    share = has / np.maximum(has.sum(axis=1, keepdims=True), 1)
    design = np.eye(has.shape[1])[splits] - share[methods]
    above = values[has] - np.nansum(share * values, axis=1)[methods]
    return np.linalg.lstsq(design, above, rcond=None)[0]
