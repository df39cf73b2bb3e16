"""ReliefF: near samples of other classes should differ, near samples of the same class not.

If numba is installed (the extra ``fast``), compiled loops take 0.4 times as long as SciPy. They are
used for large tables, or if numba is loaded already.
"""

from __future__ import annotations

import sys
from functools import reduce
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import get_config
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import Interval

from inffs._utils.progress import track
from inffs._utils.threads import column_blocks, threaded
from inffs.base import FeatureSelector
from inffs.cuts import Samples
from inffs.target import REGRESSION, varying_outputs

_MIB = 2**20
_MATRICES = 8  # of distances, at most, that are alive at once: the shares', ties, sorting
_SHARES = 4  # of the columns, each with a sum of distances of its own
_VALUES = 2**16  # differences held at once by a thread: they fit the cache
_ROWS = 64  # rows that a compiled loop fills at once
_WORTH_LOADING = 5e9  # differences: numba takes a second or two to load and compile


class ReliefF(FeatureSelector):
    """Rank features by ReliefF (Kononenko 1994), with every sample as a query.

    Columns are scaled by their range, and distances are Manhattan distances. For each sample r the
    ``n_neighbors`` nearest samples of its own class (hits) and of each other class c (misses) are
    found. The score of feature j is the mean over r of
    sum_c P(c) / (1 - P(y_r)) sum_misses w |x_rj - x_mj| - sum_hits w |x_rj - x_hj|
    (Robnik-Sikonja and Kononenko 2003, Fig. 2), which lies in [-1, 1]. With ``sigma`` the weight w
    of the t-th nearest neighbour is proportional to exp(-(t / sigma)^2), otherwise all weights are
    equal.

    Neighbours at equal distances (up to about 1e-12) are ordered by sample index. A class with one
    member has no hits, only misses; a class smaller than ``n_neighbors`` contributes all its
    members. For continuous columns and two classes the scores equal those of skrebate, which treats
    columns with at most ten values as categories and weighs several classes differently. MATLAB
    runs the regression form if the labels are numbers.

    For regression this is RReliefF (Fig. 3 of the same paper): a feature gains if near samples that
    differ in it also differ in y, and ``n_neighbors`` counts the nearest of all samples.

    It takes O(T^2 n) time, and less than half of it if numba is installed (the extra ``fast``). The
    memory holds a scaled copy of the table and distances up to scikit-learn's ``working_memory``.
    The scores do not depend on the scales of the columns.

    Parameters
    ----------
    n_neighbors : int, default=10
        The number of neighbours of each class.
    sigma : float or None, default=None
        The rank scale on which the weight of a neighbour decreases. None weighs all neighbours
        equally.
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select. "auto" compares sizes by cross-validation, which takes 5
        to 20 more fits.
    target_type : {"auto", "classification", "regression"}, default="auto"
        The type of y. "auto" takes whole numbers, text and booleans as classes.

    See Also
    --------
    inffs.methods.FisherScore : Variance between the classes over variance within.
    inffs.methods.MutualInformation : Mutual information of the binned feature with the class.

    References
    ----------
    I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994.

    M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
    Machine Learning 53, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from inffs.methods import ReliefF
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ReliefF(n_features_to_select=3).fit(scale(X), y)
    >>> selector.get_support(indices=True)
    array([ 6, 11, 12])
    """

    _supervised = True
    _targets = ("classification", "multilabel", "regression")
    _scale_free = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sigma": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        *,
        n_neighbors: int = 10,
        sigma: float | None = None,
        n_features_to_select: Any = "auto",
        target_type: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.n_features_to_select = n_features_to_select
        self.target_type = target_type

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        scaled = _range_scaled(X)
        if self.target_type_ == REGRESSION:
            one = np.zeros((y.size, 1), dtype=int)  # a single class
            return regression_weights(scaled, -self._pair_weights(scaled, one), np.asarray(y))
        labels = y[:, None] if y.ndim == 1 else varying_outputs(y)
        return weighted_differences(scaled, self._pair_weights(scaled, labels))

    def _score_samples(self, samples: Samples, columns: np.ndarray) -> Any:
        """Compute the distances once for several labels, and average the weights of the pairs."""
        if self.target_type_ == REGRESSION:
            return super()._score_samples(samples, columns)
        return self._score(samples.X, samples.known_target.values)

    def _pair_weights(self, scaled: np.ndarray, labels: np.ndarray) -> sparse.coo_array:
        """The signed weight of every pair of neighbours, averaged over the labels."""
        T, n_labels = labels.shape
        values = int(get_config()["working_memory"] * _MIB / 8)
        rows = min(T, max(1, values // (_MATRICES * T)))
        blocks = []
        for batch in track(list(gen_batches(T, rows)), "finding neighbours"):
            queries = np.arange(batch.stop - batch.start)
            distances = _rounded(manhattan_distances(scaled, batch))
            distances[queries, queries + batch.start] = np.inf  # not a neighbour of itself
            found = [self._neighbours(distances, y[batch], y) for y in labels.T]
            query, other, weight = np.concatenate(found, axis=1)
            place = (query.astype(np.intp), other.astype(np.intp))
            shape = (queries.size, T)
            blocks.append(sparse.coo_array((weight / (T * n_labels), place), shape=shape).tocsr())
        directed = sparse.vstack(blocks, format="csr")
        return sparse.triu(directed + directed.T, 1).tocoo()

    def _neighbours(self, distances: np.ndarray, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Query, neighbour and signed weight (three rows) for queries of these classes."""
        prior, queries = np.bincount(y) / y.size, np.arange(classes.size)
        parts = []
        for label in range(prior.size):
            members = np.flatnonzero(y == label)
            own = classes == label
            miss = prior[label] / np.maximum(1 - prior[classes], 1 / y.size)
            for asking, available, sign in (
                (own, members.size - 1, np.full(classes.size, -1.0)),
                (~own, members.size, miss),
            ):
                k = min(self.n_neighbors, available)
                near = members[_nearest(distances[np.ix_(asking, members)], k)]
                weight = sign[asking, None] * self._rank_weights(k)
                parts.append([np.repeat(queries[asking], k), near.ravel(), weight.ravel()])
        return np.concatenate([np.stack(part) for part in parts], axis=1)

    def _rank_weights(self, k: int) -> np.ndarray:
        if self.sigma is None:
            return np.full(k, 1 / max(k, 1))
        weight = np.exp(-((np.arange(1, k + 1) / self.sigma) ** 2) + (1 / self.sigma) ** 2)
        return weight / weight.sum()


def _range_scaled(X: np.ndarray) -> np.ndarray:
    """Every column mapped to [0, 1]."""
    scaled = np.empty(X.shape)

    def fill(columns: slice) -> None:
        block = X[:, columns]
        low = block.min(axis=0).astype(np.float64)
        np.subtract(block, low, out=scaled[:, columns])
        scaled[:, columns] /= block.max(axis=0) - low

    threaded(fill, column_blocks(X.shape[1], X.shape[0]))
    return scaled


def _nearest(distances: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k smallest values of each row in order, ties to the smaller position."""
    if k == 0:
        return np.empty((distances.shape[0], 0), dtype=np.intp)
    farthest = np.partition(distances, k - 1, axis=1)[:, k - 1, None]
    chosen = distances <= farthest
    if np.count_nonzero(chosen) > k * chosen.shape[0]:  # ties at the last place
        tied = distances == farthest
        free = k - np.count_nonzero(chosen & ~tied, axis=1)[:, None]
        chosen &= ~tied | (np.cumsum(tied, axis=1) <= free)
    near = np.nonzero(chosen)[1].reshape(-1, k)
    order = np.argsort(np.take_along_axis(distances, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def _rounded(distances: np.ndarray) -> np.ndarray:
    """Round to about 1e-12 (drop the last 12 bits), so that equal distances are equal."""
    bits = distances.view(np.int64)
    return ((bits + 0x800) & ~0xFFF).view(np.float64)


def regression_weights(scaled: np.ndarray, pairs: sparse.coo_array, y: np.ndarray) -> np.ndarray:
    """W = N_dCdA / N_dC - (N_dA - N_dCdA) / (1 - N_dC) of every feature; the pairs sum to 1.

    N_dA is the mean difference of the feature between neighbours, N_dC that of y (over its range),
    N_dCdA that of both at once (Robnik-Sikonja and Kononenko 2003, Fig. 3 and Eq. 26).
    """
    apart = np.abs(y[pairs.row] - y[pairs.col]) / np.ptp(y)
    target = float(pairs.data @ apart)
    if not 0 < target < 1:  # y is equal for all neighbours, or differs by its whole range
        return np.zeros(scaled.shape[1])
    both = sparse.coo_array((pairs.data * apart, (pairs.row, pairs.col)), shape=pairs.shape)
    feature, shared = weighted_differences(scaled, pairs), weighted_differences(scaled, both)
    return shared / target - (feature - shared) / (1 - target)


def manhattan_distances(X: np.ndarray, batch: slice) -> np.ndarray:
    """Manhattan distances of the batch's rows to all rows, each pair once if it is all rows."""
    rows, (T, n) = batch.stop - batch.start, X.shape
    whole, loops = rows == T, compiled_loops(rows * T * n)
    if loops is None:
        return _distances_by_scipy(X, batch, whole)
    total = np.zeros((rows, T))

    def fill(some: slice) -> None:
        first, last = batch.start + some.start, batch.start + some.stop
        loops.add_distances(X, first, last, whole, total[some])

    threaded(fill, list(gen_batches(rows, _ROWS)))
    return total + total.T if whole else total


def compiled_loops(differences: float) -> Any:
    """The module of compiled loops, or None where it is missing or not worth loading."""
    if "numba" not in sys.modules and differences < _WORTH_LOADING:
        return None
    if find_spec("numba") is None:
        return None
    from inffs.methods.solvers import manhattan_loops

    return manhattan_loops


def _distances_by_scipy(X: np.ndarray, batch: slice, whole: bool) -> np.ndarray:
    """The sums over blocks of columns, which fit the cache."""

    def of_blocks(blocks: list[slice]) -> np.ndarray:
        total = 0.0
        for columns in blocks:
            block = np.ascontiguousarray(X[:, columns])
            total += pdist(block, "cityblock") if whole else cdist(block[batch], block, "cityblock")
        return np.asarray(total)

    blocks = column_blocks(X.shape[1], X.shape[0])
    shares = [blocks[start::_SHARES] for start in range(min(_SHARES, len(blocks)))]
    total = reduce(np.add, threaded(of_blocks, shares))
    return squareform(total) if whole else total


def weighted_differences(X: np.ndarray, pairs: sparse.coo_array) -> np.ndarray:
    """sum over pairs (a, b) of weight |x_aj - x_bj|, for every column j."""
    a, b, weight = pairs.row, pairs.col, pairs.data
    loops = compiled_loops(a.size * X.shape[1])

    def of_block(columns: slice) -> np.ndarray:
        if loops is not None:
            return loops.sum_differences(X, columns.start, columns.stop, a, b, weight)
        block = np.ascontiguousarray(X[:, columns])
        total = np.zeros(block.shape[1])
        for batch in gen_batches(a.size, max(1, _VALUES // block.shape[1])):
            difference = block[a[batch]]
            difference -= block[b[batch]]
            total += weight[batch] @ np.abs(difference, out=difference)
        return total

    return np.concatenate(threaded(of_block, column_blocks(X.shape[1], X.shape[0])))
