"""``python -m reproduction run``: the paper's experiments, resumable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inffs.cli._compare import Trials, leave_on_crashes, parse_methods
from inffs.cli._run import Terminal

ThirdParty = Annotated[
    bool,
    typer.Option(
        "--third-party",
        help="Compare selectors of other packages too; those not installed are skipped.",
        rich_help_panel="What runs",
    ),
]


def run(
    terminal: Terminal,
    trials: Trials,
    names: Annotated[
        str | None,
        typer.Option(
            "--datasets",
            metavar="NAME,NAME",
            help="Data sets of the sub-command datasets. Default: all, microarrays first.",
            rich_help_panel="What runs",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A taste in less than a minute: two data sets, four methods, two splits, "
            "and the page in the same folder.",
            rich_help_panel="What runs",
        ),
    ] = False,
    third_party: ThirdParty = False,
) -> None:
    """Run the paper's experiments: all data sets, all methods, 20 splits.

    It takes hours. Whatever is done is kept at once: stop it as you like, the same command goes on.

    [dim]python -m reproduction run --datasets colon,madelon --jobs 2[/dim]
    """
    from reproduction.page import write_reproduction
    from reproduction.suite import QUICK, reproduce

    folder = trials.out or Path("inffs-reproduce")
    wanted = {**trials.asked(), "names": parse_methods(names), "splits": trials.splits}
    if quick:
        wanted |= {name: value for name, value in QUICK.items() if wanted[name] is None}
    wanted["evaluators"] = wanted["evaluators"] or ("linear",)
    with terminal.progress():
        complete = reproduce(folder, **wanted, third_party=third_party, note=terminal.note)
    terminal.note("All is done." if complete else "The time is up; the same command goes on.")
    if quick:
        terminal.say(str(write_reproduction(folder, folder)))
    terminal.note(
        f"python -m reproduction status {folder} tells what there is, "
        f"python -m reproduction report {folder} writes the page."
    )
    leave_on_crashes(terminal, folder)
