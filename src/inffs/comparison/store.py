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
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from inffs._utils.words import counted
from inffs.comparison.trial import CRASHED, DONE, FAILED, SKIPPED, Row

_TEXT = (
    "trial", "dataset", "data_version", "status_of_data", "challenge", "method", "kind", "params",
    "setting", "protocol", "package", "asked", "chosen", "status", "reason", "evaluator",
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
MAIN_EVALUATOR = "linear"
LINES = "results.jsonl"
SOURCE = ("data_version", "protocol", "package")  # rows that differ in one of them never mix
LONGEST_ORDER = 1500  # features of one ranking that the store keeps
_USUAL = (MAIN_EVALUATOR, "ridge", "cox")  # which decides, by the target type
_PREFERRED = {DONE: 0, SKIPPED: 1, FAILED: 2, CRASHED: 3}


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
        """Make a plan of its fields."""
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
        content = list(_read_lines(self.folder / LINES))
        self._table = _table_of([row for each in content for row in each.get("rows", [])])
        self._plans = [Plan.of_json(one) for each in content for one in each.get("plans", [])]
        self._rows: list[Row] = []  # since then

    def append(self, rows: list[Row]) -> None:
        """Store the rows of finished trials, so that no later crash can lose them."""
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
        rows = pa.concat_tables([self._table, _table_of(self._rows)], promote_options="default")
        rows = rows.to_pandas()
        rows = rows.sort_values("status", key=lambda status: status.map(_PREFERRED), kind="stable")
        finished = set(rows["trial"][rows["status"] == DONE])
        rows = rows[(rows["status"] == DONE) | ~rows["trial"].isin(finished)]
        rows["selected"] = [[] if each is None else each for each in rows["selected"]]
        rows = rows.drop_duplicates(["trial", "asked", "evaluator"])
        order = ["dataset", "method", "setting", "split", "n_features", "asked", "trial",
                 "evaluator"]  # fmt: skip
        return rows.sort_values(order, ignore_index=True)

    def add_plan(self, plan: Plan) -> None:
        """Store a plan. The latest plan of a data set and setting is used."""
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


def _table_of(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


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
        reason = f"{counted(damaged, 'damaged line')}): these trials run again."
        warnings.warn(f"{path} cannot be read ({reason}", stacklevel=4)


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
