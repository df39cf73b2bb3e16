"""Profiles where samples have weights or values are missing.

A profile is centred in the weighted mean and multiplied by the roots of the weights, so that inner
products are weighted correlations. Ranks are mean ranks by cumulative weight: weight 2 is the
sample twice. A missing value stands at the mean, where its profile is 0: correlations take no more
time than without missing values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inffs.measures.moments import needs_unit, spread_exponents
from inffs.validation.checks import present_extremes

Fill = Callable[[np.ndarray, np.ndarray], None]


def weighted_fill(kind: str, sample_weight: np.ndarray, clip: float) -> Fill:
    """What writes the weighted profiles of columns, one per row, to an array of their shape."""

    def fill(columns: np.ndarray, out: np.ndarray) -> None:
        weight = np.where(np.isnan(columns), 0.0, sample_weight)
        if kind == "spearman":
            centred = weighted_ranks(columns, weight)
        else:
            centred = _centred(_in_range(columns), weight)
        if kind == "clipped":
            spread = np.sqrt(_mean(centred**2, weight))
            centred = _centred(
                np.clip(centred / np.where(spread > 0, spread, 1), -clip, clip), weight
            )
        out[:] = _unit(centred * np.sqrt(weight))

    return fill


def weighted_ranks(columns: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Half the weight of equal values and all of lower ones, less half of all."""
    count, T = columns.shape
    order = np.argsort(columns, axis=1)  # what is missing comes last and weighs nothing
    ranked = np.take_along_axis(columns, order, axis=1)
    first = np.ones((count, T), dtype=bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, count * T))
    reached = np.cumsum(np.take_along_axis(weight, order, axis=1), axis=1)
    total = reached[:, -1:].copy()
    upper = reached.ravel()[starts + sizes - 1]
    lower = np.where(starts % T > 0, reached.ravel()[starts - 1], 0.0)
    middle = np.repeat((lower + upper) / 2, sizes).reshape(count, T)
    ranks = np.empty((count, T))
    np.put_along_axis(ranks, order, middle - total / 2, axis=1)
    return ranks


def _in_range(columns: np.ndarray) -> np.ndarray:
    """Values whose squares can be added, 0 where they are missing."""
    low, high = present_extremes(columns.T)
    exponent = np.where(needs_unit(low, high), spread_exponents(low, high), 0)
    values = np.ldexp(columns.astype(np.float64), -exponent[:, None])
    return np.nan_to_num(values, copy=False)


def _centred(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Less the weighted mean, twice, as a rounded mean leaves an offset behind; largest value 1."""
    for _ in range(2):
        values = np.where(weight > 0, values - _mean(values, weight), 0.0)
    return values / _positive(np.abs(values).max(axis=1, keepdims=True))


def _mean(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    total = _positive(weight.sum(axis=1, keepdims=True))
    return np.einsum("it,it->i", values, weight)[:, None] / total


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / _positive(np.sqrt(np.einsum("it,it->i", rows, rows)))[:, None]


def _positive(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, 1.0)
