"""Select features on a training part, for every requested number of features."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
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
from inffs.target import Target, make_target
from inffs.validation.checks import varying_columns

PUBLISHED = "published"  # the cut of the published programs, for methods without a cut of their own
BY_WEIGHTS = ("inf-fs-u", "inf-fs-s")  # settings are weights, which prefer to be equal
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
    part = _Training(method, X, make_target(y), protocol, protocol.seed + number)
    if protocol.cuts:
        return list(part.cut_everywhere(asked))
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
class _Training:
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
        for sizes in [together, *fits] if together else fits:
            began = _seconds()
            selector = self.fitted(params, table, sizes)
            spent = _seconds() - began
            for name, size in sizes.items():
                kept = size if isinstance(size, int) else _automatic(selector, table, size)
                yield _row(name, selector.order_[:kept], spent)

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
            part, each = _Training(method, X[train], y.take(train), protocol, seed), []
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

    def cut_everywhere(self, asked: Asked) -> Iterator[Row]:
        """Apply every cut of the protocol to the ranking of one fit with the default parameters.

        Seconds are those of the fit for a requested number, and those of the cut for a cut.
        """
        table, n = as_seen(self.method, self.X, self.protocol.scale), self.X.shape[1]
        table = table.tocsc() if sparse.issparse(table) else table
        began = _seconds()
        selector = self.fitted(self.method.params, table, {"all": n})
        spent = _seconds() - began
        for name, size in asked.items():
            if isinstance(size, int):
                yield _row(name, selector.order_[:size], spent)
        varying, target = varying_columns(table), self.y if self.method.supervised else None
        scores, columns = selector.scores_[varying], table[:, varying]
        for name in self.protocol.cuts:
            if name in ("fdr", "predict") and not self.method.supervised:
                continue
            samples = Samples(columns, target)
            began = _seconds()
            cut = apply_cut(name, scores, samples, RankAgain(selector)).among(varying, n)
            kept = cut.first(selector.order_)[: cut.size]
            yield _row(name, kept, _seconds() - began)


def _seconds() -> np.ndarray:
    """Seconds by the clock and of the processor."""
    return np.array([time.perf_counter(), time.process_time()])


def _row(asked: str, features: np.ndarray, seconds: np.ndarray) -> Row:
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
