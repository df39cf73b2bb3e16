"""ECFS: feature selection by eigenvector centrality, without storing the graph."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils._param_validation import Interval

from inffs.base import FeatureSelector, TakesWeights
from inffs.graph.operators import PairwiseMax, RankOne, Sum
from inffs.measures import fisher
from inffs.measures.batch import rescale, standard_deviation, symmetric_uncertainty
from inffs.measures.continuous import equal_frequency_codes, explained_ratio
from inffs.target import REGRESSION
from inffs.validation.checks import identical_columns

_DENSE = 32  # so few features: all eigenvectors at once


class ECFS(TakesWeights, FeatureSelector):
    """Rank features by their eigenvector centrality in a graph of the features.

    The graph combines relevance with dispersion, A = alpha K + (1 - alpha) S. In K_ij = g_i g_j, g
    is the mean of the Fisher score and the normalised mutual information. In S_ij = max(s_i, s_j),
    s is the standard deviation. Both are min-max scaled over all their entries. The score is the
    entry of the feature in the leading eigenvector of A (Roffo and Melzi 2016), which has length 1
    and no negative entry.

    The graph is that of the authors' program. The paper has the plain product of Fisher score and
    mutual information, without min-max scaling. There are two deviations from the program. The
    mutual information is exact (see :class:`~inffs.methods.MutualInformation`), so a constant
    column is never rewarded. Any number of classes is allowed, because the Fisher score is divided
    by sum_g p_g^2, where p are the class shares. For two classes this is |mu_1 - mu_2|^2 /
    (sigma_1^2 + sigma_2^2), as in the program.

    It takes O(Tn) time for the measures, O(n log n) for the rest, and O(n) memory. Through S the
    result depends on the scales of the columns. Bring columns of different units to the range from
    0 to 1 first.

    Parameters
    ----------
    alpha : float in [0, 1], default=0.5
        The weight of relevance against dispersion.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.
    missing : {"refuse", "ignore"}, default="refuse"
        What to do with missing values (NaN). "refuse" raises an error. "ignore" measures every
        feature on the samples that have a value.

    See Also
    --------
    inffs.methods.ILFS : A latent model of relevance makes the graph.
    inffs.InfFSS : All paths through a graph of the measures.

    References
    ----------
    G. Roffo, S. Melzi, "Features selection via eigenvector centrality", NFMCP 2016 (ECML PKDD).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import ECFS
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ECFS(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 6, 11, 12])
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression")
    _sparse = True
    _lazy = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        *,
        alpha: float = 0.5,
        n_features_to_select: Any = "auto",
        missing: str = "refuse",
        target_type: str = "auto",
    ) -> None:
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select
        self.missing = missing
        self.target_type = target_type

    def _score(self, X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None) -> np.ndarray:
        if self.target_type_ == REGRESSION:
            criterion = explained_ratio(X, y, sample_weight)
            y = equal_frequency_codes(y, sample_weight=sample_weight)
        else:
            counts = np.bincount(y, sample_weight)
            share = counts / counts.sum()
            criterion = fisher(X, y, sample_weight=sample_weight) / (share @ share)
        information = symmetric_uncertainty(X, y, sample_weight=sample_weight)
        relevance = (criterion + information) / 2
        scores = centrality(relevance, standard_deviation(X, sample_weight), self.alpha)
        return scores[identical_columns(X)]


def centrality(relevance: np.ndarray, deviation: np.ndarray, alpha: float) -> np.ndarray:
    """Leading eigenvector of alpha K + (1 - alpha) S, in absolute value; 0 for no edges."""
    graph, n = _graph(relevance, deviation, alpha), relevance.size
    ones = np.ones((n, 1))
    if not graph.dot(ones).any():
        return np.zeros(n)
    if n <= _DENSE:
        return np.abs(np.linalg.eigh(graph.dot(np.eye(n)))[1][:, -1])
    product = LinearOperator(
        (n, n), matvec=lambda v: graph.dot(v.reshape(-1, 1)).ravel(), dtype=float
    )
    return np.abs(eigsh(product, k=1, which="LA", v0=ones.ravel())[1][:, 0])


def _graph(relevance: np.ndarray, deviation: np.ndarray, alpha: float) -> Sum:
    """alpha (g g' - least) / span + (1 - alpha) max of the rescaled deviations."""
    low, high = relevance.min() ** 2, relevance.max() ** 2
    scale = alpha / (high - low) if high > low else 0.0
    parts = [RankOne(relevance), RankOne(np.ones(relevance.size)), PairwiseMax(rescale(deviation))]
    return Sum([scale, -scale * low, 1 - alpha], parts)
