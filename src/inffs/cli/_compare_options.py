"""The options that `inffs compare` and the reproduction share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from inffs.cli._options import Scale
from inffs.cli._run import FAILED, Terminal, UsageError

_RUN = "The run"

Methods = Annotated[
    str | None,
    typer.Option(
        "--methods",
        metavar="'KEY,KEY[param=value]'",
        help="Methods of `inffs methods`, or all, random, variance. Default: every one.",
        rich_help_panel="What runs",
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        metavar="10,50,0.1",
        help="Numbers of features to try; below 1 or with %: shares of all.",
        rich_help_panel="What runs",
    ),
]
Splits = Annotated[
    int | None,
    typer.Option(
        "--splits",
        min=1,
        help="Number of splits; from fewer than ten, no accuracy is stated.",
        rich_help_panel="What runs",
    ),
]
Tuned = Annotated[
    bool,
    typer.Option(
        "--tuned",
        help="Let every method choose its parameters by cross-validation, as Inf-FS does.",
        rich_help_panel="What runs",
    ),
]
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
ScaleBy = Annotated[
    Scale | None,
    typer.Option(
        "--scale",
        help="One scale for all columns, learned from each training part. Default: standardised "
        "for the methods that are used so, raw for the others.",
        rich_help_panel="The table",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Folder of the results; a rerun resumes."),
]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", help="Trials at a time (-1: one a core).", rich_help_panel=_RUN),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="10m",
        help="Stop cleanly after this time with what there is.",
        rich_help_panel=_RUN,
    ),
]
FitTimeout = Annotated[
    str,
    typer.Option(
        "--fit-timeout",
        metavar="10m",
        help="A method whose fit takes more processor time is skipped.",
        rich_help_panel=_RUN,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="4G",
        help="A method that takes more memory is skipped.",
        rich_help_panel=_RUN,
    ),
]
Retry = Annotated[
    bool,
    typer.Option(
        "--retry",
        help="Run again what was skipped or failed before. What crashed always runs again.",
        rich_help_panel=_RUN,
    ),
]


def leave_on_crashes(terminal: Terminal, folder: Path) -> None:
    """End with an exit code of failure where trials crashed: what is there lacks them."""
    from inffs.comparison import status

    state = status(folder)
    crashed = int(state["crashed"].sum()) if len(state) else 0
    if crashed:
        some = "1 trial crashed" if crashed == 1 else f"{crashed} trials crashed"
        terminal.notes.print(
            f"{some} (the process died, perhaps for want of memory): the same command tries again.",
            style="red",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(FAILED)


def parse_methods(text: str | None) -> list[str] | None:
    """The methods of a list separated by commas; None where none was given."""
    from inffs.methods.spec import parse_methods as split

    return None if text is None else split(text)


def parse_evaluators(text: str | None) -> tuple[str, ...]:
    """Names of evaluators, each known; the linear one where none is named."""
    from inffs.evaluation import EVALUATORS

    text = "linear" if text is None else text
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
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = 0.0
    if value <= 0 or (value > 1 and value != int(value)):
        raise UsageError(f"--sizes takes numbers like 10, 0.1 or 10%, not {text!r}.")
    return int(value) if value >= 1 and not text.endswith("%") and "." not in text else value


def parse_duration(text: str | None) -> float | None:
    """Seconds of 90, 90s, 10m or 2h."""
    return None if text is None else _with_unit(text, {"": 1, "s": 1, "m": 60, "h": 3600}, "10m")


def parse_memory(text: str | None) -> float | None:
    """MiB of 500M or 4G (a bare number is MiB)."""
    units = {"": 1, "m": 1, "g": 1024, "mib": 1, "gib": 1024}
    return None if text is None else _with_unit(text, units, "4G")


def _with_unit(text: str, units: dict[str, int], example: str) -> float:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in units or float(found[1]) == 0:
        raise UsageError(f"{text!r} is not understood: write it like {example}.")
    return float(found[1]) * units[found[2]]
