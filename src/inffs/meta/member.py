"""Selectors as parts of another: ours, or any with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length

from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.cuts.cut import size_asked
from inffs.meta.constrained import size_parameter
from inffs.methods.entries import parse_method
from inffs.target import CLASSIFICATION, REGRESSION, TARGET_TYPES


def is_ours(selector: Any) -> bool:
    """Whether it is a selector of this package, which ranks every feature."""
    return isinstance(selector, FeatureSelector)


def without_size(selector: Any) -> Any:
    """The same, asked for its ranking only where a rule would decide on its size."""
    if not is_ours(selector) or "n_features_to_select" not in selector.get_params():
        return selector
    if size_asked(selector.n_features_to_select, 1) is not None:
        return selector
    return clone(selector).set_params(n_features_to_select=None)


def fitted(
    selector: Any, samples: Samples, seed: int | None = None, size: int | None = None
) -> Any:
    """A fitted copy; a table that was checked is not checked again by our own selectors.

    ``size`` replaces the number of features, and ``seed`` a seed that was left open, where the
    selector has a parameter for it.
    """
    copy = clone(selector)
    params = copy.get_params()
    name = size_parameter(copy)
    if size is not None and name is not None:
        copy.set_params(**{name: min(size, samples.X.shape[1])})
    if seed is not None:
        copy.set_params(**{name: seed for name in params if _is_unseeded(name, params)})
    if is_ours(selector):
        return copy._fit_samples(samples)
    samples = samples.adjusted()
    y = None if samples.target is None else samples.target.original()
    return copy.fit(samples.X, y)


class SelectorOfSelectors(FeatureSelector):
    """Base of the selectors that contain others: it takes what all of them take."""

    def _inside(self) -> list[Any]:
        raise TypeError(f"{type(self).__name__} does not define _inside")

    @property
    def _supervised(self) -> bool:  # type: ignore[override]
        return any(get_tags(each).target_tags.required for each in self._inside())

    @property
    def _sparse(self) -> bool:  # type: ignore[override]
        return all(get_tags(each).input_tags.sparse for each in self._inside())

    @property
    def _scale_free(self) -> bool:  # type: ignore[override]
        return all(is_ours(each) and each._scale_free for each in self._inside())

    @property
    def _fixed_scale(self) -> bool:  # type: ignore[override]
        return any(is_ours(each) and each._fixed_scale for each in self._inside())

    @property
    def _ignores_missing(self) -> bool:  # type: ignore[override]
        return all(get_tags(each).input_tags.allow_nan for each in self._inside())

    @property
    def missing(self) -> str:  # type: ignore[override]
        """What all of the selectors do with missing values."""
        return "ignore" if self._ignores_missing else "refuse"

    @property
    def _targets(self) -> tuple[str, ...]:  # type: ignore[override]
        taken = [_targets_of(each) for each in self._inside()]
        return tuple(kind for kind in TARGET_TYPES if all(kind in targets for targets in taken))

    def _check_target(self, X: Any, y: Any) -> Any:
        """Selectors from elsewhere may use y without requiring it."""
        if y is None or self._supervised or all(map(is_ours, self._inside())):
            return super()._check_target(X, y)
        check_consistent_length(X, y)
        return self._check_y(y)


def _targets_of(selector: Any) -> tuple[str, ...]:
    """The types of target it takes; a selector that ignores y takes all of them."""
    if not is_ours(selector):
        return CLASSIFICATION, REGRESSION
    return selector._targets if selector._supervised else TARGET_TYPES


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
