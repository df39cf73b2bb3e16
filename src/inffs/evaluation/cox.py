"""Survival times: risk sets, comparable pairs, and Cox's proportional hazards with a ridge.

``time`` is how long a sample was observed, ``event`` whether the event ended the observation (True)
or the sample was censored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

_STEPS, _HALVINGS, _ROUNDING = 50, 30, 1e-14


@dataclass(frozen=True)
class RiskSets:
    """Of every death the risk set it is drawn from, ties by Efron's approximation (1977).

    Samples are counted from the longest time on (``late_first``); ``died`` are the places of the
    deaths in that order. Of d deaths at one time the l-th (l = 0 ... d-1) sees the risk set without
    l / d of all d: ``last`` is the last sample at risk, ``first`` the first of those who died with
    it, ``share`` is l / d.
    """

    late_first: np.ndarray
    died: np.ndarray
    first: np.ndarray
    last: np.ndarray
    share: np.ndarray

    @classmethod
    def of(cls, time: Any, event: Any) -> RiskSets:
        time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
        late_first = np.lexsort((event, -time))  # at equal times the deaths come last
        falling = time[late_first]
        died = np.flatnonzero(event[late_first])
        last = np.searchsorted(-falling, -falling[died], side="right") - 1
        _, first_of, with_it = np.unique(last, return_index=True, return_counts=True)
        earlier = np.arange(died.size) - np.repeat(first_of, with_it)
        first = np.repeat(died[first_of], with_it)
        return cls(late_first, died, first, last, earlier / np.repeat(with_it, with_it))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Of values in the order ``late_first``: the sum over the risk set of every death."""
        zero = np.zeros((1, *values.shape[1:]))
        sums = np.concatenate([zero, np.cumsum(values, axis=0)])
        together = sums[self.last + 1] - sums[self.first]
        return sums[self.last + 1] - self.share.reshape(-1, *[1] * (values.ndim - 1)) * together

    def spread(self, of_deaths: np.ndarray) -> np.ndarray:
        """The transpose of :meth:`sums`: what every sample gets from the deaths it was at risk."""
        steps = np.zeros(self.late_first.size + 1)
        np.add.at(steps, self.last, of_deaths)
        whole = np.cumsum(steps[::-1])[::-1]
        ties = np.zeros(self.late_first.size + 1)
        np.add.at(ties, self.first, self.share * of_deaths)
        np.add.at(ties, self.last + 1, -self.share * of_deaths)
        return (whole - np.cumsum(ties))[:-1]


def concordant_share(block: np.ndarray, time: Any, event: Any) -> np.ndarray:
    """For every column the share of the comparable pairs whose larger value has its event first.

    A pair is comparable if the one with the shorter time died (Harrell and others 1982); equal
    values count a half, and where no pair is comparable all columns get 0.5. Time O(n T^2).
    """
    time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
    lead, pairs = np.zeros(block.shape[1]), 0
    for i in np.flatnonzero(event).tolist():
        later = block[_outlives(time, event, i)]
        lead += (block[i] > later).sum(axis=0)
        lead -= (block[i] < later).sum(axis=0)
        pairs += len(later)
    return 0.5 + lead / (2 * max(pairs, 1))


def _outlives(time: np.ndarray, event: np.ndarray, i: int) -> np.ndarray:
    """Samples that certainly survived longer than sample i: later, or censored at that time."""
    return (time > time[i]) | ((time == time[i]) & ~event)


def cox_path(
    X: np.ndarray, time: np.ndarray, event: np.ndarray, Cs: Sequence[float]
) -> list[np.ndarray]:
    """The weights of every C, each from where the last one ended.

    Ties by Efron's approximation (1977). Where there are more columns than samples the work is done
    in the space of the samples. Time O(T r^2 + r^3) a Newton step, r the lesser of T and n.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns of mean 0.
    time, event : ndarray of shape (n_samples,)
        Times, and whether the event happened.
    Cs : sequence of float
        Weights of the likelihood against the ridge.
    """
    basis = _basis(X)
    risk = RiskSets.of(time, event)
    Z = (X @ basis)[risk.late_first]
    inside, found = np.zeros(Z.shape[1]), {}
    for C in sorted(Cs):
        inside = _minimise(Z, risk, C, inside)
        found[C] = basis @ inside
    return [found[C] for C in Cs]


def _basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the rows of X: every solution is a mixture of them."""
    T, n = X.shape
    if n <= T:
        return np.eye(n)
    values, vectors = linalg.eigh(X @ X.T)
    kept = values > 1e-12 * max(values[-1], np.finfo(float).tiny)
    return X.T @ (vectors[:, kept] / np.sqrt(values[kept]))


def _minimise(Z: np.ndarray, risk: RiskSets, C: float, w: np.ndarray) -> np.ndarray:
    """Newton steps, halved until the value falls."""
    value = _value(Z, risk, C, w)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(Z, risk, C, w)
        step = linalg.solve(curvature, -slope, assume_a="pos")
        rounding = _ROUNDING * (1 + abs(value))
        if -(slope @ step) <= rounding:
            w = w + step
            break
        for halving in range(_HALVINGS):
            new = w + 0.5**halving * step
            value_new = _value(Z, risk, C, new)
            if value_new <= value + 1e-4 * 0.5**halving * (slope @ step) + rounding:
                w, value = new, value_new
                break
        else:
            break
    return w


def _value(Z: np.ndarray, risk: RiskSets, C: float, w: np.ndarray) -> float:
    risks = Z @ w
    top = risks.max()
    total = np.log(risk.sums(np.exp(risks - top))) + top
    return float(0.5 * (w @ w) - C * (risks[risk.died] - total).sum())


def _derivatives(
    Z: np.ndarray, risk: RiskSets, C: float, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of the value."""
    risks = Z @ w
    weight = np.exp(risks - risks.max())
    total = risk.sums(weight)
    hazard = weight * risk.spread(1 / total)
    means = risk.sums(weight[:, None] * Z) / total[:, None]
    slope = w - C * (Z[risk.died].sum(axis=0) - hazard @ Z)
    curvature = C * ((Z.T * hazard) @ Z - means.T @ means)
    curvature[np.diag_indices(w.size)] += 1.0
    return slope, curvature
