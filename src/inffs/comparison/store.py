"""Results on disk: a line for every finished trial and every plan, in one file that only grows.

A line is one write and has a checksum, so several processes may write into one folder, and what is
cut off or changed is found. A trial that is stored twice is read once. Only rows of one table, one
protocol and one version of the package, those of the latest plan, are read together.
"""

from __future__ import annotations

import errno
import json
import os
import time
import warnings
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from inffs._utils.files import new_file
from inffs._utils.words import counted
from inffs.comparison.trial import CRASHED, DONE, FAILED, SKIPPED, Row
from inffs.evaluation.parts import chains

_TEXT = (
    "trial", "dataset", "data_version", "status_of_data", "challenge", "method", "kind", "params",
    "setting", "protocol", "package", "asked", "chosen", "status", "reason", "evaluator",
    "selected_in",
)  # fmt: skip
_COUNTS = ("samples", "features", "split", "seed", "n_features")
MEASURED = ("fit_seconds", "cpu_seconds", "tune_seconds", "trial_seconds", "peak_mib")
_NUMBERS = (
    *MEASURED, "C", "accuracy", "balanced_accuracy", "mean_average_precision",
    "eleven_point_precision", "r2", "concordance",
)  # fmt: skip
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in _TEXT),
        *((name, pa.int32()) for name in _COUNTS),
        *((name, pa.float64()) for name in _NUMBERS),
        ("supervised", pa.bool_()),
        ("selected", pa.list_(pa.int32())),
        ("tested", pa.list_(pa.int32())),
        ("sample_scores", pa.list_(pa.float32())),
    ]
)
OLDER_NAMES = {"evaluator": "judge", "selected_in": "picks_in"}  # of columns in older files
_OLDER = pa.schema([each.with_name(OLDER_NAMES.get(each.name, each.name)) for each in SCHEMA])
MAIN_EVALUATOR = "linear"
LINES, PACKED, PLANS = "results.jsonl", "results.parquet", "inffs plans"
SOURCE = ("data_version", "protocol", "package")  # rows that differ in one of them never mix
LONGEST_ORDER = 1500  # features of one ranking that the store keeps
_USUAL = (MAIN_EVALUATOR, "ridge", "cox")  # which decides, by the target type
_PREFERRED = {DONE: 0, SKIPPED: 1, FAILED: 2, CRASHED: 3}
_NEEDED = ("trial", "asked", "status")


@dataclass(frozen=True)
class Plan:
    """One data set under one setting: what was to run, and on which version of everything.

    ``majority`` is the accuracy of the majority-class baseline, ``missing`` whether cells are
    empty, ``details`` the fields of the protocol.
    """

    dataset: str
    setting: str
    methods: tuple[str, ...]
    splits: int
    majority: float | None = None
    missing: bool = False
    data_version: str | None = None
    protocol: str | None = None
    package: str | None = None
    began: float = 0.0
    details: dict[str, Any] | None = None

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> Plan:
        """Make a plan of its fields; older files call the majority "commonest"."""
        content = {"majority" if name == "commonest" else name: content[name] for name in content}
        return cls(**{**content, "methods": tuple(content["methods"])})

    @property
    def key(self) -> tuple[str, str]:
        return self.dataset, self.setting

    @property
    def source(self) -> tuple[str | None, ...]:
        return tuple(getattr(self, name) for name in SOURCE)

    def join(self, later: Plan) -> Plan:
        """Return both plans as one if they are of the same source, else the later one."""
        if self.source != later.source:
            return later
        methods = tuple(dict.fromkeys((*self.methods, *later.methods)))
        return replace(later, methods=methods, splits=max(self.splits, later.splits))


Plans = dict[tuple[str, str], Plan]


