"""The association of each single feature with survival times: tests, concordance, hazard ratios.

``time`` holds how long every sample was watched, ``event`` whether the watch ended with the event
(True) or the sample was censored (False). X is dense, CSC or on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from inffs._utils.threads import dense, over_columns
from inffs.evaluation.cox import RiskSets, concordant_share
from inffs.measures.batch import standard_deviation
from inffs.measures.moments import centred, positive

_VALUES = 2**16
_STEPS, _HALVINGS, _ROUNDING = 50, 30, 1e-14
_LARGEST_STEP = 100.0  # change of the log hazard of the most extreme sample in one step
_TOLERANCE = 1e-12  # rise of the log likelihood that the last step may promise


def cox_score(X: Any, time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Return the score test of a Cox model with one column at a time.

    The statistic is U^2 / I at a coefficient of 0, where U is the derivative of the partial
    likelihood and I the information (Cox 1972). Ties are treated by Efron's approximation (1977).
    If the feature has no effect, the statistic is chi-square with one degree of freedom. It is 0
    for a constant column. It takes O(nT + T log T) time and the memory of a block of columns.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    time, event : ndarray of shape (n_samples,)
        Times, and whether the event happened.

    Returns
    -------
    ndarray of shape (n_features,)
        The statistic of every column.

    See Also
    --------
    concordance : Counts pairs instead, and has a sign.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import cox_score
    >>> X = np.array([[5, 1], [4, 3], [3, 1], [2, 3], [1, 1]])
    >>> cox_score(X, time=[1, 2, 3, 4, 5], event=[1, 1, 1, 0, 1]).round(2).tolist()
    [5.17, 0.08]
    """
    risk, watched = _risk_sets(time, event)
    at_risk = risk.sums(np.ones(risk.late_first.size))[:, None]

    def of_block(values: Any) -> np.ndarray:
        block = centred(dense(values)[watched])[risk.late_first]
        means, squares = risk.sums(block) / at_risk, risk.sums(block**2) / at_risk
        slope = block[risk.died].sum(axis=0) - means.sum(axis=0)
        spread = (squares - means**2).sum(axis=0)
        flat = spread <= 1e-14 * squares.sum(axis=0)
        return np.divide(slope**2, spread, out=np.zeros_like(slope), where=~flat)

    return np.concatenate(over_columns(X, of_block, _VALUES))


def _risk_sets(time: Any, event: Any) -> tuple[RiskSets, np.ndarray]:
    """The risk sets of the samples that are in one, and which these are.

    A sample that is censored before the first event is never at risk and has no part in a model.
    """
    time, event = np.asarray(time), np.asarray(event, dtype=bool)
    watched = time >= time[event].min() if event.any() else np.ones(time.size, dtype=bool)
    return RiskSets.of(time[watched], event[watched]), watched


