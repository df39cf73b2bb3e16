"""``python -m reproduction evaluate``: evaluate stored selections with further models."""

from __future__ import annotations

from inffs.cli._compare import Evaluators, Folder, Jobs, check_folder, parse_evaluators
from inffs.cli._run import Terminal


def evaluate(
    terminal: Terminal,
    folder: Folder,
    evaluators: Evaluators = "linear,rbf,knn",
    jobs: Jobs = 1,
) -> None:
    """Evaluate the features that a run selected with other models.

    Nothing is ranked again. For a table of your own, add --evaluator to its `inffs compare`
    command.

    [dim]python -m reproduction evaluate results --evaluator rbf[/dim]
    """
    from inffs.comparison.runner import evaluate_stored
    from inffs.comparison.store import Store
    from reproduction.datasets import load_titled

    check_folder(folder)
    named, store = parse_evaluators(evaluators) or (), Store(folder)
    found = 0
    for plan in store.plans().values():
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
            done = evaluate_stored(dataset, plan, store, named, jobs)
        found += 1
        terminal.say(f"{plan.dataset} ({plan.setting}): {done} trials evaluated.")
    if not found:
        raise ValueError(
            f"Nothing was evaluated: {folder} holds no run of the reproduction whose data set is "
            "here. Repeat an `inffs compare` command with more evaluators instead."
        )
