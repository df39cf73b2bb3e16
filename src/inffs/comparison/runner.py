"""Run trials: in order, in parallel, within limits, and never twice; compare all methods so."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inffs._utils.progress import track
from inffs._version import __version__
from inffs.comparison.dataset import Dataset, own_dataset
from inffs.comparison.methods import ComparedMethod, cheap_first, find_methods
from inffs.comparison.process import Children, Limits
from inffs.comparison.protocol import Protocol
from inffs.comparison.recommendation import Recommendation
from inffs.comparison.standings import recommend
from inffs.comparison.store import Plan, Store
from inffs.comparison.trial import CRASHED, DONE, FAILED, SKIPPED, Row, Trial
from inffs.evaluation import find_evaluator
from inffs.validation.missing import has_missing

SIZES = (5, 10, 20, 50, 100, 200)
TEST_FOLDS = 5  # ten splits test every sample twice
_CRASHES = 2  # trials of a method that may crash before the rest of its splits waits for a new run
_NOTED = ("method", "status", "reason", "fit_seconds", "cpu_seconds")


@dataclass(frozen=True)
class Round:
    """One data set, its protocol and the compared methods.

    Parameters
    ----------
    dataset : Dataset
        The table.
    protocol : Protocol
        How it is split and evaluated.
    methods : tuple of ComparedMethod
        The methods.
    limits : Limits, optional
        The limits of this round, instead of those of the run.
    """

    dataset: Dataset
    protocol: Protocol
    methods: tuple[ComparedMethod, ...]
    limits: Limits | None = None

    @property
    def plan(self) -> Plan:
        """What is to run, and on which version of everything."""
        return Plan(
            dataset=self.dataset.name,
            setting=self.protocol.setting,
            methods=tuple(method.name for method in self.methods),
            splits=self.protocol.n_splits,
            majority=self.dataset.majority,
            missing=has_missing(self.dataset.X),
            data_version=self.dataset.version,
            protocol=self.protocol.key,
            package=__version__,
            details=asdict(self.protocol),
        )

    def trials(self) -> Iterator[Trial]:
        """Split by split over all methods, so that an interrupted run is fair to all of them."""
        for number in range(self.protocol.n_splits):
            for method in self.methods:
                yield Trial(method, number, self.protocol)


def compare(
    X: Any,
    y: Any,
    out: str | Path,
    *,
    name: str = "table",
    names: list[str] | None = None,
    groups: Any = None,
    target_type: str = "auto",
    methods: Iterable[str] | None = None,
    sizes: tuple[float, ...] | None = None,
    splits: int = 10,
    tuned: bool = False,
    evaluators: tuple[str, ...] | None = None,
    scale: str | None = None,
    limits: Limits | None = None,
    n_jobs: int = 1,
    budget: float | None = None,
    retry: bool = False,
    seed: int = 0,
) -> Recommendation:
    """Compare all methods on a table and recommend one of them.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The features. Missing values are imputed inside each training part.
    y : array of shape (n_samples,)
        Class labels, numbers (evaluated by R2) or survival times (by the concordance index).
    out : path
        The folder of the results; a second call resumes.
    name, names : str and list of str
        The name of the table, and those of its columns.
    groups : array of shape (n_samples,), optional
        Samples of one group (a patient) stay on one side of every split.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" treats whole numbers, text and booleans as classes.
    methods : iterable of str, optional
        ``KEY`` or ``KEY[param=value]``; default: all methods and the baselines.
    sizes : tuple, optional
        Numbers of features, or shares of them below 1.
    splits : int, default=10
        The number of splits.
    tuned : bool, default=False
        Choose the parameters on the training parts. By default every method has its own default
        parameters, because choosing them gains at most half a point.
    evaluators : tuple of str, optional
        Models that evaluate the selected features; the first one decides. Default: a linear
        SVM for classes, ridge regression for numbers, a ridge Cox model for survival times.
    scale : {"none", "standard", "robust", "range"}, optional
        One scale for all columns, learned from each training part. By default the columns are
        standardised, except for methods that need raw columns.
    limits, n_jobs, budget, retry
        The limits of a trial, the number of trials at a time (-1: one per core), and the seconds
        after which the run ends. ``retry`` runs again what was skipped or failed before.
    seed : int, default=0
        The seed of the splits.

    Returns
    -------
    Recommendation

    See Also
    --------
    inffs.comparison.write_run_report : Writes a report about the comparison.

    Examples
    --------
    >>> from inffs.comparison import compare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> answer = compare(X, y, "out", methods=["fisher"], sizes=(2,), splits=2)
    >>> answer.size
    2
    """
    dataset = own_dataset(X, y, name, names, groups, target_type)
    target = dataset.target
    evaluators = evaluators or (find_evaluator(kind=target).name,)
    for evaluator in evaluators:
        find_evaluator(evaluator, kind=target)
    protocol = Protocol(
        sizes=sizes or default_sizes(dataset.X.shape[1]),
        n_splits=splits,
        tuned=tuned,
        seed=seed,
        evaluators=evaluators,
        test_folds=TEST_FOLDS,
        scale=scale,
    )
    chosen = cheap_first(find_methods(methods, tuned), dataset.X.shape[1])
    store, only = Store(out), Round(dataset, protocol, tuple(chosen))
    run([only], store, limits, n_jobs=n_jobs, budget=budget, retry=retry)
    plan = only.plan
    return recommend(store.of_plan(plan, evaluators[0]), plan.dataset, plan.setting, plan=plan)


def default_sizes(n: int) -> tuple[int, ...]:
    """Return a few sizes for n features."""
    return tuple(size for size in SIZES if size < n) or tuple(range(1, n))


def run(
    rounds: Iterable[Round],
    store: Store,
    limits: Limits | None = None,
    *,
    n_jobs: int = 1,
    budget: float | None = None,
    retry: bool = False,
    path: Sequence[str] = (),
) -> bool:
    """Run the trials that the store does not contain yet.

    Parameters
    ----------
    rounds : iterable of Round
        Run one after the other.
    store : Store
        Where the results are kept, trial by trial.
    limits : Limits, optional
        Of time and memory.
    n_jobs : int, default=1
        The number of trials at a time; -1: one per core.
    budget : float, optional
        Seconds after which no trial is begun and running ones are stopped.
    retry : bool, default=False
        Run again what was skipped or failed before. Crashed trials always run again.
    path : sequence of str
        Folders of modules that the trials need, besides those of this process.

    Returns
    -------
    bool
        True when all is done, False when the budget ended the run.
    """
    end = None if budget is None else time.monotonic() + budget
    with Children(path) as children:
        for each in rounds:
            store.add_plan(each.plan)
            schedule = _Schedule(each, store, each.limits or limits or Limits(), retry)
            found = children.run_all(
                each.dataset, schedule.trials(end), schedule.limits, end, n_jobs
            )
            total = len(each.methods) * each.protocol.n_splits
            for rows in track(found, f"trials on {each.dataset.name}", total):
                schedule.keep(rows)
    return end is None or time.monotonic() < end


class _Schedule:
    """Decides which trials of a round still run, from the rows that are there."""

    def __init__(self, each: Round, store: Store, limits: Limits, retry: bool) -> None:
        self._round, self._store, self.limits = each, store, limits
        self._slow: set[str] = set()
        self._stopped: dict[str, str] = {}
        self._crashes: Counter[str] = Counter()
        self._finished = store.finished_trials(retry)
        past = store.of_plan(each.plan, evaluator=None)
        self._evaluated = by_trial(past)
        self._note(past[past["trial"].isin(self._finished)])

    def trials(self, end: float | None) -> Iterator[Trial | None]:
        """Yield every trial until the budget is spent; None where nothing is to do."""
        version = self._round.dataset.version
        for trial in self._round.trials():
            if end is not None and time.monotonic() > end:
                return
            key = trial.key(version)
            if key in self._finished:
                yield to_evaluate(trial, self._evaluated.get(key))
            else:
                yield None if self._left_out(trial) else trial

    def keep(self, rows: list[Row]) -> None:
        """Store the rows of a trial."""
        if rows:
            self._store.append(rows)
            self._note(pd.DataFrame(rows).reindex(columns=list(_NOTED)))

    def _note(self, rows: pd.DataFrame) -> None:
        skipped = rows[rows["status"] == SKIPPED]
        self._stopped |= dict(zip(skipped["method"], skipped["reason"], strict=True))
        self._crashes.update(rows.loc[rows["status"] == CRASHED, "method"])
        self._slow |= set(rows.loc[(rows["status"] == DONE) & self.limits.slow(rows), "method"])

    def _left_out(self, trial: Trial) -> bool:
        name, dataset = trial.method.name, self._round.dataset
        reason = trial.method.skip(dataset.target) or self._stopped.get(name, "")
        if reason:
            self._store.append([trial.not_done(dataset, SKIPPED, reason)])
            return True
        if self._crashes[name] >= _CRASHES:
            return True
        return name in self._slow and trial.number >= self.limits.slow_splits


def by_trial(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the finished rows of every trial."""
    return {str(key): group for key, group in rows[rows["status"] == DONE].groupby("trial")}


