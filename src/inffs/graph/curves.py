"""Curved profiles: cosines of the ranks of a column, without what its straight profile holds.

With u the mean ranks of a column between 0 and 1, the curve of feature i is spanned by
cos(k pi u), k = 2 ... 5, centred and made orthogonal to the profile z_i and to each other. A
vector that is too short after that is dropped: a column of few values has no curve. All zeros of a
sparse column share one rank, so its curve is sparse plus a constant, as its profile is.

Which curves count is found without computing all of them. The products c' E0 of all curves with
earlier residual axes E0 are known, and the norm of c' E changes by no more than E does. A norm is
computed only where that lets the curve pass and lets its feature become the best one. E differs
from E0 by one vector for each step of the path in between, so the new products take one vector
each instead of all axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from inffs._utils.memory import available_memory
from inffs._utils.threads import column_blocks, threaded
from inffs.graph.make_profiles import mean_ranks, sorted_within_columns, weighted_ranks
from inffs.graph.profiles import DenseProfiles, Profiles, SparseProfiles
from inffs.validation.checks import canonical

FREQUENCIES = range(2, 6)  # of the cosines: the first one is nearly a straight line
DIMENSIONS = len(FREQUENCIES)
_SHORTEST = 0.25  # of the length a cosine of evenly spread ranks has
_ROUNDING = 2.0**-24
_FEW_AXES = 4  # one product of a matrix and a vector for each is faster than one of matrices
_AT_ONCE = 2**15  # values whose curves are made at once: they stay in the cache

_FEW = 0.25  # of all features: fewer are computed one by one
_TINY = np.finfo(float).tiny


class Curves(Protocol):
    """The curves of all features."""

    def products(self, E: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        """Inner products c_i' E (features, 4, d) of curves with vectors, in any precision."""

    def evidence(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Squared norms of c_i' E in double precision."""

    def basis(self, i: int) -> np.ndarray:
        """Orthonormal vectors (at most 4, T) that span the curve of feature i."""

    @property
    def rounding(self) -> float:
        """The largest error of the norm of ``products``, as a share of the norm of E."""


def curves_of(X: Any, profiles: Profiles, sample_weight: np.ndarray | None = None) -> Curves:
    """The curves of the columns of X whose clipped profiles are ``profiles``."""
    if isinstance(profiles, SparseProfiles):
        return SparseCurves(X, profiles)
    if getattr(X, "distributed", False):
        from inffs.graph.dask import DaskCurves

        return DaskCurves(X, profiles, sample_weight)  # type: ignore[arg-type]
    return DenseCurves(X, profiles, sample_weight)  # type: ignore[arg-type]


class DenseCurves:
    """Curves of a dense or lazy table: first cosines in memory, all of them where they fit.

    The first cosine cos(pi u) of every feature is kept: the others follow from it by recurrence.
    NaN marks a missing value, which weighs nothing.
    """

    def __init__(
        self, X: Any, profiles: DenseProfiles, sample_weight: np.ndarray | None = None
    ) -> None:
        self._profiles, self._weight = profiles.rows, sample_weight
        n, T = profiles.shape
        self._first = np.empty((n, T), dtype=profiles.dtype)
        room = n * DIMENSIONS * T * 4 <= available_memory() / 4
        self._stored = np.empty((n, DIMENSIONS, T), dtype=np.float32) if room else None
        few = max(1, _AT_ONCE // T)

        def of_block(columns: slice) -> None:
            block = X[:, columns].toarray() if sparse.issparse(X) else X[:, columns]
            rows = np.ascontiguousarray(block.T)
            for start in range(0, rows.shape[0], few):
                part = slice(columns.start + start, min(columns.start + start + few, columns.stop))
                first = _first_cosines(rows[start : start + few], sample_weight)
                self._first[part] = first
                if self._stored is not None:
                    self._stored[part] = self._made(first, self._profiles[part])

        threaded(of_block, column_blocks(n, T), "ranking columns")

    @property
    def rounding(self) -> float:
        return dense_rounding(self._first.shape[1])

    def products(self, E: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        n, T = self._first.shape
        if self._stored is None:
            return self._exact_products(E, np.arange(n) if features is None else features)
        stored = self._stored if features is None else self._stored[features]
        return products_with(stored.reshape(-1, T), E.astype(np.float32))

    def evidence(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        return sums_of_squares(self._exact_products(E, features))

    def _exact_products(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        T = E.shape[0]
        found = np.empty((features.size, DIMENSIONS, E.shape[1]))
        few = max(1, _AT_ONCE // T)
        for start in range(0, features.size, few):
            part = features[start : start + few]
            basis = self._made(self._first[part].astype(np.float64), self._profiles[part])
            found[start : start + few] = products_with(basis.reshape(-1, T), E)
        return found

    def basis(self, i: int) -> np.ndarray:
        basis = self._made(self._first[[i]].astype(np.float64), self._profiles[[i]])[0]
        return basis[basis.any(axis=1)]

    def _made(self, first: np.ndarray, profiles: np.ndarray) -> np.ndarray:
        """The bases (features, 4, T) of rows of first cosines, zero where a vector is dropped."""
        return _bases(first, profiles, self._weight)


def curve_rows(columns: np.ndarray, profiles: np.ndarray) -> np.ndarray:
    """Orthonormal vectors (n, 4, T) that span the curves of ``columns`` (n, T), which may hold NaN.

    Vectors that are dropped are zero. ``profiles`` are the clipped profiles of the columns.
    """
    weight = np.ones(columns.shape[1]) if np.isnan(columns).any() else None
    return _bases(_first_cosines(columns, weight), profiles, weight)


def _bases(first: np.ndarray, profiles: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    if weight is None:
        return _dense_bases(first, profiles, None)
    present = np.where(np.isnan(first), 0.0, weight)
    return _dense_bases(np.nan_to_num(first), profiles, present)


def products_with(rows: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Inner products (features, 4, d) of bases (features * 4, T) with the columns of E."""
    if E.shape[1] <= _FEW_AXES:
        found = np.stack([rows @ axis for axis in np.ascontiguousarray(E.T)], axis=1)
    else:
        found = rows @ E
    return found.reshape(-1, DIMENSIONS, E.shape[1])


def sums_of_squares(products: np.ndarray) -> np.ndarray:
    """The evidence of every curve."""
    return np.einsum("ikg,ikg->i", products, products)


def dense_rounding(T: int) -> float:
    """A bound on the error of an inner product of unit vectors in single precision."""
    return _ROUNDING * (T + 30)


def _first_cosines(columns: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray:
    """cos(pi u) of columns, one per row."""
    count, T = columns.shape
    if sample_weight is not None:
        missing = np.isnan(columns)
        weight = np.where(missing, 0.0, sample_weight)
        total = weight.sum(axis=1, keepdims=True)
        centred = weighted_ranks(columns, weight) / np.where(total > 0, total, 1.0)
        return np.where(missing, np.nan, -np.sin(np.pi * centred))
    order = np.argsort(columns, axis=1)
    ranked = np.take_along_axis(columns, order, axis=1)
    cosines = np.empty((count, T))
    even = -np.sin(np.pi * (np.arange(T) - (T - 1) / 2) / T)
    np.put_along_axis(cosines, order, np.broadcast_to(even, (count, T)), axis=1)
    tied = np.flatnonzero((ranked[:, 1:] == ranked[:, :-1]).any(axis=1))
    if tied.size:
        cosines[tied] = -np.sin(np.pi * mean_ranks(ranked[tied], order[tied]) / T)
    return cosines


def _dense_bases(first: np.ndarray, profiles: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    count, T = first.shape
    total = T if weight is None else weight.sum(axis=1)
    along = 1.0 if weight is None else np.sqrt(weight)
    shortest = _SHORTEST * np.sqrt(np.broadcast_to(total, (count,)) / 2)
    earlier = [profiles.astype(np.float64, copy=False)]
    bases = np.zeros((count, DIMENSIONS, T))
    twice, before, cosine = 2 * first, np.ones_like(first), first
    for place in range(DIMENSIONS):
        before, cosine = cosine, twice * cosine - before
        if weight is None:
            vector = cosine - cosine.mean(axis=1, keepdims=True)
        else:
            mean = np.einsum("it,it->i", cosine, weight) / np.where(total > 0, total, 1.0)
            vector = (cosine - mean[:, None]) * along
        for other in earlier:
            vector -= np.einsum("it,it->i", vector, other)[:, None] * other
        norms = np.sqrt(np.einsum("it,it->i", vector, vector))
        scale = np.where((norms >= shortest) & (norms > 0), norms, np.inf)
        np.divide(vector, scale[:, None], out=bases[:, place])
        earlier.append(bases[:, place])
    return bases


class SparseCurves:
    """Curves of a sparse table: per cosine sparse rows (n, T) + a shift per row times ``along``.

    Equal values of a column have equal cosines, so a cosine is stored once per distinct value and
    products add up the samples of each distinct value first. A vector that is dropped is zero.
    """

    rounding = 1e-12

    def __init__(self, X: Any, profiles: SparseProfiles) -> None:
        X = canonical(sparse.csc_array(X)).astype(np.float64)
        X.eliminate_zeros()
        self._along = profiles.along
        order, starts = sorted_within_columns(X)
        samples = X.indices[order]
        self._members = sparse.csr_array(
            (self._along[samples], samples, np.append(starts, X.nnz)),
            shape=(starts.size, X.shape[0]),
        )
        cosines, self._shifts = _DistinctValues(X, profiles, order, starts).bases()
        indptr, shape = np.searchsorted(starts, X.indptr), (X.shape[1], starts.size)
        self._cosines = [sparse.csr_array((one, np.arange(starts.size), indptr), shape=shape)
                         for one in cosines]  # fmt: skip

    def products(self, E: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        members, cosines, shifts = self._members, self._cosines, self._shifts
        used: Any = slice(None)
        if features is not None:
            cosines, shifts = [one[features] for one in cosines], [one[features] for one in shifts]
            used = cosines[0].indices
            members = members[used]
        found = np.empty((shifts[0].size, DIMENSIONS, E.shape[1]))
        sums = np.zeros(self._members.shape[0])
        for g, axis in enumerate(np.ascontiguousarray(E.T)):
            sums[used], total = members @ axis, self._along @ axis
            for k, (rows, shift) in enumerate(zip(cosines, shifts, strict=True)):
                found[:, k, g] = rows @ sums + shift * total
        return found

    def evidence(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        return sums_of_squares(self.products(E, features))

    def basis(self, i: int) -> np.ndarray:
        rows = [(cosine[[i]] @ self._members).toarray()[0] + shift[i] * self._along
                for cosine, shift in zip(self._cosines, self._shifts, strict=True)]  # fmt: skip
        return np.array([row for row in rows if row.any()]).reshape(-1, self._along.size)


class _DistinctValues:
    """Gram-Schmidt on columns given by their distinct values and the value that zeros share."""

    def __init__(
        self, X: Any, profiles: SparseProfiles, order: np.ndarray, starts: np.ndarray
    ) -> None:
        counts, along = np.diff(X.indptr), profiles.along
        column = np.repeat(np.arange(X.shape[1]), counts)
        self._values, self._column = X.data[order[starts]], column[starts]
        each = along[X.indices]
        self._weight = np.add.reduceat(each[order] ** 2, starts)
        self._total = float(along @ along)
        self._full = counts == X.shape[0]
        self._at_zero = np.where(self._full, 0.0, self._total - self._sums(self._weight))
        profile = np.add.reduceat((profiles.rows.data * each)[order], starts)
        profile = np.divide(profile, self._weight, out=profile, where=self._weight > 0)
        self._profile = profile + profiles.shift[self._column], profiles.shift

    def _sums(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self._column, values, self._full.size)

    def _ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """u of the distinct values and of zero: mean ranks by weight, between 0 and 1."""
        column, weight = self._column, self._weight
        reached = np.append(0.0, np.cumsum(weight))
        middle = (reached[:-1] + reached[1:]) / 2
        middle -= reached[np.searchsorted(column, column)]
        middle += np.where(self._values > 0, self._at_zero[column], 0.0)
        below = self._sums(np.where(self._values < 0, weight, 0.0))
        return middle / self._total, (below + self._at_zero / 2) / self._total

    def bases(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Per cosine the distinct values less the shift, and the shifts of all columns."""
        u, at_zero = self._ranks()
        earlier = [self._profile]
        shortest = _SHORTEST * np.sqrt(self._total / 2)
        for k in FREQUENCIES:
            data, zero = np.cos(k * np.pi * u), np.cos(k * np.pi * at_zero)
            mean = (self._sums(data * self._weight) + self._at_zero * zero) / self._total
            data -= mean[self._column]
            zero -= mean
            for other, other_zero in earlier:
                shared = self._sums(data * other * self._weight) + self._at_zero * zero * other_zero
                data -= shared[self._column] * other
                zero -= shared * other_zero
            norms = np.sqrt(self._sums(data**2 * self._weight) + self._at_zero * zero**2)
            scale = np.where((norms >= shortest) & (norms > 0), norms, np.inf)
            data /= scale[self._column]
            earlier.append((data, zero / scale))
        shifts = [np.where(self._full, 0.0, zero) for _, zero in earlier[1:]]
        for (data, _), shift in zip(earlier[1:], shifts, strict=True):
            data -= shift[self._column]
        return [data for data, _ in earlier[1:]], shifts


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
    change = new.reshape(-1, len(shares)) @ shares.astype(new.dtype)
    return earlier - change.reshape(earlier.shape)


def _norms(products: np.ndarray) -> np.ndarray:
    """Frobenius norms of products (n, 4, d)."""
    return np.sqrt(np.einsum("ikg,ikg->i", products, products))
