"""All results about a run, each computed once and only when it is needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from inffs._utils.words import with_symbol
from inffs.measures.effect_sizes import paired_effects
from inffs.ranking import measured, ranked_columns
from inffs.report._check import Check, cross_check
from inffs.report._facts import SHOWN, Groups, group_features, target_in
from inffs.report._findings import Evidence, Finding, find
from inffs.report._reasons import Reasons, explain, partner_columns
from inffs.target import Target
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import as_seen, filled_with_medians, has_missing
from inffs.validation.pairs import pair_differences
from inffs.validation.preparation import Preparation

_MULTIPLES = 9
_LONGEST_NAME = 160


@dataclass
class Study:
    """A fitted selector, the table in its own units, and what was done to it before the fit.

    ``X`` may have missing values where ``preparation`` fills them in. ``thorough`` compares the
    features with one another, the costly part. ``notes`` say what else was done to the table.
    ``symbols`` are names of features for people. Samples of one group (``sample_groups``) are
    never divided between training and test.
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
    sample_groups: Any = None

    @cached_property
    def shown_names(self) -> list[str]:
        """The names of the features for people."""
        return display_names(self.names, self.symbols)

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
        found = target_in(self.selector, self.y)
        return None if found is None else self.preparation.target_of(found)

    @cached_property
    def reasons(self) -> Any:
        """The reasons for the rank of every feature."""
        target = self.target
        own, _ = as_seen(self.selector.missing, self.own)
        if self.thorough:
            found: Any = explain(self.selector, self.fitted, target, own)
        else:
            X, weight = as_seen(self.selector.missing, self.fitted)
            found = measured(X, target, own, weight)
        if self.preparation.pairs is None:
            return found
        return replace(found, effects=self._paired(found.effects, own, self.preparation.pairs))

    def _paired(self, effects: dict[str, Any], own: Any, pairs: np.ndarray) -> dict[str, Any]:
        """Effects within pairs; without tests where a pair is not one sample of each class."""
        if self.classes is not None:
            names, codes = self.classes
            differences = pair_differences(own, codes, pairs)
            if differences is not None:
                return paired_effects(differences, [str(name) for name in names])
        independent = ("auc", "fold_change", "effect_p", "effect_q")  # they assume such samples
        return {name: values for name, values in effects.items() if name not in independent}

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
            preparation=self.preparation, groups=self.sample_groups,
        )  # fmt: skip

    @property
    def done(self) -> list[str]:
        """What was done to the data before the ranking."""
        return [*self.notes, *self.preparation.sentences()]

    @cached_property
    def findings(self) -> list[Finding]:
        """The findings, the headline first."""
        counts = None if self.classes is None else np.bincount(self.classes[1])
        has_target = self.target is not None and self.classes is None
        p, q = self._tests()
        return find(
            Evidence(
                self.selector, self.shown_names, self.groups, self.check, counts, has_target, p, q
            )
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


def display_names(names: list[str], symbols: dict[str, str] | None = None) -> list[str]:
    """Names for people: printable, not too long, and told apart where they are equal or empty.

    A feature of ``symbols`` is shown as "symbol (feature)".
    """
    if symbols:
        names = [with_symbol(name, symbols.get(name)) for name in names]
    seen, shown = Counter(names), []
    for place, name in enumerate(names):
        clean = name[: _LONGEST_NAME + 1]
        if not clean.isprintable():
            clean = "".join(sign if sign.isprintable() else "�" for sign in clean)
        if len(clean) > _LONGEST_NAME:
            clean = f"{clean[: _LONGEST_NAME - 1]}…"
        if not clean.strip():
            clean = f"(no name, column {place + 1})"
        elif seen[name] > 1:
            clean = f"{clean} (column {place + 1})"
        shown.append(clean)
    return shown


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
