"""Results on disk: Parquet parts that are written beside and renamed, so a part is whole or absent.

Every row carries the key of its trial. Parts of several runs, or several machines, may lie in one
folder: rows of a trial that stands twice are read once, and only rows of one table, one protocol
and one version of the package are read together.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from inffs._utils.files import new_file
from inffs.comparison.plan import (
    PACKED,
    PLANS,
    Plan,
    planned_rows,
    plans_as_text,
    read_plans,
    set_aside,
)
from inffs.comparison.selected_features import restore_selected, share_selected
from inffs.comparison.trial import CRASHED, DONE, FAILED, SKIPPED

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
        ("judge", pa.string()),
        ("picks_in", pa.string()),
        ("selected", pa.list_(pa.int32())),
        ("tested", pa.list_(pa.int32())),
        ("sample_scores", pa.list_(pa.float32())),
    ]
)
MEASURED = ("fit_seconds", "cpu_seconds", "tune_seconds", "trial_seconds", "peak_mib")
MAIN_JUDGE = "linear"
_USUAL = (MAIN_JUDGE, "ridge", "cox")  # whose word counts, by the kind of target
_PREFERRED = {DONE: 0, SKIPPED: 1, FAILED: 2, CRASHED: 3}
_NEEDED = ("trial", "asked", "status")
_MANY = 200
_STALE_SECONDS = 600


class Store:
    """A folder of results.

    Opening it reads every part; one that cannot be read (cut short, a changed byte) is named in a
    warning and moved to ``set-aside``, so its trials are run again.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.

    See Also
    --------
    run : Fills it.

    Examples
    --------
    >>> from inffs.comparison import Store
    >>> len(Store("results").frame())
    0
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.parts = self.folder / "parts"
        self.parts.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._remove_stale()
        self._tables = {path.name: table for path, table in self._readable()}
        self._small = [
            name for name, table in self._tables.items() if table.num_rows < 500 and name != PACKED
        ]

    def append(self, rows: list[dict[str, Any]]) -> None:
        """Keep the rows of finished trials: after this returns they outlive any crash."""
        with self._lock:
            self._write(pa.Table.from_pylist(share_selected(rows), schema=SCHEMA))
            if len(self._small) > _MANY:
                self._compact()

    def _write(self, table: pa.Table) -> str:
        name = f"part-{uuid.uuid4().hex}.parquet"
        try:
            _put(table, self.parts / name)
        except FileNotFoundError:  # this process slept so long that another tidied up
            _put(table, self.parts / name)
        self._tables[name] = table
        if table.num_rows < 500:
            self._small.append(name)
        return name

    def _compact(self) -> None:
        """Put many small parts into one; the small ones go only when the large one is in place."""
        small, self._small = self._small, []
        if len(small) < 2:
            return
        self._write(pa.concat_tables([self._tables[name] for name in small]))
        for name in small:
            del self._tables[name]
            (self.parts / name).unlink(missing_ok=True)

    def done(self, retry: bool = False) -> set[str]:
        """Keys of the trials that need not run again: a crash does, a skip with ``retry``."""
        rows = self.every_row()
        again = rows["status"] != DONE if retry else rows["status"] == CRASHED
        return set(rows["trial"][~again])

    def frame(self, judge: str | None = MAIN_JUDGE) -> pd.DataFrame:
        """The rows that count: of each data set and setting those of its latest plan.

        Of one judge (where the main one has not judged, of the one who has), or of all (None).
        """
        return _of_judge(planned_rows(self.every_row(), read_plans(self.folder)), judge)

    def of_plan(self, plan: Plan, judge: str | None = MAIN_JUDGE) -> pd.DataFrame:
        """The rows of one data set and setting, on one version of everything."""
        rows = self.every_row()
        rows = rows[(rows["dataset"] == plan.dataset) & (rows["setting"] == plan.setting)]
        return _of_judge(planned_rows(rows, {plan.key: plan}), judge)

    def every_row(self) -> pd.DataFrame:
        """All rows of all runs once, in an order that does not depend on who wrote them when."""
        if not self._tables:
            return SCHEMA.empty_table().to_pandas().drop(columns="picks_in")
        with self._lock:
            rows = pa.concat_tables(self._tables.values()).to_pandas()
        rows["kind"] = rows["kind"].replace("guest", "third-party")  # as older stores name it
        rows = rows.sort_values("status", key=lambda status: status.map(_PREFERRED), kind="stable")
        finished = set(rows["trial"][rows["status"] == DONE])
        rows = rows[(rows["status"] == DONE) | ~rows["trial"].isin(finished)]
        rows["selected"] = restore_selected(rows)
        rows = rows.drop(columns="picks_in").drop_duplicates(["trial", "asked", "judge"])
        order = ["dataset", "method", "setting", "split", "n_features", "asked", "trial", "judge"]
        return rows.sort_values(order, ignore_index=True)

    def pack(
        self, folder: str | Path, keep: Callable[[pd.DataFrame], pd.DataFrame] = lambda rows: rows
    ) -> Path:
        """Write every row that counts and the plans into one file of another folder.

        ``keep`` says which of them, and how much of each.
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        rows = share_selected(keep(self.frame(judge=None)).astype(object).to_dict("records"))
        table = pa.Table.from_pylist(_without_nan(rows), schema=SCHEMA)
        table = table.replace_schema_metadata({PLANS: plans_as_text(self.folder)})
        named = [field.name for field in SCHEMA if not pa.types.is_list(field.type)]
        with new_file(target / PACKED, force=True) as beside:
            parquet.write_table(
                table, beside, compression="zstd", compression_level=19, use_dictionary=named
            )
        return target / PACKED

    def _readable(self) -> list[tuple[Path, pa.Table]]:
        """Every part; listed again where a running process has just put its parts together."""
        while True:
            try:
                return [each for path in self._listed() for each in self._read(path)]
            except FileNotFoundError:
                continue

    def _listed(self) -> list[Path]:
        packed = self.folder / PACKED
        return [*([packed] if packed.exists() else []), *sorted(self.parts.glob("part-*.parquet"))]

    def _read(self, path: Path) -> list[tuple[Path, pa.Table]]:
        """The part and its rows; nothing where it cannot be read, and then it is set aside."""
        try:
            _check_columns(path)
            table = parquet.read_table(path, schema=SCHEMA)
            table.validate(full=True)
        except FileNotFoundError as error:
            if not path.is_symlink():
                raise
            self._set_aside(path, error)
        except (pa.ArrowException, OSError, ValueError) as error:
            self._set_aside(path, error)
        else:
            return [(path, table)]
        return []

    def _set_aside(self, path: Path, error: Exception) -> None:
        set_aside(self.folder, path, error, "its trials will run again")

    def _remove_stale(self) -> None:
        """What a killed process left half-written; a living one's is minutes younger."""
        for path in self.parts.glob(".part-*"):
            with contextlib.suppress(FileNotFoundError):  # its writer has just renamed it
                if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                    path.unlink()


