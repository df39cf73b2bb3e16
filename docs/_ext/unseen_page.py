"""How conditional paths stand on tables that had no part in any choice."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from comparison_facts import METHOD, NOTHING, RESULTS, SISTER, UNSEEN

CUTS = RESULTS.parent / "docs" / "data" / "unseen-cuts.csv"


def write(folder: Path, results: Path = RESULTS, unseen: Path = UNSEEN) -> None:
    """The evidence, what follows for the command, and what the cuts keep there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        "unseen": evidence(unseen),
        "default": decision(results, unseen),
        "unseen-cuts": cuts(),
    }
    for name, lines in made.items():
        (folder / f"{name}.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


def finished(results: Path, judge: str | None = "linear") -> pd.DataFrame | None:
    """The rows of a store with a result; None where there is none of the method."""
    from inffs.comparison import Store, summary

    if not results.is_dir():
        return None
    rows = summary.finished(Store(results).frame(judge=judge))
    return rows if METHOD in set(rows["method"]) else None


def evidence(unseen: Path) -> list[str]:
    """Ranks by every judge, the nearest rivals, and every table with what is lost there."""
    from standing_page import ranks_by_judge, rivals_of

    from inffs.comparison import summary
    from reproduction import standing

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
        f"Table by table, place among up to {found['methods'].max()} methods, the largest "
        "gain first:",
        summary.markdown(
            found[[f"minus {SISTER}", "place", "quality", "best other", "its quality"]]
            .join(tables, how="inner")
            .sort_values(f"minus {SISTER}", ascending=False)
            .reset_index()
        ),
    ]


def decision(results: Path, unseen: Path) -> list[str]:
    """Whether it leads on the benchmark's sets, on the unseen tables, and on both."""
    from inffs.comparison import summary
    from reproduction import standing

    rows = {"the benchmark's data sets": finished(results), "unseen tables": finished(unseen)}
    found = {title: standing.over_sizes(each) for title, each in rows.items() if each is not None}
    if len(found) == len(rows):
        found["both together"] = pd.concat(found.values())
    lines = [{"on": title, **standing.lead(quality, METHOD, SISTER)}
             for title, quality in found.items() if SISTER in quality]  # fmt: skip
    return [summary.markdown(pd.DataFrame(lines).replace({True: "yes", False: "no"}))]


def cuts(path: Path = CUTS) -> list[str]:
    """Where the rules cut, and how far the accuracy there is from that of the best fixed size."""
    from inffs.comparison import summary

    rows = pd.read_csv(path)
    fixed = rows[rows["asked"] != "auto"].groupby(["rule", "data set", "asked"])["accuracy"].mean()
    there = rows[rows["asked"] == "auto"].groupby(["rule", "data set"])
    table = pd.DataFrame({"size": there["size"].median(), "accuracy": there["accuracy"].mean()})
    table["difference"] = table["accuracy"] - fixed.groupby(["rule", "data set"]).max()
    rules = table.groupby("rule")
    found = pd.DataFrame({
        "tables": rules.size(), "median size": rules["size"].median().round(),
        "accuracy": rules["accuracy"].mean(),
        "minus the best fixed size": rules["difference"].mean(), "worst": rules["difference"].min(),
        "on": rules["difference"].idxmin().map(lambda place: place[1]),
    })  # fmt: skip
    return [summary.markdown(found.round(1).reset_index())]
