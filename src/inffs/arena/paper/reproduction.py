"""The page that says, claim by claim, what of the paper holds here: written from the store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from inffs._engine.files import write_text
from inffs._version import __version__
from inffs.arena.data import datasets
from inffs.arena.data.paper import MICROARRAY, NIPS, TABLE_3, paper_name
from inffs.arena.engine.store import Store
from inffs.arena.paper import claims, reasons, subset_claims
from inffs.arena.paper.claims import Claim
from inffs.arena.paper.suite import full_splits
from inffs.arena.results import figures, page, summary

_CLAIMED = ("paper", "cardinality")  # settings that the claims are about
_LABELS = reasons.labels_set_by_set("colon", "leukemia", "lung")
_MENDED = reasons.guess("the paper's rivals ran as published programs, many of which depart from "
                        "their papers.")  # fmt: skip

CLAIMS = {
    "Few samples, many features: the microarray sets": (
        Claim("Inf-FS_U is the best unsupervised method at every size, by a mild but steady gap.",
              "Fig. 1, left", claims.unsupervised_microarray, MICROARRAY,
              reasons.both(reasons.against_the_best(MICROARRAY, False),
                           reasons.variance_is_as_good)),
        Claim("Inf-FS_S is the best supervised method, most of all at 10 to 100 features.",
              "Fig. 1, right", claims.supervised_microarray, MICROARRAY,
              reasons.both(reasons.against_the_best(MICROARRAY, True),
                           reasons.parts_of_inf_fs_s, _MENDED)),
        Claim("Accuracy rises up to a knee near 50 features and is flat after 150.", "Sec. 4.1",
              claims.knee, MICROARRAY),
        Claim("Inf-FS_S is better than Inf-FS_U on the mean, and equal on colon, leukemia and "
              "lung.", "Sec. 4.1", claims.labels_help, MICROARRAY, _LABELS),
    ),
    "Labels or not: the NIPS sets": (
        Claim("Inf-FS_S beats Inf-FS_U on dexter.", "Fig. 2", claims.supervised_wins("dexter"),
              ("dexter",), reasons.our_data("dexter")),
        Claim("Inf-FS_S beats Inf-FS_U on gina.", "Fig. 2", claims.supervised_wins("gina"),
              ("gina",), reasons.our_data("gina")),
        Claim("Inf-FS_S beats Inf-FS_U on gisette.", "Fig. 2", claims.supervised_wins("gisette"),
              ("gisette",), reasons.our_data("gisette")),
        Claim("On madelon Inf-FS_U is better at 10 features and equal elsewhere.", "Fig. 2",
              claims.madelon, ("madelon",), reasons.noise_of_a_set("madelon")),
        Claim("On gisette Inf-FS_S is the best supervised method at 10 features.", "Sec. 4.2",
              claims.best_at("gisette", "10"), ("gisette",), reasons.our_data("gisette")),
        Claim("On gisette Inf-FS_U is about third of the unsupervised methods, after LLCFS and "
              "the Laplacian score.", "Sec. 4.2", claims.gisette_unsupervised, ("gisette",),
              reasons.our_data("gisette")),
        Claim("On gina supervised methods are ahead of unsupervised ones at 10 features.",
              "Sec. 4.2", claims.gina_needs_labels, ("gina",), reasons.our_data("gina")),
        Claim("On gina Inf-FS_S equals MI and Fisher at 10 features.", "Sec. 4.2",
              claims.gina_like_its_parts, ("gina",), reasons.our_data("gina")),
        Claim("On gina Inf-FS_U is about fourth of the unsupervised methods.", "Sec. 4.2",
              claims.gina_unsupervised, ("gina",), reasons.our_data("gina")),
        Claim("On dexter Inf-FS_S is the best supervised method from 50 features on.", "Sec. 4.2",
              claims.dexter_supervised, ("dexter",),
              reasons.both(reasons.against_the_best(("dexter",), True),
                           reasons.our_data("dexter"))),
        Claim("On dexter Inf-FS_U is the best unsupervised method, on a par with the Laplacian "
              "score.", "Sec. 4.2", claims.dexter_unsupervised, ("dexter",),
              reasons.both(reasons.against_the_best(("dexter",), False),
                           reasons.our_data("dexter"))),
    ),
    "Features of neural networks": (
        Claim("On Caltech 101 all methods lie in a narrow band and both forms of Inf-FS are at "
              "its top.", "Fig. 3", claims.caltech_band, ("caltech101",),
              reasons.our_data("caltech101")),
        Claim("On VOC 2007 Inf-FS_S is slightly above ECFS, Inf-FS_U among the first three.",
              "Fig. 3", claims.voc, ("voc2007",)),
        Claim("A part of the features, best between 25 and 45 %, is better than all of them "
              "(the paper: VOC 2007; here other sets of CNN features).", "Fig. 5",
              claims.part_beats_whole, ("office-caffenet", "office-googlenet"),
              reasons.guess("these sets are small and easy for a linear classifier."),
              study="cardinality"),
    ),
    "Over all data sets": (
        Claim("Inf-FS_U has the best average rank of the unsupervised methods.",
              "Fig. 4, left", claims.best_rank(False), MICROARRAY + NIPS,
              reasons.against_the_best(MICROARRAY + NIPS, False)),
        Claim("Inf-FS_S has the best average rank of the supervised methods.",
              "Fig. 4, right", claims.best_rank(True), MICROARRAY + NIPS,
              reasons.both(reasons.against_the_best(MICROARRAY + NIPS, True), _MENDED)),
        Claim("Whatever the data, Inf-FS is first of its class, or else second or third.",
              "abstract, Sec. 1", claims.versatile, MICROARRAY + NIPS, _MENDED),
        Claim("The time of Inf-FS grows at most with the cube of the number of features.",
              "Table 1", claims.cubic, (), study="growth"),
    ),
    "Automatic subsets": (
        Claim("Inf-FS beats both LASSOs on nine of eleven sets.", "Table 3",
              subset_claims.beats_lasso, MICROARRAY + NIPS, reasons.lassos_mended),
        Claim("Inf-FS_S keeps fewer features than Inf-FS_U on every set.", "Table 3",
              subset_claims.labels_shrink_the_subset, MICROARRAY + NIPS,
              reasons.guess("the sizes follow the shape of the scores' histogram, which knows "
                            "nothing of labels.")),
        Claim("Inf-FS keeps fewer features than the LASSO with hinge loss.", "Table 3",
              subset_claims.fewer_than_lasso, MICROARRAY + NIPS, reasons.lasso_optimum),
        Claim("Of the four the LASSO with hinge loss keeps the most features.", "Table 3",
              subset_claims.lasso_sizes, MICROARRAY + NIPS, reasons.lasso_optimum),
        Claim("The unhinged LASSO is very poor on the microarray sets.", "Table 3",
              subset_claims.unhinged_is_poor, MICROARRAY, reasons.lassos_mended),
        Claim("The automatic subset is about as good as the best fixed size.", "Table 3",
              subset_claims.automatic_is_competitive, MICROARRAY + NIPS,
              reasons.guess("the best fixed size is chosen after the fact among five, which "
                            "favours it.")),
        Claim(f"Inf-FS reaches {TABLE_3['colon', 'inf-fs-s'][3]} % on colon.", "Table 3",
              subset_claims.colon_accuracy, ("colon",),
              reasons.both(reasons.colon_ceiling, reasons.noise_of_a_set("colon"))),
    ),
}  # fmt: skip

HYPOTHESES = (
    Claim("Rivals that follow their papers do better than the paper reports.", "ours",
          subset_claims.rivals_do_better, MICROARRAY + NIPS),
    Claim("With honest splits colon is near 84 % on raw and 88 % on logarithmic values.", "ours",
          subset_claims.colon_hypothesis, ("colon", "colon (log)"),
          reasons.noise_of_a_set("colon")),
    Claim("The sizes of the paper's Table 3 follow the histogram rule.", "ours",
          subset_claims.histogram_sizes, MICROARRAY + NIPS),
)  # fmt: skip


def write_reproduction(folder: str | Path, docs: str | Path) -> Path:
    """Write ``reproduction.md`` and its figures into ``docs`` from the results in ``folder``."""
    frame, docs = Store(folder).frame(), Path(docs)
    drawn = figures.all_figures(frame)
    shutil.rmtree(docs / "reproduction", ignore_errors=True)
    figures.save(drawn, docs / "reproduction", ("png",))
    path = docs / "reproduction.md"
    write_text(path, as_markdown(folder, frame, list(drawn)))
    return path


def as_markdown(folder: str | Path, frame: pd.DataFrame, drawn: list[str]) -> str:
    """The page's text."""
    judge = Judge(folder, frame)
    table = judge.tables["paper"]
    parts = [
        "# The paper's experiments, run again",
        f"This page is generated from the results in `results/` (inffs {__version__}); no number "
        "in it is typed by hand. `inffs reproduce --out results` continues the run and "
        "`inffs report results --reproduction docs` writes the page again.",
        page.PROTOCOL,
        judge.overview(),
        "## The paper's claims",
        f'"{claims.HOLDS.capitalize()}", "{claims.PARTLY}" (at some sizes or sets, or within a '
        f'point) and "{claims.FAILS}" are decided by the program from the means over the splits; '
        '"so far" where a data set is incomplete; accuracies in percent. A reason is a sentence '
        "made of numbers of this run, or it is called a guess.",
    ]  # fmt: skip
    for title, group in CLAIMS.items():
        parts += [f"### {title}", *(judge.told(claim) for claim in group)]
    parts += [
        "## Hypotheses of our own",
        *(judge.told(claim) for claim in HYPOTHESES),
        "## Figures",
        *(f"![{page.CAPTIONS[name]}](reproduction/{name}.png)\n\n{page.CAPTIONS[name]}"
          for name in drawn),
        "## Table 3: automatic subsets",
        page.TITLES["table-3"][1],
        _as_table(_table_3(table)),
        "## Table 1: cost",
        page.TITLES["table-1"][1],
        _as_table(_costs(frame, table)),
        "## Are the differences real?",
        page.TITLES["tests"][1],
        _as_table(page.test_table(table).round(4)),
        "## Rivals tuned on an equal footing",
        page.TITLES["tuned"][1],
        _tuned(frame),
        "## Baselines",
        "At 50 features (10 % of the CNN features).",
        _as_table(_baselines(table)),
        "## How far the run has come",
        _as_table(_progress(folder, frame)),
        "## What is missing",
        _missing(folder, frame),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


class Judge:
    """Puts claims to the test on one run."""

    def __init__(self, folder: str | Path, frame: pd.DataFrame) -> None:
        self.tables = {study: summary.means(frame, study)
                       for study in ("paper", "cardinality", "growth")}  # fmt: skip
        self.rows = summary.finished(frame)
        self.complete = complete_sets(folder, frame)
        self._status = dict(
            zip(self.rows["dataset"].map(paper_name), self.rows["status_of_data"], strict=True)
        )

    def overview(self) -> str:
        """How many claims hold."""
        found = [claim.check(self.tables[claim.study]).verdict
                 for group in CLAIMS.values() for claim in group]  # fmt: skip
        words = {
            claims.HOLDS: "hold",
            claims.PARTLY: "hold partly",
            claims.FAILS: "do not hold here",
            claims.OPEN: "could not be tested yet",
        }
        told = [f"{found.count(verdict)} {word}" for verdict, word in words.items()
                if verdict in found]  # fmt: skip
        return f"Of {len(found)} claims {', '.join(told)}."

    def told(self, claim: Claim) -> str:
        """The claim with verdict, numbers, data and reason."""
        finding = claim.check(self.tables[claim.study])
        opened = finding.verdict == claims.OPEN
        waiting = [name for name in claim.sets if name not in self.complete]
        so_far = " so far" if waiting and not opened else ""
        lines = [f"- **{finding.verdict}{so_far}**: {claim.text} ({claim.where})"]
        lines.append(f"  - Here: {finding.evidence}.")
        if not opened and claim.sets:
            lines.append(f"  - Data: {self._data(claim.sets)}.")
        if claim.why is not None and finding.verdict not in (claims.HOLDS, claims.OPEN):
            why = claim.why(self.rows, self.tables["paper"])
            lines += [f"  - Why: {why}"] if why else []
        if so_far:
            lines.append(f"  - Still incomplete: {', '.join(waiting)}.")
        return "\n".join(lines)

    def _data(self, names: tuple[str, ...]) -> str:
        """The status of the data sets that a claim is about."""
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(self._status.get(name, "no results yet"), []).append(name)
        return "; ".join(f"{status}: {', '.join(group)}" for status, group in groups.items())


def complete_sets(folder: str | Path, frame: pd.DataFrame) -> set[str]:
    """The paper's names of the data sets on which every split of the protocol is done.

    Other settings, such as tuned rivals or the study of the cuts, have no part in the claims.
    """
    state = page.status(folder)
    state = state[state["setting"].isin(_CLAIMED)] if len(state) else state
    short = {
        row["dataset"]
        for _, row in state.iterrows()
        if row["left"] > 0 or row["splits"] < _wanted(row["dataset"], row["setting"], 0)
    }
    run = set(frame.loc[frame["setting"].isin(_CLAIMED), "dataset"])
    return {paper_name(name) for name in run - short}


def _wanted(dataset: str, setting: str, planned: int) -> int:
    """Splits that a complete run has: the protocol's, whatever part of it was planned so far."""
    return full_splits(dataset) if setting == "paper" else planned


def _progress(folder: str | Path, frame: pd.DataFrame) -> pd.DataFrame:
    state = page.progress(folder, frame)
    if state.empty:
        return state
    known = {entry.name: entry for entry in datasets.known()}
    entries = [known.get(paper_name(name.removesuffix(" (log)"))) for name in state["data set"]]
    columns = (state["data set"], state["setting"], state["splits planned"])
    state["splits planned"] = [_wanted(*row) for row in zip(*columns, strict=True)]
    state.insert(2, "data", [each.status if each else "made for this" for each in entries])
    state["remark"] = [each.note if each else "" for each in entries]
    return state


def _costs(frame: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    costs = page.cost_table(table, summary.means(frame, "growth"))
    keep = [name for name in costs.columns if not name.startswith("s on ")]
    return costs[keep].round(2)


def _table_3(table: pd.DataFrame) -> pd.DataFrame:
    rows = summary.table_3(table)
    if rows.empty:
        return rows
    shown = page.shown_table_3(rows)
    for column in ("difference", "difference at best"):
        shown[column] = [_coloured(value) for value in shown[column]]
    return shown


def _coloured(value: float) -> str:
    if pd.isna(value):
        return "-"
    return f'<span class="{"better" if value >= 0 else "worse"}">{value:+.1f}</span>'


def _tuned(frame: pd.DataFrame) -> str:
    rows = summary.finished(frame, "tuned")
    if rows.empty:
        return "No results yet: `inffs reproduce --tuned --out results` makes them."
    splits = rows.groupby("dataset")["split"].nunique()
    told = ", ".join(f"{name} ({count})" for name, count in splits.items())
    return f"Data sets, in brackets the splits: {told}.\n\n{_as_table(summary.tuned_gain(frame))}"


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
        return "-" if pd.isna(value) else f"{value + 0.0:g}"  # -0 is 0
    return str(value)


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
        f"{row['method']} on {row['dataset']}: {row['status']} ({row['splits']} splits), "
        f"{row['reason']}."
        for _, row in fallen.iterrows()
    ]
    planned = set(state["data set"]) if len(state) else set()
    absent = [entry.name for entry in datasets.known()
              if not any(paper_name(name) == entry.name for name in planned)]  # fmt: skip
    lines += [f"{name}: not run yet." for name in absent]
    return "\n".join(f"- {line}" for line in lines) or "Nothing."
