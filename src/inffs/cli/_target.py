"""The target: ``--target-type``, ``--time`` and ``--event``, and how they reach the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inffs.cli._run import UsageError

if TYPE_CHECKING:
    import numpy as np

_TABLE = "The table"


class TargetType(StrEnum):
    """What the label holds."""

    auto = "auto"
    classification = "classification"
    regression = "regression"
    survival = "survival"


TargetTypeIs = Annotated[
    TargetType,
    typer.Option(
        "--target-type",
        help="What the label holds: classes (classification), numbers (regression), or survival "
        "times. auto: numbers with decimals are regression, all else is classes.",
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
        help="Survival: 1 where the event happened at that time, 0 where the sample was censored; "
        "or 2 and 1, as in R.",
        rich_help_panel=_TABLE,
    ),
]
WORDS = {
    "auto": "labels", "classification": "classes", "multilabel": "several labels",
    "regression": "numbers (regression)", "survival": "survival times",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What the flags say of the target."""

    label: str | None
    target_type: str
    time: str | None = None
    event: str | None = None

    def __post_init__(self) -> None:
        if (self.time is None) != (self.event is None):
            have, lacks = ("--time", "--event") if self.event is None else ("--event", "--time")
            raise UsageError(f"{have} needs {lacks}: survival times are two columns.")
        if self.survival and self.label is not None:
            raise UsageError("--time and --event take the place of --label: leave it out.")
        if self.target_type == TargetType.survival and not self.survival:
            raise UsageError("--target-type survival needs the columns --time and --event.")
        if self.survival and self.target_type not in (TargetType.auto, TargetType.survival):
            raise UsageError(
                f"--time and --event are survival times: no --target-type {self.target_type}."
            )

    @property
    def survival(self) -> bool:
        return self.time is not None and self.event is not None

    @property
    def given(self) -> bool:
        """Whether there is a target at all."""
        return self.survival or self.label is not None

    @property
    def known_type(self) -> str:
        """The type as far as the flags tell it."""
        return str(TargetType.survival) if self.survival else str(self.target_type)

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
    notes: list[str]

    @classmethod
    def read(
        cls, path: Path, time: str, event: str, drop: list[str], reading: dict[str, Any]
    ) -> Times:
        from inffs.io._read import read_column
        from inffs.survival_times import coded_as_in_r, survival_of

        options: dict[str, Any] = {name: reading.get(name) for name in ("index", "sheet", "header")}
        options["transpose"] = bool(reading.get("transpose"))
        found = [read_column(path, each, role, **options)
                 for each, role in ((time, "time"), (event, "event"))]  # fmt: skip
        times, happened = (values for values, _ in found)
        names = [name or asked for (_, name), asked in zip(found, (time, event), strict=True)]
        try:
            y = survival_of(happened, times, names[1], names[0])
        except ValueError as error:
            raise ValueError(f"--time {time} --event {event}: {error}") from None
        y = y.astype([(names[1], bool), (names[0], float)]) if names[0] != names[1] else y
        note = f"The codes of {names[1]!r} are read as in R: 2 is the event, 1 is censored."
        return cls(
            y, f"{names[0]}, {names[1]}", [*drop, *(name for _, name in found if name)],
            [note] if coded_as_in_r(happened) else [],
        )  # fmt: skip


def settle(data: Any, asked: Asked, times: Times | None = None) -> tuple[Any, str]:
    """The table with its target as it is meant, and the type of the target."""
    if times is not None:
        return replace(data, y=times.y, label=times.label), str(TargetType.survival)
    if data.y is None:
        return data, str(asked.target_type)
    from inffs.target import CLASSIFICATION, REGRESSION, make_target

    try:
        found, meant = make_target(data.y).type, asked.target_type
        known = found if meant == TargetType.auto else str(meant)
        if known == REGRESSION:
            make_target(data.y, known)
            return data, known
    except ValueError as error:
        raise UsageError(f"The label {data.label!r} cannot be used: {error}") from None
    as_text = known == CLASSIFICATION and found == REGRESSION
    return (replace(data, y=data.y.astype(str)) if as_text else data), known


def refuse_target(key: str, selector: Any, target_type: str) -> None:
    """Refuse a method that does not take this type of target, and name those that do."""
    from inffs.methods import catalogue

    asked = "classification" if target_type == TargetType.auto else target_type
    if not selector._supervised or asked in selector._targets:
        return
    able = [entry.key for entry in catalogue() if asked in entry.targets]
    hint = "; --target-type classification takes numbers for classes" * (asked == "regression")
    raise UsageError(
        f"{key} does not take {WORDS[asked]}; these methods do: {', '.join(able)}{hint}."
    )


def target_words(selector: Any, label: str | None) -> str:
    """One line of what the target was taken for; "" without one."""
    found = getattr(selector, "target_type_", None)
    if found is None or label is None:
        return ""
    if found == "classification":
        return f"Target: {label}, {selector.classes_.size} classes."
    return f"Target: {label}, {WORDS[found]}."


def to_repeat_times(data: Any, drop: list[str] | None) -> dict[str, Any]:
    """What was dropped, and the columns of survival times: for code that repeats the run."""
    names = getattr(getattr(data.y, "dtype", None), "names", None)
    if names is None:
        return {"drop": drop}
    own = [] if data.source is not None else [names[1], names[0]]
    return {"drop": [*(drop or []), *own], "event": names[0], "time": names[1]}
