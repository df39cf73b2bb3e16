"""``inffs rank``: print the ranking, a table on a terminal, CSV or JSON when piped."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from inffs._utils.words import with_symbol
from inffs.cli import _constraints as limit
from inffs.cli import _options as opt
from inffs.cli import _target as goal
from inffs.cli._run import Terminal, UsageError


class Shape(StrEnum):
    """How the ranking is printed."""

    table = "table"
    csv = "csv"
    json = "json"


def rank(
    terminal: Terminal,
    table: opt.TablePath,
    label: opt.Label = None,
    method: opt.Method = None,
    consensus: opt.Consensus = opt.Aggregation.mean_rank,
    max_false: opt.MaxFalse = None,
    keep: opt.Keep = "all",
    group: opt.Group = None,
    index: opt.Index = None,
    drop: opt.Drop = None,
    transpose: opt.Transpose = False,
    sheet: opt.Sheet = None,
    header: opt.Header = None,
    names: opt.Names = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    allow_missing_samples: opt.AllowMissingSamples = False,
    drop_missing_labels: opt.DropMissingLabels = False,
    layer: opt.Layer = None,
    encode: opt.Encode = None,
    normalize: opt.Normalize = None,
    adjust: opt.Adjust = None,
    impute: opt.Impute = None,
    missing: opt.MissingBy = opt.Missing.refuse,
    scale: opt.ScaleBy = opt.Scale.none,
    target_type: goal.TargetTypeIs = goal.TargetType.auto,
    time: goal.Time = None,
    event: goal.Event = None,
    include: limit.Include = None,
    exclude: limit.Exclude = None,
    max_correlation: limit.MaxCorrelation = None,
    group_score: limit.GroupScore = None,
    min_features: limit.MinFeatures = None,
    max_features: limit.MaxFeatures = None,
    seed: opt.Seed = 0,
    top: Annotated[
        int | None, typer.Option("--top", "-n", min=1, help="Only the best N.", show_default=False)
    ] = None,
    shape: Annotated[
        Shape | None,
        typer.Option("--format", help="Default: a table on a terminal, CSV when piped."),
    ] = None,
) -> None:
    """Print the ranking of a table's columns.

    [dim]inffs rank genes.csv --label diagnosis --top 20[/dim]
    """
    from inffs.cli._work import (
        build,
        fit,
        guard,
        load_target,
        prepare,
        read_covariates,
        read_groups,
        read_symbols,
        warn_of_confounding,
    )  # fmt: skip

    asked = goal.Asked(label, target_type, time, event)
    made = partial(build, method, asked.given, keep, seed, consensus, max_false, missing=missing)
    spec, selector = made(asked.known_type)
    if group is not None and (labels is not None or drop_missing_labels):
        raise UsageError("--group reads the table alone: no --labels, no --drop-missing-labels.")
    groups, drop = read_groups(
        table, group, index, drop or [], transpose, sheet=sheet, header=header
    )
    adjustment, drop = read_covariates(
        table, adjust, drop, index=index, transpose=transpose, sheet=sheet, header=header,
        labels=labels, drop_missing_labels=drop_missing_labels,
    )  # fmt: skip
    reading: dict[str, Any] = {
        "sheet": sheet, "header": header, "labels": labels, "on": on, "missing": missing,
        "layer": layer, "allow_missing_samples": allow_missing_samples or None,
        "drop_missing_labels": drop_missing_labels or None,
        "normalize": normalize and str(normalize),
    }  # fmt: skip
    data, known = load_target(
        terminal, asked, table, index, drop, transpose, encode, impute, **reading
    )
    spec, selector = (spec, selector) if known == asked.known_type else made(known)
    selector, _ = limit.constrain(
        selector, data, encode, include=include, exclude=exclude, max_correlation=max_correlation,
        min_features=min_features, max_features=max_features, group_score=group_score,
    )  # fmt: skip
    symbols = read_symbols(terminal, names, data.names)
    warn_of_confounding(terminal, adjustment, data)
    preparation = prepare(data, impute, scale, adjustment)
    own = replace(data, X=preparation.filled(data.X))
    guard(terminal, selector, own, known, preparation.scale != "none")
    fit(terminal, selector, data, preparation=preparation, groups=groups)
    rows = ranked_rows(selector, data.names, symbols)[:top]
    shape = shape or (Shape.table if terminal.out.is_terminal else Shape.csv)
    if shape is Shape.table:
        shown = rows[: top or 30]
        terminal.out.print(as_table(shown))
        terminal.note(f"{spec.key} kept {selector.n_features_:,} of {len(data.names):,} features.")
        if len(shown) < len(rows):
            terminal.note(f"The best {len(shown)} are shown; --top N or a pipe shows more.")
    elif shape is Shape.csv:
        terminal.data(_as_csv(rows))
    else:
        terminal.data(json.dumps(rows, indent=1, ensure_ascii=False))


def ranked_rows(
    selector: Any, names: list[str], symbols: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """A row per feature, best first; with ``symbols`` it has the feature's name."""
    return [
        {
            "rank": place + 1,
            "feature": names[feature],
            **({"name": symbols.get(names[feature], "")} if symbols else {}),
            "score": float(selector.scores_[feature]),
            "kept": bool(selector.support_[feature]),
        }
        for place, feature in enumerate(selector.order_)
    ]


def _as_csv(rows: list[dict[str, Any]]) -> str:
    import csv

    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().removesuffix("\n")


def as_table(rows: list[dict[str, Any]]) -> Any:
    """The ranking for a terminal, a bar beside every score."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("rank", "feature", "score", "", ""):
        table.add_column(head, justify="right" if head in ("rank", "score") else "left")
    sign = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    best = max((abs(row["score"]) for row in rows), default=0.0) or 1.0
    for row in rows:
        bar = sign * max(0, round(20 * row["score"] / best))
        name = Text(
            shown_name(with_symbol(row["feature"], row.get("name"))),
            style="bold" if row["kept"] else "",
        )
        kept = Text("selected" if row["kept"] else "", style="green")
        table.add_row(str(row["rank"]), name, f"{row['score']:.5g}", Text(bar, style="cyan"), kept)
    return table


def shown_name(name: str, most: int = 40) -> str:
    """A feature's name for a person: printable, short, never empty."""
    name = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    if not name:
        return "(no name)"
    return name if len(name) <= most else f"{name[: most - 1]}…"
