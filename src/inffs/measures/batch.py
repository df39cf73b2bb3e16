"""A number per feature: how much it varies, and how well it separates the classes.

All take X of shape (n_samples, n_features), dense or CSC, and cost O(nT) time and a few blocks of
columns of memory. ``y`` is any vector of class labels; a 0 / 1 matrix of shape (n_samples,
n_labels) is multi-label and gives the mean of the one-vs-rest measures. With ``sample_weight``
samples count so often, and missing values (NaN) do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from inffs._utils.threads import over_columns
from inffs.measures.binning import (
    count_log_count,
    dense_histogram,
    number_of_bins,
    sparse_histogram,
    whole_samples,
)
from inffs.measures.moments import (
    BLOCK,
    Moments,
    class_moments,
    moments_of_blocks,
    positive,
    prepared,
)
from inffs.validation.checks import canonical

_SAME = 1e-12  # less than this apart, relative to what they are made of, is rounding
_SEPARATED = 1e-20  # within-class variance below this share of the total: a perfect separator


def rescale(values: np.ndarray, rounding: float = 0.0) -> np.ndarray:
    """Min-max: map linearly to [0, 1]; a vector constant to rounding maps to 0.

    Rounding is 1e-12 of the largest value, or ``rounding`` where the caller knows of more.
    """
    low, span = values.min(), np.ptp(values)
    if span <= max(rounding, _SAME * np.abs(values).max()):
        return np.zeros_like(values, dtype=float)
    return (values - low) / span


def standard_deviation(X: Any, sample_weight: np.ndarray | None = None) -> np.ndarray:
    """Standard deviation of every column, divisor n_samples - 1.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights. When given, missing values (NaN) are ignored.

    Returns
    -------
    ndarray of shape (n_features,)
        In the unit of each column.

    See Also
    --------
    dispersion : The same over the largest of them.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures.batch import standard_deviation
    >>> standard_deviation(np.array([[1, 10], [2, 10], [3, 10]])).tolist()
    [1.0, 0.0]
    """
    moments = _moments(X, sample_weight)
    return np.ldexp(moments.deviation(), moments.exponent)


def dispersion(X: Any, sample_weight: np.ndarray | None = None) -> np.ndarray:
    """sigma_i = std(f_i) / max_j std(f_j) (Inf-FS paper, Sec. 3.1).

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights. When given, missing values (NaN) are ignored.

    Returns
    -------
    ndarray of shape (n_features,)
        Values in [0, 1]; all 0 where every column is constant.

    See Also
    --------
    standard_deviation : The deviations themselves.
    inffs.relations.Dispersion : The relation that is made of it.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import dispersion
    >>> dispersion(np.array([[1, 10], [2, 30], [3, 50]])).tolist()
    [0.05, 1.0]
    """
    moments = _moments(X, sample_weight)
    return relative_deviation(moments.deviation(), moments.exponent)


def relative_deviation(deviation: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """The standard deviations, in units of 2 ** exponent, over the largest of them."""
    if not deviation.any() or not exponent.any():
        return deviation / (deviation.max() or 1.0)
    fraction, power = np.frexp(deviation)
    power = power + exponent
    deviation = np.ldexp(fraction, power - power[fraction > 0].max())
    return deviation / deviation.max()


def _moments(X: Any, sample_weight: np.ndarray | None) -> Moments:
    return class_moments(canonical(X), np.zeros(X.shape[0], dtype=int), 1, sample_weight)


def fisher(
    X: Any, y: Any, *, scaled: bool = False, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Fisher criterion h_i = sum_g (mu_ig - mu_i)^2 / sum_g sigma_ig^2 (Inf-FS paper, Sec. 3.2).

    ``scaled`` maps it to [0, 1] over the columns. A perfect separator (no variance inside the
    classes) gets twice the largest other h, 1 if there is none; a constant column 0.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, or a 0 / 1 matrix of several labels.
    scaled : bool, default=False
        Whether to map to [0, 1].
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights. When given, missing values (NaN) are ignored.

    Returns
    -------
    ndarray of shape (n_features,)
        Larger where the class means lie farther apart.

    See Also
    --------
    mutual_information : Sees differences other than those of means.
    explained_ratio : The same for a target of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import fisher
    >>> fisher(np.array([[0, 1], [1, 2], [4, 1], [5, 2]]), ["a", "a", "b", "b"]).tolist()
    [8.0, 0.0]
    """
    X = canonical(X)

    def of_labels(labels: np.ndarray) -> np.ndarray:
        classes, codes = np.unique(labels, return_inverse=True)
        moments = class_moments(X, codes, classes.size, sample_weight)
        ratio = ratio_of_spreads(*moments.spreads())
        return rescale_fisher(ratio) if scaled else ratio

    return _over_labels(of_labels, y)


