"""The report of a comparison: one self-contained HTML page and CSV tables."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from inffs._utils.files import write_text
from inffs.comparison import summary
from inffs.comparison.methods import BASELINES
from inffs.comparison.protocol import Protocol
from inffs.comparison.runner import status
from inffs.comparison.standings import recommend
from inffs.comparison.store import Plans, Store
from inffs.comparison.trial import DONE
from inffs.report._charts import Picture, Scale, spread
from inffs.report._outputs import fill

TITLES = {
    "best": (
        "Every method at its best size",
        "The interval is that of the mean over the splits. The best size is chosen afterwards, so "
        "its score is slightly too high; the recommendation above is corrected for this.",
    ),
    "not-done": ("Skipped and failed", "The trials without a result, and the reasons."),
    "progress": ("Progress", "The trials of the last command."),
    "results": ("Every method at every size", "Means over the splits, as fractions."),
}
LONG = {"results"}  # folded on the page
_HEADS = {"dataset": "data set", "n_features": "selected features", "left": "trials left"}
_IN_PERCENT = {"from", "to"}  # as the column before them
_COLOURED, _GAP = 5, 15  # methods in a colour, pixels between two names


def write_run_report(folder: str | Path, out: str | Path | None = None) -> Path:
    """Write ``report.html`` and ``tables/`` for the results in a folder.

    Parameters
    ----------
    folder : str or Path
        The folder of the results.
    out : str or Path, optional
        Where to write; default: there.

    Returns
    -------
    Path
        The page.

    See Also
    --------
    compare : Compares the methods.

    Examples
    --------
    >>> from inffs.comparison import write_run_report
    >>> write_run_report("results").name  # doctest: +SKIP
    'report.html'
    """
    store = Store(folder)
    frame = store.frame()
    if frame.empty or not (frame["status"] == DONE).any():
        raise ValueError(f"{folder} holds no results yet: compare methods first.")
    out = Path(out or folder)
    out.mkdir(parents=True, exist_ok=True)
    table = summary.means(frame, main_setting(frame))
    tables = {"best": best_of(table), "not-done": not_done(frame),
              "progress": status(folder).round(2), "results": table}  # fmt: skip
    write_tables(tables, out / "tables")
    write_text(out / "report.html", render(frame, store.plans(), tables))
    return out / "report.html"


def main_setting(frame: pd.DataFrame) -> str:
    """Return "paper", or "tuned" if only tuned methods were compared."""
    done = set(frame.loc[frame["status"] == DONE, "setting"])
    return "tuned" if "tuned" in done and "paper" not in done else "paper"


def best_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return every method at its best size, best first."""
    best = summary.best_sizes(table)
    best = best.sort_values(["dataset", "score"], ascending=[True, False], kind="stable")
    named = summary.measure_of(best)
    share = {f"{named} (%)": "score", "from": "low", "to": "high"}
    return pd.DataFrame({
        "method": best["method"], "data set": best["dataset"], "features": best["n_features"],
        **{name: (100 * best[column]).round(1) for name, column in share.items()},
        "splits": best["splits"], "fit (s)": best["fit_seconds"], "stability": best["nogueira"],
        "peak memory (MiB)": best["peak_mib"],
    })  # fmt: skip


def not_done(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the trials that were skipped or failed, and the reasons."""
    rows = frame[frame["status"] != DONE]
    columns = ["dataset", "setting", "method", "status", "reason"]
    found = rows.groupby(columns, as_index=False)["split"].count()
    return found.rename(columns={"split": "splits"})


def write_tables(tables: dict[str, pd.DataFrame], folder: Path) -> None:
    """Write CSV files, one per table."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", table.to_csv(index=False, float_format="%.6g"))