def martingale_residuals(time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Events less the events expected from the time alone, ties by Efron's approximation.

    The inner product of a column with them is the slope of :func:`cox_score`.
    """
    risk = RiskSets.of(time, event)
    expected = risk.spread(1 / risk.sums(np.ones(risk.late_first.size)))
    out = np.asarray(event, dtype=float)
    out[risk.late_first] -= expected
    return out


def concordance(X: Any, time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Return Harrell's concordance of every column with survival times.

    The concordance is the share of the comparable pairs in which the sample with the larger value
    has its event first (Harrell and others 1982). A pair is comparable if the sample with the
    shorter time has the event. Equal values count one half. At 0.5 there is no association. Below
    0.5, samples with larger values survive longer. It takes O(n T^2) time and the memory of a block
    of columns.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    time, event : ndarray of shape (n_samples,)
        Times, and whether the event happened.

    Returns
    -------
    ndarray of shape (n_features,)
        The concordance of every column; 0.5 where no pair is comparable.

    See Also
    --------
    cox_score : A test statistic for the same question.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import concordance
    >>> X = np.array([[5, 1], [4, 3], [3, 1], [2, 3], [1, 1]])
    >>> concordance(X, time=[1, 2, 3, 4, 5], event=[1, 1, 1, 0, 1]).round(2).tolist()
    [1.0, 0.44]
    """
    return np.concatenate(
        over_columns(X, lambda values: concordant_share(dense(values), time, event), _VALUES)
    )


def ordering(X: Any, time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """|2 c - 1| of the concordance c: 0 without association, 1 for a column that orders every pair.

    Larger values may mean shorter or longer survival: both count. O(n T^2).
    """
    return np.abs(2 * concordance(X, time, event) - 1)


def cox_of_block(block: Any, time: np.ndarray, event: np.ndarray) -> tuple[np.ndarray, ...]:
    """Hazard ratio, its interval, concordance and p of the columns of a block.

    Every column has a Cox model of its own, per standard deviation, ties by Efron's approximation.
    All of them are fitted at once by Newton's method, O(nT) a step.
    """
    values = dense(block).astype(np.float64)
    risk, watched = _risk_sets(time, event)
    Z, flat = _standardised(values[watched])
    Z = Z[risk.late_first]
    fitted = np.flatnonzero(~flat & ~_perfect(Z, risk))
    coefficient = np.full(Z.shape[1], np.nan)
    spread, p_value = coefficient.copy(), np.ones(Z.shape[1])
    coefficient[fitted], spread[fitted] = _newton(Z[:, fitted], risk)
    slope, curvature = _derivatives(Z, risk, np.zeros(Z.shape[1]))
    tested = ~flat & (curvature > 0)
    p_value[tested] = stats.chi2.sf(slope[tested] ** 2 / curvature[tested], 1)
    known = np.isfinite(coefficient)
    p_value[known] = 2 * stats.norm.sf(np.abs(coefficient[known]) / spread[known])
    share = concordant_share(values, time, event)
    if not watched.all():  # per standard deviation of all samples
        unit = standard_deviation(values) / positive(standard_deviation(values[watched]))
        coefficient, spread = coefficient * unit, spread * unit
    sign = np.where(known, coefficient, slope)
    reach = stats.norm.ppf(0.975) * spread
    with np.errstate(over="ignore"):
        ratios = [np.exp(coefficient + step) for step in (0.0, -reach, reach)]
    return *ratios, np.where(sign < 0, 1 - share, share), p_value


def _standardised(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns of mean 0 and standard deviation 1, and which of them are constant."""
    near = centred(values)
    flat = np.asarray(~near.any(axis=0))
    return near / np.where(flat, 1.0, near.std(axis=0, ddof=min(1, len(near) - 1))), flat


def _perfect(Z: np.ndarray, risk: RiskSets) -> np.ndarray:
    """Columns in which every event has the largest value of its risk set, or the smallest.

    The likelihood of exactly these columns has no maximum.
    """
    died = Z[risk.died]
    largest = np.maximum.accumulate(Z)[risk.last] == died
    smallest = np.minimum.accumulate(Z)[risk.last] == died
    return largest.all(axis=0) | smallest.all(axis=0)


def _newton(Z: np.ndarray, risk: RiskSets) -> tuple[np.ndarray, np.ndarray]:
    """Coefficient and standard error of every column; NaN where Newton's method did not end.

    A step is halved in the columns whose likelihood it would lower.
    """
    beta, ended = np.zeros(Z.shape[1]), np.zeros(Z.shape[1], dtype=bool)
    longest = _LARGEST_STEP / np.abs(Z).max(axis=0, initial=1.0)
    value = _likelihood(Z, risk, beta)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(Z, risk, beta)
        step = np.divide(slope, curvature, out=np.zeros_like(slope), where=curvature > 0)
        ended = (curvature > 0) & (slope * step <= _TOLERANCE * (1 + np.abs(value)))
        step = np.clip(step, -longest, longest)
        if ended.all():
            beta = beta + step
            break
        beta, value = _uphill(Z, risk, beta, value, step)
    error = np.full(beta.size, np.nan)
    _, curvature = _derivatives(Z, risk, beta)
    ended &= curvature > 0
    error[ended] = 1 / np.sqrt(curvature[ended])
    return np.where(ended, beta, np.nan), error


def _uphill(
    Z: np.ndarray, risk: RiskSets, beta: np.ndarray, value: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The next coefficients and their log likelihoods."""
    for _ in range(_HALVINGS):
        new = beta + step
        reached = _likelihood(Z, risk, new)
        lower = ~(reached >= value - _ROUNDING * (1 + np.abs(value)))
        if not lower.any():
            return new, reached
        step = np.where(lower, step / 2, step)
    return np.where(lower, beta, new), np.where(lower, value, reached)


def _likelihood(Z: np.ndarray, risk: RiskSets, beta: np.ndarray) -> np.ndarray:
    risks = Z * beta
    top = risks.max(axis=0)
    with np.errstate(divide="ignore"):
        total = np.log(risk.sums(np.exp(risks - top))) + top
    return (risks[risk.died] - total).sum(axis=0)


def _derivatives(Z: np.ndarray, risk: RiskSets, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slope and (negative) curvature of the log likelihood of every column."""
    risks = Z * beta
    weight = np.exp(risks - risks.max(axis=0))
    total = np.maximum(risk.sums(weight), np.finfo(float).tiny)
    means, squares = risk.sums(weight * Z) / total, risk.sums(weight * Z**2) / total
    slope = (Z[risk.died] - means).sum(axis=0)
    return slope, (squares - means**2).sum(axis=0)
