"""The exact minimum of the squared-hinge objective along a line, for one or many problems."""

from __future__ import annotations

from typing import Any

import numpy as np

_STEPS = 60
_EXACT = 1e-6  # share of the first slope that counts as zero


def exact_step(
    slack: np.ndarray, change: np.ndarray, cost: np.ndarray, slope: Any, curvature: Any
) -> Any:
    """The step t that minimises the objective along a direction.

    The objective is (quadratic with this slope and curvature at 0) + sum_i cost_i max(0, slack_i -
    t change_i)^2, its arrays of shape (n_samples,). Its derivative rises and is piecewise linear,
    so Newton's method inside a bracket ends after a few steps, each O(n_samples).
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
        t = _inside(t, derivative, second, low, high)
    return t


def exact_steps(
    slack: np.ndarray, change: np.ndarray, cost: np.ndarray, slope: Any, curvature: Any
) -> np.ndarray:
    """The steps of K problems, slack and change of shape (n_samples, K).

    A problem leaves when its step is found: most need two or three rounds, a few need many.
    """
    slack, change = np.ascontiguousarray(slack.T), np.ascontiguousarray(change.T)
    pull = 2 * cost.T * change
    enough = _EXACT * np.abs(slope - _dots(pull, np.maximum(slack, 0)))
    t, low, high = np.ones_like(slope), np.zeros_like(slope), np.full_like(slope, np.inf)
    here = np.arange(slope.size)
    for _ in range(_STEPS):
        along, by = change[here], pull[here]
        rest = np.maximum(slack[here] - t[here, None] * along, 0)
        derivative = slope[here] + t[here] * curvature[here] - _dots(by, rest)
        second = curvature[here] + _dots(by, np.where(rest > 0, along, 0))
        low[here], high[here] = (
            np.where(derivative < 0, t[here], low[here]),
            np.where(derivative > 0, t[here], high[here]),
        )
        waits = np.abs(derivative) > enough[here]
        here, derivative, second = here[waits], derivative[waits], second[waits]
        if not here.size:
            break
        t[here] = _inside(t[here], derivative, second, low[here], high[here])
    return t


def _inside(t: Any, derivative: Any, second: Any, low: Any, high: Any) -> Any:
    """Newton's next step where it lies inside the bracket, else the middle of the bracket."""
    with np.errstate(divide="ignore", invalid="ignore"):
        newton = t - derivative / second
        middle = np.where(high < np.inf, (low + high) / 2, 2 * low + 1e-3)
    return np.where((newton > low) & (newton < high), newton, middle)


def _dots(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Inner products of the rows."""
    return np.einsum("kt,kt->k", left, right)
