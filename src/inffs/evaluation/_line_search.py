"""The exact minimum of the squared-hinge objective along a line, for one or many problems."""

from __future__ import annotations

from typing import Any

import numpy as np

_STEPS = 60
_EXACT = 1e-6  # share of the first slope that counts as zero


def exact_step(
    slack: np.ndarray, change: np.ndarray, cost: np.ndarray, slope: Any, curvature: Any
) -> Any:
    """The step t that minimises each objective along its direction.

    The objective is (quadratic with this slope and curvature at 0) + sum_i cost_i max(0, slack_i -
    t change_i)^2; slack and change have shape (n_samples,) or (n_samples, K) for K problems. Its
    derivative rises and is piecewise linear, so Newton's method inside a bracket ends after a few
    steps, each O(n_samples K).
    """
    pull = 2 * cost * change
    enough = _EXACT * np.abs(slope - (pull * np.maximum(slack, 0)).sum(axis=0))
    t, low, high = np.ones_like(slope), np.zeros_like(slope), np.full_like(slope, np.inf)
    for _ in range(_STEPS):
        rest = slack - t * change
        positive = rest > 0
        derivative = slope + t * curvature - (pull * rest).sum(axis=0, where=positive)
        if (np.abs(derivative) <= enough).all():
            break
        second = curvature + (pull * change).sum(axis=0, where=positive)
        low, high = np.where(derivative < 0, t, low), np.where(derivative > 0, t, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = t - derivative / second
            middle = np.where(high < np.inf, (low + high) / 2, 2 * low + 1e-3)
        t = np.where((newton > low) & (newton < high), newton, middle)
    return t
