"""What the terminal shows of a ranking."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from inffs._utils.words import counted, with_symbol
from inffs.cli._run import Terminal
from inffs.cli._target import target_words
from inffs.meta.constrained import unconstrained
from inffs.report._words import scores_explained

_SENTENCES = 4  # of the findings; the report shows all


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


def as_table(rows: list[dict[str, Any]]) -> Table:
    """The ranking for a terminal, with a bar beside every score."""
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


def show_kept(
    terminal: Terminal,
    study: Any,
    key: str,
    files: list[Path],
    label: str | None = None,
    most: int = 10,
) -> None:
    """Print the headline and the findings, the first features, and the files."""
    if terminal.quiet:
        return
    selector, n = study.selector, len(study.names)
    findings = study.findings
    if findings:
        terminal.say(f"{findings[0].headline}.", style="bold")
    for finding in findings[:_SENTENCES]:
        terminal.say(finding.sentence)
    terminal.out.print(as_table(ranked_rows(selector, study.names, study.symbols)[:most]))
    if n > most:
        terminal.say(f"... and {n - most:,} more features in ranking.csv", style="dim")
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
