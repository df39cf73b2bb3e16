"""Which method serves this table? Runs the arena on it and answers in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from inffs.arena.data.datasets import Dataset
from inffs.arena.engine.contestants import cheap_first, find_contestants
from inffs.arena.engine.guests import GUESTS
from inffs.arena.engine.protocol import Protocol
from inffs.arena.engine.runner import Limits, Round, commonest_share, run
from inffs.arena.engine.store import Store
from inffs.arena.results import summary
from inffs.columns.targets import TARGETS, check_target, kind_of_target
from inffs.evaluation import as_target, find_judge, interval_of_mean
from inffs.evaluation.kinds import Numbers

SIZES = (5, 10, 20, 50, 100, 200)


@dataclass(frozen=True)
class Rival:
    """A method at its best size, for the list of those that are as good."""

    method: str
    size: int
    accuracy: float
    seconds: float


@dataclass(frozen=True)
class Answer:
    """Use this method with this many features; what to expect, what it costs, what is as good.

    Parameters
    ----------
    method : str
        Which to use.
    size : int
        With how many features.
    accuracy, low, high : float
        What to expect on new samples, and its interval.
    seconds : float
        Of one fit.
    splits : int
        How often it was tried.
    as_good : tuple of Rival
        What cannot be told from it.
    all_features, chance : float
        What all features reach, and guessing.
    measure : str
        What is measured.
    code : str
        Python to copy.
    caution : str
        What speaks against trusting it.

    See Also
    --------
    compare : Gives one.

    Examples
    --------
    >>> from inffs.arena import Answer
    >>> numbers = {"accuracy": 0.95, "low": 0.9, "high": 1.0, "seconds": 0.1, "splits": 10}
    >>> rest = {"as_good": (), "all_features": 0.96, "chance": 0.33, "code": "", "caution": ""}
    >>> answer = Answer("fisher", 2, measure="accuracy", **numbers, **rest)
    >>> answer.sentences()[0]
    'Use fisher with 2 features.'
    """

    method: str
    size: int
    accuracy: float
    low: float
    high: float
    seconds: float
    splits: int
    as_good: tuple[Rival, ...]
    all_features: float
    chance: float | None
    measure: str
    code: str
    caution: str

    def sentences(self) -> list[str]:
        """The answer as a person would give it."""
        return [
            f"Use {self.method} with {self.size} features.",
            f"Expect {self._expected()} on new samples like these.",
            f"A fit takes {_duration(self.seconds)}.",
            self._rivals(),
            self._beside(),
            *([self.caution] if self.caution else []),
        ]

    def _expected(self) -> str:
        if np.isnan(self.low):
            return f"{self._named()} (one split, so no interval)"
        low, high = max(self._least(), self.low), min(1.0, self.high)
        return (
            f"{self._named()} (95 % interval {self._told(low)} to {self._told(high)}, "
            f"{self.splits} splits)"
        )

    def _named(self) -> str:
        if self.measure not in summary.GUESSED:
            return f"{self._told(self.accuracy)} {self.measure}"
        return (
            f"{'an' if self.measure == 'R2' else 'a'} {self.measure} of {self._told(self.accuracy)}"
        )

    def _told(self, value: float) -> str:
        """A share in percent, R2 and concordance as they are."""
        if self.measure not in summary.GUESSED or np.isnan(value):
            return _percent(value)
        return f"{value:.3f}"

    def _least(self) -> float:
        return -np.inf if self.measure == "R2" else 0.0

    def _beside(self) -> str:
        text = f"With all features: {self._told(self.all_features)}"
        if self.chance is not None:
            text += f"; always saying the commonest class: {_percent(self.chance)}"
        return f"{text}."

    def _rivals(self) -> str:
        if not self.as_good:
            return "No other method comes as near."
        named = ", ".join(f"{each.method} ({each.size})" for each in self.as_good[:6])
        more = len(self.as_good) - 6
        return f"As good within the noise: {named}" + (f" and {more} more." if more > 0 else ".")


def _percent(value: float) -> str:
    return "not measured" if np.isnan(value) else f"{100 * value:.1f} %"


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return "less than a tenth of a second"
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} minutes"


def compare(
    X: Any,
    y: Any,
    out: str | Path,
    *,
    name: str = "table",
    names: list[str] | None = None,
    groups: Any = None,
    methods: Iterable[str] | None = None,
    sizes: tuple[float, ...] | None = None,
    splits: int = 10,
    tuned: bool = False,
    guests: bool = False,
    judges: tuple[str, ...] | None = None,
    limits: Limits | None = None,
    n_jobs: int = 1,
    dask: str | None = None,
    budget: float | None = None,
    retry: bool = False,
    seed: int = 0,
) -> Answer:
    """Run every method on a table of one's own and tell which to use.

    Parameters
    ----------
    X : array or sparse matrix of shape (T, n)
        Missing values are imputed inside each training part.
    y : array of shape (T,)
        Class labels; numbers (judged by R2) or survival times (by concordance) as the selectors
        take them.
    out : path
        Folder of the results; a second call resumes.
    name, names : str and list of str
        Of the table and its columns.
    groups : array of shape (T,), optional
        Samples of one group (a patient) stay on one side of every split.
    methods, sizes, splits, guests
        As for :func:`inffs.arena.reproduce`.
    judges : tuple of str, optional
        Who judges the picks, the first one's word counts. Default: a linear SVM for classes, ridge
        regression for numbers, a ridge Cox model for survival times.
    tuned : bool, default=False
        Choose the parameters on the training parts; by default every method keeps its own, Inf-FS
        its equal weights, because choosing them does not pay (the page on judging).
    limits, n_jobs, dask, budget, retry
        As for :func:`inffs.arena.run`; under a budget (seconds) cheap methods come first.
    seed : int, default=0
        Of the splits.

    Returns
    -------
    Answer

    See Also
    --------
    reproduce : The same for the paper's tables.

    Examples
    --------
    >>> from inffs.arena import compare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> answer = compare(X, y, "out", methods=["fisher"], sizes=(2,), splits=2)
    >>> answer.size
    2
    """
    dataset = own_dataset(X, y, name, names, groups)
    kind = as_target(dataset.y).kind
    judges = judges or (find_judge(kind=kind).name,)
    for judge in judges:
        find_judge(judge, kind=kind)
    protocol = Protocol(
        sizes=sizes or default_sizes(dataset.X.shape[1]),
        n_splits=splits,
        tuned=tuned,
        seed=seed,
        judges=judges,
    )
    chosen = cheap_first(find_contestants(methods, tuned, guests, paper=False), dataset.X.shape[1])
    store, only = Store(out), Round(dataset, protocol, tuple(chosen))
    run([only], store, limits, n_jobs=n_jobs, dask=dask, budget=budget, retry=retry)
    return best_answer(
        store.of_plan(only.plan, judges[0]),
        dataset.name,
        protocol.setting,
        commonest_share(dataset),
    )


def own_dataset(
    X: Any, y: Any, name: str = "table", names: list[str] | None = None, groups: Any = None
) -> Dataset:
    """A table of the user's, checked for what splitting needs."""
    X = X.tocsr().astype(float) if sparse.issparse(X) else np.asarray(X, dtype=float)
    y = _checked(y)
    groups = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    names = names or [f"x{place}" for place in range(1, X.shape[1] + 1)]
    return Dataset(name, X, y, names, groups=groups)


