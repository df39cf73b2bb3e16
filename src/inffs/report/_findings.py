"""What a run found, in sentences that its numbers support.

A finding is one function and one line of :data:`FINDINGS`, which stand in the order of their
weight. It gets the :class:`Evidence` and returns a :class:`Finding` or None; the first one that
does is the headline.
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
_WIDE = 0.1  # standard error of an accuracy that leaves everything open
_AS_WELL = 0.01, 0.03  # accuracy that may be lost: on average, and less a standard error
_CLEARLY, _SURELY = 2.0, 3.0  # standard errors
_UNEQUAL = 1.5  # largest class over the smallest one
_LEAST = 4  # kept features that are worth grouping
_NAMED = 4  # groups, and members of a group, that a sentence names


@dataclass(frozen=True)
class Finding:
    """A few words for a headline, and the sentence with its numbers."""

    key: str
    headline: str
    sentence: str


@dataclass(frozen=True)
class Evidence:
    """What the findings are read from; ``counts`` are the sizes of the classes.

    ``has_target`` is True for numbers and survival times.
    """

    selector: Any
    names: Sequence[str]
    groups: Groups
    check: Check | None = None
    counts: np.ndarray | None = None
    has_target: bool = False

    @property
    def kept(self) -> int:
        """How many features are kept."""
        return int(self.selector.n_features_)

    @property
    def n_features(self) -> int:
        """How many there are."""
        return int(self.selector.n_features_in_)


def find(seen: Evidence) -> list[Finding]:
    """All findings that apply, the weightiest first."""
    told = (finding(seen) for finding in FINDINGS.values())
    return [one for one in told if one is not None]


def nothing_stands_out(seen: Evidence) -> Finding | None:
    """The cut kept a feature only because a selection cannot be empty."""
    if not seen.selector.cut_.forced:
        return None
    name = seen.names[seen.selector.order_[0]]
    words = f"No feature stands out; {name} is kept because a selection cannot be empty."
    return Finding("nothing-stands-out", "Nothing stands out", words)


def too_few_samples(seen: Evidence) -> Finding | None:
    """At least half of the classes are tiny, or the check leaves everything open."""
    if seen.counts is None:
        return None
    tiny, smallest = seen.counts < _FEW, int(seen.counts.min())
    head = "Too few samples to tell"
    if 2 * tiny.sum() >= seen.counts.size:
        where = "per class" if np.ptp(seen.counts) == 0 else "in the smallest class"
        words = (
            f"With {counted(smallest, 'sample')} {where} one sample more or less decides the "
            "ranking and every accuracy: take the order as a hint."
        )
        return Finding("too-few-samples", f"{head} ({smallest} {where})", words)
    check = seen.check
    if check is None:
        return None
    reach = _CLEARLY * check.error(check.kept)
    if reach <= _CLEARLY * _WIDE or check.accuracy - reach > check.guess:
        return None
    words = (
        f"On {check.n_samples:,} samples the accuracy of the features kept, {check.accuracy:.0%}, "
        f"may be {100 * reach:.0f} points off; guessing reaches {check.guess:.0%}."
    )
    return Finding("too-few-samples", f"{head} ({check.n_samples} in all)", words)


def no_better_than_random(seen: Evidence) -> Finding | None:
    """Columns drawn at random reached as much in the check."""
    check = seen.check
    if check is None or seen.kept > seen.n_features / 2:
        return None
    gain = check.kept - check.random[:, check.chosen]
    if gain.mean() > _CLEARLY * _error(gain):
        return None
    shown = gain.mean() <= _AS_WELL[0]
    what = "No better than random columns" if shown else "Not clearly better than random columns"
    words = (
        f"In the check {counted(seen.kept, 'column')} drawn at random "
        f"reached {check.chance:.1%}, the features kept {check.accuracy:.1%} "
        f"(± {100 * check.error(check.kept):.1f})."
    )
    return Finding("no-better-than-random", what, words)


def no_better_than_guessing(seen: Evidence) -> Finding | None:
    """What was reached is not clearly above a guess, nor the balanced accuracy above its own."""
    check = seen.check
    if check is None or _predicts(check, seen.counts):
        return None
    shown = check.accuracy - check.guess <= _AS_WELL[0]
    what = "No better than guessing" if shown else "Not clearly better than guessing"
    words = f"In the check the features kept reached {told_accuracy(check)}; {_guessed(check)}."
    return Finding("no-better-than-guessing", what, words)


def _predicts(check: Check, counts: np.ndarray | None) -> bool:
    found = [(check.kept, check.guess)]
    if counts is not None:
        balanced = check.others["balanced_accuracy"][0][:, check.chosen]
        found.append((balanced, 1 / counts.size))
    return any(values.mean() - _SURELY * check.error(values) > guess for values, guess in found)


def _says_nothing(seen: Evidence) -> bool:
    """Whether there is nothing to be as good as."""
    reasons = nothing_stands_out, no_better_than_random, no_better_than_guessing
    return any(reason(seen) for reason in reasons)


def fewer_do(seen: Evidence) -> Finding | None:
    """A much smaller number of features did as well in the check, or better."""
    check = seen.check
    if check is None or _says_nothing(seen):
        return None
    for place, size in enumerate(check.sizes[: check.chosen]):
        few = check.selected[:, place]
        if 2 * size <= seen.kept and as_well(few, check.kept):
            return Finding(
                "fewer-do",
                f"{counted(size, 'feature')} {_do(size)} {_how(few, check.kept)} {seen.kept:,}",
                f"In the check the best {size:,} of every fold reached {few.mean():.1%}, all "
                f"{seen.kept:,} kept {check.accuracy:.1%}: --keep {size} is enough to predict.",
            )
    return None


def as_good_as_all(seen: Evidence) -> Finding | None:
    """The features kept did as well as all of them."""
    check = seen.check
    if check is None or _says_nothing(seen):
        return None
    if 2 * seen.kept > seen.n_features or not as_well(check.kept, check.whole):
        return None
    return Finding(
        "as-good-as-all",
        f"{counted(seen.kept, 'feature')} {_do(seen.kept)} {_how(check.kept, check.whole)} "
        f"all {seen.n_features:,}",
        f"In the check the features kept reached {told_accuracy(check)}, all {seen.n_features:,} "
        f"features {check.whole.mean():.1%}; {_guessed(check)}.",
    )


def reached(seen: Evidence) -> Finding | None:
    """What the features kept reach: the plain answer where there is no better one."""
    check = seen.check
    if check is None or seen.selector.cut_.forced:
        return None
    if no_better_than_guessing(seen) or as_good_as_all(seen):
        return None
    return Finding(
        "reached",
        f"{counted(seen.kept, 'feature')} {'reaches' if seen.kept == 1 else 'reach'} "
        f"{check.accuracy:.1%}",
        check.words.reached.format(
            told=told_accuracy(check),
            whole=f"all {seen.n_features:,} features {check.whole.mean():.1%}",
        )
        + f"; {_guessed(check)}.",
    )


def unequal_classes(seen: Evidence) -> Finding | None:
    """Accuracy flatters where one class is large: the other measures say more."""
    check = seen.check
    if check is None or seen.counts is None or not are_unequal(seen.counts):
        return None
    balanced, area = (
        check.others[name][0][:, check.chosen] for name in ("balanced_accuracy", "auc")
    )
    words = (
        f"The classes are unequal ({seen.counts.min():,} to {seen.counts.max():,} samples): "
        f"balanced accuracy {balanced.mean():.1%} (± {100 * check.error(balanced):.1f}), AUC "
        f"{np.nanmean(area):.3f}."
    )
    return Finding("unequal-classes", "The classes are unequal", words)


def groups(seen: Evidence) -> Finding | None:
    """The features kept are few groups that repeat each other."""
    members = [seen.groups.members(group, seen.selector.ranking_) for group in seen.groups.groups]
    single = seen.groups.features.size - sum(map(len, members))
    all_seen = seen.groups.features.size == seen.kept >= _LEAST
    if not all_seen or not members or 2 * (len(members) + single) > seen.kept:
        return None
    told = [_any_one([seen.names[feature] for feature in group]) for group in members[:_NAMED]]
    told += ["any one of every other group"] * (len(members) > _NAMED)
    alone = f" and {counted(single, 'feature')} by {'itself' if single == 1 else 'themselves'}"
    head = f"These {seen.kept} are {counted(len(members), 'group')}" + alone * (single > 0)
    return Finding("groups", head, f"{head}{_one_of_each(seen.check, listed(told))}.")


def _one_of_each(check: Check | None, told: str) -> str:
    """Any one will do only where the check tried one of each."""
    if check is None or np.isnan(check.lone).all():
        return f", the members of a group repeating each other: {told}"
    lone = np.where(np.isnan(check.lone), check.kept, check.lone)
    reached = f"one of each reached {lone.mean():.1%} in the check, all {check.accuracy:.1%}"
    if as_well(lone, check.kept):
        return f": {told} will do ({reached})"
    return f" that repeat each other, but together they say more ({reached})"


def no_labels(seen: Evidence) -> Finding | None:
    """Without labels nothing can be checked."""
    if seen.counts is not None or seen.check is not None or seen.has_target:
        return None
    return Finding(
        "no-labels",
        f"{seen.kept:,} of {seen.n_features:,} features kept",
        "Without classes there is no check: nothing here says whether these features predict "
        "anything.",
    )


FINDINGS: dict[str, Callable[[Evidence], Finding | None]] = {
    "nothing-stands-out": nothing_stands_out,
    "too-few-samples": too_few_samples,
    "no-better-than-guessing": no_better_than_guessing,
    "no-better-than-random": no_better_than_random,
    "fewer-do": fewer_do,
    "as-good-as-all": as_good_as_all,
    "reached": reached,
    "unequal-classes": unequal_classes,
    "groups": groups,
    "no-labels": no_labels,
}


def are_unequal(counts: np.ndarray) -> bool:
    """Whether the accuracy may flatter."""
    return bool(counts.max() >= _UNEQUAL * counts.min())


def as_well(some: np.ndarray, others: np.ndarray) -> bool:
    """Whether accuracies in the folds lose no more than a point, and hardly more than three."""
    lost = others - some
    return bool(lost.mean() <= _AS_WELL[0] and lost.mean() + _error(lost) <= _AS_WELL[1])


def told_accuracy(check: Check) -> str:
    """The accuracy at the chosen size with its standard error."""
    return f"{check.accuracy:.1%} (± {100 * check.error(check.kept):.1f})"


def _guessed(check: Check) -> str:
    """What who knows nothing reaches."""
    return check.words.guessed.format(guess=f"{check.guess:.1%}")


def _how(some: np.ndarray, others: np.ndarray) -> str:
    gain = some - others
    better = gain.mean() > max(_AS_WELL[0], _CLEARLY * _error(gain))
    return "better than" if better else "as well as"


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0


def _do(count: int) -> str:
    return "does" if count == 1 else "do"


def _any_one(names: list[str]) -> str:
    """Some members of a group."""
    shown = names[:_NAMED]
    if len(names) > _NAMED:
        shown = [*shown[:-1], f"{len(names) - _NAMED + 1} more"]
    return f"any one of {listed(shown, 'or')}"
