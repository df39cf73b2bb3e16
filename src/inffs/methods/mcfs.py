"""MCFS: features that explain the clusters of a spectral embedding of the samples."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram
from sklearn.utils._param_validation import Interval

from inffs._utils.threads import threaded
from inffs.base import FeatureSelector
from inffs.methods.solvers.neighbours import neighbour_graph
from inffs.scores import warn_of_rounding
from inffs.validation.checks import identical_columns

_RIDGE = 1e-3
_ZERO = 1e-12  # a coefficient of this share of the largest one is 0
_ISOLATED = 1e-12  # degree below this share of the largest: as good as no neighbour
_NO_EIGENVALUE = 1e-6
_REPEATED = 1e-12  # eigenvalues lie between -1 and 1; closer ones are one
_DENSE_UP_TO = 400  # samples; above, Lanczos on the sparse graph


class MCFS(FeatureSelector):
    """Rank features by sparse regressions on a spectral embedding of the samples.

    The neighbour graph of the samples (heat weights, mean distance as bandwidth) gives the
    solutions y of L y = lambda D y with the smallest lambda, without the trivial constant one (Eq.
    2 of the paper). Each y is regressed on the features with an L1 penalty (Eqs. 3 to 5) by least
    angle regression until ``n_nonzero`` features are in the model. The coefficients of each y are
    scaled to length 1, and a feature scores its largest absolute coefficient (Eq. 6).

    As in the authors' program, the Gram matrix has a ridge of 0.001 and nothing is centred. With
    that ridge the path ends at the ridge regression, so for ``n_nonzero=None`` one linear system
    gives the result. There are two deviations. Identical columns enter together and share one
    coefficient, as the penalised regression requires; the program favours one of them. If the graph
    has several components, their orthogonalised indicators, largest first, are the first
    dimensions; the program uses whatever basis its eigensolver returns. A repeated eigenvalue
    elsewhere causes a :class:`inffs.RoundingWarning`.

    It takes O(T^2 n) time with all features, otherwise O(n_components n_nonzero T n) in addition,
    and O(Tn) memory. Above 400 samples the embedding is computed by Lanczos iterations on the
    sparse graph. The result depends on the scales of the columns, through the graph and the
    coefficients. Bring columns of different units to the range from 0 to 1 first.

    Parameters
    ----------
    n_features_to_select : "auto", int, float, cut name or callable, default="auto"
        The number of features to select.
    n_neighbors : int, default=5
        The number of neighbours of each sample in the graph, less than the number of samples.
    n_components : int, default=5
        The number of dimensions of the embedding, about the expected number of clusters. It must be
        less than the number of samples.
    n_nonzero : int or None, default=None
        The number of distinct features with a coefficient in each regression (in the paper, the
        number of features to select). Features in no regression score 0. None means all.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The solutions y (fewer columns if the graph has no more).

    See Also
    --------
    inffs.methods.LaplacianScore : A graph of the samples, one feature at a time.
    inffs.methods.FSASL : The samples' graph is learned with the features.

    References
    ----------
    D. Cai, C. Zhang, X. He, "Unsupervised feature selection for multi-cluster data", KDD 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inffs.methods import MCFS
    >>> MCFS(n_components=2, n_features_to_select=2).fit(load_iris().data).order_
    array([3, 1, 2, 0])
    """

    _fixed_scale = True
    _parameter_constraints = {
        **FeatureSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_nonzero": [None, Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        n_neighbors: int = 5,
        n_components: int = 5,
        n_nonzero: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.n_nonzero = n_nonzero

    def _score(self, X: Any, y: None) -> np.ndarray:
        T = X.shape[0]
        if self.n_components >= T:
            raise ValueError(
                f"n_components={self.n_components}, but X has only {T} samples: their graph has "
                f"at most {T - 1} dimensions; give n_components at most {T - 1}."
            )
        X = np.asarray(X, dtype=np.float64)
        self.embedding_ = spectral_embedding(
            neighbour_graph(X, self.n_neighbors), self.n_components
        )
        coefficients = self._regress(X, self.embedding_)
        length = np.linalg.norm(coefficients, axis=0)
        coefficients /= np.where(length > 0, length, 1.0)
        return np.abs(coefficients).max(axis=1)

    def _regress(self, X: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Coefficients of shape (n, targets); identical columns share theirs."""
        first = identical_columns(X)
        distinct, group, copies = np.unique(first, return_inverse=True, return_counts=True)
        if self.n_nonzero is None or self.n_nonzero >= distinct.size:
            return _ridge(X, targets)[first]
        size, table = self.n_nonzero, X if distinct.size == X.shape[1] else X[:, distinct]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # at the end of a path
            walks = threaded(
                lambda target: lars_coefficients(table, target, size, _RIDGE / copies),
                list(targets.T),
            )
        return (np.column_stack(walks) / copies[:, None])[group]


def lars_coefficients(
    X: np.ndarray, target: np.ndarray, size: int, ridge: np.ndarray
) -> np.ndarray:
    """Coefficients at the end of the step that first leaves ``size`` features active.

    The path is that of the lasso on the Gram matrix X'X + diag(ridge) (the elastic net's naive
    form), without intercept or scaling. If the path ends earlier, at a ridge solution on fewer
    features, that is returned. It is computed on the features of largest correlation with the
    target, to which those are added that would have joined.
    """
    correlation = target @ X
    part = np.sort(np.argsort(-np.abs(correlation), kind="stable")[: 50 + 4 * size])
    while True:
        gram = X[:, part].T @ X[:, part] + np.diag(ridge[part])
        path = _lars_path(correlation[part], gram, size)
        level = np.abs(correlation[part, None] - gram @ path).max(axis=0)
        excess = np.abs(correlation[:, None] - X.T @ (X[:, part] @ path)) - level
        excess[part] = -np.inf
        joining = np.flatnonzero((excess > 1e-10 * level[0]).any(axis=1))
        if joining.size == 0:
            coefficients = np.zeros(X.shape[1])
            coefficients[part] = path[:, -1]
            return coefficients
        part = np.union1d(part, joining)