def render(frame: pd.DataFrame, plans: Plans, tables: dict[str, pd.DataFrame]) -> str:
    """Return the page as text; names are data and never markup."""
    names = sorted(frame.loc[frame["challenge"] == "own", "dataset"].unique())
    measure = summary.plain_measure(summary.finished(frame, main_setting(frame)))
    return fill(
        "inffs.comparison",
        "page.html.j2",
        ("page", "sortable", "copy"),
        title=f"Which method for {', '.join(names)}?" if names else "Comparison of methods",
        meta=_meta(frame),
        recommendations=[_recommendation(frame, plans, name) for name in names],
        protocol=_protocol_text(plans),
        measure=f"{measure[:1].upper()}{measure[1:]}",
        charts=list(score_charts(tables["results"])),
        tables=[as_cells(name, table) for name, table in tables.items() if len(table)],
    )


def _meta(frame: pd.DataFrame) -> str:
    """What was compared, in one line."""
    sets = frame.drop_duplicates("dataset")
    first = sets.iloc[0]
    text = f"{first['samples']:,} samples · {first['features']:,} features"
    text = text if len(sets) == 1 else f"{len(sets)} data sets"
    return f"{text} · {frame['method'].nunique()} methods · {datetime.date.today().isoformat()}"


def _recommendation(frame: pd.DataFrame, plans: Plans, name: str) -> dict[str, Any]:
    setting = main_setting(frame[frame["dataset"] == name])
    found = recommend(frame, name, setting, plan=plans.get((name, setting)))
    first, *rest = found.sentences()
    return {
        "dataset": name,
        "first": first,
        "sentences": [sentence.replace(" %", "\u00a0%") for sentence in rest],
        "tiles": found.tiles(),
        "code": found.code,
    }


def _protocol_text(plans: Plans) -> str:
    """How the tables were split and the features evaluated."""
    details = [plan.details for plan in plans.values() if plan.details]
    protocol = Protocol.of_details(details[0] if details else {})
    splits = "Stratified 70 / 30 splits"
    if protocol.test_folds:
        splits = f"Stratified {protocol.test_folds}-fold cross-validation, repeated with new folds"
    scale = f" and the scale ({protocol.scale})" if protocol.scale else ""
    tuned = "every parameter is chosen there" if protocol.tuned else "parameters are the defaults"
    others = f" Further evaluators: {', '.join(protocol.evaluators[1:])}."
    return (
        f"{splits}. Imputation{scale} and ranking are fitted on the training part only; {tuned}. "
        "A linear SVM (ridge regression for numbers, a ridge Cox model for survival times) "
        "evaluates the selected features; its penalty is chosen by cross-validation within the "
        f"training part.{others if len(protocol.evaluators) > 1 else ''} Intervals in the tables "
        "are 95 %, of the mean over the splits, corrected for overlapping training parts."
    )


def as_cells(name: str, table: pd.DataFrame) -> dict[str, Any]:
    """Return a table for the template: title, note, heads and rows of cells."""
    title, note = TITLES[name]
    columns = list(table.columns)
    rows = [
        [_cell(column, value) for column, value in zip(columns, row, strict=True)]
        for row in table.itertuples(index=False)
    ]
    heads = [
        {
            "text": _HEADS.get(column, column.replace("_", " ")),
            "mark": "" if pd.api.types.is_string_dtype(table[column]) else "num",
        }
        for column in columns
    ]
    return {"name": name, "title": title, "note": note, "heads": heads, "rows": rows,
            "long": name in LONG}  # fmt: skip


def _cell(column: str, value: Any) -> dict[str, Any]:
    """Text, its mark, and the value that it is sorted by where it is a number."""
    if isinstance(value, str):
        return {"text": value, "mark": "", "value": None}
    if pd.isna(value):
        return {"text": "-", "mark": "num", "value": None}
    text = str(value)
    if column.endswith("(%)") or column in _IN_PERCENT:
        text = f"{value:.1f}"
    elif isinstance(value, float):
        text = str(round(value)) if abs(value) >= 1000 else f"{value:.3g}"
    return {"text": text, "mark": "num", "value": repr(float(value))}


