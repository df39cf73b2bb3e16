"""``inffs methods``: the catalogue, or one method with its paper and parameters."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from rich.text import Text

from inffs.cli._options import complete_method
from inffs.cli._run import Terminal


def methods(
    terminal: Terminal,
    key: Annotated[
        str | None,
        typer.Argument(metavar="KEY", help="Describe it.", autocompletion=complete_method),
    ] = None,
) -> None:
    """List the methods, or describe one: its idea, paper, cost and parameters."""
    from inffs.methods import catalogue, find_entry

    if key is not None:
        _tell(terminal, find_entry(key))
        return
    rows = [
        (entry.key, _label_of(entry), entry.kind, entry.cost, entry.paper) for entry in catalogue()
    ]
    terminal.table(("key", "label", "kind", "cost", "paper"), rows)
    if terminal.out.is_terminal:
        terminal.note("inffs methods KEY describes one method.", style="dim")


def _label_of(entry: Any) -> str:
    """The types of label that the method accepts; "no" if it needs none."""
    if not entry.supervised:
        return "no"
    words = {"classification": "classes", "multilabel": "labels", "regression": "numbers"}
    return ", ".join(words.get(kind, kind) for kind in entry.targets)


def _takes(estimator: Any) -> str:
    """Which targets, weights and missing values a method accepts."""
    takes = [f"y: {', '.join(estimator._targets)}"] * estimator._supervised
    takes.append(f"sample_weight: {_yes(estimator._weights)}")
    missing = "refuse or ignore" if estimator._ignores_missing else "refuse"
    return "; ".join([*takes, f"missing values: {missing}", f"sparse: {_yes(estimator._sparse)}"])


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _tell(terminal: Terminal, entry: Any) -> None:
    """The docstring of the class under a heading, then the parameters and their defaults."""
    from inffs.methods.entries import method_parameters

    kind = "supervised (needs a label)" if entry.supervised else "unsupervised"
    head = f"{entry.key}  ·  {entry.kind}, {kind}  ·  cost {entry.cost}"
    terminal.out.print(Text(head, style="bold"), soft_wrap=True)
    terminal.out.print(Text(f"from inffs.{entry.target.replace(':', ' import ')}", style="dim"))
    terminal.out.print(Text(_takes(entry.estimator), style="dim"), soft_wrap=True)
    terminal.out.print(Text(f"\n{inspect.getdoc(entry.estimator)}"), soft_wrap=True)
    given = ",".join(f"{name}={value}" for name, value in method_parameters(entry.key).items())
    typed = f"\nOn the command line: --method '{entry.key}[{given}]'"
    terminal.out.print(Text(typed), soft_wrap=True)
