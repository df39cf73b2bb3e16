"""The page that decides the paper's claims one by one, written from the stored results."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from inffs._utils.files import write_text
from inffs._version import __version__
from inffs.comparison.store import MAIN_EVALUATOR
from reproduction import details, figures, findings, other_benchmarks, tables
from reproduction.atoms import ALL_ATOMS, OWN
from reproduction.decision import FEWEST, LEVEL, MARGIN
from reproduction.drawing import save
from reproduction.packed import PackedStore
from reproduction.verdicts import Verdicts

RULE = (
    f"One rule decides every claim. It uses a margin of {MARGIN:g} point and a level of "
    f"{100 * LEVEL:.0f} %. Numbers are differences in points of accuracy, with their interval.\n\n"
    "- **Supported**: the interval lies above zero. A claim of equality is supported if the "
    "interval lies inside the margin.\n"
    "- **Equivalent**: the paper claims a lead, and the interval lies inside the margin.\n"
    "- **Contradicted**: the interval lies on the other side.\n"
    "- **Undecided**: all other cases. The width of the interval shows which difference could "
    "have been detected.\n"
    "- **Not testable here**: the claim concerns other data than ours, or results are missing.\n\n"
    "On one data set the interval is that of the paired differences of the splits, corrected for "
    "overlapping training parts (Nadeau and Bengio 2003). It requires at least "
    f"{FEWEST} splits. Over several data sets it is the t interval of their means. A method is "
    "the best of its class if it is better than every rival, plain variance included, after "
    "Holm's correction. The numbers in brackets after a place are the places that the data allow. "
    "A claim about every data set counts data sets, again after Holm's correction. Average ranks "
    "are compared by Friedman's and Nemenyi's tests."
)
PROTOCOL = (
    "Stratified 70 / 30 splits. Imputation, scaling, ranking and every parameter are fitted on "
    "the training part only. A linear SVM is trained on the selected features. 5-fold "
    "cross-validation chooses C (one held-out part on voc2007 and caltech101). With chosen "
    "weights, Inf-FS chooses its weights for each number of features in the same way, as in the "
    "paper. With equal weights, it chooses nothing."
)


def write_reproduction(folder: str | Path, docs: str | Path) -> Path:
    """Write ``reproduction.md``, its details, figures and tables from the results in ``folder``.

    Parameters
    ----------
    folder : str or Path
        Of the results.
    docs : str or Path
        Of the pages.

    Returns
    -------
    Path
        Of the first page.

    See Also
    --------
    reproduce : Makes the results.

    Examples
    --------
    >>> from reproduction.page import write_reproduction
    >>> write_reproduction("results/reproduction", "docs")  # doctest: +SKIP
    """
    every, docs = PackedStore(folder).frame(evaluator=None), Path(docs)
    frame = by_main_evaluator(every)
    verdicts, drawn = Verdicts(folder, frame), figures.all_figures(frame)
    beside = docs / "reproduction"
    shutil.rmtree(beside, ignore_errors=True)
    save(drawn, beside, ("png",))
    downloads = {
        "claims": verdicts.numbers(),
        "progress": details.progress(folder, frame),
        "missing": details.missing(folder, frame),
    }
    for name, table in downloads.items():
        write_text(beside / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
    second = details.as_markdown(folder, every, frame, list(drawn))
    write_text(docs / "reproduction-details.md", second)
    path = docs / "reproduction.md"
    other = other_benchmarks.as_markdown(Path(folder))
    write_text(path, as_markdown(verdicts, every, list(drawn), other))
    return path


def by_main_evaluator(every: pd.DataFrame) -> pd.DataFrame:
    """The rows that the linear SVM evaluated, by which claims are decided."""
    return every[every["evaluator"].isna() | (every["evaluator"] == MAIN_EVALUATOR)]


def as_markdown(verdicts: Verdicts, every: pd.DataFrame, drawn: list[str], other: list[str]) -> str:
    """The text of the first page: the answer, the claims, the figures, other benchmarks."""
    parts = [
        "# The paper's experiments, run again",
        "This page repeats the experiments of the Inf-FS paper (Roffo and others, TPAMI 2020) and "
        "decides each of its claims by one rule.",
        "## Does the paper hold?",
        verdicts.answer(),
        tables.markdown(verdicts.by_part()),
        "## The paper's claims",
        _folded("How a claim is decided", RULE),
        "Click a heading to sort the table.",
        tables.markdown(verdicts.lines((*ALL_ATOMS, *OWN))),
        "You can download [all numbers behind these verdicts](reproduction/claims.csv). "
        "[The details](reproduction-details.md) contain tables of everything that was measured.",
        "## Figures",
        *figures.pictures(drawn, figures.SHOWN),
        "## What else the results show",
        "\n".join(f"- {line}" for line in _findings(verdicts, every)),
        *other,
        "## How it was measured",
        f"{PROTOCOL} {findings.longer_choices(every)}".strip(),
        f"This page is generated from `results/` (inffs {__version__}). "
        "`python -m reproduction run --out results` continues the run, and "
        "`python -m reproduction report results --out docs` writes the page again.",
    ]
    return "\n\n".join(parts) + "\n"


def _folded(title: str, text: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"


def _findings(verdicts: Verdicts, every: pd.DataFrame) -> list[str]:
    lines = [
        findings.below_random(verdicts.table),
        findings.random_is_better(verdicts.table),
        findings.evaluators_disagree(every),
    ]
    return [line for line in lines if line]
