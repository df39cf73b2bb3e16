"""What a method picks on a training part, for every number of features asked for."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from inffs.base import RankAgain
from inffs.comparison.compared import ComparedMethod
from inffs.comparison.protocol import Protocol
from inffs.cuts import Samples, apply_cut
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.evaluation.choice import choose
from inffs.inf_fs import InfFSS, InfFSU
from inffs.inf_fs_cv import InfFSSCV, InfFSUCV
from inffs.target import Target, make_target
from inffs.validation.checks import varying_columns

PUBLISHED = "published"  # the rule of the published programs, where a method has none of its own
SEARCHES: dict[Any, Any] = {InfFSU: InfFSUCV, InfFSS: InfFSSCV}
Asked = dict[str, int | str]
Picks = dict[str, np.ndarray]


@dataclass
class Selection:
    """The features a method picked for one number asked, and what it took."""

    asked: str
    features: np.ndarray
    chosen: dict[str, Any]
    fit_seconds: float
    cpu_seconds: float
    tune_seconds: float = 0.0


def select(
    method: ComparedMethod,
    X: Any,
    y: Any,
    asked: Asked,
    protocol: Protocol,
    number: int = 0,
    groups: np.ndarray | None = None,
) -> list[Selection]:
    """Select features on the training part (X, y) and on nothing else."""
    y = make_target(y)
    if protocol.cuts:
        return cut_everywhere(method, X, y, asked, protocol, number)
    if not method.grid:
        settings = {name: dict(method.params) for name in asked}
        tuning = 0.0
    else:
        started = time.perf_counter()
        settings = _choose_settings(method, X, y, asked, protocol, groups)
        tuning = time.perf_counter() - started
    found = _final(method, X, y, asked, settings, tuning, protocol, number)
    places = list(asked)
    return sorted(found, key=lambda selection: places.index(selection.asked))


def _final(
    method: ComparedMethod,
    X: Any,
    y: Target,
    asked: Asked,
    settings: dict[str, dict[str, Any]],
    tuning: float,
    protocol: Protocol,
    number: int,
) -> Iterable[Selection]:
    """Fit once per distinct setting (and per size, where size matters) and cut."""
    distinct = {repr(setting): setting for setting in settings.values()}
    for key, setting in distinct.items():
        wanted = {name: size for name, size in asked.items() if repr(settings[name]) == key}
        seed = protocol.seed + number
        picks, seconds = picks_of(method, setting, X, y, wanted, seed, protocol.scale)
        chosen = {name: setting[name] for name in setting if name not in method.params}
        for name, features in picks.items():
            yield Selection(name, features, chosen, *seconds[name], tuning)


def cut_everywhere(
    method: ComparedMethod,
    X: Any,
    y: Target,
    asked: Asked,
    protocol: Protocol,
    number: int,
) -> list[Selection]:
    """One fit with the default parameters, ended by every cut of the protocol that can end it.

    Seconds are those of the fit for a number asked and those of the cut for a cut.
    """
    table, n = as_seen(method, X, protocol.scale), X.shape[1]
    table = table.tocsc() if sparse.issparse(table) else table
    seed = protocol.seed + number
    clock = _Clock()
    selector = _fitted(method, method.params, table, y, {"all": n}, seed)
    spent = clock.spent()
    picked = [
        Selection(name, selector.order_[:size], {}, *spent)
        for name, size in asked.items()
        if isinstance(size, int)
    ]
    live, target = varying_columns(table), y if method.supervised else None
    scores, varying = selector.scores_[live], table[:, live]
    for name in protocol.cuts:
        if name in ("fdr", "predict") and not method.supervised:
            continue
        samples = Samples(varying, target)
        clock = _Clock()
        cut = apply_cut(name, scores, samples, RankAgain(selector)).among(live, X.shape[1])
        kept = cut.first(selector.order_)[: cut.size]
        picked.append(Selection(name, kept, {}, *clock.spent()))
    return picked


class _Clock:
    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def spent(self) -> tuple[float, float]:
        """Seconds since it was made, by the clock and of the processor."""
        return time.perf_counter() - self._began[0], time.process_time() - self._began[1]


def _choose_settings(
    method: ComparedMethod,
    X: Any,
    y: Target,
    asked: Asked,
    protocol: Protocol,
    groups: np.ndarray | None,
) -> dict[str, dict[str, Any]]:
    """For every size the setting whose picks serve the judge best in cross-validation.

    Inf-FS chooses by the class that is recommended for it, with its grid, folds and judge.
    """
    search = SEARCHES.get(method.estimator)
    if search is None:
        found = _choose_by_fits(method, X, y, asked, protocol, groups)
    else:
        (name,) = method.grid[0]
        given = {name: [setting[name] for setting in method.grid]}
        options = {search.grid_parameter: given[name], "cv": protocol.folds, **method.params}
        sizes = ["histogram" if size == PUBLISHED else size for size in asked.values()]
        found = search(**options).choose(X, y, sizes, groups)
    return {name: {**method.params, **setting} for name, setting in zip(asked, found, strict=True)}


def _choose_by_fits(
    method: ComparedMethod,
    X: Any,
    y: Target,
    asked: Asked,
    protocol: Protocol,
    groups: np.ndarray | None,
) -> list[dict[str, Any]]:
    scores, judge = [], find_evaluator(kind=y.type)
    asked = {name: PUBLISHED if size == "auto" else size for name, size in asked.items()}
    for train, held in make_folds(y.strata(), protocol.folds, groups=groups, seed=protocol.seed):
        part = Part(X, y, train, held)
        each = [
            picks_of(
                method,
                {**method.params, **setting},
                X[train],
                y.take(train),
                asked,
                protocol.seed,
                protocol.scale,
            )[0]
            for setting in method.grid
        ]
        subsets = [picks[name] for name in asked for picks in each]
        scores.append(judge.scores(part, subsets)[:, 0].reshape(len(asked), -1))
    usual = method.estimator().get_params()
    off = [any(usual[name] != value for name, value in each.items()) for each in method.grid]
    return [method.grid[choose(each, off)] for each in np.array(scores).transpose(1, 0, 2)]


def picks_of(
    method: ComparedMethod,
    params: dict[str, Any],
    X: Any,
    y: Target,
    asked: Asked,
    seed: int,
    scale: str | None = None,
) -> tuple[Picks, dict[str, tuple[float, float]]]:
    """Fit with these parameters: the picks, and seconds by the clock and of the processor."""
    table = as_seen(method, X, scale)
    picks: Picks = {}
    seconds: dict[str, tuple[float, float]] = {}
    for group in _groups_of_one_fit(method, asked):
        clock = _Clock()
        selector = _fitted(method, params, table, y, group, seed)
        spent = clock.spent()
        for name, size in group.items():
            kept = size if isinstance(size, int) else _automatic(selector, table, size)
            picks[name], seconds[name] = selector.order_[:kept], spent
    return picks, seconds


def _automatic(selector: Any, X: Any, wanted: str) -> int:
    """The size that the method chose; the published rule replaces our default cut, not its own."""
    if wanted != PUBLISHED or selector.cut_.name == "own":
        return int(selector.n_features_)
    scores = selector.scores_[varying_columns(X.tocsc() if sparse.issparse(X) else X)]
    return apply_cut("histogram", scores).size


def _groups_of_one_fit(method: ComparedMethod, asked: Asked) -> list[Asked]:
    """Sizes that share a fit; the cut of "auto" fits again itself and would add to their time."""
    if method.size_matters:
        return [{name: size} for name, size in asked.items()]
    checked = "auto" if method.supervised else None
    own: Asked = {name: size for name, size in asked.items() if size == checked}
    rest = {name: size for name, size in asked.items() if name not in own}
    return [group for group in (rest, own) if group]


def _fitted(
    method: ComparedMethod,
    params: dict[str, Any],
    X: Any,
    y: Target,
    group: Asked,
    seed: int,
) -> Any:
    """One fit for a group of sizes: automatic where that is asked, else the largest size.

    Greedy methods choose 200 features under "auto"; where more are asked for, the largest size
    is fitted. What the published rule cuts needs no cut of ours.
    """
    largest = max((size for size in group.values() if isinstance(size, int)), default=0)
    automatic = any(isinstance(size, str) for size in group.values())
    size: Any = "auto" if automatic and largest <= 200 else largest
    if "random_state" in method.estimator().get_params():
        params = {"random_state": seed, **params}
    if PUBLISHED in group.values() and method.supervised and size == "auto":
        size = None  # the published rule cuts the ranking
    asked = size if size is None or size else "auto"
    selector = method.estimator(**{"n_features_to_select": asked, **params})
    return selector.fit(X, y if method.supervised else None)


def as_seen(method: ComparedMethod, X: Any, scale: str | None = None) -> Any:
    """The training columns as the method sees them: raw or standardised, dense where it must.

    Columns that the protocol has brought to a ``scale`` stay as they are.
    """
    if sparse.issparse(X) and not method.takes_sparse:
        X = X.toarray()
    if method.sees_raw or scale is not None:
        return X
    return StandardScaler(with_mean=not sparse.issparse(X)).fit_transform(X)
