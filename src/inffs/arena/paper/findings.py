"""What the results show that the paper does not ask: for the summary of the page."""

from __future__ import annotations

import pandas as pd

from inffs.arena.data.paper import MICROARRAY, NIPS
from inffs.arena.paper.reasons import paired
from inffs.arena.results import summary
from inffs.arena.results.figures import comparable, fixed_sizes, present

_LARGE = 5.0  # points of accuracy by which a second judge changes the picture


def below_random(table: pd.DataFrame) -> str:
    """Methods that are worse than random features on the microarray sets."""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    means = summary.curves(table, sets, sizes).mean(axis=1) if sets and sizes else pd.Series()
    if "random" not in means:
        return ""
    kinds = table.drop_duplicates("method").set_index("method")["supervised"]
    worse = means[means < means["random"]].sort_values()
    named = {
        title: ", ".join(f"{name} {100 * worse[name]:.1f}" for name in worse.index
                         if bool(kinds[name]) == flag)
        for title, flag in (("unsupervised", False), ("supervised", True))
    }  # fmt: skip
    shown = "; ".join(f"{title}: {text}" for title, text in named.items() if text)
    if not shown:
        return f"No method falls below random features ({100 * means['random']:.1f}) on the " \
               "microarray sets."  # fmt: skip
    return (
        f"Below random features ({100 * means['random']:.1f} % on the mean of {len(sets)} "
        f"microarray sets, linear judge) fall {shown}."
    )


def plain_variance(rows: pd.DataFrame, table: pd.DataFrame) -> str:
    """Inf-FS_U against the plain variance of the columns, on the microarray sets."""
    sets, sizes = comparable(table, MICROARRAY), fixed_sizes(table, "microarray")
    mean, low, high = paired(rows, sets, sizes, "inf-fs-u", "variance")
    if pd.isna(low):
        return ""
    verdict = (
        "plain variance is as good as Inf-FS_U there" if low <= 0 <= high
        else "Inf-FS_U is better than plain variance there" if low > 0
        else "plain variance is better than Inf-FS_U there"
    )  # fmt: skip
    return (
        f"Inf-FS_U minus plain variance on the microarray sets, split by split: {mean:+.1f} points "
        f"({low:+.1f} to {high:+.1f}): {verdict}."
    )


def of_judges(frame: pd.DataFrame) -> pd.DataFrame:
    """Per data set the best method and its mean quality over the sizes, by every judge."""
    lines = []
    for judge in sorted(frame["judge"].dropna().unique(), key=lambda name: name != "linear"):
        table = summary.means(frame[frame["judge"] == judge])
        for dataset in present(table, MICROARRAY + NIPS):
            mine = table[(table["dataset"] == dataset) & (table["kind"] != "baseline")]
            curves = summary.curves(mine, [dataset], _sizes(mine)).dropna().mean(axis=1)
            if len(curves):
                best = {"best": curves.idxmax(), "mean": round(100 * curves.max(), 1)}
                lines.append({"data set": dataset, "judge": judge, **best})
    found = pd.DataFrame(lines, columns=["data set", "judge", "best", "mean"])
    return found if found["judge"].nunique() > 1 else found.iloc[:0]


def _sizes(table: pd.DataFrame) -> list[str]:
    return fixed_sizes(table, tuple(table["challenge"].unique()))


def judges_disagree(frame: pd.DataFrame) -> str:
    """Where another judge sees much more than the linear one."""
    found = of_judges(frame).pivot(index="data set", columns="judge", values="mean")
    if "linear" not in found:
        return ""
    lines = [
        f"{dataset}: {judge} {row[judge]:.1f}, linear {row['linear']:.1f}"
        for dataset, row in found.iterrows()
        for judge in found.columns.drop("linear")
        if row[judge] - row["linear"] > _LARGE
    ]
    if not lines:
        return "The other judges see nowhere five points more than the linear one."
    return f"The linear judge is blind to part of what is there: {'; '.join(lines)}."
