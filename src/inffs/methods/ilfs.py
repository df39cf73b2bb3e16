"""ILFS: the probability that a feature is relevant, by a latent model."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from inffs._utils.threads import dense, over_columns
from inffs.base import FeatureSelector, TakesWeights
from inffs.measures.moments import column_units, in_units
from inffs.validation.checks import column_extremes

_SHRINK = 0.99  # of the largest series parameter that converges
_HIGH_SHARE = 0.35  # of the tokens, from the top, that make the prior
_STEEP = 5000.0  # the first token's weight under the first factor, the last one's being 1
_LIKELIHOOD_TOLERANCE = 1e-6
_ON_THE_EDGE = 1e-12  # a share that rounding left below the edge of a token is on it
_ON_A_MEAN = 1e-14  # of a column's size: a sample so near a class mean lies on it


class ILFS(TakesWeights, FeatureSelector):
    """Rank features by infinite latent feature selection.

    For each feature, every sample has a share of distance. It is (x - mean of its own class)^2
    divided by the sum over all classes c of (x - mean of class c)^2. The shares are counted in
    ``n_tokens`` equally spaced tokens. A latent model with two factors, relevant and irrelevant,
    explains the token counts (PLSA, fitted by EM). It gives q_i = P(relevant | feature i). The
    graph is A_ij = q_i q_j, and the score is the Inf-FS sum over all paths with r = 0.99 / rho(A).
    As A has rank one, that sum is 99 (sum q) / (q . q) q_i. No matrix is built, and the ranking is
    that of q.

    This follows the published program of Roffo et al. 2017, which deviates from the paper in four
    points. The update of P(token | factor) ignores the token counts. At most 15 iterations are
    made. The last token holds only the largest shares. The relevant factor is initialised with the
    share of samples *far* from their class mean, although its tokens favour near ones. It therefore
    depends on the data which factor becomes the relevant one, and the ranking can be reversed. A
    column in which a sample lies on every class mean at once scores 0.

    It takes O(TnG + i n_tokens n) time for G classes and i iterations. The memory is that of a
    block of columns plus O(n_tokens n). A sparse table is expanded one block of columns at a time.
    The scores do not depend on the scales of the columns.

    Parameters
    ----------
    n_tokens : int, default=6
        The number of tokens in which the shares are counted.
    max_iter : int, default=15
        The maximum number of EM iterations.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.

    Attributes
    ----------
    n_iter_ : int
        The number of EM iterations.

    See Also
    --------
    inffs.methods.ECFS : Eigenvector centrality in a graph of the features.
    inffs.InfFSS : All paths through a graph of the measures.

    References
    ----------
    G. Roffo, S. Melzi, U. Castellani, A. Vinciarelli, "Infinite latent feature selection: a
    probabilistic latent graph-based ranking approach", ICCV 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import ILFS
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = ILFS(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([20, 22, 27])
    """

    _supervised = True
    _targets = ("classification", "multilabel")
    _sparse = True
    _lazy = True
    _scale_free = True
    _ignores_missing = False
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_tokens": [Interval(Integral, 2, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, *, n_tokens: int = 6, max_iter: int = 15, n_features_to_select: Any = "auto"
    ) -> None:
        self.n_tokens = n_tokens
        self.max_iter = max_iter
        self.n_features_to_select = n_features_to_select

    def _score(self, X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None) -> np.ndarray:
        counts = token_counts(X, y, self.n_tokens, sample_weight)
        T = y.size if sample_weight is None else float(sample_weight.sum())
        relevance, self.n_iter_ = _relevance(counts, T, self.max_iter)
        norm = relevance @ relevance
        if norm == 0:
            return relevance
        return _SHRINK / (1 - _SHRINK) * relevance.sum() / norm * relevance


def token_counts(
    X: Any, y: np.ndarray, n_tokens: int, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """How many samples fall into each token of each feature, shape (n_tokens, n)."""

    def of_block(block: Any) -> np.ndarray:
        values = dense(block)
        values = in_units(values, column_units(*column_extremes(values)))
        shares = _distance_shares(values - values[:1], y, sample_weight)
        return _count(shares, n_tokens, sample_weight)

    return np.hstack(over_columns(X, of_block))


def _distance_shares(block: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """(x - own class mean)^2 / sum_c (x - mean_c)^2; NaN where both are 0."""
    own, total = np.zeros_like(block), np.zeros_like(block)
    for label in range(y.max() + 1):
        mine = y == label
        centre = np.average(block[mine], axis=0, weights=None if weight is None else weight[mine])
        square = (block - centre) ** 2
        total += square
        own[mine] = square[mine]
    apart = total > np.square(_ON_A_MEAN * np.abs(block).max(axis=0))
    return np.divide(own, total, out=np.full_like(own, np.nan), where=apart)


def _count(shares: np.ndarray, n_tokens: int, weight: np.ndarray | None) -> np.ndarray:
    low, high = shares.min(axis=0), shares.max(axis=0)
    edges = low + np.arange(n_tokens)[:, None] * ((high - low) / (n_tokens - 1))
    edges[-1] = high
    edges -= _ON_THE_EDGE
    if weight is None:
        above = np.array([(shares >= edge).sum(axis=0) for edge in edges], dtype=float)
    else:
        above = np.array([weight @ (shares >= edge) for edge in edges])
    above[:-1] -= above[1:]
    above[:, np.isnan(low)] = 0.0
    return above


def _relevance(counts: np.ndarray, T: float, max_iter: int) -> tuple[np.ndarray, int]:
    """P(first factor | feature) by EM, and how many sweeps were made."""
    n_tokens = counts.shape[0]
    high = n_tokens - int(_HIGH_SHARE * n_tokens + 0.5) - 1
    prior = counts[high:].sum(axis=0) / T
    factor = np.stack([prior, 1 - prior])  # P(z | f)
    falling = np.linspace(_STEEP, 1.0, n_tokens)
    token = np.stack([falling, falling[::-1]]) / falling.sum()  # P(t | z)
    seen, last = counts > 0, -999.0
    mixture = token.T @ factor  # P(t | f)
    for sweeps in range(1, max_iter + 1):  # noqa: B007
        responsibility = token[:, :, None] * factor[:, None, :]
        responsibility = np.divide(
            responsibility, mixture, out=np.zeros_like(responsibility), where=seen & (mixture > 0)
        )
        factor = _shares_of((responsibility * counts).sum(axis=1))
        token = _shares_of(responsibility.sum(axis=2).T).T
        mixture = token.T @ factor
        likelihood = _log_likelihood(counts, mixture)
        if abs(likelihood - last) < _LIKELIHOOD_TOLERANCE:
            break
        last = likelihood
    return factor[0], sweeps


def _shares_of(values: np.ndarray) -> np.ndarray:
    """Each column over its sum; a column of zeros stays so."""
    total = values.sum(axis=0)
    return np.divide(values, total, out=np.zeros_like(values), where=total > 0)


def _log_likelihood(counts: np.ndarray, mixture: np.ndarray) -> float:
    seen = (counts > 0) & (mixture > 0)
    return float(counts[seen] @ np.log(mixture[seen]))
