"""Results in one compressed file beside the documentation: a store that reads and writes it.

It keeps nested selections once. Files of an earlier version have other names for some columns.
"""

from __future__ import annotations

import json
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from inffs._utils.files import new_file
from inffs.comparison.store import LONGEST_ORDER, SCHEMA, Plan, Row, Store

PACKED, PLANS = "results.parquet", "inffs plans"
WHOLE = SCHEMA.append(pa.field("selected_in", pa.string()))
OLDER_NAMES = {"evaluator": "judge", "selected_in": "picks_in"}  # of columns in older files
_OLDER = pa.schema([each.with_name(OLDER_NAMES.get(each.name, each.name)) for each in WHOLE])
_NEEDED = ("trial", "asked", "status")


class PackedStore(Store):
    """A folder of results, of which some are in ``results.parquet``."""

    def __init__(self, folder: str | Path) -> None:
        super().__init__(folder)
        files = [*self.folder.glob(PACKED), *sorted(self.folder.glob("parts/part-*.parquet"))]
        tables = [table for path in files if (table := _read_packed(path)) is not None]
        self._plans = [plan for table in tables for plan in _plans_in(table)] + self._plans
        self._table = pa.concat_tables(
            [*tables, WHOLE.empty_table(), self._table], promote_options="default"
        )

    def every_row(self) -> pd.DataFrame:
        """Return all rows of all runs once, with the selection of each."""
        rows = super().every_row()
        rows["kind"] = rows["kind"].replace("guest", "third-party")  # the name in older files
        rows["selected"] = restore_selected(rows)
        return rows.drop(columns="selected_in")

    def pack(
        self, folder: str | Path, keep: Callable[[pd.DataFrame], pd.DataFrame] = lambda rows: rows
    ) -> Path:
        """Write the rows that count and their plans into one file of another folder.

        ``keep`` returns the rows to write, or parts of them.
        """
        target = Path(folder) / PACKED
        target.parent.mkdir(parents=True, exist_ok=True)
        rows = pd.DataFrame(share_selected(keep(self.frame(evaluator=None)).to_dict("records")))
        table = pa.Table.from_pandas(rows, WHOLE, preserve_index=False)
        plans = json.dumps([asdict(plan) for plan in self.plans().values()])
        named = [field.name for field in WHOLE if not pa.types.is_list(field.type)]
        with new_file(target, force=True) as beside:
            parquet.write_table(
                table.replace_schema_metadata({PLANS: plans}), beside, compression="zstd",
                compression_level=19, use_dictionary=named,
            )  # fmt: skip
        return target


def _plans_in(table: pa.Table) -> list[Plan]:
    """The plans in a file; older ones call the majority "commonest", the evaluators "judges"."""
    kept = json.loads((table.schema.metadata or {}).get(PLANS.encode(), b"[]"))
    for plan in kept:
        _rename(plan, "commonest", "majority")
        _rename(plan.get("details") or {}, "judges", "evaluators")
    return [Plan.of_json(each) for each in kept]


def _rename(content: dict[str, Any], older: str, name: str) -> None:
    if older in content:
        content[name] = content.pop(older)


def _read_packed(path: Path) -> pa.Table | None:
    """Read a Parquet file; None, with a warning, if it cannot be read."""
    try:
        written = parquet.read_schema(path)
        missing = [name for name in _NEEDED if name not in written.names]
        if missing:
            raise ValueError(f"it has no column {missing[0]!r}, so it is no part of a run")
        older = any(name in written.names for name in OLDER_NAMES.values())
        table = parquet.read_table(path, schema=_OLDER if older else WHOLE)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        warnings.warn(f"{path} cannot be read ({reason}): these trials run again.", stacklevel=3)
        return None
    return table.rename_columns(WHOLE.names).replace_schema_metadata(written.metadata)


def share_selected(rows: list[Row]) -> list[Row]:
    """Return rows in which only the longest of nested selections is written out.

    The others name it in ``selected_in``; longer ones than ``LONGEST_ORDER`` are not kept.
    """
    trials: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if _is_kept(row.get("selected")) and len(row["selected"]) <= LONGEST_ORDER:
            trials[row["trial"]].append(place)
    shared = [{**row, "selected": None, "selected_in": None} for row in rows]
    for places in trials.values():
        subsets = [np.asarray(rows[place]["selected"]) for place in places]
        for chain in chains(subsets):
            longest = places[chain[-1]]
            shared[longest]["selected"] = rows[longest]["selected"]
            for each in chain:
                shared[places[each]]["selected_in"] = rows[longest]["asked"]
    return shared


def chains(subsets: Sequence[np.ndarray]) -> list[list[int]]:
    """The places of the subsets, those in one list being beginnings of each other."""
    found: list[list[int]] = []
    for place in sorted(range(len(subsets)), key=lambda place: subsets[place].size):
        columns = subsets[place]
        for chain in found:
            last = subsets[chain[-1]]
            if np.array_equal(columns[: last.size], last):
                chain.append(place)
                break
        else:
            found.append([place])
    return found


def restore_selected(rows: pd.DataFrame) -> pd.Series:
    """Return the selection of every row; empty where it was not kept."""
    kept = rows["selected"].map(_is_kept)
    holders = rows[kept & rows["selected_in"].notna()]
    keys = zip(holders["trial"], holders["asked"], strict=True)
    orders = dict(zip(keys, holders["selected"], strict=True))
    columns = zip(rows["trial"], rows["selected_in"], rows["n_features"], rows["selected"], kept,
                  strict=True)  # fmt: skip
    found = [own if is_kept else orders.get((trial, asked), [])[: int(size) if size == size else 0]
             for trial, asked, size, own, is_kept in columns]  # fmt: skip
    return pd.Series(found, index=rows.index, dtype=object)


def _is_kept(selected: Any) -> bool:
    return selected is not None and not isinstance(selected, float) and len(selected) > 0
