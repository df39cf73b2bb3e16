"""The columns of a table that are no features: the target, groups, pairs and covariates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from inffs.cli._options import Design, Source, TargetType
from inffs.cli._run import UsageError

if TYPE_CHECKING:
    import numpy as np

    from inffs.validation.adjustment import Adjustment

WORDS = {
    "auto": "labels", "classification": "classes", "multilabel": "several labels",
    "regression": "numbers (regression)", "survival": "survival times",
}  # fmt: skip


@dataclass
class Beside:
    """Columns of a table that are no features.

    ``y`` and ``names`` are survival times or a target of several columns, and the names of their
    columns; a single label is read with the table. ``groups`` and ``pairs`` are a name for every
    sample (pairs are groups, too). ``drop`` are the names of all these columns, and what ``--drop``
    asks for.
    """

    y: np.ndarray | None = None
    names: list[str] = field(default_factory=list)
    groups: np.ndarray | None = None
    pairs: np.ndarray | None = None
    adjustment: Adjustment | None = None
    drop: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_target(source: Source, target_type: str = "auto") -> str:
    """Refuse flags that exclude each other; gives the type of the target as far as it is known."""
    time, event = source.time, source.event
    if (time is None) != (event is None):
        have, lacks = ("--time", "--event") if event is None else ("--event", "--time")
        raise UsageError(f"{have} needs {lacks}: survival times are two columns.")
    if source.survival and source.label is not None:
        raise UsageError("--time and --event replace --label: leave it out.")
    if target_type == TargetType.survival and not source.survival:
        raise UsageError("--target-type survival needs the columns --time and --event.")
    if source.survival and target_type not in (TargetType.auto, TargetType.survival):
        raise UsageError(
            f"--time and --event are survival times, so --target-type {target_type} does not apply."
        )
    return str(TargetType.survival if source.survival else target_type)


def read_beside(source: Source) -> Beside:
    """Read the columns that are no features from the table, all at once."""
    found = Beside(drop=list(source.drop or []))
    wanted = source.columns_beside()
    if not wanted:
        return found
    from inffs.io._choose import choose_column
    from inffs.io._read import read_sheet

    _refuse_second_file(source, wanted[-1][0])
    sheet = read_sheet(
        source.table, index=source.index, transpose=source.transpose, **source.sheet_options()
    )
    if source.label in sheet.names:  # one column with a comma in its name
        wanted = [one for one in wanted if one[0] != "--label"]
    columns: dict[str, dict[str, np.ndarray]] = {}
    for flag, column in wanted:
        values, name = choose_column(sheet, column, flag.removeprefix("--"))
        columns.setdefault(flag, {})[name or column] = values
        if name is None or name == source.label:  # no feature anyway
            continue
        if not any(_matches(name, each) for each in found.drop):
            found.drop.append(name)
    _sort_out(found, columns)
    return found


def _refuse_second_file(source: Source, flag: str) -> None:
    if flag == "--event":
        flag = "--time"
    if source.labels is not None:
        raise UsageError(f"{flag} reads columns of the table itself: put the labels into it.")
    if source.drop_missing_labels:
        raise UsageError(f"{flag} cannot be combined with --drop-missing-labels.")


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def _sort_out(found: Beside, columns: dict[str, dict[str, np.ndarray]]) -> None:
    """Put the columns of every flag where they belong."""
    if labels := columns.get("--label"):
        found.names, found.y = list(labels), _label_matrix(labels)
    if times := columns.get("--time"):
        _set_times(found, times, columns["--event"])
    if groups := columns.get("--group"):
        (found.groups,) = groups.values()
    if pairs := columns.get("--pair"):
        (found.pairs,) = pairs.values()
        found.groups = found.pairs
    if covariates := columns.get("--adjust"):
        from inffs.validation.adjustment import Adjustment

        found.adjustment = Adjustment.of(covariates)


def _label_matrix(labels: dict[str, np.ndarray]) -> np.ndarray:
    import numpy as np

    columns = []
    for name, values in labels.items():
        try:
            columns.append(values.astype(float))
        except ValueError:
            raise UsageError(
                "Several labels are columns of 0 and 1 or of numbers, but the column "
                f"{name!r} contains {next(iter(values))!r}."
            ) from None
        missing = np.flatnonzero(~np.isfinite(columns[-1]))
        if missing.size:
            raise UsageError(
                f"The column {name!r} has no finite number in row {missing[0] + 1}: leave this "
                "sample out of the table."
            )
    return np.column_stack(columns)


def _set_times(found: Beside, times: dict[str, np.ndarray], events: dict[str, np.ndarray]) -> None:
    from inffs.survival_times import coded_as_in_r, survival_of

    ((time, values),), ((event, happened),) = times.items(), events.items()
    try:
        y = survival_of(happened, values, event, time)
    except ValueError as error:
        raise ValueError(f"--time {time} --event {event}: {error}") from None
    found.names = [time, event]
    found.y = y.astype([(event, bool), (time, float)]) if time != event else y
    if coded_as_in_r(happened):
        found.notes.append(f"The codes of {event!r} are those of R: 2 is the event, 1 is censored.")


def settle(data: Any, beside: Beside, target_type: str) -> tuple[Any, str]:
    """The table with its target as it is meant, and the type of the target."""
    if beside.y is not None:
        label = ", ".join(beside.names)
        if beside.y.ndim == 1:
            return replace(data, y=beside.y, label=label, targets=[]), str(TargetType.survival)
        y, known = _several(beside.y, beside.names, target_type)
        return replace(data, y=y, label=label, targets=beside.names), known
    if data.y is None:
        return data, target_type
    from inffs.target import CLASSIFICATION, REGRESSION, make_target

    try:
        found = make_target(data.y).type
        known = found if target_type == TargetType.auto else target_type
        if known == REGRESSION:
            make_target(data.y, known)
            return data, known
    except ValueError as error:
        raise UsageError(f"The label {data.label!r} cannot be used: {error}") from None
    as_text = known == CLASSIFICATION and found == REGRESSION
    return (replace(data, y=data.y.astype(str)) if as_text else data), known


def _several(y: np.ndarray, names: list[str], target_type: str) -> tuple[np.ndarray, str]:
    """Several labels of 0 and 1, or several columns of numbers, and the type of the target."""
    if target_type == TargetType.regression:
        return y, target_type
    other = ((y != 0) & (y != 1)).any(axis=0)
    if not other.any():
        return y.astype(int), "multilabel"
    if target_type == TargetType.auto and (y % 1 != 0).any():
        return y, str(TargetType.regression)
    raise UsageError(
        f"Several labels are columns of 0 and 1, but the column {names[other.argmax()]!r} contains "
        "other numbers: add --target-type regression if these are measurements."
    )


def refuse_target(key: str, selector: Any, target_type: str) -> None:
    """Refuse a method that does not take this type of target, and list those that do."""
    from inffs.methods import catalogue

    asked = "classification" if target_type == TargetType.auto else target_type
    if not selector._supervised or asked in selector._targets:
        return
    able = [entry.key for entry in catalogue() if asked in entry.targets]
    hint = "; --target-type classification takes numbers as classes" * (asked == "regression")
    raise UsageError(
        f"{key} does not take {WORDS[asked]}; these methods do: {', '.join(able)}{hint}."
    )


def target_words(selector: Any, label: str | None) -> str:
    """One line about the type of the target; "" without a target."""
    found = getattr(selector, "target_type_", None)
    if found is None or label is None:
        return ""
    if found == "classification":
        return f"Target: {label}, {selector.classes_.size} classes."
    return f"Target: {label}, {WORDS[found]}."


def to_repeat(source: Design, beside: Beside, impute: str | None) -> dict[str, Any]:
    """The arguments of ``read_table`` that repeat the reading, as plain values."""
    given = {
        "label": None if beside.names else source.label, "index": source.index,
        "transpose": source.transpose, "drop": beside.drop, "impute": impute,
        "encode": source.encode, "normalize": source.normalize,
        **source.sheet_options(), **source.label_options(),
    }  # fmt: skip
    told: dict[str, Any] = {"path": str(source.table)}
    for name, value in given.items():
        if value not in (None, False, []):
            told[name] = value if isinstance(value, (bool, list)) else str(value)
    if source.survival:
        told["time"], told["event"] = beside.names
    elif beside.names:
        told["labels_of"] = beside.names
    if source.group:
        told["group"] = source.group
    return told