def methods_by_class(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return the methods that use labels and those that do not, baselines with each of them."""
    kinds = table.drop_duplicates("method").set_index("method")["supervised"]
    baselines = [name for name in kinds.index if name in BASELINES]
    return {
        title: [name for name in kinds.index[kinds == supervised] if name not in baselines]
        + baselines
        for title, supervised in (("unsupervised", False), ("supervised", True))
    }


def fixed_sizes(table: pd.DataFrame, challenge: tuple[str, ...] | str) -> list[str]:
    """Return the sizes asked for on the data sets of a challenge, in rising order."""
    names = (challenge,) if isinstance(challenge, str) else challenge
    mine = table[table["challenge"].isin(names) & ~table["asked"].isin(["auto", "all"])]
    order = mine.groupby("asked")["n_features"].mean().sort_values()
    return list(order.index)


def score_charts(table: pd.DataFrame) -> Iterator[tuple[str, Markup]]:
    """Yield a caption and a chart per data set and class of methods: scores against sizes."""
    for name, mine in table.groupby("dataset"):
        sizes = fixed_sizes(mine, tuple(mine["challenge"].unique()))
        curves = summary.curves(mine, [name], sizes).dropna()
        whole = summary.grid(mine, "all", [name])
        if "all" in whole and not curves.empty:
            curves.loc["all"] = whole["all"].mean()
        for title, methods in methods_by_class(mine).items():
            shown = curves.loc[[method for method in methods if method in curves.index]]
            if not set(shown.index) <= set(BASELINES):
                yield f"{name}, {title} methods", curve_chart(shown, summary.measure_of(mine))


def curve_chart(curves: pd.DataFrame, measure: str) -> Markup:
    """Draw a line per method (row) over the sizes (columns), with its name at its end.

    The Inf-FS are bold, baselines dotted. Of the other methods the best are coloured.
    """
    order = curves.mean(axis=1).sort_values(ascending=False).index
    rivals = [name for name in order if name not in BASELINES and not name.startswith("inf-fs")]
    kinds = {name: f"bump c{place}" for place, name in enumerate(rivals[:_COLOURED])}
    values, height = curves.to_numpy(), max(338, 60 + _GAP * len(curves))
    picture = Picture(
        640, height, f"{measure} against the number of features",
        f"Best on average: {order[0]}. The table of all results has the numbers.",
    )  # fmt: skip
    x = Scale(0, max(curves.shape[1] - 1, 1), 56, 470)
    # one method that fails at one size leaves the picture instead of flattening all others
    top, middle = np.nanmax(values), np.nanmedian(values)
    low = max(np.nanmin(values), middle - 5 * max(top - middle, 0.01))
    y = Scale(low, max(top, low + 0.01), height - 56, 34)
    for value in y.ticks():
        picture.line(x.start, y(value), x.stop, y(value), "rule")
        words = f"{value:.2f}" if measure in summary.NO_INFORMATION else f"{100 * value:.4g} %"
        picture.text(x.start - 7, y(value) + 4, words, "tick end")
    for place, size in enumerate(curves.columns):
        picture.text(x(place), height - 36, str(size), "tick mid")
    picture.text((x.start + x.stop) / 2, height - 12, "number of features", "name mid")
    picture.text(8, 18, measure, "name")
    lines = np.clip(values, low, None)
    ends = [y(float(value)) for value in lines[:, -1]]
    labels = spread(ends, _GAP, height - 40.0)
    for name, line, end, label in zip(curves.index, lines, ends, labels, strict=True):
        usual = "ours" if name.startswith("inf-fs") else "baseline"
        kind = kinds.get(name, usual if name in BASELINES or usual == "ours" else "rest")
        picture.curve(x(np.arange(line.size)), y(line), f"method {kind}")
        picture.line(x.stop + 2, end, x.stop + 14, label, f"method {kind}")
        picture.text(x.stop + 18, label + 4, name, "tick ours" if usual == "ours" else "tick")
    return picture.render()
