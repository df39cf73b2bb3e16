"""The differences within pairs of samples: direction, size and p-value, feature by feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from inffs._utils.threads import over_columns
from inffs.measures.effect_sizes import adjust


@dataclass(frozen=True)
class PairedEffects:
    """For each feature, the difference between the two samples of a pair.

    Parameters
    ----------
    difference : ndarray of shape (n_features,)
        The mean difference, second class minus first.
    same_sign : ndarray of shape (n_features,)
        The share of the pairs that differ in the direction of the mean; NaN if no pair differs.
    p_value : ndarray of shape (n_features,)
        Of Wilcoxon's signed-rank test (1945); 1 if no pair differs.
    q_value : ndarray of shape (n_features,)
        The false discovery rate of Benjamini and Hochberg (1995) at which the feature is found.

    See Also
    --------
    paired_effects : Makes one.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures.paired import paired_effects
    >>> paired_effects(np.array([[1.0], [2.0], [4.0], [-1.0]])).same_sign.tolist()
    [0.75]
    """

    difference: np.ndarray
    same_sign: np.ndarray
    p_value: np.ndarray
    q_value: np.ndarray

    def columns(self, classes: Sequence[str]) -> dict[str, Any]:
        """The columns of a table: the direction in words, and the numbers."""
        words = {1.0: f"high in {classes[1]}", -1.0: f"high in {classes[0]}"}
        way = [words.get(sign) for sign in np.sign(self.difference).tolist()]
        return {
            "direction": np.array(way, dtype=object),
            "difference": self.difference,
            "same_sign": self.same_sign,
            "effect_p": self.p_value,
            "effect_q": self.q_value,
        }


def paired_effects(differences: np.ndarray) -> PairedEffects:
    """The effects of all features, from their differences of shape (n_pairs, n_features)."""
    parts = over_columns(differences, _of_block)
    difference, same_sign, p = (np.concatenate(part) for part in zip(*parts, strict=True))
    return PairedEffects(difference, same_sign, p, adjust(p))


def _of_block(block: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean = block.mean(axis=0)
    same = (np.sign(block) == np.sign(mean)).sum(axis=0)
    differ = (block != 0).sum(axis=0)
    p = np.ones(mean.size)
    some = np.flatnonzero(differ)
    if some.size:
        p[some] = wilcoxon(block[:, some], axis=0).pvalue
    return mean, np.divide(same, differ, out=np.full(mean.size, np.nan), where=differ > 0), p
