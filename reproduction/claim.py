"""What a claim is, and what a check of it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from inffs.comparison.figures import present
from inffs.methods import catalogue

HOLDS, PARTLY, FAILS, OPEN = "holds", "holds partly", "does not hold here", "not tested yet"


@dataclass(frozen=True)
class Finding:
    """A verdict with the numbers it rests on."""

    verdict: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """What the paper says (in our words), where, how it is checked, and of which data sets.

    ``why`` makes the likely reason of the store's rows; ``study`` names the setting of the table
    that the check is given.
    """

    text: str
    where: str
    check: Callable[[pd.DataFrame], Finding]
    sets: tuple[str, ...]
    why: Callable[[pd.DataFrame, pd.DataFrame], str] | None = None
    study: str = "paper"


def pct(value: float) -> str:
    """A share in percent, one digit."""
    return f"{100 * value:.1f}"


def compared(table: pd.DataFrame, supervised: bool) -> list[str]:
    """The methods of a class that the paper compares (its Table 1) and that have results."""
    listed = {entry.key for entry in catalogue() if entry.paper_cost}
    rows = table[table["supervised"] == supervised]
    return sorted(listed & set(rows["method"]))


def our_set(table: pd.DataFrame, name: str) -> str:
    """Our data set that stands for the paper's, "" if there are no results on it."""
    found = present(table, (name,))
    return found[0] if found else ""
