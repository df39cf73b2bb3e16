"""Write the README's section about the benchmark: ``python docs/_ext/readme_facts.py``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import METHOD, REFERENCE, RESULTS, UNSEEN, gains_of_curves, with_error

README = Path(__file__).parents[2] / "README.md"
BEGIN = "<!-- made from results/ by docs/_ext/readme_facts.py -->"
END = "<!-- end of what is made from results/ -->"
SHOWN = 4
RIVALS = {
    "anova-f": "ANOVA F (`f_classif` of scikit-learn)",
    "mi": "mutual information (`mi`)",
    "random-forest": "random forest importances",
    "mrmr": "mRMR (`mrmr`)",
    "fastcan": "FastCan (`fastcan`)",
    REFERENCE: "Inf-FS_S with equal weights (`inf-fs-s`)",
}


def block(results: Path = RESULTS) -> str:
    """Ranks on other tables and on the benchmark, and the verdicts on the paper."""
    from inffs.comparison import summary
    from reproduction.packed import PackedStore
    from reproduction.paper import CHOSEN
    from reproduction.verdicts import Verdicts

    frame = PackedStore(results).frame()
    overview = Verdicts(results, frame).overview(CHOSEN)
    parts = [
        *_unseen(results / UNSEEN.name),
        _standing(summary.finished(frame)),
        f"**The experiments of the Inf-FS paper.** {overview} "
        "[The reproduction](docs/reproduction.md) lists all claims.",
    ]
    return "\n\n".join(parts)


def _standing(rows: pd.DataFrame) -> str:
    """The best ranks on the data sets of the benchmark."""
    from reproduction import standing

    quality = standing.ranked(standing.over_sizes(rows))
    table, distance = standing.places(quality)
    best = table.head(SHOWN)
    ranks = ", ".join(
        f"`{name}` ({rank:.1f})"
        for name, rank in zip(best["method"], best["average rank"], strict=True)
    )
    return (
        f"**Data sets of the benchmark.** On {quality.groupby('dataset').ngroups} data sets of the "
        f"Inf-FS paper and of network features, the best average ranks of {len(table)} methods are "
        f"{ranks}. Ranks closer than {distance:.1f} do not differ significantly. Some of these "
        f"sets were used to develop `{METHOD}`. It was measured on them with straight lines only."
    )


def _unseen(folder: Path) -> list[str]:
    """Conditional paths on tables that were not used to develop them; nothing without results."""
    from unseen_page import finished

    from reproduction import standing

    rows = finished(folder)
    if rows is None:
        return []
    quality = standing.over_sizes(rows)
    table, distance = standing.places(standing.ranked(quality))
    ranks = table.set_index("method")["average rank"]
    others = ranks.drop(METHOD)
    return [
        f"**{quality.groupby('dataset').ngroups} public tables that were not used to develop it.** "
        f"`{METHOD}` has rank {list(ranks.index).index(METHOD) + 1} of {len(ranks)} methods, with "
        f"an average rank of {ranks[METHOD]:g}. The best other method is `{others.index[0]}` with "
        f"{others.iloc[0]:g}. Ranks closer than {distance:.1f} do not differ significantly. The "
        "table shows the accuracy of a linear SVM, averaged over 5 to 200 selected features:",
        "\n".join(_rivals(standing.against(quality, METHOD, list(RIVALS)))),
        _curves(rows, folder),
    ]


def _rivals(lines: pd.DataFrame) -> list[str]:
    """A table of the differences, the largest first."""
    rows = [
        f"| {RIVALS[line['rival']]} | {line['difference']:+.1f} points | {line['from']:+.1f} to "
        f"{line['to']:+.1f} | {line['clearly better on']} | {line['clearly worse on']} |"
        for _, line in lines.sort_values("difference", ascending=False).iterrows()
    ]
    head = (
        f"| accuracy of `{METHOD}` minus that of | difference | 95 % interval "
        "| tables where significantly better | significantly worse |"
    )
    return [head, "|---|---|---|---|---|", *rows]


def _curves(rows: pd.DataFrame, folder: Path) -> str:
    """On which tables the default was measured as it is; "" without results of straight lines."""
    gains = gains_of_curves(rows, folder)
    if gains is None:
        return ""
    others = sorted(set(rows["dataset"]) - set(gains.index))
    return (
        f"On {len(others)} of these tables ({' and '.join(others)}), `{METHOD}` was measured with "
        f"straight lines only. On the other {len(gains)}, curves and pairs change the accuracy by "
        f"{with_error(gains)} points."
    )


def with_block(text: str, made: str) -> str:
    """The README's text with the made part in its place."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    README.write_text(with_block(README.read_text("utf-8"), block()), encoding="utf-8")
