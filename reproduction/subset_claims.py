"""Claims about automatic subsets (the paper's Table 3), and the hypotheses that go with them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from inffs.comparison.dataset import plain_name
from reproduction import tables
from reproduction.claim import FAILS, HOLDS, OPEN, PARTLY, Finding, pct
from reproduction.paper import MICROARRAY, TABLE_3


def beats_lasso(table: pd.DataFrame) -> Finding:
    """Is the better Inf-FS above the better LASSO on four of five sets?"""
    by_method = _automatic(table, "accuracy")
    if by_method.empty:
        return Finding(OPEN, "both LASSOs and both forms of Inf-FS must have finished on a set")
    ours = by_method[["inf-fs-u", "inf-fs-s"]].max(axis=1)
    theirs = by_method[["lasso-hinge", "lasso-unhinged"]].max(axis=1)
    won = int((ours > theirs).sum())
    evidence = f"{won} of {len(by_method)} sets; " + "; ".join(
        f"{name}: Inf-FS {ours[name]:.1f}, LASSO {theirs[name]:.1f}" for name in by_method.index
    )
    return Finding(HOLDS if won >= 0.8 * len(by_method) else PARTLY if won else FAILS, evidence)


def _automatic(table: pd.DataFrame, column: str) -> pd.DataFrame:
    rows = tables.table_3(table)
    if rows.empty:
        return rows
    by_method = rows.pivot_table(index="dataset", columns="method", values=column)
    by_method = by_method.reindex(columns=["lasso-hinge", "lasso-unhinged", "inf-fs-u", "inf-fs-s"])
    return by_method.loc[[name for name in by_method.index if not name.endswith("(log)")]].dropna()


def labels_shrink_the_subset(table: pd.DataFrame) -> Finding:
    """Does Inf-FS_S keep fewer features than Inf-FS_U on every set?"""
    rows = tables.table_3(table)
    if rows.empty:
        return Finding(OPEN, "no results")
    by_method = rows.pivot_table(index="dataset", columns="method", values="size")
    by_method = by_method.reindex(columns=["inf-fs-u", "inf-fs-s"]).dropna()
    by_method = by_method.loc[[name for name in by_method.index if not name.endswith("(log)")]]
    fewer = by_method["inf-fs-s"] < by_method["inf-fs-u"]
    evidence = "; ".join(
        f"{d}: {r['inf-fs-u']:.0f} / {r['inf-fs-s']:.0f}" for d, r in by_method.iterrows()
    )
    return Finding(
        HOLDS if fewer.all() else PARTLY if fewer.any() else FAILS, f"sizes U / S: {evidence}"
    )


def fewer_than_lasso(table: pd.DataFrame) -> Finding:
    """Do both forms keep fewer features than the hinge LASSO on every set?"""
    by_method = _automatic(table, "size")
    if by_method.empty:
        return Finding(OPEN, "both LASSOs must have finished")
    ours = by_method[["inf-fs-u", "inf-fs-s"]].max(axis=1)
    fewer = ours < by_method["lasso-hinge"]
    evidence = "; ".join(
        f"{name}: Inf-FS at most {ours[name]:.0f}, hinge {by_method.loc[name, 'lasso-hinge']:.0f}, "
        f"unhinged {by_method.loc[name, 'lasso-unhinged']:.0f}"
        for name in by_method.index
    )
    return Finding(HOLDS if fewer.all() else PARTLY if fewer.any() else FAILS, evidence)


def automatic_is_competitive(table: pd.DataFrame) -> Finding:
    """Does the automatic size lose at most two points to the best fixed one?"""
    rows = tables.table_3(table)
    rows = rows[rows["method"].isin(["inf-fs-u", "inf-fs-s"])] if len(rows) else rows
    if rows.empty:
        return Finding(OPEN, "no results")
    loss = rows["best_accuracy"] - rows["accuracy"]
    evidence = (
        f"best fixed size minus automatic: mean {loss.mean():.1f} points, at worst "
        f"{loss.max():.1f} ({rows.loc[loss.idxmax(), 'method']} on "
        f"{rows.loc[loss.idxmax(), 'dataset']})"
    )
    return Finding(HOLDS if loss.max() <= 2 else PARTLY if loss.mean() <= 2 else FAILS, evidence)


def colon_accuracy(table: pd.DataFrame) -> Finding:
    """Does Inf-FS come within one point of the paper's accuracy on colon?"""
    evidence, best = [], {}
    for name in ("colon", "colon (log)"):
        rows = table[(table["dataset"] == name) & table["method"].isin(["inf-fs-u", "inf-fs-s"])]
        if len(rows):
            top = rows.loc[rows["quality"].idxmax()]
            best[name] = 100 * top["quality"]
            evidence.append(f"{name}: at best {best[name]:.1f} ({top['method']}, {top['asked']})")
    if "colon" not in best:
        return Finding(OPEN, "no results on colon")
    published = TABLE_3["colon", "inf-fs-s"][3]
    near = max(best.values()) >= published - 1
    return Finding(HOLDS if near else FAILS, "; ".join([*evidence, f"the paper: {published}"]))


