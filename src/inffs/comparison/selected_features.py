"""The picked features of a trial, stored once: most sizes are beginnings of one order."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd

from inffs.evaluation.parts import chains

Row = dict[str, Any]
LONGEST_ORDER = 1500  # features of one ranking that the store keeps


def share_selected(rows: list[Row]) -> list[Row]:
    """Rows in which only the longest of nested selections is written out.

    The others name it in ``picks_in``; selections longer than ``LONGEST_ORDER`` are not kept.
    """
    trials: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if _is_kept(row.get("selected")) and len(row["selected"]) <= LONGEST_ORDER:
            trials[row["trial"]].append(place)
    shared = [{**row, "selected": None, "picks_in": None} for row in rows]
    for places in trials.values():
        subsets = [np.asarray(rows[place]["selected"]) for place in places]
        for chain in chains(subsets):
            longest = places[chain[-1]]
            shared[longest]["selected"] = rows[longest]["selected"]
            for each in chain:
                shared[places[each]]["picks_in"] = rows[longest]["asked"]
    return shared


def restore_selected(rows: pd.DataFrame) -> pd.Series:
    """The selection of every row; empty where it was not kept."""
    holders = rows[rows["selected"].map(_is_kept) & rows["picks_in"].notna()]
    orders = dict(zip(zip(holders["trial"], holders["asked"], strict=True), holders["selected"],
                      strict=True))  # fmt: skip
    columns = zip(rows["trial"], rows["picks_in"], rows["n_features"], rows["selected"],
                  strict=True)  # fmt: skip
    found = [_restored(orders, *row) for row in columns]
    return pd.Series(found, index=rows.index, dtype=object)


def _restored(orders: dict, trial: str, asked: Any, size: Any, own: Any) -> Any:
    if _is_kept(own) or pd.isna(asked) or (trial, asked) not in orders:
        return own if _is_kept(own) else []
    return orders[trial, asked][: int(size)]


def _is_kept(selected: Any) -> bool:
    return selected is not None and not isinstance(selected, float) and len(selected) > 0
