"""How many features to keep: size rules, by name in :data:`CUTS`.

A rule is a :class:`SizeRule`, which is called with the ranking, the samples and one callable that
ranks some of the samples again; or any callable that takes the scores and returns a size, or a size
and a sentence. The rules in :data:`SCORE_CUTS` read only the scores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inffs._utils.words import did_you_mean
from inffs.cuts.by_scores import Histogram, Knee, MeanShift, Middle
from inffs.cuts.cut import Cut, RankAgain, ScoreCut, SizeRule, SizeSelection
from inffs.cuts.false_discovery_rate import FalseDiscoveryRate
from inffs.cuts.predict import Predict
from inffs.cuts.samples import Samples
from inffs.cuts.stability import Stability
from inffs.scores import Ranking

__all__ = [
    "CUTS",
    "SCORE_CUTS",
    "Cut",
    "FalseDiscoveryRate",
    "Histogram",
    "Knee",
    "MeanShift",
    "Middle",
    "Predict",
    "Ranking",
    "Samples",
    "ScoreCut",
    "SizeRule",
    "SizeSelection",
    "Stability",
    "apply_cut",
]


CUTS: dict[str, Any] = {
    "predict": Predict(),
    "fdr": FalseDiscoveryRate(),
    "stability": Stability(),
    "middle": Middle(),
    "knee": Knee(),
    "histogram": Histogram(),
    "mean-shift": MeanShift(),
}

SCORE_CUTS = {name: cut for name, cut in CUTS.items() if isinstance(cut, ScoreCut)}


def default_cut(supervised: bool) -> str:
    """What "auto" means for a method that uses labels, or for one that does not."""
    return "predict" if supervised else "middle"


def needs_table(asked: Any) -> bool:
    """Whether a rule (or its name) ranks samples again or tests them, not only reads scores."""
    return isinstance(CUTS.get(asked) if isinstance(asked, str) else asked, SizeRule)


def apply_cut(
    asked: Any,
    ranking: Any,
    samples: Samples | None = None,
    rank_again: RankAgain | None = None,
) -> Cut:
    """Decide how many features to keep, by the name of a rule or by a callable.

    Parameters
    ----------
    asked : str or callable
        The name of a rule, a :class:`SizeRule`, or a callable. A callable receives the scores and
        returns a size, or a size and a sentence.
    ranking : Ranking or array of shape (n_features,)
        The ranked features, or only their scores.
    samples : Samples, optional
        The samples that were ranked, for rules that use the table.
    rank_again : callable, optional
        ``rank_again(samples, n)`` gives the order on some of the samples.

    Returns
    -------
    Cut

    See Also
    --------
    SizeRule : Base class of the rules.

    Examples
    --------
    >>> from inffs.cuts import apply_cut
    >>> apply_cut("knee", [9.0, 8.0, 7.5, 2.0, 1.5, 1.0]).size
    3
    """
    ranking = Ranking.of(ranking)
    name, rule = _find_rule(asked)
    if isinstance(rule, SizeRule):
        if samples is None and not isinstance(rule, Predict):
            raise ValueError(f"The cut {name!r} needs the whole table, not only the scores.")
        answer = rule(ranking, samples, rank_again)  # type: ignore[arg-type]
    else:
        answer = rule(_readable(ranking, asked))
    return answer if isinstance(answer, Cut) else _as_cut(answer, name, ranking.scores.size)


def _readable(ranking: Ranking, asked: Any) -> np.ndarray:
    """The scores, unless they do not fall along the order and a rule of ours would read them."""
    if isinstance(asked, str) and not ranking.falling:
        raise ValueError(
            f"This method ranks by its own order and its scores do not fall along it, so the cut "
            f"{asked!r} cannot read them: give n_features_to_select a number."
        )
    return ranking.scores


def _as_cut(answer: Any, name: str, n: int) -> Cut:
    size, why = answer if isinstance(answer, tuple) else (answer, f"The cut {name} decided so.")
    if not (isinstance(size, (int, np.integer)) and 1 <= size <= n):
        raise ValueError(
            f"The cut {name} must return a number of features between 1 and {n}; it gave {size!r}."
        )
    return Cut(name, int(size), why)


def _find_rule(asked: Any) -> tuple[str, Callable[..., Any]]:
    if callable(asked):
        return getattr(asked, "__name__", type(asked).__name__), asked
    if asked in CUTS:
        return asked, CUTS[asked]
    hint = did_you_mean(asked, ["auto", *CUTS])
    raise ValueError(
        f"n_features_to_select={asked!r} is no cut.{' ' * bool(hint)}{hint} Give a number, a "
        f"fraction or one of auto, {', '.join(CUTS)}."
    )
