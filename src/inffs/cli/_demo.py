"""``inffs demo``: the main job on an embedded table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli._run import Terminal


def demo(
    terminal: Terminal,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("inffs-demo"),
) -> None:
    """Rank an embedded table, say what was kept and why, and write its report.

    The table is scikit-learn's breast cancer data, every column with a shuffled copy of it.
    """
    from inffs.cli._work import build, fit, show_kept
    from inffs.report._outputs import write_outputs

    table = demo_table()
    spec, selector = build(None, table.label, "auto", 0)
    T, n = table.shape
    terminal.note(
        f"{T} tumours, {n} features: 30 measured, 30 shuffled copies that say nothing. "
        f"Method: {spec.key}."
    )
    fit(terminal, selector, table)
    with terminal.progress():
        files = write_outputs(
            selector,
            table,
            out,
            title="Breast cancer: which measurements to keep",
            force=True,
            run={"command": "inffs demo", "table": "breast cancer (scikit-learn)", "seed": 0},
        )
    show_kept(terminal, selector, table.names, spec.key, files)
    copies = sum(name.startswith("shuffled") for name in table.take(selector.support_).names)
    terminal.say(f"\n{copies} of the kept features are shuffled copies.")
    terminal.say(f"Open {out / 'report.html'} in a browser.")


def demo_table() -> Any:
    """The breast cancer data, every column scaled to a range of 1, and a shuffled copy of each."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    from inffs.tables import Table

    data = load_breast_cancer()
    rng = np.random.default_rng(0)
    X = data.data / np.ptp(data.data, axis=0)
    copies = rng.permuted(X, axis=0)
    names = [str(name) for name in data.feature_names]
    return Table(
        np.hstack([X, copies]),
        names + [f"shuffled {name}" for name in names],
        y=data.target_names[data.target].astype(object),
        label="diagnosis",
    )
