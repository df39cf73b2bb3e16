"""``inffs select``: a ranking, a subset and a page, from one table."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli import _constraints as limit
from inffs.cli import _options as opt
from inffs.cli import _target as goal
from inffs.cli._run import Terminal, UsageError

_RESULTS = "The results"


def select(
    terminal: Terminal,
    table: opt.TablePath,
    label: opt.Label = None,
    method: opt.Method = None,
    consensus: opt.Consensus = opt.Aggregation.mean_rank,
    max_false: opt.MaxFalse = None,
    keep: opt.Keep = "auto",
    goal_is: opt.GoalIs = None,
    group: opt.Group = None,
    index: opt.Index = None,
    drop: opt.Drop = None,
    transpose: opt.Transpose = False,
    sheet: opt.Sheet = None,
    header: opt.Header = None,
    names: opt.Names = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    allow_missing_samples: opt.AllowMissingSamples = False,
    drop_missing_labels: opt.DropMissingLabels = False,
    layer: opt.Layer = None,
    encode: opt.Encode = None,
    normalize: opt.Normalize = None,
    adjust: opt.Adjust = None,
    impute: opt.Impute = None,
    missing: opt.MissingBy = opt.Missing.refuse,
    scale: opt.ScaleBy = opt.Scale.none,
    target_type: goal.TargetTypeIs = goal.TargetType.auto,
    time: goal.Time = None,
    event: goal.Event = None,
    include: limit.Include = None,
    exclude: limit.Exclude = None,
    max_correlation: limit.MaxCorrelation = None,
    group_score: limit.GroupScore = None,
    min_features: limit.MinFeatures = None,
    max_features: limit.MaxFeatures = None,
    seed: opt.Seed = 0,
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
            help="Folds of the report's check; 0 leaves it out.",
            rich_help_panel=_RESULTS,
        ),
    ] = 5,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            help="Put ' before names and text that a spreadsheet would compute.",
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
    """Rank the columns of a table and keep the best.

    Writes ranking.csv (with reasons), the selected columns, report.html and run.json.

    [dim]inffs select genes.csv --label diagnosis[/dim]
    """
    from inffs._utils.files import refuse_existing
    from inffs.cli import _work as work
    from inffs.io._formats import find_format
    from inffs.report._outputs import output_names, study_of, write_outputs
    from inffs.target import make_target

    keep = opt.keep_for(goal_is, keep)
    asked = goal.Asked(label, target_type, time, event)
    made = partial(
        work.build, method, asked.given, keep, seed, consensus, max_false, missing=missing
    )
    spec, selector = made(asked.known_type)
    form, ending = find_format(table)
    folder = out or Path(f"inffs-{table.name.removesuffix(ending)}")
    ending = form.written_as(ending)
    refuse_existing([folder / name for name in output_names(ending, report)], force)
    if group is not None and (labels is not None or drop_missing_labels):
        raise UsageError("--group reads the table alone: no --labels, no --drop-missing-labels.")
    groups, drop = work.read_groups(
        table, group, index, drop or [], transpose, sheet=sheet, header=header
    )
    adjustment, drop = work.read_covariates(
        table, adjust, drop, index=index, transpose=transpose, sheet=sheet, header=header,
        labels=labels, drop_missing_labels=drop_missing_labels,
    )  # fmt: skip
    reading: dict[str, Any] = {
        "sheet": sheet, "header": header, "labels": labels, "on": on, "missing": missing,
        "layer": layer, "allow_missing_samples": allow_missing_samples or None,
        "drop_missing_labels": drop_missing_labels or None,
        "normalize": normalize and str(normalize),
    }  # fmt: skip
    data, known = work.load_target(
        terminal, asked, table, index, drop, transpose, encode, impute, dask is not None, **reading
    )
    spec, selector = (spec, selector) if known == asked.known_type else made(known)
    selector, constraints = limit.constrain(
        selector, data, encode, include=include, exclude=exclude, max_correlation=max_correlation,
        min_features=min_features, max_features=max_features, group_score=group_score,
    )  # fmt: skip
    symbols = work.read_symbols(terminal, names, data.names)
    work.warn_of_confounding(terminal, adjustment, data)
    preparation = work.prepare(data, impute, scale, adjustment)
    own = replace(data, X=preparation.filled(data.X))
    said = work.guard(terminal, selector, own, known, preparation.scale != "none")
    work.fit(terminal, selector, data, dask, preparation, groups)
    wanted = {
        "method": str(spec), "consensus": consensus, "max_false": max_false, "keep": keep,
        "drop": drop or [], "transpose": transpose, "encode": encode, "impute": impute,
        "scale": scale, "adjust": adjust, "index": index, "target_type": known,
        "time": time, "event": event, "names": names and str(names), **constraints,
        **{name: str(value) for name, value in reading.items() if value is not None},
    }  # fmt: skip
    repeat = work.to_repeat(
        table, label=label, index=index, transpose=transpose, encode=encode,
        impute=impute and "later",
        **goal.to_repeat_times(data, drop), **reading,
    )  # fmt: skip
    grouped = groups is not None and not hasattr(selector, "size_selection_")
    checked = 0 if grouped else folds  # folds of the report's own would part the groups
    study = study_of(
        selector,
        data,
        y=make_target(data.y, known) if known == "regression" else None,
        preparation=preparation,
        report=report,
        folds=checked,
        seed=seed,
        symbols=symbols,
    )
    with terminal.progress():
        files = write_outputs(
            study, data, folder, ending=ending, title=f"Which features of {table.name} to keep",
            force=force, spreadsheet_safe=spreadsheet_safe,
            run={**_run_of(table, data, seed, wanted), "guards": said, "reading": repeat},
        )  # fmt: skip
    if spreadsheet_safe:
        terminal.note("Names and text that a spreadsheet would compute stand behind an apostrophe.")
    work.show_kept(terminal, study, spec.key, files, data.label)
    work.show_agreement(terminal, selector)


def _run_of(table: Path, data: Any, seed: int, wanted: dict[str, Any]) -> dict[str, Any]:
    """What run.json says of the input: the command, the file and what was asked for."""
    from inffs._utils.files import sha256_of

    return {
        "command": shlex.join(["inffs", *sys.argv[1:]]),
        "table": table.name,
        "sha256": sha256_of(table),
        "label": data.label,
        "seed": seed,
        "asked": wanted,
    }
