"""Conditional paths: the next feature is the one that adds most to those before it.

Features and class axes are nodes; an edge between two features is the correlation of their
profiles, an edge to a class axis the signed correlation with it. With S the path so far and
K = (lambda I + rho_SS)^-1, the sum of all walks inside S (the resolvent of Inf-FS on the chosen
nodes),

    C_ig = s_ig - rho_iS K s_Sg   association of feature i with class axis g that S does not explain
    q_i  = 1 - rho_iS K rho_Si    the part of the feature itself that S does not explain

and the next feature is the one with the largest gain sum_g C_ig^2 / (lambda + q_i). No inverse is
formed: a feature on the path is a rank-one update (inffs.residual), one product of the profiles
with a vector of length T. Time O(n (T + d)) a feature, memory O(n (T + d)).

Besides straight lines, curves (inffs.graph.curves) and pairs (inffs.graph.pairs) count where they
pass a level that the best of all candidates of pure noise passes in 5 % of all tables
(inffs.residual).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inffs._utils.progress import track
from inffs.graph.curves import DIMENSIONS, Curves, CurveSearch, Question
from inffs.graph.pairs import best_pair
from inffs.residual import Residual, Step, tail_factor
from inffs.target import CLASSIFICATION, Target

SHRINKAGE = 10.0  # lambda = SHRINKAGE ln(n) / (T d)
CURVE_WEIGHT = 0.5  # of what a curve adds, against a straight line
NOISE = 0.5  # share of the chi-square bound of the largest of n chance features
CLIP = 2.0  # standard deviations of a product, as of a profile
_AHEAD = 16  # features taken before the curves are looked at, at most
_TIE = 1e-10  # of the best gain: nearer than this is equal, and the smaller index goes first


@dataclass(frozen=True)
class SelectedFeature:
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
    """A path: its features, and the noise level that no other feature reached at its end.

    ``noise`` is None for a path that ended because enough features were selected.
    """

    selected: tuple[SelectedFeature, ...]
    noise: float | None

    def __len__(self) -> int:
        return len(self.selected)

    @property
    def features(self) -> np.ndarray:
        """The features of the path in their order."""
        return np.array([each.feature for each in self.selected], dtype=int)

    @property
    def kinds(self) -> list[str]:
        """The kind of every feature: "line", "curve" or "pair"."""
        return [each.kind for each in self.selected]

    def among(self, columns: np.ndarray) -> ConditionalPath:
        """The same path, its features numbered as in the input."""
        selected = [
            replace(
                each,
                feature=int(columns[each.feature]),
                partner=None if each.partner is None else int(columns[each.partner]),
            )
            for each in self.selected
        ]
        return ConditionalPath(tuple(selected), self.noise)


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


@dataclass(frozen=True)
class _Choice:
    """The feature of the largest gain.

    ``curve`` is what its curve adds to its gain, 0 for a straight line. ``passes`` reports whether
    its evidence reaches ``noise`` or it is the first of its path, ``strong`` whether it reaches the
    whole chi-square bound, so that no pair is looked for.
    """

    feature: int
    evidence: float
    noise: float
    passes: bool = True
    strong: bool = True
    curve: float = 0.0


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
        self._log_n = float(np.log(self.n))
        self._log_pairs = float(np.log(self.n * (self.n - 1) / 2 + 1))
        self._shrinkage = SHRINKAGE * self._log_n / (self.T * self.n_axes)
        edges = profiles.project(target.axes)
        self._copy = 1e-10 if edges.dtype == np.float64 else 1e-5
        C = np.ascontiguousarray(edges.T, dtype=np.float64)
        axes = target.axes.copy()  # in rows
        self._whole = Residual(profiles, self._shrinkage, self.T, C, np.ones(self.n), axes)
        self.alone = self._whole.signal
        self.redundant_with = np.full(self.n, -1)
        self.shared = np.zeros(self.n)
        self._taken: list[int] = []
        self._curves = curves
        self._search = None if curves is None else CurveSearch(curves, target.axes, _TIE)
        self._ahead: list[dict] | None = None  # what to return to: a place per open question
        self._answer: dict[int, float] | None = None  # to the next question
        self._pairs = pairs and self.n > 1
        self.pair_searches = self.pairs_found = 0
        self._paths: list[ConditionalPath] = []
        self._begin()

    def _begin(self) -> None:
        """Begin an empty path, which explains nothing yet."""
        self._left = copy(self._whole)
        self._selected: list[SelectedFeature] = []
        self._copies = np.empty(0, dtype=int)  # of features on the path
        self._closing = False  # whether only copies may still pass
        if self._search is not None:
            self._search.begin()

    def follow(self, count: int) -> list[ConditionalPath]:
        """Select ``count`` features, path after path; a pair may bring one more."""
        ahead = 1
        for place in track(range(count), "selecting features"):
            while len(self._taken) <= place:
                ahead = self._go_on_by(min(ahead, count - len(self._taken)))
        return [*self._paths, ConditionalPath(tuple(self._selected), None)]

    def _go_on_by(self, ahead: int) -> int:
        """Take some features as if no curve passed, then go back to the first place where one does.

        Returns how many to take the next time.
        """
        if self._search is None or self._pairs or ahead == 1:
            self._go_on()
            return 1 if self._selected[-1].kind == "curve" else 2
        places: list[dict] = []
        self._ahead = places
        for _ in range(ahead):
            self._go_on()
        self._ahead = None
        asked, answer = self._search.answer()
        if not answer:
            held = self.n_axes + 4  # numbers of every feature that each place takes, beside T
            return max(1, min(2 * ahead, _AHEAD, self._profiles.shape[1] // held))
        vars(self).update(places[asked], _answer=answer)
        self._go_on()
        return 1

    def _go_on(self) -> None:
        """Take the next feature or pair, on a new path where this one ends."""
        choice = self._next()
        if self._pairs and not (choice and choice.strong):
            self._pairs = self._take_pair()
            if self._pairs:
                return
        if choice is None or not choice.passes:
            path = ConditionalPath(tuple(self._selected), self._noise())
            self._paths = [*self._paths, path]
            self._pairs = False
            self._begin()
            choice = self._next()
        self._take(choice)  # type: ignore[arg-type]

    def rest(self) -> np.ndarray:
        """Features on no path, by their own association with the target."""
        free = np.ones(self.n, dtype=bool)
        free[self._taken] = False
        left = np.flatnonzero(free)
        return left[np.argsort(-self.alone[left], kind="stable")]

    # --- the next feature -------------------------------------------------------------------------

    def _next(self) -> _Choice | None:
        """The next feature, or None where none is left.

        An exact copy of a feature on the path waits until no other feature passes the noise.
        """
        gains = self._left.gains()
        gains[self._taken] = -1.0
        copies = gains[self._copies]
        gains[self._copies] = -1.0
        choice = None if self._closing else self._best(gains)
        if copies.size and not (choice and choice.passes):
            self._closing = True
            gains = np.full(self.n, -1.0)
            gains[self._copies] = copies
            choice = self._best(gains)
            choice = choice and replace(choice, strong=False)
        return choice

    def _best(self, gains: np.ndarray) -> _Choice | None:
        """The feature of the largest gain, with its curve where that counts."""
        if gains.max() < 0:
            return None
        level, chance = self._left.level(DIMENSIONS, self._log_n), self._left.by_chance(DIMENSIONS)
        worth = CURVE_WEIGHT / (1 + self._shrinkage)
        curved = self._passing_curves(Question(self._left.axes, gains, level, chance, worth))
        gains = gains.copy()
        for feature, evidence in curved.items():
            gains[feature] += worth * (evidence - chance)
        i = int(np.argmax(gains >= gains.max() * (1 - _TIE)))
        if i in curved:
            return _Choice(i, curved[i], level, curve=worth * (curved[i] - chance))
        signal, own, noise = self._left.signal[i], self._left.q[i], self._noise()
        passes = not self._selected or signal >= noise * own
        strong = signal >= self._left.chi_square_bound(self._log_n) * own
        return _Choice(i, float(signal / own), noise, bool(passes), bool(strong))

    def _passing_curves(self, question: Question) -> dict[int, float]:
        """Features whose curve may win, with its evidence."""
        if self._search is None:
            return {}
        if self._answer is not None:
            answer, self._answer = self._answer, None
            return answer
        self._search.ask(question)
        if self._ahead is None:
            return self._search.answer()[1]
        self._ahead.append(vars(self) | {"_left": copy(self._left), "_ahead": None})
        return {}

    def _noise(self) -> float:
        """What a straight line has to pass to go on with the path."""
        return NOISE * self._left.chi_square_bound(self._log_n)

    def _take(self, choice: _Choice) -> None:
        """Put a feature on the path, with its curve where that counts."""
        i, kind = choice.feature, "curve" if choice.curve else "line"
        self._add(i, choice.curve, choice.evidence, choice.noise, kind)
        if choice.curve:
            self._condition_also(i, self._curves.basis(i))  # type: ignore[union-attr]

    def _add(
        self, i: int, added: float, evidence: float, noise: float, kind: str,
        partner: int | None = None,
    ) -> None:  # fmt: skip
        """Condition the path on feature i, whose gain as a straight line rises by ``added``."""
        shares = self._condition(i)
        gain, signal = float(shares @ shares) + added, shares @ self._target.weights
        feature = SelectedFeature(i, gain, evidence, noise, signal, kind, partner)
        self._selected = [*self._selected, feature]

    # --- pairs ------------------------------------------------------------------------------------

    def _take_pair(self) -> bool:
        """Put the best pair of features on the path, unless none passes its level."""
        level = self._left.level(1, self._log_pairs)
        if level >= self._left.squared[-1]:
            return False
        self.pair_searches += 1
        found = self._best_pair(level)
        if found is None:
            return False
        i, j, _ = found
        product = self._product(i, j)
        shares = product @ self._left.axes
        evidence = float(shares @ shares)
        if evidence > level:
            axis = self._left.axes @ shares
            axis /= np.linalg.norm(axis)
            level *= tail_factor(self._log_pairs, product, axis, self._weight)
        if evidence <= level:
            return False
        self.pairs_found += 1
        self._closing = False
        half = evidence / (1 + self._shrinkage) / 2
        on_path = [each.feature for each in self._selected]
        for feature, partner in ((i, j), (j, i)):
            if feature not in on_path:
                self._add(feature, half, evidence, level, "pair", partner)
        self._condition_also(j, product[None, :])
        return True

    def _best_pair(self, level: float) -> tuple[int, int, float] | None:
        return best_pair(self._profiles, self._left.axes, self._weight, level)

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

    # --- conditioning -----------------------------------------------------------------------------

    def _condition(self, i: int) -> np.ndarray:
        """Condition the path on feature i; its shares of the axes, whose squares are its gain."""
        step, before = self._left.step_of(i), self._left.signal
        self._note_copies(i, step)
        self._left.explain_by(step)
        self._taken = [*self._taken, i]
        self._note_explained(i, before, [(step.along, step.shares)])
        return step.shares

    def _condition_also(self, i: int, vectors: np.ndarray) -> None:
        """Condition the path on further unit vectors (k, T) that feature i brings."""
        if len(vectors):
            before = self._left.signal
            self._note_explained(i, before, self._left.explain_by_vectors(vectors))

    def _note_copies(self, i: int, step: Step) -> None:
        """Note features at distance 0 of feature i, up to sign, in the metric of what is left."""
        u, q = np.abs(step.u), self._left.q
        near = np.flatnonzero(u > (1 - self._copy) * u[i])
        copies = near[q[near] + q[i] - 2 * step.scale * u[near] < self._copy]
        if copies.size > 1:
            self._copies = np.union1d(self._copies, copies)

    def _note_explained(
        self, i: int, before: np.ndarray, steps: list[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        """Note for every other feature which selected one accounts for most of its signal."""
        if self._search is not None:
            for along, shares in steps:
                self._search.condition(along, shares)
        accounted = before - self._left.signal
        more = accounted > self.shared
        more[self._taken] = False
        self.redundant_with = np.where(more, i, self.redundant_with)
        self.shared = np.where(more, accounted, self.shared)
