"""The ranks of conditional paths on tables that were not used to develop them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import (
    METHOD,
    NOTHING,
    REFERENCE,
    UNSEEN,
    gains_of_curves,
    with_error,
)


def write(folder: Path, unseen: Path = UNSEEN) -> None:
    """``unseen.md``: the evidence on public tables."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unseen.md").write_text("\n\n".join(evidence(unseen)) + "\n", encoding="utf-8")


def finished(results: Path, evaluator: str | None = "linear") -> pd.DataFrame | None:
    """The rows of a store with a result; None where there is none of the method."""
    from inffs.comparison import summary
    from reproduction.packed import PackedStore

    if not results.is_dir():
        return None
    rows = summary.finished(PackedStore(results).frame(evaluator=evaluator))
    return rows if METHOD in set(rows["method"]) else None


def evidence(unseen: Path) -> list[str]:
    """Ranks by every evaluator, the nearest rivals, and every table, losses included."""
    from standing_page import folded, ranks_by_evaluator, rivals_of

    from reproduction import standing
    from reproduction.tables import markdown

    rows = finished(unseen, evaluator=None)
    if rows is None:
        return [NOTHING.replace("``", "`")]
    linear = rows[rows["evaluator"] == "linear"]
    quality = standing.over_sizes(linear)
    rivals = rivals_of(quality)
    tables = pd.read_csv(unseen / "tables.csv", index_col="data set")
    found = standing.set_by_set(quality, METHOD, REFERENCE).set_index("data set")
    first, *others = ranks_by_evaluator(rows)
    parts = (
        standing.by_size(linear, METHOD, rivals),
        standing.by_classes(quality, METHOD, rivals, tables["classes"].to_dict()),
    )
    return [
        *first,
        *folded("Another evaluator", [line for lines in others for line in lines]),
        f"Points of accuracy of `{METHOD}` minus each of the nearest rivals (linear SVM; the "
        "interval is of the mean over the tables):",
        markdown(standing.against(quality, METHOD, rivals)),
        *folded("By the number of features and of classes", [markdown(part) for part in parts]),
        *_curves(rows, unseen),
        f"Table by table, place among up to {found['methods'].max()} methods, the largest "
        "gain first:",
        markdown(
            found[[f"minus {REFERENCE}", "place", "score", "best other", "its score"]]
            .join(tables, how="inner")
            .sort_values(f"minus {REFERENCE}", ascending=False)
            .reset_index()
        ),
    ]


NAMES = {"linear": "a linear SVM", "knn": "five nearest neighbours"}


def _curves(rows: pd.DataFrame, unseen: Path) -> list[str]:
    """What curves and pairs add to straight lines, the largest losses and gains included."""
    sentences = []
    for key, name in NAMES.items():
        gains = gains_of_curves(rows[rows["evaluator"] == key], unseen)
        if gains is None or gains.empty:
            continue
        ends = [f"{table} {gain:+.1f}" for table, gain in gains.sort_values().items()]
        sentences.append(
            f"Evaluated by {name}, curves and pairs change the accuracy on {len(gains)} of these "
            f"tables by {with_error(gains)} points (95 % interval): better on {(gains > 0).sum()}, "
            f"worse on {(gains < 0).sum()}. The largest losses are {', '.join(ends[:3])}, the "
            f"largest gains {', '.join(ends[:-4:-1])}."
        )
    return [" ".join(sentences)] if sentences else []
