"""The association of each single feature with the target: direction, size and p-value.

Differences are in the units of the column. Directions, AUC and tests use ranks, so outliers and
skewed columns (counts) have little influence and a logarithm changes nothing. Time O(nT log T),
memory a few blocks of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from inffs._utils.threads import dense, over_columns
from inffs.measures.continuous import is_continuous
from inffs.measures.survival import SurvivalEffects, cox_of_block
from inffs.survival_times import event_and_time, is_record

_VALUES = 2**18  # of a block of columns
_LARGEST_LOG = 25.0


@dataclass(frozen=True)
class ClassEffects:
    """For each feature, the class that it separates best from all other samples.

    Parameters
    ----------
    where : ndarray of int of shape (n_features,)
        Code of that class; -1 for a column without differences.
    high : ndarray of bool of shape (n_features,)
        Whether the values of that class are mostly higher (by ranks) than those of the rest.
    difference : ndarray of shape (n_features,)
        Mean of that class minus the mean of all other samples.
    fold_change : ndarray of shape (n_features,)
        For a column of counts the ratio of these means; for a table whose values look like
        logarithms to base 2 (0 to 25, not all of them whole) two to the power of ``difference``;
        NaN otherwise.
    auc : ndarray of shape (n_features,)
        Share of the pairs, one sample of the class and one of the rest, that lie in the direction
        of ``high``, so it is at least 0.5; ties count half (Mann and Whitney 1947).
    p_value : ndarray of shape (n_features,)
        Of the test by Kruskal and Wallis (1952) over all classes; for two classes it is that of
        Mann and Whitney. 1 for a constant column.
    q_value : ndarray of shape (n_features,)
        The false-discovery rate of Benjamini and Hochberg (1995) at which the feature is found.

    See Also
    --------
    effects : Makes one.
    NumberEffects : For a target of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import effects
    >>> effects(np.array([[1.0], [3.0], [8.0], [8.0]]), np.array([0, 0, 1, 1])).auc.tolist()
    [1.0]
    """

    where: np.ndarray
    high: np.ndarray
    difference: np.ndarray
    fold_change: np.ndarray
    auc: np.ndarray
    p_value: np.ndarray
    q_value: np.ndarray

    def columns(self, classes: Sequence[str]) -> dict[str, Any]:
        """The columns of a table: the direction in words, and the numbers."""
        way = np.where(self.high, "high", "low")
        pairs = zip(way.tolist(), self.where.tolist(), strict=True)
        words = [f"{word} in {classes[code]}" if code >= 0 else None for word, code in pairs]
        return {
            "direction": np.array(words, dtype=object),
            "difference": self.difference,
            "fold_change": self.fold_change,
            "auc": self.auc,
            "effect_p": self.p_value,
            "effect_q": self.q_value,
        }


@dataclass(frozen=True)
class NumberEffects:
    """For each feature, its association with a numeric target.

    Parameters
    ----------
    correlation : ndarray of shape (n_features,)
        Spearman's, with the target; 0 for a constant column.
    slope : ndarray of shape (n_features,)
        Of the least-squares line: change of the target per unit of the column.
    p_value : ndarray of shape (n_features,)
        Of the correlation, by the t distribution with n_samples - 2 degrees of freedom.
    q_value : ndarray of shape (n_features,)
        The false-discovery rate of Benjamini and Hochberg (1995) at which the feature is found.

    See Also
    --------
    effects : Makes one.
    ClassEffects : For a target of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import effects
    >>> effects(np.array([[1.0], [2.0], [3.0]]), np.array([2.0, 4.0, 6.0])).slope.tolist()
    [2.0]
    """

    correlation: np.ndarray
    slope: np.ndarray
    p_value: np.ndarray
    q_value: np.ndarray

    def columns(self, classes: Sequence[str] = ()) -> dict[str, Any]:
        """The columns of a table: the direction in words, and the numbers."""
        words = {1.0: "rises", -1.0: "falls"}
        way = [words.get(sign) for sign in np.sign(self.correlation).tolist()]
        return {
            "direction": np.array(way, dtype=object),
            "correlation": self.correlation,
            "slope": self.slope,
            "effect_p": self.p_value,
            "effect_q": self.q_value,
        }


Effects = ClassEffects | NumberEffects | SurvivalEffects


def effects(X: Any, y: np.ndarray) -> Effects:
    """The effect of every column of X on y alone.

    Parameters
    ----------
    X : ndarray, CSC matrix or lazy table of shape (n_samples, n_features)
        Samples in rows, in the units that the effects are to have.
    y : ndarray of shape (n_samples,)
        Class codes 0, 1, ..., none of them empty; floats are numbers to explain; a structured
        array of event and time holds survival times.

    Returns
    -------
    ClassEffects, NumberEffects or SurvivalEffects

    See Also
    --------
    fisher, mutual_information : Without units, and by the spread inside the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import effects
    >>> X = np.array([[1.0, 5.0], [3.0, 5.0], [8.0, 6.0], [8.0, 4.0]])
    >>> found = effects(X, np.array([0, 0, 1, 1]))
    >>> found.difference.tolist(), found.auc.tolist()
    ([6.0, 0.0], [1.0, 0.5])
    """
    if is_record(y):
        event, time = event_and_time(y)
        of_block = partial(cox_of_block, time=time, event=event)
        ratio, low, high, share, p_value = _joined(over_columns(X, of_block, _VALUES))
        return SurvivalEffects(ratio, low, high, share, p_value, adjust(p_value))
    if is_continuous(y):
        correlation, slope, p_value = _joined(over_columns(X, _with_numbers(y), _VALUES))
        return NumberEffects(correlation, slope, p_value, adjust(p_value))
    found = _joined(over_columns(X, partial(_of_classes, codes=y), _VALUES))
    where, high, difference, ratio, auc, p_value, *described = found
    fold_change = np.exp2(difference) if _look_logged(*described) else ratio
    return ClassEffects(where, high, difference, fold_change, auc, p_value, adjust(p_value))


def _look_logged(lowest: np.ndarray, highest: np.ndarray, whole: np.ndarray) -> bool:
    """Whether all values could be logarithms to base 2 of positive values, such as expression."""
    return bool(lowest.min() >= 0 and 4 < highest.max() <= _LARGEST_LOG and not whole.all())


def adjust(p_value: np.ndarray) -> np.ndarray:
    """p-values corrected for their number by Benjamini and Hochberg (1995)."""
    return stats.false_discovery_control(p_value) if p_value.size else p_value


def _joined(parts: Sequence[tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _of_classes(block: Any, codes: np.ndarray) -> tuple[np.ndarray, ...]:
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


def _with_numbers(y: np.ndarray) -> Any:
    """Correlation, slope and p of the columns of a block with y."""
    line, ranked = y - y.mean(), stats.rankdata(y)
    line -= line.mean()  # what rounding left of a mean that is large beside the spread
    ranked -= ranked.mean()

    def of_block(block: Any) -> tuple[np.ndarray, ...]:
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

    return of_block


def _p_of_correlation(r: np.ndarray, T: int) -> np.ndarray:
    if T < 3:
        return np.ones_like(r)
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt((T - 2) / (1 - r**2))
    return 2 * stats.t.sf(t, T - 2)