def _checked(y: Any) -> np.ndarray:
    """Classes that can be split, labels, marked numbers, or survival times."""
    y = y if isinstance(y, Numbers) else np.asarray(y)
    if y.ndim == 1 and kind_of_target(y.astype(str) if y.dtype == object else y) != "classes":
        return check_target(y, "the arena", TARGETS)[1]
    if y.ndim == 2:
        return y
    y = y.astype(str) if y.dtype == object else y
    values, counts = np.unique(y, return_counts=True)
    if values.size < 2:
        raise ValueError(f"The label has only one class ('{values[0]}'): two are needed.")
    if values.size > y.size / 3:
        raise ValueError(
            f"The label has {values.size} different values for {y.size} samples, as a sample name "
            "has: name another --label."
        )
    if counts.min() < 4:
        raise ValueError(
            f"The class '{values[counts.argmin()]}' has only {counts.min()} samples: splits "
            "need four of each class; merge or drop it."
        )
    return y


def default_sizes(n: int) -> tuple[int, ...]:
    """A few sizes that make sense for n features."""
    return tuple(size for size in SIZES if size < n) or tuple(range(1, n))


def best_answer(
    frame: pd.DataFrame, dataset: str, setting: str = "paper", chance: float | None = None
) -> Answer:
    """The answer from the results so far; fewer features and less time break ties.

    ``chance`` is the accuracy of always saying the commonest class, where it is known.
    """
    table = summary.means(frame[frame["dataset"] == dataset], setting)
    methods = table[~table["method"].isin(["all", "random"])]
    if methods.empty:
        raise ValueError(
            "No method has finished yet: give a larger --budget or fewer --methods, and call "
            "again; what is done is kept."
        )
    most = methods.groupby("method")["splits"].max()
    seen = methods[methods["method"].map(most) >= 0.5 * most.max()]
    order = seen.sort_values(
        ["quality", "n_features", "fit_seconds"], ascending=[False, True, True], kind="stable"
    )
    best = order.iloc[0]
    rows = summary.finished(frame[frame["dataset"] == dataset], setting)
    random = table[table["method"] == "random"].sort_values("quality", ascending=False)
    rivals = _as_good(rows, pd.concat([order, random]), best)
    everything = table.loc[table["method"] == "all", "quality"]
    measure = str(best["measure"])
    return Answer(
        method=str(best["method"]),
        size=round(best["n_features"]),
        accuracy=float(best["quality"]),
        low=float(best["low"]),
        high=float(best["high"]),
        seconds=float(best["fit_seconds"]),
        splits=int(best["splits"]),
        as_good=rivals,
        all_features=float(everything.iloc[0]) if len(everything) else float("nan"),
        chance=chance,
        measure=measure,
        code=_code(str(best["method"]), round(best["n_features"])),
        caution=_caution(best, rivals, summary.GUESSED.get(measure, chance)),
    )


