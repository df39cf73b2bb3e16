"""From the options of a sub-command to a fitted selector."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from inffs.cli._options import Method, Prepared, Source, Subset, method_or_default, parse_keep
from inffs.cli._run import Terminal, UsageError
from inffs.cli._target import Beside, check_target, read_beside, refuse_target, settle
from inffs.guards import TableWarning
from inffs.io import Table
from inffs.io._lazy import read_lazily, too_large
from inffs.io._read import read_names, read_table
from inffs.meta import BestOf, Consensus, Constrained, StabilitySelection
from inffs.meta.constrained import unconstrained
from inffs.methods.spec import MethodSpec, method_parameters, parse_method, parse_methods
from inffs.target import make_target
from inffs.validation.adjustment import Adjustment
from inffs.validation.intake import IGNORING
from inffs.validation.missing import FewValuesWarning, filled_with_medians, has_missing
from inffs.validation.named import find_columns, one_hot_groups
from inffs.validation.pairs import within_pairs
from inffs.validation.preparation import Preparation


@dataclass
class Ranked:
    """A fitted selector, and the table that it was fitted on.

    ``table`` is in its own units, ``y`` the target as the selector got it. ``warnings`` are the
    sentences of the guards, and ``limits`` the constraints as they were given.
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
    limits: dict[str, Any]


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
    spec, selector = build(method, source.labelled, asked, usual_size, str(source.missing))
    beside = read_beside(source)
    impute = "later" if source.impute else (None if source.missing == "refuse" else "keep")
    if source.missing != "refuse" and source.impute:
        raise UsageError("Give --impute or --missing, not both: filled in, nothing is missing.")
    table, known = settle(
        load(terminal, source, beside, source.encode, impute, source.normalize,
             dask is not None),
        beside, asked,
    )  # fmt: skip
    for note in [*table.notes, *beside.notes]:
        terminal.note(note, style="yellow")
    if known != asked:
        spec, selector = build(method, source.labelled, known, usual_size, str(source.missing))
    selector, limits = constrain(selector, table, source.encode, subset)
    symbols = read_symbols(terminal, source.names, table.names)
    warn_of_confounding(terminal, beside.adjustment, table, known)
    preparation = prepare(table, source, beside)
    filled = replace(table, X=preparation.filled(table.X))
    said = guard(terminal, selector, filled, known, preparation.scale != "none")
    y = _target_within_pairs(table, beside.pairs)
    fit(terminal, selector, replace(table, y=y), preparation, beside.groups, dask)
    y = make_target(y, known) if known == "regression" else y
    return Ranked(spec, selector, table, y, known, beside, preparation, symbols, said, limits)


def load(
    terminal: Terminal,
    source: Source,
    beside: Beside,
    encode: str | None = None,
    impute: str | None = None,
    normalize: str | None = None,
    lazy: bool = False,
    **more: Any,
) -> Table:
    """Read the table.

    A large Parquet or NPY file that needs no preparation stays on disk; ``lazy`` insists on it.
    """
    started = time.perf_counter()
    label, drop = None if beside.names else source.label, beside.drop
    reading = {
        "transpose": source.transpose, "encode": encode and str(encode), "impute": impute,
        "normalize": normalize and str(normalize),
        **source.sheet_options(), **source.label_options(), **more,
    }  # fmt: skip
    plain = not any(reading.values())
    if lazy and not plain:
        raise UsageError("A table on a cluster cannot be transposed, encoded or imputed here.")
    if lazy or (plain and too_large(source.table)):
        table: Any = read_lazily(source.table, label=label, index=source.index, drop=drop)
    else:
        table = read_table(source.table, label=label, index=source.index, drop=drop, **reading)
    T, n = table.shape
    spent = time.perf_counter() - started
    terminal.detail(f"Read {source.table}: {T:,} samples, {n:,} features, {spent:.2f} s.")
    return table


def build(
    method: Method,
    labelled: bool,
    target_type: str = "auto",
    usual_size: str = "auto",
    missing: str = "refuse",
) -> tuple[MethodSpec, Any]:
    """The method as it was understood, and its selector; errors are errors of usage."""
    keep = parse_keep(method.size(usual_size))
    try:
        asked = parse_methods(method_or_default(method.method, labelled, target_type))
        specs = [parse_method(part) for part in asked]
        spec = specs[0] if len(specs) == 1 else MethodSpec(", ".join(map(str, specs)))
        if missing == "ignore":
            specs = [_ignoring_missing(each) for each in specs]
        selector = _selector(specs, keep, method)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if selector._supervised and not labelled:
        raise UsageError(f"The method {spec.key} is supervised: name the label's column (--label).")
    refuse_target(spec.key, selector, target_type)
    if target_type == "regression" and "target_type" in selector.get_params():
        selector.set_params(target_type=target_type)
    return spec, selector


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


def constrain(
    selector: Any, table: Table, encode: Any, subset: Subset
) -> tuple[Any, dict[str, Any]]:
    """The selector under the constraints of the flags, and the flags that are set.

    Columns that come from one text column (``--encode onehot``) are a group. Without constraints
    the selector is returned as it is.
    """
    flags: dict[str, Any] = {
        name: str(value) if isinstance(value, StrEnum) else value
        for name, value in vars(subset).items() if value not in (None, [])
    }  # fmt: skip
    constraints = dict(flags)
    for name in constraints.keys() & {"include", "exclude"}:
        try:
            found = find_columns(constraints[name], table.shape[1], table.names, f"--{name}")
        except ValueError as error:
            raise UsageError(str(error).replace("of X", "of the table")) from error
        constraints[name] = list(found)
    groups = one_hot_groups(table.names) if encode == "onehot" else None
    if groups is not None:
        constraints["feature_groups"] = groups
    elif "group_score" in constraints:
        raise UsageError("--group-score needs groups: text columns with --encode onehot.")
    return (Constrained(selector, **constraints) if constraints else selector), flags


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


def _target_within_pairs(table: Table, pairs: Any) -> Any:
    """The target; numbers without the means of their pairs."""
    if pairs is None:
        return table.y
    try:
        return within_pairs(table.X[:, :1], table.y, pairs)[1]
    except ValueError as error:
        raise UsageError(f"--pair: {error}") from None


def _check_dense(table: Table, filled: bool, flag: str) -> None:
    if not isinstance(table.X, np.ndarray):
        raise UsageError(f"--{flag} needs a dense table in memory: CSV, for instance.")
    if not filled and np.isnan(table.X).any():
        raise UsageError(f"--{flag} needs every value: fill them in (--impute median).")


def guard(
    terminal: Terminal, selector: Any, table: Table, target_type: str = "auto", scaled: bool = False
) -> list[str]:
    """Print what the guards find; a label that holds no classes is refused for classification."""
    from inffs.guards import look_at
    from inffs.guards.look import Look
    from inffs.guards.sentences import no_classes

    selector = unconstrained(selector)
    if selector.missing == "ignore" and has_missing(table.X):
        table = replace(table, X=filled_with_medians(table.X))
    classes = table.y is not None and target_type in ("auto", "classification")
    if classes and selector._supervised:
        wrong = no_classes(Look(table.X, table.names, table.y, table.label or "y", selector))
        if wrong:
            raise UsageError(wrong)
    y = table.y if classes else None
    said = look_at(table.X, y, table.names, label=table.label, selector=selector, scaled=scaled)
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
