"""``python -m reproduction``: run the paper's experiments, and write what came of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs.cli._compare import (
    Evaluators,
    Folder,
    Jobs,
    Trials,
    check_folder,
    leave_on_crashes,
    parse_evaluators,
    parse_methods,
    show_status,
)
from inffs.cli._run import Terminal, make_app

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


def _complete(incomplete: str) -> list[str]:
    from reproduction.datasets import known

    return [entry.name for entry in known() if entry.name.startswith(incomplete)]


def datasets(
    terminal: Terminal,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One data set in full.", autocompletion=_complete),
    ] = None,
) -> None:
    """List the benchmark's data sets (the paper's Table 2), or tell all about one."""
    from reproduction.datasets import info, known

    if name is not None:
        for line in _lines(info(name)):
            terminal.out.print(line, markup=False, soft_wrap=True)
        return
    terminal.table(_HEAD, [_row(entry) for entry in known()])


_HEAD = ("name", "samples", "features", "classes", "balance", "flags", "status")


def _flags(entry: Any) -> str:
    flags = {
        "few train": entry.few_train,
        "unbalanced": entry.unbalanced,
        "overlap": entry.overlap == "yes",
        "noise": entry.noise,
        "sparse": entry.sparse,
    }
    return ", ".join(name for name, on in flags.items() if on)


def _row(entry: Any) -> tuple[str, ...]:
    return (entry.name, entry.samples, str(entry.features), str(entry.classes), entry.balance,
            _flags(entry), entry.status)  # fmt: skip


def _lines(entry: Any) -> list[str]:
    from reproduction.fetch import is_here

    lines = [
        f"{entry.name}: {entry.origin}",
        f"status: {entry.status}{'' if entry.in_paper else ' (not in the paper)'}",
        f"in the paper's Table 2: {entry.samples} samples, {entry.features} features, "
        f"{entry.classes} classes, balance {entry.balance}; {_flags(entry) or 'no flags'}; class "
        f"overlap: {entry.overlap}",
        f"as loaded: {entry.shape[0]} x {entry.shape[1]}",
    ]
    if entry.note:
        lines.append(f"remark: {entry.note}")
    for source in entry.sources:
        here = "on this machine" if all(map(is_here, source.files)) else "not on this machine"
        lines.append(f"{entry.title(source)}: {source.status}, {here}")
        for file in source.files:
            lines.append(f"  file: {file.address or file.path + ' in INFFS_DATA'}")
            lines.append(f"  {_hash(file)}")
    return lines


def _hash(file: Any) -> str:
    return f"sha256: {file.sha256}" if file.sha256 else f"git blob: {file.git_blob}"


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
    from reproduction.datasets import load_titled
    from reproduction.suite import evaluate_stored

    named, store = parse_evaluators(evaluators) or (), _stored(folder)
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


def report(
    terminal: Terminal,
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DOCS", help="Where to write. Default: DIR itself."),
    ] = None,
) -> None:
    """Write reproduction.md and its details: the paper's claims, figures and tables."""
    from reproduction.page import write_reproduction

    _stored(folder)
    terminal.out.print(str(write_reproduction(folder, out or folder)), markup=False, soft_wrap=True)


def status(terminal: Terminal, folder: Folder) -> None:
    """Show how many trials are done, skipped, failed and left, and the time left."""
    from inffs.comparison import status as state_of

    show_status(terminal, state_of(_stored(folder)))


def _stored(folder: Path) -> Any:
    """The results in a folder; one that has none is refused."""
    from reproduction.packed import PACKED, PackedStore

    if not (folder / PACKED).is_file():
        check_folder(folder)
    return PackedStore(folder)


_COMMANDS: dict[str, Callable[..., None]] = {
    "run": run,
    "datasets": datasets,
    "evaluate": evaluate,
    "status": status,
    "report": report,
}


def build_app() -> Any:
    """The command with its sub-commands."""
    about = "Reproduce the experiments of the publication of Infinite Feature Selection."
    return make_app("python -m reproduction", about, _COMMANDS)


def main() -> None:
    """Run the command."""
    build_app()(prog_name="python -m reproduction")


if __name__ == "__main__":
    main()
