"""The best pair of features: whose product explains most of what is left of a target.

    ev_ij = sum_g (sum_t z_it z_jt E_tg)^2 / sum_t z_it^2 z_jt^2

Over all pairs that is d + 1 matrix products per tile, for d columns of E. They are made in single
precision; the few pairs within rounding of the best are compared in double precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.graph.profiles import DenseProfiles, Profiles, SparseProfiles
from inffs.graph.tiles import PASSING_SHAPE, walk_half

BUDGET = 2e10  # operations of one search
_NEAR = 1e-4  # of the best: nearer than this is compared in double precision
_TIE = 1e-10  # nearer than this is equal, and the smaller indices go first
_MOST_NEAR = 4096  # pairs compared in double precision


def operations(n: int, T: float, n_axes: int) -> float:
    """Operations of one search for the best pair."""
    return 2.0 * n * n * T * (n_axes + 1)


def best_pair(
    profiles: Profiles, E: np.ndarray, sample_weight: np.ndarray
) -> tuple[int, int, float]:
    """Features i < j with the largest ev_ij, and that value.

    Profiles and E hold the roots of the weights, so products of three hold one too many.
    """
    rows_of = _blocks(profiles)
    root = np.sqrt(sample_weight)
    share = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    residual = np.ascontiguousarray((E * share[:, None]).T, dtype=np.float32)
    plain = bool((sample_weight == 1).all())
    share_squared = (share * share).astype(np.float32)

    def evidence(I: slice, J: slice) -> np.ndarray:
        left, right = rows_of(I), rows_of(J)
        total = None
        for axis in residual:
            product = (left * axis) @ right.T
            np.square(product, out=product)
            total = product if total is None else np.add(total, product, out=total)
        squares = np.square(left)
        if not plain:
            squares *= share_squared
        shared = squares @ np.square(right).T
        total /= np.maximum(shared, np.finfo(np.float32).tiny, out=shared)
        return total

    def visit(near: list[tuple[np.ndarray, ...]], I: slice, J: slice, tile: np.ndarray) -> None:
        if I == J:
            tile[np.tril_indices(tile.shape[0])] = -1.0
        i, j = np.divmod(np.flatnonzero(tile >= tile.max() * (1 - _NEAR)), tile.shape[1])
        near.append((tile[i, j], i + I.start, j + J.start))

    strips = walk_half(evidence, profiles.shape[0], PASSING_SHAPE, lambda _: [], visit,
                       "looking for pairs")  # fmt: skip
    found = [one for _, near in strips for one in near]
    value, i, j = (np.concatenate(parts) for parts in zip(*found, strict=True))
    near = np.flatnonzero(value >= value.max() * (1 - _NEAR))
    near = near[np.lexsort((j[near], i[near]))][:_MOST_NEAR]
    exact = np.array([_evidence(profiles, int(i[at]), int(j[at]), E, share) for at in near])
    best = near[np.argmax(exact >= exact.max() * (1 - _TIE))]
    return int(i[best]), int(j[best]), float(exact.max())


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
