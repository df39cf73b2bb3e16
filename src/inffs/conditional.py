"""Conditional paths: from feature to feature, each counted for what it adds to those before it.

Features and class axes are nodes; an edge between two features is the correlation of their
profiles, an edge to a class axis the signed correlation with it. With S the path so far and
K = (lambda I + rho_SS)^-1, the sum of all walks inside S (the resolvent of Inf-FS on the chosen
nodes),

    C_ig = s_ig - rho_iS K s_Sg   association of feature i with class axis g that S does not explain
    q_i  = 1 - rho_iS K rho_Si    the part of the feature itself that S does not explain

and the next feature is the one with the largest gain sum_g C_ig^2 / (lambda + q_i). No inverse is
formed: a pick is a rank-one update, one product of the profiles with a vector of length T. Time
O(n (T + d)) a pick, memory O(n (T + d)).

Besides straight lines, curves (inffs.graph.curves) and pairs (inffs.graph.pairs) count. Both
count only above a bound on what the best of all candidates reaches by chance,

    bound(K, L) = [K tr W + 2 sqrt(L K tr W^2) + 2 L |W|_2] / (T - m - 1),

the chi-square bound for K dimensions and the best of e^L, where E are the residual axes,
W = E'E and m is the number of vectors that the path has been conditioned on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inffs._utils.progress import track
from inffs.curved import CurveSearch
from inffs.graph.curves import DIMENSIONS, Curves
from inffs.graph.pairs import best_pair
from inffs.noise import chi_square_bound, level_of_best, tail_factor
from inffs.target import CLASSIFICATION, Target

SHRINKAGE = 10.0  # lambda = SHRINKAGE ln(n) / (T d)
CURVE_WEIGHT = 0.5  # of what a curve adds, against a straight line
NOISE = 0.5  # share of the chi-square bound of the largest of n chance features
CLIP = 2.0  # standard deviations of a product, as of a profile
_TIE = 1e-10  # of the best gain: nearer than this is equal, and the smaller index goes first


@dataclass(frozen=True)
class Pick:
    """A feature on a path.

    Attributes
    ----------
    feature : int
        Its column.
    gain : float
        What it adds to the path: sum_g C_g^2 / (lambda + q), and what its curve or half of its
        pair adds.
    evidence, noise : float
        sum_g C_g^2 / q, and the level it has to reach to go on with the path. The first feature of
        a path is taken whatever its evidence. For a curve or a pair its evidence and its bound.
    signal : ndarray of shape (n_classes,)
        Signed share of every class (label, target): positive where values are high in the class.
        For classes the squares add up to ``gain`` of a straight line.
    kind : {"line", "curve", "pair"}
        How the feature is associated with what the path had left of the target.
    partner : int or None
        The other feature of a pair.
    """

    feature: int
    gain: float
    evidence: float
    noise: float
    signal: np.ndarray = field(repr=False)
    kind: str = "line"
    partner: int | None = None


@dataclass(frozen=True)
class ConditionalPath:
    """A path: its picks, and the noise level that no other feature reached at its end.

    ``noise`` is None for a path that ended because enough features were picked.
    """

    picks: tuple[Pick, ...]
    noise: float | None

    def __len__(self) -> int:
        return len(self.picks)

    @property
    def features(self) -> np.ndarray:
        """The features of the path in their order."""
        return np.array([pick.feature for pick in self.picks], dtype=int)

    @property
    def kinds(self) -> list[str]:
        """The kind of every feature: "line", "curve" or "pair"."""
        return [pick.kind for pick in self.picks]

    def among(self, columns: np.ndarray) -> ConditionalPath:
        """The same path, its features numbered as in the input."""
        picks = [
            replace(
                pick,
                feature=int(columns[pick.feature]),
                partner=None if pick.partner is None else int(columns[pick.partner]),
            )
            for pick in self.picks
        ]
        return ConditionalPath(tuple(picks), self.noise)


@dataclass(frozen=True)
class TargetAxes:
    """What is to be explained: orthonormal ``axes`` (T, d) and, per class, weights (d, classes).

    ``weights[:, k]`` are the axes' inner products with the unit vector of class (label) k.
    """

    axes: np.ndarray
    weights: np.ndarray


def class_axes(target: Target, sample_weight: np.ndarray | None = None) -> TargetAxes:
    """The axes of a target: of its classes, of its labels, or of its numbers.

    Classes count alike, however many samples they have: the indicator of a class is divided by the
    root of its size.
    """
    if target.type == CLASSIFICATION:
        members = target.values[:, None] == np.arange(target.n_classes)
        sizes = members.sum(axis=0) if sample_weight is None else sample_weight @ members
        columns = members / np.sqrt(np.where(sizes > 0, sizes, 1))
    else:
        columns = target.values.reshape(len(target), -1).astype(float)
        columns = np.ldexp(columns, -np.frexp(np.abs(columns).max(axis=0))[1])
        columns = columns - columns[0]  # exact where an offset is large beside the spread
        columns = columns / np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    if sample_weight is None:
        columns = columns - columns.mean(axis=0)
    else:
        columns = columns - np.average(columns, axis=0, weights=sample_weight)
        columns = columns * np.sqrt(sample_weight)[:, None]
    if target.type != CLASSIFICATION:
        norms = np.linalg.norm(columns, axis=0)
        columns = columns / np.where(norms > 1e-12, norms, np.inf)
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    axes = left[:, sizes > 1e-10]
    if axes.shape[1] == 0:
        raise ValueError("No column of y varies: there is nothing to explain.")
    return TargetAxes(axes, axes.T @ columns)


class ConditionalWalk:
    """The paths through the profiles (n, T) to the axes of a target; weights add up to T.

    With ``curves`` features also count for their curves. With ``pairs`` the first path looks for
    pairs where no single feature stands out.
    """

    T: float

    def __init__(
        self,
        profiles: Any,
        target: TargetAxes,
        sample_weight: np.ndarray | None = None,
        curves: Curves | None = None,
        pairs: bool = False,
    ) -> None:
        self._profiles, self._target = profiles, target
        self.n, self.T = profiles.shape
        if sample_weight is not None:
            self.T = float(sample_weight.sum())
        self._weight = np.ones(profiles.shape[1]) if sample_weight is None else sample_weight
        self.n_axes = target.axes.shape[1]
        self._log_n = np.log(self.n)
        self._shrinkage = SHRINKAGE * self._log_n / (self.T * self.n_axes)
        edges = profiles.project(target.axes)
        self._copy = 1e-10 if edges.dtype == np.float64 else 1e-5
        self._edges = np.ascontiguousarray(edges.T, dtype=np.float64)
        self.alone = _sums_of_squares(self._edges)
        self.redundant_with = np.full(self.n, -1)
        self.shared = np.zeros(self.n)
        self._taken: list[int] = []
        self._squared = _squared_lengths(target.axes)
        self._first_squared = self._squared
        self._curves = curves
        self._search = None if curves is None else CurveSearch(curves, target.axes)
        self._pairs = pairs and self.n > 1
        self.pair_searches = self.pairs_found = 0
        self._begin()

    def _begin(self) -> None:
        """Begin an empty path, which explains nothing yet."""
        self._C, self._q = self._edges.copy(), np.ones(self.n)
        self._signal = self.alone
        self._rest = self._target.axes.copy()
        self._steps: list[np.ndarray] = []
        self._copies = np.empty(0, dtype=int)
        self._closing = False
        self._strong = False  # whether the best single feature stands out by itself
        self._picks: list[Pick] = []
        self._squared = self._first_squared
        self._noise = self._noise_level()
        if self._search is not None:
            self._search.begin()

    def follow(self, count: int) -> list[ConditionalPath]:
        """Select ``count`` features, path after path; a pair may bring one more."""
        paths: list[ConditionalPath] = []
        for place in track(range(count), "features picked"):
            while len(self._taken) <= place:
                self._go_on(paths)
        return [*paths, ConditionalPath(tuple(self._picks), None)]

    def _go_on(self, paths: list[ConditionalPath]) -> None:
        """The next feature or pair, on a new path where this one ends."""
        found = self._next()
        if self._pairs and not self._strong:
            self._pairs = self._take_pair()
            if self._pairs:
                return
        if found is None:
            paths.append(ConditionalPath(tuple(self._picks), self._noise))
            self._pairs = False
            self._begin()
            found = self._next()
        self._take(*found)  # type: ignore[misc]

    def rest(self) -> np.ndarray:
        """Features on no path, by their own association with the target."""
        free = np.ones(self.n, dtype=bool)
        free[self._taken] = False
        left = np.flatnonzero(free)
        return left[np.argsort(-self.alone[left], kind="stable")]

    def _next(self) -> tuple[int, float] | None:
        """The next feature and the evidence of its curve (0: a line); None where the path ends.

        An exact copy of a feature on the path waits until no other feature passes the noise.
        """
        gains = self._signal / (self._shrinkage + self._q)
        gains[self._taken] = -1.0
        copies = gains[self._copies]
        gains[self._copies] = -1.0
        found = None if self._closing else self._best(gains)
        if found is None and copies.size:
            self._closing = True
            gains[:], gains[self._copies] = -1.0, copies
            strong, found = self._strong, self._best(gains)
            self._strong = strong
        return found

    def _best(self, gains: np.ndarray) -> tuple[int, float] | None:
        self._strong = False
        best = gains.max()
        if best < 0:
            return None
        curved = np.empty(0, dtype=int)
        if self._search is not None:
            level = self._level(DIMENSIONS, self._log_n)
            chance = self._curve_by_chance()
            curved, evidence = self._search.passing(
                self._rest, gains, level, chance, CURVE_WEIGHT / (1 + self._shrinkage), _TIE
            )
        if curved.size:
            gains = gains.copy()
            gains[curved] += CURVE_WEIGHT * (evidence - chance) / (1 + self._shrinkage)
            best = gains.max()
        i = int(np.argmax(gains >= best * (1 - _TIE)))
        at = np.flatnonzero(curved == i)
        if at.size:
            self._strong = True
            return i, float(evidence[at[0]])
        self._strong = bool(self._signal[i] >= self._level(1, self._log_n) * self._q[i])
        passes = not self._picks or self._signal[i] >= self._noise * self._q[i]
        return (i, 0.0) if passes else None

    @property
    def n_given(self) -> int:
        """How many vectors the path has been conditioned on."""
        return len(self._steps)

    def _level(self, dimensions: int, log_count: float) -> float:
        """What the best of e^log_count candidates of pure noise rarely passes."""
        free = self.T - self.n_given - 1
        return level_of_best(dimensions, log_count, self._squared, free)

    def _curve_by_chance(self) -> float:
        """The mean evidence of the curve of a feature of pure chance."""
        return DIMENSIONS * float(self._squared.sum()) / max(self.T - self.n_given - 1, 1.0)

    def _noise_level(self) -> float:
        """What a straight line has to pass to go on with the path."""
        return NOISE * chi_square_bound(self._log_n, self._squared, self.T - self.n_given)

    def _take(self, i: int, curve: float) -> None:
        """Put feature i on the path, with its curve where that has evidence."""
        scale = np.sqrt(self._shrinkage + self._q[i])
        shares = self._C[:, i] / scale
        pick = Pick(
            feature=i,
            gain=float(shares @ shares),
            evidence=float(self._signal[i] / self._q[i]),
            noise=self._noise,
            signal=shares @ self._target.weights,
        )
        if curve:
            assert self._search is not None
            level = self._level(DIMENSIONS, self._log_n)
            added = CURVE_WEIGHT * (curve - self._curve_by_chance()) / (1 + self._shrinkage)
            pick = replace(
                pick, kind="curve", gain=pick.gain + added, evidence=curve, noise=level
            )  # fmt: skip
        self._picks.append(pick)
        self._taken.append(i)
        self._condition(i, shares, scale)
        if curve:
            self._condition_also(i, self._curves.basis(i))  # type: ignore[union-attr]
        self._end_step()

    def _take_pair(self) -> bool:
        """Put the best pair of features on the path, unless none passes its bound."""
        log_pairs = float(np.log(self.n * (self.n - 1) / 2 + 1))
        level = self._level(1, log_pairs)
        if level >= self._squared[-1]:
            return False
        self.pair_searches += 1
        i, j, evidence = best_pair(self._profiles, self._rest, self._weight)
        if evidence <= level:
            return False
        product = self._product(i, j)
        shares = product @ self._rest
        evidence = float(shares @ shares)
        if evidence > level:
            axis = self._rest @ shares
            axis /= np.linalg.norm(axis)
            level *= tail_factor(log_pairs, product, axis, self._weight)
        if evidence <= level:
            return False
        self.pairs_found += 1
        self._closing = False
        half = evidence / (1 + self._shrinkage) / 2
        for feature, partner in ((i, j), (j, i)):
            if any(pick.feature == feature for pick in self._picks):
                continue
            self._take(feature, 0.0)
            own = self._picks.pop()
            self._picks.append(replace(
                own, kind="pair", partner=partner, gain=own.gain + half, evidence=evidence,
                noise=level,
            ))  # fmt: skip
        self._condition_also(j, product[None, :])
        self._end_step()
        return True

    def _product(self, i: int, j: int) -> np.ndarray:
        """z_i o z_j, clipped as a profile is, without what z_i and z_j hold of it; norm 1, or 0."""
        left, right = self._profiles.row(i), self._profiles.row(j)
        along = np.sqrt(self._weight)
        product = np.divide(left * right, along, out=np.zeros_like(left), where=along > 0)
        product -= (product @ along) / self.T * along
        length = np.linalg.norm(product)
        most = CLIP * length / np.sqrt(self.T) * along
        product = np.clip(product, -most, most)
        given = np.linalg.qr(np.stack([along, left, right], axis=1))[0]
        for _ in range(2):
            product = product - given @ (given.T @ product)
        norm = np.linalg.norm(product)
        return product / norm if norm > 1e-9 * length else np.zeros_like(product)

    def _condition(self, i: int, shares: np.ndarray, scale: float) -> None:
        """Take from every feature what feature i explains of it."""
        step = self._step_to(self._profiles.row(i)) / scale
        u = self._profiles.project(step[:, None])[:, 0].astype(np.float64, copy=False)
        self._note_copies(i, u, scale)
        self._C -= shares[:, None] * u
        self._q -= u * u
        self._take_from_axes(step, shares)
        before, self._signal = self._signal, _sums_of_squares(self._C)
        self._note_redundancy(i, before - self._signal)

    def _take_from_axes(self, step: np.ndarray, shares: np.ndarray) -> None:
        self._rest -= np.outer(step, shares)
        self._steps.append(step)
        if self._search is not None:
            self._search.condition(step, shares)

    def _condition_also(self, i: int, vectors: np.ndarray) -> None:
        """Take from every feature what the unit vectors (k, T) of feature i explain of it."""
        steps, all_shares = [], []
        for vector in vectors:
            step = self._step_to(vector)
            scale = np.sqrt(self._shrinkage + max(step @ vector, 0.0))
            shares = (vector @ self._rest) / scale
            step = step / scale
            self._take_from_axes(step, shares)
            steps.append(step)
            all_shares.append(shares)
        if not steps:
            return
        u = self._profiles.project(np.stack(steps, axis=1)).astype(np.float64, copy=False)
        self._C -= np.stack(all_shares, axis=1) @ u.T
        self._q -= np.einsum("ik,ik->i", u, u)
        before, self._signal = self._signal, _sums_of_squares(self._C)
        self._note_redundancy(i, before - self._signal)

    def _end_step(self) -> None:
        self._squared = _squared_lengths(self._rest)
        self._noise = self._noise_level()

    def _step_to(self, vector: np.ndarray) -> np.ndarray:
        """The part of a vector that the path does not explain."""
        if not self._steps:
            return vector
        steps = np.stack(self._steps)
        return vector - (steps @ vector) @ steps

    def _note_copies(self, i: int, u: np.ndarray, scale: float) -> None:
        """Features at distance 0 of feature i, up to sign, in the metric of what is left."""
        near = np.flatnonzero(np.abs(u) > (1 - self._copy) * abs(u[i]))
        distance = self._q[near] + self._q[i] - 2 * scale * np.abs(u[near])
        copies = near[distance < self._copy]
        if copies.size > 1:
            self._copies = np.union1d(self._copies, copies)

    def _note_redundancy(self, i: int, shared: np.ndarray) -> None:
        """Remember for every other feature which selected one accounts for most of it."""
        more = shared > self.shared
        more[self._taken] = False
        self.redundant_with[more] = i
        self.shared[more] = shared[more]


def _sums_of_squares(C: np.ndarray) -> np.ndarray:
    return np.einsum("gi,gi->i", C, C)


def _squared_lengths(rest: np.ndarray) -> np.ndarray:
    """Eigenvalues of W = E'E, rising."""
    return np.linalg.eigvalsh(rest.T @ rest)
