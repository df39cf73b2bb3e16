"""``inffs demo``: select features of an embedded table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from inffs._utils.words import counted
from inffs.cli._run import Terminal

_COPIES = 6  # shuffled copies of every column, so that random features are mostly noise


def demo(
    terminal: Terminal,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("inffs-demo"),
) -> None:
    """Select features of an embedded table and write the report.

    The table is scikit-learn's breast cancer data, each column with six shuffled copies.
    """
    from inffs import InfFSS
    from inffs.cli._options import Method
    from inffs.cli._pipeline import build, fit
    from inffs.cli._select import show_kept
    from inffs.report._outputs import write_outputs
    from inffs.report._report import Study

    table = demo_table()
    spec, selector = build(Method(), labelled=True)
    T, n = table.shape
    terminal.note(
        f"{T} tumours, {n} features: 30 measurements and {n - 30} shuffled copies of them, which "
        f"are noise. Method: {spec.key}."
    )
    fit(terminal, selector, table)
    study = Study(selector, table.X, table.y, table.names)
    with terminal.progress():
        run = {"command": "inffs demo", "table": "breast cancer (scikit-learn)", "seed": 0}
        title = "Breast cancer: selected measurements"
        files = write_outputs(study, table, out, title=title, force=True, run=run)
    show_kept(terminal, study, spec.key, files)
    copies = sum(name.startswith("shuffled") for name in table.take(selector.support_).names)
    what = "is a shuffled copy" if copies == 1 else "are shuffled copies"
    terminal.say(f"\n{copies} of the selected features {what}.")
    with terminal.progress():
        published = InfFSS().fit(table.X, table.y)
    terminal.say(
        "\nInfinite Feature Selection as published (inf-fs-s) selects "
        f"{counted(published.n_features_, 'feature')}. {published.cut_.why}"
    )
    terminal.say(f"Open {out / 'report.html'} in a browser.")


def demo_table() -> Any:
    """The breast cancer data, every column scaled to a range of 1, and shuffled copies of each."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    from inffs.io import Table

    data = load_breast_cancer()
    rng = np.random.default_rng(0)
    X = data.data / np.ptp(data.data, axis=0)
    copies = [rng.permuted(X, axis=0) for _ in range(_COPIES)]
    names = [str(name) for name in data.feature_names]
    shuffled = [f"shuffled {name} {turn + 1}" for turn in range(_COPIES) for name in names]
    y = data.target_names[data.target].astype(object)
    return Table(np.hstack([X, *copies]), names + shuffled, y=y, label="diagnosis")
