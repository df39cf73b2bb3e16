"""Which curves count: features whose curve passes its bound, found without looking at all of them.

The norm of c_i' E changes by no more than E does, so what was computed for earlier residual axes
bounds it from above. A curve is looked at only where that bound lets it pass and lets its feature
become the best one.
"""

from __future__ import annotations

import numpy as np

from inffs.graph.curves import Curves

_FEW = 0.25  # of all features: fewer are looked at one by one


class CurveSearch:
    """The curves of all features against the residual axes of a path."""

    def __init__(self, curves: Curves, axes: np.ndarray) -> None:
        self._curves = curves
        self._start = (axes, curves.strengths(axes))
        self.begin()

    def begin(self) -> None:
        """A new path: the axes are whole again."""
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
        slack = self._curves.rounding * size
        at_least = gains.max() * (1 - tie)

        def possible(most: np.ndarray, line: np.ndarray, best: float) -> np.ndarray:
            squared = most * most
            promising = line + worth * (squared - chance) >= best
            return np.flatnonzero((squared > level) & promising & (line >= 0))

        most = _at_most(E, *self._start)
        if self._last is not self._start:
            np.minimum(most, _at_most(E, *self._last), out=most)
        most += 2 * slack
        if not np.isfinite(level) or level >= size * size:
            return np.empty(0, dtype=int), np.empty(0)
        found = possible(most, gains, at_least)
        if found.size > _FEW * gains.size:
            strengths = self._curves.strengths(E)
            self._last = (E.copy(), strengths)
            strengths = strengths[found]
        elif found.size:
            strengths = self._curves.strengths(E, found)
        else:
            return found, np.empty(0)
        least = np.maximum(strengths - slack, 0.0) ** 2
        sure = np.where(least > level, gains[found] + worth * (least - chance), -np.inf)
        at_least = max(at_least, sure.max() * (1 - tie))
        found = found[possible(strengths + slack, gains[found], at_least)]
        evidence = self._curves.evidence(E, found)
        counts = evidence > level
        return found[counts], evidence[counts]


def _at_most(E: np.ndarray, reference: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Bounds on the norms of c' E from those of c' reference."""
    share = np.vdot(E, reference) / max(np.vdot(reference, reference), np.finfo(float).tiny)
    return abs(share) * strengths + np.linalg.norm(E - share * reference)
