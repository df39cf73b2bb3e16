"""From the options of a sub-command to a selector that was fitted on a prepared table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from inffs.cli._options import WORDS, Method, Prepared, Subset, given, parse_keep
from inffs.cli._run import Terminal, UsageError, usage_errors
from inffs.cli._source import Beside, check_target, read_source, read_symbols
from inffs.guards import TableWarning, look_at
from inffs.io import Table
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
from inffs.target import CLASSIFICATION, REGRESSION, SURVIVAL, make_target
from inffs.validation.adjustment import Adjustment
from inffs.validation.checks import find_columns, one_hot_groups
from inffs.validation.intake import IGNORING
from inffs.validation.missing import FewValuesWarning, filled_with_medians, has_missing
from inffs.validation.pairs import within_pairs
from inffs.validation.preparation import Preparation


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
    asked = check_target(source, source.target_type)
    spec, selector = build(method, source.labelled, asked, usual_size, source.missing)
    if source.missing == "ignore" and source.impute:
        raise UsageError("Give --impute or --missing, not both: --impute leaves no value missing.")
    impute = "later" if source.impute else ("keep" if source.missing == "ignore" else None)
    table, known, beside = read_source(terminal, source, asked, impute, dask is not None)
    if known != asked:
        spec, selector = build(method, source.labelled, known, usual_size, source.missing)
    selector = constrain(selector, table, source.encode, subset)
    symbols = read_symbols(source.names, table.names)
    if symbols and len(symbols) < (n := len(set(table.names))):
        terminal.note(f"{len(symbols):,} of {n:,} features have a name in {source.names}.")
    terminal.warn(confounding(beside.adjustment, table, known))
    preparation = prepare(table, source, beside)
    filled = replace(table, X=preparation.filled(table.X))
    said = guard(selector, filled, known, preparation.scale != "none")
    terminal.warn(said)
    y: Any = table.y
    if beside.pairs is not None:
        with usage_errors("--pair: "):
            y = within_pairs(table.X[:, :1], y, beside.pairs)[1]
    fit(terminal, selector, replace(table, y=y), preparation, beside.groups, dask)
    y = make_target(y, known) if known == REGRESSION else y
    return Ranked(spec, selector, table, y, known, beside, preparation, symbols, said)


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
    if target_type == REGRESSION and "target_type" in selector.get_params():
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
    """One selector of all methods, which selects the stable features where this is asked for."""
    seeded = [spec.with_defaults(random_state=method.seed) for spec in specs]
    found: Any
    if len(specs) == 1:
        found = seeded[0].build(n_features_to_select=keep)
    elif method.consensus == "best":
        found = BestOf([*map(str, seeded)], n_features_to_select=keep)
    else:
        found = Consensus([*map(str, seeded)], how=method.consensus, n_features_to_select=keep)
    if method.max_false is None:
        return found
    if method.max_false <= 0:
        raise ValueError(f"--max-false takes a number above 0, not {method.max_false:g}.")
    found.set_params(n_features_to_select="auto")
    return StabilitySelection(
        found, max_false=method.max_false, n_features_to_select=keep, random_state=method.seed
    )


def constrain(selector: Any, table: Table, encode: str | None, subset: Subset) -> Any:
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


def confounding(adjustment: Adjustment | None, table: Table, target_type: str) -> list[str]:
    """Refuse covariates that determine the target; a sentence about those that explain half."""
    if adjustment is None or table.y is None:
        return []
    names = " and ".join(adjustment.names)
    share = adjustment.explained(make_target(table.y, target_type))
    if share > 1 - 1e-9:
        raise UsageError(
            f"The label {table.label!r} is determined by {names}, so --adjust would remove all "
            "associations with it. Their effects cannot be separated."
        )
    verb = "explains" if len(adjustment.names) == 1 else "explain"
    sentence = (
        f"{names} {verb} {share:.0%} of the label {table.label!r}. --adjust removes the "
        "associations that they share."
    )
    return [sentence] if share > 0.5 else []


def prepare(table: Table, source: Prepared, beside: Beside) -> Preparation:
    """The steps before the fit; nothing is filled in where nothing is missing."""
    dense = isinstance(table.X, np.ndarray)
    for flag in ("adjust", "pair"):
        if getattr(source, flag) is None:
            continue
        if not dense:
            raise UsageError(f"--{flag} needs a dense table in memory: CSV, for instance.")
        if source.impute is None and has_missing(table.X):
            raise UsageError(f"--{flag} needs every value: fill them in (--impute median).")
    if source.pair is not None and source.group is not None:
        raise UsageError("Give --pair or --group, not both: pairs are groups.")
    if source.pair is not None and table.y is None:
        raise UsageError("--pair needs a label.")
    how = source.impute if source.impute and dense and has_missing(table.X) else None
    return Preparation(how, source.scale, tuple(table.ordinal), beside.adjustment, beside.pairs)


def guard(
    selector: Any, table: Table, target_type: str = "auto", scaled: bool = False
) -> list[str]:
    """What the guards find; a label that holds no classes is refused for classification."""
    selector = unconstrained(selector)
    if selector.missing == "ignore" and has_missing(table.X):
        table = replace(table, X=filled_with_medians(table.X))
    y = table.y if target_type in ("auto", CLASSIFICATION) else None
    look = partial(look_at, table.X, y, table.names, label=table.label, selector=selector)
    if selector._supervised:
        for sentence in look(guards=["no-classes"]):
            raise UsageError(sentence)
    return look(scaled=scaled)


def fit(
    terminal: Terminal,
    selector: Any,
    table: Table,
    preparation: Preparation | None = None,
    groups: Any = None,
    dask: str | None = None,
) -> None:
    """Fit the selector with progress, here or on the dask cluster at an address."""
    started, preparation = time.perf_counter(), preparation or Preparation()
    known = {"groups": groups, "covariates": preparation.adjustment}
    known = {name: values for name, values in known.items() if values is not None}
    with terminal.progress(), _cluster_table(table.X, dask) as X, warnings.catch_warnings():
        for noted in (FewValuesWarning, TableWarning):  # by the reader and by ``guard``
            warnings.simplefilter("ignore", noted)
        selector.fit(preparation.of(X), table.y, **known)
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
