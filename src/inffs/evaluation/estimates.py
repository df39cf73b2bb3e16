"""Estimates a person can believe: intervals over overlapping splits, and the price of choosing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from inffs.evaluation.folds import variance_of_mean

_UPPER = 0.975  # the quantile at the upper end of a 95 % interval
LEARNED = 1.5  # times the variance of a difference of samples: 1.42, measured on 70 tables


def interval_of_mean(values: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Mean over repeated splits and its interval, corrected for overlapping training parts.

    The variance of the mean is (1 / J + test / train) s^2 (Nadeau, Bengio 2003, Machine Learning
    52). For a share of samples use :func:`interval_of_proportion`.

    Parameters
    ----------
    values : array-like
        One number per split; NaN is left out.
    level : float, default=0.95
        How often the interval holds.

    Returns
    -------
    mean, low, high : float
        NaN for the ends where there are fewer than two splits.

    See Also
    --------
    interval_of_proportion : For accuracies.

    Examples
    --------
    >>> from inffs.evaluation.estimates import interval_of_mean
    >>> mean, low, high = interval_of_mean([0.52, 0.48, 0.5, 0.5])
    >>> round(mean, 3), round(low, 3), round(high, 3)
    (0.5, 0.457, 0.543)
    """
    values = _known(values)
    J, mean = values.size, float(values.mean()) if values.size else float("nan")
    if J < 2:
        return mean, float("nan"), float("nan")
    reach = float(stats.t.ppf((1 + level) / 2, J - 1) * np.sqrt(variance_of_mean(values)))
    return mean, mean - reach, mean + reach


def interval_of_proportion(values: Any, n_samples: int) -> tuple[float, float, float]:
    """Mean of shares over repeated splits, and a 95 % interval that stays inside 0 to 1.

    Wilson's interval (1927) with as many trials as give the corrected variance of the mean, and
    never more than the table has samples: splits that all reach 100 % do not prove 100 %.

    Parameters
    ----------
    values : array-like
        One number per split; NaN is left out.
    n_samples : int
        Of the whole table.

    Returns
    -------
    mean, low, high : float
        NaN for the ends where there are fewer than two splits.

    See Also
    --------
    interval_of_mean : For numbers without bounds.

    Examples
    --------
    >>> from inffs.evaluation.estimates import interval_of_proportion
    >>> mean, low, high = interval_of_proportion([1.0, 1.0, 1.0, 1.0], n_samples=60)
    >>> mean, round(low, 2), high
    (1.0, 0.86, 1.0)
    """
    values = _known(values)
    J, mean = values.size, float(values.mean()) if values.size else float("nan")
    if J < 2:
        return mean, float("nan"), float("nan")
    trials, variance = float(n_samples), variance_of_mean(values)
    if variance > 0:
        trials = min(trials, mean * (1 - mean) / variance)
    return mean, *_wilson(mean, trials, stats.t.ppf(_UPPER, J - 1))


def _wilson(mean: float, trials: float, z: float) -> tuple[float, float]:
    share = z**2 / (trials + z**2)
    centre = mean + share * (0.5 - mean)
    reach = np.sqrt(share * (mean * (1 - mean) * (1 - share) + share / 4))
    return float(max(0.0, centre - reach)), float(min(1.0, centre + reach))


def interval_of_repeat(mean: float, values: Any) -> tuple[float, float]:
    """Predict a 95 % interval for the score on as many new units (samples), for shares in 0 to 1.

    Two things vary: the new units, and what was learned from the old ones. Shares (0 and 1, or
    means of these) get the beta-binomial distribution that follows from the old units and
    Jeffreys's prior: it reaches 1 where all new units may well be right. Other scores get a normal
    interval.

    Parameters
    ----------
    mean : float
        What is expected, for example the corrected one of :func:`corrected_best`.
    values : array of shape (n_units,)
        Scores of the units so far.

    Returns
    -------
    low, high : float

    See Also
    --------
    corrected_best : What to expect of the best of many.

    Examples
    --------
    >>> from inffs.evaluation.estimates import interval_of_repeat
    >>> low, high = interval_of_repeat(0.8, [0, 1, 1, 1, 1] * 12)
    >>> round(low, 2), round(high, 2)
    (0.63, 0.92)
    """
    values = _known(values)
    n = values.size
    if values.min() >= 0 and values.max() <= 1:
        right = min(1.0, max(0.0, mean)) * n
        chances = stats.betabinom.pmf(np.arange(n + 1), n, right + 0.5, n - right + 0.5)
        ends = np.searchsorted(np.cumsum(chances), [1 - _UPPER, _UPPER])
        low, high = np.minimum(ends, n) / n
        return float(low), float(high)
    reach = stats.norm.ppf(_UPPER) * np.sqrt(values.var(ddof=1) * 2 / n)
    return float(mean - reach), float(min(1.0, mean + reach))


def interval_of_difference(values: Any) -> tuple[float, float, float]:
    """Mean of paired differences of units (samples), and its 95 % interval.

    The variance is that of a mean times LEARNED: the training part and the choice vary too.

    Parameters
    ----------
    values : array of shape (n_units,)
        Score of one minus score of the other.

    Returns
    -------
    mean, low, high : float

    See Also
    --------
    interval_of_mean : For differences of splits.

    Examples
    --------
    >>> from inffs.evaluation.estimates import interval_of_difference
    >>> mean, low, high = interval_of_difference([1, 0, 0, -1, 1, 0, 0, 1])
    >>> low < 0 < mean < high
    True
    """
    values = _known(values)
    mean, reach = float(values.mean()), float("inf")
    if values.size > 1:
        error = np.sqrt(LEARNED * values.var(ddof=1) / values.size)
        reach = float(stats.t.ppf(_UPPER, values.size - 1) * error)
    return mean, mean - reach, mean + reach


def corrected_best(
    scores: np.ndarray, select: Callable[[np.ndarray], int], n_draws: int = 1000
) -> float:
    """What the selected one of many configurations is worth once the choice is paid for.

    The units (samples, or splits) are drawn with replacement; the configuration selected on the
    draw is scored on the units left out of it; the mean over the draws estimates the worth of the
    whole procedure (the bootstrap bias correction of Tsamardinos, Greasidou, Borboudakis 2018,
    Machine Learning 107). No model is fitted again. Time O(n_draws n_units n_configurations).

    Parameters
    ----------
    scores : array of shape (n_units, n_configurations)
        Out-of-sample scores: 1 where a held-out sample was predicted rightly, or the score of a
        split.
    select : callable
        From the drawn rows to the place of the configuration.
    n_draws : int, default=1000
        How many draws.

    Returns
    -------
    float

    See Also
    --------
    choose : The choice itself.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation.estimates import corrected_best
    >>> scores = np.random.default_rng(0).integers(0, 2, size=(100, 50))  # all of them guess
    >>> best = scores.mean(axis=0).max()
    >>> worth = corrected_best(scores, lambda drawn: drawn.mean(axis=0).argmax())
    >>> bool(best > 0.55 > worth)
    True
    """
    scores = np.asarray(scores, dtype=np.float64)
    rng, units, found = np.random.default_rng(0), len(scores), []
    for _ in range(n_draws):
        counts = np.bincount(rng.integers(units, size=units), minlength=units)
        if not counts.all():
            place = select(np.repeat(scores, counts, axis=0))
            found.append(scores[counts == 0, place].mean())
    return float(np.mean(found)) if found else float(scores.mean(axis=0).max())


def _known(values: Any) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    return values[~np.isnan(values)]
