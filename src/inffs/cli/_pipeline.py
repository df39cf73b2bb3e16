"""From the options of a sub-command to the table, its target and a fitted selector."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from inffs.cli._options import (
    WORDS,
    Method,
    Prepared,
    Source,
    Subset,
    TargetType,
    given,
    parse_keep,
)
from inffs.cli._run import Terminal, UsageError, with_flags
from inffs.guards import TableWarning, look_at
from inffs.io import Table
from inffs.io._choose import choose_column
from inffs.io._read import read_lazily, read_names, read_sheet, read_table, too_large
from inffs.meta import BestOf, Consensus, Constrained, StabilitySelection
from inffs.meta.constrained import unconstrained
from inffs.methods.entries import (
    MethodSpec,
    catalogue,
    default_method,
    method_parameters,
    parse_method,
    parse_methods,
)
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
from inffs.validation.checks import find_columns, one_hot_groups
from inffs.validation.intake import IGNORING
from inffs.validation.missing import FewValuesWarning, filled_with_medians, has_missing
from inffs.validation.pairs import within_pairs
from inffs.validation.preparation import Preparation

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
    asks for. ``reading`` are the arguments with which the table was read.
    """

    y: np.ndarray | None = None
    names: list[str] = field(default_factory=list)
    groups: np.ndarray | None = None
    pairs: np.ndarray | None = None
    adjustment: Adjustment | None = None
    drop: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reading: dict[str, Any] = field(default_factory=dict)


@dataclass
class Ranked:
    """A fitted selector, and the table that it was fitted on.

    ``table`` is in its own units, ``y`` the target as the selector got it. ``warnings`` are the
    sentences of the guards.
    """

    spec: MethodSpec
    selector: Any
    table: Table
    y: Any
    target_type: str
    beside: Beside
    preparation: Preparation
    symbols: dict[str, str]
    warnings: list[str]


def rank_table(
    terminal: Terminal,
    source: Prepared,
    method: Method,
    subset: Subset,
    usual_size: str = "auto",
    dask: str | None = None,
) -> Ranked:
    """Read the table, prepare it and fit the method."""
    asked = check_target(source, str(source.target_type))
    missing = str(source.missing)
    spec, selector = build(method, source.labelled, asked, usual_size, missing)
    if missing != "refuse" and source.impute:
        raise UsageError("Give --impute or --missing, not both: --impute leaves no value missing.")
    impute = "later" if source.impute else (None if missing == "refuse" else "keep")
    table, known, beside = read_source(terminal, source, asked, impute, dask is not None)
    if known != asked:
        spec, selector = build(method, source.labelled, known, usual_size, missing)
    selector = constrain(selector, table, source.encode, subset)
    symbols = read_symbols(terminal, source.names, table.names)
    warn_of_confounding(terminal, beside.adjustment, table, known)
    preparation = prepare(table, source, beside)
    filled = replace(table, X=preparation.filled(table.X))
    said = guard(terminal, selector, filled, known, preparation.scale != "none")
    y: Any = table.y
    if beside.pairs is not None:
        with usage_errors("--pair: "):
            y = within_pairs(table.X[:, :1], y, beside.pairs)[1]
    fit(terminal, selector, replace(table, y=y), preparation, beside.groups, dask)
    y = make_target(y, known) if known == REGRESSION else y
    return Ranked(spec, selector, table, y, known, beside, preparation, symbols, said)


@contextmanager
def usage_errors(beginning: str = "") -> Iterator[None]:
    """Errors of values in this block are errors of usage."""
    try:
        yield
    except ValueError as error:
        raise UsageError(f"{beginning}{error}") from error


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
    table, known = settle(table, beside, target_type)
    table = replace(table, notes=[with_flags(note) for note in table.notes])
    for note in [*table.notes, *beside.notes]:
        terminal.note(note, style="yellow")
    beside.reading = {
        name: value for name, value in {**columns, **how}.items() if value not in (None, [])
    }
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


