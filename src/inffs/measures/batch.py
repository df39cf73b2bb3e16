"""A number per feature: how much it varies, and how well it tells the classes apart.

All take X of shape (T, n), dense or CSC, and cost O(nT) time and a few blocks of columns of
memory. ``y`` is any vector of class labels; a 0 / 1 matrix of shape (T, labels) is multi-label
and gives the mean of the one-vs-rest measures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from inffs.columns.lazy import over_columns
from inffs.measures.binning import (
    count_log_count,
    dense_histogram,
    number_of_bins,
    sparse_histogram,
)

_CELLS = 2**16  # values of a block of columns: its temporary arrays stay in the cache
_SEPARATED = 1e-20  # within-class variance below this share of the total: a perfect separator


def rescale(values: np.ndarray) -> np.ndarray:
    """Min-max: map linearly to [0, 1]; a constant vector maps to 0."""
    low, span = values.min(), np.ptp(values)
    return (values - low) / span if span > 0 else np.zeros_like(values, dtype=float)


def standard_deviation(X: Any) -> np.ndarray:
    """Standard deviation of every column, divisor T - 1."""
    T = X.shape[0]
    if sparse.issparse(X):
        _, variance = mean_variance_axis(X.astype(np.float64), axis=0)
        return np.sqrt(np.maximum(variance, 0.0) * (T / max(1, T - 1)))

    def of_block(values: np.ndarray) -> np.ndarray:
        block = values - values.mean(axis=0, dtype=np.float64)
        return np.sqrt(np.einsum("ij,ij->j", block, block) / max(1, T - 1))

    return np.concatenate(over_columns(X, of_block))


def dispersion(X: Any) -> np.ndarray:
    """sigma_i = std(f_i) / max_j std(f_j) (Inf-FS paper, Sec. 3.1)."""
    deviation = standard_deviation(X)
    largest = deviation.max()
    return deviation / largest if largest > 0 else deviation


def fisher(X: Any, y: Any) -> np.ndarray:
    """Fisher criterion of every column, min-max over the columns (Inf-FS paper, Sec. 3.2)."""
    return _over_labels(lambda codes: rescale(fisher_ratio(X, codes)), y)


def fisher_ratio(X: Any, y: Any) -> np.ndarray:
    """h_i = sum_g (mu_ig - mu_i)^2 / sum_g sigma_ig^2, before the min-max.

    A perfect separator (no variance inside the classes) gets twice the largest other h, 1 if there
    is none; a constant column 0.
    """
    _, codes = np.unique(y, return_inverse=True)
    return ratio_of_spreads(*_class_spread(X, codes))


def ratio_of_spreads(between: np.ndarray, within: np.ndarray) -> np.ndarray:
    """between / within, safe where a feature separates the classes perfectly or not at all."""
    # between and within make up the total variance, to a factor of the class sizes
    perfect = within <= _SEPARATED * between
    flat = between <= 0
    ratio = np.divide(between, within, out=np.zeros_like(between), where=~(perfect | flat))
    if (perfect & ~flat).any():
        ratio[perfect & ~flat] = 2 * ratio.max() if ratio.max() > 0 else 1.0
    return ratio


def _class_spread(X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """sum_g (mu_ig - mu_i)^2 and sum_g sigma_ig^2; a class with one member has variance 0."""
    counts = np.bincount(codes).astype(float)
    member = np.zeros((counts.size, codes.size))
    member[codes, np.arange(codes.size)] = 1.0
    if sparse.issparse(X):
        return _sparse_class_spread(X, codes, counts, member)
    divisors = np.maximum(counts - 1, 1)

    def of_block(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        block = values - values.mean(axis=0, dtype=np.float64)
        means = member @ block / counts[:, None]
        block -= means[codes]
        np.square(block, out=block)
        return (means**2).sum(axis=0), ((member / divisors[:, None]).sum(axis=0)) @ block

    parts = over_columns(X, of_block, _CELLS)
    between, within = (np.concatenate(part) for part in zip(*parts, strict=True))
    return between, within


def _sparse_class_spread(
    X: Any, codes: np.ndarray, counts: np.ndarray, member: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    n, classes = X.shape[1], counts.size
    column = np.repeat(np.arange(n), np.diff(X.indptr))
    cell = column * classes + codes[X.indices]
    stored = np.bincount(cell, minlength=n * classes)
    sums = np.bincount(cell, X.data, minlength=n * classes)
    means = sums / np.tile(counts, n)
    squares = np.bincount(cell, (X.data - means[cell]) ** 2, minlength=n * classes)
    squares += (np.tile(counts, n) - stored) * means**2
    overall = sums.reshape(n, classes).sum(axis=1) / counts.sum()
    between = ((means.reshape(n, classes) - overall[:, None]) ** 2).sum(axis=1)
    within = (squares.reshape(n, classes) / np.maximum(counts - 1, 1)).sum(axis=1)
    return between, within


def mutual_information(X: Any, y: Any, bins: int | str = "auto") -> np.ndarray:
    """Mutual information of every binned column with the label, min-max over the columns."""
    return _over_labels(lambda codes: rescale(information(X, codes, bins)), y)


def information(X: Any, y: Any, bins: int | str = "auto") -> np.ndarray:
    """sum p(z, y) log(p(z, y) / (p(z) p(y))) in nats, over equal-width bins z of each column.

    ``bins="auto"``: max(10, T // 10) up to 200 samples, 20 above. All columns share one histogram
    call: (class, feature, bin) is one index.
    """
    return _information_and_entropies(X, y, bins)[0]


def symmetric_uncertainty(X: Any, y: Any, bins: int | str = "auto") -> np.ndarray:
    """Mutual information over the mean of the two entropies: in [0, 1], a constant column 0."""
    shared, feature, label = _information_and_entropies(X, y, bins)
    mean = (feature + label) / 2
    return np.divide(shared, mean, out=np.zeros_like(shared), where=mean > 0)


def _information_and_entropies(
    X: Any, y: Any, bins: int | str
) -> tuple[np.ndarray, np.ndarray, float]:
    """I(f_i; y) and H(f_i) of every binned column, and H(y), all in nats."""
    _, codes = np.unique(y, return_inverse=True)
    T = codes.size
    count = number_of_bins(T, bins)
    xlogx = count_log_count(T)
    label = xlogx[T] - xlogx[np.bincount(codes)].sum()
    histogram = sparse_histogram if sparse.issparse(X) else dense_histogram

    def of_block(values: Any) -> tuple[np.ndarray, np.ndarray]:
        joint = histogram(values, codes, count)
        feature = xlogx[T] - xlogx[joint.sum(axis=0)].sum(axis=1)
        return feature + label - (xlogx[T] - xlogx[joint].sum(axis=(0, 2))), feature

    parts = over_columns(X, of_block, _CELLS)
    shared, feature = (np.concatenate(part) for part in zip(*parts, strict=True))
    return np.maximum(shared, 0.0) / T, feature / T, float(label) / T


def _over_labels(measure: Any, y: Any) -> np.ndarray:
    """The measure for one label vector, or the mean over the columns of a multi-label matrix."""
    y = np.asarray(y)
    if y.ndim == 1:
        return measure(y)
    return np.mean([measure(column) for column in y.T], axis=0)
