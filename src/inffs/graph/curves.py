"""Curved profiles: cosines of the ranks of a column, without what its straight profile holds.

With u the mean ranks of a column between 0 and 1, the curve of feature i is spanned by
cos(k pi u), k = 2 ... 5, centred and made orthogonal to the profile z_i and to each other. A
vector that is too short after that is dropped: a column of few values has no curve. All zeros of a
sparse column share one rank, so its curve is sparse plus a constant, as its profile is.

Which curves count is found without computing all of them. The products c' E0 of all curves with
earlier residual axes E0 are known, and the angle between E0 and E bounds the norm of c' E. New
products are computed only for curves that this lets pass and lets make their feature the best one.
Where these are many, all curves are multiplied. E differs from E0 by one vector for each step of
the path in between. The path takes up to sixteen features before their vectors are multiplied, as
one pass over all curves serves them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from inffs._utils.memory import available_memory
from inffs._utils.threads import column_blocks, dense, threaded
from inffs.graph.profiles import (
    DenseProfiles,
    Profiles,
    SparseProfiles,
    sorted_within_columns,
    twice_the_ranks,
    weighted_ranks,
)
from inffs.validation.checks import canonical

FREQUENCIES = range(2, 6)  # of the cosines: the first one is nearly a straight line
DIMENSIONS = len(FREQUENCIES)
_SHORTEST = 0.25  # of the length a cosine of evenly spread ranks has
_ROUNDING = 2.0**-24
_ENOUGH = 0.35  # of that length: less would cost digits in single precision
_FEW_AXES = 3  # one product of a matrix and a vector for each is faster than one of matrices
_AT_ONCE = 2**16  # values whose curves are made at once: they stay in the cache
_FEW = 0.1  # of all features: fewer are looked at one by one


class Curves(Protocol):
    """The curves of all features."""

    def products(self, E: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        """Inner products (d, features * 4) of vectors and all c_ik, in any precision."""

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

        def of_block(columns: slice) -> None:
            rows = np.ascontiguousarray(dense(X[:, columns]).T)
            first = self._first[columns]
            for part in _parts(*rows.shape):
                first[part] = _first_cosines(rows[part], sample_weight)
                if self._stored is not None:
                    profiles = self._profiles[columns][part]
                    self._stored[columns][part] = _stored_bases(
                        first[part], profiles, sample_weight
                    )

        threaded(of_block, column_blocks(n, T), "ranking columns")

    @property
    def rounding(self) -> float:
        return dense_rounding(self._first.shape[1])

    def products(self, E: np.ndarray, features: np.ndarray | None = None) -> np.ndarray:
        n, T = self._first.shape
        if self._stored is None:
            return self._exact_products(E, np.arange(n) if features is None else features)
        stored = self._stored if features is None else self._stored[features]
        d = E.shape[1]
        more = -d % 4 if d > 2 else 0  # BLAS takes four vectors quicker than three
        axes = np.pad(E.astype(np.float32), ((0, 0), (0, more)))
        return _products_with(stored.reshape(-1, T), axes)[:d]

    def evidence(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        return sums_of_squares(self._exact_products(E, features))

    def _exact_products(self, E: np.ndarray, features: np.ndarray) -> np.ndarray:
        T = E.shape[0]
        parts = _parts(features.size, T)
        rows = [self._made(features[part]).reshape(-1, T) for part in parts]
        return np.concatenate([_products_with(each, E) for each in rows], axis=1)

    def basis(self, i: int) -> np.ndarray:
        basis = self._made(slice(i, i + 1))[0]
        return basis[basis.any(axis=1)]

    def _made(self, features: Any) -> np.ndarray:
        """The bases (features, 4, T), zero where a vector is dropped."""
        return _bases(self._first[features], self._profiles[features], self._weight)


def curve_rows(columns: np.ndarray, profiles: np.ndarray) -> np.ndarray:
    """Orthonormal vectors (n, 4, T) that span the curves of ``columns`` (n, T), which may hold NaN.

    Vectors that are dropped are zero. ``profiles`` are the clipped profiles of the columns.
    """
    weight = np.ones(columns.shape[1]) if np.isnan(columns).any() else None
    return _bases(_first_cosines(columns, weight), profiles, weight)


def sums_of_squares(products: np.ndarray) -> np.ndarray:
    """The evidence of every curve, from the products (d, features * 4)."""
    total = np.einsum("gi,gi->i", products, products)
    return total.reshape(-1, DIMENSIONS) @ np.ones(DIMENSIONS, products.dtype)


def dense_rounding(T: int) -> float:
    """A bound on the error of an inner product of unit vectors in single precision."""
    return _ROUNDING * (T + 30)


def _products_with(rows: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Inner products (d, rows) of rows (rows, T) with the columns of E."""
    if E.shape[1] <= _FEW_AXES:
        return np.stack([rows @ axis for axis in np.ascontiguousarray(E.T)])
    return E.T @ rows.T


