"""The association of each single feature with the target: direction, size and p-value.

Differences are in the units of the column. Directions, AUC and tests use ranks, so outliers and
skewed columns (counts) have little influence and a logarithm changes nothing. Time O(nT log T),
memory a few blocks of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from inffs._utils.threads import dense, over_columns
from inffs.measures.batch import joined
from inffs.measures.survival import cox_of_block
from inffs.target import REGRESSION, SURVIVAL, Target, make_target

_VALUES = 2**18  # of a block of columns
_LARGEST_LOG = 25.0


def effects(X: Any, y: Any) -> dict[str, np.ndarray]:
    """Return the association of every column of X with y alone, as columns of a table.

    For classes the columns describe the class that the feature separates best from all other
    samples, by ranks:

    - ``difference``: mean of that class minus the mean of all other samples.
    - ``fold_change``: the ratio of these means for a column of counts. If the values look like
      logarithms to base 2 (0 to 25, not all of them whole), it is two to the power of
      ``difference``. Otherwise it is NaN.
    - ``auc``: the share of the pairs of one sample of the class and one of the rest that lie in the
      given direction. It is at least 0.5, and ties count half (Mann and Whitney 1947).

    For numbers the columns are:

    - ``correlation``: Spearman's correlation.
    - ``slope``: the change of the target per unit of the column, by least squares.

    For survival times the columns are:

    - ``hazard_ratio``: per standard deviation, by a Cox model with this feature only. It is NaN if
      it is not finite, for a constant column or one that orders the events perfectly.
    - ``hazard_ratio_low`` and ``hazard_ratio_high``: the ends of its 95 % interval.
    - ``concordance``: Harrell's concordance of the model.

    All targets have these columns:

    - ``direction``: in words, None for a constant column.
    - ``effect_p``: the p-value. For classes the test is that of Kruskal and Wallis (1952), which
      for two classes is that of Mann and Whitney. For numbers it is that of the correlation. For
      survival times it is Wald's test, or the score test if the hazard ratio is not finite.
    - ``effect_q``: the false discovery rate of Benjamini and Hochberg (1995) at which the feature
      is significant.

    Parameters
    ----------
    X : ndarray, CSC matrix or lazy table of shape (n_samples, n_features)
        Samples in rows. The effects are in the units of this table.
    y : Target or array-like of shape (n_samples,)
        Classes, numbers or survival times, as :func:`inffs.target.make_target` takes them.

    Returns
    -------
    dict of ndarray of shape (n_features,)
        The columns by their names.

    See Also
    --------
    fisher, mutual_information : Measures without units.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import effects
    >>> X = np.array([[1.0, 5.0], [3.0, 5.0], [8.0, 6.0], [8.0, 4.0]])
    >>> found = effects(X, ["a", "a", "b", "b"])
    >>> found["direction"].tolist(), found["difference"].tolist(), found["auc"].tolist()
    (['high in b', None], [6.0, 0.0], [1.0, 0.5])
    """
    target = make_target(y)
    if target.type == SURVIVAL:
        return _of_survival(X, target)
    return _of_numbers(X, target) if target.type == REGRESSION else _of_classes(X, target)


def paired_effects(differences: np.ndarray, classes: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the differences within pairs of samples as columns of a table.

    ``direction`` is in words. ``difference`` is the mean, second class minus first, and
    ``same_sign`` the share of the pairs that differ in its direction (NaN if no pair differs).
    ``effect_p`` is of the signed-rank test by Wilcoxon (1945), 1 if no pair differs, and
    ``effect_q`` the false discovery rate of Benjamini and Hochberg (1995).

    Parameters
    ----------
    differences : ndarray of shape (n_pairs, n_features)
        The sample of the second class minus that of the first.
    classes : sequence of str
        The names of both classes.

    Returns
    -------
    dict of ndarray of shape (n_features,)
        The columns by their names.

    See Also
    --------
    effects : Of samples without pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures.effect_sizes import paired_effects
    >>> found = paired_effects(np.array([[1.0], [2.0], [4.0], [-1.0]]), ["before", "after"])
    >>> found["direction"].tolist(), found["same_sign"].tolist()
    (['high in after'], [0.75])
    """
    difference, same_sign, p_value = joined(over_columns(differences, _within_pairs))
    return {
        "direction": _words(difference, f"high in {classes[1]}", f"high in {classes[0]}"),
        "difference": difference,
        "same_sign": same_sign,
        **_tested(p_value),
    }


