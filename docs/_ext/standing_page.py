"""How conditional paths stand among all methods, as the arena measured it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import METHOD, NOTHING, RESULTS, SISTER

SHOWN = 12
_APART = (
    "The largest sets have no part in the ranks, for too few methods have five splits of them. No "
    "constant and no rule was chosen on them in this repository:"
)
_GUESTS = (
    "Against selectors of other packages, on the sets of which they have five splits (the slow "
    "ones have few):"
)
_TUNED = (
    "Against rivals that choose their parameters by cross-validation on the training part, for "
    f"every number of features anew (`{METHOD}` chooses none), on the sets that were run so. "
    "SVM-RFE and its ensemble choose C among 0.0001, 0.001, 0.01, 0.1 and 1:"
)
JUDGES = {"linear": "a linear SVM", "rbf": "an RBF SVM", "knn": "five nearest neighbours"}


def write(folder: Path, results: Path = RESULTS) -> None:
    """``standing.md``: the evidence on the page of conditional paths."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = evidence(results)
    (folder / "standing.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def evidence(results: Path) -> list[str]:
    """Ranks by every judge, then what the linear one says in detail."""
    from inffs.comparison import Store, summary

    rows = summary.finished(Store(results).frame(judge=None)) if results.is_dir() else None
    if rows is None or METHOD not in set(rows["method"]):
        return [NOTHING.replace("``", "`")]
    linear = rows[rows["judge"] == "linear"]
    tuned = summary.finished(Store(results).frame(), "tuned")
    return [
        *ranks_by_judge(rows),
        *_by_judge(rows),
        *_details(linear),
        *_elsewhere(linear, tuned),
        *_largest(rows),
    ]


def ranks_by_judge(rows: pd.DataFrame) -> list[str]:
    """The first methods in the eyes of each judge."""
    from reproduction import standing

    return [
        line
        for judge, quality in _qualities(rows).items()
        for line in _ranks(standing.ranked(quality), judge)
    ]


def _of_judges(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each judge who has judged the method."""
    judged = rows[rows["method"] == METHOD]
    return {name: rows[rows["judge"] == name] for name in JUDGES if name in set(judged["judge"])}


def _qualities(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    from reproduction import standing

    return {judge: standing.over_sizes(each) for judge, each in _of_judges(rows).items()}


def _ranks(quality: pd.DataFrame, judge: str) -> list[str]:
    from inffs.comparison import summary
    from reproduction import standing

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


def _by_judge(rows: pd.DataFrame) -> list[str]:
    """The difference to the sister in the eyes of each judge."""
    from inffs.comparison import summary
    from reproduction import standing

    lines = [{"judge": JUDGES[judge], **standing.lead(quality, METHOD, SISTER)}
             for judge, quality in _qualities(rows).items() if SISTER in quality]  # fmt: skip
    if not lines:
        return []
    return [
        f"Points of accuracy of `{METHOD}` minus {SISTER}, by judge:",
        summary.markdown(pd.DataFrame(lines).drop(columns="leads")),
    ]


def rivals_of(quality: pd.DataFrame) -> list[str]:
    """The nearest rivals, and the sister that is to be led."""
    from reproduction import standing

    rivals = standing.nearest(quality, METHOD)
    return rivals if SISTER in rivals or SISTER not in quality else [*rivals, SISTER]


def _details(rows: pd.DataFrame) -> list[str]:
    from inffs.comparison import summary
    from reproduction import standing

    quality = standing.over_sizes(rows)
    rivals = rivals_of(quality)
    return [
        f"Points of accuracy of `{METHOD}` minus each of the nearest rivals, split by split "
        "(linear judge; the interval is of the mean over these data sets):",
        summary.markdown(standing.against(quality, METHOD, rivals)),
        "The same by the number of features and by the number of classes:",
        summary.markdown(standing.by_size(rows, METHOD, rivals)),
        summary.markdown(standing.by_classes(quality, METHOD, rivals)),
        "Stability (Nogueira, 50 features) and the processor time of a fit:",
        summary.markdown(standing.price(rows, METHOD, rivals)),
    ]


def _elsewhere(rows: pd.DataFrame, tuned: pd.DataFrame) -> list[str]:
    """The tables of those who do not stand in the ranks."""
    from inffs.comparison import summary
    from reproduction import standing

    quality = standing.over_sizes(rows)
    chosen = standing.with_tuned(quality, tuned, METHOD)
    tables = {
        _GUESTS: standing.against(quality, METHOD, standing.invited(quality)),
        _TUNED: standing.against(chosen, METHOD, [name for name in chosen if name != METHOD]),
    }
    shown = {title: table for title, table in tables.items() if len(table)}
    return [text for title, table in shown.items() for text in (title, summary.markdown(table))]


def _largest(rows: pd.DataFrame) -> list[str]:
    """The sets without a part in the ranks, in the eyes of each judge."""
    from inffs.comparison import summary
    from reproduction import standing

    found = [
        standing.apart(each, METHOD, SISTER).assign(judge=judge)
        for judge, each in _of_judges(rows).items()
    ]
    table = pd.concat(found)
    if table.empty:
        return []
    front = ["data set", "judge", "place", "methods", f"minus {SISTER}"]
    table = table[[*front, *(name for name in table if name not in front)]]
    return [_APART, summary.markdown(table.sort_values("data set", kind="stable"))]