class Store:
    """A folder of results.

    Opening it reads every line. One that cannot be read (cut off, a changed byte) is named in a
    warning and ignored, so its trial runs again.

    Parameters
    ----------
    folder : str or Path
        Created with the first result.

    See Also
    --------
    compare : Fills it.

    Examples
    --------
    >>> from inffs.comparison import Store
    >>> len(Store("results").frame())
    0
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._tables = [table for path in packed_files(self.folder)
                        if (table := _read_packed(path)) is not None]  # fmt: skip
        self._rows: list[Row] = []
        self._plans = [plan for table in self._tables for plan in _plans_in(table)]
        for content in _read_lines(self.folder / LINES):
            self._rows += content.get("rows", [])
            self._plans += [Plan.of_json(plan) for plan in content.get("plans", [])]
        self._tables.append(_table_of(self._rows))
        self._rows = []

    def append(self, rows: list[Row]) -> None:
        """Keep the rows of finished trials: after this returns, no crash loses them."""
        long = [{**row, "selected": None} if len(row.get("selected") or ()) > LONGEST_ORDER else row
                for row in rows]  # fmt: skip
        self._write({"rows": long})
        self._rows += long

    def _write(self, content: dict[str, Any]) -> None:
        """Append one line, on the disk before this returns."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content, default=np.ndarray.tolist).encode()
        line = b"\n%08x %b\n" % (zlib.crc32(text), text)  # a line that was cut off ends here
        with (self.folder / LINES).open("ab", buffering=0) as file:
            if file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file.name)
            os.fsync(file.fileno())

    def finished_trials(self, retry: bool = False) -> set[str]:
        """Return the keys of the trials that need not run again."""
        rows = self.every_row()
        again = rows["status"] != DONE if retry else rows["status"] == CRASHED
        return set(rows["trial"][~again])

    def frame(self, evaluator: str | None = MAIN_EVALUATOR) -> pd.DataFrame:
        """Return the rows of the latest plan of each data set and setting.

        Those of one evaluator (if a data set has none of it, of another one), or of all (None).
        """
        return _of_evaluator(_planned_rows(self.every_row(), self.plans()), evaluator)

    def of_plan(self, plan: Plan, evaluator: str | None = MAIN_EVALUATOR) -> pd.DataFrame:
        """Return the rows of one data set and setting, on one version of everything."""
        rows = self.every_row()
        rows = rows[(rows["dataset"] == plan.dataset) & (rows["setting"] == plan.setting)]
        return _of_evaluator(_planned_rows(rows, {plan.key: plan}), evaluator)

    def every_row(self) -> pd.DataFrame:
        """Return all rows of all runs once, in an order that does not depend on the writers."""
        rows = pa.concat_tables([*self._tables, _table_of(self._rows)]).to_pandas()
        rows["kind"] = rows["kind"].replace("guest", "third-party")  # the name in older files
        rows = rows.sort_values("status", key=lambda status: status.map(_PREFERRED), kind="stable")
        finished = set(rows["trial"][rows["status"] == DONE])
        rows = rows[(rows["status"] == DONE) | ~rows["trial"].isin(finished)]
        rows["selected"] = restore_selected(rows)
        rows = rows.drop(columns="selected_in").drop_duplicates(["trial", "asked", "evaluator"])
        order = ["dataset", "method", "setting", "split", "n_features", "asked", "trial",
                 "evaluator"]  # fmt: skip
        return rows.sort_values(order, ignore_index=True)

    def add_plan(self, plan: Plan) -> None:
        """Keep a plan; the latest of a data set and setting counts."""
        plan = replace(plan, began=time.time())
        self._write({"plans": [asdict(plan)]})
        self._plans.append(plan)

    def plans(self) -> Plans:
        """Return the latest plan of each data set and setting.

        Earlier plans on the same table, with the same protocol and version, add their methods.
        """
        found: Plans = {}
        for plan in sorted(self._plans, key=lambda each: each.began):
            found[plan.key] = found[plan.key].join(plan) if plan.key in found else plan
        return found

    def pack(
        self, folder: str | Path, keep: Callable[[pd.DataFrame], pd.DataFrame] = lambda rows: rows
    ) -> Path:
        """Write the rows that count and their plans into one file of another folder.

        ``keep`` returns the rows to write, or parts of them.
        """
        target = Path(folder) / PACKED
        target.parent.mkdir(parents=True, exist_ok=True)
        rows = pd.DataFrame(share_selected(keep(self.frame(evaluator=None)).to_dict("records")))
        table = pa.Table.from_pandas(rows, SCHEMA, preserve_index=False)
        plans = json.dumps([asdict(plan) for plan in self.plans().values()])
        named = [field.name for field in SCHEMA if not pa.types.is_list(field.type)]
        with new_file(target, force=True) as beside:
            parquet.write_table(
                table.replace_schema_metadata({PLANS: plans}), beside, compression="zstd",
                compression_level=19, use_dictionary=named,
            )  # fmt: skip
        return target


