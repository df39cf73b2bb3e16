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

from inffs._version import __version__
from inffs.comparison.compared import ComparedMethod, as_text, find_method
from inffs.comparison.dataset import Dataset
from inffs.comparison.protocol import OFFICIAL, Protocol, evaluate, split
from inffs.comparison.selection import PUBLISHED, Selection, select
from inffs.evaluation import Part
from inffs.target import make_target
from inffs.validation.preparation import Preparation

Row = dict[str, Any]
# failed: the method raised an error; crashed: its process died, which may go better next time
DONE, SKIPPED, FAILED, CRASHED = "done", "skipped", "failed", "crashed"


@dataclass(frozen=True)
class Trial:
    """A method, a split number and the protocol; the data set travels beside it."""

    method: ComparedMethod
    number: int
    protocol: Protocol

    def key(self, version: str) -> str:
        """A hash of everything the result depends on."""
        content = {
            "data": version,
            "method": self.method.identity(),
            "split": self.number,
            "protocol": self.protocol.identity(),
            "package": __version__,
        }
        return _digest(content)[:24]

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
            "method": self.method.name,
            "kind": self.method.kind,
            "supervised": self.method.supervised,
            "params": as_text(self.method.params),
            "setting": self.protocol.setting,
            "protocol": protocol_key(self.protocol),
            "split": self.number,
            "seed": self.protocol.seed,
            "package": __version__,
        }


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def protocol_key(protocol: Protocol) -> str:
    """A name for everything that a single trial takes from its protocol."""
    return _digest(protocol.identity())[:16]


def run_trial(
    dataset: Dataset, trial: Trial, phase: Callable[[str], None] = lambda name: None
) -> list[Row]:
    """The rows of a trial, one for every number of features.

    ``phase`` hears "fit" when the method begins and "test" when it has picked its features.
    """
    started = time.perf_counter()
    part, groups = _parts(dataset, trial.protocol, trial.number)
    X, y = part.X[part.train], part.target.take(part.train)
    asked = {"all": X.shape[1]} if trial.method.key == "all" else _asked(trial, dataset)
    memory = PeakMemory()
    phase("fit")
    picked = select(trial.method, X, y, asked, trial.protocol, trial.number, groups)
    phase("test")
    peak = memory.mib()
    del X
    heading = {**trial.heading(dataset), "status": DONE, "reason": ""}
    rows = [{**heading, **_described(selection, peak)} for selection in picked]
    features = [np.asarray(selection.features) for selection in picked]
    units = _units(dataset, part.test)
    judged = _judged(trial.protocol, part, groups, rows, features, trial.protocol.judges, units)
    spent = time.perf_counter() - started
    return [{**row, "trial_seconds": spent} for row in judged]


@dataclass(frozen=True)
class Judging:
    """Stored rows of one trial, with their picks, that more judges are to judge."""

    protocol: Protocol
    number: int
    rows: tuple[Row, ...]
    judges: tuple[str, ...]


def judge_again(dataset: Dataset, judging: Judging) -> list[Row]:
    """The rows of the further judges; selections that the store did not keep are left out."""
    part, groups = _parts(dataset, judging.protocol, judging.number)
    everything = np.arange(dataset.X.shape[1])
    rows, features = [], []
    for row in judging.rows:
        picks = everything if row["n_features"] == everything.size else np.array(row["selected"])
        if picks.size:
            rows.append({name: row[name] for name in row if name not in _JUDGED})
            features.append(picks.astype(int))
    return _judged(judging.protocol, part, groups, [{**row, "selected": []} for row in rows],
                   features, judging.judges, _units(dataset, part.test))  # fmt: skip


_JUDGED = ("C", "accuracy", "balanced_accuracy", "mean_average_precision",
           "eleven_point_precision", "r2", "concordance", "tested", "sample_scores")  # fmt: skip


def _parts(dataset: Dataset, protocol: Protocol, number: int) -> tuple[Part, np.ndarray | None]:
    """The training and the test part of a split, and the groups of the training part."""
    target = dataset.as_target()
    if protocol.setting == OFFICIAL and dataset.official_test is not None:
        train, test = np.flatnonzero(~dataset.official_test), np.flatnonzero(dataset.official_test)
    else:
        train, test = split(protocol, target, number, dataset.groups)
    groups = None if dataset.groups is None else dataset.groups[train]
    return Part(prepare(dataset.X, train, protocol.scale), target, train, test), groups


