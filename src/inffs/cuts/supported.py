"""The cut that a cross-validated check supports."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from inffs._utils.progress import track
from inffs.cuts.by_scores import Knee
from inffs.cuts.cut import BuiltInCut, Cut
from inffs.cuts.permuted import EstimatedChance, PermutedLabels
from inffs.cuts.samples import Samples, distinct_samples, take_rows
from inffs.evaluation.choice import choose
from inffs.evaluation.folds import holdout, make_folds
from inffs.evaluation.judges import find_judge
from inffs.evaluation.parts import Part
from inffs.evaluation.quality import agreement, quality
from inffs.target import CLASSIFICATION, MULTILABEL, REGRESSION, SURVIVAL, Target
from inffs.validation.lazy import LazyTable
from inffs.validation.missing import has_missing

_GRID = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_C = 0.1  # of the judge: a value of its path that serves few samples as well as many
_ABOVE = 3.0  # standard errors; measured: the best size on noise reaches it in one of twenty tables
_GUESS = {REGRESSION: 0.0, SURVIVAL: 0.5}  # R2 and concordance of knowing nothing
_MEASURES = {REGRESSION: "R2", SURVIVAL: "concordance", MULTILABEL: "mean average precision"}
_FEWEST, _MOST = 10, 1000  # samples that can be checked, and of which so many are


@dataclass(frozen=True)
class Evidence:
    """What is known before the choice: where the prior is, and a judge's scores of every size.

    ``folds`` has the shape (n_folds, n_sizes); ``guess`` is what guessing reaches, ``above`` by how
    many standard errors every size is better; ``measure`` names the scores where they are no shares
    of right answers.
    """

    prior: Cut
    sizes: np.ndarray
    folds: np.ndarray
    guess: float
    above: np.ndarray
    measure: str = ""

    def choose(self) -> int:
        """The size nearest the prior (as a factor) among those not clearly worse than the best.

        Where nothing stands out there is no prior, and the best one is taken.
        """
        if self.prior.forced:
            return self.best()
        distance = np.abs(np.log(self.sizes / self.prior.size))
        return int(self.sizes[choose(self.folds, distance)])

    def mean(self, size: int) -> float:
        """The judge's mean score of this size."""
        return float(self.folds[:, self._place(size)].mean())

    def tell(self, size: int) -> str:
        """The same in words."""
        return self.say(self.mean(size))

    def say(self, value: float) -> str:
        """A score in words."""
        return f"{self.measure} {value:.2f}" if self.measure else f"{value:.1%}"

    def best(self) -> int:
        """The size with the best mean; the smallest among equals."""
        return int(self.sizes[int(np.argmax(np.round(self.folds.mean(axis=0), 12)))])

    def beats_guessing(self, size: int) -> bool:
        """Whether guessing hardly ever gets so far; strict, as the size is the best of many."""
        return bool(self.above[self._place(size)] >= _ABOVE)

    def _place(self, size: int) -> int:
        return int(np.searchsorted(self.sizes, size))


