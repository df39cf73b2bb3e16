"""``inffs select``: a ranking, a subset and a page, from one table."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli import _options as opt
from inffs.cli._run import Terminal

_RESULTS = "The results"


def select(
    terminal: Terminal,
    source: opt.Prepared,
    method: opt.Method,
    subset: opt.Subset,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the results. Default: inffs-NAME.",
            rich_help_panel=_RESULTS,
        ),
    ] = None,
    force: opt.Force = False,
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Write report.html.", rich_help_panel=_RESULTS),
    ] = True,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            min=0,
            help="Folds of the report's cross-validation; 0 switches it off. Where a "
            "cross-validation decides how many features are selected, the report uses that one.",
            rich_help_panel=_RESULTS,
        ),
    ] = 5,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            help="Put ' before names and text that a spreadsheet would run as a formula.",
            rich_help_panel=_RESULTS,
        ),
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Rank on the dask cluster at this address (Parquet and NPY files).",
            rich_help_panel="The method",
        ),
    ] = None,
) -> None:
    """Rank the columns of a table and select the best.

    Writes ranking.csv (with reasons), the selected columns, report.html and run.json.

    [dim]inffs select genes.csv --label diagnosis[/dim]
    """
    from inffs._utils.files import refuse_existing
    from inffs.cli._show import show_agreement, show_kept
    from inffs.cli._target import to_repeat
    from inffs.cli._work import rank_table
    from inffs.io._formats import find_format
    from inffs.report._outputs import output_names, write_outputs
    from inffs.report._study import Study

    form, ending = find_format(source.table)
    folder = out or Path(f"inffs-{source.table.name.removesuffix(ending)}")
    ending = form.written_as(ending)
    refuse_existing([folder / name for name in output_names(ending, report)], force, "--force")
    found = rank_table(terminal, source, method, subset, dask=dask)
    table, beside = found.table, found.beside
    study = Study(
        found.selector, table.X, found.y, table.names, folds, method.seed, found.preparation,
        report, table.notes, found.symbols, beside.groups,
    )  # fmt: skip
    impute = "later" if source.impute else ("keep" if source.missing != "refuse" else None)
    run = {
        **_run_of(source.table, table),
        "seed": method.seed,
        "asked": _asked(source, method, found),
        "guards": found.warnings,
        "reading": to_repeat(source, beside, impute),
    }
    with terminal.progress():
        files = write_outputs(
            study, table, folder, ending=ending,
            title=f"Selected features of {source.table.name}",
            force=force, spreadsheet_safe=spreadsheet_safe, run=run,
        )  # fmt: skip
    if spreadsheet_safe:
        terminal.note("Names and text that a spreadsheet would run now begin with an apostrophe.")
    show_kept(terminal, study, found.spec.key, files, table.label)
    show_agreement(terminal, found.selector)


def _run_of(path: Path, table: Any) -> dict[str, Any]:
    """What run.json contains about the input: the command and the file."""
    from inffs._utils.files import sha256_of

    return {
        "command": shlex.join(["inffs", *sys.argv[1:]]),
        "table": path.name,
        "sha256": sha256_of(path),
        "label": table.label,
    }


def _asked(source: opt.Prepared, method: opt.Method, found: Any) -> dict[str, Any]:
    """The options of the run as plain values."""
    given = {
        "method": found.spec, "consensus": method.consensus, "max_false": method.max_false,
        "keep": method.size(), "drop": found.beside.drop, "transpose": source.transpose,
        "encode": source.encode, "impute": source.impute, "missing": source.missing,
        "normalize": source.normalize, "scale": source.scale, "adjust": source.adjust,
        "pair": source.pair, "group": source.group, "index": source.index,
        "target_type": found.target_type, "time": source.time, "event": source.event,
        "names": source.names, **source.sheet_options(), **source.label_options(), **found.limits,
    }  # fmt: skip
    plain = (bool, int, float, list, type(None))
    return {name: each if isinstance(each, plain) else str(each) for name, each in given.items()}