def _as_good(rows: pd.DataFrame, order: pd.DataFrame, best: pd.Series) -> tuple[Rival, ...]:
    """Methods, each at its best size, whose paired difference to the best may be zero."""
    winner = _by_split(rows, best)
    found = []
    for _, line in order.drop_duplicates("method").iterrows():
        if line["method"] == best["method"]:
            continue
        difference = (winner - _by_split(rows, line)).dropna()
        _, low, _ = interval_of_mean(difference)
        if np.isnan(low) or low <= 0:
            found.append(Rival(str(line["method"]), round(line["n_features"]),
                               float(line["quality"]), float(line["fit_seconds"])))  # fmt: skip
    return tuple(found)


def _by_split(rows: pd.DataFrame, line: pd.Series) -> pd.Series:
    mine = rows[(rows["method"] == line["method"]) & (rows["asked"] == line["asked"])]
    return mine.drop_duplicates("split").set_index("split")["quality"]


def _caution(best: pd.Series, rivals: tuple[Rival, ...], chance: float | None) -> str:
    if best["splits"] < 2:
        return (
            "Caution: after one split nothing can be told apart. A larger --budget goes on from "
            "here; what is done is kept."
        )
    if any(each.method == "random" for each in rivals):
        return (
            "Caution: random features are as good as chosen ones here, so the ranking itself "
            "should not be read as a finding."
        )
    if chance is not None and not np.isnan(best["low"]) and best["low"] <= chance:
        knows = "always saying the commonest class"
        if best["measure"] in summary.GUESSED:
            knows = "knowing nothing"
        return f"Caution: this is not clearly better than {knows}."
    return ""


def _code(method: str, size: int) -> str:
    if method in ("inf-fs-u", "inf-fs-s"):
        name = {"inf-fs-u": "InfFSUCV", "inf-fs-s": "InfFSSCV"}[method]
        return (
            f"from inffs import {name}\n\nselector = {name}(n_features_to_select={size}).fit(X, y)"
            "\nX_small = selector.transform(X)"
        )
    if method == "variance":
        return (
            "from inffs.arena.engine.baselines import BASELINES\n\n"
            f"selector = BASELINES[{method!r}](n_features_to_select={size}).fit(X)\n"
            "X_small = selector.transform(X)"
        )
    if method in GUESTS:
        return (
            "from inffs.arena.engine.guests import GUESTS\n\n"
            f"selector = GUESTS[{method!r}].estimator(n_features_to_select={size}).fit(X, y)\n"
            "X_small = selector.transform(X)"
        )
    key, bracket, rest = method.partition("[")
    given = f", {rest[:-1]}" if bracket else ""
    return (
        f"from inffs import rank\n\nselector = rank(X, y, method={key!r}, "
        f"n_features_to_select={size}{given})\nX_small = selector.transform(X)"
    )
