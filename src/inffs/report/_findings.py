"""The sentences of a run: its findings, and the paragraph for a methods section.

A finding is one function and one line of :data:`FINDINGS`, which are in the order of their
importance. Each function gets the study and returns a headline and a sentence, or None where the
numbers do not satisfy its rule. The first finding that applies is the headline of the run.
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from inffs._utils.words import counted, listed
from inffs._version import __version__
from inffs.meta.constrained import constraints_of, unconstrained
from inffs.methods import catalogue
from inffs.report._check import Check

if TYPE_CHECKING:
    from inffs.report._report import Study

_FEW = 4  # samples of a class: with fewer, one of them moves its share by more than a quarter
_WIDE = 0.1  # standard error of a share that leaves everything open
_AS_WELL = 0.01, 0.03  # loss that is allowed: on average, and less a standard error
_CLEARLY = 2.0  # standard errors
_LEAST = 4  # selected features that are worth grouping
_NAMED = 4  # groups, and members of a group, that a sentence names
_WEAK = 0.05  # p-value above which a feature alone is not associated
_RATE = 0.1  # false discovery rate of the sentence about all features
_TECHNICAL = ("n_features_to_select", "memory_limit", "n_jobs", "verbose")
_SCORES_OF = {
    "inf-fs-c": "A feature is scored by what it adds to the features selected before it. Where "
    "no feature adds more than noise, a new path begins, and its first score is high again.",
}


@dataclass(frozen=True)
class Finding:
    """A few words for a headline, and the sentence with its numbers."""

    key: str
    headline: str
    sentence: str


def find(study: Study) -> list[Finding]:
    """All findings that apply, the most important first."""
    found = ((key, finding(study)) for key, finding in FINDINGS.items())
    return [Finding(key, *words) for key, words in found if words is not None]


Words = tuple[str, str] | None  # headline and sentence


def no_claim(study: Study) -> Words:
    """The rule found nothing, or had too few samples to evaluate what it selected."""
    cut = study.cut
    if not cut.forced:
        return None
    if cut.name not in ("fdr", "predict"):
        return (
            "No claim: too few samples to evaluate a selection",
            f"{cut.why} The selection is not a finding.",
        )
    what = "no significant feature" if cut.name == "fdr" else "no predictive feature"
    return (
        f"No claim: {what} found",
        f"{study.shown_names[study.selector.order_[0]]} is selected only because a selection "
        "cannot be empty. It is not a finding.",
    )


def too_few_samples(study: Study) -> Words:
    """At least half of the classes are tiny, or the cross-validation leaves everything open."""
    counts, check = study.counts, study.check
    if counts is None:
        return None
    head, smallest = "Too few samples for a conclusion", int(counts.min())
    if 2 * np.sum(counts < _FEW) >= counts.size:
        where = "per class" if np.ptp(counts) == 0 else "in the smallest class"
        return (
            f"{head} ({smallest} {where})",
            f"With {counted(smallest, 'sample')} {where}, a single sample can change the ranking "
            "and every score.",
        )
    if check is None or not check.words.share or check.claimed:
        return None
    reach = _CLEARLY * check.error(check.kept)
    if reach <= _CLEARLY * _WIDE or check.score - reach > check.baseline:
        return None
    return (
        f"{head} ({check.n_samples:,} in all)",
        f"With {counted(check.n_samples, 'sample')} the {check.words.measure} of "
        f"{check.text(check.score)} may be off by {100 * reach:.0f} percentage points; the "
        f"baseline ({check.words.baseline}) is {check.text(check.baseline)}.",
    )


def discovered(study: Study) -> Words:
    """How many features the permutation tests find: the answer to ``--goal discover``."""
    if study.cut.name != "fdr" or study.cut.forced:
        return None
    are = "is" if study.kept == 1 else "are"
    head = f"{study.kept:,} of {counted(study.n_features, 'feature')} {are} significant"
    return head, study.cut.why


def no_better_than_baseline(study: Study) -> Words:
    """The score is not clearly above the baseline."""
    check = study.check
    if check is None or study.cut.forced or check.claimed:
        return None
    return _not_better(check.baseline, check, "the baseline"), _scores(study, check)


def no_better_than_random(study: Study) -> Words:
    """For a given size: as many features drawn at random reach as high a score."""
    check = study.check
    if check is None or check.from_rule or not _random_reach_it(study, check):
        return None
    return _not_better(check.at_random, check, "random features"), _scores(study, check)


def _not_better(than: float, check: Check, what: str) -> str:
    how = "No better" if check.score - than <= _AS_WELL[0] else "Not clearly better"
    return f"{how} than {what}"


def fewer_do(study: Study) -> Words:
    """A much smaller number of features reaches the same score."""
    check = study.check
    if check is None or check.from_rule or not _is_predictive(study):
        return None
    for place, size in enumerate(check.sizes[: check.chosen]):
        few = check.selected[:, place]
        if 2 * size <= study.kept and as_well(check, few, check.kept):
            return (
                f"{_compared(check, size, few, check.kept)} {study.kept:,}",
                f"The first {size:,} of every fold {'reaches' if size == 1 else 'reach'} "
                f"{check.stated(few.mean())}, all {study.kept:,} selected features "
                f"{check.text(check.score)}. For prediction --keep {size} is enough.",
            )
    return None


def as_good_as_all(study: Study) -> Words:
    """The selected features reach the score of all features."""
    check = study.check
    if check is None or not _is_predictive(study):
        return None
    if 2 * study.kept > study.n_features or not as_well(check, check.kept, check.whole):
        return None
    head = _compared(check, study.kept, check.kept, check.whole)
    return f"{head} all {study.n_features:,}", _scores(study, check)


def reached(study: Study) -> Words:
    """The score of the selected features, where no other finding states it."""
    check = study.check
    if check is None or not _is_predictive(study) or as_good_as_all(study):
        return None
    head = f"{counted(study.kept, 'feature')}: {check.stated(check.score)}"
    return head, _scores(study, check)


def random_as_well(study: Study) -> Words:
    """The same where the rule for the size found a predictive set: many other sets predict, too."""
    check = study.check
    if check is None or not check.from_rule or not _random_reach_it(study, check):
        return None
    head = "Random features are about as good"
    reach, features = ("reaches", "feature") if study.kept == 1 else ("reach", "features")
    return head, (
        f"{head}: {counted(study.kept, 'random feature')} {reach} "
        f"{check.stated(check.at_random)}, the selected {features} {check.with_error(check.kept)}."
    )


def left_out(study: Study) -> Words:
    """Classes that are ranked, but too small for the folds of the size rule."""
    check = study.check
    return None if check is None or not check.left_out else ("Small classes", check.left_out)


def unequal_classes(study: Study) -> Words:
    """The accuracy is misleading where one class is large: other measures stand beside it."""
    check, counts = study.check, study.counts
    if check is None or counts is None or check.beside is None or not study.unequal:
        return None
    name, values, area = check.beside
    head = "The classes are unequal"
    among = f"({counts.min():,} to {counts.max():,} samples)"
    return head, f"{head} {among}: {name} {check.with_error(values)}, AUC {area:.3f}."


def groups(study: Study) -> Words:
    """The selected features form few groups of correlated features."""
    found, kept = study.groups, study.kept
    members = [found.members(group, study.selector.ranking_) for group in found.groups]
    single = found.features.size - sum(map(len, members))
    all_seen = found.features.size == kept >= _LEAST
    if not all_seen or not members or 2 * (len(members) + single) > kept:
        return None
    alone = f" plus {counted(single, 'single feature')}" if single else ""
    many = f"{counted(len(members), 'group')} of correlated features{alone}"
    head = f"The {kept} features form {many}"
    named = [[study.shown_names[feature] for feature in group] for group in members[:_NAMED]]
    return head, f"{head}. {_one_of_each(study.check, named, len(members) > _NAMED)}"


def _one_of_each(check: Check | None, named: list[list[str]], more: bool) -> str:
    """Whether one feature per group is enough: only the cross-validation can decide it."""
    each = [f"any of {_shortened(group, 'or')}" for group in named]
    told = listed(each + ["any of each further group"] * more)
    if check is None or np.isnan(check.lone).all():
        return f"Within a group they can replace each other: {told}."
    lone = np.where(np.isnan(check.lone), check.kept, check.lone)
    reached = f"{check.stated(lone.mean())} instead of {check.text(check.score)}"
    if as_well(check, lone, check.kept):
        return f"One per group is enough ({reached}): {told}."
    together = "; ".join(_shortened(group, "and") for group in named) + "; ..." * more
    return (
        f"The features of a group complement each other ({together}): one per group reaches "
        f"{reached}."
    )


def _shortened(names: list[str], word: str) -> str:
    """Some members of a group."""
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    return listed(names, word)


def weak_alone(study: Study) -> Words:
    """Selected features that are not associated with the target alone."""
    p_values, _ = study.tests
    if p_values is None or study.cut.forced:
        return None
    weak = int(np.sum(p_values[study.selector.order_[: study.kept]] > _WEAK))
    if not weak:
        return None
    which = f"{weak:,} of the {study.kept:,} selected features"
    which = which if study.kept > 1 else "The selected feature"
    head = f"{which} {'has' if weak == 1 else 'have'} p > {_WEAK:g}"
    return f"{head} alone", f"{head} when tested alone."


def associated(study: Study) -> Words:
    """How many features are associated with the target: the answer to the other question."""
    _, q_values = study.tests
    if q_values is None or study.cut.name == "fdr":
        return None
    count = int(np.sum(q_values <= _RATE))
    head = (
        f"{f'{count:,}' if count else 'None'} of {counted(study.n_features, 'feature')} "
        f"{'is' if count <= 1 else 'are'} associated with the target"
    )
    words = (
        f"{head}, each tested alone (false discovery rate {100 * _RATE:.0f} %, "
        f"Benjamini-Hochberg).{' --goal discover selects such features.' if count else ''}"
    )
    return head, words


def no_labels(study: Study) -> Words:
    """Without a target nothing can be evaluated."""
    if study.target is not None:
        return None
    return (
        f"{study.kept:,} of {counted(study.n_features, 'feature')} selected",
        "Without a label there is no evaluation, so it is unknown whether these features predict "
        "anything.",
    )


FINDINGS: dict[str, Callable[[Study], Words]] = {
    finding.__name__.replace("_", "-"): finding
    for finding in (
        no_claim, too_few_samples, discovered, no_better_than_baseline, no_better_than_random,
        fewer_do, as_good_as_all, reached, random_as_well, left_out, unequal_classes, groups,
        weak_alone, associated, no_labels,
    )
}  # fmt: skip


def as_well(check: Check, some: np.ndarray, others: np.ndarray) -> bool:
    """Whether scores in the folds lose no more than a point, and hardly more than three."""
    lost = others - some
    error = check.error_of_difference(lost)
    return bool(lost.mean() <= _AS_WELL[0] and lost.mean() + error <= _AS_WELL[1])


def _random_reach_it(study: Study, check: Check) -> bool:
    if study.cut.forced or study.kept > study.n_features / 2:
        return False
    gain = check.kept - check.random[:, check.chosen]
    return bool(gain.mean() <= _CLEARLY * check.error_of_difference(gain))


def _is_predictive(study: Study) -> bool:
    """Whether the selection is claimed, and its score may be compared with others."""
    claimed = study.check is None or study.check.claimed
    return not study.cut.forced and claimed and no_better_than_random(study) is None


def _scores(study: Study, check: Check) -> str:
    """The score, that of as many random features, of all features, and the baseline."""
    n = study.n_features
    parts = [f"{check.with_error(check.kept)} with the {counted(study.kept, 'selected feature')}"]
    if study.kept < n:
        parts.append(f"{check.text(check.whole.mean())} with all {n:,}")
    if 2 * study.kept <= n:
        parts.append(f"{check.text(check.at_random)} with {study.kept:,} at random")
    parts.append(f"{check.text(check.baseline)} for the baseline ({check.words.baseline})")
    return f"Cross-validated {check.words.measure}: {', '.join(parts)}."


def _compared(check: Check, size: int, some: np.ndarray, others: np.ndarray) -> str:
    """The beginning of a headline: 20 features are as accurate as."""
    gain = some - others
    better = gain.mean() > max(_AS_WELL[0], _CLEARLY * check.error_of_difference(gain))
    quality = "accurate" if check.words.share else "predictive"
    how = f"more {quality} than" if better else f"as {quality} as"
    return f"{counted(size, 'feature')} {'is' if size == 1 else 'are'} {how}"


def methods_paragraph(
    selector: Any, shape: tuple[int, int], check: Check | None, done: Sequence[str] = ()
) -> str:
    """A paragraph for a methods section; ``done`` are sentences about preparation."""
    T, n = shape
    key, cut, found = find_key(selector), selector.cut_, versions()
    given = given_parameters(selector) | plain_values(constraints_of(selector))
    params = ", ".join(
        f"{name} = {_rounded(value)}"
        for name, value in given.items()
        if name not in _TECHNICAL and (name, value) != ("missing", "refuse")
    )
    size = f"selected {selector.n_features_:,} of {counted(n, 'feature')}"
    own = check is not None and check.from_rule  # the sentence about the evaluation has the rest
    sentences = [
        *done,
        f"Features were ranked on {counted(T, 'sample')} and {counted(n, 'feature')} with "
        f"{type(unconstrained(selector)).__name__}{f' ({key})' if key else ''} as implemented in "
        f"inffs {found['inffs']}{f' ({params})' if params else ''}.",
        *([] if cut.name == "given" else [f"The rule {cut.name} {size}."]),
        *(["The selection is not a finding."] if cut.forced else []),
        *([] if own else [cut.why]),
        *([] if check is None else [_checked(check), check.left_out]),
        "Computations used "
        + ", ".join(f"{name} {number}" for name, number in found.items() if name != "inffs")
        + ".",
    ]
    if papers := references_of(selector):
        sentences.append(f"Reference: {' '.join(papers)}")
    return " ".join(filter(None, sentences))


def _checked(check: Check) -> str:
    size, words = check.sizes[check.chosen], check.words
    best = "first feature" if size == 1 else f"first {size:,} features"
    error = f"{check.error_text(check.kept)}{' percentage points' * words.share}"
    others = ""
    if check.beside is not None:
        name, values, area = check.beside
        others = f" ({name} {check.text(values.mean())}, AUC {area:.3f})"
    return (
        f"In a cross-validation ({check.folds} folds) the ranking was repeated in every training "
        f"part, and {words.model} predicted the samples left out. Its {words.measure} was "
        f"{check.text(check.score)} (standard error {error}) with the {best} of every fold"
        f"{others}, {check.text(check.whole.mean())} with all features and "
        f"{check.text(check.at_random)} with as many random features."
    )


def _rounded(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_rounded, value))})"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def find_key(selector: Any) -> str | None:
    """The catalogue key of a selector's class."""
    name = type(unconstrained(selector)).__name__
    return next((entry.key for entry in catalogue() if entry.class_name == name), None)


