"""``inffs reproduce``: the paper's experiments, resumable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inffs.cli import _arena_options as run
from inffs.cli._run import Terminal


def reproduce(
    terminal: Terminal,
    names: Annotated[
        str | None,
        typer.Option(
            "--datasets",
            metavar="NAME,NAME",
            help="Data sets of `inffs datasets`. Default: all of them, microarrays first.",
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
    methods: run.Methods = None,
    sizes: run.Sizes = None,
    splits: run.Splits = None,
    tuned: run.Tuned = False,
    guests: run.Guests = False,
    judges: run.Judges = "linear",
    out: run.Out = None,
    jobs: run.Jobs = 1,
    dask: run.Dask = None,
    budget: run.Budget = None,
    fit_timeout: run.FitTimeout = "10m",
    memory: run.Memory = None,
    retry: run.Retry = False,
) -> None:
    """Run the paper's experiments: all data sets, all methods, 20 splits.

    It takes hours. Whatever is done is kept at once: stop it as you like, the same command goes on.

    [dim]inffs reproduce --datasets colon,madelon --jobs 2[/dim]
    """
    from inffs.arena import Limits, write_reproduction
    from inffs.arena import reproduce as run_suite
    from inffs.arena.paper.suite import QUICK

    folder = out or Path("inffs-reproduce")
    wanted = {"names": run.parse_methods(names), "methods": run.parse_methods(methods),
              "splits": splits}  # fmt: skip
    if quick:
        wanted = {**QUICK, **{name: value for name, value in wanted.items() if value}}
    limits = Limits(run.parse_duration(fit_timeout), run.parse_memory(memory))
    with terminal.progress():
        complete = run_suite(
            folder, **wanted, sizes=run.parse_sizes(sizes), tuned=tuned, limits=limits,
            n_jobs=jobs, guests=guests, judges=run.parse_judges(judges), dask=dask,
            budget=run.parse_duration(budget), retry=retry, note=terminal.note,
        )  # fmt: skip
    terminal.note("All is done." if complete else "The time is up; the same command goes on.")
    if quick:
        terminal.say(str(write_reproduction(folder, folder)))
    terminal.note(f"inffs status {folder} tells what there is, inffs report {folder} draws it.")
    run.leave_on_crashes(terminal, folder)
