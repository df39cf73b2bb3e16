"""The registry of the cuts: one line per cut. Finds a cut by name and applies it.

A cut is any callable ``cut(scores, *, selector, X, y)`` that returns a size, or a size and a
sentence why.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from inffs._utils.words import did_you_mean
from inffs.cuts.by_scores import (
    BrokenStick,
    Gap,
    Histogram,
    Jenks,
    Knee,
    MeanShift,
    Middle,
    Mixture,
    Otsu,
    SecondDifference,
)
from inffs.cuts.by_table import CrossValidation, Stability
from inffs.cuts.cut import Cut
from inffs.cuts.false_discovery_rate import FalseDiscoveryRate
from inffs.cuts.supported import Supported

CUTS: dict[str, Any] = {
    "middle": Middle(),
    "histogram": Histogram(),
    "mean-shift": MeanShift(),
    "mean-shift-fixed": MeanShift(variable=False),
    "mean-shift-isj": MeanShift(variable=False, bandwidth="isj"),
    "gap": Gap(),
    "otsu": Otsu(),
    "jenks": Jenks(),
    "mixture": Mixture(),
    "knee": Knee(),
    "second-difference": SecondDifference(),
    "broken-stick": BrokenStick(),
    "supported": Supported(),
    "fdr": FalseDiscoveryRate(),
    "cross-validation": CrossValidation(),
    "stability": Stability(),
}

SCORE_CUTS = {name: cut for name, cut in CUTS.items() if not cut.needs_table}

# "auto" and the next choice, with labels and without. What reads only the scores follows from the
# study of the cuts: see reproduction.cutting.ranked_defaults, which a test holds against the
# results. "supported" has evidence of its own: see the page "How many features should I keep?".
DEFAULTS = {True: ("supported", "knee"), False: ("middle", "histogram")}


def size_asked(n_features_to_select: Any, n: int) -> int | None:
    """How many of n features are asked for; None where a cut decides.

    Parameters
    ----------
    n_features_to_select : int, float, str or callable
        As a selector takes it.
    n : int
        Number of features.

    Returns
    -------
    int or None

    See Also
    --------
    apply_cut : What decides where this is None.

    Examples
    --------
    >>> from inffs.cuts import size_asked
    >>> size_asked(0.1, 200), size_asked(7, 200), size_asked("knee", 200)
    (20, 7, None)
    """
    if isinstance(n_features_to_select, str) or callable(n_features_to_select):
        return None
    if isinstance(n_features_to_select, Integral):
        return int(n_features_to_select)
    return max(1, round(n_features_to_select * n))


def default_cut(selector: Any = None) -> str:
    """What "auto" means for this selector: a cut's name.

    Parameters
    ----------
    selector : FeatureSelector, optional
        Methods with labels and without have different ones.

    Returns
    -------
    str

    See Also
    --------
    runner_up : The next choice.

    Examples
    --------
    >>> from inffs.cuts import CUTS, default_cut
    >>> default_cut() in CUTS
    True
    """
    return _ranked_cuts(selector)[0]


def runner_up(selector: Any = None) -> str:
    """The next choice for this selector in the study of the cuts.

    Parameters
    ----------
    selector : FeatureSelector, optional
        Methods with labels and without have different ones.

    Returns
    -------
    str

    See Also
    --------
    default_cut : The first choice.

    Examples
    --------
    >>> from inffs.cuts import default_cut, runner_up
    >>> runner_up() != default_cut()
    True
    """
    return _ranked_cuts(selector)[1]


def quick_cut(selector: Any = None) -> str:
    """What "auto" means where the size is not checked: a cut that reads only the scores.

    Parameters
    ----------
    selector : FeatureSelector, optional
        Whose scores are cut.

    Returns
    -------
    str
        The better of the default and the runner-up that reads only the scores.

    See Also
    --------
    default_cut, runner_up : Both of them.

    Examples
    --------
    >>> from inffs import InfFSS
    >>> from inffs.cuts import quick_cut
    >>> quick_cut(InfFSS())
    'knee'
    """
    return next(name for name in _ranked_cuts(selector) if name in SCORE_CUTS)


def _ranked_cuts(selector: Any) -> tuple[str, str]:
    return DEFAULTS[bool(getattr(selector, "_supervised", False))]


def needs_table(asked: Any) -> bool:
    """Whether this cut reads the table and the order, not the heights of the scores.

    Parameters
    ----------
    asked : str or callable
        A cut or its name.

    Returns
    -------
    bool

    See Also
    --------
    apply_cut : Hands it the table.

    Examples
    --------
    >>> from inffs.cuts import needs_table
    >>> needs_table("knee"), needs_table("cross-validation")
    (False, True)
    """
    rule = CUTS.get(asked) if isinstance(asked, str) else asked
    return bool(getattr(rule, "needs_table", False))


def apply_cut(asked: Any, scores: np.ndarray, *, selector: Any, X: Any, y: Any) -> Cut:
    """Cut by name ("auto" is the default cut) or by a callable of the user's.

    Parameters
    ----------
    asked : str or callable
        A cut or its name.
    scores : ndarray of shape (n_features,)
        Larger is better.
    selector : FeatureSelector
        The fitted selector, for cuts that rank again.
    X, y : ndarray
        What it was fitted on, for cuts that read the table.

    Returns
    -------
    Cut

    See Also
    --------
    default_cut : What "auto" means.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.cuts import apply_cut
    >>> apply_cut("gap", np.array([9.0, 8.0, 1.0]), selector=None, X=None, y=None).size
    2
    """
    if isinstance(asked, str) and asked == "auto":
        asked = default_cut(selector)
    name, rule = _find_rule(asked)
    answer = rule(scores, selector=selector, X=X, y=y)
    if isinstance(answer, Cut):
        return answer
    n = scores.size
    size, why = answer if isinstance(answer, tuple) else (answer, f"The cut {name} said so.")
    if not (isinstance(size, (int, np.integer)) and 1 <= size <= n):
        raise ValueError(
            f"The cut {name} must return a number of features between 1 and {n}; it gave {size!r}."
        )
    return Cut(name, int(size), why)


def _find_rule(asked: Any) -> tuple[str, Any]:
    if callable(asked):
        return getattr(asked, "__name__", type(asked).__name__), asked
    if asked in CUTS:
        return asked, CUTS[asked]
    hint = did_you_mean(asked, ["auto", *CUTS])
    raise ValueError(
        f"n_features_to_select={asked!r} is no cut. {hint} Give a number, a fraction or one of "
        f"auto, {', '.join(CUTS)}."
    )
