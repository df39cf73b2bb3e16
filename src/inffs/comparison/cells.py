"""Tables as the page shows them: titles, notes, and cells that can be sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

TITLES = {
    "best": (
        "Every method at its best size",
        "The interval is of the mean over the splits. The best of many is chosen after the fact, "
        "so its accuracy is a little too good to be true; the answer above pays for that.",
    ),
    "table-3": (
        "Table 3: automatic subsets",
        "Size and accuracy in percent of the subset that a method chooses by itself, and of its "
        "best fixed size; the paper's numbers beside ours, the differences coloured.",
    ),
    "table-1": (
        "Cost of a fit",
        "Processor time of one fit in seconds, one thread (by the clock where only that was "
        "recorded).",
    ),
    "tests": (
        "Are the methods different at all?",
        "Friedman's test over the data sets; and "
        "who differs from Inf-FS at 5 % (Wilcoxon with Holm's correction; five sets are too few).",
    ),
    "tuned": (
        "Rivals tuned on an equal footing",
        "The second setting: every rival with parameters chooses them by cross-validation on the "
        "training part, as Inf-FS does in both settings. Mean accuracy over the sizes in percent, "
        "on the sets and splits that both settings have; the gain with its 95 % interval; in how "
        "many percent of the trials and sizes the choice changes the picks. Lines of different "
        "sets do not compare. Methods without parameters to choose gain nothing.",
    ),
    "not-done": ("Skipped and failed", "What has no result, and why."),
    "progress": ("How far the run has come", ""),
    "results": ("Every method at every size", "Means over the splits, as fractions."),
    "results-tuned": (
        "Every method at every size, rivals tuned",
        "Means over the splits of the second setting, as fractions.",
    ),
}
EXPONENT = (
    " The exponent is that of a power of n fitted to small made-up tables, where fixed costs lower "
    "it."
)
LONG = {"results", "results-tuned"}  # folded on the page
TABLE_3_NAMES = {
    "dataset": "data set", "paper_size": "paper's size", "paper_accuracy": "paper's accuracy",
    "difference": "difference", "best_size": "best fixed size", "paper_best_size": "paper's best",
    "best_accuracy": "its accuracy", "paper_best_accuracy": "paper's at its best",
    "best_difference": "difference at best",
}  # fmt: skip
_SIGNED = {"difference", "difference at best"}
_SHARES = {"from", "to"}  # in percent, as the column before them


def shown_table_3(table: pd.DataFrame) -> pd.DataFrame:
    """Ours and the paper's side by side, in words."""
    order = ["dataset", "method", "size", "paper_size", "accuracy", "paper_accuracy", "difference",
             "best_size", "paper_best_size", "best_accuracy", "paper_best_accuracy",
             "best_difference"]  # fmt: skip
    shown = table[order].round(dict.fromkeys(order[2:], 1))
    return shown.rename(columns=TABLE_3_NAMES)


def as_cells(name: str, table: pd.DataFrame) -> dict[str, Any]:
    """A table for the template: title, note, heads and rows of cells."""
    title, note = TITLES[name]
    note += EXPONENT if "measured exponent of n" in table else ""
    table = shown_table_3(table) if name == "table-3" else table
    columns = list(table.columns)
    rows = [
        [_cell(column, value) for column, value in zip(columns, row, strict=True)]
        for row in table.itertuples(index=False)
    ]
    heads = [{"text": column, "mark": _kind(table[column])} for column in columns]
    return {"name": name, "title": title, "note": note, "heads": heads, "rows": rows,
            "long": name in LONG}  # fmt: skip


def _kind(column: pd.Series) -> str:
    return "" if pd.api.types.is_string_dtype(column) else "num"


def _cell(column: str, value: Any) -> dict[str, Any]:
    """Text, its mark, and the value that it is sorted by where it is a number."""
    if isinstance(value, str):
        return {"text": value, "mark": "", "value": None}
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return {"text": "-", "mark": "num", "value": None}
    text, mark = str(value), "num"
    if column in _SIGNED:
        text, mark = f"{value:+z.1f}", f"num {'better' if value >= 0 else 'worse'}"
    elif column.endswith("(%)") or column in _SHARES:
        text = f"{value:.1f}"
    elif isinstance(value, float):
        text = str(round(value)) if abs(value) >= 1000 else f"{value:.3g}"
    return {"text": text, "mark": mark, "value": repr(float(value))}
