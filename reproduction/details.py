"""The page of details: figures and tables of everything measured, written from the store."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from inffs.comparison import page, summary
from reproduction import datasets, findings, tables
from reproduction.datasets import plain_name
from reproduction.figures import DETAILED, pictures
from reproduction.paper import CHOSEN, as_read
from reproduction.third_party import THIRD_PARTY
from reproduction.verdicts import wanted_splits

_TABLE_3 = (
    "The table shows the size and the accuracy (in percent) of the subset that a method chooses by "
    "itself, and of its best fixed size. The paper's numbers stand beside ours."
)
_COST = (
    "The cost of one fit on T samples, n features and G classes. The last column is the exponent "
    "of a power of n that was fitted to the processor times on small made tables. Fixed costs "
    "lower it on such tables."
)
_TESTS = (
    "The table shows Friedman's test over the data sets, and the methods that differ from Inf-FS "
    "at 5 % (Wilcoxon's test with Holm's correction)."
)
_TUNED = (
    "The second setting: every method with parameters chooses them by cross-validation on the "
    "training part, as Inf-FS does in both settings. The table shows the mean accuracy over the "
    "sizes in percent, on the sets and splits that both settings have, and the gain with its 95 % "
    "interval. The last column is the percentage of selections that the choice changes. Compare "
    "numbers within a line only, because lines have different sets."
)


def as_markdown(
    folder: str | Path, every: pd.DataFrame, frame: pd.DataFrame, drawn: list[str]
) -> str:
    """The text of the second page: everything measured, and what is missing."""
    table = as_read(summary.means(frame[frame["kind"] != "third-party"]), CHOSEN)
    parts = [
        "---\norphan: true\n---",
        "# The paper's experiments, run again: details",
        "This page holds the tables and figures behind the [reproduction](reproduction.md).",
        *pictures(drawn, DETAILED),
        "## Table 3: automatic subsets",
        _TABLE_3,
        tables.markdown(_table_3(table)),
        "## VOC 2007 on its published split",
        "The methods were trained on trainval and tested on test. The table shows the mean average "
        "precision in percent, also with precision read at eleven points as in the challenge of "
        "2007. This is one split, and C was chosen in steps of ten on one held-out part. Methods "
        "with different C are therefore not comparable to a point. The claims rest on the random "
        "splits.",
        tables.markdown(findings.on_published_split(frame)),
        "## Table 1: cost",
        _COST,
        tables.markdown(_costs(frame, table)),
        "## Are the differences real?",
        _TESTS,
        tables.markdown(tables.test_table(table).round(4)),
        "## Rivals tuned on an equal footing",
        _TUNED,
        _tuned(frame),
        "## Third-party methods",
        "The table shows selectors of other packages on the same splits: the mean accuracy over "
        "the sizes, in percent." + _third_party_splits(frame),
        tables.markdown(tables.third_party(as_read(summary.means(frame), CHOSEN))),
        "## Other evaluators",
        "The table shows the method with the best mean over the sizes, by another evaluator and by "
        "the linear SVM on the same selections. The linear SVM decides the claims.",
        tables.markdown(findings.of_evaluators(every)),
        "## Baselines",
        "The table shows the accuracy in percent with 50 features (10 % of the network features).",
        tables.markdown(_baselines(table)),
        "## How far the run has come",
        "Two files list [the splits and trials done](reproduction/progress.csv) and "
        "[what is missing](reproduction/missing.csv).",
    ]
    return "\n\n".join(parts) + "\n"


def progress(folder: str | Path, frame: pd.DataFrame) -> pd.DataFrame:
    """How far every run has come, with where its data come from."""
    state = tables.progress(folder, frame, THIRD_PARTY)
    if state.empty:
        return state
    known = {entry.name: entry for entry in datasets.known()}
    entries = [known.get(plain_name(name.removesuffix(" (log)"))) for name in state["data set"]]
    columns = (state["data set"], state["setting"], state["splits planned"])
    state["splits planned"] = [wanted_splits(*row) for row in zip(*columns, strict=True)]
    state.insert(2, "data", [each.status if each else "made for this" for each in entries])
    state["remark"] = [each.note if each else "" for each in entries]
    return state


def _costs(frame: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    costs = tables.cost_table(table, tables.growth(summary.means(frame, "growth")))
    keep = [name for name in costs.columns if not name.startswith("s on ")]
    return costs[keep].round(2)


def _table_3(table: pd.DataFrame) -> pd.DataFrame:
    rows = tables.table_3(table)
    if rows.empty:
        return rows
    shown = tables.shown_table_3(rows)
    for column in ("difference", "difference at best"):
        shown[column] = [_coloured(value) for value in shown[column]]
    return shown


def _coloured(value: float) -> str:
    if pd.isna(value):
        return "-"
    return f'<span class="{"better" if value >= 0 else "worse"}">{value:+z.1f}</span>'


def _tuned(frame: pd.DataFrame) -> str:
    rows = summary.finished(frame, "tuned")
    if rows.empty:
        return "No results yet: `python -m reproduction run --tuned --out results` makes them."
    splits = rows.groupby("dataset")["split"].nunique()
    text = ", ".join(f"{name} {count}" for name, count in splits.items())
    gains = tables.markdown(tables.tuned_gain(frame))
    return f"Splits: {text}.\n\n{gains}"


def _third_party_splits(frame: pd.DataFrame) -> str:
    """How many splits third-party methods have of every data set; "" without them."""
    rows = summary.finished(frame[frame["kind"] == "third-party"])
    counts = rows.groupby(["dataset", "method"])["split"].nunique()
    each = [f"{name} {tables.range_of(splits)}" for name, splits in counts.groupby("dataset")]
    return f" Splits: {', '.join(each)}." if each else ""


def _baselines(table: pd.DataFrame) -> pd.DataFrame:
    """All features, random and variance beside both forms of Inf-FS, at 50 features."""
    rows = table[table["asked"].isin(["50", "all", "10%"])]
    pivot = rows.pivot_table(index="dataset", columns="method", values="score")
    names = [n for n in ("all", "random", "variance", "inf-fs-u", "inf-fs-s") if n in pivot]
    shown, rivals = (100 * pivot[names]).round(1), pivot.drop(columns=names)
    have = rivals.notna().any(axis=1)
    shown["best rival"] = rivals[have].idxmax(axis=1).reindex(pivot.index, fill_value="-")
    shown["its accuracy"] = (100 * rivals[have].max(axis=1)).round(1)
    return shown.reset_index()


def missing(folder: str | Path, frame: pd.DataFrame) -> pd.DataFrame:
    """What is not done, was skipped or failed, and why."""
    state = progress(folder, frame)
    lines = [
        (row["data set"], row["setting"], f"{row['methods']} methods",
         f"{row['splits done']} of {row['splits planned']} splits done")
        for _, row in state.iterrows()
        if row["left"] or int(row["splits done"].split()[-1]) < row["splits planned"]
    ]  # fmt: skip
    lines += [
        (row["dataset"], row["setting"], row["method"], f"{row['status']}, {row['reason']}")
        for _, row in page.not_done(frame).iterrows()
    ]
    planned = {plain_name(name) for name in state["data set"]} if len(state) else set()
    lines += [(entry.name, "", "", "not run yet")
              for entry in datasets.known() if entry.name not in planned]  # fmt: skip
    return pd.DataFrame(lines, columns=["data set", "setting", "method", "what"])
