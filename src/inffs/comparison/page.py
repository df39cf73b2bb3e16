"""The report of a run: one self-contained HTML page, figures and CSV tables."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from inffs._utils.files import write_text
from inffs._version import __version__
from inffs.comparison import figures as drawn
from inffs.comparison import summary
from inffs.comparison.cells import as_cells
from inffs.comparison.plan import read_plans
from inffs.comparison.protocol import Protocol
from inffs.comparison.recommendation import recommend
from inffs.comparison.run_status import status
from inffs.comparison.store import Store
from inffs.comparison.trial import DONE
from inffs.methods import catalogue
from inffs.report._assets import hash_of, join_scripts, read_asset

_SCRIPTS = ("page", "sortable", "copy")
CAPTIONS = {
    "time": "Accuracy at each method's best size against the time of a fit: up and to the left "
    "is better.",
    "stability": "Accuracy at each method's best size against the stability of the selection: up "
    "and to the right is better.",
    "own": "Quality against the number of features, means over the splits.",
}


def write_run_report(folder: str | Path, out: str | Path | None = None) -> Path:
    """Write ``report.html``, ``figures/`` and ``io/`` for the results in a folder.

    Parameters
    ----------
    folder : str or Path
        Of the results.
    out : str or Path, optional
        Where to write; default: there.

    Returns
    -------
    Path
        Of the page.

    See Also
    --------
    compare : Runs and answers.

    Examples
    --------
    >>> from inffs.comparison import write_run_report
    >>> write_run_report("results").name  # doctest: +SKIP
    'report.html'
    """
    frame = Store(folder).frame()
    if frame.empty or not (frame["status"] == DONE).any():
        raise ValueError(f"{folder} holds no results yet: run a comparison first.")
    out = Path(out or folder)
    out.mkdir(parents=True, exist_ok=True)
    figures = figures_of(frame)
    drawn.save(figures, out / "figures")
    tables = tables_of(frame)
    write_tables(tables, out / "tables")
    page = render(folder, frame, [out / "figures" / f"{name}.png" for name in figures], tables)
    write_text(out / "report.html", page)
    return out / "report.html"


def figures_of(frame: pd.DataFrame) -> dict[str, Any]:
    """One panel for each table; score against time and against stability."""
    table = summary.means(frame, main_setting(frame))
    names = tuple(sorted(table["dataset"].unique()))
    figures = {
        "own": drawn.per_set(table, names),
        "time": drawn.against_time(table, names),
        "stability": drawn.against_stability(table, names),
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def main_setting(frame: pd.DataFrame) -> str:
    """The paper's setting, or the tuned one where only that was run."""
    done = set(frame.loc[frame["status"] == DONE, "setting"])
    return "tuned" if "tuned" in done and "paper" not in done else "paper"


