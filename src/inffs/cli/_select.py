"""``inffs select`` and ``inffs rank``: files or lines about the ranking of one table."""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from inffs._utils.words import counted, display_names, shortened
from inffs.cli import _options as opt
from inffs.cli._run import Terminal, option

_LONGEST_NAME, _ROWS = 40, 10
_SENTENCES = 4  # of the findings; the report shows all
_of_results = partial(option, panel="The results")


@dataclass(kw_only=True)
class Results:
    """What a selection leaves behind."""

    out: Path | None = _of_results(
        "Folder for the results. Default: inffs-NAME.", "DIR", names="--out -o"
    )
    force: bool = opt.FORCE
    report: bool = _of_results("Write report.html.", default=True, names="--report/--no-report")
    folds: int = _of_results(
        "Folds of the report's cross-validation; 0 switches it off. Where a cross-validation "
        "decides how many features are selected, the report uses that one.",
        default=5,
        min=0,
    )
    spreadsheet_safe: bool = _of_results(
        "Put ' before names and text that a spreadsheet would run as a formula.", default=False
    )
    dask: str | None = opt.of_method(
        "Rank on the dask cluster at this address (Parquet and NPY files).", "ADDRESS"
    )


@dataclass(kw_only=True)
class Shown:
    """What of a ranking is printed, and how."""

    top: int | None = option("Print the best N features.", names="--top -n", min=1)
    format: str | None = option(
        "Default: a table on a terminal, CSV when piped.", choices=("table", "csv", "json")
    )


def select(
    terminal: Terminal,
    source: opt.Prepared,
    method: opt.Method,
    subset: opt.Subset,
    results: Results,
) -> None:
    """Rank the columns of a table and select the best.

    Writes ranking.csv (with reasons), the selected columns, report.html and run.json.

    [dim]inffs select genes.csv --label diagnosis[/dim]
    """
    from inffs._utils.files import check_writable, refuse_existing, sha256_of
    from inffs.cli._pipeline import rank_table
    from inffs.io._formats import find_format
    from inffs.report._outputs import output_names, write_outputs
    from inffs.report._report import Study

    form, ending = find_format(source.table)
    folder = results.out or Path(f"inffs-{source.table.name.removesuffix(ending)}")
    ending = form.written_as(ending)
    names = output_names(ending, results.report)
    refuse_existing([folder / name for name in names], results.force, "--force")
    check_writable(folder)
    found = rank_table(terminal, source, method, subset, dask=results.dask)
    table, beside = found.table, found.beside
    study = Study(
        found.selector, table.X, found.y, table.names, results.folds, method.seed,
        found.preparation, results.report, table.notes, found.symbols, beside.groups,
    )  # fmt: skip
    run = {
        "command": shlex.join(["inffs", *sys.argv[1:]]),
        "table": source.table.name,
        "sha256": sha256_of(source.table),
        "seed": method.seed,
        "asked": {
            **opt.given(source), **opt.given(method), **opt.given(subset),
            "method": str(found.spec), "keep": method.size(),
            "drop": beside.drop, "target_type": found.target_type,
        },
        "guards": found.warnings,
        "reading": beside.reading,
    }  # fmt: skip
    with terminal.progress():
        files = write_outputs(
            study, table, folder, ending=ending,
            title=f"Selected features of {source.table.name}",
            force=results.force, spreadsheet_safe=results.spreadsheet_safe, run=run,
        )  # fmt: skip
    if results.spreadsheet_safe:
        terminal.note("Names and text that a spreadsheet would run now begin with an apostrophe.")
    show_kept(terminal, study, found.spec.key, files, table.label)
    show_agreement(terminal, found.selector)


def rank(
    terminal: Terminal,
    source: opt.Prepared,
    method: opt.Method,
    subset: opt.Subset,
    shown: Shown,
) -> None:
    """Print the ranking of a table's columns.

    [dim]inffs rank genes.csv --label diagnosis --top 20[/dim]
    """
    from inffs.cli._pipeline import rank_table

    found = rank_table(terminal, source, method, subset, usual_size="all")
    selector, names = found.selector, found.table.names
    shape = shown.format or ("table" if terminal.out.is_terminal else "csv")
    if shape == "table":
        most = shown.top or 30
        terminal.out.print(as_table(selector, display_names(names, found.symbols), most))
        terminal.note(
            f"{found.spec.key} selects {selector.n_features_:,} of {len(names):,} features."
        )
        if shown.top is None and most < len(names):
            terminal.note(f"The best {most} are shown; --top N or a pipe shows more.")
        return
    rows = ranked_rows(selector, names, found.symbols)[: shown.top]
    as_json = partial(json.dumps, indent=1, ensure_ascii=False)
    terminal.data(as_json(rows) if shape == "json" else _as_csv(rows))


def _as_csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().removesuffix("\n")


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


def as_table(selector: Any, names: list[str], most: int) -> Table:
    """The first features of the ranking for a terminal, with a bar beside every score."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("rank", "feature", "score", "", ""):
        table.add_column(head, justify="right" if head in ("rank", "score") else "left")
    sign = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    first = selector.order_[:most]
    best = max(map(abs, selector.scores_[first])) or 1.0
    for place, feature in enumerate(first, start=1):
        score, kept = selector.scores_[feature], selector.support_[feature]
        name = Text(shortened(names[feature], _LONGEST_NAME), style="bold" if kept else "")
        bar = Text(sign * max(0, round(20 * score / best)), style="cyan")
        mark = Text("selected" if kept else "", style="green")
        table.add_row(str(place), name, f"{score:.5g}", bar, mark)
    return table


def show_kept(
    terminal: Terminal, study: Any, key: str, files: list[Path], label: str | None = None
) -> None:
    """Print the headline and the findings, the first features, and the files."""
    from inffs.meta.constrained import unconstrained
    from inffs.report._findings import scores_explained

    if terminal.quiet:
        return
    selector, n = study.selector, len(study.names)
    findings = study.findings
    if findings:
        terminal.say(f"{findings[0].headline}.", style="bold")
    for finding in findings[:_SENTENCES]:
        terminal.say(finding.sentence)
    terminal.out.print(as_table(selector, study.shown_names, _ROWS))
    if n > _ROWS:
        more = counted(n - _ROWS, "more feature")
        terminal.say(f"... and {more} in ranking.csv", style="dim")
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
    """For a consensus: how far every two methods agree."""
    from inffs.meta.constrained import unconstrained

    k, selector = max(1, selector.n_features_), unconstrained(selector)
    if terminal.quiet or not hasattr(selector, "agreement_"):
        return
    overlap = selector.overlap_at(k)
    shown = Table(
        "methods", "Kendall", f"shared of the best {k}", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for i, first in enumerate(selector.names_):
        for j, second in enumerate(selector.names_[:i]):
            tau, share = selector.agreement_[i, j], overlap[i, j]
            shown.add_row(f"{second} / {first}", f"{tau:.2f}", f"{share:.0%}")
    terminal.out.print(shown)


def target_words(selector: Any, label: str | None) -> str:
    """One line about the type of the target; "" without a target."""
    found = getattr(selector, "target_type_", None)
    if found is None or label is None:
        return ""
    if found == "classification":
        return f"Target: {label}, {selector.classes_.size} classes."
    return f"Target: {label}, {opt.WORDS[found]}."