@dataclass(frozen=True)
class Supported(BuiltInCut):
    """The features that stand out, unless a check says that another size predicts better.

    Begins with the smaller of two sizes: what stands out against permuted labels (``permuted`` with
    the share of chance features estimated instead of bounded) and ``knee`` (where the scores bend).
    Then the features are ranked again in every fold and a linear SVM judges the best 1, 2, 3, 5,
    10, 20, 50, ... of them on the samples left out. The first size is kept unless it is worse than
    the best one by more than a standard error of their paired differences; then the nearest size
    that is not is taken. Where nothing stands out there is no first size, and the best one is
    taken; if its answers agree with the classes no more than shuffled ones could (three standard
    errors), nothing is claimed and the cut is marked ``forced``.

    This is what "auto" means for a method that uses labels. It fits the method once per fold, and
    five times more where ``permuted`` has to fit it: at most ten fits by default, and a linear SVM
    (ridge for numbers) per fold and size. Of more than a thousand samples a random thousand is
    checked. A table on disk is read once per fit, and its best columns are judged in memory: it
    keeps what the same table keeps in memory. Tables with gaps, streams, and tables of fewer than
    ten samples or three per class are not checked: there the first size stays, under the name of
    its rule. A greedy search is followed for its first 200 choices. The folds follow from the
    values of the samples, not from their order; copies of a sample stay together, as permuted
    labels cannot, so ``knee`` alone is the beginning where there are copies or weights.

    Parameters
    ----------
    q : float, default=0.1
        The false-discovery rate of ``permuted``.
    folds : int, default=5
        Folds of the check, stratified by the labels.
    random_state : int, default=0
        Seed of the permutations and of the folds.
    sample_weight : array of shape (n_samples,), optional
        How often every sample counts; the selector gives what its ``fit`` was given.
    first : Cut, optional
        Begin with this one instead, as a method does that has a rule of its own.

    See Also
    --------
    PermutedLabels, Knee : Where it begins.
    CrossValidation : The size that predicts best.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts import Supported
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> InfFSS(n_features_to_select=Supported(folds=3)).fit(X, y).cut_.name
    'supported'
    """

    q: float = 0.1
    folds: int = 5
    random_state: int = 0
    sample_weight: Any = field(default=None, compare=False, repr=False)
    first: Cut | None = field(default=None, compare=False, repr=False)

    def _decide(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        if selector is None or X is None or y is None:
            return self.prior(scores, selector, None, None)
        if self.sample_weight is not None and has_missing(X):
            return self.prior(scores, selector, None, None)  # permuted labels know no gaps
        table, samples = self.looked_at(X, y, selector._weights)
        alike = samples.weight is not None
        prior = self.prior(scores, selector, None if alike else X, y)
        if not can_be_checked(y.take(samples.rows)):
            return _unchecked(prior)
        evidence = self.evidence(prior, selector, table, y, samples)
        if len(evidence.folds) < 2:
            return _unchecked(prior)
        size = evidence.choose()
        forced = prior.forced and not evidence.beats_guessing(size)
        size = 1 if forced else size
        why = _why(evidence, size, forced)
        return replace(prior, name="supported", size=size, why=why, forced=forced)

    def looked_at(self, X: Any, y: Target, merge: bool) -> tuple[Any, Samples]:
        """The table by rows, and its samples; with ``merge`` copies count as one with weight."""
        table = X.tocsr() if hasattr(X, "tocsr") else X if _is_lazy(X) else np.asarray(X)
        return table, distinct_samples(table, y.values, self.sample_weight, merge)

    def prior(self, scores: np.ndarray, selector: Any, X: Any, y: Any) -> Cut:
        """The smaller of knee and permuted; one of them alone where the other says nothing."""
        if self.first is not None:
            return self.first
        bend = Cut("knee", *Knee()(scores))
        if X is None or y is None or not _has_null(selector, y):
            return bend
        rule = EstimatedChance(self.q, fits=5, random_state=self.random_state)
        null = rule.null(scores, selector, X, y)
        found, bound = (
            cut.against(null, scores, selector) for cut in (rule, PermutedLabels(self.q))
        )
        is_order = bool((np.diff(np.sort(scores)) == 1).all())
        if found.forced or is_order or found.size <= bend.size:
            return replace(found, considered=(bound,))
        why = f"{bend.why} Against permuted labels {found.size:,} stand out."
        return replace(bend, why=why, q_values=found.q_values, considered=(bound,))

    def evidence(
        self,
        prior: Cut,
        selector: Any,
        X: Any,
        y: Target,
        samples: Samples,
        grid: Sequence[int] = _GRID,
    ) -> Evidence:
        """Every size judged on samples that had no part in the ranking."""
        samples = self._at_most(samples, y)
        X, target = take_rows(X, samples.rows), y.take(samples.rows)
        most = min(X.shape[1], selector._longest_search or X.shape[1], max(*grid, prior.size))
        prior = replace(prior, size=min(prior.size, most))
        sizes = np.unique([size for size in grid if size <= most] + [prior.size])
        splits = make_folds(target.strata(), self.folds, seed=self.random_state)
        tested, outputs = [], []
        for train, test in track(splits, "checking the size"):
            weight = () if samples.weight is None else (samples.weight[train],)
            order = _ranked(selector, most, take_rows(X, train), target.take(train), *weight)
            if order is not None:
                table, places = _in_memory(X, order[: sizes[-1]])
                tested.append(test)
                outputs.append(judged(Part(table, target, train, test), places, sizes))
        guess, measure = _guess(target), _MEASURES.get(target.type, "")
        folds, above = weighed(target, tested, outputs, guess)
        return Evidence(prior, sizes, folds, guess, above, measure)

    def _at_most(self, samples: Samples, y: Target) -> Samples:
        rows, weight = samples.rows, samples.weight
        if rows.size <= _MOST:
            return samples
        strata = y.take(rows).strata()
        some = holdout(strata, 1 - _MOST / rows.size, self.random_state)[0]
        return Samples(rows[some], None if weight is None else weight[some])


def judged(part: Part, order: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    """The judge's outputs for the test part from the best features of an order, so many each."""
    subsets = [order[:size] for size in sizes]
    return [each[0] for each in find_judge(kind=part.target.type).outputs(part, subsets, [_C])]


def weighed(
    target: Target, tested: list[np.ndarray], outputs: list[list[np.ndarray]], guess: float
) -> tuple[np.ndarray, np.ndarray]:
    """The scores (n_folds, n_sizes), and by how many standard errors every size beats guessing."""
    both = zip(tested, outputs, strict=True)
    folds = np.array([[quality(target, each, test) for each in sizes] for test, sizes in both])
    if len(folds) < 2:
        return folds, np.zeros(len(folds))
    if target.type != CLASSIFICATION:
        error = folds.std(axis=0, ddof=1) / np.sqrt(len(folds))
        return folds, (folds.mean(axis=0) - guess) / np.maximum(error, 1e-12)
    truth = target.values[np.concatenate(tested)]
    answers = [target.predict(np.concatenate(of_size)) for of_size in zip(*outputs, strict=True)]
    return folds, np.array([agreement(truth, given, target.n_classes) for given in answers])


def _ranked(selector: Any, size: int, X: Any, y: Target, *weight: np.ndarray) -> np.ndarray | None:
    """The order on some samples; None where the method cannot rank them."""
    if len(y) < selector._min_samples:
        return None
    again = clone(selector).set_params(n_features_to_select=size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return again.rank_checked(X, y, *weight)
        except ValueError:  # all columns constant in this part, say
            return None


def _in_memory(X: Any, columns: np.ndarray) -> tuple[Any, np.ndarray]:
    """The table that a judge reads, and where these columns stand in it."""
    if _is_lazy(X):
        return np.asarray(X[:, columns]), np.arange(columns.size)
    return X, columns


def _unchecked(prior: Cut) -> Cut:
    """What stays where there is no check: the bound that ``permuted`` promises, if smaller."""
    bound = next(iter(prior.considered), prior)
    return replace(bound, considered=(bound,)) if bound.size <= prior.size else prior


def _is_lazy(X: Any) -> bool:
    return isinstance(X, LazyTable)


def can_be_checked(target: Target) -> bool:
    """Whether there are samples enough, of every class, to leave some out."""
    few = target.type == CLASSIFICATION and target.counts.min() < 3
    return len(target) >= _FEWEST and not few


def _has_null(selector: Any, y: Target) -> bool:
    """Whether permuted labels tell something: classes or numbers, and scores that follow them."""
    return y.type != SURVIVAL and any(selector._label_weights() or ())


def _guess(target: Any) -> float:
    if target.type == CLASSIFICATION:
        return float(np.bincount(target.values).max() / target.values.size)
    if target.type in _GUESS:
        return _GUESS[target.type]
    return float(target.values.mean())


def _why(evidence: Evidence, size: int, forced: bool) -> str:
    """What stood out and what the check said of it."""
    prior, best = evidence.prior, evidence.best()
    here, top, guess = evidence.tell(size), evidence.tell(best), evidence.say(evidence.guess)
    if forced:
        return (
            f"{prior.why} In a check no size did clearly better than guessing ({top} at best, "
            f"{guess} by guessing)."
        )
    if prior.forced:
        return (
            f"No single feature stands out against permuted labels, but the best {size} predict: "
            f"{here} in a check, {guess} by guessing."
        )
    if size != prior.size:
        return (
            f"{prior.why} In a check {prior.size} do clearly worse than {best} "
            f"({evidence.tell(prior.size)} against {top}); {size} ({here}) is the nearest size "
            "that does not."
        )
    if evidence.mean(size) >= evidence.mean(best) - 1e-12:
        return f"{prior.why} In a check no other size does better ({here})."
    return f"{prior.why} In a check they do as well as {best} ({here} against {top})."
