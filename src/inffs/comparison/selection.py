"""Select features on a training part, for every requested number of features."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from inffs.base import RankAgain
from inffs.comparison.methods import ComparedMethod, as_text
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
Row = dict[str, Any]


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
    y, seed = make_target(y), protocol.seed + number
    if protocol.cuts:
        return list(_cut_everywhere(method, X, y, asked, protocol, seed))
    began = time.perf_counter()
    settings: list[Row] = [{} for _ in asked]
    if method.grid:
        settings = _choose_settings(method, X, y, asked, protocol, groups)
    tuning = time.perf_counter() - began if method.grid else 0.0
    found = {}
    for key, setting in {repr(each): each for each in settings}.items():
        wanted = {
            name: asked[name] for name, own in zip(asked, settings, strict=True) if repr(own) == key
        }
        own = {name: value for name, value in setting.items() if name not in method.params}
        params, more = (
            {**method.params, **setting},
            {"chosen": as_text(own), "tune_seconds": tuning},
        )
        for row in _select_with(method, params, X, y, wanted, seed, protocol.scale):
            found[row["asked"]] = row | more
    return [found[name] for name in asked]


def _seconds() -> np.ndarray:
    """Seconds by the clock and of the processor."""
    return np.array([time.perf_counter(), time.process_time()])


def _row(asked: str, features: np.ndarray, seconds: np.ndarray) -> Row:
    clock, processor = seconds.tolist()
    return {
        "asked": asked, "selected": features, "n_features": len(features), "fit_seconds": clock,
        "cpu_seconds": processor, "chosen": "", "tune_seconds": 0.0,
    }  # fmt: skip


def _select_with(
    method: ComparedMethod,
    params: dict[str, Any],
    X: Any,
    y: Target,
    asked: Asked,
    seed: int,
    scale: str | None,
) -> Iterator[Row]:
    """Fit once (and once per size, where the size matters) with these parameters, and cut.

    Under "auto" a supervised method fits again in its cut, so that size has a fit of its own.
    """
    table, known = as_seen(method, X, scale), "auto" if method.supervised else None
    alone = [
        name for name, size in asked.items() if method.estimator._size_matters or size == known
    ]
    fits: list[Asked] = [{name: asked[name]} for name in alone]
    together = {name: size for name, size in asked.items() if name not in alone}
    for sizes in [together, *fits] if together else fits:
        began = _seconds()
        selector = _fitted(method, params, table, y, sizes, seed)
        spent = _seconds() - began
        for name, size in sizes.items():
            kept = size if isinstance(size, int) else _automatic(selector, table, size)
            yield _row(name, selector.order_[:kept], spent)


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
    automatic = any(isinstance(size, str) for size in group.values()) and largest <= 200
    size: Any = "auto" if automatic else largest or "auto"
    if automatic and method.supervised and PUBLISHED in group.values():
        size = None
    if "random_state" in method.estimator().get_params():
        params = {"random_state": seed, **params}
    selector = method.estimator(**{"n_features_to_select": size, **params})
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
    if sparse.issparse(X) and not method.estimator._sparse:
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
) -> list[dict[str, Any]]:
    """Choose for every size the setting whose features have the best cross-validated score.

    Inf-FS chooses by its own search class, with that class's folds and evaluator, if that class
    has the parameters that are given.
    """
    search = SEARCHES.get(method.estimator)
    if search is not None and method.params.keys() <= search().get_params().keys():
        (name,) = method.grid[0]
        given = {search.grid_parameter: [setting[name] for setting in method.grid]}
        sizes = ["histogram" if size == PUBLISHED else size for size in asked.values()]
        return search(**given, cv=protocol.folds, **method.params).choose(X, y, sizes, groups)
    scores, evaluator = [], find_evaluator(kind=y.type)
    asked = {name: PUBLISHED if size == "auto" else size for name, size in asked.items()}
    for train, held in make_folds(y.strata(), protocol.folds, groups=groups, seed=protocol.seed):
        each = []
        for setting in method.grid:
            params = {**method.params, **setting}
            rows = _select_with(method, params, X[train], y.take(train), asked, protocol.seed,
                                protocol.scale)  # fmt: skip
            each.append({row["asked"]: row["selected"] for row in rows})
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
) -> Iterator[Row]:
    """Apply every cut of the protocol to the ranking of one fit with the default parameters.

    Seconds are those of the fit for a requested number, and those of the cut for a cut.
    """
    table, n = as_seen(method, X, protocol.scale), X.shape[1]
    table = table.tocsc() if sparse.issparse(table) else table
    began = _seconds()
    selector = _fitted(method, method.params, table, y, {"all": n}, seed)
    spent = _seconds() - began
    for name, size in asked.items():
        if isinstance(size, int):
            yield _row(name, selector.order_[:size], spent)
    varying, target = varying_columns(table), y if method.supervised else None
    scores, columns = selector.scores_[varying], table[:, varying]
    for name in protocol.cuts:
        if name in ("fdr", "predict") and not method.supervised:
            continue
        samples = Samples(columns, target)
        began = _seconds()
        cut = apply_cut(name, scores, samples, RankAgain(selector)).among(varying, n)
        kept = cut.first(selector.order_)[: cut.size]
        yield _row(name, kept, _seconds() - began)
