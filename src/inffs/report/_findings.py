"""The findings of a run: sentences, each with a rule that its numbers must satisfy.

A finding is one function and one line of :data:`FINDINGS`, which are in the order of their
importance. Each function gets the :class:`Evidence` and returns a :class:`Finding` or None. The
first finding that applies is the headline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inffs._utils.words import counted, listed
from inffs.report._check import Check
from inffs.report._facts import Groups

_FEW = 4  # samples of a class: with fewer, one of them moves its share by more than a quarter
_WIDE = 0.1  # standard error of a share that leaves everything open
_AS_WELL = 0.01, 0.03  # loss that is allowed: on average, and less a standard error
_CLEARLY = 2.0  # standard errors
_UNEQUAL = 1.5  # largest class over the smallest one
_LEAST = 4  # selected features that are worth grouping
_NAMED = 4  # groups, and members of a group, that a sentence names
_WEAK = 0.05  # p-value above which a feature alone is not associated
_RATE = 0.1  # false discovery rate of the sentence about all features


@dataclass(frozen=True)
class Finding:
    """A few words for a headline, and the sentence with its numbers."""

    key: str
    headline: str
    sentence: str


@dataclass(frozen=True)
class Evidence:
    """The results that the findings are derived from; ``counts`` are the sizes of the classes.

    ``has_target`` is True for numbers and survival times. ``p_values`` and ``q_values`` test each
    feature alone; they are None where there is no target, or where samples repeat each other.
    """

    selector: Any
    names: Sequence[str]
    groups: Groups
    check: Check | None = None
    counts: np.ndarray | None = None
    has_target: bool = False
    p_values: np.ndarray | None = None
    q_values: np.ndarray | None = None

    @property
    def kept(self) -> int:
        """The number of selected features."""
        return int(self.selector.n_features_)

    @property
    def n_features(self) -> int:
        """The number of all features."""
        return int(self.selector.n_features_in_)

    @property
    def claims(self) -> bool:
        """Whether the rule that selected the features, and the evaluation, support them."""
        claimed = self.check is None or self.check.claimed
        return not self.selector.cut_.forced and claimed


def find(seen: Evidence) -> list[Finding]:
    """All findings that apply, the most important first."""
    found = (finding(seen) for finding in FINDINGS.values())
    return [one for one in found if one is not None]


def no_claim(seen: Evidence) -> Finding | None:
    """The rule found nothing, or had too few samples to evaluate what it selected."""
    cut = seen.selector.cut_
    if not cut.forced:
        return None
    if cut.name not in ("fdr", "predict"):
        words = f"{cut.why} The selection is not a finding."
        return Finding("no-claim", "No claim: too few samples to evaluate a selection", words)
    name = seen.names[seen.selector.order_[0]]
    what = "no significant feature" if cut.name == "fdr" else "no predictive feature"
    words = f"{name} is selected only because a selection cannot be empty. It is not a finding."
    return Finding("no-claim", f"No claim: {what} found", words)


def too_few_samples(seen: Evidence) -> Finding | None:
    """At least half of the classes are tiny, or the cross-validation leaves everything open."""
    if seen.counts is None:
        return None
    tiny, smallest = seen.counts < _FEW, int(seen.counts.min())
    head = "Too few samples for a conclusion"
    if 2 * tiny.sum() >= seen.counts.size:
        where = "per class" if np.ptp(seen.counts) == 0 else "in the smallest class"
        words = (
            f"With {counted(smallest, 'sample')} {where}, a single sample can change the ranking "
            f"and every score."
        )
        return Finding("too-few-samples", f"{head} ({smallest} {where})", words)
    check = seen.check
    if check is None or not check.words.share or check.claimed:
        return None
    reach = _CLEARLY * check.error(check.kept)
    if reach <= _CLEARLY * _WIDE or check.score - reach > check.baseline:
        return None
    words = (
        f"With {counted(check.n_samples, 'sample')} the {check.words.measure} of "
        f"{check.text(check.score)} may be off by {100 * reach:.0f} percentage points; the "
        f"baseline ({check.words.baseline}) is {check.text(check.baseline)}."
    )
    return Finding("too-few-samples", f"{head} ({check.n_samples:,} in all)", words)


def no_better_than_baseline(seen: Evidence) -> Finding | None:
    """The score is not clearly above the baseline."""
    check = seen.check
    if check is None or seen.selector.cut_.forced or check.claimed:
        return None
    shown = check.score - check.baseline <= _AS_WELL[0]
    what = "No better than the baseline" if shown else "Not clearly better than the baseline"
    return Finding("no-better-than-baseline", what, _scores(seen, check))


def no_better_than_random(seen: Evidence) -> Finding | None:
    """For a given size: as many features drawn at random reach as high a score."""
    check = seen.check
    if check is None or check.from_rule or not _random_reach_it(seen, check):
        return None
    shown = check.score - check.at_random <= _AS_WELL[0]
    what = "No better than random features" if shown else "Not clearly better than random features"
    return Finding("no-better-than-random", what, _scores(seen, check))


def random_as_well(seen: Evidence) -> Finding | None:
    """The same where the rule for the size found a predictive set: many other sets predict, too."""
    check = seen.check
    if check is None or not check.from_rule or not _random_reach_it(seen, check):
        return None
    what = "Random features are about as good"
    return Finding("random-as-well", what, f"{what}: {_random(seen, check)}")


def _random_reach_it(seen: Evidence, check: Check) -> bool:
    if seen.selector.cut_.forced or seen.kept > seen.n_features / 2:
        return False
    gain = check.kept - check.random[:, check.chosen]
    return bool(gain.mean() <= _CLEARLY * check.error_of_difference(gain))


def _random(seen: Evidence, check: Check) -> str:
    return (
        f"{counted(seen.kept, 'random feature')} {_verb(seen.kept, 'reach')} "
        f"{_stated(check, check.at_random)}, the selected {_noun(seen.kept)} {_with_error(check)}."
    )


def fewer_do(seen: Evidence) -> Finding | None:
    """A much smaller number of features reaches the same score."""
    check = seen.check
    if check is None or check.from_rule or not _is_predictive(seen):
        return None
    for place, size in enumerate(check.sizes[: check.chosen]):
        few = check.selected[:, place]
        if 2 * size <= seen.kept and as_well(check, few, check.kept):
            return Finding(
                "fewer-do",
                f"{counted(size, 'feature')} {_are(size)} {_how(check, few, check.kept)} "
                f"{seen.kept:,}",
                f"The first {size:,} of every fold {_verb(size, 'reach')} "
                f"{_stated(check, few.mean())}, all {seen.kept:,} selected features "
                f"{check.text(check.score)}. For prediction --keep {size} is enough.",
            )
    return None


def as_good_as_all(seen: Evidence) -> Finding | None:
    """The selected features reach the score of all features."""
    check = seen.check
    if check is None or not _is_predictive(seen):
        return None
    if 2 * seen.kept > seen.n_features or not as_well(check, check.kept, check.whole):
        return None
    return Finding(
        "as-good-as-all",
        f"{counted(seen.kept, 'feature')} {_are(seen.kept)} "
        f"{_how(check, check.kept, check.whole)} all {seen.n_features:,}",
        _scores(seen, check),
    )


def reached(seen: Evidence) -> Finding | None:
    """The score of the selected features, where no other finding states it."""
    check = seen.check
    if check is None or not seen.claims or as_good_as_all(seen) or no_better_than_random(seen):
        return None
    return Finding(
        "reached",
        f"{counted(seen.kept, 'feature')}: {_stated(check, check.score)}",
        _scores(seen, check),
    )


def unequal_classes(seen: Evidence) -> Finding | None:
    """The accuracy is misleading where one class is large: other measures stand beside it."""
    check = seen.check
    if check is None or seen.counts is None or not are_unequal(seen.counts):
        return None
    words = [f"The classes are unequal ({seen.counts.min():,} to {seen.counts.max():,} samples)"]
    for name, shown in (("balanced_accuracy", "balanced accuracy"), ("accuracy", "accuracy")):
        if name in check.others:
            values = check.others[name][0][:, check.chosen]
            words.append(f"{shown} {check.text(values.mean())} (± {_error(check, values)})")
    area = np.nanmean(check.others["auc"][0][:, check.chosen])
    words.append(f"AUC {area:.3f}")
    sentence = f"{words[0]}: {', '.join(words[1:])}."
    return Finding("unequal-classes", "The classes are unequal", sentence)


def groups(seen: Evidence) -> Finding | None:
    """The selected features form few groups of correlated features."""
    members = [seen.groups.members(group, seen.selector.ranking_) for group in seen.groups.groups]
    single = seen.groups.features.size - sum(map(len, members))
    all_seen = seen.groups.features.size == seen.kept >= _LEAST
    if not all_seen or not members or 2 * (len(members) + single) > seen.kept:
        return None
    told = [_any_of([seen.names[feature] for feature in group]) for group in members[:_NAMED]]
    told += ["any of each further group"] * (len(members) > _NAMED)
    alone = f" plus {counted(single, 'single feature')}" if single else ""
    head = (
        f"The {seen.kept} features form {counted(len(members), 'group')} of correlated "
        f"features{alone}"
    )
    return Finding("groups", head, f"{head}. {_one_of_each(seen.check, listed(told))}")


def _one_of_each(check: Check | None, told: str) -> str:
    """Whether one feature per group is enough: only the cross-validation can decide it."""
    if check is None or np.isnan(check.lone).all():
        return f"Within a group they can replace each other: {told}."
    lone = np.where(np.isnan(check.lone), check.kept, check.lone)
    reached = f"{_stated(check, lone.mean())} instead of {check.text(check.score)}"
    if as_well(check, lone, check.kept):
        return f"One per group is enough ({reached}): {told}."
    return f"The features of a group complement each other: one per group reaches {reached}."


def weak_alone(seen: Evidence) -> Finding | None:
    """Selected features that are not associated with the target alone."""
    if seen.p_values is None or seen.selector.cut_.forced:
        return None
    weak = int(np.sum(seen.p_values[seen.selector.order_[: seen.kept]] > _WEAK))
    if not weak:
        return None
    have = "has" if weak == 1 else "have"
    head = (
        f"{weak:,} of the {counted(seen.kept, 'selected feature')} {have} p > {_WEAK:g}"
        if seen.kept > 1
        else f"The selected feature has p > {_WEAK:g}"
    )
    return Finding("weak-alone", f"{head} alone", f"{head} when tested alone.")


def associated(seen: Evidence) -> Finding | None:
    """How many features are associated with the target: the answer to the other question."""
    if seen.q_values is None or seen.selector.cut_.name == "fdr":
        return None
    count = int(np.sum(seen.q_values <= _RATE))
    head = (
        f"{count or 'None'} of {counted(seen.n_features, 'feature')} "
        f"{'is' if count <= 1 else 'are'} associated with the target"
    )
    words = (
        f"{head}, each tested alone (false discovery rate {100 * _RATE:.0f} %, "
        f"Benjamini-Hochberg).{' --goal discover selects such features.' if count else ''}"
    )
    return Finding("associated", head, words)


def no_labels(seen: Evidence) -> Finding | None:
    """Without a target nothing can be evaluated."""
    if seen.counts is not None or seen.check is not None or seen.has_target:
        return None
    return Finding(
        "no-labels",
        f"{seen.kept:,} of {counted(seen.n_features, 'feature')} selected",
        "Without a label there is no evaluation, so it is unknown whether these features predict "
        "anything.",
    )


FINDINGS: dict[str, Callable[[Evidence], Finding | None]] = {
    "no-claim": no_claim,
    "too-few-samples": too_few_samples,
    "no-better-than-baseline": no_better_than_baseline,
    "no-better-than-random": no_better_than_random,
    "fewer-do": fewer_do,
    "as-good-as-all": as_good_as_all,
    "reached": reached,
    "random-as-well": random_as_well,
    "unequal-classes": unequal_classes,
    "groups": groups,
    "weak-alone": weak_alone,
    "associated": associated,
    "no-labels": no_labels,
}


def are_unequal(counts: np.ndarray) -> bool:
    """Whether the accuracy may mislead."""
    return bool(counts.max() >= _UNEQUAL * counts.min())


def as_well(check: Check, some: np.ndarray, others: np.ndarray) -> bool:
    """Whether scores in the folds lose no more than a point, and hardly more than three."""
    lost = others - some
    error = check.error_of_difference(lost)
    return bool(lost.mean() <= _AS_WELL[0] and lost.mean() + error <= _AS_WELL[1])


def _is_predictive(seen: Evidence) -> bool:
    """Whether the score may be compared with others at all."""
    return seen.claims and no_better_than_random(seen) is None


def _scores(seen: Evidence, check: Check) -> str:
    """The score, that of as many random features, of all features, and the baseline."""
    n = seen.n_features
    parts = [f"{_with_error(check)} with the {counted(seen.kept, 'selected feature')}"]
    if seen.kept < n:
        parts.append(f"{check.text(check.whole.mean())} with all {n:,}")
    if 2 * seen.kept <= n:
        parts.append(f"{check.text(check.at_random)} with {seen.kept:,} at random")
    parts.append(f"{check.text(check.baseline)} for the baseline ({check.words.baseline})")
    return f"Cross-validated {check.words.measure}: {', '.join(parts)}."


def _with_error(check: Check) -> str:
    """The score at the chosen size with its standard error."""
    return f"{check.text(check.score)} (± {_error(check, check.kept)})"


def _error(check: Check, values: np.ndarray) -> str:
    return check.words.error(check.error(values))


def _stated(check: Check, value: float) -> str:
    """A score and its name: 96.7 % accuracy, R2 0.47."""
    measure, text = check.words.measure, check.text(value)
    return f"{text} {measure}" if check.words.share else f"{measure} {text}"


def _how(check: Check, some: np.ndarray, others: np.ndarray) -> str:
    gain = some - others
    better = gain.mean() > max(_AS_WELL[0], _CLEARLY * check.error_of_difference(gain))
    quality = "accurate" if check.words.share else "predictive"
    return f"more {quality} than" if better else f"as {quality} as"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _verb(count: int, plural: str) -> str:
    return f"{plural}es" if count == 1 else plural


def _noun(count: int) -> str:
    return "feature" if count == 1 else "features"


def _any_of(names: list[str]) -> str:
    """Some members of a group."""
    shown = names[:_NAMED]
    if len(names) > _NAMED:
        shown = [*shown[:-1], f"{len(names) - _NAMED + 1} more"]
    return f"any of {listed(shown, 'or')}"
