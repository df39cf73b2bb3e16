"""Tests over several data sets: ranks, Friedman, Nemenyi, Wilcoxon with Holm's correction."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from scipy import stats

from inffs.evaluation.estimates import interval_of_mean


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
    """Friedman's test that all methods are equal: statistic and p-value.

    Where the methods share one rank on every data set, nothing speaks against equality: p is 1.
    """
    if scores.shape[0] < 2 or scores.shape[1] < 3:
        return float("nan"), float("nan")
    if (scores.nunique(axis=1) == 1).all():
        return 0.0, 1.0
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
