"""The page that says, claim by claim, what of the paper holds here: written from the store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from inffs._utils.files import write_text
from inffs._version import __version__
from inffs.comparison import cells, page, summary
from inffs.comparison.dataset import plain_name
from inffs.comparison.figures import save
from inffs.comparison.store import MAIN_JUDGE, Store
from reproduction import datasets, figures, findings, tables
from reproduction.claim import FAILS, HOLDS, PARTLY
from reproduction.claim_list import CLAIMS, HYPOTHESES
from reproduction.readings import CHOSEN, EQUAL, as_read
from reproduction.third_party import THIRD_PARTY
from reproduction.verdicts import Verdicts, wanted_splits

CAPTIONS = {
    "microarray": "Fig. 1 of the paper: accuracy against the number of features, averaged over "
    "the microarray sets. Inf-FS red, the five best of the others coloured, baselines dotted; a "
    "line that falls far below the others leaves the picture.",
    "nips": "Fig. 2 of the paper: the NIPS sets. The other form of Inf-FS is dashed.",
    "cnn": "Fig. 3 of the paper: sets of CNN features. The other form of Inf-FS is dashed.",
    "ranks": "Fig. 4 of the paper: average rank against the number of features; the area of a "
    "bubble is the variance of the rank over the data sets.",
    "cardinality": "Fig. 5 of the paper: from few to all features, Inf-FS with equal weights.",
    "differences-10": "Average ranks at 10 features; a bar joins methods that Nemenyi's test at "
    "5 % cannot tell apart.",
    "differences-100": "The same at 100 features.",
    **{name: page.CAPTIONS[name] for name in ("time", "stability")},
}
PROTOCOL = (
    "Protocol: stratified 70 / 30 splits; imputation, scaling, ranking and every parameter are "
    "fitted on the training part only; a linear SVM (ridge regression for numbers, a ridge Cox "
    "model for survival times) on the kept columns, C chosen among 0.001 to 10 by 5-fold "
    "cross-validation (on voc2007 and caltech101 among 0.00001 to 0.01 on one held-out part); "
    "Inf-FS chooses alpha for each number of features in the same way. "
    "Intervals are 95 %, corrected for overlapping training parts."
)


def write_reproduction(folder: str | Path, docs: str | Path) -> Path:
    """Write ``reproduction.md`` and its figures into ``docs`` from the results in ``folder``.

    Parameters
    ----------
    folder : str or Path
        Of the results.
    docs : str or Path
        Of the page.

    Returns
    -------
    Path
        Of the page.

    See Also
    --------
    reproduce : Makes the results.

    Examples
    --------
    >>> from reproduction.page import write_reproduction
    >>> write_reproduction("results/reproduction", "docs")  # doctest: +SKIP
    """
    every, docs = Store(folder).frame(judge=None), Path(docs)
    frame = every[every["judge"].isna() | (every["judge"] == MAIN_JUDGE)]
    drawn = figures.all_figures(frame)
    shutil.rmtree(docs / "reproduction", ignore_errors=True)
    save(drawn, docs / "reproduction", ("png",))
    path = docs / "reproduction.md"
    write_text(path, as_markdown(folder, every, list(drawn)))
    return path


def as_markdown(folder: str | Path, frame: pd.DataFrame, drawn: list[str]) -> str:
    """The page's text."""
    every, frame = frame, frame[frame["judge"].isna() | (frame["judge"] == MAIN_JUDGE)]
    verdicts = Verdicts(folder, frame)
    parts = [*_claims(verdicts, every), *_figures(drawn), *_tables(folder, every, frame, verdicts)]
    return "\n\n".join(parts) + "\n"


def _claims(verdicts: Verdicts, every: pd.DataFrame) -> list[str]:
    """The summary, then the paper's claims and our own hypotheses with their verdicts."""
    parts = [
        "# The paper's experiments, run again",
        f"This page is generated from the results in `results/` (inffs {__version__}); no number "
        "in it is typed by hand. `python -m reproduction run --out results` continues the run and "
        "`python -m reproduction report results --out docs` writes the page again.",
        "## In short",
        _bullets(summary_lines(verdicts, every)),
        f"{PROTOCOL} {findings.longer_choices(every)}".strip(),
        "## The paper's claims",
        f'"{HOLDS.capitalize()}", "{PARTLY}" (at some sizes or sets, or within a '
        f'point) and "{FAILS}" are decided by the program from the means over the splits '
        "(where a method has only some of them, how hard these are for everybody is taken out); "
        '"so far" where a data set is incomplete; accuracies in percent. The first verdict is for '
        "weights chosen by cross-validation, as the paper has it, the second for equal weights "
        "(alpha 0.5 without labels). A reason is a sentence made of numbers of this run, or it is "
        "called a guess.",
    ]  # fmt: skip
    for title, group in CLAIMS.items():
        parts += [f"### {title}", *(verdicts.as_text(claim) for claim in group)]
    return [
        *parts, "## Hypotheses of our own", *(verdicts.as_text(claim) for claim in HYPOTHESES),
    ]  # fmt: skip


def _figures(drawn: list[str]) -> list[str]:
    pictures = [f"![{CAPTIONS[name]}](reproduction/{name}.png)" for name in drawn]
    captions = [CAPTIONS[name] for name in drawn]
    return ["## Figures", *(part for pair in zip(pictures, captions, strict=True) for part in pair)]


