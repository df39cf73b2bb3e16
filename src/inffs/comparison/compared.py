"""What is compared: methods of the catalogue and baselines, with their parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inffs.comparison.baselines import BASELINES
from inffs.comparison.tuning import settings_of
from inffs.methods import catalogue, find_entry
from inffs.methods.spec import parse_method

_STORED = {  # the words of a reason as the results have them
    "multilabel": "several labels", "regression": "numbers", "survival": "survival times",
}  # fmt: skip
_RANKS_BY_SPREAD = {"inf-fs-u", "inf-fs-s", "ecfs"}


@dataclass(frozen=True)
class ComparedMethod:
    """A method in the comparison.

    ``grid`` holds the parameter settings among which the method chooses by cross-validation on
    the training part, for each number of features (empty: nothing is chosen).

    Parameters
    ----------
    key : str
        Of the method.
    params : dict
        That differ from its own.
    grid : tuple of dict
        To choose among.
    label : str
        How it is written in tables.

    See Also
    --------
    find_methods : Makes them.

    Examples
    --------
    >>> from inffs.comparison import find_methods
    >>> find_methods(["inf-fs-u[alpha=0.5]"])[0].params
    {'alpha': 0.5}
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
    def estimator(self) -> Any:
        return BASELINES[self.key] if self.baseline else find_entry(self.key).estimator

    @property
    def supervised(self) -> bool:
        return not self.baseline and find_entry(self.key).supervised

    @property
    def kind(self) -> str:
        return "baseline" if self.baseline else find_entry(self.key).kind

    @property
    def sees_raw(self) -> bool:
        """Whether the scales of the columns are part of the method: they are not standardised."""
        return self.baseline or self.key in _RANKS_BY_SPREAD

    @property
    def takes_sparse(self) -> bool:
        return bool(self.estimator._sparse)

    @property
    def size_matters(self) -> bool:
        """Whether the order depends on how many features are asked for."""
        return bool(self.estimator._size_matters)

    def identity(self) -> dict[str, Any]:
        return {"key": self.key, "params": self.params, "grid": list(self.grid)}

    def skip(self, target: str) -> str:
        """Why this method cannot take a data set with this kind of target; "" if it can."""
        if self.supervised and target not in self.estimator._targets:
            return f"takes classes, not {_STORED[target]}"
        return ""


def find_methods(methods: Iterable[str] | None = None, tuned: bool = False) -> list[ComparedMethod]:
    """The methods of these specifications ``KEY[param=value]``; None: all and the baselines.

    Parameters
    ----------
    methods : iterable of str, optional
        ``KEY`` or ``KEY[param=value]``.
    tuned : bool, default=False
        Whether they choose their parameters by cross-validation.

    Returns
    -------
    list of ComparedMethod

    See Also
    --------
    inffs.catalogue : The methods.

    Examples
    --------
    >>> from inffs.comparison import find_methods
    >>> [one.key for one in find_methods(["fisher", "mi"])]
    ['fisher', 'mi']
    """
    return [find_method(spec, tuned) for spec in (every_spec() if methods is None else methods)]


def every_spec() -> list[str]:
    """The baselines and every method of the catalogue."""
    return [*BASELINES, *(entry.key for entry in catalogue())]


def find_method(spec: str, tuned: bool = False) -> ComparedMethod:
    """One method; parameters that are given are not chosen."""
    key = spec.partition("[")[0].strip()
    if key in BASELINES:
        return ComparedMethod(key)
    parsed = parse_method(spec)
    grid = settings_of(key, parsed.params) if tuned else ()
    return ComparedMethod(key, parsed.params, grid, str(parsed) if parsed.params else key)


def cheap_first(methods: Iterable[ComparedMethod], n: int) -> list[ComparedMethod]:
    """Baselines, filters, embedded methods, wrappers; those that choose parameters later."""
    kinds = {"baseline": 0, "filter": 1, "embedded": 2, "wrapper": 3}

    def cost(method: ComparedMethod) -> tuple:
        entry = None if method.baseline else find_entry(method.key)
        quadratic = entry is not None and "n^2" in entry.cost and n > 2000
        return quadratic, kinds.get(method.kind, 2), len(method.grid) > 0

    return sorted(methods, key=cost)


def as_text(values: dict[str, Any]) -> str:
    """Parameters as short text, for the store."""
    return ", ".join(f"{name}={_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    if isinstance(value, (tuple, list, np.ndarray)):
        return "(" + ", ".join(_short(part) for part in value) + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)
