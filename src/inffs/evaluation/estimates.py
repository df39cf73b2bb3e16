"""Estimates a person can believe: intervals over overlapping splits, and the price of choosing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

TEST_SHARE = 0.3
LEARNED = 1.5  # times the variance of a difference of samples: 1.42, measured on 70 tables
_EXACT = 20_000  # new units up to which every count has its own probability


def interval_of_mean(
    values: Any, test_share: float = TEST_SHARE, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean over repeated splits and its interval, corrected for overlapping training parts.

    The variance of the mean is (1 / J + test / train) s^2 (Nadeau, Bengio 2003, Machine Learning
    52). For a share of samples use :func:`interval_of_proportion`.

    Parameters
    ----------
    values : array-like
        One number per split; NaN is left out.
    test_share : float
        Share of the samples in each test part.
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
    reach = float(stats.t.ppf((1 + level) / 2, J - 1) * np.sqrt(_variance(values, test_share)))
    return mean, mean - reach, mean + reach


def interval_of_proportion(
    values: Any, n_samples: int, test_share: float = TEST_SHARE, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of shares over repeated splits, and an interval that stays inside 0 to 1.

    Wilson's interval (1927) with as many trials as give the corrected variance of the mean, and
    never more than the table has samples: splits that all reach 100 % do not prove 100 %.

    Parameters
    ----------
    values : array-like
        One number per split; NaN is left out.
    n_samples : int
        Of the whole table.
    test_share : float
        Share of the samples in each test part.
    level : float, default=0.95
        How often the interval holds.

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
    trials, variance = float(n_samples), _variance(values, test_share)
    if variance > 0:
        trials = min(trials, mean * (1 - mean) / variance)
    return mean, *_wilson(mean, trials, stats.t.ppf((1 + level) / 2, J - 1))


def _wilson(mean: float, trials: float, z: float) -> tuple[float, float]:
    share = z**2 / (trials + z**2)
    centre = mean + share * (0.5 - mean)
    reach = np.sqrt(share * (mean * (1 - mean) * (1 - share) + share / 4))
    return float(max(0.0, centre - reach)), float(min(1.0, centre + reach))


def interval_of_repeat(
    mean: float, values: Any, n_new: int | None = None, level: float = 0.95
) -> tuple[float, float]:
    """Predict an interval for the score on new units (samples), for shares inside 0 to 1.

    Two things vary: the ``n_new`` new units, and what was learned from as many old ones as there
    are. Shares (0 and 1, or means of these) get the beta-binomial distribution that follows from
    the old units and Jeffreys's prior: it reaches 1 where all new units may well be right. Other
    scores get a normal interval.

    Parameters
    ----------
    mean : float
        What is expected, for example the corrected one of :func:`corrected_best`.
    values : array of shape (n_units,)
        Scores of the units so far.
    n_new : int, optional
        As many as there are by default.
    level : float, default=0.95
        Of the interval.

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
    n_old, n_new = values.size, n_new or values.size
    if values.min() >= 0 and values.max() <= 1:
        return _beta_binomial(min(1.0, max(0.0, mean)), n_old, n_new, level)
    z = stats.norm.ppf((1 + level) / 2)
    reach = z * np.sqrt(values.var(ddof=1) * (1 / n_old + 1 / n_new))
    return float(mean - reach), float(min(1.0, mean + reach))


def _beta_binomial(mean: float, n_old: int, n_new: int, level: float) -> tuple[float, float]:
    """Quantiles of the share of new units that are right; of many a beta of the same variance."""
    a, b = mean * n_old + 0.5, (1 - mean) * n_old + 0.5
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    if n_new > _EXACT:
        size = n_new * (a + b + 1) / (a + b + n_new) - 1
        low, high = stats.beta.ppf(ends, size * a / (a + b), size * b / (a + b))
    else:
        counts = np.cumsum(stats.betabinom.pmf(np.arange(n_new + 1), n_new, a, b))
        low, high = np.minimum(np.searchsorted(counts, ends), n_new) / n_new
    return float(low), float(high)


def interval_of_difference(values: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Mean of paired differences of units (samples), and its interval.

    The variance is that of a mean times LEARNED: the training part and the choice vary too.

    Parameters
    ----------
    values : array of shape (n_units,)
        Score of one minus score of the other.
    level : float, default=0.95
        Of the interval.

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
    mean = float(values.mean())
    z = stats.t.ppf((1 + level) / 2, values.size - 1) if values.size > 1 else float("inf")
    reach = float(z * np.sqrt(LEARNED * values.var(ddof=1) / values.size)) if values.size > 1 else z
    return mean, mean - reach, mean + reach


def corrected_best(
    scores: np.ndarray,
    *,
    select: Callable[[np.ndarray], int] | None = None,
    n_draws: int = 1000,
    seed: int = 0,
) -> tuple[float, np.ndarray]:
    """What the best of many configurations is worth once the choice is paid for.

    The units (samples, or splits) are drawn with replacement; the best configuration on the draw is
    scored on the units left out of it; the mean over the draws estimates the worth of the whole
    procedure (the bootstrap bias correction of Tsamardinos, Greasidou, Borboudakis 2018, Machine
    Learning 107). No model is fitted again. Time O(n_draws n_units n_configurations).

    Parameters
    ----------
    scores : array of shape (n_units, n_configurations)
        Out-of-sample scores: 1 where a held-out sample was predicted rightly, or the score of a
        split.
    select : callable, optional
        From the drawn rows to the place of the configuration; the best mean by default.
    n_draws, seed : int
        How many draws, and of which random numbers.

    Returns
    -------
    mean : float
    draws : array of shape (n_draws,)
        The single draws, whose quantiles give an interval.

    See Also
    --------
    choose : The choice itself.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.evaluation.estimates import corrected_best
    >>> scores = np.random.default_rng(0).integers(0, 2, size=(100, 50))  # all of them guess
    >>> best = scores.mean(axis=0).max()
    >>> worth = corrected_best(scores)[0]
    >>> bool(best > 0.55 > worth)
    True
    """
    scores = np.asarray(scores, dtype=np.float64)
    rng, units = np.random.default_rng(seed), len(scores)
    found = []
    for _ in range(n_draws):
        counts = np.bincount(rng.integers(units, size=units), minlength=units)
        left = counts == 0
        if not left.any():
            continue
        drawn = np.repeat(scores, counts, axis=0) if select else None
        best = int(np.argmax(counts @ scores)) if drawn is None else select(drawn)  # type: ignore[misc]
        found.append(scores[left, best].mean())
    draws = np.array(found) if found else np.array([scores.mean(axis=0).max()])
    return float(draws.mean()), draws


def _known(values: Any) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    return values[~np.isnan(values)]


def _variance(values: np.ndarray, test_share: float) -> float:
    return float(values.var(ddof=1) * (1 / values.size + test_share / (1 - test_share)))
