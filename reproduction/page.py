"""The page that says, claim by claim, what of the paper holds here: written from the store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from inffs._utils.files import write_text
from inffs._version import __version__
from inffs.comparison import summary
from inffs.comparison.figures import save
from inffs.comparison.store import MAIN_JUDGE, Store
from reproduction import details, figures, findings
from reproduction.atoms import ALL_ATOMS, OWN
from reproduction.decision import FEWEST, LEVEL, MARGIN
from reproduction.verdicts import Verdicts

RULE = (
    f"One rule decides every claim, with a margin of {MARGIN:g} point and a level of "
    f"{100 * LEVEL:.0f} %. The numbers are differences in points. On one data set the interval is "
    "that of the paired differences of the splits, corrected for overlapping training parts "
    f"(Nadeau and Bengio 2003); it takes at least {FEWEST} splits. Over several data sets it is "
    "the t interval of their means, so that it speaks of data sets like these. A claim is "
    "**supported** if its interval lies above zero (a claim of equality: inside the margin), "
    "**equivalent** if a claimed lead lies inside the margin, **contradicted** if the interval "
    "lies on the other side, else **undecided**: the number after ± is the half-width of the "
    "interval, a difference that could have been seen. **Not testable here** are claims about "
    "other data than ours, and incomplete results. The best method must be better than every "
    "rival of its class by Holm's correction, plain variance included; the numbers in brackets "
    "after a place are the places that the data allow. A claim about every set counts sets, again "
    "by Holm. Average ranks are compared by Friedman's and Nemenyi's tests; there ± is the "
    "critical difference."
)
PROTOCOL = (
    "Stratified 70 / 30 splits. Imputation, scaling, ranking and every parameter are fitted on "
    "the training part only. A linear SVM is trained on the selected features, C chosen by 5-fold "
    "cross-validation (on voc2007 and caltech101 on one held-out part). With chosen weights "
    "Inf-FS chooses its weights for each number of features in the same way, as the paper does; "
    "with equal weights it chooses nothing."
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
    every, docs = Store(folder).frame(judge=None), Path(docs)
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
    write_text(path, as_markdown(verdicts, every, list(drawn)))
    return path


def by_main_evaluator(every: pd.DataFrame) -> pd.DataFrame:
    """The rows that the linear SVM evaluated, by which claims are decided."""
    return every[every["judge"].isna() | (every["judge"] == MAIN_JUDGE)]


def as_markdown(verdicts: Verdicts, every: pd.DataFrame, drawn: list[str]) -> str:
    """The text of the first page: the answer, the claims, the figures."""
    parts = ["# The paper's experiments, run again", "## Does the paper hold?", verdicts.answer()]
    parts += [
        "## The paper's claims",
        _folded("How a claim is decided", RULE),
        summary.markdown(verdicts.lines((*ALL_ATOMS, *OWN))),
        "[All numbers behind these words](reproduction/claims.csv) can be downloaded; [tables of "
        "everything measured](reproduction-details.md) stand on a page of their own.",
        "## What else the results show",
        "\n".join(f"- {line}" for line in _findings(verdicts, every)),
        "## Figures",
        *figures.pictures(drawn, figures.SHOWN),
        "## How it was measured",
        f"{PROTOCOL} {findings.longer_choices(every)}".strip(),
        f"This page is generated from the results in `results/` (inffs {__version__}); no number "
        "in it is typed by hand. `python -m reproduction run --out results` continues the run and "
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
