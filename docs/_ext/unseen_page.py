"""How conditional paths stand on tables that had no part in any choice."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from arena_facts import METHOD, NOTHING, RESULTS, SISTER, UNSEEN


def write(folder: Path, results: Path = RESULTS, unseen: Path = UNSEEN) -> None:
    """``unseen.md`` and ``default.md``: the evidence, and what follows for the command."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in {
        "unseen": evidence(unseen), "default": decision(results, unseen),
    }.items():  # fmt: skip
        (folder / f"{name}.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def finished(results: Path, judge: str | None = "linear") -> pd.DataFrame | None:
    """The rows of a store with a result; None where there is none of the method."""
    from inffs.arena import Store
    from inffs.arena.results import summary

    if not results.is_dir():
        return None
    rows = summary.finished(Store(results).frame(judge=judge))
    return rows if METHOD in set(rows["method"]) else None


def evidence(unseen: Path) -> list[str]:
    """Ranks by every judge, the nearest rivals, and every table with what is lost there."""
    from standing_page import ranks_by_judge, rivals_of

    from inffs.arena.results import standing, summary

    rows = finished(unseen, judge=None)
    if rows is None:
        return [NOTHING.replace("``", "`")]
    linear = rows[rows["judge"] == "linear"]
    quality = standing.over_sizes(linear)
    rivals = rivals_of(quality)
    tables = pd.read_csv(unseen / "tables.csv", index_col="data set")
    found = standing.set_by_set(quality, METHOD, SISTER).set_index("data set")
    return [
        *ranks_by_judge(rows),
        f"Points of accuracy of `{METHOD}` minus each of the nearest rivals (linear judge; the "
        "interval is of the mean over the tables), then by the number of features and of classes:",
        summary.markdown(standing.against(quality, METHOD, rivals)),
        summary.markdown(standing.by_size(linear, METHOD, rivals)),
        summary.markdown(standing.by_classes(quality, METHOD, rivals, tables["classes"].to_dict())),
        "Table by table, the largest gain first:",
        summary.markdown(
            tables.join(found.drop(columns=["splits", "ahead on splits"]), how="inner")
            .sort_values(f"minus {SISTER}", ascending=False)
            .reset_index()
        ),
    ]


def decision(results: Path, unseen: Path) -> list[str]:
    """Whether it leads on the benchmark's sets, on the unseen tables, and on both."""
    from inffs.arena.results import standing, summary

    rows = {"the benchmark's data sets": finished(results), "unseen tables": finished(unseen)}
    found = {title: standing.over_sizes(each) for title, each in rows.items() if each is not None}
    if len(found) == len(rows):
        found["both together"] = pd.concat(found.values())
    lines = [{"on": title, **standing.lead(quality, METHOD, SISTER)}
             for title, quality in found.items() if SISTER in quality]  # fmt: skip
    return [summary.markdown(pd.DataFrame(lines).replace({True: "yes", False: "no"}))]
