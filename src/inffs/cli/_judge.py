"""``inffs judge``: more judges for the picks of a run."""

from __future__ import annotations

from dataclasses import replace

from inffs.cli import _arena_options as run
from inffs.cli._run import Terminal
from inffs.cli._status import Folder, check_folder


def judge(
    terminal: Terminal,
    folder: Folder,
    judges: run.Judges = "linear,rbf,knn",
    jobs: run.Jobs = 1,
) -> None:
    """Let other classifiers judge the features that a run of the benchmark picked.

    Nothing is ranked again. For a table of your own, give the same `inffs arena` command --judge.

    [dim]inffs judge results --judge rbf[/dim]
    """
    from inffs.arena import Store
    from inffs.arena.data.datasets import load_titled
    from inffs.arena.engine.plan import read_plans
    from inffs.arena.engine.runner import judge_plan

    check_folder(folder)
    named, store = run.parse_judges(judges), Store(folder)
    for plan in read_plans(folder).values():
        if plan.details is None or plan.setting.startswith(("cuts", "growth")):
            continue
        try:
            dataset = load_titled(plan.dataset)
        except ValueError as error:
            terminal.note(f"{plan.dataset} is left out: {error}")
            continue
        if dataset.version != plan.data_version:
            terminal.note(f"{plan.dataset} is left out: the table has changed since the run.")
            continue
        with terminal.progress():
            done = judge_plan(dataset, replace(plan), store, named, jobs)
        terminal.say(f"{plan.dataset} ({plan.setting}): {done} trials judged.")
