"""The README's words about the benchmark: ``python docs/_ext/readme_facts.py`` writes them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import METHOD, RESULTS, SISTER, UNSEEN

README = Path(__file__).parents[2] / "README.md"
BEGIN = "<!-- made from results/ by docs/_ext/readme_facts.py -->"
END = "<!-- end of what is made from results/ -->"
SHOWN = 6


def block(results: Path = RESULTS) -> str:
    """What holds of the paper, who leads, and where conditional paths stand."""
    from inffs.comparison import Store, summary
    from reproduction.readings import CHOSEN
    from reproduction.verdicts import Verdicts

    frame = Store(results).frame()
    rows = summary.finished(frame)
    overview = Verdicts(results, frame).overview(CHOSEN)
    parts = [
        *_standing(rows),
        *_unseen(results / UNSEEN.name),
        *_default(rows),
        f"The paper's own results, run again: {overview[0].lower()}{overview[1:]} "
        "[All claims, figures and tables](docs/reproduction.md).",
    ]
    return "\n\n".join(parts)


def _standing(rows: pd.DataFrame) -> list[str]:
    from inffs.comparison import summary
    from reproduction import standing

    whole = standing.over_sizes(rows)
    quality = standing.ranked(whole)
    table, distance = standing.places(quality)
    sets = list(dict.fromkeys(quality.index.get_level_values("dataset")))
    splits = quality.groupby("dataset").count().median(axis=1).astype(int)
    few = f"{splits.min()} to {splits.max()}" if splits.min() < splits.max() else splits.max()
    notes = _own(whole, table), _apart(whole, sets), standing.without_place(quality, table)
    return [
        f"{len(table)} methods on {len(sets)} data sets "
        f"({', '.join(sets)}; mostly {few} splits), "
        "judged by a linear SVM on the kept columns, mean over five sizes. Those of best average "
        f"rank; ranks closer than {distance:.1f} cannot be told apart:",
        summary.markdown(table.head(SHOWN)),
        _real(table, distance),
        " ".join(filter(None, notes)),
    ]


def _real(table: pd.DataFrame, distance: float) -> str:
    """Which differences of rank from the first method are more than chance."""
    first, rank = table["method"].iloc[0], table["average rank"]
    apart = int((rank - rank.iloc[0] > distance).sum())
    among = int((rank.head(SHOWN) - rank.iloc[0] > distance).sum())
    shown = f"{among or 'none'} of these {min(SHOWN, len(table))} methods"
    return (
        f"Which differences are real? By Nemenyi's test at 5 % `{first}` differs from {apart} of "
        f"the {len(table) - 1} other methods, {shown} among them."
    )


def _own(quality: pd.DataFrame, table: pd.DataFrame) -> str:
    """Conditional paths against the supervised form of the paper, losses included."""
    from reproduction import standing

    if METHOD not in quality or SISTER not in quality:
        return ""
    place = int(table.index[table["method"] == METHOD][0]) + 1
    line = standing.against(quality, METHOD, [SISTER]).iloc[0]
    shown = "" if line["from"] * line["to"] > 0 else ", so neither is shown to be better"
    return (
        f"`{METHOD}`, [our own form](docs/conditional-paths.md), is at place {place}: "
        f"{line['difference']:+.1f} points ({line['from']:+.1f} to {line['to']:+.1f}) against "
        f"`inf-fs-s` with equal weights{shown}; clearly better on {line['clearly better on']} and "
        f"clearly worse on {line['clearly worse on']} of {line['sets']} data sets."
    )


def _apart(whole: pd.DataFrame, ranked: list[str]) -> str:
    """The sets that are among the differences but not in the ranks; "" if there are none."""
    left = [name for name in whole.index.unique("dataset") if name not in ranked]
    if not left:
        return ""
    return f"In the differences but not in the ranks (few methods finish): {', '.join(left)}."


def _unseen(folder: Path) -> list[str]:
    """Conditional paths on tables that no choice has seen; nothing without results."""
    from unseen_page import finished

    from reproduction import standing

    rows = finished(folder)
    if rows is None:
        return []
    quality = standing.over_sizes(rows)
    table, distance = standing.places(standing.ranked(quality))
    ranks = table.set_index("method")["average rank"]
    found, others = standing.lead(quality, METHOD, SISTER), ranks.drop(METHOD)
    place = list(ranks.index).index(METHOD) + 1
    return [
        f"On {found['sets']} tables out of packages of others, at which the ranking was not tuned, "
        f"`{METHOD}` is at place {place} of {len(ranks)} methods by average rank "
        f"({ranks[METHOD]:g}; the best other, `{others.index[0]}`, {others.iloc[0]:g}; closer than "
        f"{distance:.1f} cannot be told apart) and "
        f"{found['difference']:+.1f} points ({found['from']:+.1f} to {found['to']:+.1f}; for "
        f"tables like these {found['sets like these']}) from `inf-fs-s` with equal weights, better "
        f"on {found['better on']} of them."
    ]


def _default(rows: pd.DataFrame) -> list[str]:
    """What the rule for the command's default says of the benchmark's sets."""
    from reproduction import standing

    found = standing.lead(standing.over_sizes(rows), METHOD, SISTER)
    taken = METHOD if found["leads"] else "inf-fs-s"
    return [
        "The [rule for the command's default](docs/conditional-paths.md#the-commands-default) asks "
        f"for two thirds of the benchmark's own sets; `{METHOD}` is better on {found['better on']} "
        f"of {found['sets']}. For classes the command takes `{taken}`; `--method` names another."
    ]


def with_block(text: str, made: str) -> str:
    """The README's text with the made part in its place."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    README.write_text(with_block(README.read_text("utf-8"), block()), encoding="utf-8")
