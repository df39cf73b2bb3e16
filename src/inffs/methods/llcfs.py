"""LLCFS: feature weights learned inside a local learning-based clustering."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs._utils.threads import column_blocks, threaded, values_at_once
from inffs.base import FeatureSelector
from inffs.methods.solvers.neighbours import (
    centred_gram,
    centred_inverse,
    directed_graph,
    nearest_neighbours,
)
from inffs.methods.solvers.quadratic import check_clusters

_SMALLEST_WEIGHT = np.finfo(float).eps
_ZERO = 1e-13  # eigenvalues below this share of the mean one are those of constant vectors
_SETTLED = 1e-14
_VALUES = 2**18
_GRAM_UP_TO = 2048  # samples; above, no T x T matrix of inner products
_DENSE_UP_TO = 300  # samples; above, Lanczos on the sparse matrix


class LLCFS(FeatureSelector):
    """Rank features by the weights of a local learning-based clustering.

    Weights tau_j >= 0 with sum 1 scale the features. Each iteration has four steps. The neighbours
    of each sample are found in the weighted table. A ridge regression on them predicts the cluster
    indicator of the sample from those of its neighbours, which gives a sparse matrix A. The
    eigenvectors Y of (I - A)'(I - A) with the smallest eigenvalues are the relaxed indicators. The
    new tau_j is the length of the slopes of feature j in all local regressions of Y (the weight
    update of the paper). The score is tau after ``max_iter`` iterations.

    This deviates from the program that the Inf-FS authors ran. Call a set of samples closed if its
    members list only one another as neighbours. A vector that is constant on every closed set has
    eigenvalue 0 and adds nothing to tau, but the program counts it among its ``n_clusters``
    vectors. With as many closed sets as clusters, which well-separated clusters or a small
    ``n_neighbors`` cause, its weights are rounding errors. Here such a graph is joined first: each
    sample gets ``n_neighbors`` more neighbours from outside its closed set, until one closed set is
    left. The one remaining vector with eigenvalue 0 is skipped, and the next ``n_clusters - 1`` (at
    least one) are used. While the graph has one closed set, the result is that of the program. A
    sample is never its own neighbour. The paper iterates to convergence with mutual neighbours; the
    program does neither.

    It takes O(max_iter (T^2 n + T n n_neighbors n_clusters)) time plus an eigenproblem of size T
    per iteration, and O(Tn) memory, with T^2 more up to 2,048 samples if ``working_memory`` allows.
    The result depends on the scales of the columns. Bring columns of different units to the range
    from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    n_clusters : int, default=2
        The number of clusters, at most the number of samples.
    n_neighbors : int, default=5
        The number of neighbours of each sample, at least 2 and less than the number of samples.
    beta : float, default=0.1
        The inverse of the ridge penalty of the local regressions.
    max_iter : int, default=20
        Turns; fewer are made if the weights stop changing.

    Attributes
    ----------
    n_iter_ : int
        Turns made.

    See Also
    --------
    inffs.methods.LaplacianScore : A graph of the samples, one feature at a time.
    inffs.methods.FSASL : The samples' graph is learned with the features.

    References
    ----------
    H. Zeng, Y.-M. Cheung, "Feature selection and kernel learning for local learning-based
    clustering", TPAMI 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import LLCFS
    >>> selector = LLCFS(n_features_to_select=3).fit(scale(load_wine().data)[::3])
    >>> selector.get_support(indices=True)
    array([ 0,  6, 10])
    """

    _fixed_scale = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_clusters: int = 2,
        n_neighbors: int = 5,
        beta: float = 0.1,
        max_iter: int = 20,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.beta = beta
        self.max_iter = max_iter

    def _score(self, X: Any, y: None) -> np.ndarray:
        T, n = X.shape
        check_clusters(self.n_clusters, T)
        X = np.asarray(X, dtype=np.float64)
        weights = np.full(n, 1.0 / n)
        for turn in track(range(1, self.max_iter + 1), "local learning"):
            before, weights = weights, self._turn(X, weights)
            self.n_iter_ = turn
            if np.abs(weights - before).max() <= _SETTLED * weights.max():
                break
        return weights

    def _turn(self, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        weights = np.maximum(weights, _SMALLEST_WEIGHT)
        scaled = X * np.sqrt(weights)
        few = X.shape[0] ** 2 <= values_at_once(_GRAM_UP_TO**2)
        gram = centred_gram(scaled) if few else None
        lists = _joined_lists(scaled, self.n_neighbors, gram)
        inverses, predictor = _local_regressions(scaled, lists, self.beta, gram)
        indicators = _smooth_indicators(predictor, max(1, self.n_clusters - 1))
        slopes = np.einsum("ikl,ilc->ikc", inverses, indicators[lists])
        new = weights * _slope_lengths(X, lists, slopes)
        total = new.sum()
        return new / total if total > 0 else weights / weights.sum()


def _joined_lists(X: np.ndarray, k: int, gram: np.ndarray | None) -> np.ndarray:
    """Lists of k neighbours, lengthened by k at a time until they hold the samples together."""
    lists = nearest_neighbours(X, k, gram=gram).indices
    while (part := _closed_parts(lists)).max() > 0:
        barred = partial(_listed_or_own_part, lists, part)
        more = nearest_neighbours(X, k, barred=barred, gram=gram)
        lists = np.column_stack([lists, more.indices])
    return lists


def _listed_or_own_part(lists: np.ndarray, part: np.ndarray, rows: np.ndarray) -> np.ndarray:
    barred = (part[rows, None] == part) & (part[rows, None] >= 0)
    np.put_along_axis(barred, lists[rows], True, axis=1)
    return barred


def _closed_parts(lists: np.ndarray) -> np.ndarray:
    """Number of the closed part each sample is in, from 0; -1 for samples in none.

    The members of a closed part list one another, directly or indirectly, and no other sample.
    """
    graph = directed_graph(lists, np.ones(lists.shape))
    count, part = csgraph.connected_components(graph, directed=True, connection="strong")
    leaving = (part[lists] != part[:, None]).any(axis=1)
    closed = np.setdiff1d(np.arange(count), part[leaving])
    number = np.full(count, -1)
    number[closed] = np.arange(closed.size)
    return number[part]


def _local_regressions(
    X: np.ndarray, lists: np.ndarray, beta: float, gram: np.ndarray | None
) -> tuple[np.ndarray, sparse.csr_array]:
    """For every sample H (Q + I / beta)^-1, Q its neighbours' centred kernel, and row of A."""
    if gram is None:
        kernels, apart = _kernels_from_table(X, lists)
    else:
        kernels, apart = _kernels_from_gram(gram, lists)
    inverses = centred_inverse(kernels, 1.0 / beta)
    rows = np.einsum("ij,ijl->il", apart, inverses) + 1.0 / lists.shape[1]
    return inverses, directed_graph(lists, rows)


