"""What is to be explained: ``--task``, ``--time`` and ``--event``, and how they reach the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inffs.cli._run import Terminal, UsageError

if TYPE_CHECKING:
    import numpy as np

_TABLE = "The table"


class Task(StrEnum):
    """What the label is."""

    auto = "auto"
    classes = "classes"
    regression = "regression"
    survival = "survival"


TaskIs = Annotated[
    Task,
    typer.Option(
        "--task",
        help="What the label holds: classes, numbers to explain (regression), or survival times. "
        "auto: numbers with decimals, or of many values, are regression.",
        rich_help_panel=_TABLE,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="Survival: the column of times (instead of --label).",
        rich_help_panel=_TABLE,
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        "--event",
        metavar="COLUMN",
        help="Survival: 1 where the event happened at that time, 0 where the sample was lost.",
        rich_help_panel=_TABLE,
    ),
]
KINDS = {"classes": "classes", "regression": "continuous", "survival": "survival"}
WORDS = {
    "auto": "labels", "classes": "classes", "regression": "numbers (regression)",
    "survival": "survival times",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What the flags say of the target."""

    label: str | None
    task: str
    time: str | None = None
    event: str | None = None

    def __post_init__(self) -> None:
        if (self.time is None) != (self.event is None):
            have, lacks = ("--time", "--event") if self.event is None else ("--event", "--time")
            raise UsageError(f"{have} needs {lacks}: survival times are two columns.")
        if self.survival and self.label is not None:
            raise UsageError("--time and --event take the place of --label: leave it out.")
        if self.task == Task.survival and not self.survival:
            raise UsageError("--task survival needs the columns --time and --event.")
        if self.survival and self.task not in (Task.auto, Task.survival):
            raise UsageError(f"--time and --event are survival times: no --task {self.task}.")

    @property
    def survival(self) -> bool:
        return self.time is not None and self.event is not None

    @property
    def given(self) -> bool:
        """Whether there is a target at all."""
        return self.survival or self.label is not None

    @property
    def known_task(self) -> str:
        """The task as far as the flags tell it."""
        return str(Task.survival) if self.survival else str(self.task)

    def times(self, path: Path, drop: list[str] | None, **reading: Any) -> Times | None:
        """Both columns of survival times, read from the table."""
        if not self.survival:
            return None
        if reading.pop("labels", None) is not None:
            raise UsageError("--time and --event are columns of the table itself: no --labels.")
        return Times.read(path, str(self.time), str(self.event), list(drop or []), reading)


@dataclass(frozen=True)
class Times:
    """Survival times, and what is dropped so that their columns are no features."""

    y: np.ndarray
    label: str
    drop: list[str]

    @classmethod
    def read(
        cls, path: Path, time: str, event: str, drop: list[str], reading: dict[str, Any]
    ) -> Times:
        from inffs.io._read import read_column
        from inffs.validation.survival_times import survival_of

        options: dict[str, Any] = {name: reading.get(name) for name in ("index", "sheet", "header")}
        options["transpose"] = bool(reading.get("transpose"))
        found = [read_column(path, each, role, **options)
                 for each, role in ((time, "time"), (event, "event"))]  # fmt: skip
        times, happened = (values for values, _ in found)
        names = [name or asked for (_, name), asked in zip(found, (time, event), strict=True)]
        y = survival_of(happened, times, names[1], names[0])
        y = y.astype([(names[1], bool), (names[0], float)]) if names[0] != names[1] else y
        return cls(y, f"{names[0]}, {names[1]}", [*drop, *(name for _, name in found if name)])


def settle(
    terminal: Terminal, data: Any, asked: Asked, times: Times | None = None
) -> tuple[Any, str]:
    """The table with its target as it is meant, and the task; says so where it was not told."""
    if times is not None:
        return replace(data, y=times.y, label=times.label), str(Task.survival)
    if data.y is None:
        return data, str(asked.task)
    from inffs.validation.targets import is_measured

    measured = is_measured(data.y)
    if asked.task == Task.classes:
        return (replace(data, y=data.y.astype(str)) if measured else data), str(asked.task)
    if asked.task == Task.auto and not measured:
        return data, str(Task.classes)
    if asked.task == Task.auto:
        import numpy as np

        terminal.note(
            f"The label {data.label!r} has {np.unique(data.y).size:,} different numbers: they are "
            "explained as numbers (regression); --task classes takes them for classes.",
            style="yellow",
        )
    return replace(data, y=_numbers(data.y)), str(Task.regression)


def _numbers(y: np.ndarray) -> np.ndarray:
    from inffs.validation.targets import as_numbers

    try:
        return as_numbers(y)
    except ValueError as error:
        raise UsageError(f"--task regression needs a label of numbers ({error}).") from None


def refuse_target(key: str, selector: Any, task: str) -> None:
    """Refuse a method that does not take this kind of target, and name those that do."""
    from inffs.methods import catalogue

    kind = KINDS.get(task, "classes")
    if not selector._supervised or kind in selector._targets:
        return
    able = [entry.key for entry in catalogue() if kind in entry.targets]
    what = {"continuous": "numbers", "survival": "survival times"}.get(kind, "classes")
    hint = "; --task classes takes numbers for classes" if kind == "continuous" else ""
    raise UsageError(f"{key} does not take {what}; these methods do: {', '.join(able)}{hint}.")


def target_words(selector: Any, label: str | None) -> str:
    """One line of what the target was taken for; "" without one."""
    kind = getattr(selector, "target_type_", None)
    if kind is None or label is None:
        return ""
    if kind == "classes":
        return f"Target: {label}, {selector.classes_.size} classes."
    task = next((task for task, each in KINDS.items() if each == kind), kind)
    return f"Target: {label}, {WORDS.get(task, kind)}."


def to_repeat_times(data: Any, drop: list[str] | None) -> dict[str, Any]:
    """What was dropped, and the columns of survival times: for code that repeats the run."""
    names = getattr(getattr(data.y, "dtype", None), "names", None)
    if names is None:
        return {"drop": drop}
    own = [] if data.source is not None else [names[1], names[0]]
    return {"drop": [*(drop or []), *own], "event": names[0], "time": names[1]}
