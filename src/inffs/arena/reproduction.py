"""The page that says, claim by claim, what of the paper holds here: written from the store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from inffs import __version__
from inffs.arena import claims, datasets, figures, page, summary
from inffs.arena.claims import Claim
from inffs.arena.paper import MICROARRAY, NIPS, TABLE_3, paper_name
from inffs.arena.store import Store

CLAIMS = (
    Claim("Inf-FS_U is the best unsupervised method on the microarray sets at every size.",
          "Fig. 1, left", claims.unsupervised_microarray, MICROARRAY,
          "The rivals here are mended programs, and the differences are small against the spread "
          "over splits."),
    Claim("Inf-FS_S is the best supervised method on the microarray sets, most of all at few "
          "features.", "Fig. 1, right", claims.supervised_microarray, MICROARRAY,
          "Choosing three weights by cross-validation on some forty samples costs more than it "
          "gains against a plain Fisher or mutual-information ranking."),
    Claim("Accuracy rises up to a knee near 50 features and is flat after 150.", "Sec. 4.1",
          claims.knee, MICROARRAY),
    Claim("Inf-FS_S is better than Inf-FS_U on the microarray mean, and equal on colon, leukemia "
          "and lung.", "Sec. 4.1", claims.labels_help, MICROARRAY),
    Claim("Inf-FS_S beats Inf-FS_U on dexter.", "Fig. 2", claims.supervised_wins("dexter"),
          ("dexter",), "Only the rows with public labels could be used."),
    Claim("Inf-FS_S beats Inf-FS_U on gina.", "Fig. 2", claims.supervised_wins("gina"), ("gina",),
          "The set is rebuilt."),
    Claim("Inf-FS_S beats Inf-FS_U on gisette.", "Fig. 2", claims.supervised_wins("gisette"),
          ("gisette",), "The set is rebuilt."),
    Claim("On madelon Inf-FS_U is better at 10 features and equal elsewhere.", "Fig. 2",
          claims.madelon, ("madelon",)),
    Claim("On gisette Inf-FS_S is the best supervised method at 10 features.", "Sec. 4.2",
          claims.best_at("gisette", "10"), ("gisette",), "The set is rebuilt."),
    Claim("On gina Inf-FS_S equals MI and Fisher at 10 features.", "Sec. 4.2",
          claims.gina_like_its_parts, ("gina",), "The set is rebuilt."),
    Claim("On dexter Inf-FS_S is the best supervised method from 50 features on.", "Sec. 4.2",
          claims.dexter_supervised, ("dexter",),
          "Only the rows with public labels could be used."),
    Claim("On dexter Inf-FS_U is the best unsupervised method, on a par with the Laplacian score.",
          "Sec. 4.2", claims.dexter_unsupervised, ("dexter",),
          "Only the rows with public labels could be used."),
    Claim("On Caltech 101 all methods lie in a narrow band and both forms of Inf-FS are at its "
          "top.", "Fig. 3", claims.caltech_band, ("caltech101",),
          "The features come from another network."),
    Claim("On VOC 2007 a part of the features is better than all of them.", "Fig. 3 and 5",
          claims.voc, ("voc2007",)),
    Claim("Inf-FS_U has the best average rank of the unsupervised methods over the nine sets.",
          "Fig. 4, left", claims.best_rank(False), MICROARRAY + NIPS),
    Claim("Inf-FS_S has the best average rank of the supervised methods over the nine sets.",
          "Fig. 4, right", claims.best_rank(True), MICROARRAY + NIPS),
    Claim("With automatic subsets Inf-FS beats both LASSOs on nine of eleven sets.", "Table 3",
          claims.beats_lasso, MICROARRAY + NIPS),
    Claim("Inf-FS_S keeps fewer features than Inf-FS_U on every set.", "Table 3",
          claims.labels_shrink_the_subset, MICROARRAY + NIPS),
    Claim("Inf-FS keeps fewer features than the LASSO with hinge loss.", "Table 3",
          claims.fewer_than_lasso, MICROARRAY + NIPS,
          "A LASSO that is solved to its optimum has at most as many nonzero weights as samples."),
    Claim("The automatic subset is about as good as the best fixed size.", "Table 3",
          claims.automatic_is_competitive, MICROARRAY + NIPS),
    Claim(f"Inf-FS reaches {TABLE_3['colon', 'inf-fs-s'][3]} % on colon.", "Table 3",
          claims.colon_accuracy, ("colon",),
          "With selection inside the training part this accuracy is not reached; the paper does "
          "not say whether values were logarithmic."),
)  # fmt: skip

HYPOTHESES = (
    Claim("Rivals that follow their papers do better than the paper reports.", "ours",
          claims.rivals_do_better, MICROARRAY + NIPS),
    Claim("The sizes of the paper's Table 3 follow the histogram rule.", "ours",
          claims.histogram_sizes, MICROARRAY + NIPS),
)  # fmt: skip


def write_reproduction(folder: str | Path, docs: str | Path) -> Path:
    """Write ``reproduction.md`` and its figures into ``docs`` from the results in ``folder``."""
    frame, docs = Store(folder).frame(), Path(docs)
    drawn = figures.all_figures(frame)
    shutil.rmtree(docs / "reproduction", ignore_errors=True)
    figures.save(drawn, docs / "reproduction", ("png",))
    path = docs / "reproduction.md"
    path.write_text(as_markdown(folder, frame, list(drawn)), encoding="utf-8")
    return path


def as_markdown(folder: str | Path, frame: pd.DataFrame, drawn: list[str]) -> str:
    """The page's text."""
    table, complete = summary.means(frame), complete_sets(folder, frame)
    parts = [
        "# The paper's experiments, run again",
        f"This page is generated from the results in `results/` (inffs {__version__}); no number "
        "in it is typed by hand. `inffs reproduce --out results` continues the run and "
        "`inffs report results --reproduction docs` writes the page again.",
        page.PROTOCOL,
        "## How far the run has come",
        _as_table(_progress(folder, table)),
        "## The paper's claims",
        f'"{claims.HOLDS.capitalize()}", "{claims.PARTLY}" (at some sizes or sets, or within a '
        f'point) and "{claims.FAILS}" are decided by the program from the means over the splits; '
        "accuracies in percent.",
        *(_told(claim, table, complete) for claim in CLAIMS),
        "## Hypotheses of our own",
        *(_told(claim, table, complete) for claim in HYPOTHESES),
        "## Are the differences real?",
        page.TITLES["tests"][1],
        _as_table(page.test_table(table).round(4)),
        "## Table 1: cost",
        page.TITLES["table-1"][1],
        _as_table(_costs(frame, table)),
        "## Table 3: automatic subsets",
        _as_table(_table_3(table)),
        "## Baselines",
        _as_table(_baselines(table)),
        "## Figures",
        *(f"![{page.CAPTIONS[name]}](reproduction/{name}.png)\n\n{page.CAPTIONS[name]}"
          for name in drawn),
        "## What is missing",
        _missing(folder, frame),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def complete_sets(folder: str | Path, frame: pd.DataFrame) -> set[str]:
    """The paper's names of the data sets on which nothing of the plan is left to run."""
    state = page.status(folder)
    unfinished = set(state.loc[state["left"] > 0, "dataset"]) if len(state) else set()
    return {paper_name(name) for name in set(frame["dataset"]) - unfinished}


def _told(claim: Claim, table: pd.DataFrame, complete: set[str]) -> str:
    finding = claim.check(table)
    so_far = why = ""
    if finding.verdict != claims.OPEN and not set(claim.sets) <= complete:
        waiting = [name for name in claim.sets if name not in complete]
        so_far, why = " so far", f" Still incomplete: {', '.join(waiting)}."
    if claim.why and finding.verdict not in (claims.HOLDS, claims.OPEN):
        why = f" Likely reason: {claim.why}{why}"
    return f"- **{finding.verdict}{so_far}**: {claim.text} ({claim.where}) {finding.evidence}.{why}"


def _progress(folder: str | Path, table: pd.DataFrame) -> pd.DataFrame:
    state = page.status(folder)
    known = {entry.name: entry for entry in datasets.known()}
    lines = []
    for _, row in state.iterrows():
        entry = known.get(paper_name(row["dataset"].removesuffix(" (log)")))
        mine = table[table["dataset"] == row["dataset"]]
        lines.append({
            "data set": row["dataset"], "setting": row["setting"],
            "status of the data": entry.status if entry else "made for the measurement",
            "remark": entry.note if entry else "",
            "methods": mine["method"].nunique(), "trials done": row["done"],
            "skipped": row["skipped"], "failed": row["failed"], "left": row["left"],
        })  # fmt: skip
    return pd.DataFrame(lines)


def _costs(frame: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    costs = page.cost_table(table, summary.means(frame, "growth"))
    keep = [name for name in costs.columns if not name.startswith("s on ")]
    return costs[keep].round(2)


def _table_3(table: pd.DataFrame) -> pd.DataFrame:
    rows = summary.table_3(table)
    if rows.empty:
        return rows
    shown = rows.rename(columns=lambda name: name.replace("_", " "))
    return shown.round({name: 1 for name in shown.columns if name not in ("dataset", "method")})


def _baselines(table: pd.DataFrame) -> pd.DataFrame:
    """All features, random and variance beside both forms of Inf-FS, at 50 features."""
    rows = table[table["asked"].isin(["50", "all", "10%"])]
    wide = rows.pivot_table(index="dataset", columns="method", values="quality")
    names = [n for n in ("all", "random", "variance", "inf-fs-u", "inf-fs-s") if n in wide]
    shown, rivals = (100 * wide[names]).round(1), wide.drop(columns=names)
    have = rivals.notna().any(axis=1)
    shown["best rival"] = rivals[have].idxmax(axis=1).reindex(wide.index, fill_value="-")
    shown["its accuracy"] = (100 * rivals[have].max(axis=1)).round(1)
    return shown.reset_index()


def _as_table(table: pd.DataFrame) -> str:
    if table.empty:
        return "No results yet."
    head = "| " + " | ".join(map(str, table.columns)) + " |"
    rule = "|" + "---|" * table.shape[1]
    rows = ["| " + " | ".join(_text(value) for value in row) + " |"
            for row in table.itertuples(index=False)]  # fmt: skip
    return "\n".join([head, rule, *rows])


def _text(value: object) -> str:
    if isinstance(value, float):
        return "-" if pd.isna(value) else f"{value:g}"
    return str(value)


def _missing(folder: str | Path, frame: pd.DataFrame) -> str:
    lines = page.missing_lines(folder, frame)
    planned = set(page.status(folder).get("dataset", []))
    absent = [entry.name for entry in datasets.known()
              if not any(paper_name(name) == entry.name for name in planned)]  # fmt: skip
    lines += [f"{name}: not run yet." for name in absent]
    return "\n".join(f"- {line}" for line in lines) or "Nothing."
