"""Recorded results and the two measures of the published supervised filters.

The recorded numbers come from the authors' programs under GNU Octave (skrebate and skfeature where
it says so); the measures below repeat what those programs compute, slips included.
"""

import functools
import json
from pathlib import Path

import numpy as np

from tests.methods.supervised_goldens import table

__all__ = ["cases", "names", "published_fisher", "published_information", "recorded", "table"]

FILE = Path(__file__).parent.parent / "golden" / "supervised_filters.json"


@functools.cache
def recorded():
    return json.loads(FILE.read_text())


def cases(method):
    return recorded()[method]


def names(method):
    return [" ".join(str(v) for v in case.values() if np.isscalar(v)) for case in cases(method)]


def published_fisher(X, y):
    """(mu_1 - mu_2)^2 / (v_1 + v_2); a denominator of 0 becomes 10000."""
    first, second = X[y == 1], X[y == -1]
    spread = first.var(axis=0, ddof=1) + second.var(axis=0, ddof=1)
    spread[spread == 0] = 10000.0
    return (first.mean(axis=0) - second.mean(axis=0)) ** 2 / spread


def published_information(X, y):
    """Edges belong to the lower bin in the marginal, to the upper one in the joint histogram."""
    T = y.size
    bins = 20 if T > 200 else max(T // 10, 10)
    return np.array([_published_information(column, y, bins) for column in X.T])


def _published_information(a, y, bins):
    T, low, high = a.size, a.min(), a.max()
    if low == high:  # the program's histogram then spans one unit around the value
        marginal = np.bincount([(bins - 1) // 2], minlength=bins) * T
    else:
        half = (high - low) / bins / 2
        centres = _from_both_ends(low + half, high - half, bins)
        edges = (centres[:-1] + centres[1:]) / 2
        marginal = np.bincount(np.searchsorted(edges, a, side="left"), minlength=bins)
    p_bin = np.where(marginal == 0, 1e-5, marginal / T)
    width, left = (high - low) / bins, low
    joint = np.zeros((2, bins))
    for k in range(bins):
        inside = (a >= left) & ((a < left + width) if k < bins - 1 else True)
        joint[:, k] = [(inside & (y == label)).sum() for label in (1, -1)]
        left += width
    joint = np.where(joint == 0, 1e-5, joint) / T
    p_class = np.array([(y == 1).mean(), (y == -1).mean()])
    shared = (joint * np.log(joint / (p_bin * p_class[:, None]))).sum()
    return 2 * shared / -((p_bin * np.log(p_bin)).sum() + (p_class * np.log(p_class)).sum())


def _from_both_ends(start, stop, count):
    """Octave's linspace: the upper half counts down from the end, which decides edge values."""
    step = (stop - start) / (count - 1) * np.arange((count + 1) // 2)
    return np.concatenate([start + step, (stop - step)[: count // 2][::-1]])
