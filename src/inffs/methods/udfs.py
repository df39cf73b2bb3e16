"""UDFS: features whose combinations discriminate local neighbourhoods."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs._utils.threads import values_at_once
from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.methods.solvers.neighbours import centred_inverse, nearest_neighbours
from inffs.methods.solvers.quadratic import (
    QuadraticForm,
    cheap_first,
    cheapest_features,
    row_norms_squared,
    usable_clusters,
)
from inffs.validation.checks import identical_columns, without_offsets

_EPS = np.finfo(float).eps  # keeps the weight of a vanished row finite, as in the program
_VALUES = 2**20


class UDFS(FeatureSelector):
    """Rank features by unsupervised discriminative feature selection.

    The method minimises tr(W' X'LX W) + gamma sum_i |w_i| over n x c matrices W with W'W = I and
    rows w_i (Yang et al. 2011). L sums over all samples how far the sample and its k neighbours
    spread relative to their own scatter. Reweighted eigenproblems solve it: W holds the c
    eigenvectors of X'LX + gamma diag(1 / (2 |w_i|)) with the smallest eigenvalues, ``max_iter``
    times. The score is |w_i|^2.

    This deviates from the published program. Constant columns and copies of a column lie in the
    null space of X'LX and would receive all of the score. Constant columns therefore come last, and
    identical columns are counted once and share their score. With T <= n the null space has at
    least n - T + 1 dimensions, and the first step of the program returns whatever its eigensolver
    finds there. Here the iteration then starts from the c features with the smallest (X'LX)_ii,
    which is the solution for a large gamma. Features whose rows vanished (|w_i|^2 below about 1e-8)
    are ordered by (X'LX)_ii. With T > n the start of the program is kept. One formula for the local
    scatter serves all n, while the program has another for n <= k + 1. If linearly dependent
    columns leave the start undetermined, a :class:`inffs.RoundingWarning` is issued.

    For T < n each step takes O(T^2 n) time, by Lanczos iterations on the Woodbury inverse, and
    O(Tn) memory; otherwise O(n^3) time and O(n^2) memory. The result depends on the scales of the
    columns. Bring columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    n_clusters : int, default=2
        The number c of columns of W, at most T. No more than n - 1 are used.
    n_neighbors : int, default=5
        The number of neighbours of a sample, not counting itself; less than T.
    gamma : float, default=0.1
        The weight of the row norms. A larger weight gives fewer features.
    reg : float, default=1.0
        The ridge in the local scatter.
    init : array of shape (n, any number of columns), optional
        The initial W. Only its row norms matter.
    max_iter : int, default=20
        The number of steps.

    Attributes
    ----------
    n_iter_ : int
        The number of steps.

    See Also
    --------
    inffs.methods.MCFS : Spectral clusters, explained by sparse regressions.
    inffs.methods.UFSOL : A triplet order of the samples is kept.

    References
    ----------
    Y. Yang, H. T. Shen, Z. Ma, Z. Huang, X. Zhou, "l2,1-norm regularized discriminative feature
    selection for unsupervised learning", IJCAI 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import UDFS
    >>> selector = UDFS(n_features_to_select=3).fit(scale(load_wine().data))
    >>> selector.get_support(indices=True)
    array([ 6,  9, 11])
    """

    _fixed_scale = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "reg": [Interval(Real, 0, None, closed="neither")],
        "init": ["array-like", None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_clusters: int = 2,
        n_neighbors: int = 5,
        gamma: float = 0.1,
        reg: float = 1.0,
        init: Any = None,
        max_iter: int = 20,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.reg = reg
        self.init = init
        self.max_iter = max_iter

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> np.ndarray:
        once, place = np.unique(identical_columns(samples.X), return_inverse=True)
        X = samples.X if once.size == place.size else samples.X[:, once]
        start = None if self.init is None else self._check_init(self.n_features_in_)[columns][once]
        X = without_offsets(np.asarray(X, dtype=np.float64))
        T, n = X.shape
        count = usable_clusters(self.n_clusters, T, n)
        local = local_scatter(X, self.n_neighbors, self.reg)
        form = QuadraticForm(X, lambda M: local @ M)
        weights, vanished = np.ones(n), np.zeros(n)
        if start is not None:
            weights = _weights(start)
        elif n >= T:
            weights = _weights(cheapest_features(form.diagonal(), count))
            vanished = cheap_first(form.diagonal())
        W = _reweighted(form, weights, self.gamma, count, self.max_iter)
        self.n_iter_ = self.max_iter
        return (row_norms_squared(W) + vanished)[place]

    def _check_init(self, n: int) -> np.ndarray:
        start = np.asarray(self.init, dtype=float)
        if start.ndim != 2 or start.shape[0] != n or not np.isfinite(start).all():
            raise ValueError(
                f"init has shape {start.shape}; it must be a finite table with one row for each "
                f"of the {n} features."
            )
        return start


def _reweighted(
    form: QuadraticForm, weights: np.ndarray, gamma: float, count: int, max_iter: int
) -> np.ndarray:
    """W after ``max_iter`` eigenproblems, each with the weights that the last W gives."""
    W = form.least(gamma * weights, count)
    for _ in track(range(max_iter - 1), "UDFS steps"):
        W = form.least(gamma * _weights(W), count, near=W)
    return W


def _weights(W: np.ndarray) -> np.ndarray:
    return 0.5 / np.sqrt(row_norms_squared(W) + _EPS)


def local_scatter(X: np.ndarray, n_neighbors: int, reg: float) -> sparse.csr_array:
    """L (T x T, sparse): the sum of H (Z_i Z_i' + reg I)^-1 H over the neighbourhoods Z_i.

    Z_i holds a sample and its neighbours, centred by H.
    """
    T, n = X.shape
    members = np.column_stack([np.arange(T), nearest_neighbours(X, n_neighbors).indices])
    size = members.shape[1]
    blocks = np.empty((T, size, size))
    for batch in gen_batches(T, max(1, values_at_once(_VALUES) // (size * n))):
        Z = X[members[batch]]
        Z -= Z.mean(axis=1, keepdims=True)
        blocks[batch] = centred_inverse(Z @ Z.transpose(0, 2, 1), reg)
    rows, columns = np.repeat(members, size, axis=1).ravel(), np.tile(members, size).ravel()
    local = sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows, columns)), shape=(T, T)))
    return (local + local.T) / 2
