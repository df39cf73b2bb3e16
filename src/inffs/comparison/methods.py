"""The compared methods: those of the catalogue and three baselines, with their parameters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from inffs.base import FeatureSelector
from inffs.methods import catalogue, find_entry
from inffs.methods.entries import Entry, parse_method


class _Baseline(FeatureSelector):
    _sparse = True
    _targets = ("classification", "multilabel")


class AllFeatures(_Baseline):
    """Selects all features: the baseline of every selection. O(1)."""

    def __init__(self, *, n_features_to_select: Any = 1.0) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        return np.zeros(X.shape[1])


class RandomOrder(_Baseline):
    """Ranks the features in random order. O(n)."""

    def __init__(self, *, n_features_to_select: Any = 1.0, random_state: Any = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: Any, y: Any) -> np.ndarray:
        return check_random_state(self.random_state).permutation(X.shape[1]).astype(float)


class Variance(_Baseline):
    """Ranks the features by their variance, the largest first. O(Tn)."""

    def __init__(self, *, n_features_to_select: Any = "auto") -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: Any) -> np.ndarray:
        if not sparse.issparse(X):
            return X.var(axis=0, ddof=1)
        T = X.shape[0]
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return (square - mean * mean) * (T / (T - 1))


BASELINES = {
    key: Entry(key, f"comparison.methods:{name}", "baseline", (), "", cost)
    for key, name, cost in (
        ("all", "AllFeatures", "O(1)"), ("random", "RandomOrder", "O(n)"),
        ("variance", "Variance", "O(Tn)"),
    )
}  # fmt: skip


def simplex(count: int) -> tuple[tuple[float, float, float], ...]:
    """Triples that sum to 1: ``count`` equally spaced values on each edge, and equal weights."""
    last = count - 1
    cells = [(i, j, last - i - j) for i in range(count) for j in range(count - i)]
    equal = [] if last % 3 == 0 else [(last / 3,) * 3]
    return tuple((i / last, j / last, k / last) for i, j, k in [*cells, *equal])


_CS = (0.0001, 0.001, 0.01, 0.1, 1.0)
TUNED: dict[str, dict[str, tuple[Any, ...]]] = {  # the values among which --tuned chooses
    "inf-fs-u": {"alpha": tuple(step / 10 for step in range(11))},
    "inf-fs-s": {"weights": simplex(5)},
    "laplacian": {"n_neighbors": (3, 5, 10)},
    "mcfs": {"n_neighbors": (3, 5, 10), "n_components": (2, 5, 10)},
    "llcfs": {"beta": (0.01, 0.1, 1.0)},
    "udfs": {"gamma": (0.01, 0.1, 1.0)},
    "dgufs": {"alpha": (0.25, 0.5, 0.75)},
    "fsasl": {"lambda3": (0.1, 1.0, 10.0)},
    "ufsol": {"alpha": (0.1, 1.0, 10.0)},
    "relieff": {"n_neighbors": (3, 10, 20)},
    "ecfs": {"alpha": (0.0, 0.25, 0.5, 0.75, 1.0)},
    "ilfs": {"n_tokens": (3, 6, 10)},
    "svm-rfe": {"C": _CS},
    "fsv": {"sparsity": (0.01, 0.05, 0.2)},
    "ensemble-svm-rfe": {"C": _CS},
}

_RANKS_BY_SPREAD = {"inf-fs-u", "inf-fs-s", "ecfs"}


@dataclass(frozen=True)
class ComparedMethod:
    """A method in the comparison.

    Parameters
    ----------
    key : str
        The key of the method in the catalogue, or of a baseline.
    params : dict
        The parameters that differ from their defaults.
    grid : tuple of dict
        The parameter settings among which the method chooses by cross-validation on the training
        part, for each number of features. Empty: nothing is chosen.
    label : str
        The name in tables; default: the key.
    """

    key: str
    params: dict[str, Any] = field(default_factory=dict)
    grid: tuple[dict[str, Any], ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or self.key

    @property
    def baseline(self) -> bool:
        return self.key in BASELINES

    @property
    def entry(self) -> Entry:
        return BASELINES.get(self.key) or find_entry(self.key)

    @property
    def estimator(self) -> Any:
        return self.entry.estimator

    @property
    def supervised(self) -> bool:
        return self.entry.supervised

    @property
    def kind(self) -> str:
        return self.entry.kind

    @property
    def sees_raw(self) -> bool:
        """Whether the method depends on the scales of the columns: they are not standardised."""
        return self.baseline or self.key in _RANKS_BY_SPREAD

    def skip(self, target: str) -> str:
        """Return why this method cannot be used with a target type; "" where it can."""
        if self.supervised and target not in self.estimator._targets:
            return f"needs classes, not a {target} target"
        return ""


def find_methods(methods: Iterable[str] | None = None, tuned: bool = False) -> list[ComparedMethod]:
    """Return the methods of these ``KEY`` or ``KEY[param=value]``; None: all and the baselines.

    ``tuned``: whether they choose their parameters by cross-validation.
    """
    return [find_method(spec, tuned) for spec in (every_spec() if methods is None else methods)]


def every_spec() -> list[str]:
    """Return the keys of the baselines and of every method of the catalogue."""
    return [*BASELINES, *(entry.key for entry in catalogue())]


def find_method(spec: str, tuned: bool = False) -> ComparedMethod:
    """Return one method; parameters that are given are not chosen."""
    key = spec.partition("[")[0].strip()
    if key in BASELINES:
        return ComparedMethod(key)
    parsed = parse_method(spec)
    tried = TUNED.get(key, {}) if tuned else {}
    axes = {name: values for name, values in tried.items() if name not in parsed.params}
    every = itertools.product(*axes.values()) if axes else ()
    grid = tuple(dict(zip(axes, values, strict=True)) for values in every)
    return ComparedMethod(key, parsed.params, grid, str(parsed) if parsed.params else key)


def cheap_first(methods: Iterable[ComparedMethod], n: int) -> list[ComparedMethod]:
    """Sort: baselines, filters, embedded methods, wrappers; parameter searches last."""
    kinds = {"baseline": 0, "filter": 1, "embedded": 2, "wrapper": 3}

    def cost(method: ComparedMethod) -> tuple:
        quadratic = "n^2" in method.entry.cost and n > 2000
        return quadratic, kinds[method.kind], len(method.grid) > 0

    return sorted(methods, key=cost)


def as_text(values: dict[str, Any]) -> str:
    """Format parameters as short text, for the store."""
    return ", ".join(f"{name}={_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    if isinstance(value, (tuple, list, np.ndarray)):
        return "(" + ", ".join(_short(part) for part in value) + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)
