"""Of several methods the one that predicts best on samples it has not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from inffs._utils.progress import track
from inffs.base import FeatureSelector, RankAgain, Ranked
from inffs.cuts import Cut, Samples, SizeSelection
from inffs.cuts.evaluate import evaluate_sizes
from inffs.evaluation.choice import choose
from inffs.meta.member import Member, SelectorOfSelectors, named
from inffs.scores import Scored
from inffs.validation.missing import has_missing

_SIZES = (5, 10, 20, 50, 100, 200)  # at which methods are compared where no number is asked for
_WHO = "choice"


class BestOf(SelectorOfSelectors):
    """The ranking of one of several methods: of the one that folds of the table prefer.

    Every method ranks the samples outside a fold and a linear SVM (ridge for numbers) judges its
    first features on the fold, at the number asked for or, under "auto", at 5, 10, 20, 50, 100 and
    200, whose scores are averaged. Of the methods that are not worse than the best by more than a
    standard error of their paired differences over the folds, the first named is taken. It ranks
    the whole table and decides on its size.

    Between ``inf-fs-s`` and ``inf-fs-c`` this choice reached 88.6 % on ten data sets (twenty
    splits, 10 to 200 features, linear SVM), each alone 87.7 and 88.2
    (``benchmarks/conditional_study.py``).

    The best of several scores is a little too good: cross-validate this selector to know what the
    choice is worth, as ``inffs select`` does.

    Time: five fits of every method and one more of the best, and the judge's; of more than a
    thousand samples a random thousand is compared. Memory as the largest. A table with gaps, of
    fewer than ten samples or three per class is not judged: there the first method is taken.

    Parameters
    ----------
    selectors : list
        Keys of the catalogue as the command takes them ("relieff", "mrmr[bins=8]"), selectors of
        this package, or pairs (name, selector); the one to prefer in doubt first.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        How many features to keep.
    target_type : {"auto", "classification", "regression"}, default="auto"
        What y holds. "auto" takes whole numbers, text and booleans as classes.

    Attributes
    ----------
    names_ : list of str
        A name for every method.
    fold_scores_ : ndarray of shape (n_folds, n_methods)
        What the judge says of every method on every fold; no folds where nothing was judged.
    best_ : str
        The name of the method that was chosen.
    best_selector_ : selector
        That method, fitted on the columns that vary.

    See Also
    --------
    Consensus : One ranking from all of them.
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
    array([0.97, 0.98])
    """

    _parameter_constraints: dict = {
        **FeatureSelector._parameter_constraints,
        "selectors": [list, tuple],
    }
    _supervised = True
    _size_matters = True

    def __init__(
        self, selectors: Any, *, n_features_to_select: Any = "auto", target_type: str = "auto"
    ) -> None:
        self.selectors = selectors
        self.n_features_to_select = n_features_to_select
        self.target_type = target_type

    names_: list[str]
    fold_scores_: np.ndarray
    best_: str
    best_selector_: Any

    @property
    def _longest_search(self) -> int | None:  # type: ignore[override]
        ends = [member.selector._longest_search for member in self._members()]
        return min((end for end in ends if end is not None), default=None)

    def _members(self) -> list[Member]:
        members = [Member(selector) for _, selector in named(self.selectors, _WHO)]
        for member in members:
            if not member.ours:
                raise ValueError(
                    f"{member.selector!r} is no selector of this package, and a {_WHO} needs the "
                    "order of all features: leave it out, or ask Consensus instead."
                )
        return members

    def _score_columns(
        self, X: Any, y: Any, columns: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> Scored:
        self.names_ = [name for name, _ in named(self.selectors, _WHO)]
        members, size = self._members(), self._size_asked(self.n_features_in_)
        samples = Samples(X, y, sample_weight)
        evidence = _evidence(members, samples, self._compared(size, X.shape[1]))
        means = np.array([each.scores.mean(axis=1) for each in evidence])
        self.fold_scores_ = means.reshape(len(members), -1).T
        place = choose(self.fold_scores_, np.arange(len(members))) if evidence else 0
        self.best_ = self.names_[place]
        self._why = _told(self.names_, place, evidence, self.fold_scores_)
        asked = self.n_features_to_select if size is None else min(size, X.shape[1])
        best = clone(members[place].selector).set_params(n_features_to_select=asked)
        self.best_selector_ = best.fit_samples(samples)
        return Scored(best.scores_, order=best.order_, ties=best.ties_)

    def _compared(self, size: int | None, n: int) -> tuple[int, ...]:
        """The sizes at which the methods are compared: those that all of them can be asked for."""
        most = min(n, self._longest_search or n)
        if size is not None:
            return (min(size, most),)
        return tuple(each for each in _SIZES if each <= most) or (most,)

    def _cut(self, ranked: Ranked) -> Cut:
        """The chosen method's own, behind a sentence about the choice."""
        cut, n = self.best_selector_.cut_, ranked.n
        size, why = self._size_asked(n), cut.why
        if size is not None:  # constant columns are none of its features, but of the table's
            why = why.replace(f"{cut.size} of {ranked.varying.size} ", f"{size} of {n} ", 1)
        return replace(cut, size=size or cut.size, why=f"{self._why} {why}")


def _evidence(
    members: list[Member], samples: Samples, sizes: tuple[int, ...]
) -> list[SizeSelection]:
    """The scores of every method on the same folds; nothing where they cannot be compared."""
    if has_missing(samples.X):
        return []
    weights = all(member.selector._weights for member in members)
    found = [
        evaluate_sizes(samples, RankAgain(member.selector, weights), sizes=sizes, repeats=1)
        for member in track(members, "methods")
    ]
    kept = [each for each in found if not isinstance(each, str)]
    same = len(kept) == len(members) and len({len(each.scores) for each in kept}) == 1
    return kept if same else []


def _told(names: list[str], place: int, evidence: list[SizeSelection], folds: np.ndarray) -> str:
    if not evidence:
        return f"{names[0]} is named first, and on this table methods cannot be compared."
    means = folds.mean(axis=0)
    said = [evidence[0].told(mean) for mean in means]
    others = ", ".join(f"{names[i]} {said[i]}" for i in range(len(names)) if i != place)
    ahead = means[place] - np.delete(means, place).max()
    how = "as good as any" if ahead == 0 else "not clearly worse than the best"
    how = "best" if ahead > 0 else how
    return f"{names[place]} is {how} on {len(folds)} folds: {said[place]} ({others})."
