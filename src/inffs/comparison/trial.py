"""One trial: a method on one split of one data set; nothing is fitted on the test part."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from inffs._version import __version__
from inffs.comparison.dataset import Dataset
from inffs.comparison.methods import ComparedMethod, as_text, find_method
from inffs.comparison.protocol import OFFICIAL, Protocol, digest, evaluate, split
from inffs.cuts import apply_cut
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.evaluation.assess import choose
from inffs.guards import TableWarning
from inffs.target import Target, make_target
from inffs.validation.checks import varying_columns
from inffs.validation.missing import has_missing
from inffs.validation.preparation import Preparation

# failed: the method raised an error; crashed: its process died, so it runs again
DONE, SKIPPED, FAILED, CRASHED = "done", "skipped", "failed", "crashed"
_MEASURES = (
    "C", "accuracy", "balanced_accuracy", "mean_average_precision", "eleven_point_precision", "r2",
    "concordance", "tested", "sample_scores",
)  # fmt: skip


PUBLISHED = "published"  # the cut of the published programs, for methods without a cut of their own
BY_WEIGHTS = ("inf-fs-u", "inf-fs-s")  # settings are weights, which prefer to be equal
Asked = dict[str, int | str]
Row = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A method, the number of a split, and the protocol.

    ``known`` are stored rows of the trial: their features are evaluated by the ``evaluators`` of
    the protocol, and nothing is ranked again.
    """

    method: ComparedMethod
    number: int
    protocol: Protocol
    known: tuple[Row, ...] = ()

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

    def select(self, X: Any, y: Any, asked: Asked, groups: np.ndarray | None) -> list[Row]:
        """Select on a training part; a row for every requested number."""
        return select(self.method, X, y, asked, self.protocol, self.number, groups)

    def not_done(self, dataset: Dataset, status: str, reason: str) -> Row:
        """Return the one row of a trial without a result."""
        return {**self.heading(dataset), "asked": "", "status": status, "reason": reason}


def run_trial(
    dataset: Dataset, trial: Trial, phase: Callable[[str], None] = lambda name: None
) -> list[Row]:
    """Return the rows of a trial, one for every number of features and every evaluator.

    ``phase`` is called with "fit" before the method begins and with "test" after it.
    """
    started = time.perf_counter()
    part, groups = _parts(dataset, trial.protocol, trial.number)
    if trial.known:
        return _evaluated(dataset, trial, part, groups, _stored(trial.known, part.X.shape[1]))
    rows = _selected(dataset, trial, part, groups, phase)
    rows = _evaluated(dataset, trial, part, groups, rows)
    spent = time.perf_counter() - started
    return [{**row, "trial_seconds": spent} for row in rows]


def _selected(
    dataset: Dataset,
    trial: Trial,
    part: Part,
    groups: np.ndarray | None,
    phase: Callable[[str], None],
) -> list[Row]:
    """Return a row for every number of features, with the features."""
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
    found = trial.select(X, y, asked, groups)
    phase("test")
    heading = {**trial.heading(dataset), "status": DONE, "reason": "", "peak_mib": memory.mib()}
    return [heading | row for row in found]


def _stored(known: tuple[Row, ...], n: int) -> list[Row]:
    """Return the rows of a stored trial with their features; what was not kept is left out."""
    rows = []
    for row in known:
        kept = np.arange(n) if row["n_features"] == n else np.array(row["selected"], dtype=int)
        if kept.size:
            plain = {name: row[name] for name in row if name not in _MEASURES}
            rows.append({**plain, "selected": kept})
    return rows


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
    dataset: Dataset, trial: Trial, part: Part, groups: np.ndarray | None, rows: list[Row]
) -> list[Row]:
    """Return every row once per evaluator; features are stored once, and never all of them.

    The score of every sample is kept for a user's table only, for its recommendation.
    """
    units = part.test if dataset.groups is None else dataset.groups[part.test]
    features, found = [row["selected"] for row in rows], []
    for place, evaluator in enumerate(trial.protocol.evaluators):
        measured = evaluate(trial.protocol, part, features, groups, evaluator)
        for row, measures in zip(rows, measured, strict=True):
            known = place or trial.known or row["asked"] == "all"
            kept: Row = {"selected": [] if known else row["selected"].tolist()}
            scores = measures["sample_scores"] if dataset.challenge == "own" else None
            kept |= {"tested": None, "sample_scores": None}
            if scores is not None:
                kept |= {"tested": units.tolist(), "sample_scores": scores.tolist()}
            found.append({**row, **measures, **kept, "evaluator": evaluator})
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


def select(
    method: ComparedMethod,
    X: Any,
    y: Any,
    asked: Asked,
    protocol: Protocol,
    number: int = 0,
    groups: np.ndarray | None = None,
) -> list[Row]:
    """Select features on the training part (X, y) and on nothing else.

    Each row has a requested number, the features (``selected``), the chosen parameters and times.
    """
    part = Training(method, X, make_target(y), protocol, protocol.seed + number)
    began = time.perf_counter()
    settings = part.settings(asked, groups) if method.grid else [{} for _ in asked]
    tuning = time.perf_counter() - began if method.grid else 0.0
    found = {}
    for key, setting in {repr(each): each for each in settings}.items():
        named = zip(asked, settings, strict=True)
        wanted = {name: asked[name] for name, own in named if repr(own) == key}
        chosen = {name: value for name, value in setting.items() if name not in method.params}
        for row in part.select({**method.params, **setting}, wanted):
            found[row["asked"]] = row | {"chosen": as_text(chosen), "tune_seconds": tuning}
    return [found[name] for name in asked]


