"""Which curves count: features whose curve passes its bound, found without computing all of them.

The products c' E0 of all curves with earlier residual axes E0 are known. The norm of c' E changes
by no more than E does, which bounds it from above. A norm is computed only where that bound lets
the curve pass and lets its feature become the best one. E differs from E0 by one vector for each
step of the path in between, so the new products take one vector each instead of all axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inffs.graph.curves import Curves

_FEW = 0.25  # of all features: fewer are computed one by one
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class _Known:
    """Residual axes, the products (n, 4, d) of all curves with them, their norms, and its error."""

    axes: np.ndarray
    products: np.ndarray
    norms: np.ndarray
    error: float


class CurveSearch:
    """The curves of all features against the residual axes of a path."""

    def __init__(self, curves: Curves, axes: np.ndarray) -> None:
        self._curves = curves
        products = curves.products(axes)
        error = curves.rounding * float(np.linalg.norm(axes))
        self._start = _Known(axes, products, _norms(products), error)
        self.begin()

    def begin(self) -> None:
        """Start a new path: the axes are whole again."""
        self._last = self._start
        self._steps: list[np.ndarray] = []
        self._shares: list[np.ndarray] = []

    def condition(self, step: np.ndarray, shares: np.ndarray) -> None:
        """Note that the path takes the outer product of a vector and its shares from the axes."""
        self._steps.append(step)
        self._shares.append(shares)

    def passing(
        self, E: np.ndarray, gains: np.ndarray, level: float, chance: float, worth: float,
        tie: float,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Features (rising) that may be the best one with their curve, and its evidence.

        Their evidence is above ``level``; a curve adds ``worth`` times its evidence above
        ``chance`` to the gain of its feature. Features of negative gain are left out.
        """
        size = float(np.linalg.norm(E))
        if not np.isfinite(level) or level >= size * size:
            return np.empty(0, dtype=int), np.empty(0)
        at_least = gains.max() * (1 - tie)

        def possible(features: np.ndarray, most: np.ndarray, best: float) -> np.ndarray:
            squared, line = most * most, gains[features]
            promising = line + worth * (squared - chance) >= best
            return features[(squared > level) & promising & (line >= 0)]

        found, most = self._near(E, np.sqrt(level))
        found = possible(found, most, at_least)
        if found.size == 0:
            return found, np.empty(0)
        norms, error = self._computed(E, size, found)
        least = np.maximum(norms - error, 0.0) ** 2
        sure = np.where(least > level, gains[found] + worth * (least - chance), -np.inf)
        at_least = max(at_least, sure.max() * (1 - tie))
        found = possible(found, norms + error, at_least)
        evidence = self._curves.evidence(E, found)
        counts = evidence > level
        return found[counts], evidence[counts]

    def _near(self, E: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
        """Features for which the norm of c' E may reach ``least``, and bounds on their norms."""
        known = self._last
        share = abs(np.vdot(E, known.axes)) / max(np.vdot(known.axes, known.axes), _TINY)
        rest = float(np.linalg.norm(E - share * known.axes)) + share * known.error
        found = np.flatnonzero(share * known.norms >= least - rest)
        return found, share * known.norms[found] + rest

    def _computed(
        self, E: np.ndarray, size: float, features: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """Norms of c' E of the features, and their error; where these are many, of all."""
        known = self._last
        if not self._steps:
            return known.norms[features], known.error
        many = features.size > _FEW * known.norms.size
        chosen = None if many else features
        error = self._curves.rounding * size
        if len(self._steps) >= E.shape[1]:
            products = self._curves.products(E, chosen)
        else:
            earlier = known.products if many else known.products[features]
            new = self._curves.products(np.stack(self._steps, axis=1), chosen)
            products = _less(earlier, new, np.stack(self._shares))
            lengths = [np.linalg.norm(each) for each in self._shares]
            error += known.error + self._curves.rounding * float(np.sum(lengths))
        norms = _norms(products)
        if not many:
            return norms, error
        self._last = _Known(E.copy(), products, norms, error)
        self._steps, self._shares = [], []
        return norms[features], error


def _less(earlier: np.ndarray, new: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Products (n, 4, d) less those with the steps (n, 4, k), each times its shares (k, d)."""
    products = earlier
    for k, each in enumerate(shares.astype(earlier.dtype)):
        products = products - new[:, :, k, None] * each
    return products


def _norms(products: np.ndarray) -> np.ndarray:
    """Frobenius norms of products (n, 4, d)."""
    return np.sqrt(np.einsum("ikg,ikg->i", products, products))
