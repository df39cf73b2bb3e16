"""One trial: a method on one split of one data set; training sees nothing of the test part."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer

from inffs._version import __version__
from inffs.arena.data.datasets import Dataset
from inffs.arena.engine.contestants import Contestant, as_text
from inffs.arena.engine.protocol import Protocol, evaluate, split
from inffs.arena.engine.selection import PUBLISHED, Selection, select
from inffs.evaluation import Part, as_target

Row = dict[str, Any]
DONE, SKIPPED, FAILED = "done", "skipped", "failed"
LONGEST_ORDER = 1500  # features of one ranking that a study of cuts keeps


@dataclass(frozen=True)
class Trial:
    """A contestant, a split number and the protocol; the data set travels beside it."""

    contestant: Contestant
    number: int
    protocol: Protocol

    def key(self, version: str) -> str:
        """A hash of everything the result depends on."""
        content = {
            "data": version,
            "method": self.contestant.identity(),
            "split": self.number,
            "protocol": self.protocol.identity(),
            "package": __version__,
        }
        text = json.dumps(content, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def heading(self, dataset: Dataset) -> Row:
        """What every row of this trial begins with."""
        T, n = dataset.X.shape
        return {
            "trial": self.key(dataset.version),
            "dataset": dataset.name,
            "data_version": dataset.version,
            "status_of_data": dataset.status,
            "challenge": dataset.challenge,
            "samples": T,
            "features": n,
            "method": self.contestant.name,
            "kind": self.contestant.kind,
            "supervised": self.contestant.supervised,
            "params": as_text(self.contestant.params),
            "setting": self.protocol.setting,
            "split": self.number,
            "seed": self.protocol.seed,
            "package": __version__,
        }


def run_trial(
    dataset: Dataset, trial: Trial, phase: Callable[[str], None] = lambda name: None
) -> list[Row]:
    """The rows of a trial, one for every number of features.

    ``phase`` is told "fit" when the method begins and "test" when it has picked its features.
    """
    started = time.perf_counter()
    train, test = split(trial.protocol, dataset.y, trial.number, dataset.groups)
    table = impute(dataset.X, train)
    X, y = table[train], dataset.y[train]
    groups = None if dataset.groups is None else dataset.groups[train]
    asked = {"all": X.shape[1]} if trial.contestant.key == "all" else _asked(trial, dataset)
    memory = PeakMemory()
    phase("fit")
    picked = select(trial.contestant, X, y, asked, trial.protocol, trial.number, groups)
    phase("test")
    peak = memory.mib()
    del X
    kept = _kept_in_store(trial.protocol, picked)
    part = Part(table, as_target(dataset.y), train, test)
    features = [np.asarray(selection.features) for selection in picked]
    measured = evaluate(trial.protocol, part, features, groups)
    done = {"status": DONE, "reason": "", "trial_seconds": time.perf_counter() - started}
    return [
        {**trial.heading(dataset), **_described(selection, peak, kept), **found, **done}
        for selection, found in zip(picked, measured, strict=True)
    ]


def _asked(trial: Trial, dataset: Dataset) -> dict[str, int | str]:
    """The sizes; the benchmark's automatic one follows the published rule, as the paper's does."""
    asked = trial.protocol.asked(dataset.X.shape[1])
    if trial.contestant.baseline:
        asked.pop("auto", None)
    elif "auto" in asked and dataset.challenge != "own":
        asked["auto"] = PUBLISHED
    return asked


def _kept_in_store(protocol: Protocol, picked: list[Selection]) -> set[str]:
    """Which selections are written out; all cuts are beginnings of one order, so one is enough."""
    if not protocol.cuts:
        return {selection.asked for selection in picked if selection.asked != "all"}
    short = {each.asked: len(each.features) for each in picked}
    short = {asked: size for asked, size in short.items() if size <= LONGEST_ORDER}
    return {max(short, key=lambda asked: short[asked])} if short else set()


def _described(selection: Selection, peak: float, kept: set[str]) -> Row:
    return {
        "asked": selection.asked,
        "n_features": len(selection.features),
        "chosen": as_text(selection.chosen),
        "fit_seconds": selection.fit_seconds,
        "cpu_seconds": selection.cpu_seconds,
        "tune_seconds": selection.tune_seconds,
        "peak_mib": peak,
        "selected": [int(each) for each in selection.features] if selection.asked in kept else [],
    }


def not_done(dataset: Dataset, trial: Trial, status: str, reason: str) -> Row:
    """The one row of a trial that gave no result."""
    return {**trial.heading(dataset), "asked": "", "status": status, "reason": reason}


def impute(X: Any, train: np.ndarray) -> Any:
    """The table with missing values as the median of the training part's column."""
    if sparse.issparse(X):
        return X.tocsr()
    if not np.isnan(X).any():
        return X
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(X[train])
    return imputer.transform(X)


class PeakMemory:
    """The most memory this process took since it was made, beyond what it held then, in MiB.

    Asks the Linux kernel, which can forget a peak; NaN elsewhere.
    """

    def __init__(self) -> None:
        _give_back_memory()
        try:
            Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            self._held = float("nan")
        else:
            self._held = _memory("VmRSS")

    def mib(self) -> float:
        return max(0.0, _memory("VmHWM") - self._held)


def _memory(name: str) -> float:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return float("nan")
    line = next((line for line in status.splitlines() if line.startswith(name)), "")
    return int(line.split()[1]) / 1024 if line else float("nan")


def _give_back_memory() -> None:
    """Let freed memory of earlier trials go, so that it does not hide what this one takes."""
    gc.collect(1)  # what is older has lived through trials; all of it takes as long as the judge
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