def settle(data: Any, beside: Beside, target_type: str) -> tuple[Any, str]:
    """The table with its target as it is meant, and the type of the target."""
    if beside.y is not None:
        label = ", ".join(beside.names)
        if beside.y.ndim == 1:
            return replace(data, y=beside.y, label=label, targets=[]), SURVIVAL
        y, known = _several(beside.y, beside.names, target_type)
        return replace(data, y=y, label=label, targets=beside.names), known
    if data.y is None:
        return data, target_type
    with usage_errors(f"The label {data.label!r} cannot be used: "):
        found = make_target(data.y).type
        known = found if target_type == "auto" else target_type
        if known == REGRESSION:
            make_target(data.y, known)
            return data, known
    as_text = known == CLASSIFICATION and found == REGRESSION
    return (replace(data, y=data.y.astype(str)) if as_text else data), known


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


def build(
    method: Method,
    labelled: bool,
    target_type: str = "auto",
    usual_size: str = "auto",
    missing: str = "refuse",
) -> tuple[MethodSpec, Any]:
    """The method as it was understood, and its selector; errors are errors of usage."""
    keep = parse_keep(method.size(usual_size))
    with usage_errors():
        asked = parse_methods(method.method or default_method(labelled, target_type == SURVIVAL))
        specs = [parse_method(part) for part in asked]
        spec = specs[0] if len(specs) == 1 else MethodSpec(", ".join(map(str, specs)))
        if missing == "ignore":
            specs = [_ignoring_missing(each) for each in specs]
        selector = _selector(specs, keep, method)
    if selector._supervised and not labelled:
        raise UsageError(f"The method {spec.key} is supervised: name the label's column (--label).")
    refuse_target(spec.key, selector, target_type)
    if target_type == "regression" and "target_type" in selector.get_params():
        selector.set_params(target_type=target_type)
    return spec, selector


def refuse_target(key: str, selector: Any, target_type: str) -> None:
    """Refuse a method that does not take this type of target, and list those that do."""
    asked = CLASSIFICATION if target_type == "auto" else target_type
    if not selector._supervised or asked in selector._targets:
        return
    able = [entry.key for entry in catalogue() if asked in entry.targets]
    hint = "; --target-type classification takes numbers as classes" * (asked == REGRESSION)
    raise UsageError(
        f"{key} does not take {WORDS[asked]}; these methods do: {', '.join(able)}{hint}."
    )


def _ignoring_missing(spec: MethodSpec) -> MethodSpec:
    """The method with ``missing="ignore"``, or an error if it needs every value."""
    if "missing" not in method_parameters(spec.key):
        raise ValueError(
            f"{spec.key} needs every value: fill them in with --impute median, or use "
            f"--missing ignore with {IGNORING}."
        )
    return spec.with_defaults(missing="ignore")


def _selector(specs: list[MethodSpec], keep: Any, method: Method) -> Any:
    found: Any
    if len(specs) > 1:
        keys = [str(spec.with_defaults(random_state=method.seed)) for spec in specs]
        if method.consensus == "best":
            found = BestOf(keys, n_features_to_select=keep)
        else:
            found = Consensus(keys, how=str(method.consensus), n_features_to_select=keep)
    else:
        found = specs[0].build(n_features_to_select=keep, random_state=method.seed)
    if method.max_false is None:
        return found
    if method.max_false <= 0:
        raise ValueError(f"--max-false takes a number above 0, not {method.max_false:g}.")
    found.set_params(n_features_to_select="auto")
    return StabilitySelection(
        found, max_false=method.max_false, n_features_to_select=keep, random_state=method.seed
    )


def constrain(selector: Any, table: Table, encode: Any, subset: Subset) -> Any:
    """The selector under the constraints of the flags.

    Columns that come from one text column (``--encode onehot``) are a group. Without constraints
    the selector is returned as it is.
    """
    constraints = given(subset)
    with usage_errors():
        for name in constraints.keys() & {"include", "exclude"}:
            found = find_columns(constraints[name], table.shape[1], table.names, name)
            constraints[name] = list(found)
    for place in set(constraints.get("include", ())) & set(constraints.get("exclude", ())):
        raise UsageError(
            f"--include and --exclude both name {table.names[place]!r}: remove it from one."
        )
    groups = one_hot_groups(table.names) if encode == "onehot" else None
    if groups is not None:
        constraints["feature_groups"] = groups
    elif "group_score" in constraints:
        raise UsageError("--group-score needs groups: text columns with --encode onehot.")
    return Constrained(selector, **constraints) if constraints else selector


