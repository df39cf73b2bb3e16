"""Write the README's section about the benchmark: ``python docs/_ext/readme_facts.py``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import METHOD, REFERENCE, RESULTS, UNSEEN, gains_of_curves, with_error

README = Path(__file__).parents[2] / "README.md"
BEGIN = "<!-- made from results/ by docs/_ext/readme_facts.py -->"
END = "<!-- end of what is made from results/ -->"
SHOWN = 6


def block(results: Path = RESULTS) -> str:
    """Ranks on other tables and on the benchmark, and the verdicts on the paper."""
    from inffs.comparison import summary
    from reproduction.packed import PackedStore
    from reproduction.paper import CHOSEN
    from reproduction.verdicts import Verdicts

    frame = PackedStore(results).frame()
    rows = summary.finished(frame)
    overview = Verdicts(results, frame).overview(CHOSEN)
    parts = [
        *_unseen(results / UNSEEN.name),
        *_standing(rows),
        f"The experiments of the Inf-FS paper, repeated: {overview[0].lower()}{overview[1:]} "
        "[The reproduction](docs/reproduction.md) lists all claims.",
    ]
    return "\n\n".join(parts)


def _standing(rows: pd.DataFrame) -> list[str]:
    from reproduction import standing

    whole = standing.over_sizes(rows)
    quality = standing.ranked(whole)
    table, distance = standing.places(quality)
    sets = list(dict.fromkeys(quality.index.get_level_values("dataset")))
    splits = quality.groupby("dataset").count().median(axis=1).astype(int)
    few = f"{splits.min()} to {splits.max()}" if splits.min() < splits.max() else splits.max()
    best = table.head(SHOWN)
    ranks = ", ".join(
        f"`{name}` ({rank:.1f})"
        for name, rank in zip(best["method"], best["average rank"], strict=True)
    )
    notes = _own(whole, table), _apart(whole, sets), standing.without_place(quality, table)
    return [
        f"**On the data sets of the benchmark** ({', '.join(sets)}; mostly {few} splits), "
        f"{len(table)} methods were compared by the accuracy of a linear SVM on the selected "
        "features, averaged over five sizes. Some of these sets were used to develop `inf-fs-c`, "
        "which was measured on them with straight lines only. "
        f"The best average ranks are {ranks}. By Nemenyi's test at the 5 % level, ranks closer "
        f"than {distance:.1f} do not differ significantly.",
        " ".join(filter(None, notes)),
    ]


def _own(quality: pd.DataFrame, table: pd.DataFrame) -> str:
    """Conditional paths against the supervised form of the paper, losses included."""
    from reproduction import standing

    if METHOD not in quality or REFERENCE not in quality:
        return ""
    place = int(table.index[table["method"] == METHOD][0]) + 1
    line = standing.against(quality, METHOD, [REFERENCE]).iloc[0]
    shown = "" if line["from"] * line["to"] > 0 else ", which is not significant"
    return (
        f"`{METHOD}` has rank {place}. Its accuracy differs by {line['difference']:+.1f} points "
        f"({line['from']:+.1f} to {line['to']:+.1f}) from `inf-fs-s` with equal weights{shown}. It "
        f"is significantly better on {line['clearly better on']} and significantly worse on "
        f"{line['clearly worse on']} of {line['sets']} data sets."
    )


def _apart(whole: pd.DataFrame, ranked: list[str]) -> str:
    """The sets that are among the differences but not in the ranks; "" if there are none."""
    left = [name for name in whole.index.unique("dataset") if name not in ranked]
    if not left:
        return ""
    return f"The ranks leave out {', '.join(left)}, on which few methods finish."


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
    found, others = standing.lead(quality, METHOD, REFERENCE), ranks.drop(METHOD)
    place = list(ranks.index).index(METHOD) + 1
    return [
        f"**On {found['sets']} public tables that were not used to develop it**, `{METHOD}` has "
        f"rank {place} of {len(ranks)} methods, with an average rank of {ranks[METHOD]:g}. The "
        f"best other method is `{others.index[0]}` with {others.iloc[0]:g}; ranks closer than "
        f"{distance:.1f} do not differ significantly. Its accuracy exceeds that of `inf-fs-s` with "
        f"equal weights by {found['difference']:.1f} points ({found['from']:.1f} to "
        f"{found['to']:.1f}; for tables like these {found['sets like these']}). It is better on "
        f"{found['better on']} of {found['sets']} tables (linear SVM, 5 to 200 features). "
        f"{_curves(rows, folder)}".strip(),
    ]


def _curves(rows: pd.DataFrame, folder: Path) -> str:
    """On which tables the default was measured as it is; "" without results of straight lines."""
    gains = gains_of_curves(rows, folder)
    if gains is None:
        return ""
    others = sorted(set(rows["dataset"]) - set(gains.index))
    return (
        f"On {len(gains)} of these tables `{METHOD}` was measured as it ships. On {len(others)} "
        f"({' and '.join(others)}) it was measured with straight lines only (`curves=False, "
        f"pairs=False`). On the {len(gains)} tables, curves and pairs change the accuracy by "
        f"{with_error(gains)} points."
    )


def with_block(text: str, made: str) -> str:
    """The README's text with the made part in its place."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    README.write_text(with_block(README.read_text("utf-8"), block()), encoding="utf-8")
