"""All results about a run, each computed once and only when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from inffs.ranking import measured, ranked_columns
from inffs.report._check import Check, cross_check
from inffs.report._facts import SHOWN, Groups, group_features, target_in
from inffs.report._findings import Evidence, Finding, find
from inffs.report._page import display_names
from inffs.report._reasons import Reasons, explain, partner_columns
from inffs.target import Target
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import as_seen, filled_with_medians, has_missing
from inffs.validation.preparation import Preparation

_MULTIPLES = 9


@dataclass
class Study:
    """A fitted selector, the table in its own units, and what was done to it before the fit.

    ``X`` may have missing values where ``preparation`` fills them in. ``thorough`` compares the
    features with one another, the costly part. ``notes`` say what else was done to the table.
    ``symbols`` are names of features for people.
    """

    selector: Any
    X: Any
    y: Any
    names: list[str]
    folds: int = 5
    seed: int = 0
    preparation: Preparation = field(default_factory=Preparation)
    thorough: bool = True
    notes: list[str] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)

    @cached_property
    def own(self) -> Any:
        """The table in its own units, missing values filled in."""
        return self.preparation.filled(self.X)

    @cached_property
    def fitted(self) -> Any:
        """The table as the selector got it."""
        return self.preparation.of(self.X)

    @cached_property
    def complete(self) -> Any:
        """The same with medians for missing values: pictures need values."""
        return self._completed(self.fitted)

    @cached_property
    def classes(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Names and codes of the classes."""
        target = self.target
        classes = None if target is None else target.classes
        return None if target is None or classes is None else (classes, target.values)

    @cached_property
    def target(self) -> Target | None:
        """The target as the selector took it."""
        return target_in(self.selector, self.y)

    @cached_property
    def reasons(self) -> Any:
        """The reasons for the rank of every feature."""
        target = self.target
        own, _ = as_seen(self.selector.missing, self.own)
        if self.thorough:
            return explain(self.selector, self.fitted, target, own)
        X, weight = as_seen(self.selector.missing, self.fitted)
        return measured(X, target, own, weight)

    @cached_property
    def groups(self) -> Groups:
        """Groups of correlated selected features."""
        kept = self.selector.order_[: min(SHOWN, self.selector.n_features_)]
        return group_features(self.complete, kept)

    @property
    def no_check(self) -> str:
        """Why there is no cross-validation; empty where there can be one."""
        if isinstance(self.X, LazyTable):
            return "The table is large and stays on disk, so the report does not evaluate it."
        if self.folds < 2:
            return "The cross-validation was switched off."
        lone = self.classes is not None and np.bincount(self.classes[1]).min() < 2
        if lone and not hasattr(self.selector, "size_selection_"):
            return "A class has only one sample, so there is no cross-validation."
        return "" if self.thorough else "Without a report there is no cross-validation."

    @cached_property
    def check(self) -> Check | None:
        """How well the selected features predict; None without a target."""
        if self.target is None or self.no_check:
            return None
        return cross_check(
            self.selector, self.X, self.target, folds=self.folds, seed=self.seed,
            preparation=self.preparation,
        )  # fmt: skip

    @property
    def done(self) -> list[str]:
        """What was done to the data before the ranking."""
        return [*self.notes, *self.preparation.sentences()]

    @cached_property
    def findings(self) -> list[Finding]:
        """The findings, the headline first."""
        counts = None if self.classes is None else np.bincount(self.classes[1])
        shown = display_names(self.names, self.symbols)
        has_target = self.target is not None and self.classes is None
        p, q = self._tests()
        return find(
            Evidence(self.selector, shown, self.groups, self.check, counts, has_target, p, q)
        )

    def _tests(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """p-values and adjusted ones of every feature alone; None where samples are repeated."""
        found = getattr(self.selector, "size_selection_", None)
        if found is not None:
            rows = np.unique(np.concatenate([test for _, test in found.folds]))
            if found.n_units < rows.size:
                return None, None
        effects = self.reasons.effects
        return effects.get("effect_p"), effects.get("effect_q")

    @property
    def best_columns(self) -> list[np.ndarray]:
        """The values of the best features."""
        best = self.selector.order_[: min(_MULTIPLES, self.selector.n_features_)]
        X = self._completed(self.own)
        return [_column(X, feature) for feature in best]

    def _completed(self, X: Any) -> Any:
        leaves_out = self.selector.missing == "ignore" and has_missing(X)
        return filled_with_medians(X) if leaves_out else X

    def columns(self, names: list[str] | None = None) -> dict[str, Any]:
        """The columns of ranking.csv, best first."""
        names = self.names if names is None else names
        more: dict[str, Any] = {}
        if self.check is not None:
            times = self.check.times_kept(self.selector.n_features_)
            more["kept_in_folds"] = times[self.selector.order_]
        if isinstance(self.reasons, Reasons):
            more |= partner_columns(self.selector, names, self.reasons)
        found = ranked_columns(self.selector, names, self.reasons, more)
        if not self.symbols:
            return found
        told = [self.symbols.get(self.names[feature]) for feature in self.selector.order_]
        return {"feature": found.pop("feature"), "name": told, **found}


def names_of(selector: Any, X: Any, given: Any) -> list[str]:
    """The names of the features: as given, of the table, as seen in ``fit``, or numbered."""
    check_is_fitted(selector)
    n = selector.n_features_in_
    found = given
    if found is None:
        found = getattr(X, "columns", None)
    if found is None:
        found = getattr(selector, "feature_names_in_", None)
    names = [f"x{place}" for place in range(n)] if found is None else [str(name) for name in found]
    if len(names) != n:
        raise ValueError(f"There are {len(names)} feature names for {n} features.")
    return names


def matrix_of(selector: Any, X: Any) -> Any:
    """X as numbers, of as many columns as the selector saw."""
    if not isinstance(X, LazyTable):
        X = X.tocsc() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != selector.n_features_in_:
        raise ValueError(
            f"X has shape {X.shape}, but the selector was fitted on "
            f"{selector.n_features_in_} features: give it the same table."
        )
    return X


def _column(X: Any, feature: int) -> np.ndarray:
    if isinstance(X, LazyTable):
        return X[:, feature : feature + 1].ravel()
    return X[:, [feature]].toarray().ravel() if sparse.issparse(X) else X[:, feature]
