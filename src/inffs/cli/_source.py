"""From the options of a sub-command to the table and its target."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from inffs.cli._options import Source, given
from inffs.cli._run import Terminal, UsageError, usage_errors, with_flags
from inffs.io import Table
from inffs.io._choose import choose_column
from inffs.io._read import read_lazily, read_names, read_sheet, read_table, too_large
from inffs.target import (
    CLASSIFICATION,
    MULTILABEL,
    REGRESSION,
    SURVIVAL,
    coded_as_in_r,
    make_target,
    survival_of,
)
from inffs.validation.adjustment import Adjustment

_SHEET = {"index", "transpose", "sheet", "header", "layer"}  # as `read_sheet` takes them
_PURPOSES = {  # of the columns beside the features, in messages
    "--label": "label", "--time": "time", "--event": "event", "--group": "groups",
    "--pair": "pairs", "--adjust": "covariate",
}  # fmt: skip
_READING = _SHEET | {  # as `read_table` takes them
    "encode", "normalize", "labels", "on", "allow_missing_samples", "drop_missing_labels",
}  # fmt: skip


@dataclass
class Beside:
    """Columns of a table that are no features.

    ``y`` and ``names`` are survival times or a target of several columns, and the names of their
    columns; a single label is read with the table. ``groups`` and ``pairs`` are a name for every
    sample (pairs are groups, too). ``drop`` are the names of all these columns, and what ``--drop``
    asks for. ``reading`` are the arguments that repeat the reading of the table and these columns.
    """

    y: np.ndarray | None = None
    names: list[str] = field(default_factory=list)
    groups: np.ndarray | None = None
    pairs: np.ndarray | None = None
    adjustment: Adjustment | None = None
    drop: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reading: dict[str, Any] = field(default_factory=dict)


def check_target(source: Source, target_type: str = "auto") -> str:
    """Refuse flags that exclude each other; gives the type of the target as far as it is known."""
    if (source.time is None) != (source.event is None):
        have, lacks = ("--time", "--event") if source.event is None else ("--event", "--time")
        raise UsageError(f"{have} needs {lacks}: survival times are two columns.")
    if source.survival and source.label is not None:
        raise UsageError("--time and --event replace --label: leave it out.")
    if target_type == SURVIVAL and not source.survival:
        raise UsageError("--target-type survival needs the columns --time and --event.")
    if source.survival and target_type not in ("auto", SURVIVAL):
        raise UsageError(
            f"--time and --event are survival times, so --target-type {target_type} does not apply."
        )
    return SURVIVAL if source.survival else target_type


def read_source(
    terminal: Terminal,
    source: Source,
    target_type: str,
    impute: str | None = None,
    lazy: bool = False,
    **more: Any,
) -> tuple[Table, str, Beside]:
    """Read the table and its target; gives the table, the type of the target, and the rest.

    A large Parquet or NPY file that needs no preparation stays on disk; ``lazy`` insists on it.
    """
    beside, started = read_beside(source), time.perf_counter()
    how = {name: value for name, value in given(source).items() if name in _READING}
    how |= {name: value for name, value in {"impute": impute, **more}.items() if value is not None}
    columns = {"label": None if beside.names else source.label, "drop": beside.drop}
    plain = how.keys() <= {"index"}
    if lazy and not plain:
        raise UsageError("A table on a cluster cannot be transposed, encoded or imputed here.")
    read: Any = read_lazily if lazy or (plain and too_large(source.table)) else read_table
    with terminal.progress(f"reading {source.table.name}"):
        table = read(source.table, **columns, **how)
    T, n = table.shape
    if not T:
        raise ValueError(f"{source.table} has no samples: its only row holds the names.")
    spent = time.perf_counter() - started
    terminal.detail(f"Read {source.table}: {T:,} samples, {n:,} features, {spent:.2f} s.")
    table, known = with_target(table, beside, target_type)
    table = replace(table, notes=[with_flags(note) for note in table.notes])
    terminal.warn([*table.notes, *beside.notes])
    told = {"path": str(source.table), **columns, **how}
    if source.survival:
        told["time"], told["event"] = beside.names
    else:
        told["labels_of"] = beside.names
    told["group"] = getattr(source, "group", None)
    beside.reading = {name: value for name, value in told.items() if value not in (None, [])}
    return table, known, beside


def read_beside(source: Source) -> Beside:
    """Read the columns that are no features from the table, all at once."""
    found = Beside(drop=list(source.drop or []))
    wanted = source.columns_beside()
    if not wanted:
        return found
    if source.labels is not None or source.drop_missing_labels:
        flag = "--labels" if source.labels is not None else "--drop-missing-labels"
        raise UsageError(
            f"{wanted[0][0]} names columns of the table itself, so {flag} cannot be used with it."
        )
    how = {name: value for name, value in given(source).items() if name in _SHEET}
    sheet = read_sheet(source.table, named=[source.label, *(name for _, name in wanted)], **how)
    if source.label in sheet.names:  # one column with a comma in its name
        wanted = [one for one in wanted if one[0] != "--label"]
    columns: dict[str, dict[str, np.ndarray]] = {flag: {} for flag in _PURPOSES}
    for flag, column in wanted:
        values, name = choose_column(sheet, column, _PURPOSES[flag])
        columns[flag][name or column] = values
        if name is None or name == source.label:  # no feature anyway
            continue
        if not any(name == each or fnmatchcase(name, each) for each in found.drop):
            found.drop.append(name)
    if columns["--label"]:
        found.names, found.y = list(columns["--label"]), _label_matrix(columns["--label"])
    if columns["--time"]:
        _set_times(found, columns["--time"], columns["--event"])
    found.pairs = next(iter(columns["--pair"].values()), None)
    found.groups = next(iter(columns["--group"].values()), found.pairs)
    if columns["--adjust"]:
        found.adjustment = Adjustment.of(columns["--adjust"])
    return found


def _label_matrix(labels: dict[str, np.ndarray]) -> np.ndarray:
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
                f"The column {name!r} has no finite number in row {missing[0]}: leave this "
                "sample out of the table."
            )
    return np.column_stack(columns)


def _set_times(found: Beside, times: dict[str, np.ndarray], events: dict[str, np.ndarray]) -> None:
    ((time, values),), ((event, happened),) = times.items(), events.items()
    y = survival_of(happened, values, event, time)
    found.names = [time, event]
    found.y = y.astype([(event, bool), (time, float)]) if time != event else y
    if coded_as_in_r(happened):
        found.notes.append(f"The codes of {event!r} are those of R: 2 is the event, 1 is censored.")


def with_target(table: Table, beside: Beside, target_type: str) -> tuple[Table, str]:
    """The table with its target as it is meant, and the type of the target."""
    if beside.y is not None:
        label = ", ".join(beside.names)
        if beside.y.ndim == 1:
            return replace(table, y=beside.y, label=label, targets=[]), SURVIVAL
        y, known = _several(beside.y, beside.names, target_type)
        return replace(table, y=y, label=label, targets=beside.names), known
    if table.y is None:
        return table, target_type
    with usage_errors(f"The label {table.label!r} cannot be used: "):
        found = make_target(table.y).type
        known = found if target_type == "auto" else target_type
        if known == REGRESSION:
            make_target(table.y, known)
    as_text = known == CLASSIFICATION and found == REGRESSION
    return (replace(table, y=table.y.astype(str)) if as_text else table), known


def _several(y: np.ndarray, names: list[str], target_type: str) -> tuple[np.ndarray, str]:
    """Several labels of 0 and 1, or several columns of numbers, and the type of the target."""
    if target_type == REGRESSION:
        return y, target_type
    other = ((y != 0) & (y != 1)).any(axis=0)
    if not other.any():
        return y.astype(int), MULTILABEL
    if target_type == "auto" and (y % 1 != 0).any():
        return y, REGRESSION
    raise UsageError(
        f"Several labels are columns of 0 and 1, but the column {names[other.argmax()]!r} contains "
        "other numbers: add --target-type regression if these are measurements."
    )


def read_symbols(path: Path | None, features: list[str]) -> dict[str, str]:
    """The names of the features in the file of ``--names``; empty without a file."""
    if path is None:
        return {}
    known = read_names(path)
    found = {feature: known[feature] for feature in features if feature in known}
    if not found:
        raise UsageError(
            f"--names {path}: none of its features (such as {next(iter(known), '')!r}) is a column "
            f"of the table (such as {features[0]!r})."
        )
    return found