def tables_of(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table of the report, by the name of its file."""
    table = summary.means(frame)
    found = {
        "best": best_of_own(summary.means(frame, main_setting(frame))),
        "table-1": cost_table(table),
        "not-done": not_done(frame),
        "results": table,
    }
    if len(tuned := summary.means(frame, "tuned")):
        found |= {"tuned": summary.tuned_gain(frame), "results-tuned": tuned}
    return {name: each for name, each in found.items() if not each.empty}


def best_of_own(table: pd.DataFrame) -> pd.DataFrame:
    """Every method at its best size on the user's own tables, best first."""
    best = summary.best_sizes(table[table["challenge"] == "own"])
    best = best.sort_values(["dataset", "quality"], ascending=[True, False], kind="stable")
    named = summary.measure_of(best)
    share = {f"{named} (%)": "quality", "from": "low", "to": "high"}
    return pd.DataFrame({
        "method": best["method"], "data set": best["dataset"], "features": best["n_features"],
        **{name: (100 * best[column]).round(1) for name, column in share.items()},
        "splits": best["splits"], "fit (s)": best["fit_seconds"], "stability": best["nogueira"],
        "peak memory (MiB)": best["peak_mib"],
    })  # fmt: skip


def _caption(name: str, frame: pd.DataFrame) -> str:
    measure = summary.plain_measure(summary.finished(frame, main_setting(frame)))
    return CAPTIONS[name].replace("Accuracy", measure[:1].upper() + measure[1:])


def cost_table(table: pd.DataFrame, slopes: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Table 1: stated costs beside the time that was measured and how it grows."""
    slopes = {} if slopes is None else slopes
    measured = table[~table["dataset"].str.endswith(" (log)")]
    seconds = measured.groupby(["method", "dataset"])["cpu_seconds"].max().unstack()
    lines = [
        {
            "method": entry.key,
            "kind": entry.kind,
            "class": "supervised" if entry.supervised else "unsupervised",
            "cost in the paper": entry.paper_cost or "-",
            "cost here": entry.cost,
            "measured exponent of n": slopes.get(entry.key, np.nan),
            **{f"s on {name}": seconds.loc[entry.key, name] for name in seconds.columns},
        }
        for entry in catalogue()
        if entry.key in seconds.index
    ]
    return pd.DataFrame(lines).dropna(axis=1, how="all")


def not_done(frame: pd.DataFrame) -> pd.DataFrame:
    """What was skipped or failed, and why."""
    rows = frame[frame["status"] != DONE]
    columns = ["dataset", "setting", "method", "status", "reason"]
    found = rows.groupby(columns, as_index=False)["split"].count()
    return found.rename(columns={"split": "splits"})


def progress(
    folder: str | Path, frame: pd.DataFrame, without: Collection[str] = ()
) -> pd.DataFrame:
    """How far every data set of the plan has come: splits done of those planned, and what fell."""
    rows = frame[(frame["status"] == DONE) & ~frame["method"].isin(without)]
    lines = []
    for _, row in status(folder, without).iterrows():
        mine = rows[(rows["dataset"] == row["dataset"]) & (rows["setting"] == row["setting"])]
        splits = mine.groupby("method")["split"].nunique()
        lines.append({
            "data set": row["dataset"], "setting": row["setting"], "methods": len(splits),
            "splits done": range_of(splits), "splits planned": row["splits"],
            "trials done": row["done"], "skipped": row["skipped"], "failed": row["failed"],
            "left": row["left"],
        })  # fmt: skip
    return pd.DataFrame(lines)


def range_of(counts: pd.Series) -> str:
    """Number of splits of the methods: "20", or "5 to 20" where slow ones got fewer."""
    if counts.empty:
        return "0"
    low, high = counts.min(), counts.max()
    return str(high) if low == high else f"{low} to {high}"


def missing_lines(folder: str | Path, frame: pd.DataFrame) -> list[str]:
    """What the plan has and the results have not, in words."""
    lines = []
    for _, row in status(folder).iterrows():
        if row["left"]:
            lines.append(
                f"{row['dataset']} ({row['setting']}): {row['left']} of {row['planned']} trials "
                "are still to run."
            )
    for _, row in not_done(frame).iterrows():
        lines.append(f"{row['method']} on {row['dataset']}: {row['status']}, {row['reason']}.")
    return lines


def write_tables(tables: dict[str, pd.DataFrame], folder: Path) -> None:
    """CSV files, one per table."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", table.to_csv(index=False, float_format="%.6g"))


def render(
    folder: str | Path,
    frame: pd.DataFrame,
    pictures: list[Path],
    tables: dict[str, pd.DataFrame],
) -> str:
    """The page as text; names are data and never markup."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    own = sorted(frame.loc[frame["challenge"] == "own", "dataset"].unique())
    tables = {**tables, "progress": progress(folder, frame)}
    script = join_scripts(_SCRIPTS)
    return environment.get_template("page.html").render(
        title=f"Which method for {', '.join(own)}?" if own else "Comparison of methods",
        meta=_meta(frame),
        version=__version__,
        style=Markup(read_asset("report.css")),
        script=Markup(script),
        script_hash=hash_of(script),
        answers=[_answer(folder, frame, name) for name in own],
        protocol=protocol_words(folder),
        missing=missing_lines(folder, frame),
        figures=[
            {"name": path.stem, "caption": _caption(path.stem, frame), "data": _as_text(path)}
            for path in pictures
        ],
        tables=[as_cells(name, table) for name, table in tables.items() if len(table)],
    )


def _meta(frame: pd.DataFrame) -> str:
    """What was compared, in one line."""
    sets = frame.drop_duplicates("dataset")
    if len(sets) == 1:
        first = sets.iloc[0]
        text = f"{first['samples']:,} samples · {first['features']:,} features"
    else:
        text = f"{len(sets)} data sets"
    return f"{text} · {frame['method'].nunique()} methods · {datetime.date.today().isoformat()}"


def _answer(folder: str | Path, frame: pd.DataFrame, name: str) -> dict[str, Any]:
    setting = main_setting(frame[frame["dataset"] == name])
    plan = read_plans(folder).get((name, setting))
    answer = recommend(frame, name, setting, plan=plan)
    first, *rest = answer.sentences()
    return {
        "dataset": name,
        "first": first,
        "sentences": [sentence.replace(" %", "\u00a0%") for sentence in rest],
        "tiles": answer.tiles(),
        "code": answer.code,
    }


def protocol_words(folder: str | Path) -> str:
    """How a user's own tables were split and judged."""
    plan = next(iter(read_plans(folder).values()), None)
    protocol = Protocol.of_details((plan.details if plan else None) or {})
    splits = "Stratified 70 / 30 splits"
    if protocol.test_folds:
        splits = f"Stratified {protocol.test_folds}-fold cross-validation, again with other folds"
    tuned = "every parameter chosen" if protocol.tuned else "methods with their usual parameters"
    scale = f" and the scale ({protocol.scale})" if protocol.scale else ""
    return (
        f"{splits}; imputation{scale} and ranking are fitted on the training part only, {tuned}. "
        f"{_judge_words(protocol)} Intervals in the tables are 95 %, of the mean over the splits, "
        "corrected for overlapping training parts."
    )


def _judge_words(protocol: Protocol) -> str:
    return (
        "A linear SVM (ridge regression for numbers, a ridge Cox model for survival times) judges "
        "the kept columns, its penalty chosen by cross-validation within the training part"
        + ("." if len(protocol.judges) == 1 else f"; beside it {', '.join(protocol.judges[1:])}.")
    )


def _as_text(picture: Path) -> str:
    return base64.b64encode(picture.read_bytes()).decode("ascii")
