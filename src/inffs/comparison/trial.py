"""One trial: a method on one split of one data set; nothing is fitted on the test part."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs._version import __version__
from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import ComparedMethod, as_text, find_method
from inffs.comparison.protocol import OFFICIAL, Protocol, digest, evaluate, split
from inffs.comparison.selection import PUBLISHED, Row, select
from inffs.evaluation import Part
from inffs.target import make_target
from inffs.validation.missing import has_missing
from inffs.validation.preparation import Preparation

# failed: the method raised an error; crashed: its process died, so it runs again
DONE, SKIPPED, FAILED, CRASHED = "done", "skipped", "failed", "crashed"
_MEASURES = (
    "C", "accuracy", "balanced_accuracy", "mean_average_precision", "eleven_point_precision", "r2",
    "concordance", "tested", "sample_scores",
)  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """A method, the number of a split, and the protocol."""

    method: ComparedMethod
    number: int
    protocol: Protocol

    def key(self, version: str) -> str:
        """Hash everything on which the result depends."""
        method = self.method
        content = {
            "data": version,
            "method": {"key": method.key, "params": method.params, "grid": method.grid},
            "split": self.number,
            "protocol": self.protocol.identity(),
            "package": __version__,
        }
        return digest(content)[:24]

    def heading(self, dataset: Dataset) -> Row:
        """Return the columns that all rows of this trial share."""
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
            "protocol": self.protocol.key,
            "split": self.number,
            "seed": self.protocol.seed,
            "package": __version__,
        }

    def not_done(self, dataset: Dataset, status: str, reason: str) -> Row:
        """Return the one row of a trial without a result."""
        return {**self.heading(dataset), "asked": "", "status": status, "reason": reason}


@dataclass(frozen=True)
class Reevaluation:
    """Stored rows of one trial whose features more models evaluate; nothing is ranked again."""

    protocol: Protocol
    number: int
    rows: tuple[Row, ...]
    evaluators: tuple[str, ...]


def run_trial(
    dataset: Dataset, trial: Trial, phase: Callable[[str], None] = lambda name: None
) -> list[Row]:
    """Return the rows of a trial, one for every number of features and every evaluator.

    ``phase`` is called with "fit" before the method begins and with "test" after it.
    """
    started = time.perf_counter()
    part, groups = _parts(dataset, trial.protocol, trial.number)
    X, y = part.X[part.train], part.target.take(part.train)
    asked = trial.protocol.asked(X.shape[1])
    if trial.method.key == "all":
        asked = {"all": X.shape[1]}
    elif trial.method.baseline:
        asked.pop("auto", None)
    elif "auto" in asked and dataset.challenge != "own":
        asked["auto"] = PUBLISHED  # the benchmark compares the published cut
    memory = PeakMemory()
    phase("fit")
    found = select(trial.method, X, y, asked, trial.protocol, trial.number, groups)
    phase("test")
    peak = memory.mib()
    del X
    heading = {**trial.heading(dataset), "status": DONE, "reason": "", "peak_mib": peak}
    features = [row["selected"] for row in found]
    for row in found:
        row["selected"] = [] if row["asked"] == "all" else row["selected"].tolist()
    rows = [heading | row for row in found]
    evaluators = trial.protocol.evaluators
    rows = _evaluated(dataset, trial.protocol, part, groups, rows, features, evaluators)
    spent = time.perf_counter() - started
    return [{**row, "trial_seconds": spent} for row in rows]


def evaluate_again(dataset: Dataset, job: Reevaluation) -> list[Row]:
    """Return the rows of further evaluators; features that the store did not keep are left out."""
    part, groups = _parts(dataset, job.protocol, job.number)
    everything = np.arange(dataset.X.shape[1])
    rows, features = [], []
    for row in job.rows:
        kept = everything if row["n_features"] == everything.size else np.array(row["selected"])
        if kept.size:
            plain = {name: row[name] for name in row if name not in _MEASURES}
            rows.append({**plain, "selected": []})
            features.append(kept.astype(int))
    return _evaluated(dataset, job.protocol, part, groups, rows, features, job.evaluators)


def _parts(dataset: Dataset, protocol: Protocol, number: int) -> tuple[Part, np.ndarray | None]:
    """Return the training and the test part of a split, and the groups of the training part."""
    target = dataset.as_target()
    if protocol.setting == OFFICIAL and dataset.official_test is not None:
        train, test = np.flatnonzero(~dataset.official_test), np.flatnonzero(dataset.official_test)
    else:
        train, test = split(protocol, target, number, dataset.groups)
    groups = None if dataset.groups is None else dataset.groups[train]
    return Part(prepare(dataset.X, train, protocol.scale), target, train, test), groups


def _evaluated(
    dataset: Dataset,
    protocol: Protocol,
    part: Part,
    groups: np.ndarray | None,
    rows: list[Row],
    features: list[np.ndarray],
    evaluators: tuple[str, ...],
) -> list[Row]:
    """Return every row once per evaluator; only those of the first contain the features.

    The score of every sample is kept for a user's table only, for its recommendation.
    """
    units = part.test if dataset.groups is None else dataset.groups[part.test]
    found = []
    for place, evaluator in enumerate(evaluators):
        measured = evaluate(protocol, part, features, groups, evaluator)
        for row, measures in zip(rows, measured, strict=True):
            scores = measures["sample_scores"] if dataset.challenge == "own" else None
            kept: Row = {"tested": None, "sample_scores": None}
            if scores is not None:
                kept = {"tested": units.tolist(), "sample_scores": scores.tolist()}
            later: Row = {"selected": []} if place else {}
            found.append({**row, **measures, **kept, **later, "evaluator": evaluator})
    return found


def prepare(X: Any, train: np.ndarray, scale: str | None = None) -> Any:
    """Impute medians and scale the columns, both learned from the training part."""
    X = X.tocsr() if sparse.issparse(X) else X
    return Preparation("median" if has_missing(X) else None, scale or "none").of(X, train)


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
    """Select columns of a whole table, prepared and tuned as in the trials of a comparison.

    Parameters
    ----------
    X, y : arrays of shape (n_samples, n_features) and (n_samples,)
        The table and its target.
    method : str
        ``KEY`` or ``KEY[param=value]`` of a method or a baseline.
    size : int or "auto"
        The number of columns.
    tuned, scale, seed, target_type
        As for :func:`inffs.comparison.compare`.

    Returns
    -------
    columns : array of int
        The best first.

    See Also
    --------
    compare : Recommends a method and a number of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs.comparison import pick
    >>> pick(*load_wine(return_X_y=True), "fisher", 2).tolist()
    [6, 11]
    """
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X, dtype=float)
    protocol = Protocol(tuned=tuned, scale=scale, seed=seed)
    table = prepare(X, np.arange(X.shape[0]), scale)
    target = make_target(y, target_type)
    (found,) = select(find_method(method, tuned), table, target, {str(size): size}, protocol)
    return found["selected"]


class PeakMemory:
    """The most memory that this process has used since, beyond what it used then, in MiB.

    Reads the statistics of the Linux kernel; NaN elsewhere.
    """

    def __init__(self) -> None:
        gc.collect(1)  # younger objects only: all of them take as long as the evaluation
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)  # memory of earlier trials would hide that of this one
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