def _kernels_from_gram(gram: np.ndarray, lists: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inner products of every list's members, and of the sample with them, about their mean."""
    kernels = gram[lists[:, :, None], lists[:, None, :]]
    means = kernels.mean(axis=1)
    apart = np.take_along_axis(gram, lists, axis=1) - means
    kernels -= means[:, None]
    kernels -= kernels.mean(axis=2, keepdims=True)
    return kernels, apart - apart.mean(axis=1, keepdims=True)


def _kernels_from_table(X: np.ndarray, lists: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same without a matrix of T x T, by gathering blocks of lists."""
    T, k = lists.shape

    def of_samples(samples: slice) -> tuple[np.ndarray, np.ndarray]:
        near = X[lists[samples]]
        centre = near.mean(axis=1, keepdims=True)
        near -= centre
        apart = near @ (X[samples, None] - centre).transpose(0, 2, 1)
        return near @ near.transpose(0, 2, 1), apart[:, :, 0]

    blocks = gen_batches(T, max(1, values_at_once(_VALUES) // (k * X.shape[1])))
    parts = threaded(of_samples, list(blocks))
    kernels, apart = (np.concatenate(part) for part in zip(*parts, strict=True))
    return kernels, apart


def _smooth_indicators(predictor: sparse.csr_array, count: int) -> np.ndarray:
    """Eigenvectors of (I - A)'(I - A) with the smallest eigenvalues that are not 0."""
    T = predictor.shape[0]
    residual = sparse.csr_array(sparse.eye_array(T) - predictor)
    faults = sparse.csc_array(residual.T @ residual)
    zero = _ZERO * faults.trace() / T
    wanted = count + 1
    while True:
        values, vectors = _smallest_pairs(faults, min(wanted, T), zero)
        counts = np.flatnonzero(values > zero)[:count]
        if counts.size == count or wanted >= T:
            return vectors[:, counts]
        wanted *= 2


def _smallest_pairs(
    matrix: sparse.csc_array, count: int, shift: float
) -> tuple[np.ndarray, np.ndarray]:
    T = matrix.shape[0]
    if T <= _DENSE_UP_TO or count > T // 4:
        return linalg.eigh(matrix.toarray(), subset_by_index=[0, count - 1], check_finite=False)
    start = np.random.default_rng(0).normal(size=T)
    try:
        values, vectors = eigsh(matrix, k=count, which="SA", v0=start, ncv=count + 40, maxiter=60)
    except ArpackNoConvergence:
        values, vectors = eigsh(matrix, k=count, which="LM", sigma=-shift, v0=start)
    rising = np.argsort(values, kind="stable")
    return values[rising], vectors[:, rising]


def _slope_lengths(X: np.ndarray, lists: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """sqrt of the sum over samples i and clusters c of (sum over neighbours of slope x)^2."""
    T, k, count = slopes.shape
    values = slopes.transpose(0, 2, 1).ravel()
    columns = np.repeat(lists, count, axis=0).ravel()
    starts = np.arange(0, values.size + 1, k)
    spread = sparse.csr_array((values, columns, starts), shape=(T * count, T))

    def of_block(block: slice) -> np.ndarray:
        parts = spread @ X[:, block]
        return np.sqrt(np.einsum("ij,ij->j", parts, parts))

    return np.concatenate(threaded(of_block, column_blocks(X.shape[1], T * count)))
