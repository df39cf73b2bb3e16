"""``inffs apply``: the selected features of an earlier run in another table."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli import _options as opt
from inffs.cli import _target as goal
from inffs.cli._run import Terminal

Run = Annotated[
    Path,
    typer.Argument(
        metavar="RUN", help="The folder of an earlier `inffs select`.", show_default=False
    ),
]
AllowMissingFeatures = Annotated[
    bool,
    typer.Option(
        "--allow-missing-features",
        help="Go on with the selected features that the table has.",
        rich_help_panel="The table",
    ),
]


def apply(
    terminal: Terminal,
    run: Run,
    table: opt.TablePath,
    label: opt.Label = None,
    index: opt.Index = None,
    drop: opt.Drop = None,
    transpose: opt.Transpose = False,
    sheet: opt.Sheet = None,
    header: opt.Header = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    allow_missing_samples: opt.AllowMissingSamples = False,
    drop_missing_labels: opt.DropMissingLabels = False,
    layer: opt.Layer = None,
    impute: opt.Impute = None,
    time: goal.Time = None,
    event: goal.Event = None,
    allow_missing_features: AllowMissingFeatures = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder. Default: inffs-apply-NAME."),
    ] = None,
    force: opt.Force = False,
) -> None:
    """Write the selected features of an earlier run from another table.

    With labels, a model trained on the first table's selected columns predicts the new samples.

    [dim]inffs apply inffs-genes second.csv --label diagnosis[/dim]
    """
    from inffs._utils.files import refuse_existing, write_text
    from inffs.cli._panel import Panel, score_line
    from inffs.io import read_table, write_table
    from inffs.io._formats import find_format

    first = Panel.read(run)
    form, ending = find_format(table)
    folder = out or Path(f"inffs-apply-{table.name.removesuffix(ending)}")
    files = [folder / f"selected{form.written_as(ending)}", folder / "apply.json"]
    refuse_existing(files, force)
    asked = goal.Asked(label, first.target_type if label else "auto", time, event)
    reading: dict[str, Any] = {"sheet": sheet, "header": header, "labels": labels, "layer": layer}
    reading = {name: value for name, value in reading.items() if value is not None}
    times = asked.times(table, drop, index=index, transpose=transpose, **reading)
    data = read_table(
        table, label=label, index=index, transpose=transpose, encode=first.encode, impute="later",
        normalize=first.normalize, on=on, drop=(drop or ()) if times is None else times.drop,
        allow_missing_samples=allow_missing_samples,
        drop_missing_labels=drop_missing_labels, columns=first.sources, **reading,
    )  # fmt: skip
    for note in [*data.notes, *(() if times is None else times.notes)]:
        terminal.note(note, style="yellow")
    data, _ = goal.settle(data, asked, times)
    there = first.present(data.names, table.name, allow_missing_features)
    lost = [name for name in first.features if name not in set(there)]
    if lost:
        terminal.note(f"Missing in {table.name}: {', '.join(map(repr, lost))}.", style="yellow")
    places = [data.names.index(name) for name in there]
    how = str(impute) if impute else first.impute
    found = first.evaluate(replace(data, X=data.X[:, places]), there, how) if asked.given else {}
    folder.mkdir(parents=True, exist_ok=True)
    write_table(data.take(places), files[0], force=force)
    said = {
        "command": shlex.join(["inffs", *sys.argv[1:]]), "run": str(run), "table": table.name,
        "samples": data.shape[0], "features": there, "missing_features": lost, **found,
    }  # fmt: skip
    write_text(files[1], json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    terminal.say(f"{len(there):,} of {len(first.features):,} selected features.", style="bold")
    if found:
        terminal.say(score_line(found, data.shape[0], first))
    for path in files:
        terminal.say(f"  {path}")