def _of_judge(rows: pd.DataFrame, judge: str | None) -> pd.DataFrame:
    """The rows of a judge and those without a result; older rows name no judge."""
    if judge is not None and len(rows):
        judges = rows["judge"].groupby(rows["dataset"]).agg(lambda who: _counts(who, judge))
        rows = rows[rows["judge"].isna() | (rows["judge"] == rows["dataset"].map(judges))]
    return rows.reset_index(drop=True)


def _counts(judges: pd.Series, wanted: str) -> str:
    """The judge wanted, or who judged instead: the usual one where it is among them."""
    known = set(judges.dropna())
    if wanted in known or not known:
        return wanted
    return next((judge for judge in _USUAL if judge in known), min(known))


def _put(table: pa.Table, path: Path) -> None:
    with new_file(path, durable=True) as beside:
        parquet.write_table(table, beside, compression="zstd")


def _without_nan(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {name: None if isinstance(value, float) and value != value else value
         for name, value in row.items()}
        for row in rows
    ]  # fmt: skip


def _check_columns(path: Path) -> None:
    """A Parquet file of something else is no part of a run."""
    missing = [name for name in _NEEDED if name not in parquet.read_schema(path).names]
    if missing:
        raise ValueError(f"it has no column {missing[0]!r}, so it is no part of a run")