def _judged(
    protocol: Protocol,
    part: Part,
    groups: np.ndarray | None,
    rows: list[Row],
    features: list[np.ndarray],
    judges: tuple[str, ...],
    units: np.ndarray,
) -> list[Row]:
    """Every row once per judge; the picks stand in those of the first."""
    found = []
    for place, judge in enumerate(judges):
        measured = evaluate(protocol, part, features, groups, judge)
        later: Row = {"selected": []} if place else {}
        found += [
            {**row, **measures, **_by_sample(row, measures, units), **later, "judge": judge}
            for row, measures in zip(rows, measured, strict=True)
        ]
    return found


def _units(dataset: Dataset, test: np.ndarray) -> np.ndarray:
    """What is drawn when a table is: the samples, or their groups."""
    return test if dataset.groups is None else dataset.groups[test]


def _by_sample(row: Row, measures: Row, units: np.ndarray) -> Row:
    """How every sample fared; kept of tables of the user's own only, whose answer is made of it."""
    kept = row["challenge"] == "own" and measures["sample_scores"] is not None
    return {
        "tested": units.tolist() if kept else None,
        "sample_scores": measures["sample_scores"].tolist() if kept else None,
    }


def _asked(trial: Trial, dataset: Dataset) -> dict[str, int | str]:
    """The sizes; the benchmark's automatic one follows the published rule, as the paper's does."""
    asked = trial.protocol.asked(dataset.X.shape[1])
    if trial.method.baseline:
        asked.pop("auto", None)
    elif "auto" in asked and dataset.challenge != "own":
        asked["auto"] = PUBLISHED
    return asked


def _described(selection: Selection, peak: float) -> Row:
    return {
        "asked": selection.asked,
        "n_features": len(selection.features),
        "chosen": as_text(selection.chosen),
        "fit_seconds": selection.fit_seconds,
        "cpu_seconds": selection.cpu_seconds,
        "tune_seconds": selection.tune_seconds,
        "peak_mib": peak,
        "selected": [int(each) for each in selection.features] if selection.asked != "all" else [],
    }


def not_done(dataset: Dataset, trial: Trial, status: str, reason: str) -> Row:
    """The one row of a trial that gave no result."""
    return {**trial.heading(dataset), "asked": "", "status": status, "reason": reason}


def prepare(X: Any, train: np.ndarray, scale: str | None = None) -> Any:
    """The table as its training part says: medians for what is missing, and one scale."""
    X = X.tocsr() if sparse.issparse(X) else X
    return Preparation("median" if has_gaps(X) else None, scale or "none").of(X, train)


def has_gaps(X: Any) -> bool:
    """Whether cells of a dense table are missing."""
    return not sparse.issparse(X) and bool(np.isnan(X).any())


def pick(
    X: Any,
    y: Any,
    method: str,
    size: int | str,
    *,
    tuned: bool = False,
    scale: str | None = None,
    seed: int = 0,
    target_type: str = "auto",
) -> np.ndarray:
    """The columns that a method selects on a whole table, prepared and tuned as in its trials.

    Parameters
    ----------
    X, y : arrays of shape (n_samples, n_features) and (n_samples,)
    method : str
        ``KEY`` or ``KEY[param=value]`` of a method or a baseline.
    size : int or "auto"
        How many columns.
    tuned, scale, seed, target_type
        As for :func:`inffs.comparison.compare`.

    Returns
    -------
    columns : array of int
        Best first.

    See Also
    --------
    compare : Tells which method to take, and how many columns.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.comparison import pick
    >>> pick(*load_wine(return_X_y=True), "fisher", 2).tolist()
    [6, 11]
    """
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=float)
    target = make_target(y, target_type)
    protocol = Protocol(tuned=tuned, scale=scale, seed=seed)
    compared = find_method(method, tuned)
    table = prepare(X, np.arange(X.shape[0]), scale)
    (found,) = select(compared, table, target, {str(size): size}, protocol)
    return np.asarray(found.features)


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
