"""What the runs in a folder planned, and which of its rows are answers to that plan.

Every plan is a small file of its own, so two runs in one folder never overwrite each other's. A
folder may hold rows of another table under the same name, of other settings or of another version
of the package: they never count together.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from inffs._utils.files import write_text

PACKED, PLANS = "results.parquet", "inffs plans"
SOURCE = ("data_version", "protocol", "package")  # rows that differ in one of them never mix


@dataclass(frozen=True)
class Plan:
    """One data set under one setting: what was to run, and on which version of everything.

    ``commonest`` is the share of the commonest class, ``missing`` whether cells are empty.
    """

    dataset: str
    setting: str
    methods: tuple[str, ...]
    splits: int
    commonest: float | None = None
    missing: bool = False
    data_version: str | None = None
    protocol: str | None = None
    package: str | None = None
    began: float = 0.0
    details: dict[str, Any] | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.dataset, self.setting

    @property
    def source(self) -> tuple[str | None, ...]:
        return tuple(getattr(self, name) for name in SOURCE)

    def join(self, later: Plan) -> Plan:
        """Both plans where they are of the same source, else the later one alone."""
        if self.source != later.source:
            return later
        methods = tuple(dict.fromkeys((*self.methods, *later.methods)))
        return replace(later, methods=methods, splits=max(self.splits, later.splits))


Plans = dict[tuple[str, str], Plan]


def write_plan(folder: str | Path, plan: Plan) -> None:
    """Keep a plan; the same one again only becomes the latest."""
    content = {**asdict(plan), "began": time.time()}
    same = json.dumps({**content, "began": 0.0}, sort_keys=True)
    name = hashlib.sha256(same.encode()).hexdigest()[:16]
    place = Path(folder) / "plans"
    place.mkdir(parents=True, exist_ok=True)
    write_text(place / f"{name}.json", json.dumps(content, indent=1))


def read_plans(folder: str | Path) -> Plans:
    """What counts in this folder, by data set and setting: the latest plan of each.

    Earlier plans on the same table, with the same settings and version, add their methods.
    """
    folder = Path(folder)
    found = _packed(folder / PACKED)
    for path in [folder / "plan.json", *sorted((folder / "plans").glob("*.json"))]:
        if path.exists():
            found += _read(folder, path)
    plans: Plans = {}
    for plan in sorted(found, key=lambda each: each.began):
        plans[plan.key] = plans[plan.key].join(plan) if plan.key in plans else plan
    return plans


def _read(folder: Path, path: Path) -> list[Plan]:
    """The plans of a file: one, or the list of a packed store."""
    try:
        return _parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as error:
        set_aside(folder, path, error, "the next run writes its plan again")
        return []


def _parsed(text: str) -> list[Plan]:
    content = json.loads(text)
    several = content if isinstance(content, list) else [content]
    return [Plan(**{**each, "methods": tuple(each["methods"])}) for each in several]


def _packed(path: Path) -> list[Plan]:
    """The plans of a packed store stand in its Parquet file; what is damaged its reader names."""
    try:
        kept = parquet.read_schema(path).metadata or {}
    except (OSError, pa.ArrowException):
        return []
    return _parsed(kept.get(PLANS.encode(), b"[]").decode())


def plans_as_text(folder: str | Path) -> str:
    """All that counts in a folder, for a packed store."""
    return json.dumps([asdict(plan) for plan in read_plans(folder).values()])


def set_aside(folder: Path, path: Path, error: Exception, outcome: str) -> None:
    """Move a file that cannot be read out of the way and name it in a warning."""
    aside = folder / "set-aside"
    aside.mkdir(exist_ok=True)
    try:
        path.rename(aside / path.name)
    except FileNotFoundError:  # another process did
        return
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    warnings.warn(
        f"{path.name} cannot be read ({reason}): it was moved to {aside} and {outcome}.",
        stacklevel=4,
    )


def planned_rows(rows: pd.DataFrame, plans: Plans) -> pd.DataFrame:
    """The rows that answer the plans, or the largest single source where there is no plan."""
    if rows.empty:
        return rows
    groups = rows.groupby(["dataset", "setting"], dropna=False, sort=False)
    kept = [_of_one_source(group, plans.get(key)).index for key, group in groups]
    return rows.loc[np.sort(np.concatenate(kept))]


def _of_one_source(rows: pd.DataFrame, plan: Plan | None) -> pd.DataFrame:
    source = _commonest_source(rows) if plan is None or plan.package is None else plan.source
    for name, value in zip(SOURCE, source, strict=True):
        rows = rows[rows[name].isna() if pd.isna(value) else rows[name] == value]
    return rows


def _commonest_source(rows: pd.DataFrame) -> Iterable[Any]:
    return rows[list(SOURCE)].value_counts(dropna=False).index[0]
