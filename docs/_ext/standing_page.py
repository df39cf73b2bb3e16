"""How conditional paths stand among all methods, as the arena measured it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from arena_facts import NOTHING, RESULTS

METHOD, SISTER, SHOWN = "inf-fs-c", "inf-fs-s (equal weights)", 12
_FEW = (
    "The largest sets have too few splits for a place in these ranks. No constant and no rule was "
    "chosen on them in this repository:"
)
JUDGES = {"linear": "a linear SVM", "rbf": "an RBF SVM", "knn": "five nearest neighbours"}


def write(folder: Path, results: Path = RESULTS) -> None:
    """``standing.md``: the evidence on the page of conditional paths."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = evidence(results)
    (folder / "standing.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def evidence(results: Path) -> list[str]:
    """Ranks by every judge, then what the linear one says in detail."""
    from inffs.arena import Store
    from inffs.arena.results import standing, summary

    rows = summary.finished(Store(results).frame(judge=None)) if results.is_dir() else None
    if rows is None or METHOD not in set(rows["method"]):
        return [NOTHING.replace("``", "`")]
    lines = []
    for judge in (name for name in JUDGES if name in set(rows["judge"])):
        lines += _ranks(standing.over_sizes(rows[rows["judge"] == judge]), judge)
    return lines + _details(rows[rows["judge"] == "linear"])


def _ranks(quality: pd.DataFrame, judge: str) -> list[str]:
    from inffs.arena.results import standing, summary

    table, distance = standing.places(quality)
    if METHOD not in set(table["method"]):
        return []
    sets = quality.groupby("dataset").ngroups
    place = int(table.index[table["method"] == METHOD][0]) + 1
    shown = table[(table.index < SHOWN) | (table["method"] == METHOD)]
    return [
        f"**Judged by {JUDGES[judge]}**: place {place} of {len(table)} methods that have results "
        f"on all {sets} data sets; average ranks closer than {distance:.1f} cannot be told apart "
        f"(Nemenyi, 5 %). The first {SHOWN}:",
        summary.markdown(shown),
        *filter(None, [standing.without_place(quality, table)]),
    ]


def _details(rows: pd.DataFrame) -> list[str]:
    from inffs.arena.results import standing, summary

    quality = standing.over_sizes(rows)
    rivals = standing.nearest(quality, METHOD)
    if SISTER in quality and SISTER not in rivals:
        rivals.append(SISTER)
    few = standing.on_few_splits(rows, METHOD, SISTER)
    lead = "yes" if SISTER in quality and standing.leads(quality, METHOD, SISTER) else "no"
    return [
        f"Points of accuracy of `{METHOD}` minus each of the nearest rivals, split by split "
        "(linear judge; the interval is of the mean over these data sets):",
        summary.markdown(standing.against(quality, METHOD, rivals)),
        "The same by the number of features and by the number of classes:",
        summary.markdown(standing.by_size(rows, METHOD, rivals)),
        summary.markdown(standing.by_classes(quality, METHOD, rivals)),
        "Stability (Nogueira, 50 features) and the processor time of a fit:",
        summary.markdown(standing.price(rows, METHOD, rivals)),
        *([_FEW, summary.markdown(few)] if len(few) else []),
        f"Better than `{SISTER}` on two thirds of the data sets with an interval above zero, which "
        f"would make it the command's default: {lead}.",
    ]
