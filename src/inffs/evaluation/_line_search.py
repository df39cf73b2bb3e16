"""The exact minimum of the squared-hinge objective along a line, for many problems."""

from __future__ import annotations

from typing import Any

import numpy as np

_STEPS = 60
_EXACT = 1e-6  # share of the first slope that counts as zero


def exact_steps(
    slack: np.ndarray, change: np.ndarray, cost: np.ndarray, slope: Any, curvature: Any
) -> np.ndarray:
    """The steps t that minimise the objectives of K problems along a direction each.

    An objective is (quadratic with this slope and curvature at 0) + sum_i cost_i max(0, slack_i - t
    change_i)^2, slack and change of shape (n_samples, K). Its derivative rises and is piecewise
    linear, so Newton's method inside a bracket ends after a few steps, each O(n_samples). A problem
    leaves when its step is found: most need two or three rounds, a few need many.
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
