"""Results on disk: Parquet files of finished trials, and the plans of the runs.

A file is written beside and renamed, so it is complete or absent. Several processes may write into
one folder: a trial that is stored twice is read once. Only rows of one table, one protocol and one
version of the package, those of the latest plan, are read together.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from inffs._utils.files import new_file
from inffs.comparison.trial import CRASHED, DONE, FAILED, SKIPPED, Row
from inffs.evaluation.parts import chains

SCHEMA = pa.schema(
    [
        ("trial", pa.string()),
        ("dataset", pa.string()),
        ("data_version", pa.string()),
        ("status_of_data", pa.string()),
        ("challenge", pa.string()),
        ("samples", pa.int32()),
        ("features", pa.int32()),
        ("method", pa.string()),
        ("kind", pa.string()),
        ("supervised", pa.bool_()),
        ("params", pa.string()),
        ("setting", pa.string()),
        ("protocol", pa.string()),
        ("split", pa.int32()),
        ("seed", pa.int32()),
        ("package", pa.string()),
        ("asked", pa.string()),
        ("n_features", pa.int32()),
        ("chosen", pa.string()),
        ("fit_seconds", pa.float64()),
        ("cpu_seconds", pa.float64()),
        ("tune_seconds", pa.float64()),
        ("trial_seconds", pa.float64()),
        ("peak_mib", pa.float64()),
        ("C", pa.float64()),
        ("accuracy", pa.float64()),
        ("balanced_accuracy", pa.float64()),
        ("mean_average_precision", pa.float64()),
        ("eleven_point_precision", pa.float64()),
        ("r2", pa.float64()),
        ("concordance", pa.float64()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("evaluator", pa.string()),
        ("selected_in", pa.string()),
        ("selected", pa.list_(pa.int32())),
        ("tested", pa.list_(pa.int32())),
        ("sample_scores", pa.list_(pa.float32())),
    ]
)
OLDER_NAMES = {"evaluator": "judge", "selected_in": "picks_in"}  # of columns in older files
_OLDER = pa.schema([each.with_name(OLDER_NAMES.get(each.name, each.name)) for each in SCHEMA])
MEASURED = ("fit_seconds", "cpu_seconds", "tune_seconds", "trial_seconds", "peak_mib")
MAIN_EVALUATOR = "linear"
PACKED, PLANS = "results.parquet", "inffs plans"
SOURCE = ("data_version", "protocol", "package")  # rows that differ in one of them never mix
LONGEST_ORDER = 1500  # features of one ranking that the store keeps
_USUAL = (MAIN_EVALUATOR, "ridge", "cox")  # which decides, by the target type
_PREFERRED = {DONE: 0, SKIPPED: 1, FAILED: 2, CRASHED: 3}
_NEEDED = ("trial", "asked", "status")
_MANY, _SMALL = 200, 500  # so many files of fewer rows than this become one


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

    Opening it reads every file. One that cannot be read (cut short, a changed byte) is named in a
    warning and ignored, so its trials run again.

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
        self.parts = self.folder / "parts"
        self._lock = threading.Lock()
        self._tables = self._read_all()

    def append(self, rows: list[Row]) -> None:
        """Keep the rows of finished trials: after this returns, no crash loses them."""
        with self._lock:
            self._write(pa.Table.from_pylist(share_selected(rows), schema=SCHEMA))
            small = [name for name, table in self._tables.items()
                     if table.num_rows < _SMALL and name != PACKED]  # fmt: skip
            if len(small) > _MANY:
                self._merge(small)

    def _write(self, table: pa.Table) -> None:
        self.parts.mkdir(parents=True, exist_ok=True)
        name = f"part-{uuid.uuid4().hex}.parquet"
        with new_file(self.parts / name, durable=True) as beside:
            parquet.write_table(table, beside, compression="zstd")
        self._tables[name] = table

    def _merge(self, names: list[str]) -> None:
        """Put small files into one; they are removed only after it is in place."""
        self._write(pa.concat_tables([self._tables.pop(name) for name in names]))
        for name in names:
            (self.parts / name).unlink(missing_ok=True)

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
        if not self._tables:
            return SCHEMA.empty_table().to_pandas().drop(columns="selected_in")
        with self._lock:
            rows = pa.concat_tables(self._tables.values()).to_pandas()
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
        """Append a plan to the file of plans; the latest of a data set and setting counts."""
        self.folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps({**asdict(plan), "began": time.time()})
        with (self.folder / "plans.jsonl").open("ab", buffering=0) as file:  # a line is one write
            file.write(f"\n{line}\n".encode())

    def plans(self) -> Plans:
        """Return the latest plan of each data set and setting.

        Earlier plans on the same table, with the same protocol and version, add their methods.
        """
        found: Plans = {}
        for plan in sorted(self._read_plans(), key=lambda each: each.began):
            found[plan.key] = found[plan.key].join(plan) if plan.key in found else plan
        return found

    def _read_plans(self) -> list[Plan]:
        packed = self._tables.get(PACKED)
        kept = {} if packed is None else packed.schema.metadata or {}
        plans = [Plan.of_json(each) for each in json.loads(kept.get(PLANS.encode(), b"[]"))]
        path = self.folder / "plans.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in filter(None, lines):
            try:
                plans.append(Plan.of_json(json.loads(line)))
            except (ValueError, TypeError, LookupError) as error:
                _warn(path, error, "the next run writes its plan again")
        return plans

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

    def _read_all(self) -> dict[str, pa.Table]:
        """Read every file; list them again if another process has just merged its own."""
        while True:
            packed = [path for path in [self.folder / PACKED] if path.exists()]
            paths = [*packed, *sorted(self.parts.glob("part-*.parquet"))]
            try:
                found = {path.name: _read(path) for path in paths}
            except FileNotFoundError:
                continue
            return {name: table for name, table in found.items() if table is not None}


def _read(path: Path) -> pa.Table | None:
    """Read a file; None, with a warning, if it cannot be read."""
    try:
        written = parquet.read_schema(path)
        missing = [name for name in _NEEDED if name not in written.names]
        if missing:
            raise ValueError(f"it has no column {missing[0]!r}, so it is no part of a run")
        older = any(name in written.names for name in OLDER_NAMES.values())
        table = parquet.read_table(path, schema=_OLDER if older else SCHEMA)
        table.validate(full=True)
    except FileNotFoundError as error:
        if not path.is_symlink():
            raise
        _warn(path, error, "its trials will run again")
    except (pa.ArrowException, OSError, ValueError) as error:
        _warn(path, error, "its trials will run again")
    else:
        return table.rename_columns(SCHEMA.names).replace_schema_metadata(written.metadata)
    return None


def _warn(path: Path, error: Exception, outcome: str) -> None:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    warnings.warn(f"{path} cannot be read ({reason}): {outcome}. Remove it.", stacklevel=5)


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