@dataclass(frozen=True)
class Training:
    """A training part, and the method that selects its features."""

    method: ComparedMethod
    X: Any
    y: Target
    protocol: Protocol
    seed: int

    def select(self, params: dict[str, Any], asked: Asked) -> Iterator[Row]:
        """Fit once (and once per size, where the size matters) with these parameters, and cut.

        Under "auto" a supervised method fits again in its cut, so that size has a fit of its own.
        """
        method, table = self.method, as_seen(self.method, self.X, self.protocol.scale)
        own = "auto" if method.supervised else None
        every = method.estimator._size_matters
        alone = [name for name, size in asked.items() if every or size == own]
        fits: list[Asked] = [{name: asked[name]} for name in alone]
        together = {name: size for name, size in asked.items() if name not in alone}
        for sizes in filter(None, [together, *fits]):
            began = seconds_now()
            selector = self.fitted(params, table, sizes)
            spent = seconds_now() - began
            for name, size in sizes.items():
                kept = size if isinstance(size, int) else _automatic(selector, table, size)
                yield one_row(name, selector.order_[:kept], spent)

    def fitted(self, params: dict[str, Any], table: Any, asked: Asked) -> Any:
        """Fit for several sizes: the automatic one if it is requested, else the largest.

        Greedy methods select 200 features under "auto"; if more are requested, the largest size is
        fitted. A cut by scores needs no cut by the method.
        """
        method = self.method
        largest = max((size for size in asked.values() if isinstance(size, int)), default=0)
        automatic = any(isinstance(size, str) for size in asked.values()) and largest <= 200
        size: Any = "auto" if automatic else largest or "auto"
        if automatic and method.supervised and "auto" not in asked.values():
            size = None
        if "random_state" in method.estimator().get_params():
            params = {"random_state": self.seed, **params}
        selector = method.estimator(**{"n_features_to_select": size, **params})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)  # a fold is not what the user gave
            return selector.fit(table, self.y if method.supervised else None)

    def settings(self, asked: Asked, groups: np.ndarray | None) -> list[dict[str, Any]]:
        """Choose for every size the setting whose features have the best cross-validated score.

        Of settings that do not differ clearly it is the default or, of weights, the nearest to it.
        """
        X, y, protocol, method = self.X, self.y, self.protocol, self.method
        scores, evaluator, seed = [], find_evaluator(kind=y.type), protocol.seed
        by_scores = "knee" if method.key in BY_WEIGHTS else PUBLISHED
        asked = {name: by_scores if size == "auto" else size for name, size in asked.items()}
        for train, held in make_folds(y.strata(), protocol.folds, groups=groups, seed=seed):
            part, each = Training(method, X[train], y.take(train), protocol, seed), []
            for setting in method.grid:
                rows = part.select({**method.params, **setting}, asked)
                each.append({row["asked"]: row["selected"] for row in rows})
            subsets = [features[name] for name in asked for features in each]
            found = evaluator.scores(Part(X, y, train, held), subsets)[:, 0]
            scores.append(found.reshape(len(asked), -1))
        usual = method.estimator().get_params()
        away: list[float] = [
            sum(np.square(np.subtract(value, usual[name])).sum() for name, value in each.items())
            for each in method.grid
        ]
        if method.key not in BY_WEIGHTS:
            away = [distance > 0 for distance in away]
        return [method.grid[choose(each, away)] for each in np.array(scores).transpose(1, 0, 2)]


def seconds_now() -> np.ndarray:
    """Seconds by the clock and of the processor."""
    return np.array([time.perf_counter(), time.process_time()])


def one_row(asked: str, features: np.ndarray, seconds: np.ndarray) -> Row:
    """Return the row of a requested number: the features, and the seconds that they took."""
    clock, processor = seconds.tolist()
    return {
        "asked": asked, "selected": features, "n_features": len(features), "fit_seconds": clock,
        "cpu_seconds": processor, "chosen": "", "tune_seconds": 0.0,
    }  # fmt: skip


def _automatic(selector: Any, X: Any, wanted: str) -> int:
    """The size that the method chose; a cut by scores replaces our default cut only."""
    if wanted == "auto" or selector.cut_.name == "own":
        return int(selector.n_features_)
    scores = selector.scores_[varying_columns(X.tocsc() if sparse.issparse(X) else X)]
    return apply_cut("histogram" if wanted == PUBLISHED else wanted, scores).size


def as_seen(method: ComparedMethod, X: Any, scale: str | None = None) -> Any:
    """Return the training columns as the method uses them: raw or standardised, dense or sparse.

    Columns that the protocol has brought to a ``scale`` are not changed.
    """
    if sparse.issparse(X) and not method.estimator._sparse:
        X = X.toarray()
    if method.sees_raw or scale is not None:
        return X
    return StandardScaler(with_mean=not sparse.issparse(X)).fit_transform(X)


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
