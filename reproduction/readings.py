"""Two readings of the paper: weights chosen by cross-validation as it says, and equal weights."""

from __future__ import annotations

import pandas as pd

CHOSEN, EQUAL = "chosen weights", "equal weights"
_INSTEAD = {
    "inf-fs-u (alpha 0.5)": "inf-fs-u",
    "inf-fs-s (equal weights)": "inf-fs-s",
}


def as_read(table: pd.DataFrame, reading: str) -> pd.DataFrame:
    """The table with one form of each Inf-FS under its plain name; without the other form.

    A data set on which the asked form has no results has none of either.
    """
    if reading == CHOSEN:
        return table[~table["method"].isin(_INSTEAD)]
    others = table[~table["method"].isin(_INSTEAD.values())]
    return others.assign(method=others["method"].replace(_INSTEAD))


def has_equal_weights(table: pd.DataFrame) -> bool:
    """Whether both forms have run with equal weights."""
    return set(_INSTEAD) <= set(table["method"])