def to_evaluate(trial: Trial, rows: pd.DataFrame | None) -> Trial | None:
    """A stored trial with the evaluators that it lacks; None if it lacks none."""
    if rows is None:
        return None
    protocol = trial.protocol
    by = rows["evaluator"].fillna(protocol.evaluators[0])
    missing = tuple(each for each in protocol.evaluators if each not in set(by))
    if not missing:
        return None
    kept = rows[by == rows["selected"].map(len).groupby(by).sum().idxmax()]
    known = tuple(kept.to_dict("records"))
    return replace(trial, protocol=replace(protocol, evaluators=missing), known=known)


def status(folder: str | Path | Store, without: Collection[str] = ()) -> pd.DataFrame:
    """Return the progress of the runs in a folder, a line for each data set and setting.

    Parameters
    ----------
    folder : str, Path or Store
        The folder of the results.
    without : collection of str
        The names of methods that are not counted.

    Returns
    -------
    pandas.DataFrame

    See Also
    --------
    compare : Resumes a run.

    Examples
    --------
    >>> from inffs.comparison import status
    >>> len(status("results"))  # nothing was begun there
    0
    """
    store = folder if isinstance(folder, Store) else Store(folder)
    rows = store.frame().drop_duplicates("trial")
    rows = rows[~rows["method"].isin(without)]
    lines = []
    for plan in store.plans().values():
        methods = [name for name in plan.methods if name not in without]
        mine = rows[(rows["dataset"] == plan.dataset) & (rows["setting"] == plan.setting)]
        ended = mine[mine["status"] != CRASHED]
        left = _trials_left(plan, methods, ended)
        seconds = ended.groupby("method")["trial_seconds"].median().reindex(methods)
        seconds = seconds.fillna(ended["trial_seconds"].median()).fillna(0.0)
        counts = mine["status"].value_counts()
        lines.append(
            {
                "dataset": plan.dataset,
                "setting": plan.setting,
                "splits": plan.splits,
                "planned": plan.splits * len(methods),
                **{name: int(counts.get(name, 0)) for name in (DONE, SKIPPED, FAILED, CRASHED)},
                "left": int(left.sum()),
                "hours_left": float((left * seconds).sum() / 3600),
            }
        )
    return pd.DataFrame(lines)


def _trials_left(plan: Plan, methods: list[str], rows: pd.DataFrame) -> pd.Series:
    """The number of trials of every method that are still to run; a slow one has few splits."""
    done = rows.groupby("method").size().reindex(methods, fill_value=0)
    slow = Limits().slow(rows).groupby(rows["method"]).any().reindex(methods, fill_value=False)
    splits = np.where(slow, min(plan.splits, Limits.slow_splits), plan.splits)
    return (splits - done).clip(lower=0)
