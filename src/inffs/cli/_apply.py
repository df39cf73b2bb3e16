"""``inffs apply``: the selected features of an earlier run in another table."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from inffs.cli import _options as opt
from inffs.cli._run import Terminal

Run = Annotated[
    Path,
    typer.Argument(
        metavar="RUN", help="The folder of an earlier `inffs select`.", show_default=False
    ),
]


@dataclass(kw_only=True)
class Results:
    """What is done with what is missing, and where the results go."""

    impute: str | None = opt.of_table("Fill in missing values.", choices=opt.IMPUTATIONS)
    allow_missing_features: bool = opt.of_table(
        "Go on with the selected features that the table has.", default=False
    )
    out: Path | None = opt.option(
        "Folder for the results. Default: inffs-apply-NAME.", "DIR", names="--out -o"
    )
    force: bool = opt.FORCE


def apply(terminal: Terminal, run: Run, source: opt.Source, results: Results) -> None:
    """Write the selected features of an earlier run from another table.

    With a label, a model trained on the selected columns of the first table predicts the new
    samples.

    [dim]inffs apply inffs-genes second.csv --label diagnosis[/dim]
    """
    from inffs._utils.files import refuse_existing, write_text
    from inffs.cli._panel import Panel, score_line
    from inffs.cli._source import check_target, read_source
    from inffs.io import write_table
    from inffs.io._formats import find_format

    first, table = Panel.read(run), source.table
    form, ending = find_format(table)
    folder = results.out or Path(f"inffs-apply-{table.name.removesuffix(ending)}")
    files = [folder / f"selected{form.written_as(ending)}", folder / "apply.json"]
    refuse_existing(files, results.force, "--force")
    asked = check_target(source, first.target_type if source.label else "auto")
    data, _, _ = read_source(
        terminal, source, asked, "later", encode=first.asked.get("encode"),
        normalize=first.asked.get("normalize"), columns=first.sources,
    )  # fmt: skip
    there, lost = first.divided(data.names, table.name, results.allow_missing_features)
    terminal.warn([f"Missing in {table.name}: {', '.join(map(repr, lost))}."] * bool(lost))
    places = [data.names.index(name) for name in there]
    how = results.impute or first.asked.get("impute")
    selected = replace(data, X=data.X[:, places])
    found = first.evaluate(selected, there, how) if source.labelled else {}
    folder.mkdir(parents=True, exist_ok=True)
    write_table(data.take(places), files[0], force=results.force)
    record = {
        "command": shlex.join(["inffs", *sys.argv[1:]]), "run": str(run), "table": table.name,
        "samples": data.shape[0], "features": there, "missing_features": lost, **found,
    }  # fmt: skip
    write_text(files[1], json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    terminal.say(f"{len(there):,} of {len(first.features):,} selected features.", style="bold")
    if found:
        terminal.say(score_line(found, data.shape[0], first))
    for path in files:
        terminal.say(f"  {path}")
