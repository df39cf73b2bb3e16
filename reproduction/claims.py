"""The paper's claims, each put to the test on our results. No number here is typed by hand."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.figures import comparable, fixed_sizes
from reproduction import tables
from reproduction.claim import FAILS, HOLDS, OPEN, PARTLY, Finding, compared, our_set, pct
from reproduction.paper import MICROARRAY

NEAR = 0.01  # accuracies that differ by less than a point count as equal


def _value(table: pd.DataFrame, dataset: str, method: str, asked: str) -> float:
    rows = table[
        (table["dataset"] == dataset) & (table["method"] == method) & (table["asked"] == asked)
    ]
    return float(rows["quality"].iloc[0]) if len(rows) else float("nan")


def _first_among(
    table: pd.DataFrame, sets: list[str], method: str, rivals: list[str], sizes: list[str]
) -> Finding:
    """Is the method's mean over the sets the best of its class at every size?"""
    if not sets or not sizes:
        return Finding(OPEN, "no results")
    everyone = summary.curves(table[table["kind"] != "baseline"], sets, sizes).dropna()
    curves = everyone.loc[[name for name in rivals if name in everyone.index]]
    if method not in curves.index or len(curves) < 3:
        return Finding(OPEN, "too few methods have finished on all of these sets")
    places = curves.rank(ascending=False, method="min").loc[method].astype(int)
    gap = curves.max() - curves.loc[method]
    evidence = "; ".join(
        f"{size}: {pct(curves.loc[method, size])}, place {places[size]} of {len(curves)} "
        f"(best {curves[size].idxmax()} {pct(curves[size].max())})"
        for size in sizes
    )
    top = everyone.mean(axis=1)
    evidence += f"; of all {len(top)} methods here {top.idxmax()} is best on average"
    if (places == 1).all():
        return Finding(HOLDS, evidence)
    partly = (places == 1).any() or (gap <= NEAR).all()
    return Finding(PARTLY if partly else FAILS, evidence)


def unsupervised_microarray(table: pd.DataFrame) -> Finding:
    """Is Inf-FS_U first among the unsupervised methods at every size?"""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    found = _first_among(table, sets, "inf-fs-u", compared(table, False), sizes)
    if found.verdict != OPEN and (table["method"] == "variance").any():
        plain = summary.curves(table[table["method"] == "variance"], sets, sizes).loc["variance"]
        evidence = ", ".join(f"{size}: {pct(plain[size])}" for size in sizes)
        found = Finding(found.verdict, f"{found.evidence}; beside it plain variance: {evidence}")
    return found


def supervised_microarray(table: pd.DataFrame) -> Finding:
    """Is Inf-FS_S first among the supervised methods at every size?"""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    return _first_among(table, sets, "inf-fs-s", compared(table, True), sizes)


def knee(table: pd.DataFrame) -> Finding:
    """Do the first features bring more than the later ones, and the last step nothing?"""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    if not sets or len(sizes) < 5:
        return Finding(OPEN, "no results")
    mean = summary.curves(table, sets, sizes).drop(["random"], errors="ignore").mean()
    early, late = mean.iloc[1] - mean.iloc[0], mean.iloc[-1] - mean.iloc[1]
    last = mean.iloc[-1] - mean.iloc[-2]
    evidence = (
        f"mean over all methods: {', '.join(f'{s}: {pct(mean[s])}' for s in sizes)}; "
        f"{sizes[0]} to {sizes[1]} gains {pct(early)} points, {sizes[1]} to {sizes[-1]} "
        f"{pct(late)}, the last step {pct(last)}"
    )
    good = (early > late, abs(last) < 0.005)
    return Finding(HOLDS if all(good) else PARTLY if any(good) else FAILS, evidence)


def labels_help(table: pd.DataFrame) -> Finding:
    """Supervised above unsupervised on the mean, equal on colon, leukemia and lung."""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    differences = {
        name: float(
            pd.Series(
                [_value(table, name, "inf-fs-s", s) - _value(table, name, "inf-fs-u", s)
                 for s in sizes]
            ).mean()
        )
        for name in sets
    }  # fmt: skip
    if not differences or any(pd.isna(each) for each in differences.values()):
        return Finding(OPEN, "both forms must have finished on the microarray sets")
    mean = sum(differences.values()) / len(differences)
    evidence = f"mean difference {pct(mean)} points; " + ", ".join(
        f"{name} {100 * each:+z.1f}" for name, each in differences.items()
    )
    alike = [abs(differences[name]) <= 0.02 for name in ("colon", "leukemia", "lung")
             if name in differences]  # fmt: skip
    good = (mean > 0, all(alike))
    return Finding(HOLDS if all(good) else PARTLY if any(good) else FAILS, evidence)


