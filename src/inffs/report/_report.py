"""The report of a fitted selector, and all results about a run that it shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from inffs._utils.files import new_file
from inffs._utils.words import display_names
from inffs.cuts import Cut
from inffs.measures.effect_sizes import paired_effects
from inffs.ranking import as_frame, measured, ranked_columns
from inffs.report._check import Check, cross_check
from inffs.report._findings import Finding, find
from inffs.report._outputs import render
from inffs.report._reasons import (
    SHOWN,
    Groups,
    Reasons,
    explain,
    group_features,
    matrix_of,
    names_of,
    target_in,
)
from inffs.target import Target
from inffs.validation.intake import check_groups
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import filled_with_medians, has_missing, weights_of_present
from inffs.validation.pairs import pair_differences
from inffs.validation.preparation import Preparation

_MULTIPLES = 9  # features with a chart of their own
_UNEQUAL = 1.5  # largest class over the smallest one


class Report:
    """Report of a fitted selector, shown in a notebook or saved to a file.

    The page is made when it is first needed. The object stores a reference to the table, so do not
    change the table in between.

    Parameters
    ----------
    selector : fitted selector
        The selector to report on. It does not store the table, so X and y are given again.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table on which the selector was fitted.
    y : array of shape (n_samples,), optional
        The target. It adds charts of the first features and the cross-validated score.
    height : int, default=600
        Height of the frame in a notebook, in pixels.
    feature_names : sequence of str, optional
        The names. By default the columns of X, or the names seen in ``fit``, or x0, x1, ...
    title : str
        Heading of the page.
    folds : int
        The number of folds of the cross-validation. 0 switches it off. The selector is fitted once
        per fold.
    seed : int
        Seed of the folds and of the random subsets.
    run : dict, optional
        Facts about the run: "command", "table", "sha256", "label", and "reading", the arguments
        of :func:`inffs.io.read_table` ("path" and its options).
    reasons : Reasons, optional
        The result of :func:`inffs.report.explain`, if it is known already.
    groups : array of shape (n_samples,), optional
        Samples of one group (a patient) stay on one side of every split of the cross-validation.

    See Also
    --------
    inffs.plot : Some of the charts, with matplotlib.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import InfFSS, Report
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = InfFSS(n_features_to_select=3).fit(X, y)
    >>> report = Report(selector, X, y, folds=0)
    >>> report
    Report(InfFSS: 3 of 13 features selected)
    >>> report.ranking()["feature"].iloc[0]
    'proline'
    >>> report.save("three-of-wine.html").name
    'three-of-wine.html'
    """

    def __init__(
        self,
        selector: Any,
        X: Any,
        y: Any = None,
        *,
        height: int = 600,
        feature_names: Any = None,
        title: str = "Which features to keep",
        folds: int = 5,
        seed: int = 0,
        run: dict[str, Any] | None = None,
        reasons: Reasons | None = None,
        groups: Any = None,
    ) -> None:
        names = names_of(selector, X, feature_names)
        self.selector = selector
        self.height = height
        self.title = title
        self.run = run or {}
        X = matrix_of(selector, X)
        groups = None if groups is None else check_groups(groups, X.shape[0])
        self._study = Study(selector, X, y, names, folds, seed, sample_groups=groups)
        if reasons is not None:
            self._study.reasons = reasons

    @cached_property
    def html(self) -> str:
        """The page as HTML text."""
        return render(self._study, self.title, self.run)

    @property
    def check(self) -> Check | None:
        """Return the cross-validated scores, or None without a cross-validation."""
        return self._study.check

    @property
    def findings(self) -> list[str]:
        """Return the findings, one sentence each, the most important first."""
        return [finding.sentence for finding in self._study.findings]

    def ranking(self) -> Any:
        """Return the ranking with its reasons, as in the file ranking.csv.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            polars after ``selector.set_output(transform="polars")``, pandas otherwise.
        """
        return as_frame(self._study.columns(), self.selector)

    def save(self, path: str | Path = "report.html", *, force: bool = False) -> Path:
        """Write the page to a file.

        Parameters
        ----------
        path : str or Path, default="report.html"
            The file. An existing file is refused unless ``force``.
        force : bool, default=False
            Overwrite an existing file.

        Returns
        -------
        Path
            The file that was written.
        """
        with new_file(path, force=force) as beside:
            beside.write_text(self.html, encoding="utf-8", errors="replace")
        return Path(path)

    def __repr__(self) -> str:
        kept, n = self.selector.n_features_, self.selector.n_features_in_
        return f"Report({type(self.selector).__name__}: {kept} of {n} features selected)"

    def _repr_html_(self) -> str:
        """The page in a frame, so that its styles do not affect the notebook."""
        return (
            f'<iframe title="{escape(repr(self))}" srcdoc="{escape(self.html)}" '
            f'sandbox="allow-scripts allow-downloads allow-popups" width="100%" '
            f'height="{self.height}" style="border: 1px solid #ccc"></iframe>'
        )


@dataclass
class Study:
    """All results about a run, each computed once and only when it is needed.

    It holds a fitted selector, the table in its own units, and what was done to it before the fit.
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

    @property
    def kept(self) -> int:
        """The number of selected features."""
        return int(self.selector.n_features_)

    @property
    def n_features(self) -> int:
        """The number of all features."""
        return int(self.selector.n_features_in_)

    @property
    def cut(self) -> Cut:
        """The rule for the size, and its reason."""
        return self.selector.cut_

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
    def target(self) -> Target | None:
        """The target as the selector took it."""
        found = target_in(self.selector, self.y)
        return None if found is None else self.preparation.target_of(found)

    @property
    def class_names(self) -> list[str]:
        """The names of the classes; none for a target of another type."""
        if self.target is None or self.target.classes is None:
            return []
        return [str(name) for name in self.target.classes]

    @property
    def counts(self) -> np.ndarray | None:
        """The number of samples of every class."""
        return self.target.counts if self.target is not None and self.class_names else None

    @property
    def unequal(self) -> bool:
        """Whether the accuracy may mislead, because all classes are evaluated and one is large."""
        if self.counts is None or self.check is None or self.check.left_out:
            return False
        return bool(self.counts.max() >= _UNEQUAL * self.counts.min())

    @cached_property
    def reasons(self) -> Any:
        """The reasons for the rank of every feature."""
        if self.thorough:
            found: Any = explain(self.selector, self.fitted, self.target, self.own)
        else:
            weight = weights_of_present(self.selector.missing, self.fitted)
            found = measured(self.fitted, self.target, self.own, weight)
        if self.preparation.pairs is None:
            return found
        return replace(found, effects=self._paired(found.effects, self.preparation.pairs))

    def _paired(self, effects: dict[str, Any], pairs: np.ndarray) -> dict[str, Any]:
        """Effects within pairs; without tests where a pair is not one sample of each class."""
        if self.target is not None and self.class_names:
            differences = pair_differences(self.own, self.target.values, pairs)
            if differences is not None:
                return paired_effects(differences, self.class_names)
        independent = ("auc", "fold_change", "effect_p", "effect_q")  # they assume such samples
        return {name: values for name, values in effects.items() if name not in independent}

    @property
    def tests(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """p-values and adjusted ones of every feature alone; None where samples are repeated."""
        found = getattr(self.selector, "size_selection_", None)
        if found is not None:
            rows = np.unique(np.concatenate([test for _, test in found.folds]))
            if found.n_units < rows.size:
                return None, None
        effects = self.reasons.effects
        return effects.get("effect_p"), effects.get("effect_q")

    @cached_property
    def groups(self) -> Groups:
        """Groups of correlated selected features."""
        return group_features(self.complete, self.selector.order_[: min(SHOWN, self.kept)])

    @property
    def no_check(self) -> str:
        """Why there is no cross-validation; empty where there can be one."""
        if isinstance(self.X, LazyTable):
            return "The table is large and stays on disk, so the report does not evaluate it."
        if self.folds < 2:
            return "The cross-validation was switched off."
        lone = self.counts is not None and self.counts.min() < 2
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
        return find(self)

    @property
    def best_columns(self) -> list[np.ndarray]:
        """The values of the best features."""
        best = self.selector.order_[: min(_MULTIPLES, self.kept)]
        X = self.own[:, best]
        X = X.toarray() if sparse.issparse(X) else np.asarray(X)
        return list(self._completed(X).T)

    def _completed(self, X: Any) -> Any:
        leaves_out = self.selector.missing == "ignore" and has_missing(X)
        return filled_with_medians(X) if leaves_out else X

    def columns(self, names: list[str] | None = None) -> dict[str, Any]:
        """The columns of ranking.csv, best first."""
        names, order = self.names if names is None else names, self.selector.order_
        more: dict[str, Any] = {}
        if self.check is not None:
            more["kept_in_folds"] = self.check.times_kept(self.kept)[order]
        if isinstance(self.reasons, Reasons):
            nearest = self.reasons.nearest[order]
            more["mean_abs_correlation"] = self.reasons.mean_correlation[order]
            more["most_redundant_partner"] = [names[one] if one >= 0 else None for one in nearest]
            more["partner_abs_correlation"] = self.reasons.nearest_correlation[order]
        found = ranked_columns(self.selector, names, self.reasons, more)
        if not self.symbols:
            return found
        symbols = [self.symbols.get(self.names[feature]) for feature in order]
        return {"feature": found.pop("feature"), "name": symbols, **found}