def colon_hypothesis(table: pd.DataFrame) -> Finding:
    """Near 84 % on raw and 88 % on logarithmic values."""
    evidence, near = [], []
    for name, expected in (("colon", 0.84), ("colon (log)", 0.88)):
        mine = table[(table["dataset"] == name) & table["method"].isin(["inf-fs-u", "inf-fs-s"])]
        best = mine[mine["asked"] != "auto"].groupby("method")["quality"].agg(["mean", "max"])
        if len(best) < 2:
            continue
        near.append(bool(((best["max"] - expected).abs() <= 0.02).all()))
        evidence.append(f"{name}: " + ", ".join(
            f"{key} {pct(row['mean'])} on average over the sizes, {pct(row['max'])} at its best"
            for key, row in best.iterrows()
        ))  # fmt: skip
    if len(near) < 2:
        return Finding(OPEN, "colon must have finished on raw and on logarithmic values")
    evidence.append(f"the paper: {TABLE_3['colon', 'inf-fs-s'][3]}")
    return Finding(HOLDS if all(near) else PARTLY if any(near) else FAILS, "; ".join(evidence))


def lasso_sizes(table: pd.DataFrame) -> Finding:
    """The paper: the hinge LASSO keeps the most of the four, the unhinged few on microarrays."""
    by_method = _automatic(table, "size")
    if by_method.empty:
        return Finding(OPEN, "both LASSOs must have finished")
    most = by_method.idxmax(axis=1) == "lasso-hinge"
    evidence = "; ".join(
        f"{name}: most by {row.idxmax()} ({row.max():.0f}), hinge {row['lasso-hinge']:.0f}"
        for name, row in by_method.iterrows()
    )
    return Finding(HOLDS if most.all() else PARTLY if most.any() else FAILS, evidence)


def unhinged_is_poor(table: pd.DataFrame) -> Finding:
    """The paper: automatic subsets of the unhinged LASSO are very poor on the microarrays."""
    by_method = _automatic(table, "accuracy")
    by_method = by_method.loc[[name for name in by_method.index if name in MICROARRAY]]
    if by_method.empty:
        return Finding(OPEN, "both LASSOs must have finished on the microarray sets")
    behind = by_method.max(axis=1) - by_method["lasso-unhinged"]
    evidence = "; ".join(
        f"{name}: {by_method.loc[name, 'lasso-unhinged']:.1f}, best of the four "
        f"{by_method.loc[name].max():.1f}" for name in by_method.index
    )  # fmt: skip
    poor = behind > 5
    return Finding(HOLDS if poor.mean() >= 0.8 else PARTLY if poor.any() else FAILS, evidence)


def rivals_do_better(table: pd.DataFrame) -> Finding:
    """Are our LASSOs better than the paper's, at their best sizes?"""
    found = tables.table_3(table).dropna()
    rows = found[found["method"].str.startswith("lasso")] if len(found) else found
    if rows.empty:
        return Finding(OPEN, "the LASSOs must have finished")
    gain, automatic = rows["best_difference"], rows["difference"]
    ours = found[~found["method"].str.startswith("lasso")]
    evidence = (
        f"the paper prints numbers of two rivals only. LASSOs, ours minus the paper's: at the best "
        f"size mean {gain.mean():+z.1f} points (better on {int((gain > 0).sum())} of {len(gain)}), "
        f"automatic subset {automatic.mean():+z.1f}; for comparison Inf-FS "
        f"{ours['best_difference'].mean():+z.1f} and {ours['difference'].mean():+z.1f}; "
    )
    evidence += "; ".join(
        f"{m} on {d} {g:+z.1f}"
        for m, d, g in zip(rows["method"], rows["dataset"], gain, strict=True)
    )
    share = (gain > 0).mean()
    return Finding(HOLDS if share >= 0.8 else PARTLY if share >= 0.4 else FAILS, evidence)


def histogram_sizes(table: pd.DataFrame) -> Finding:
    """Are the automatic sizes within a factor of two of the paper's?"""
    rows = tables.table_3(table)
    rows = rows[rows["method"].isin(["inf-fs-u", "inf-fs-s"])].dropna() if len(rows) else rows
    if rows.empty:
        return Finding(OPEN, "no results")
    ratio = rows["size"] / rows["paper_size"]
    near = ratio.between(0.5, 2.0)
    alike = np.log(rows[["size", "paper_size"]]).corr().iloc[0, 1]
    evidence = (
        f"{int(near.sum())} of {len(rows)} sizes within a factor of two of the paper's, on average "
        f"{np.exp(np.log(ratio).mean()):.2f} times the paper's"
        + ("" if pd.isna(alike) else f", correlation of the logarithms {alike:.2f}")
        + "; ours / the paper's: "
    )
    evidence += "; ".join(
        f"{m} on {plain_name(d)}: {s:.0f} / {p:.0f}"
        for m, d, s, p in zip(
            rows["method"], rows["dataset"], rows["size"], rows["paper_size"], strict=True
        )
    )
    share = near.mean()
    return Finding(HOLDS if share >= 0.8 else PARTLY if share >= 0.4 else FAILS, evidence)
