"""``inffs compare``, ``status`` and ``report``: compare the methods on a table, in one folder."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from inffs._utils.words import counted
from inffs.cli import _options as opt
from inffs.cli._run import FAILED, Terminal, UsageError

_of_trials, _of_run = partial(opt.option, panel="What runs"), partial(opt.option, panel="The run")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)]
Evaluators = Annotated[
    str | None,
    typer.Option(
        "--evaluator",
        metavar="linear,rbf,knn",
        help="Models that evaluate the selected features; the first one decides. Default: linear "
        "for classes (also rbf, knn, hinge, ridge), ridge for numbers (also rbf, knn), cox for "
        "survival times.",
        rich_help_panel="What runs",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", help="Trials at a time (-1: one a core).", rich_help_panel="The run"
    ),
]


@dataclass(kw_only=True)
class Trials:
    """What is compared, where the results go, and the limits of a run."""

    methods: str | None = _of_trials(
        "Methods of `inffs methods`, or all, random, variance. Default: every one.",
        "'KEY,KEY[param=value]'",
    )
    sizes: str | None = _of_trials(
        "Numbers of features to try; below 1 or with %: shares of all.", "10,50,0.1"
    )
    splits: int | None = _of_trials(
        "Number of splits; from fewer than ten, no accuracy is stated.", min=1
    )
    tuned: bool = _of_trials(
        "Let every method choose its parameters by cross-validation, as Inf-FS does.",
        default=False,
    )
    evaluators: Evaluators = None
    out: Path | None = opt.option(
        "Folder of the results; a rerun resumes.", "DIR", names="--out -o"
    )
    jobs: Jobs = 1
    budget: str | None = _of_run("Stop cleanly after this time with what there is.", "10m")
    fit_timeout: str = _of_run(
        "A method whose fit takes more processor time is skipped.", "10m", default="10m"
    )
    memory: str | None = _of_run("A method that takes more memory is skipped.", "4G")
    retry: bool = _of_run(
        "Run again what was skipped or failed before. What crashed always runs again.",
        default=False,
    )

    def asked(self) -> dict[str, Any]:
        """The options as the comparison takes them."""
        from inffs.comparison import Limits

        if self.jobs == 0:
            raise UsageError(
                "--jobs takes a number of trials at a time or -1 (one per core), not 0."
            )
        seconds = parse_duration(self.fit_timeout, "--fit-timeout")
        return {
            "methods": parse_methods(self.methods),
            "sizes": parse_sizes(self.sizes),
            "evaluators": parse_evaluators(self.evaluators),
            "tuned": self.tuned,
            "limits": Limits(seconds, parse_memory(self.memory)),
            "budget": parse_duration(self.budget, "--budget"),
            "n_jobs": self.jobs,
            "retry": self.retry,
        }


@dataclass(kw_only=True)
class Setting:
    """How the methods of a comparison are used."""

    scale: str | None = opt.of_table(
        "One scale for all columns, learned from each training part. Default: standardised for "
        "the methods that are used so, raw for the others.",
        choices=opt.SCALES,
    )
    seed: int = opt.of_method("Seed of the random numbers.", default=0)


def compare(terminal: Terminal, source: opt.Design, trials: Trials, setting: Setting) -> None:
    """Compare all methods on a table and recommend one, with a number of features.

    Missing values are imputed with the medians of each training part.

    [dim]inffs compare genes.csv --label diagnosis --budget 10m[/dim]
    """
    from inffs.cli._source import check_target, read_source
    from inffs.comparison import compare as compare_methods
    from inffs.comparison import write_run_report

    target_type, table = check_target(source, source.target_type), source.table
    if not source.labelled:
        raise UsageError("`inffs compare` needs a target: name its column (--label).")
    asked = trials.asked()
    data, known, beside = read_source(terminal, source, target_type, "later")
    folder = trials.out or Path(f"inffs-compare-{table.name.partition('.')[0]}")
    with terminal.progress():
        answer = compare_methods(
            data.X, data.y, folder, name=table.name, names=data.names, groups=beside.groups,
            target_type="regression" if known == "regression" else "auto",
            splits=trials.splits or 10, seed=setting.seed, scale=setting.scale, **asked,
        )  # fmt: skip
    if known != "classification":
        terminal.out.print(f"Target: {data.label}, {opt.WORDS[known]}.", markup=False)
    for text in [*answer.sentences(), f"\n{answer.code}"]:
        terminal.out.print(text, markup=False, soft_wrap=True)
    flags = {**opt.given(source), "scale": setting.scale, "seed": setting.seed or None}
    words = _select_command(table, answer, flags, data.X, trials.tuned)
    if words:
        terminal.out.print(f"\n{words}", markup=False, soft_wrap=True)
    terminal.note(f"\nThe whole comparison: {write_run_report(folder)}")
    leave_on_crashes(terminal, folder)


def _select_command(table: Path, answer: Any, flags: dict[str, Any], X: Any, tuned: bool) -> str:
    """The ``inffs select`` command of the recommendation; "" where that command cannot do it."""
    from inffs.comparison.methods import find_method
    from inffs.validation.missing import has_missing

    method = find_method(answer.method, tuned)
    if method.baseline or method.grid:
        return ""
    scale = flags["scale"] or ("none" if method.sees_raw else "standard")
    flags |= {
        "scale": None if scale == "none" else scale,
        "impute": "median" if has_missing(X) else None,
        "method": answer.method,
        "keep": "auto" if answer.asked == "auto" else str(answer.size),
    }
    words = [word for name, value in flags.items() for word in _as_words(name, value)]
    return shlex.join(["inffs", "select", str(table), *words])


def _as_words(name: str, value: Any) -> list[str]:
    """An option as it is typed; nothing without a value."""
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return []
    if isinstance(value, bool):
        return [flag if value else f"--no-{name}"]
    values = value if isinstance(value, list) else [value]
    return [word for each in values for word in (flag, str(each))]


def status(terminal: Terminal, folder: Folder) -> None:
    """Show how many trials are done, skipped, failed and left, and the time left."""
    from inffs.comparison import status as state_of

    check_folder(folder)
    show_status(terminal, state_of(folder))


def show_status(terminal: Terminal, state: Any) -> None:
    """Print the progress of runs, a line for each data set and setting."""
    if state.empty:
        terminal.note("No run has begun here yet.")
        return
    state["hours_left"] = state["hours_left"].round(2)
    right = " ".join(name for name in state.columns if name not in ("dataset", "setting"))
    terminal.table(list(state.columns), state.astype(str).to_numpy().tolist(), right)


def report(
    terminal: Terminal,
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where to write. Default: DIR itself."),
    ] = None,
) -> None:
    """Write a run's report: one HTML page, and its tables as CSV."""
    from inffs.comparison import write_run_report

    check_folder(folder)
    terminal.out.print(str(write_run_report(folder, out)), markup=False, soft_wrap=True)


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds no run."""
    from inffs.comparison.store import LINES

    if not (folder / LINES).is_file():
        raise UsageError(f"{folder} holds no comparison: give the --out folder of its command.")


def leave_on_crashes(terminal: Terminal, folder: Path) -> None:
    """End with an exit code of failure where trials crashed: what is there lacks them."""
    from inffs.comparison import status

    state = status(folder)
    crashed = int(state["crashed"].sum()) if len(state) else 0
    if crashed:
        terminal.notes.print(
            f"{counted(crashed, 'trial')} crashed (the process died, perhaps for want of memory): "
            "the same command tries again.",
            style="red", markup=False, soft_wrap=True,
        )  # fmt: skip
        raise typer.Exit(FAILED)


def parse_methods(text: str | None) -> list[str] | None:
    """The methods of a list separated by commas; None where none was given."""
    from inffs.methods.entries import parse_methods as split

    return None if text is None else split(text)


def parse_evaluators(text: str | None) -> tuple[str, ...] | None:
    """Names of evaluators, each known; None where none was given."""
    from inffs.evaluation import EVALUATORS

    if text is None:
        return None
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        if name not in EVALUATORS:
            raise UsageError(f"There is no evaluator {name!r}; known: {', '.join(EVALUATORS)}.")
    if not names:
        raise UsageError("--evaluator takes names like linear,rbf,knn.")
    return names


def parse_sizes(text: str | None) -> tuple[float, ...] | None:
    """Numbers of features, or shares of them (0.1, 10%)."""
    return None if text is None else tuple(_size(part.strip()) for part in text.split(","))


def _size(text: str) -> float:
    number = opt.read_number(text)
    if number is None or not opt.is_size(number):
        raise UsageError(f"--sizes takes numbers like 10, 0.1 or 10%, not {text!r}.")
    return number


def parse_duration(text: str | None, flag: str = "--budget") -> float | None:
    """Seconds of 90, 90s, 10m or 2h."""
    return _with_unit(text, {"": 1, "s": 1, "m": 60, "h": 3600}, f"{flag} takes a time like 10m")


def parse_memory(text: str | None) -> float | None:
    """MiB of 500M or 4G (a bare number is MiB)."""
    units = {"": 1, "m": 1, "g": 1024, "mib": 1, "gib": 1024}
    return _with_unit(text, units, "--memory takes a size like 4G")


def _with_unit(text: str | None, units: dict[str, int], wanted: str) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in units or float(found[1]) == 0:
        raise UsageError(f"{wanted}, not {text!r}.")
    return float(found[1]) * units[found[2]]