def _within_pairs(block: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean = block.mean(axis=0)
    same = (np.sign(block) == np.sign(mean)).sum(axis=0)
    differ = (block != 0).sum(axis=0)
    p = np.ones(mean.size)
    some = np.flatnonzero(differ)
    if some.size:
        p[some] = stats.wilcoxon(block[:, some], axis=0).pvalue
    return mean, np.divide(same, differ, out=np.full(mean.size, np.nan), where=differ > 0), p


def _of_classes(X: Any, target: Target) -> dict[str, np.ndarray]:
    of_block = partial(_separated, codes=target.values)
    where, high, difference, ratio, auc, p_value, *described = joined(
        over_columns(X, of_block, _VALUES)
    )
    names = np.append(np.asarray(target.classes).astype(str), "").astype(object)
    direction = np.where(high, "high in ", "low in ").astype(object) + names[where]
    direction[where < 0] = None
    return {
        "direction": direction,
        "difference": difference,
        "fold_change": np.exp2(difference) if _look_logged(*described) else ratio,
        "auc": auc,
        **_tested(p_value),
    }


def _of_numbers(X: Any, target: Target) -> dict[str, np.ndarray]:
    of_block = partial(_correlated, y=target.values)
    correlation, slope, p_value = joined(over_columns(X, of_block, _VALUES))
    return {
        "direction": _words(correlation, "rises", "falls"),
        "correlation": correlation,
        "slope": slope,
        **_tested(p_value),
    }


def _of_survival(X: Any, target: Target) -> dict[str, np.ndarray]:
    time, event = target.values["time"], target.values["event"]
    of_block = partial(cox_of_block, time=time, event=event)
    ratio, low, high, concordance, p_value = joined(over_columns(X, of_block, _VALUES))
    return {
        "direction": _words(ratio - 1, "hazard rises", "hazard falls"),
        "hazard_ratio": ratio,
        "hazard_ratio_low": low,
        "hazard_ratio_high": high,
        "concordance": concordance,
        **_tested(p_value),
    }


def _words(values: np.ndarray, rises: str, falls: str) -> np.ndarray:
    """The word for the sign of every value; None for 0 and NaN."""
    words = {1.0: rises, -1.0: falls}
    return np.array([words.get(sign) for sign in np.sign(values).tolist()], dtype=object)


def _tested(p_value: np.ndarray) -> dict[str, np.ndarray]:
    return {"effect_p": p_value, "effect_q": adjust(p_value)}


def _look_logged(lowest: np.ndarray, highest: np.ndarray, whole: np.ndarray) -> bool:
    """Whether all values could be logarithms to base 2 of positive values, such as expression."""
    return bool(lowest.min() >= 0 and 4 < highest.max() <= _LARGEST_LOG and not whole.all())


def adjust(p_value: np.ndarray) -> np.ndarray:
    """p-values corrected for their number by Benjamini and Hochberg (1995)."""
    return stats.false_discovery_control(p_value) if p_value.size else p_value


def _separated(block: Any, codes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where, high, difference, ratio, AUC, p, lowest, highest and whole, for a block of columns."""
    values = dense(block).astype(np.float64, copy=False)
    counts = np.bincount(codes).astype(float)[:, None]
    member = (codes == np.arange(counts.size)[:, None]).astype(float)
    others = codes.size - counts
    ranks = stats.rankdata(values, axis=0)
    sums_of_ranks = member @ ranks
    above = (sums_of_ranks - counts * (counts + 1) / 2) / (counts * others)
    where = _best_separated(above, counts, others)
    chosen = where, np.arange(values.shape[1])
    near = values.mean(axis=0)
    sums = member @ (values - near)  # means near 0: no digit is lost to an offset
    own, rest = (sums / counts)[chosen], ((sums.sum(axis=0) - sums) / others)[chosen]
    flat = np.ptp(values, axis=0) == 0
    difference = np.where(flat, 0.0, own - rest)
    auc = np.maximum(above[chosen], 1 - above[chosen])
    none = flat | (auc == 0.5)
    where, high = np.where(none, -1, where), above[chosen] > 0.5
    lowest, highest = values.min(axis=0), values.max(axis=0)
    whole = (values == np.round(values)).all(axis=0)
    counted = whole & (lowest >= 0) & (rest + near > 0)
    ratio = np.divide(own + near, rest + near, out=np.full_like(own, np.nan), where=counted)
    p_value = _kruskal(ranks, sums_of_ranks, counts)
    return where, high, difference, ratio, auc, p_value, lowest, highest, whole


def _best_separated(above: np.ndarray, counts: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The class whose AUC is farthest from 0.5 in standard errors; of two classes the higher."""
    if above.shape[0] == 2:
        return above.argmax(axis=0)
    return (np.abs(above - 0.5) * np.sqrt(counts * others)).argmax(axis=0)


def _kruskal(ranks: np.ndarray, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The p-value over all classes; the variance is that of the ranks as they are, ties included.

    Of two classes the statistic is that of Mann and Whitney without correction for continuity.
    """
    T = ranks.shape[0]
    middle = (T + 1) / 2
    total = np.square(ranks - middle).sum(axis=0)
    between = (np.square(sums - counts * middle) / counts).sum(axis=0)
    statistic = np.divide((T - 1) * between, total, out=np.zeros_like(total), where=total > 0)
    return stats.chi2.sf(statistic, counts.size - 1)


def _correlated(block: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Correlation, slope and p of the columns of a block with y."""
    line, ranked = y - y.mean(), stats.rankdata(y)
    line -= line.mean()  # what rounding left of a mean that is large beside the spread
    ranked -= ranked.mean()
    values = dense(block).astype(np.float64, copy=False)
    centred = values - values.mean(axis=0)
    centred -= centred.mean(axis=0)
    flat = np.ptp(values, axis=0) == 0
    largest = np.where(flat, 1.0, np.abs(centred).max(axis=0))
    centred /= largest  # no square leaves the range of floating point
    power = np.where(flat, np.inf, np.square(centred).sum(axis=0))
    slope = line @ centred / power / largest
    ranks = stats.rankdata(values, axis=0) - (y.size + 1) / 2
    length = np.sqrt(np.square(ranks).sum(axis=0) * (ranked @ ranked))
    rho = np.clip(ranked @ ranks / np.where(flat, np.inf, length), -1, 1)
    return rho, slope, _p_of_correlation(rho, y.size)


def _p_of_correlation(r: np.ndarray, T: int) -> np.ndarray:
    if T < 3:
        return np.ones_like(r)
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt((T - 2) / (1 - r**2))
    return 2 * stats.t.sf(t, T - 2)
