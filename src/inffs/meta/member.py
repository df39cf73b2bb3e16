"""Selectors as parts of another: ours, or any with scikit-learn's interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length

from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.cuts.cut import size_asked
from inffs.meta.constrained import size_parameter
from inffs.methods.entries import parse_method
from inffs.target import CLASSIFICATION, REGRESSION, TARGET_TYPES


@dataclass(frozen=True)
class Member:
    """A selector inside another one; ``size`` replaces its own where it has a parameter for it."""

    selector: Any
    size: int | None = None

    @property
    def ours(self) -> bool:
        return isinstance(self.selector, FeatureSelector)

    @property
    def supervised(self) -> bool:
        return bool(get_tags(self.selector).target_tags.required)

    @property
    def sparse(self) -> bool:
        return bool(get_tags(self.selector).input_tags.sparse)

    @property
    def lazy(self) -> bool:
        return self.ours and self.selector._lazy

    @property
    def targets(self) -> tuple[str, ...]:
        """The types of target it takes; a selector that ignores y takes all of them."""
        if self.ours and self.supervised:
            return self.selector._targets
        return TARGET_TYPES if self.ours else (CLASSIFICATION, REGRESSION)

    @property
    def scale_free(self) -> bool:
        return self.ours and self.selector._scale_free

    @property
    def fixed_scale(self) -> bool:
        return self.ours and self.selector._fixed_scale

    @property
    def ignores_missing(self) -> bool:
        return bool(get_tags(self.selector).input_tags.allow_nan)

    @property
    def min_samples(self) -> int:
        return self.selector._min_samples if self.ours else 1

    def without_size(self) -> Member:
        """The same, asked for its ranking only where a rule would decide on its size."""
        if not self.ours or "n_features_to_select" not in self.selector.get_params():
            return self
        if size_asked(self.selector.n_features_to_select, 1) is not None:
            return self
        return Member(clone(self.selector).set_params(n_features_to_select=None), self.size)

    def of_size(self, size: int | None) -> Member:
        """The same, asked for so many features where it has a parameter for it."""
        return Member(self.selector, size)

    def selected(
        self, samples: Samples, rows: np.ndarray, seed: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """From these rows: which features are selected, and the place of every feature.

        A selector that has no ranking puts the features it selects first.
        """
        fitted = self.fitted(samples.take(rows), seed)
        support = fitted.get_support()
        return support, np.asarray(getattr(fitted, "ranking_", ~support), dtype=float)

    def fitted(self, samples: Samples, seed: int | None = None) -> Any:
        """A fitted copy; a table that was checked is not checked again by our own selectors."""
        copy = clone(self.selector)
        params = copy.get_params()
        if self.size is not None:
            name = size_parameter(copy)
            copy.set_params(**({} if name is None else {name: min(self.size, samples.X.shape[1])}))
        if seed is not None:
            copy.set_params(**{name: seed for name in params if _is_unseeded(name, params)})
        if self.ours:
            return copy._fit_samples(samples)
        samples = samples.adjusted()
        y = None if samples.target is None else samples.target.original()
        return copy.fit(samples.X, y)


class SelectorOfSelectors(FeatureSelector):
    """Base of the selectors that contain others: it takes what all of them take."""

    def _members(self) -> list[Member]:
        raise TypeError(f"{type(self).__name__} does not define _members")

    @property
    def _supervised(self) -> bool:  # type: ignore[override]
        return any(member.supervised for member in self._members())

    @property
    def _sparse(self) -> bool:  # type: ignore[override]
        return all(member.sparse for member in self._members())

    @property
    def _scale_free(self) -> bool:  # type: ignore[override]
        return all(member.scale_free for member in self._members())

    @property
    def _fixed_scale(self) -> bool:  # type: ignore[override]
        return any(member.fixed_scale for member in self._members())

    @property
    def _ignores_missing(self) -> bool:  # type: ignore[override]
        return all(member.ignores_missing for member in self._members())

    @property
    def missing(self) -> str:  # type: ignore[override]
        """What all of the selectors do with missing values."""
        return "ignore" if self._ignores_missing else "refuse"

    @property
    def _targets(self) -> tuple[str, ...]:  # type: ignore[override]
        first, *others = (member.targets for member in self._members())
        return tuple(kind for kind in first if all(kind in targets for targets in others))

    def _check_target(self, X: Any, y: Any) -> Any:
        """Selectors from elsewhere may use y without requiring it."""
        if y is None or self._supervised or all(member.ours for member in self._members()):
            return super()._check_target(X, y)
        check_consistent_length(X, y)
        return self._check_y(y)


def named(selectors: Any, role: str) -> list[tuple[str, Any]]:
    """Pairs of a name and a selector; names that come twice are numbered."""
    if len(selectors) < 2:
        raise ValueError(f"A {role} needs at least two methods; there are {len(selectors)}.")
    pairs = [_pair(given, role) for given in selectors]
    names = [name for name, _ in pairs]
    return [
        (name if names.count(name) == 1 else f"{name} ({names[:place].count(name) + 1})", selector)
        for place, (name, selector) in enumerate(pairs)
    ]


def _pair(given: Any, role: str) -> tuple[str, Any]:
    if isinstance(given, str):
        spec = parse_method(given)
        return str(spec), spec.build()
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        return given[0], _pair(given[1], role)[1]
    if not hasattr(given, "get_support"):
        raise ValueError(
            f"{given!r} is no method: a {role} takes keys of the catalogue, selectors, or pairs "
            "of a name and a selector."
        )
    return type(given).__name__, given


def _is_unseeded(name: str, params: dict[str, Any]) -> bool:
    """Whether this is a seed that was left open."""
    return name.split("__")[-1] == "random_state" and params[name] is None
