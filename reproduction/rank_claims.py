"""Claims about the place of Inf-FS among the methods of its class."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from inffs.comparison import summary
from inffs.comparison.figures import comparable, fixed_sizes, left_out
from reproduction.claim import FAILS, HOLDS, OPEN, PARTLY, Finding, compared, our_set, pct
from reproduction.paper import MICROARRAY, NIPS


def places(table: pd.DataFrame, sets: list[str], supervised: bool) -> pd.DataFrame:
    """Place of Inf-FS among its class on every data set (rows) at every size (columns)."""
    method = "inf-fs-s" if supervised else "inf-fs-u"
    found = {}
    for name in sets:
        mine = table[(table["dataset"] == name) & table["method"].isin(compared(table, supervised))]
        sizes = fixed_sizes(mine, tuple(mine["challenge"].unique()))
        curves = summary.curves(mine, [name], sizes).dropna()
        if method in curves.index and len(curves) > 2:
            found[name] = curves.rank(ascending=False, method="min").loc[method]
    return pd.DataFrame(found).T


def versatile(table: pd.DataFrame) -> Finding:
    """First, or else second or third, whatever the data."""
    evidence, shares = [], []
    for supervised, name in ((False, "Inf-FS_U"), (True, "Inf-FS_S")):
        sets = [each for each in table["dataset"].unique() if not each.endswith(" (log)")]
        found = places(table, sets, supervised).stack()
        if found.empty:
            return Finding(OPEN, "no results")
        first, near = (found == 1).mean(), (found <= 3).mean()
        shares += [near]
        evidence.append(
            f"{name}: first in {100 * first:.0f} %, among the first three in {100 * near:.0f} % of "
            f"{len(found)} cases (data set and size), at worst place {found.max():.0f}"
        )
    good = [share >= 0.9 for share in shares]
    return Finding(
        HOLDS if all(good) else PARTLY if max(shares) >= 0.5 else FAILS, "; ".join(evidence)
    )


def _place_at(name: str, asked: tuple[str, ...], near: int) -> Callable[[pd.DataFrame], Finding]:
    """Inf-FS_U among the unsupervised methods on one set: about this place, after whom?"""

    def check(table: pd.DataFrame) -> Finding:
        ours = our_set(table, name)
        mine = table[(table["dataset"] == ours) & table["method"].isin(compared(table, False))]
        curves = summary.curves(mine, [ours], list(asked)) if ours else pd.DataFrame()
        curves = curves.dropna()
        if "inf-fs-u" not in curves.index or len(curves) < 4:
            return Finding(OPEN, f"no results on {name}")
        order = curves.mean(axis=1).sort_values(ascending=False)
        place = list(order.index).index("inf-fs-u") + 1
        evidence = ", ".join(
            f"{key} {pct(value)}" for key, value in order.head(max(4, place)).items()
        )
        verdict = HOLDS if abs(place - near) <= 1 else PARTLY if place < near else FAILS
        return Finding(
            verdict, f"{ours}, mean over the sizes: {evidence}: place {place} of {len(order)}"
        )

    return check


gisette_unsupervised = _place_at("gisette", ("10", "50", "100", "150", "200"), 3)
gina_unsupervised = _place_at("gina", ("10", "50", "100", "150", "200"), 4)


def best_rank(supervised: bool) -> Callable[[pd.DataFrame], Finding]:
    """Has Inf-FS the best average rank of its class over all sets and sizes?"""

    def check(table: pd.DataFrame) -> Finding:
        sets = comparable(table, MICROARRAY + NIPS)
        sizes = fixed_sizes(table, ("microarray", "nips"))
        method = "inf-fs-s" if supervised else "inf-fs-u"
        mean, variance = summary.average_ranks(table, sets, sizes, compared(table, supervised))
        if method not in mean.index or len(mean) < 3 or len(sets) < 3:
            return Finding(OPEN, "too few methods have finished")
        overall = mean.mean(axis=1).sort_values()
        place = list(overall.index).index(method) + 1
        evidence = (
            f"{len(sets)} data sets, {len(overall)} methods; average rank over the sizes: "
            + ", ".join(f"{name} {value:.2f}" for name, value in overall.head(5).items())
            + f"; {method} {overall[method]:.2f} (place {place}, mean variance "
            f"{variance.loc[method].mean():.2f})"
        )
        gone = left_out(table, sets, sizes[0])
        evidence += f". {gone}" if gone else ""
        verdict = HOLDS if place == 1 else PARTLY if place <= 3 else FAILS
        return Finding(verdict, evidence)

    return check