def supervised_wins(name: str) -> Callable[[pd.DataFrame], Finding]:
    """Is Inf-FS_S above Inf-FS_U at every size of this set?"""

    def check(table: pd.DataFrame) -> Finding:
        ours = our_set(table, name)
        pairs = _pairs(table, ours)
        if not pairs:
            return Finding(OPEN, f"no results on {name}")
        wins = [s > u for _, u, s in pairs]
        verdict = HOLDS if all(wins) else PARTLY if any(wins) else FAILS
        return Finding(verdict, _tell_pairs(ours, pairs))

    return check


def _pairs(table: pd.DataFrame, dataset: str) -> list[tuple[str, float, float]]:
    mine = table[table["dataset"] == dataset]
    sizes = fixed_sizes(mine, tuple(mine["challenge"].unique()))
    found = [
        (s, _value(table, dataset, "inf-fs-u", s), _value(table, dataset, "inf-fs-s", s))
        for s in sizes
    ]
    return [each for each in found if not pd.isna(each[1]) and not pd.isna(each[2])]


def _tell_pairs(dataset: str, pairs: list[tuple[str, float, float]]) -> str:
    evidence = ", ".join(f"{size}: {pct(u)} / {pct(s)}" for size, u, s in pairs)
    return f"{dataset}, Inf-FS_U / Inf-FS_S: {evidence}"


def madelon(table: pd.DataFrame) -> Finding:
    """Is Inf-FS_U ahead at the smallest size, and are both alike at the others?"""
    pairs = _pairs(table, our_set(table, "madelon"))
    if not pairs:
        return Finding(OPEN, "no results on madelon")
    first = pairs[0][1] > pairs[0][2]
    rest = all(abs(u - s) <= 0.02 for _, u, s in pairs[1:])
    verdict = HOLDS if first and rest else PARTLY if first or rest else FAILS
    return Finding(verdict, _tell_pairs("madelon", pairs))


def best_at(name: str, asked: str) -> Callable[[pd.DataFrame], Finding]:
    """Is Inf-FS_S first among the supervised methods of this set at this size?"""

    def check(table: pd.DataFrame) -> Finding:
        ours = our_set(table, name)
        if not ours:
            return Finding(OPEN, f"no results on {name}")
        return _first_among(table, [ours], "inf-fs-s", compared(table, True), [asked])

    return check


def gina_like_its_parts(table: pd.DataFrame) -> Finding:
    """Is Inf-FS_S within one point of mutual information and Fisher on gina?"""
    ours = our_set(table, "gina")
    values = {name: _value(table, ours, name, "10") for name in ("inf-fs-s", "mi", "fisher")}
    if any(pd.isna(each) for each in values.values()):
        return Finding(OPEN, "no results on gina")
    evidence = f"{ours}, 10 features: " + ", ".join(f"{k} {pct(v)}" for k, v in values.items())
    near = [abs(values["inf-fs-s"] - values[name]) <= 0.01 for name in ("mi", "fisher")]
    return Finding(HOLDS if all(near) else PARTLY if any(near) else FAILS, evidence)


def dexter_supervised(table: pd.DataFrame) -> Finding:
    """Is Inf-FS_S first among the supervised methods above 10 features?"""
    ours = our_set(table, "dexter")
    if not ours:
        return Finding(OPEN, "no results on dexter")
    sizes = [size for size in fixed_sizes(table[table["dataset"] == ours], "nips") if size != "10"]
    return _first_among(table, [ours], "inf-fs-s", compared(table, True), sizes)


def dexter_unsupervised(table: pd.DataFrame) -> Finding:
    """Is Inf-FS_U first among the unsupervised methods at every size?"""
    ours = our_set(table, "dexter")
    if not ours:
        return Finding(OPEN, "no results on dexter")
    sizes = fixed_sizes(table[table["dataset"] == ours], "nips")
    return _first_among(table, [ours], "inf-fs-u", compared(table, False), sizes)


def caltech_band(table: pd.DataFrame) -> Finding:
    """Are both forms near the best of all methods at every size?"""
    ours = our_set(table, "caltech101")
    mine = table[(table["dataset"] == ours) & (table["kind"] != "baseline")]
    sizes = fixed_sizes(mine, "cnn")
    curves = summary.curves(mine, [ours], sizes).dropna() if ours else pd.DataFrame()
    if not {"inf-fs-u", "inf-fs-s"} <= set(curves.index):
        return Finding(OPEN, "no results on caltech101")
    forms = curves.loc[["inf-fs-u", "inf-fs-s"]]
    near = curves.max() - forms <= NEAR
    each = "; ".join(
        f"{size}: {pct(curves[size].min())} to {pct(curves[size].max())}, Inf-FS_U "
        f"{pct(forms[size].iloc[0])}, Inf-FS_S {pct(forms[size].iloc[1])}"
        for size in sizes
    )
    verdict = HOLDS if near.all(axis=None) else PARTLY if near.any(axis=None) else FAILS
    return Finding(verdict, f"{ours}, {len(curves)} methods; {each}")


