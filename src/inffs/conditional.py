"""Conditional paths: a walk from feature to feature that counts only what no earlier one carries.

Features and class axes are nodes; an edge between two features is the correlation of their
profiles, an edge to a class axis the signed correlation with it. With S the path so far and
K = (lambda I + rho_SS)^-1, the sum of all walks inside S (the resolvent of Inf-FS on the chosen
nodes),

    C_ig = s_ig - rho_iS K s_Sg   what feature i says of class axis g and no walk through S carries
    q_i  = 1 - rho_iS K rho_Si    what of the feature itself no walk through S carries

and the next feature is the one with the largest gain sum_g C_ig^2 / (lambda + q_i). No inverse is
formed: a pick is a rank-one update, one product of the profiles with a vector of length T. Time
O(n (T + d)) a pick, memory O(n (T + d)).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inffs._engine.progress import track

SHRINKAGE = 10.0  # lambda = SHRINKAGE ln(n) / (T d)
NOISE = 0.5  # share of the chi-square bound of the largest of n chance features
_TIE = 1e-10  # of the best gain: nearer than this is equal, and the smaller index goes first


@dataclass(frozen=True)
class Pick:
    """A feature on a path.

    Attributes
    ----------
    feature : int
        Its column.
    gain : float
        What it adds to the path: sum_g C_g^2 / (lambda + q).
    evidence, noise : float
        sum_g C_g^2 / q, and the level it has to reach to go on with the path. The first feature of
        a path is taken whatever its evidence.
    signal : ndarray of shape (n_classes,)
        Signed share of every class (label, target): positive where values are high in the class.
        For classes the squares add up to ``gain``.
    """

    feature: int
    gain: float
    evidence: float
    noise: float
    signal: np.ndarray = field(repr=False)


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

    def among(self, columns: np.ndarray) -> ConditionalPath:
        """The same path, its features numbered as in the input."""
        picks = [replace(pick, feature=int(columns[pick.feature])) for pick in self.picks]
        return ConditionalPath(tuple(picks), self.noise)


@dataclass(frozen=True)
class Target:
    """What is to be explained: orthonormal ``axes`` (T, d) and, per class, weights (d, classes).

    ``weights[:, k]`` are the axes' inner products with the unit vector of class (label) k.
    """

    axes: np.ndarray
    weights: np.ndarray


def class_axes(y: np.ndarray, sample_weight: np.ndarray | None = None) -> Target:
    """Axes of class codes, of a (T, labels) array of 0 / 1, or of a continuous target."""
    if y.ndim == 1 and y.dtype.kind in "iu":
        members = y[:, None] == np.arange(y.max() + 1)
        sizes = members.sum(axis=0) if sample_weight is None else sample_weight @ members
        columns = members / np.sqrt(np.where(sizes > 0, sizes, 1))
    else:
        columns = y.reshape(len(y), -1).astype(float)
        columns = np.ldexp(columns, -np.frexp(np.abs(columns).max(axis=0))[1])
        columns = columns - columns[0]  # exact where an offset is large beside the spread
        columns = columns / np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    if sample_weight is None:
        columns = columns - columns.mean(axis=0)
    else:
        columns = columns - np.average(columns, axis=0, weights=sample_weight)
        columns = columns * np.sqrt(sample_weight)[:, None]
    if y.dtype.kind == "f" or y.ndim == 2:
        norms = np.linalg.norm(columns, axis=0)
        columns = columns / np.where(norms > 1e-12, norms, np.inf)
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    axes = left[:, sizes > 1e-10]
    if axes.shape[1] == 0:
        raise ValueError("No column of y varies: there is nothing to explain.")
    return Target(axes, axes.T @ columns)


class ConditionalWalk:
    """The paths through the profiles (n, T) to the axes of a target; weights add up to T."""

    T: float

    def __init__(
        self, profiles: Any, target: Target, sample_weight: np.ndarray | None = None
    ) -> None:
        self._profiles, self._target = profiles, target
        self.n, self.T = profiles.shape
        if sample_weight is not None:
            self.T = float(sample_weight.sum())
        self.n_axes = target.axes.shape[1]
        self._shrinkage = SHRINKAGE * np.log(self.n) / (self.T * self.n_axes)
        edges = profiles.project(target.axes)
        self._copy = 1e-10 if edges.dtype == np.float64 else 1e-5
        self._edges = np.ascontiguousarray(edges.T, dtype=np.float64)
        self.alone = _sums_of_squares(self._edges)
        self.carrier = np.full(self.n, -1)
        self.carried = np.zeros(self.n)
        self._taken: list[int] = []
        self._first_noise = self._noise_level(target.axes, self.T)
        self._begin()

    def _begin(self) -> None:
        """An empty path: nothing is carried yet."""
        self._C, self._q = self._edges.copy(), np.ones(self.n)
        self._signal = self.alone
        self._rest = self._target.axes.copy()
        self._steps: list[np.ndarray] = []
        self._copies = np.empty(0, dtype=int)
        self._closing = False
        self._picks: list[Pick] = []
        self._noise = self._first_noise

    def follow(self, count: int) -> list[ConditionalPath]:
        """Pick ``count`` features, path after path."""
        paths = []
        for _ in track(range(count), "features picked"):
            i = self._next()
            if i is None:
                paths.append(ConditionalPath(tuple(self._picks), self._noise))
                self._begin()
                i = self._next()
            self._take(i)  # type: ignore[arg-type]
        return [*paths, ConditionalPath(tuple(self._picks), None)]

    def rest(self) -> np.ndarray:
        """Features never picked, by what they say alone."""
        free = np.ones(self.n, dtype=bool)
        free[self._taken] = False
        left = np.flatnonzero(free)
        return left[np.argsort(-self.alone[left], kind="stable")]

    def _next(self) -> int | None:
        """The next feature, or None where the path ends.

        An exact copy of a feature on the path waits until no other feature passes the noise.
        """
        gains = self._signal / (self._shrinkage + self._q)
        gains[self._taken] = -1.0
        copies = gains[self._copies]
        gains[self._copies] = -1.0
        i = None if self._closing else self._best(gains)
        if i is None and copies.size:
            self._closing = True
            gains[:], gains[self._copies] = -1.0, copies
            i = self._best(gains)
        return i

    def _best(self, gains: np.ndarray) -> int | None:
        best = gains.max()
        if best < 0:
            return None
        i = int(np.argmax(gains >= best * (1 - _TIE)))
        passes = not self._picks or self._signal[i] >= self._noise * self._q[i]
        return i if passes else None

    def _noise_level(self, rest: np.ndarray, free: float) -> float:
        """Half a chi-square bound on the evidence of the best of n features of pure chance."""
        if free <= 0:
            return np.inf
        spectrum = np.linalg.eigvalsh(rest.T @ rest)
        log_n = np.log(self.n)
        bound = spectrum.sum() + 2 * np.sqrt(log_n * (spectrum @ spectrum))
        return float(NOISE * (bound + 2 * log_n * spectrum[-1]) / free)

    def _take(self, i: int) -> None:
        scale = np.sqrt(self._shrinkage + self._q[i])
        shares = self._C[:, i] / scale
        self._picks.append(Pick(
            feature=i,
            gain=float(shares @ shares),
            evidence=float(self._signal[i] / self._q[i]),
            noise=self._noise,
            signal=shares @ self._target.weights,
        ))  # fmt: skip
        self._taken.append(i)
        self._condition(i, shares, scale)
        self._noise = self._noise_level(self._rest, self.T - len(self._picks))

    def _condition(self, i: int, shares: np.ndarray, scale: float) -> None:
        """Take from every feature what walks through feature i carry."""
        step = self._step_to(i) / scale
        u = self._profiles.project(step[:, None])[:, 0].astype(np.float64, copy=False)
        self._note_copies(i, u, scale)
        self._C -= shares[:, None] * u
        self._q -= u * u
        self._rest -= np.outer(step, shares)
        self._steps.append(step)
        before, self._signal = self._signal, _sums_of_squares(self._C)
        self._note_carrier(i, before - self._signal)

    def _step_to(self, i: int) -> np.ndarray:
        """What of the profile of feature i no walk through the path carries."""
        profile = self._profiles.row(i)
        if not self._steps:
            return profile
        steps = np.stack(self._steps)
        return profile - (steps @ profile) @ steps

    def _note_copies(self, i: int, u: np.ndarray, scale: float) -> None:
        """Features at distance 0 of feature i, up to sign, in the metric of what is left."""
        near = np.flatnonzero(np.abs(u) > (1 - self._copy) * abs(u[i]))
        distance = self._q[near] + self._q[i] - 2 * scale * np.abs(u[near])
        copies = near[distance < self._copy]
        if copies.size > 1:
            self._copies = np.union1d(self._copies, copies)

    def _note_carrier(self, i: int, carried: np.ndarray) -> None:
        """Remember for every feature not yet picked which one has carried most of it."""
        more = carried > self.carried
        more[self._taken] = False
        self.carrier[more] = i
        self.carried[more] = carried[more]


def _sums_of_squares(C: np.ndarray) -> np.ndarray:
    return np.einsum("gi,gi->i", C, C)
