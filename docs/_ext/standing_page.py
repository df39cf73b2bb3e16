"""The ranks of conditional paths among all methods on the benchmark."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import METHOD, NOTHING, REFERENCE, RESULTS

SHOWN = 12
_APART = (
    "The ranks leave out the largest data sets, because too few methods have five splits there. "
    "These sets were not used to choose constants or rules:"
)
_THIRD_PARTY = (
    "Against selectors of other packages, on the sets on which they have five splits (slow "
    "selectors have few):"
)
_TUNED = (
    "Against methods whose parameters were chosen by cross-validation on the training part, "
    f"separately for every number of features (`{METHOD}` has no parameters to choose). "
    "SVM-RFE and its ensemble choose C among 0.0001, 0.001, 0.01, 0.1 and 1:"
)
EVALUATORS = {"linear": "a linear SVM", "rbf": "an RBF SVM", "knn": "five nearest neighbours"}


def write(folder: Path, results: Path = RESULTS) -> None:
    """``standing.md``: the evidence on the page of conditional paths."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = evidence(results)
    (folder / "standing.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def evidence(results: Path) -> list[str]:
    """Ranks by every evaluator, then details for the linear SVM."""
    from inffs.comparison import summary
    from reproduction.packed import PackedStore

    rows = summary.finished(PackedStore(results).frame(evaluator=None))
    if METHOD not in set(rows["method"]):
        return [NOTHING.replace("``", "`")]
    linear = rows[rows["evaluator"] == "linear"]
    tuned = summary.finished(PackedStore(results).frame(), "tuned")
    first, *others = ranks_by_evaluator(rows)
    return [
        *first,
        *folded("Other evaluators", [line for lines in others for line in lines]),
        *_differences(rows),
        *folded("Nearest rivals, stability and time", _details(linear)),
        *folded("Other packages, and methods with chosen parameters", _elsewhere(linear, tuned)),
        *folded("The largest data sets", _largest(rows)),
    ]


def folded(title: str, lines: list[str]) -> list[str]:
    """Lines that a reader can unfold; none for no lines."""
    return ["<details>", f"<summary>{title}</summary>", *lines, "</details>"] if lines else []


def ranks_by_evaluator(rows: pd.DataFrame) -> list[list[str]]:
    """The first methods by each evaluator."""
    from reproduction import standing

    return [
        _ranks(standing.ranked(quality), evaluator)
        for evaluator, quality in _qualities(rows).items()
    ]


def _by_name(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each evaluator that has results of the method."""
    judged = rows[rows["method"] == METHOD]
    return {
        name: rows[rows["evaluator"] == name]
        for name in EVALUATORS
        if name in set(judged["evaluator"])
    }


def _qualities(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    from reproduction import standing

    return {name: standing.over_sizes(each) for name, each in _by_name(rows).items()}


def _ranks(quality: pd.DataFrame, evaluator: str) -> list[str]:
    from reproduction import standing
    from reproduction.tables import markdown

    table, distance = standing.places(quality)
    if METHOD not in set(table["method"]):
        return []
    sets = quality.groupby("dataset").ngroups
    place = int(table.index[table["method"] == METHOD][0]) + 1
    shown = table[(table.index < SHOWN) | (table["method"] == METHOD)]
    return [
        f"**Evaluated by {EVALUATORS[evaluator]}**: rank {place} of {len(table)} methods with "
        f"results on all {sets} data sets. Average ranks closer than {distance:.1f} do not differ "
        f"significantly (Nemenyi, 5 %). The first {SHOWN} methods:",
        markdown(shown),
        *filter(None, [standing.without_place(quality, table)]),
    ]


def _differences(rows: pd.DataFrame) -> list[str]:
    """The difference to the reference method by each evaluator."""
    from reproduction import standing
    from reproduction.tables import markdown

    lines = [{"evaluator": EVALUATORS[name], **standing.lead(quality, METHOD, REFERENCE)}
             for name, quality in _qualities(rows).items() if REFERENCE in quality]  # fmt: skip
    if not lines:
        return []
    return [
        f"Points of accuracy of `{METHOD}` minus {REFERENCE}, by evaluator:",
        markdown(pd.DataFrame(lines).drop(columns="leads")),
    ]


def rivals_of(quality: pd.DataFrame) -> list[str]:
    """The nearest rivals, and the reference method."""
    from reproduction import standing

    rivals = standing.nearest(quality, METHOD)
    return rivals if REFERENCE in rivals or REFERENCE not in quality else [*rivals, REFERENCE]


def _details(rows: pd.DataFrame) -> list[str]:
    from reproduction import standing
    from reproduction.tables import markdown

    quality = standing.over_sizes(rows)
    rivals = rivals_of(quality)
    return [
        f"Points of accuracy of `{METHOD}` minus each of the nearest rivals, split by split "
        "(linear SVM; the interval is of the mean over these data sets):",
        markdown(standing.against(quality, METHOD, rivals)),
        "The same by the number of features and by the number of classes:",
        markdown(standing.by_size(rows, METHOD, rivals)),
        markdown(standing.by_classes(quality, METHOD, rivals)),
        "Stability (Nogueira, 50 features) and the processor time of a fit:",
        markdown(standing.price(rows, METHOD, rivals)),
    ]


def _elsewhere(rows: pd.DataFrame, tuned: pd.DataFrame) -> list[str]:
    """Tables of the methods that the ranks leave out."""
    from reproduction import standing
    from reproduction.tables import markdown

    quality = standing.over_sizes(rows)
    chosen = standing.with_tuned(quality, tuned, METHOD)
    tables = {
        _THIRD_PARTY: standing.against(quality, METHOD, standing.third_party_methods(quality)),
        _TUNED: standing.against(chosen, METHOD, [name for name in chosen if name != METHOD]),
    }
    shown = {title: table for title, table in tables.items() if len(table)}
    return [text for title, table in shown.items() for text in (title, markdown(table))]


def _largest(rows: pd.DataFrame) -> list[str]:
    """The sets that the ranks leave out, by each evaluator."""
    from reproduction import standing
    from reproduction.tables import markdown

    found = [
        standing.outside_ranks(each, METHOD, REFERENCE).assign(evaluator=name)
        for name, each in _by_name(rows).items()
    ]
    table = pd.concat(found)
    if table.empty:
        return []
    front = ["data set", "evaluator", "place", "methods", f"minus {REFERENCE}"]
    table = table[[*front, *(name for name in table if name not in front)]]
    return [_APART, markdown(table.sort_values("data set", kind="stable"))]
