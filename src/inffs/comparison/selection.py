"""Select features on a training part, for every requested number of features."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from inffs.base import RankAgain
from inffs.comparison.methods import ComparedMethod
from inffs.comparison.protocol import Protocol
from inffs.cuts import Samples, apply_cut
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.evaluation.assess import choose
from inffs.guards import TableWarning
from inffs.inf_fs import InfFSS, InfFSU
from inffs.inf_fs_cv import InfFSSCV, InfFSUCV
from inffs.target import Target, make_target
from inffs.validation.checks import varying_columns

PUBLISHED = "published"  # the cut of the published programs, for methods without a cut of their own
SEARCHES: dict[Any, Any] = {InfFSU: InfFSUCV, InfFSS: InfFSSCV}
Asked = dict[str, int | str]


@dataclass(frozen=True)
class Selection:
    """The features that a method selected for one requested number, and the time it took."""

    asked: str
    features: np.ndarray
    fit_seconds: float
    cpu_seconds: float
    chosen: dict[str, Any] = field(default_factory=dict)
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
    y, seed = make_target(y), protocol.seed + number
    if protocol.cuts:
        return list(_cut_everywhere(method, X, y, asked, protocol, seed))
    settings, tuning = {name: dict(method.params) for name in asked}, 0.0
    if method.grid:
        started = time.perf_counter()
        settings = _choose_settings(method, X, y, asked, protocol, groups)
        tuning = time.perf_counter() - started
    found: dict[str, Selection] = {}
    for setting in {repr(each): each for each in settings.values()}.values():
        wanted = {name: asked[name] for name in asked if repr(settings[name]) == repr(setting)}
        chosen = {name: setting[name] for name in setting if name not in method.params}
        for each in _select_with(method, setting, X, y, wanted, seed, protocol.scale):
            found[each.asked] = replace(each, chosen=chosen, tune_seconds=tuning)
    return [found[name] for name in asked]


class _Clock:
    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def spent(self) -> tuple[float, float]:
        """Return the seconds since it was made, by the clock and of the processor."""
        return time.perf_counter() - self._began[0], time.process_time() - self._began[1]


def _select_with(
    method: ComparedMethod,
    params: dict[str, Any],
    X: Any,
    y: Target,
    asked: Asked,
    seed: int,
    scale: str | None,
) -> Iterator[Selection]:
    """Fit once (and once per size, where the size matters) with these parameters, and cut."""
    table = as_seen(method, X, scale)
    for group in _groups_of_one_fit(method, asked):
        clock = _Clock()
        selector = _fitted(method, params, table, y, group, seed)
        spent = clock.spent()
        for name, size in group.items():
            kept = size if isinstance(size, int) else _automatic(selector, table, size)
            yield Selection(name, selector.order_[:kept], *spent)


def _groups_of_one_fit(method: ComparedMethod, asked: Asked) -> list[Asked]:
    """Group the sizes that share a fit; "auto" fits again in its cut and gets a fit of its own."""
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
    """Fit for a group of sizes: the automatic size if it is requested, else the largest size.

    Greedy methods select 200 features under "auto"; if more are requested, the largest size is
    fitted. The published cut needs no cut of ours.
    """
    largest = max((size for size in group.values() if isinstance(size, int)), default=0)
    automatic = any(isinstance(size, str) for size in group.values())
    size: Any = "auto" if automatic and largest <= 200 else largest
    if "random_state" in method.estimator().get_params():
        params = {"random_state": seed, **params}
    if PUBLISHED in group.values() and method.supervised and size == "auto":
        size = None
    asked = size if size is None or size else "auto"
    selector = method.estimator(**{"n_features_to_select": asked, **params})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # a fold is not what the user gave
        return selector.fit(X, y if method.supervised else None)


def _automatic(selector: Any, X: Any, wanted: str) -> int:
    """The size that the method chose; the published cut replaces our default cut only."""
    if wanted != PUBLISHED or selector.cut_.name == "own":
        return int(selector.n_features_)
    scores = selector.scores_[varying_columns(X.tocsc() if sparse.issparse(X) else X)]
    return apply_cut("histogram", scores).size


def as_seen(method: ComparedMethod, X: Any, scale: str | None = None) -> Any:
    """Return the training columns as the method uses them: raw or standardised, dense or sparse.

    Columns that the protocol has brought to a ``scale`` are not changed.
    """
    if sparse.issparse(X) and not method.takes_sparse:
        X = X.toarray()
    if method.sees_raw or scale is not None:
        return X
    return StandardScaler(with_mean=not sparse.issparse(X)).fit_transform(X)


def _choose_settings(
    method: ComparedMethod,
    X: Any,
    y: Target,
    asked: Asked,
    protocol: Protocol,
    groups: np.ndarray | None,
) -> dict[str, dict[str, Any]]:
    """Choose for every size the setting whose features have the best cross-validated score.

    Inf-FS chooses by its own search class, with that class's folds and evaluator, if that class
    has the parameters that are given.
    """
    search = SEARCHES.get(method.estimator)
    if search is None or not method.params.keys() <= search().get_params().keys():
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
    scores, evaluator = [], find_evaluator(kind=y.type)
    asked = {name: PUBLISHED if size == "auto" else size for name, size in asked.items()}
    for train, held in make_folds(y.strata(), protocol.folds, groups=groups, seed=protocol.seed):
        each = []
        for setting in method.grid:
            params = {**method.params, **setting}
            found = _select_with(method, params, X[train], y.take(train), asked, protocol.seed,
                                 protocol.scale)  # fmt: skip
            each.append({one.asked: one.features for one in found})
        subsets = [features[name] for name in asked for features in each]
        part = Part(X, y, train, held)
        scores.append(evaluator.scores(part, subsets)[:, 0].reshape(len(asked), -1))
    usual = method.estimator().get_params()
    off = [any(usual[name] != value for name, value in each.items()) for each in method.grid]
    return [method.grid[choose(each, off)] for each in np.array(scores).transpose(1, 0, 2)]


def _cut_everywhere(
    method: ComparedMethod,
    X: Any,
    y: Target,
    asked: Asked,
    protocol: Protocol,
    seed: int,
) -> Iterator[Selection]:
    """Apply every cut of the protocol to the ranking of one fit with the default parameters.

    Seconds are those of the fit for a requested number, and those of the cut for a cut.
    """
    table, n = as_seen(method, X, protocol.scale), X.shape[1]
    table = table.tocsc() if sparse.issparse(table) else table
    clock = _Clock()
    selector = _fitted(method, method.params, table, y, {"all": n}, seed)
    spent = clock.spent()
    for name, size in asked.items():
        if isinstance(size, int):
            yield Selection(name, selector.order_[:size], *spent)
    varying, target = varying_columns(table), y if method.supervised else None
    scores, columns = selector.scores_[varying], table[:, varying]
    for name in protocol.cuts:
        if name in ("fdr", "predict") and not method.supervised:
            continue
        samples = Samples(columns, target)
        clock = _Clock()
        cut = apply_cut(name, scores, samples, RankAgain(selector)).among(varying, n)
        kept = cut.first(selector.order_)[: cut.size]
        yield Selection(name, kept, *clock.spent())
