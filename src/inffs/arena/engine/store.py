"""Results on disk: Parquet parts that are written beside and renamed, so a part is whole or absent.

Every row carries the key of its trial. Parts of several runs, or several machines, may lie in one
folder: rows of a trial that stands twice are read once.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
import uuid
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from inffs.arena.engine.trial import DONE

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
        ("status", pa.string()),
        ("reason", pa.string()),
        ("selected", pa.list_(pa.int32())),
    ]
)
MEASURED = ("fit_seconds", "cpu_seconds", "tune_seconds", "trial_seconds", "peak_mib")
_MANY = 200
_STALE_SECONDS = 600


class Store:
    """A folder of results.

    Opening it reads every part; one that cannot be read (cut short, a changed byte) is named in a
    warning and moved to ``set-aside``, so its trials are run again.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.parts = self.folder / "parts"
        self.parts.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._remove_stale()
        self._tables = {path.name: table for path, table in self._readable()}
        self._small = [name for name, table in self._tables.items() if table.num_rows < 500]

    def append(self, rows: list[dict[str, Any]]) -> None:
        """Keep the rows of finished trials: after this returns they outlive any crash."""
        with self._lock:
            self._write(pa.Table.from_pylist(rows, schema=SCHEMA))
            if len(self._small) > _MANY:
                self._compact()

    def _write(self, table: pa.Table) -> str:
        name = f"part-{uuid.uuid4().hex}.parquet"
        beside = self.parts / f".{name}.{os.getpid()}.tmp"
        try:
            parquet.write_table(table, beside, compression="zstd")
            with beside.open("rb+") as written:
                os.fsync(written.fileno())
            beside.rename(self.parts / name)
        finally:
            beside.unlink(missing_ok=True)
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
        """Keys of the trials that need not run again; ``retry``: those without a result do."""
        rows = self.frame()
        return set(rows["trial"][rows["status"] == DONE] if retry else rows["trial"])

    def frame(self) -> pd.DataFrame:
        """Every row once, in an order that does not depend on who wrote it when."""
        if not self._tables:
            return SCHEMA.empty_table().to_pandas()
        with self._lock:
            rows = pa.concat_tables(self._tables.values()).to_pandas()
        finished = set(rows["trial"][rows["status"] == DONE])
        rows = rows[(rows["status"] == DONE) | ~rows["trial"].isin(finished)]
        rows = rows.drop_duplicates(["trial", "asked"])
        order = ["dataset", "method", "setting", "split", "n_features", "asked", "trial"]
        return rows.sort_values(order, ignore_index=True)

    def pack(self, folder: str | Path) -> Path:
        """Write every row once into one part of another folder, for keeping or sending."""
        target = Path(folder)
        (target / "parts").mkdir(parents=True, exist_ok=True)
        rows = pa.Table.from_pandas(self.frame(), schema=SCHEMA, preserve_index=False)
        path = target / "parts" / "part-packed.parquet"
        beside = path.with_name(f".packed.{os.getpid()}.tmp")
        parquet.write_table(rows, beside, compression="zstd", compression_level=19)
        beside.replace(path)
        if (self.folder / "plan.json").exists():
            shutil.copyfile(self.folder / "plan.json", target / "plan.json")
        return path

    def _readable(self) -> list[tuple[Path, pa.Table]]:
        found = []
        for path in sorted(self.parts.glob("part-*.parquet")):
            try:
                table = parquet.read_table(path, schema=SCHEMA)
                table.validate(full=True)
            except FileNotFoundError:  # a running process has just put its parts together
                return self._readable()
            except (pa.ArrowException, OSError, ValueError) as error:
                self._set_aside(path, error)
            else:
                found.append((path, table))
        return found

    def _set_aside(self, path: Path, error: Exception) -> None:
        aside = self.folder / "set-aside"
        aside.mkdir(exist_ok=True)
        path.rename(aside / path.name)
        warnings.warn(
            f"{path.name} cannot be read ({str(error).splitlines()[0]}): it was moved to {aside} "
            "and its trials will run again.",
            stacklevel=4,
        )

    def _remove_stale(self) -> None:
        """What a killed process left half-written; a living one's is minutes younger."""
        for path in self.parts.glob(".*.tmp"):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                path.unlink(missing_ok=True)