def _tables(
    folder: str | Path, every: pd.DataFrame, frame: pd.DataFrame, verdicts: Verdicts
) -> list[str]:
    """Everything measured, table by table, and what is missing."""
    table = verdicts.table("paper")
    return [
        "## Table 3: automatic subsets",
        cells.TITLES["table-3"][1],
        summary.markdown(_table_3(table)),
        "## VOC 2007 on its published split",
        "Trained on trainval, tested on test: mean average precision in percent, the mean also "
        "with precision read at eleven points as the challenge of 2007 did. One split, and C in "
        "steps of ten chosen on one held-out part: methods whose C differs are not comparable to a "
        "point. The claims rest on the random splits.",
        summary.markdown(findings.on_published_split(frame)),
        "## Table 1: cost",
        cells.TITLES["table-1"][1] + cells.EXPONENT,
        summary.markdown(_costs(frame, table)),
        "## Are the differences real?",
        cells.TITLES["tests"][1],
        summary.markdown(tables.test_table(table).round(4)),
        "## Rivals tuned on an equal footing",
        cells.TITLES["tuned"][1],
        _tuned(frame),
        "## Third-party methods",
        "Selectors of other packages on the same splits: mean over the sizes, in percent."
        + _guest_splits(frame),
        summary.markdown(tables.third_party(as_read(summary.means(frame), CHOSEN))),
        "## Other judges",
        "The method with the best mean over the sizes by another judge, and by the linear one of "
        "the same picks: those that both have judged. Claims are decided by the linear one.",
        summary.markdown(findings.of_judges(every)),
        "## Baselines",
        "At 50 features (10 % of the CNN features).",
        summary.markdown(_baselines(table)),
        "## How far the run has come",
        summary.markdown(_progress(folder, frame)),
        "## What is missing",
        _missing(folder, frame),
    ]


def summary_lines(verdicts: Verdicts, every: pd.DataFrame) -> list[str]:
    """What holds, what does not and what decides it, in ten lines."""
    table = verdicts.table("paper")
    lines = [verdicts.overview(reading) for reading in (CHOSEN, EQUAL)]
    lines += verdicts.lists()
    lines += [
        verdicts.differences(),
        findings.below_random(table),
        findings.random_is_better(table),
        findings.plain_variance(verdicts.rows, table),
        findings.judges_disagree(every),
    ]
    return [line for line in lines if line]


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _progress(folder: str | Path, frame: pd.DataFrame) -> pd.DataFrame:
    state = page.progress(folder, frame, THIRD_PARTY)
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
    costs = page.cost_table(table, tables.growth(summary.means(frame, "growth")))
    keep = [name for name in costs.columns if not name.startswith("s on ")]
    return costs[keep].round(2)


def _table_3(table: pd.DataFrame) -> pd.DataFrame:
    rows = tables.table_3(table)
    if rows.empty:
        return rows
    shown = cells.shown_table_3(rows)
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
    text = ", ".join(f"{name} ({count})" for name, count in splits.items())
    gains = summary.markdown(summary.tuned_gain(frame))
    return f"Data sets, in brackets the splits: {text}.\n\n{gains}"


def _guest_splits(frame: pd.DataFrame) -> str:
    """How many splits third-party methods have of every data set; "" without them."""
    rows = summary.finished(frame[frame["kind"] == "third-party"])
    counts = rows.groupby(["dataset", "method"])["split"].nunique()
    each = [f"{name} {page.range_of(splits)}" for name, splits in counts.groupby("dataset")]
    return f" Splits: {', '.join(each)}." if each else ""


def _baselines(table: pd.DataFrame) -> pd.DataFrame:
    """All features, random and variance beside both forms of Inf-FS, at 50 features."""
    rows = table[table["asked"].isin(["50", "all", "10%"])]
    pivot = rows.pivot_table(index="dataset", columns="method", values="quality")
    names = [n for n in ("all", "random", "variance", "inf-fs-u", "inf-fs-s") if n in pivot]
    shown, rivals = (100 * pivot[names]).round(1), pivot.drop(columns=names)
    have = rivals.notna().any(axis=1)
    shown["best rival"] = rivals[have].idxmax(axis=1).reindex(pivot.index, fill_value="-")
    shown["its accuracy"] = (100 * rivals[have].max(axis=1)).round(1)
    return shown.reset_index()


def _missing(folder: str | Path, frame: pd.DataFrame) -> str:
    state = _progress(folder, frame)
    lines = [
        f"{row['data set']} ({row['setting']}): {row['splits done']} of {row['splits planned']} "
        f"splits done, {row['methods']} methods."
        for _, row in state.iterrows()
        if row["left"] or int(row["splits done"].split()[-1]) < row["splits planned"]
    ]
    fallen = page.not_done(frame)
    lines += [
        f"{row['method']} on {row['dataset']} ({row['setting']}): {row['status']}, {row['reason']}."
        for _, row in fallen.iterrows()
    ]
    planned = set(state["data set"]) if len(state) else set()
    absent = [entry.name for entry in datasets.known()
              if not any(plain_name(name) == entry.name for name in planned)]  # fmt: skip
    lines += [f"{name}: not run yet." for name in absent]
    return "\n".join(f"- {line}" for line in lines) or "Nothing."