def voc(table: pd.DataFrame) -> Finding:
    """Inf-FS_S at or above ECFS, Inf-FS_U among the first three, on the mean over the sizes."""
    ours = our_set(table, "voc2007")
    mine = table[table["dataset"] == ours]
    sizes = fixed_sizes(mine, "cnn")
    curves = summary.curves(mine, [ours], sizes).dropna().mean(axis=1) if ours else pd.Series()
    if not {"inf-fs-u", "inf-fs-s", "ecfs"} <= set(curves.index):
        return Finding(OPEN, "no results on voc2007")
    unsupervised = curves[curves.index.intersection(compared(mine, False))]
    place = int(unsupervised.rank(ascending=False, method="min")["inf-fs-u"])
    evidence = (
        f"{ours}, mean average precision over the sizes: Inf-FS_S {pct(curves['inf-fs-s'])}, ECFS "
        f"{pct(curves['ecfs'])}; Inf-FS_U {pct(curves['inf-fs-u'])}, place {place} of "
        f"{len(unsupervised)} (best {unsupervised.idxmax()} {pct(unsupervised.max())})"
    )
    good = (curves["inf-fs-s"] >= curves["ecfs"], place <= 3)
    return Finding(HOLDS if all(good) else PARTLY if any(good) else FAILS, evidence)


def part_beats_whole(table: pd.DataFrame) -> Finding:
    """Is a part of the CNN features better than all of them, for both forms of Inf-FS?"""
    evidence, wins = [], []
    inf_fs = table[table["method"].isin(["inf-fs-u", "inf-fs-s"])]
    for (dataset, method), rows in inf_fs.groupby(["dataset", "method"]):
        share = rows["n_features"] / rows["features"]
        whole = rows.loc[share == 1.0, "quality"]
        if whole.empty:
            continue
        best = rows["quality"].idxmax()
        middle = rows.loc[share.between(0.25, 0.45), "quality"].mean()
        wins += [rows.loc[best, "quality"] > whole.iloc[0], middle > whole.iloc[0]]
        evidence.append(
            f"{dataset}, {method}: best {pct(rows.loc[best, 'quality'])} with "
            f"{100 * share[best]:.1f} % of the features, 25 to 45 % on average {pct(middle)}, all "
            f"{pct(whole.iloc[0])}"
        )
    if not wins:
        return Finding(OPEN, "the study from few to all features has not run yet")
    return Finding(HOLDS if all(wins) else PARTLY if any(wins) else FAILS, "; ".join(evidence))


def gina_needs_labels(table: pd.DataFrame) -> Finding:
    """Is every supervised method above every unsupervised one at 10 features?"""
    ours = our_set(table, "gina")
    mine = table[(table["dataset"] == ours) & (table["asked"] == "10")]
    mine = mine[mine["method"].isin(compared(table, True) + compared(table, False))]
    means = mine.groupby("supervised")["quality"].agg(["mean", "max", "min"])
    if len(means) < 2:
        return Finding(OPEN, "no results on gina")
    evidence = "; ".join(
        f"{'supervised' if kind else 'unsupervised'} methods {pct(row['min'])} to "
        f"{pct(row['max'])}, mean {pct(row['mean'])}"
        for kind, row in means.iterrows()
    )
    higher = means.loc[True, "mean"] > means.loc[False, "mean"]
    apart = means.loc[True, "min"] > means.loc[False, "max"]
    return Finding(
        HOLDS if apart else PARTLY if higher else FAILS, f"{ours}, 10 features: {evidence}"
    )


def cubic(table: pd.DataFrame) -> Finding:
    """Table 1 gives O(n^3) for Inf-FS; the measured growth must not be above it."""
    slopes = tables.growth(table)
    if "inf-fs-u" not in slopes:
        return Finding(OPEN, "the growth of the time has not been measured yet")
    n = table["features"]
    evidence = ", ".join(f"{key} n^{slopes[key]:.2f}" for key in ("inf-fs-u", "inf-fs-s"))
    slowest = slopes.sort_values(ascending=False).head(3)
    evidence += f" between {n.min()} and {n.max()} features; steepest of all: " + ", ".join(
        f"{key} n^{value:.2f}" for key, value in slowest.items()
    )
    return Finding(HOLDS if slopes["inf-fs-u"] <= 3 else FAILS, evidence)
