"""Select the method that predicts best on samples that were not used to fit it."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv

from inffs._utils.threads import run_jobs
from inffs.base import FeatureSelector, RankAgain
from inffs.cuts import Cut, Samples, SizeSelection
from inffs.cuts.predict import evaluate_sizes
from inffs.evaluation.assess import choose
from inffs.meta.member import SelectorOfSelectors, is_ours, named
from inffs.scores import Ranking
from inffs.validation.missing import has_missing

_SIZES = (5, 10, 20, 50, 100, 200)  # at which methods are compared where no number is asked for
_ROLE = "choice"


class BestOf(SelectorOfSelectors):
    """Rank features by the method that predicts best in cross-validation.

    Every method ranks the training part of each fold. A linear SVM (ridge for numbers) predicts the
    test part from the first features. With "auto", it uses 5, 10, 20, 50, 100 and 200 features and
    averages the scores. A method is as good as the best if the mean paired difference over the
    folds is within its standard error. Of these methods, the first in the list is chosen. It ranks
    the whole table and decides how many features to keep.

    The best of several scores is too high. Cross-validate this selector to estimate its accuracy,
    as ``inffs select`` does.

    The folds depend on the target and the groups only, never on the values of the table. Groups,
    and copies of a sample, stay on one side of every split.

    The time is a fit of every method in every fold, one more fit of the best, and the evaluation.
    Of more than 2,000 samples, a stratified sample of 2,000 is used. If a table has missing values
    or fewer than ten samples, nothing is compared and the first method is chosen.

    Parameters
    ----------
    selectors : list
        Keys of the catalogue ("relieff", "mrmr[bins=8]"), selectors of this package, or pairs
        (name, selector). Of methods that predict equally well the first one is chosen.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.
    cv : int, splitter, iterable or None, default=5
        Folds in which the methods are compared (stratified, and by group where ``groups`` are
        given to ``fit``).
    scoring : str or callable, optional
        A scorer of scikit-learn. Default: the accuracy of classes (balanced where one class has
        more than 80 % of the samples), R2, the mean average precision of several labels, or the
        concordance index.
    n_jobs : int, optional
        Methods that are compared at the same time, by joblib.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    Attributes
    ----------
    names_ : list of str
        A name for every method.
    fold_scores_ : ndarray of shape (n_folds, n_methods)
        The score of every method on every fold; no folds where nothing was compared.
    best_ : str
        The name of the method that was chosen.
    best_selector_ : selector
        That method, fitted on the columns that vary.

    See Also
    --------
    Consensus : Combines the rankings of all methods.
    inffs.comparison : Compares many methods with intervals.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from inffs import BestOf
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = BestOf(["inf-fs-s", "inf-fs-c"]).fit(X, y)
    >>> selector.best_
    'inf-fs-c'
    >>> selector.fold_scores_.mean(axis=0).round(2)
    array([0.95, 0.97])
    """

    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "selectors": [list, tuple],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "n_jobs": [Integral, None],
    }
    _supervised = True
    _size_matters = True

    def __init__(
        self,
        selectors: Any,
        *,
        n_features_to_select: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        n_jobs: int | None = None,
        target_type: str = "auto",
    ) -> None:
        self.selectors = selectors
        self.n_features_to_select = n_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.target_type = target_type

    @property
    def _longest_search(self) -> int | None:  # type: ignore[override]
        ends = [each._longest_search for each in self._inside()]
        return min((end for end in ends if end is not None), default=None)

    def _inside(self) -> list[Any]:
        selectors = [selector for _, selector in named(self.selectors, _ROLE)]
        for selector in selectors:
            if not is_ours(selector):
                raise ValueError(
                    f"{selector!r} is no selector of this package, and a {_ROLE} needs the "
                    "order of all features: leave it out, or ask Consensus instead."
                )
        return selectors

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> Ranking:
        self.names_ = [name for name, _ in named(self.selectors, _ROLE)]
        selectors, size = self._inside(), self._size_asked(self.n_features_in_)
        n = samples.X.shape[1]
        evidence = self._evidence(selectors, samples, self._compared(size, n))
        means = np.array([each.scores.mean(axis=1) for each in evidence])
        self.fold_scores_ = means.reshape(len(selectors), -1).T
        place = choose(self.fold_scores_, np.arange(len(selectors))) if evidence else 0
        self.best_ = self.names_[place]
        self._why = _comparison(self.names_, place, evidence, self.fold_scores_)
        asked = self.n_features_to_select if size is None else min(size, n)
        best = clone(selectors[place]).set_params(n_features_to_select=asked)
        self.best_selector_ = best._fit_samples(samples)
        return Ranking(best.scores_, own_order=best.order_, own_ties=best.ties_)

    def _compared(self, size: int | None, n: int) -> tuple[int, ...]:
        """The sizes at which the methods are compared: those that all of them can be asked for."""
        most = min(n, self._longest_search or n)
        if size is not None:
            return (min(size, most),)
        return tuple(each for each in _SIZES if each <= most) or (most,)

    def _evidence(
        self, selectors: list[Any], samples: Samples, sizes: tuple[int, ...]
    ) -> list[SizeSelection]:
        """The scores of every method on the same folds; empty where they cannot be compared."""
        if has_missing(samples.X):
            return []
        plain = self.cv is None or isinstance(self.cv, Integral)
        cv = self.cv if plain else check_cv(self.cv)  # an iterable is used for every method
        weights = all(each._weights for each in selectors)
        jobs = (
            delayed(evaluate_sizes)(
                samples, RankAgain(each, weights), sizes=sizes, scoring=self.scoring,
                cv=cv, repeats=1,
            )
            for each in selectors
        )  # fmt: skip
        found = run_jobs(jobs, self.n_jobs, "evaluating methods", len(selectors))
        kept = [each for each in found if not isinstance(each, str)]
        same = len(kept) == len(selectors) and len({len(each.scores) for each in kept}) == 1
        return kept if same else []

    def _cut(self, ranking: Ranking, part: Samples | None) -> Cut:
        """The chosen method's own, behind a sentence about the choice."""
        cut, n = self.best_selector_.cut_, self.n_features_in_
        size, why = self._size_asked(n), cut.why
        if size is not None:  # constant columns are none of its features, but of the table's
            why = why.replace(f"{cut.size} of {ranking.scores.size} ", f"{size} of {n} ", 1)
        return replace(cut, size=size or cut.size, why=f"{self._why} {why}")


def _comparison(
    names: list[str], place: int, evidence: list[SizeSelection], folds: np.ndarray
) -> str:
    if not evidence:
        return f"{names[0]} is named first, and on this table methods cannot be compared."
    means = folds.mean(axis=0)
    texts = [evidence[0].text(mean) for mean in means]
    others = ", ".join(f"{names[i]} {texts[i]}" for i in range(len(names)) if i != place)
    ahead = means[place] - np.delete(means, place).max()
    how = "as good as any" if ahead == 0 else "not clearly worse than the best"
    how = "best" if ahead > 0 else how
    return f"{names[place]} is {how} on {len(folds)} folds: {texts[place]} ({others})."