def packed_files(folder: Path) -> list[Path]:
    """The Parquet files of results in a folder: a packed one, and those of earlier versions."""
    return [*folder.glob(PACKED), *sorted(folder.glob("parts/part-*.parquet"))]


def holds_results(folder: Path) -> bool:
    """Whether a folder is that of a run."""
    return (folder / LINES).is_file() or bool(packed_files(folder))


def _table_of(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _plans_in(table: pa.Table) -> list[Plan]:
    kept = (table.schema.metadata or {}).get(PLANS.encode(), b"[]")
    return [Plan.of_json(each) for each in json.loads(kept)]


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the content of every whole line, and name the others in a warning."""
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    damaged = 0
    for line in filter(None, lines):
        checksum, _, text = line.partition(b" ")
        if checksum == b"%08x" % zlib.crc32(text):
            yield json.loads(text)
        else:
            damaged += 1
    if damaged:
        _warn(path, counted(damaged, "damaged line"))


def _read_packed(path: Path) -> pa.Table | None:
    """Read a Parquet file; None, with a warning, if it cannot be read."""
    try:
        written = parquet.read_schema(path)
        missing = [name for name in _NEEDED if name not in written.names]
        if missing:
            raise ValueError(f"it has no column {missing[0]!r}, so it is no part of a run")
        older = any(name in written.names for name in OLDER_NAMES.values())
        table = parquet.read_table(path, schema=_OLDER if older else SCHEMA)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        _warn(path, (str(error).splitlines() or [type(error).__name__])[0])
        return None
    return table.rename_columns(SCHEMA.names).replace_schema_metadata(written.metadata)


def _warn(path: Path, reason: str) -> None:
    warnings.warn(f"{path} cannot be read ({reason}): these trials run again.", stacklevel=4)


def _planned_rows(rows: pd.DataFrame, plans: Plans) -> pd.DataFrame:
    """Return the rows of the plans, or of the largest single source where there is no plan."""
    if rows.empty:
        return rows
    groups = rows.groupby(["dataset", "setting"], dropna=False, sort=False)
    kept = [_of_one_source(group, plans.get(key)).index for key, group in groups]
    return rows.loc[np.sort(np.concatenate(kept))]


def _of_one_source(rows: pd.DataFrame, plan: Plan | None) -> pd.DataFrame:
    if plan is None or plan.package is None:
        source = rows[list(SOURCE)].value_counts(dropna=False).index[0]
    else:
        source = plan.source
    for name, value in zip(SOURCE, source, strict=True):
        rows = rows[rows[name].isna() if pd.isna(value) else rows[name] == value]
    return rows


def _of_evaluator(rows: pd.DataFrame, evaluator: str | None) -> pd.DataFrame:
    """Return the rows of an evaluator and those without a result; older rows name none."""
    if evaluator is not None and len(rows):
        by = rows["evaluator"].groupby(rows["dataset"])
        used = by.agg(lambda names: _evaluator_among(names, evaluator))
        rows = rows[rows["evaluator"].isna() | (rows["evaluator"] == rows["dataset"].map(used))]
    return rows.reset_index(drop=True)


def _evaluator_among(names: pd.Series, wanted: str) -> str:
    """The evaluator that is wanted if it is among them, else the usual one."""
    known = set(names.dropna())
    if wanted in known or not known:
        return wanted
    return next((each for each in _USUAL if each in known), min(known))


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