def _parts(count: int, T: int) -> list[slice]:
    """Parts of ``count`` features whose curves stay in the cache while they are made."""
    few = max(1, _AT_ONCE // T)
    return [slice(start, min(start + few, count)) for start in range(0, count, few)]


def _first_cosines(columns: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray:
    """cos(pi u) of columns, one per row; NaN where a value is missing."""
    count, T = columns.shape
    if sample_weight is not None:
        missing = np.isnan(columns)
        weight = np.where(missing, 0.0, sample_weight)
        total = weight.sum(axis=1, keepdims=True)
        centred = weighted_ranks(columns, weight) / np.where(total > 0, total, 1.0)
        return np.where(missing, np.nan, -np.sin(np.pi * centred))
    places, twice = twice_the_ranks(columns)
    of_half_ranks = -np.sin(np.pi * (np.arange(2 * T + 1) / 2 - T / 2) / T)
    cosines = np.empty((count, T))
    cosines.reshape(-1)[places] = of_half_ranks[twice]
    return cosines


def _stored_bases(first: np.ndarray, profiles: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Bases in single precision, made in double precision where little is left of a vector."""
    bases, short = _gram_schmidt(*_present(first.astype(np.float32), weight), profiles)
    if short.any():
        bases[short] = _bases(first[short], profiles[short], weight)
    return bases


def _bases(first: np.ndarray, profiles: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Bases (features, 4, T) of rows of first cosines, zero where a vector is dropped."""
    return _gram_schmidt(*_present(first.astype(np.float64, copy=False), weight), profiles)[0]


def _present(first: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """First cosines and the weight of each, 0 where it is missing."""
    if weight is None:
        return first, None
    return np.nan_to_num(first), np.where(np.isnan(first), 0.0, weight).astype(first.dtype)


def _gram_schmidt(
    first: np.ndarray, weight: np.ndarray | None, profiles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Bases in the precision of ``first``, and which features have a vector that got short."""
    count, T = first.shape
    total = np.full(count, T) if weight is None else weight.sum(axis=1)
    along = 1.0 if weight is None else np.sqrt(weight)
    full = np.sqrt(total / 2).astype(first.dtype)
    earlier = [profiles.astype(first.dtype, copy=False)]
    bases = np.zeros((count, DIMENSIONS, T), first.dtype)
    short = np.zeros(count, dtype=bool)
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
        short |= norms < _ENOUGH * full
        scale = np.where((norms >= _SHORTEST * full) & (norms > 0), norms, np.inf)
        np.divide(vector, scale[:, None], out=bases[:, place])
        earlier.append(bases[:, place])
    return bases, short


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
        found = np.empty((E.shape[1], shifts[0].size, DIMENSIONS))
        sums = np.zeros(self._members.shape[0])
        for g, axis in enumerate(np.ascontiguousarray(E.T)):
            sums[used], total = members @ axis, self._along @ axis
            for k, (rows, shift) in enumerate(zip(cosines, shifts, strict=True)):
                found[g, :, k] = rows @ sums + shift * total
        return found.reshape(E.shape[1], -1)

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


@dataclass
class _Step:
    """An outer product that a path takes from the axes; ``products`` of its vector, once known."""

    along: np.ndarray
    shares: np.ndarray
    products: np.ndarray | None = None

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.along) * np.linalg.norm(self.shares))


@dataclass(frozen=True)
class Question:
    """Which features may be the best one with their curve?

    The evidence has to be above ``level``. A curve adds ``worth`` times its evidence above
    ``chance`` to the gain of its feature. Features of negative gain are left out.
    """

    axes: np.ndarray
    gains: np.ndarray
    level: float
    chance: float
    worth: float

    def possible(self, features: np.ndarray, norms: np.ndarray, at_least: float) -> np.ndarray:
        """Which of these features pass and gain enough with these norms of c' E."""
        gains, evidence = self.gains[features], norms * norms
        enough = gains + self.worth * (evidence - self.chance) >= at_least
        return enough & (evidence > self.level) & (gains >= 0)


class CurveSearch:
    """The curves of all features against the residual axes of a path.

    The path reports its steps and asks its questions, and goes on as if no curve passed.
    ``answer`` looks at all of them at once, because one product with eight vectors takes little
    longer than one with a single vector.
    """

    def __init__(self, curves: Curves, axes: np.ndarray, tie: float) -> None:
        self._curves, self._tie = curves, tie
        products = curves.products(axes)
        error = curves.rounding * float(np.linalg.norm(axes))
        self._whole = axes, products, _norms(products), error
        self._events: list[_Step | Question | None] = [None]

    def begin(self) -> None:
        """Start a new path: the axes are whole again."""
        self._events.append(None)

    def condition(self, along: np.ndarray, shares: np.ndarray) -> None:
        """Note that the path takes the outer product of a vector and its shares from the axes."""
        self._events.append(_Step(along, shares))

    def ask(self, question: Question) -> None:
        self._events.append(question)

    def answer(self) -> tuple[int, dict[int, float]]:
        """Features and their evidence for the first question that has any.

        The first number is that of the questions before. What followed this question is forgotten.
        """
        asked, found = 0, dict[int, float]()
        while self._events and not found:
            event = self._events.pop(0)
            if event is None:
                self._axes, self._products, self._norms, self._error = self._whole
                self._steps: list[_Step] = []
            elif isinstance(event, _Step):
                self._steps.append(event)
            else:
                found = self._passing(event)
                asked += 1
        self._events = []
        return asked - bool(found), found

    def _passing(self, asked: Question) -> dict[int, float]:
        size = float(np.linalg.norm(asked.axes))
        if not np.isfinite(asked.level) or asked.level >= size * size:
            return {}
        at_least = asked.gains.max() * (1 - self._tie)
        found = self._near(asked, at_least, size)
        if found.size > _FEW * self._norms.size and self._steps:
            self._catch_up(asked.axes, size)
            found = self._near(asked, at_least, size)
        if found.size == 0:
            return {}
        if self._steps:
            norms = _norms(self._curves.products(asked.axes, found))
            error = self._curves.rounding * size
        else:
            norms, error = self._norms[found], self._error
        least = np.maximum(norms - error, 0.0) ** 2
        gains = asked.gains[found] + asked.worth * (least - asked.chance)
        surely = gains.max(where=least > asked.level, initial=-np.inf)
        at_least = max(at_least, surely * (1 - self._tie))
        found = found[asked.possible(found, norms + error, at_least)]
        if found.size == 0:
            return {}
        evidence = self._curves.evidence(asked.axes, found)
        counts = evidence > asked.level
        return dict(zip(found[counts].tolist(), evidence[counts].tolist(), strict=True))

    def _near(self, asked: Question, at_least: float, size: float) -> np.ndarray:
        """Features that may pass and gain enough, by the angles between known axes and theirs.

        A norm of c' E is that of E times the cosine of the angle between E and what c spans. That
        angle is smaller than with the known axes by the angle between these and E at most.
        """
        known = float(np.linalg.norm(self._axes))
        along = float(np.vdot(self._axes, asked.axes)) / known
        beside = float(np.linalg.norm(asked.axes - along / known * self._axes))
        largest = np.arccos(np.sqrt(asked.level) / size) + np.arctan2(beside, along)
        least = known * np.cos(min(largest, np.pi / 2)) - self._error
        near = np.flatnonzero(self._norms > float(least))
        cosines = self._norms[near].astype(np.float64) + self._error
        cosines = np.minimum(cosines / known, 1.0)
        norms = cosines * along + np.sqrt(1.0 - cosines**2) * beside
        norms[cosines * size >= along] = size
        return near[asked.possible(near, norms, at_least)]

    def _catch_up(self, axes: np.ndarray, size: float) -> None:
        """Compute the products and norms for ``axes``, whose norm is ``size``."""
        rounding = self._curves.rounding
        new = [step for step in self._steps if step.products is None]
        if len(new) > axes.shape[1]:
            self._products, self._error = self._curves.products(axes), rounding * size
        else:
            if new:
                self._multiply([*new, *(e for e in self._events if isinstance(e, _Step))])
            if self._products is self._whole[1]:
                self._products = self._products.copy()
            for step in self._steps:
                shares = step.shares.astype(self._products.dtype)
                for axis, share in zip(self._products, shares, strict=True):
                    axis -= share * step.products
                self._error += rounding * step.size
            self._error += 4 * _ROUNDING * size
        self._axes, self._norms, self._steps = axes, _norms(self._products), []

    def _multiply(self, steps: list[_Step]) -> None:
        products = self._curves.products(np.stack([step.along for step in steps], axis=1))
        for step, product in zip(steps, products, strict=True):
            step.products = product


def _norms(products: np.ndarray) -> np.ndarray:
    """Norms of c' E of all features, from the products."""
    return np.sqrt(sums_of_squares(products))
