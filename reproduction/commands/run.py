"""``python -m reproduction run``: the paper's experiments, resumable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli import _compare_options as options
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
    methods: options.Methods = None,
    sizes: options.Sizes = None,
    splits: options.Splits = None,
    tuned: options.Tuned = False,
    third_party: ThirdParty = False,
    evaluators: options.Evaluators = "linear",
    out: options.Out = None,
    jobs: options.Jobs = 1,
    budget: options.Budget = None,
    fit_timeout: options.FitTimeout = "10m",
    memory: options.Memory = None,
    retry: options.Retry = False,
) -> None:
    """Run the paper's experiments: all data sets, all methods, 20 splits.

    It takes hours. Whatever is done is kept at once: stop it as you like, the same command goes on.

    [dim]python -m reproduction run --datasets colon,madelon --jobs 2[/dim]
    """
    from inffs.comparison import Limits
    from reproduction.page import write_reproduction
    from reproduction.suite import QUICK, reproduce

    folder = out or Path("inffs-reproduce")
    wanted: dict[str, Any] = {
        "names": options.parse_methods(names),
        "methods": options.parse_methods(methods),
        "splits": splits,
    }
    if quick:
        wanted = {**QUICK, **{name: value for name, value in wanted.items() if value}}
    limits = Limits(options.parse_duration(fit_timeout), options.parse_memory(memory))
    with terminal.progress():
        complete = reproduce(
            folder, **wanted, sizes=options.parse_sizes(sizes), tuned=tuned, limits=limits,
            n_jobs=jobs, third_party=third_party,
            evaluators=options.parse_evaluators(evaluators),
            budget=options.parse_duration(budget), retry=retry, note=terminal.note,
        )  # fmt: skip
    terminal.note("All is done." if complete else "The time is up; the same command goes on.")
    if quick:
        terminal.say(str(write_reproduction(folder, folder)))
    terminal.note(
        f"python -m reproduction status {folder} tells what there is, "
        f"python -m reproduction report {folder} writes the page."
    )
    options.leave_on_crashes(terminal, folder)