def read_symbols(terminal: Terminal, path: Path | None, features: list[str]) -> dict[str, str]:
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
    if len(found) < len(set(features)):
        terminal.note(f"{len(found):,} of {len(set(features)):,} features have a name in {path}.")
    return found


def warn_of_confounding(
    terminal: Terminal, adjustment: Adjustment | None, table: Table, target_type: str
) -> None:
    """Refuse covariates that determine the target, and warn of those that explain half of it."""
    if adjustment is None or table.y is None:
        return
    names = " and ".join(adjustment.names)
    share = adjustment.explained(make_target(table.y, target_type))
    if share > 1 - 1e-9:
        raise UsageError(
            f"The label {table.label!r} is determined by {names}, so --adjust would remove all "
            "associations with it. Their effects cannot be separated."
        )
    if share > 0.5:
        verb = "explains" if len(adjustment.names) == 1 else "explain"
        terminal.note(
            f"{names} {verb} {share:.0%} of the label {table.label!r}. --adjust removes the "
            "associations that they share.",
            style="yellow",
        )


def prepare(table: Table, source: Prepared, beside: Beside) -> Preparation:
    """The steps before the fit; nothing is filled in where nothing is missing."""
    dense = source.impute is not None and isinstance(table.X, np.ndarray)
    missing = dense and bool(np.isnan(table.X).any())
    for flag in ("adjust", "pair"):
        if getattr(source, flag) is not None:
            _check_dense(table, missing, flag)
    if source.pair is not None and source.group is not None:
        raise UsageError("Give --pair or --group, not both: pairs are groups.")
    if source.pair is not None and table.y is None:
        raise UsageError("--pair needs a label.")
    how = str(source.impute) if missing else None
    return Preparation(
        how, str(source.scale), tuple(table.ordinal), beside.adjustment, beside.pairs
    )


def _check_dense(table: Table, filled: bool, flag: str) -> None:
    if not isinstance(table.X, np.ndarray):
        raise UsageError(f"--{flag} needs a dense table in memory: CSV, for instance.")
    if not filled and np.isnan(table.X).any():
        raise UsageError(f"--{flag} needs every value: fill them in (--impute median).")


def guard(
    terminal: Terminal, selector: Any, table: Table, target_type: str = "auto", scaled: bool = False
) -> list[str]:
    """Print what the guards find; a label that holds no classes is refused for classification."""
    selector = unconstrained(selector)
    if selector.missing == "ignore" and has_missing(table.X):
        table = replace(table, X=filled_with_medians(table.X))
    y = table.y if target_type in ("auto", "classification") else None
    look = partial(look_at, table.X, y, table.names, label=table.label, selector=selector)
    if selector._supervised:
        for sentence in look(guards=["no-classes"]):
            raise UsageError(sentence)
    said = look(scaled=scaled)
    for sentence in said:
        terminal.note(sentence, style="yellow")
    return said


def fit(
    terminal: Terminal,
    selector: Any,
    table: Table,
    preparation: Preparation | None = None,
    groups: Any = None,
    dask: str | None = None,
) -> None:
    """Fit the selector with progress, here or on the dask cluster at an address."""
    started = time.perf_counter()
    with terminal.progress(), _cluster_table(table.X, dask) as X, warnings.catch_warnings():
        for noted in (FewValuesWarning, TableWarning):  # by the reader and by ``guard``
            warnings.simplefilter("ignore", noted)
        known = {"groups": groups, "covariates": getattr(preparation, "adjustment", None)}
        known = {name: values for name, values in known.items() if values is not None}
        selector.fit(preparation.of(X) if preparation else X, table.y, **known)
    name = type(unconstrained(selector)).__name__
    terminal.detail(f"Ranked with {name} in {time.perf_counter() - started:.2f} s.")


@contextmanager
def _cluster_table(X: Any, address: str | None) -> Iterator[Any]:
    """The table as it is, or in chunks of columns on the workers of a dask cluster."""
    if address is None:
        yield X
        return
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--dask needs the extra dask: pip install 'inffs[dask]'.") from None
    from inffs.validation.dask_table import DaskTable

    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise UsageError(f"There is no dask scheduler at {address} ({error}).") from error
    with client:
        yield DaskTable.of_lazy(X)
