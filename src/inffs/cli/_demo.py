"""``inffs demo``: the main job on an embedded table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli._run import Terminal

_COPIES = 6  # shuffled ones of every column: columns drawn at random are mostly noise


def demo(
    terminal: Terminal,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("inffs-demo"),
) -> None:
    """Rank an embedded table, say what was kept and why, and write its report.

    Beside it the same table by conditional paths (inf-fs-c), with a report of its own.

    The table is scikit-learn's breast cancer data, every column with six shuffled copies of it.
    """
    from inffs.cli._work import build, fit, show_kept
    from inffs.report._outputs import study_of, write_outputs

    table = demo_table()
    spec, selector = build(None, True, "auto", 0)
    T, n = table.shape
    terminal.note(
        f"{T} tumours, {n} features: 30 measured, {n - 30} shuffled copies that say nothing. "
        f"Method: {spec.key}."
    )
    fit(terminal, selector, table)
    study = study_of(selector, table)
    with terminal.progress():
        files = write_outputs(
            study,
            table,
            out,
            title="Breast cancer: which measurements to keep",
            force=True,
            run={"command": "inffs demo", "table": "breast cancer (scikit-learn)", "seed": 0},
        )
    show_kept(terminal, study, spec.key, files)
    copies = sum(name.startswith("shuffled") for name in table.take(selector.support_).names)
    what = "is a shuffled copy" if copies == 1 else "are shuffled copies"
    terminal.say(f"\n{copies} of the kept features {what}.")
    show_both(terminal, study, table, out)
    terminal.say(f"Open {out / 'report.html'} in a browser.")


def show_both(terminal: Terminal, study: Any, table: Any, out: Path) -> None:
    """The same table by conditional paths, place by place and by accuracy, and its page."""
    from inffs import InfFSC, Report

    other = Report(
        InfFSC().fit(table.X, table.y),
        table.X,
        table.y,
        feature_names=table.names,
        title="Breast cancer by conditional paths",
    )
    path = other.save(out / "paths.html", force=True)
    if not terminal.quiet:
        checks = [study.check, other.check]
        terminal.out.print(_beside(study.selector, other.selector, table.names, checks))
    terminal.say(f"Conditional paths count only what no earlier feature says: {path}")


def _beside(left: Any, right: Any, names: list[str], checks: list[Any], most: int = 5) -> Any:
    from rich import box
    from rich.table import Table

    shown = Table("", "inf-fs-s", "inf-fs-c", box=box.SIMPLE_HEAD, pad_edge=False)
    for place in range(most):
        shown.add_row(f"{place + 1}.", *(names[each.order_[place]] for each in (left, right)))
    shown.add_section()
    for size in sorted(set(checks[0].sizes) & set(checks[1].sizes)):
        means = [check.selected[:, check.sizes.index(size)].mean() for check in checks]
        shown.add_row(f"accuracy, best {size}", *(f"{100 * mean:.1f} %" for mean in means))
    return shown


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
    return Table(
        np.hstack([X, *copies]),
        names + shuffled,
        y=data.target_names[data.target].astype(object),
        label="diagnosis",
    )
