"""Why a claim of the paper may not hold here: sentences made of numbers, or plainly guesses.

A reason is a function of the store's finished rows; it returns "" where the rows say nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.dataset import plain_name
from inffs.comparison.figures import comparable, fixed_sizes
from inffs.comparison.protocol import Protocol
from inffs.comparison.statistics import interval_over_sets
from reproduction import datasets, tables
from reproduction.claim import compared
from reproduction.paper import MICROARRAY, TABLE_3

Reason = Callable[[pd.DataFrame, pd.DataFrame], str]


def guess(text: str) -> Reason:
    """What no number here supports."""
    return lambda rows, table: f"A guess, no number here shows it: {text}"


def both(*parts: Reason) -> Reason:
    """Several reasons, one after the other."""
    return lambda rows, table: " ".join(filter(None, (part(rows, table) for part in parts)))


def paired(
    rows: pd.DataFrame, sets: list[str], sizes: list[str], one: str, other: str
) -> tuple[float, float, float]:
    """Mean difference of two methods in points, split by split, and its corrected interval."""
    mine = rows[rows["dataset"].isin(sets) & rows["asked"].isin(sizes)]
    pivot = mine[mine["method"].isin([one, other])].pivot_table(
        index=["dataset", "split"], columns="method", values="quality"
    )
    if one not in pivot or other not in pivot:
        return (float("nan"),) * 3
    return interval_over_sets(100 * (pivot[one] - pivot[other]).dropna())


def against_the_best(sets: tuple[str, ...], supervised: bool) -> Reason:
    """Is the lead of the best of the paper's rivals larger than the noise of the splits?"""

    def reason(rows: pd.DataFrame, table: pd.DataFrame) -> str:
        named, method = comparable(table, sets), "inf-fs-s" if supervised else "inf-fs-u"
        sizes = fixed_sizes(table[table["dataset"].isin(named)], tuple(table["challenge"].unique()))
        mine = table[table["method"].isin(compared(table, supervised))]
        curves = summary.curves(mine, named, sizes).dropna().mean(axis=1)
        if method not in curves or len(curves) < 2:
            return ""
        best = str(curves.drop(method).idxmax())
        mean, low, high = paired(rows, named, sizes, method, best)
        if pd.isna(low):
            return ""
        text = (
            f"{method} minus {best}, split by split: {mean:+.1f} points ({low:+.1f} to {high:+.1f})"
        )
        if low <= 0 <= high:
            return f"{text}: within the noise of the splits, so neither is shown to be better."
        return f"{text}: more than the noise of the splits."

    return reason


