"""Is one method better than another, and does it pick the same features twice?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from inffs.cuts.stability import membership
from inffs.evaluation.estimates import interval_of_mean


def kuncheva(picked: Sequence[Any], n: int) -> float:
    """Mean consistency of all pairs of selections of one size (Kuncheva 2007, Eq. 2)."""
    chosen = membership(picked, n)
    M, k = len(picked), int(chosen[0].sum()) if len(picked) else 0
    if M < 2 or k in (0, n) or (chosen.sum(axis=1) != k).any():
        return float("nan")
    counts = chosen.sum(axis=0)
    shared = (counts * (counts - 1)).sum() / (M * (M - 1))  # by a pair, on average
    return float((shared * n - k * k) / (k * (n - k)))


def fair_means(quality: pd.DataFrame) -> pd.Series:
    """Mean of every method (columns) over all splits (rows), also where it lacks some of them.

    Splits differ in how hard they are. What a split does to everybody is estimated by least
    squares from quality = method + split and taken out of the means of those that lack a split.
    """
    has, plain = quality.notna(), quality.mean()
    if has.all(axis=None):
        return plain
    own = has.mul(_split_effects(quality), axis=0).sum() / has.sum()
    return plain.where(has.all(), plain - own)


def _split_effects(quality: pd.DataFrame) -> np.ndarray:
    """How much better than usual the methods are on every split; the smallest solution."""
    values, has = quality.to_numpy().T, quality.notna().to_numpy().T
    methods, splits = np.nonzero(has)
    share = has / np.maximum(has.sum(axis=1, keepdims=True), 1)
    design = np.eye(has.shape[1])[splits] - share[methods]
    above = values[has] - np.nansum(share * values, axis=1)[methods]
    return np.linalg.lstsq(design, above, rcond=None)[0]


def interval_over_sets(values: pd.Series) -> tuple[float, float, float]:
    """The mean over data sets (a level of the index) of means over splits, with its interval."""
    found = [interval_of_mean(each) for _, each in values.groupby("dataset")]
    if not found:
        return (float("nan"),) * 3
    centre = float(np.mean([each[0] for each in found]))
    reach = float(np.linalg.norm([each[2] - each[0] for each in found])) / len(found)
    return centre, centre - reach, centre + reach


def ranks(scores: pd.DataFrame) -> pd.DataFrame:
    """Places of the methods (columns) on every data set (rows), 1 the best, ties shared."""
    return scores.rank(axis=1, ascending=False)


def friedman(scores: pd.DataFrame) -> tuple[float, float]:
    """Friedman's test that all methods are equal: statistic and p-value."""
    if scores.shape[0] < 2 or scores.shape[1] < 3:
        return float("nan"), float("nan")
    statistic, p = stats.friedmanchisquare(*(scores[name] for name in scores))
    return float(statistic), float(p)


def critical_difference(methods: int, sets: int, alpha: float = 0.05) -> float:
    """Average ranks farther apart than this differ (Nemenyi; Demsar 2006, JMLR, Sec. 3.2.2)."""
    q = stats.studentized_range.ppf(1 - alpha, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * sets)))


def nemenyi(scores: pd.DataFrame) -> pd.DataFrame:
    """P-values of all pairs of methods after Friedman's test."""
    import scikit_posthocs

    found = scikit_posthocs.posthoc_nemenyi_friedman(scores.to_numpy())
    found.index = found.columns = scores.columns
    return found


def holm_wilcoxon(scores: pd.DataFrame, control: str) -> pd.Series:
    """P-values of every method against one, Wilcoxon signed ranks, Holm's correction."""
    others = [name for name in scores if name != control]
    p = np.array([_wilcoxon(scores[control], scores[name]) for name in others])
    return pd.Series(holm(p), index=others)


def holm(p: np.ndarray) -> np.ndarray:
    """P-values with Holm's correction for several tests."""
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return corrected


def _wilcoxon(left: pd.Series, right: pd.Series) -> float:
    if np.allclose(left, right):
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(left, right).pvalue)