def ratio_of_spreads(between: np.ndarray, within: np.ndarray) -> np.ndarray:
    """between / within, safe where a feature separates the classes perfectly or not at all."""
    # between and within make up the total variance, to a factor of the class sizes
    perfect = within <= _SEPARATED * between
    flat = between <= 0
    ratio = np.divide(between, within, out=np.zeros_like(between), where=~(perfect | flat))
    if (perfect & ~flat).any():
        ratio[perfect & ~flat] = 2 * ratio.max() if ratio.max() > 0 else 1.0
    return ratio


def rescale_fisher(ratio: np.ndarray) -> np.ndarray:
    """Min-max of Fisher criteria; class means and so sqrt(h) are known to rounding only."""
    largest = float(ratio.max())
    return rescale(ratio, _SAME * (largest + np.sqrt(largest)))


def mutual_information(
    X: Any,
    y: Any,
    bins: int | str = "auto",
    *,
    scaled: bool = False,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """sum p(z, y) log(p(z, y) / (p(z) p(y))) in nats, over equal-width bins z of each column.

    ``scaled`` maps it to [0, 1] over the columns. ``bins="auto"``: max(10, n_samples // 10) up to
    200 samples, 20 above. All columns share one histogram call: (class, feature, bin) is one index.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, or a 0 / 1 matrix of several labels.
    bins : int or "auto", default="auto"
        How many bins a column is cut into.
    scaled : bool, default=False
        Whether to map to [0, 1].
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights. When given, missing values (NaN) are ignored.

    Returns
    -------
    ndarray of shape (n_features,)
        Nats, 0 where a column and the classes are not associated.

    See Also
    --------
    symmetric_uncertainty : The same over the mean entropy.
    fisher : Looks at the class means only.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import mutual_information
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> mutual_information(X, [0, 0, 1, 1]).round(3).tolist()
    [0.693, 0.0]
    """

    def of_labels(labels: np.ndarray) -> np.ndarray:
        shared = _information_and_entropies(X, labels, bins, sample_weight)[0]
        return rescale_information(shared, labels.size) if scaled else shared

    return _over_labels(of_labels, y)


def class_measures(X: Any, y: Any, bins: int | str = "auto") -> list[np.ndarray]:
    """Fisher, mutual information (both scaled to [0, 1]) and dispersion, in one pass over X."""
    X, (classes, codes) = canonical(X), np.unique(y, return_inverse=True)
    moments_of = moments_of_blocks(codes, classes.size, sparse.issparse(X))
    information_of = _information_of_blocks(codes, bins, sparse.issparse(X))

    def of_block(block: Any) -> tuple[np.ndarray, ...]:
        block = prepared(block)
        moments, (shared, _, _) = moments_of(block), information_of(block)
        return *moments.spreads(), moments.deviation(), moments.exponent, shared

    parts = zip(*over_columns(X, of_block, BLOCK), strict=True)
    between, within, deviation, exponent, shared = (np.concatenate(part) for part in parts)
    return [
        rescale_fisher(ratio_of_spreads(between, within)),
        rescale_information(shared, codes.size),
        relative_deviation(deviation, exponent),
    ]


def rescale_information(shared: np.ndarray, n_samples: int) -> np.ndarray:
    """Min-max of mutual information, a difference of entropies of up to log n_samples."""
    return rescale(shared, _SAME * np.log(n_samples + 1))


def symmetric_uncertainty(
    X: Any, y: Any, bins: int | str = "auto", sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Mutual information over the mean of the two entropies: in [0, 1], a constant column 0.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    y : array-like of shape (n_samples,)
        Classes.
    bins : int or "auto", default="auto"
        How many bins a column is cut into.
    sample_weight : ndarray of shape (n_samples,), optional
        Sample weights. When given, missing values (NaN) are ignored.

    Returns
    -------
    ndarray of shape (n_features,)
        1 where the column and the classes determine each other.

    See Also
    --------
    mutual_information : In nats, over the same bins.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import symmetric_uncertainty
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> symmetric_uncertainty(X, [0, 0, 1, 1]).round(3).tolist()
    [1.0, 0.0]
    """
    shared, feature, label = _information_and_entropies(X, y, bins, sample_weight)
    mean = (feature + label) / 2
    return np.divide(shared, mean, out=np.zeros_like(shared), where=mean > 0)


def _information_and_entropies(
    X: Any, y: Any, bins: int | str, sample_weight: np.ndarray | None
) -> Sequence[np.ndarray]:
    """I(f_i; y), H(f_i) and H(y) of the samples that have f_i, for every binned column, in nats."""
    _, codes = np.unique(y, return_inverse=True)
    X, weighted = canonical(X), sample_weight is not None
    of_block = _information_of_blocks(codes, bins, sparse.issparse(X), sample_weight)
    parts = over_columns(X, lambda block: of_block(prepared(block, weighted)), BLOCK)
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _information_of_blocks(
    codes: np.ndarray, bins: int | str, is_sparse: bool, sample_weight: np.ndarray | None = None
) -> Callable[[Any], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A function that gives I(f_i; y), H(f_i) and H(y) for a prepared block of columns, in nats."""
    histogram = sparse_histogram if is_sparse else dense_histogram
    if sample_weight is None:
        T, table = codes.size, count_log_count(codes.size)
        return lambda block: information(
            histogram(block, codes, number_of_bins(T, bins)),
            lambda counts: table.take(counts, mode="clip"),
            np.bincount(codes)[:, None],
        )
    T = whole_samples(sample_weight)
    return lambda block: information(
        histogram(block, codes, number_of_bins(T, bins), sample_weight), lambda k: xlogy(k, k)
    )


def information(
    joint: np.ndarray,
    klogk: Callable[[np.ndarray], np.ndarray],
    in_classes: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """I(f_i; y), H(f_i) and H(y) in nats from counts (classes, features, bins).

    An entropy times the number of samples is a sum of k log k over counts k. ``in_classes`` are the
    sizes of the classes, where all columns share them.
    """
    every_bin = np.ones(joint.shape[2])
    in_bins = joint.sum(axis=0)
    in_classes = joint.sum(axis=2) if in_classes is None else in_classes
    T = in_bins.sum(axis=1)
    whole = klogk(T)
    feature = whole - klogk(in_bins) @ every_bin
    label = whole - klogk(in_classes).sum(axis=0)
    both = whole - klogk(joint).sum(axis=0) @ every_bin
    T = positive(T)
    return np.maximum(feature + label - both, 0.0) / T, feature / T, label / T


def _over_labels(measure: Any, y: Any) -> np.ndarray:
    """The measure for one label vector, or the mean over the columns of a multi-label matrix."""
    y = np.asarray(y)
    if y.ndim == 1:
        return measure(y)
    return np.mean([measure(column) for column in y.T], axis=0)