def parts_of_inf_fs_s(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """Inf-FS_S against Fisher and MI alone, whose scores it weighs."""
    sets = comparable(table, MICROARRAY)
    sizes = fixed_sizes(table, "microarray")
    curves = summary.curves(table, sets, sizes).mean(axis=1)
    if not {"inf-fs-s", "fisher", "mi"} <= set(curves.index):
        return ""
    training = rows[rows["dataset"].isin(sets)].groupby("dataset")["samples"].first()
    training = ((1 - Protocol.test_size) * training).astype(int)
    return (
        f"Its parts alone reach {100 * curves['fisher']:.1f} (fisher) and {100 * curves['mi']:.1f} "
        f"(mi) on average over the sizes, Inf-FS_S {100 * curves['inf-fs-s']:.1f}: choosing the "
        f"three weights by cross-validation on {training.min()} to {training.max()} samples gains "
        "nothing over its better part."
        if curves["inf-fs-s"] <= max(curves["fisher"], curves["mi"])
        else f"Its parts alone reach {100 * curves['fisher']:.1f} (fisher) and "
        f"{100 * curves['mi']:.1f} (mi), Inf-FS_S {100 * curves['inf-fs-s']:.1f}."
    )


def labels_set_by_set(*names: str) -> Reason:
    """Inf-FS_S minus Inf-FS_U on single data sets, with the noise of the splits."""

    def reason(rows: pd.DataFrame, table: pd.DataFrame) -> str:
        text = []
        for name in comparable(table, names):
            sizes = fixed_sizes(table[table["dataset"] == name], "microarray")
            mean, low, high = paired(rows, [name], sizes, "inf-fs-s", "inf-fs-u")
            if not pd.isna(low):
                same = "may be zero" if low <= 0 <= high else "is not zero"
                text.append(f"{name} {mean:+.1f} ({low:+.1f} to {high:+.1f}, {same})")
        return f"Inf-FS_S minus Inf-FS_U, split by split: {'; '.join(text)}." if text else ""

    return reason


def noise_of_a_set(*names: str) -> Reason:
    """How wide the interval of one mean is, and what one test sample counts."""

    def reason(rows: pd.DataFrame, table: pd.DataFrame) -> str:
        text = []
        for name in comparable(table, names):
            mine = table[(table["dataset"] == name) & (table["method"] == "inf-fs-s")]
            reach = 50 * (mine["high"] - mine["low"]).mean()
            samples = rows.loc[rows["dataset"] == name, "samples"].iloc[0]
            if not pd.isna(reach):
                each = 100 / max(1, round(Protocol.test_size * samples))
                text.append(f"{name} +-{reach:.1f} (one test sample is {each:.1f} points)")
        if not text:
            return ""
        return f"The 95 % interval of a mean of Inf-FS_S is wide: {', '.join(text)}."

    return reason


def our_data(name: str) -> Reason:
    """How our data set differs from the paper's."""

    def reason(rows: pd.DataFrame, table: pd.DataFrame) -> str:
        mine = rows[rows["dataset"].map(plain_name) == name]
        entry = next((each for each in datasets.known() if each.name == name), None)
        if mine.empty or entry is None:
            return ""
        samples, features = mine[["samples", "features"]].iloc[0]
        here, there = f"{samples} x {features}", f"{entry.samples} x {entry.features}"
        size = f"of its size, {here}" if here == there else f"{here} here, {there} there"
        return (
            f"Ours is not the paper's table ({size}; {mine['status_of_data'].iloc[0]}: "
            f"{entry.note}). That this is the reason is a guess."
        )

    return reason


def lassos_mended(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """Our LASSOs and our Inf-FS against the paper's, both at the automatic subset."""
    found = tables.table_3(table)
    if found.empty or found["difference"].notna().sum() == 0:
        return ""
    ours = found["method"].isin(["inf-fs-u", "inf-fs-s"])
    lasso = found[~ours].groupby("method")["difference"].mean()
    text = ", ".join(f"{name} {value:+.1f}" for name, value in lasso.items())
    return (
        f"The rivals are stronger here: automatic subsets, ours minus the paper's, {text} points "
        f"on average, while Inf-FS changes by {found.loc[ours, 'difference'].mean():+.1f}."
    )


def lasso_optimum(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """A LASSO solved to its optimum keeps no more features than it has samples."""
    found = tables.table_3(table)
    found = found[found["method"] == "lasso-hinge"].dropna() if len(found) else found
    if found.empty:
        return ""
    samples = rows.groupby("dataset")["samples"].first()
    training = (1 - Protocol.test_size) * found["dataset"].map(samples)
    within = int((found["size"] <= training).sum())
    paper = int((found["paper_size"] <= training).sum())
    return (
        "A LASSO that is solved to its optimum has at most as many nonzero weights as samples. "
        f"The hinge LASSO keeps no more features than it has training samples on {within} of "
        f"{len(found)} sets here (mean size {found['size'].mean():.0f}); with the paper's sizes "
        f"(mean {found['paper_size'].mean():.0f}) that is so on {paper}."
    )


def colon_ceiling(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """Does anything reach the paper's accuracy on colon?"""
    text = []
    for name in ("colon", "colon (log)"):
        mine = table[table["dataset"] == name]
        if len(mine):
            top = mine.loc[mine["quality"].idxmax()]
            text.append(
                f"{name}: the best of {mine['method'].nunique()} methods at any size is "
                f"{top['method']} with {100 * top['quality']:.1f}"
            )
    published = TABLE_3["colon", "inf-fs-s"][3]
    return f"{'; '.join(text)}; nothing comes to {published} when selection is inside the splits."


def variance_is_as_good(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """Inf-FS_U against the plain variance it contains, split by split."""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    mean, low, high = paired(rows, sets, sizes, "inf-fs-u", "variance")
    if pd.isna(low):
        return ""
    return (
        f"Against the plain variance of the columns, which the paper does not compare: "
        f"{mean:+.1f} points, split by split ({low:+.1f} to {high:+.1f})."
    )
