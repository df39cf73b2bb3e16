"""Steps that sub-commands share: read the table, fit the method."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from inffs._utils.words import counted
from inffs.cli._options import method_or_default, parse_keep
from inffs.cli._run import Terminal, UsageError
from inffs.cli._target import Asked, refuse_target, settle, target_words

_SENTENCES = 4  # of the findings; the report shows all


def load(
    terminal: Terminal,
    path: Path,
    label: str | None = None,
    index: str | None = None,
    drop: list[str] | None = None,
    transpose: bool = False,
    encode: str | None = None,
    impute: str | None = None,
    lazy: bool = False,
    **reading: Any,
) -> Any:
    """Read the table with the shared options and say what came out.

    Missing values stay where they are if they are to be filled in: a :class:`Preparation` does it,
    on training samples only where something is checked.

    A large Parquet or NPY file that needs no preparation stays on disk; ``lazy`` insists on it.
    ``reading`` holds what else :func:`read_table` can be told: sheet, header, labels, on; and
    ``missing``, the way of the method with missing values.
    """
    from inffs.io import read_table
    from inffs.io._lazy import read_lazily, too_large

    started = time.perf_counter()
    missing = str(reading.pop("missing", "refuse"))
    if missing != "refuse" and impute:
        raise UsageError("Give --impute or --missing, not both: filled in, nothing is missing.")
    reading = {name: value for name, value in reading.items() if value is not None}
    plain = not (transpose or encode or impute or reading)
    if lazy and not plain:
        raise UsageError("A table on a cluster cannot be transposed, encoded or imputed here.")
    if lazy or (plain and too_large(path)):
        table = read_lazily(path, label=label, index=index, drop=drop or ())
    else:
        table = read_table(
            path,
            label=label,
            index=index,
            drop=drop or (),
            transpose=transpose,
            encode=encode and str(encode),
            impute="later" if impute else (None if missing == "refuse" else "keep"),
            **reading,
        )
    for note in table.notes:
        terminal.note(note, style="yellow")
    T, n = table.shape
    spent = time.perf_counter() - started
    terminal.detail(f"Read {path}: {T:,} samples, {n:,} features, {spent:.2f} s.")
    return table


def load_target(
    terminal: Terminal,
    asked: Asked,
    path: Path,
    index: str | None,
    drop: list[str] | None,
    *how: Any,
    **reading: Any,
) -> tuple[Any, str]:
    """The table with its target as it is meant, and its type; ``how`` as :func:`load` has it."""
    times = asked.times(path, drop, index=index, transpose=how[0], **reading)
    dropped = drop if times is None else times.drop
    data = load(terminal, path, asked.label, index, dropped, *how, **reading)
    for note in () if times is None else times.notes:
        terminal.note(note, style="yellow")
    return settle(data, asked, times)


def read_symbols(terminal: Terminal, path: Path | None, features: list[str]) -> dict[str, str]:
    """The names of the features in the file of ``--names``; empty without a file."""
    if path is None:
        return {}
    from inffs.io._read import read_names

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


def build(
    method: str | None,
    labelled: bool,
    keep: str,
    seed: int,
    consensus: str = "mean-rank",
    max_false: float | None = None,
    target_type: str = "auto",
    missing: str = "refuse",
) -> tuple[Any, Any]:
    """The method as it was understood and its selector; what is wrong with it is wrong usage.

    Several methods, separated by commas, are asked for a consensus; with ``max_false`` the method
    is asked on halves of the samples.
    """
    from inffs.methods.spec import MethodSpec, parse_method, parse_methods

    try:
        asked = parse_methods(method_or_default(method, labelled, target_type))
        specs = [parse_method(part) for part in asked]
        spec = specs[0] if len(specs) == 1 else MethodSpec(", ".join(map(str, specs)))
        if str(missing) == "ignore":
            specs = [_ignoring_missing(each) for each in specs]
        selector = _selector(specs, parse_keep(keep), seed, str(consensus), max_false)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if selector._supervised and not labelled:
        raise UsageError(
            f"The method {spec.key} is supervised: name the column of classes (--label)."
        )
    refuse_target(spec.key, selector, target_type)
    if target_type == "regression" and "target_type" in selector.get_params():
        selector.set_params(target_type=target_type)
    return spec, selector


def _ignoring_missing(spec: Any) -> Any:
    """The method with ``missing="ignore"``, or an error where it needs every value."""
    from inffs.methods.spec import method_parameters
    from inffs.validation.intake import IGNORING

    if "missing" not in method_parameters(spec.key):
        raise ValueError(
            f"{spec.key} needs every value: fill them in with --impute median, or use "
            f"--missing ignore with {IGNORING}."
        )
    return spec.with_defaults(missing="ignore")


def _selector(specs: list, keep: Any, seed: int, consensus: str, max_false: float | None) -> Any:
    from inffs.meta import BestOf, Consensus, StabilitySelection

    found: Any
    if len(specs) > 1:
        keys = [str(spec.with_defaults(random_state=seed)) for spec in specs]
        if consensus == "best":
            found = BestOf(keys, n_features_to_select=keep)
        else:
            found = Consensus(keys, how=consensus, n_features_to_select=keep)
    else:
        found = specs[0].build(n_features_to_select=keep, random_state=seed)
    if max_false is None:
        return found
    if max_false <= 0:
        raise ValueError(f"--max-false takes a number above 0, not {max_false:g}.")
    found.set_params(n_features_to_select="auto")
    return StabilitySelection(
        found, max_false=max_false, n_features_to_select=keep, random_state=seed
    )


def guard(
    terminal: Terminal, selector: Any, table: Any, target_type: str = "auto", scaled: bool = False
) -> list[str]:
    """Say what the guards see; a label that holds no classes is refused where classes are meant."""
    from inffs.guards import look_at
    from inffs.guards.look import Look
    from inffs.guards.sentences import no_classes
    from inffs.meta.constrained import unconstrained
    from inffs.validation.missing import filled_with_medians, has_missing

    selector = unconstrained(selector)
    if selector.missing == "ignore" and has_missing(table.X):
        table = replace(table, X=filled_with_medians(table.X))
    classes = table.y is not None and target_type not in ("regression", "survival")
    if classes and selector._supervised:
        wrong = no_classes(Look(table.X, table.names, table.y, table.label or "y", selector))
        if wrong:
            raise UsageError(wrong)
    y = table.y if classes else None
    said = look_at(table.X, y, table.names, label=table.label, selector=selector, scaled=scaled)
    for sentence in said:
        terminal.note(sentence, style="yellow")
    return said


def prepare(table: Any, impute: str | None, scale: str, adjustment: Any = None) -> Any:
    """What is done to the table before the fit; nothing is filled in where nothing is missing."""
    from inffs.validation.preparation import Preparation

    dense = impute is not None and isinstance(table.X, np.ndarray)
    missing = dense and bool(np.isnan(table.X).any())
    if adjustment is not None:
        _check_adjustable(table, missing)
    how = str(impute) if missing else None
    return Preparation(how, str(scale), tuple(table.ordinal), adjustment)


def _check_adjustable(table: Any, filled: bool) -> None:
    if not isinstance(table.X, np.ndarray):
        raise UsageError("--adjust needs a dense table in memory: CSV, for instance.")
    if not filled and np.isnan(table.X).any():
        raise UsageError("--adjust needs every value: fill them in (--impute median).")


def fit(
    terminal: Terminal,
    selector: Any,
    table: Any,
    address: str | None = None,
    preparation: Any = None,
    groups: Any = None,
) -> None:
    """Fit the selector on the table with bars drawn, here or on the dask cluster at an address."""
    from inffs.meta.constrained import unconstrained
    from inffs.validation.missing import FewValuesWarning

    started = time.perf_counter()
    with terminal.progress(), cluster_table(table.X, address) as X, warnings.catch_warnings():
        warnings.simplefilter("ignore", FewValuesWarning)  # reading the table has told of them
        known = {"groups": groups, "covariates": getattr(preparation, "adjustment", None)}
        known = {name: values for name, values in known.items() if values is not None}
        selector.fit(preparation.of(X) if preparation else X, table.y, **known)
    name = type(unconstrained(selector)).__name__
    terminal.detail(f"Ranked with {name} in {time.perf_counter() - started:.2f} s.")


def to_repeat(path: Path, **given: Any) -> dict[str, Any]:
    """What ``read_table`` was told, as plain values."""
    if str(given.pop("missing", "refuse")) != "refuse":
        given["impute"] = "keep"
    told = {name: value for name, value in given.items() if value not in (None, False, [])}
    plain = (bool, list)
    return {"path": str(path)} | {
        name: value if isinstance(value, plain) else str(value) for name, value in told.items()
    }


@contextmanager
def cluster_table(X: Any, address: str | None) -> Iterator[Any]:
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


def show_kept(
    terminal: Terminal,
    study: Any,
    key: str,
    files: list[Path],
    label: str | None = None,
    most: int = 10,
) -> None:
    """Print the first features, the headline, at most four sentences, and the files."""
    from inffs.cli._rank import as_table, ranked_rows
    from inffs.meta.constrained import unconstrained
    from inffs.report._words import scores_explained

    if terminal.quiet:
        return
    selector, n = study.selector, len(study.names)
    terminal.out.print(as_table(ranked_rows(selector, study.names, study.symbols)[:most]))
    if n > most:
        terminal.say(f"... and {n - most:,} more features in ranking.csv", style="dim")
    findings = study.findings
    if findings:
        terminal.say(f"{findings[0].headline}.", style="bold")
    for finding in findings[:_SENTENCES]:
        terminal.say(finding.sentence)
    method = unconstrained(selector)
    name = getattr(method, "best_", key)  # of several methods the one that was chosen
    terminal.say(
        f"\nSelected {selector.n_features_:,} of {counted(n, 'feature')} with {name}"
        f"{' (not a finding)' if selector.cut_.forced else ''}.",
        style="bold",
    )
    stated = study.check is not None and study.check.from_rule  # the findings have these numbers
    why = "" if stated else selector.cut_.why
    for words in (target_words(method, label), scores_explained(selector), why):
        if words:
            terminal.say(words)
    terminal.say("")
    for path in files:
        terminal.say(f"  {path}")


def show_agreement(terminal: Terminal, selector: Any) -> None:
    """Of a consensus: how far every two methods agree."""
    from inffs.meta.constrained import unconstrained

    k, selector = max(1, selector.n_features_), unconstrained(selector)
    if terminal.quiet or not hasattr(selector, "agreement_"):
        return
    from rich import box
    from rich.table import Table

    overlap = selector.overlap_at(k)
    shown = Table(
        "methods", "Kendall", f"shared of the best {k}", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for i, first in enumerate(selector.names_):
        for j, second in enumerate(selector.names_[:i]):
            tau, share = selector.agreement_[i, j], overlap[i, j]
            shown.add_row(f"{second} / {first}", f"{tau:.2f}", f"{share:.0%}")
    terminal.out.print(shown)


def read_groups(
    table: Path,
    group: str | None,
    index: str | None,
    drop: list[str],
    transpose: bool,
    **reading: Any,
) -> tuple[Any, list[str]]:
    """The column that keeps samples together, and what to drop so that it is no feature."""
    from fnmatch import fnmatchcase

    from inffs.io._read import read_column

    if group is None:
        return None, drop
    values, name = read_column(table, group, "group", index=index, transpose=transpose, **reading)
    if name is None or any(name == each or fnmatchcase(name, each) for each in drop):
        return values, drop
    return values, [*drop, name]


def read_covariates(
    path: Path, adjust: str | None, drop: list[str], **reading: Any
) -> tuple[Any, list[str]]:
    """The columns of ``--adjust``, and what to drop so that they are no features."""
    from inffs.validation.adjustment import Adjustment

    if adjust is None:
        return None, drop
    if reading.pop("labels", None) is not None or reading.pop("drop_missing_labels", False):
        raise UsageError("--adjust reads the table alone: no --labels, no --drop-missing-labels.")
    covariates = {}
    for name in filter(None, (part.strip() for part in adjust.split(","))):
        covariates[name], drop = read_groups(path, name, drop=drop, **reading)
    return Adjustment.of(covariates), drop


def warn_of_confounding(terminal: Terminal, adjustment: Any, table: Any) -> None:
    """Refuse covariates that determine the target, and warn of those that explain half of it."""
    from inffs.target import make_target

    if adjustment is None or table.y is None:
        return
    names = " and ".join(adjustment.names)
    share = adjustment.explained(make_target(table.y))
    if share > 1 - 1e-9:
        raise UsageError(
            f"The label {table.label!r} follows from {names}: after --adjust nothing of it is left "
            "in the features, and without it both cannot be told apart."
        )
    if share > 0.5:
        terminal.note(
            f"{names} explain {share:.0%} of the label {table.label!r}: --adjust removes as much "
            "of what the features have to do with it.",
            style="yellow",
        )
