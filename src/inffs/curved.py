"""Which curves count: features whose curve passes its bound, found without computing all of them.

The norm of c_i' E changes by no more than E does, so the norm for earlier residual axes bounds it
from above. A curve is computed only where that bound lets it pass and lets its feature become the
best one.
"""

from __future__ import annotations

import numpy as np

from inffs.graph.curves import Curves

_FEW = 0.25  # of all features: fewer are computed one by one


class CurveSearch:
    """The curves of all features against the residual axes of a path."""

    def __init__(self, curves: Curves, axes: np.ndarray) -> None:
        self._curves = curves
        self._start = (axes, curves.strengths(axes))
        self.begin()

    def begin(self) -> None:
        """Start a new path: the axes are whole again."""
        self._last = self._start

    def passing(
        self, E: np.ndarray, gains: np.ndarray, level: float, chance: float, worth: float,
        tie: float,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Features (rising) that may be the best one with their curve, and its evidence.

        Their evidence is above ``level``; a curve adds ``worth`` times its evidence above
        ``chance`` to the gain of its feature. Features of negative gain are left out.
        """
        size = np.linalg.norm(E)
        if not np.isfinite(level) or level >= size * size:
            return np.empty(0, dtype=int), np.empty(0)
        slack = self._curves.rounding * size
        at_least = gains.max() * (1 - tie)

        def possible(features: np.ndarray, most: np.ndarray, best: float) -> np.ndarray:
            squared, line = most * most, gains[features]
            promising = line + worth * (squared - chance) >= best
            return features[(squared > level) & promising & (line >= 0)]

        found, most = self._near(E, np.sqrt(level) - 2 * slack)
        found = possible(found, most + 2 * slack, at_least)
        if found.size == 0:
            return found, np.empty(0)
        strengths = self._computed(E, found)
        least = np.maximum(strengths - slack, 0.0) ** 2
        sure = np.where(least > level, gains[found] + worth * (least - chance), -np.inf)
        at_least = max(at_least, sure.max() * (1 - tie))
        found = possible(found, strengths + slack, at_least)
        evidence = self._curves.evidence(E, found)
        counts = evidence > level
        return found[counts], evidence[counts]

    def _near(self, E: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
        """Features for which the norm of c' E may reach ``least``, and bounds on their norms."""
        share, rest = _compared(E, self._start[0])
        found = np.flatnonzero(share * self._start[1] >= least - rest)
        most = share * self._start[1][found] + rest
        if self._last is not self._start:
            share, rest = _compared(E, self._last[0])
            np.minimum(most, share * self._last[1][found] + rest, out=most)
        return found, most

    def _computed(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Norms of c' E of the features; where these are many, of all, as the next reference."""
        if features.size <= _FEW * self._start[1].size:
            return self._curves.strengths(E, features)
        self._last = (E.copy(), self._curves.strengths(E))
        return self._last[1][features]


def _compared(E: np.ndarray, earlier: np.ndarray) -> tuple[float, float]:
    """The length of E along ``earlier``, as a share of its length, and the length of the rest."""
    share = np.vdot(E, earlier) / max(np.vdot(earlier, earlier), np.finfo(float).tiny)
    return abs(share), float(np.linalg.norm(E - share * earlier))
