"""The best pair of features: whose product explains most of what is left of a target.

    ev_ij = sum_g (sum_t z_it z_jt E_tg)^2 / sum_t z_it^2 z_jt^2

Over all pairs the numerators are d matrix products per tile, for d columns of E. No term of the
denominator is negative, so a third of the samples bounds it from below. The few pairs that pass the
level and the best pair so far by this bound are compared with the whole sum, and the best of them
in double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.graph.profiles import DenseProfiles, Profiles, SparseProfiles
from inffs.graph.tiles import PASSING_SHAPE, walk_half
from inffs.measures.moments import positive

BUDGET = 2e10  # operations of one search
_NEAR = 1e-4  # more than the rounding errors of a tile, as a share
_TIE = 1e-10  # nearer than this is equal, and the smaller indices go first
_EVERY = 3  # of the samples one is in the lower bound of a denominator
_FEW = 0.01  # of a tile: fewer pairs are computed one by one
_MOST_NEAR = 4096  # pairs of a tile compared in double precision
_AT_ONCE = 2**18  # values of pairs computed at once


def operations(n: int, T: float, n_axes: int) -> float:
    """Operations of one search for the best pair, at most."""
    return 2.0 * n * n * T * (n_axes + 1)


def best_pair(
    profiles: Profiles, E: np.ndarray, sample_weight: np.ndarray, level: float = 0.0
) -> tuple[int, int, float] | None:
    """Features i < j with the largest ev_ij and that value; None where no value passes ``level``.

    Profiles and E hold the roots of the weights, so products of three hold one too many.
    """
    rows_of, n = _blocks(profiles), profiles.shape[0]
    root = np.sqrt(sample_weight)
    share = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    residual = np.ascontiguousarray((E * share[:, None]).T, dtype=np.float32)
    inverse = (share * share).astype(np.float32)
    best_yet = [level]  # rises, on every thread

    def begin(start: int) -> tuple[list, np.ndarray, list]:
        """The left factors of a strip of pairs, and what is found there."""
        left = rows_of(slice(start, min(start + PASSING_SHAPE[0], n)))
        some = left[:, ::_EVERY]
        return [left * axis for axis in residual], some * some * inverse[::_EVERY], []

    def visit(strip: tuple, I: slice, J: slice, right: np.ndarray) -> None:
        by_axis, some, found = strip
        tile = np.square(by_axis[0] @ right.T)
        for left in by_axis[1:]:
            tile += np.square(left @ right.T)
        above = best_yet[0] * (1 - _NEAR)
        near = tile > (some * np.float32(above)) @ np.square(right[:, ::_EVERY]).T
        places = np.flatnonzero(np.triu(near, 1) if I == J else near)
        if places.size == 0:
            return
        i, j = np.divmod(places, right.shape[0])
        evidence = tile[i, j] / positive(_sums_of_squares(rows_of(I), i, right, j, inverse))
        near = np.flatnonzero(evidence > max(above, evidence.max() * (1 - _NEAR)))[:_MOST_NEAR]
        if near.size:
            i, j = i[near] + I.start, j[near] + J.start
            pairs = zip(i.tolist(), j.tolist(), strict=True)
            exact = np.array([_evidence(profiles, *pair, E, share) for pair in pairs])
            best_yet[0] = max(best_yet[0], float(exact.max()))
            found.append((exact, i, j))

    strips = walk_half(lambda _, J: rows_of(J), n, PASSING_SHAPE, begin, visit, "looking for pairs")
    found = [one for _, (_, _, own) in strips for one in own]
    if not found or best_yet[0] <= level:
        return None
    exact, i, j = (np.concatenate(parts) for parts in zip(*found, strict=True))
    ties = np.flatnonzero(exact >= exact.max() * (1 - _TIE))
    first = ties[np.lexsort((j[ties], i[ties]))[0]]
    return int(i[first]), int(j[first]), float(exact.max())


def _sums_of_squares(
    left: np.ndarray, i: np.ndarray, right: np.ndarray, j: np.ndarray, inverse: np.ndarray
) -> np.ndarray:
    """Sums of squares of the products of the rows i of left and j of right."""
    if i.size > _FEW * left.shape[0] * right.shape[0]:
        return ((left * left * inverse) @ np.square(right).T)[i, j]
    few = max(1, _AT_ONCE // left.shape[1])
    parts = [slice(start, start + few) for start in range(0, i.size, few)]
    return np.concatenate([np.square(left[i[p]] * right[j[p]]) @ inverse for p in parts])


def _evidence(profiles: Profiles, i: int, j: int, E: np.ndarray, share: np.ndarray) -> float:
    product = profiles.row(i) * profiles.row(j) * share
    size = product @ product
    along = product @ E
    return float(along @ along / size) if size > 0 else 0.0


def _blocks(profiles: Profiles) -> Any:
    """Profiles of a slice of features as a dense array in single precision."""
    if isinstance(profiles, DenseProfiles):
        rows = profiles.rows.astype(np.float32, copy=False)
        return lambda part: rows[part]
    if isinstance(profiles, SparseProfiles):
        along, shift = profiles.along, profiles.shift

        def dense(part: slice) -> np.ndarray:
            block = profiles.rows[part].toarray() + np.outer(shift[part], along)
            return block.astype(np.float32)

        return dense
    return profiles.block  # type: ignore[attr-defined]