def scores_explained(selector: Any) -> str:
    """What the scores of the method mean, where they are not a value per feature."""
    return _SCORES_OF.get(find_key(selector) or "", "")


def references_of(selector: Any) -> list[str]:
    """The papers in the docstrings of the class, and of the methods that it combines."""
    selector = unconstrained(selector)
    asked = [*getattr(selector, "selectors_", ()), getattr(selector, "best_selector_", None)]
    makers = [type(selector), *(type(each) for each in asked if hasattr(each, "scores_"))]
    return list(dict.fromkeys(paper for maker in makers for paper in _papers(maker)))


def _papers(maker: type) -> list[str]:
    text = inspect.getdoc(maker) or ""
    found = re.search(r"References\n-+\n(.*?)(?:\n\n[A-Z][\w ]*\n-+\n|\Z)", text, re.S)
    if not found:
        return []
    papers = re.split(r"\n\s*\n|\n(?=\.\. \[)", found.group(1).strip())
    return [" ".join(re.sub(r"^\.\. \[\d+\]\s*", "", paper).split()) for paper in papers]


def versions() -> dict[str, str]:
    """Versions of all packages that were used."""
    packages = ("numpy", "scipy", "scikit-learn", "joblib")
    known = {"python": platform.python_version(), "inffs": __version__}
    return known | {package: version(package) for package in packages}


def given_parameters(selector: Any) -> dict[str, Any]:
    """The selector's parameters as plain values, for text and JSON."""
    return plain_values(unconstrained(selector).get_params(deep=False))


def plain_values(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as text and JSON take them."""
    return {name: _plain(value) for name, value in params.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