def _lars_path(correlation: np.ndarray, gram: np.ndarray, size: int) -> np.ndarray:
    """Coefficients at every step (features, steps), up to the first with ``size`` features."""
    steps = size
    while True:
        path = lars_path_gram(correlation, gram, n_samples=1, max_iter=steps, method="lasso")[2]
        path[np.abs(path) <= _ZERO * np.abs(path).max()] = 0.0  # a feature joins at rounding
        reached = np.flatnonzero(np.count_nonzero(path, axis=0) >= size)
        if reached.size:
            return path[:, : reached[0] + 1]
        if path.shape[1] <= steps:  # the path ended
            return path
        steps *= 2  # features left on the way


def spectral_embedding(graph: sparse.csr_array, n_components: int) -> np.ndarray:
    """The solutions of L y = lambda D y with the smallest lambda, without the constant one.

    Samples with next to no weight on their edges stay at 0.
    """
    degree = graph.sum(axis=1)
    connected = np.flatnonzero(degree > _ISOLATED * degree.max())
    part = graph[connected][:, connected]
    root = np.sqrt(part.sum(axis=1))
    scale = sparse.diags_array(np.divide(1.0, root, out=np.zeros_like(root), where=root > 0))
    known = _component_basis(part, root)
    found = _leading_vectors(sparse.csr_array(scale @ part @ scale), known, n_components)
    embedding = np.zeros((graph.shape[0], found.shape[1]))
    embedding[connected] = scale @ found
    return embedding


def _component_basis(graph: sparse.csr_array, root: np.ndarray) -> np.ndarray:
    """Orthonormal eigenvectors with eigenvalue 1: the trivial one, then the large components."""
    m, labels = csgraph.connected_components(graph, directed=False)
    volume = np.bincount(labels, root**2, minlength=m)
    large = np.argsort(-volume, kind="stable")[: m - 1]
    indicators = np.where(labels[:, None] == large, root[:, None], 0.0)
    return linalg.qr(np.column_stack([root, indicators]), mode="economic")[0]


def _leading_vectors(normalised: sparse.csr_array, known: np.ndarray, count: int) -> np.ndarray:
    """The ``count`` leading eigenvectors after the trivial one, of which some are known."""
    components = known[:, 1 : count + 1]
    missing = min(count - components.shape[1], known.shape[0] - known.shape[1])
    if missing <= 0:
        return components
    solve = _dense_pairs if known.shape[0] <= _DENSE_UP_TO else _lanczos_pairs
    one_more = min(missing + 1, known.shape[0] - known.shape[1])  # to see whether it is repeated
    values, vectors = solve(normalised, known, one_more)
    falling = np.argsort(-values, kind="stable")
    _warn_if_repeated(values[falling])
    values, vectors = values[falling[:missing]], vectors[:, falling[:missing]]
    counts = np.abs(values) >= _NO_EIGENVALUE
    if components.shape[1] == 0 and not counts.any():
        counts[0] = True
    return np.column_stack([components, vectors[:, counts]])


def _warn_if_repeated(falling: np.ndarray) -> None:
    used = falling[np.abs(falling) >= _NO_EIGENVALUE]
    if (-np.diff(used) <= _REPEATED).any():
        warn_of_rounding(
            "The samples' graph has a repeated eigenvalue, so the embedding that MCFS regresses on "
            "is one of many and rounding chooses it: give another n_neighbors or n_components."
        )


def _dense_pairs(
    normalised: sparse.csr_array, known: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    shifted = normalised.toarray() - 3 * known @ known.T  # known eigenvalues move from 1 to -2
    T = shifted.shape[0]
    return linalg.eigh(shifted, subset_by_index=[T - count, T - 1], check_finite=False)


def _lanczos_pairs(
    normalised: sparse.csr_array, known: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    def product(vector: np.ndarray) -> np.ndarray:
        return normalised @ vector - 3 * (known @ (known.T @ vector))

    T = normalised.shape[0]
    operator = LinearOperator((T, T), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=T)
    return eigsh(
        operator, k=count, which="LA", v0=start, ncv=min(T, 4 * count + 40), maxiter=100 * T
    )


def _ridge(X: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """(X'X + ridge I)^-1 X' targets, solved in the smaller of the two spaces."""
    if X.shape[0] < X.shape[1]:
        return X.T @ solve_with_ridge(X @ X.T, targets, _RIDGE)
    return solve_with_ridge(X.T @ X, X.T @ targets, _RIDGE)


def solve_with_ridge(gram: np.ndarray, right: np.ndarray, ridge: float) -> np.ndarray:
    """(gram + ridge I)^-1 right; ``gram`` is overwritten."""
    gram.flat[:: gram.shape[0] + 1] += ridge
    try:
        return linalg.cho_solve(linalg.cho_factor(gram, check_finite=False), right)
    except linalg.LinAlgError:  # the ridge is below the rounding of the gram matrix
        values, vectors = linalg.eigh(gram, check_finite=False)
        values = np.maximum(values, np.finfo(float).eps * gram.shape[0] * values.max())
        return vectors @ ((vectors.T @ right) / values[:, None])
