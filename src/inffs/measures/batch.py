"""A number per feature: how much it varies, and how well it separates the classes.

All take X of shape (n_samples, n_features), dense or CSC, in O(nT) time and the memory of a few
blocks of columns. ``y`` is any vector of class labels; a 0 / 1 matrix of shape (n_samples,
n_labels) is multilabel and gives the mean of the one-vs-rest measures. With ``sample_weight`` a
sample of weight 2 counts twice, and missing values (NaN) are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from inffs._utils.threads import over_columns
from inffs.measures.moments import (
    BLOCK,
    Moments,
    Stored,
    block_moments,
    class_moments,
    column_units,
    positive,
)
from inffs.validation.checks import canonical, column_extremes

_SAME = 1e-12  # less than this apart, relative to what they are made of, is rounding
_SEPARATED = 1e-20  # within-class variance below this share of the total: a perfect separator
_ON_THE_EDGE = 1e-9  # of a bin's width: a value that rounding left below an edge is on it


def rescale(values: np.ndarray, rounding: float = 0.0) -> np.ndarray:
    """Min-max: map linearly to [0, 1]; a vector that is constant to rounding maps to 0.

    The rounding error is 1e-12 of the largest value, or ``rounding`` if that is larger.
    """
    low, span = values.min(), np.ptp(values)
    if span <= max(rounding, _SAME * np.abs(values).max()):
        return np.zeros_like(values, dtype=float)
    return (values - low) / span


def standard_deviation(X: Any, sample_weight: np.ndarray | None = None) -> np.ndarray:
    """Return the standard deviation of every column in its own unit, divisor n_samples - 1."""
    moments = _moments(X, sample_weight)
    return np.ldexp(moments.deviation(), moments.exponent)


def dispersion(X: Any, sample_weight: np.ndarray | None = None) -> np.ndarray:
    """Return the standard deviation of every column, divided by the largest one.

    sigma_i = std(f_i) / max_j std(f_j) (Inf-FS paper, Sec. 3.1).

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
    inffs.relations.Dispersion : The relation that uses it.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.measures import dispersion
    >>> dispersion(np.array([[1, 10], [2, 30], [3, 50]])).tolist()
    [0.05, 1.0]
    """
    return _moments(X, sample_weight).relative_deviation()


def _moments(X: Any, sample_weight: np.ndarray | None) -> Moments:
    """The moments of all samples as one class."""
    return class_moments(canonical(X), np.zeros(X.shape[0], dtype=int), 1, sample_weight)


def fisher(
    X: Any, y: Any, *, scaled: bool = False, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Return the Fisher criterion of every column (Inf-FS paper, Sec. 3.2).

    h_i = sum_g (mu_ig - mu_i)^2 / sum_g sigma_ig^2 over the classes g. ``scaled`` maps the values
    to [0, 1] over the columns. A perfect separator has no variance inside the classes. It gets
    twice the largest other value, or 1 if there is none. A constant column gets 0.

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
    mutual_information : Detects differences other than those of means.
    squared_correlation : For regression.

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


def ratio_of_spreads(
    between: np.ndarray, within: np.ndarray, separated: float = _SEPARATED
) -> np.ndarray:
    """between / within; twice the largest other ratio where ``within`` is nothing but rounding.

    That is where it is at most the share ``separated`` of ``between``.
    """
    perfect, flat = within <= separated * between, between <= 0
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
    """Return the mutual information of every column with the class, in nats.

    It is sum p(z, y) log(p(z, y) / (p(z) p(y))) over equal-width bins z of the column. ``scaled``
    maps the values to [0, 1] over the columns. ``bins="auto"`` uses max(10, n_samples // 10) bins
    for up to 200 samples, and 20 for more.

    Parameters
    ----------
    X : ndarray, sparse matrix or lazy table of shape (n_samples, n_features)
        Samples in rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, or a 0 / 1 matrix of several labels.
    bins : int or "auto", default="auto"
        The number of bins of a column.
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
    fisher : Compares the class means only.

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

    def of_block(block: Any) -> tuple[Moments, np.ndarray]:
        return block_moments(block, codes, classes.size), _information(block, codes, bins)[0]

    moments, shared = zip(*over_columns(X, of_block, BLOCK), strict=True)
    of_table = Moments.beside(moments)
    return [
        rescale_fisher(ratio_of_spreads(*of_table.spreads())),
        rescale_information(np.concatenate(shared), codes.size),
        of_table.relative_deviation(),
    ]


def joined(parts: Sequence[tuple[np.ndarray, ...]]) -> list[np.ndarray]:
    """What blocks of columns gave, side by side."""
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


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
        The number of bins of a column.
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
    >>> from inffs.measures.batch import symmetric_uncertainty
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
    codes = np.unique(y, return_inverse=True)[1]
    of_block = partial(_information, codes=codes, bins=bins, sample_weight=sample_weight)
    return joined(over_columns(canonical(X), of_block, BLOCK))


def _information(
    block: Any, codes: np.ndarray, bins: int | str, sample_weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """I(f_i; y), H(f_i) and H(y) for a block of columns, in nats."""
    T = codes.size if sample_weight is None else whole_samples(sample_weight)
    histogram = sparse_histogram if sparse.issparse(block) else dense_histogram
    return information(histogram(block, codes, number_of_bins(T, bins), sample_weight))


def information(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """I(f_i; y), H(f_i) and H(y) in nats from counts (classes, features, bins), or weights.

    An entropy times the number of samples is a sum of k log k over counts k.
    """
    every_bin = np.ones(joint.shape[2])
    in_bins = joint.sum(axis=0)
    T = in_bins.sum(axis=1)
    table = count_log_count(int(T.max(initial=0)))

    def klogk(counts: np.ndarray) -> np.ndarray:
        return (
            xlogy(counts, counts) if counts.dtype.kind == "f" else table.take(counts, mode="clip")
        )

    whole = klogk(T)
    feature = whole - klogk(in_bins) @ every_bin
    label = whole - klogk(joint.sum(axis=2)).sum(axis=0)
    both = whole - klogk(joint).sum(axis=0) @ every_bin
    T = positive(T)
    return np.maximum(feature + label - both, 0.0) / T, feature / T, label / T


def _over_labels(measure: Any, y: Any) -> np.ndarray:
    """The measure for one label vector, or the mean over the columns of a multi-label matrix."""
    y = np.asarray(y)
    if y.ndim == 1:
        return measure(y)
    return np.mean([measure(column) for column in y.T], axis=0)


def count_log_count(T: int) -> np.ndarray:
    """The table k log k for k = 0 ... T: entropies of counts are sums of its entries."""
    counts = np.arange(T + 1)
    return counts * np.log(np.maximum(counts, 1))


def number_of_bins(T: int, bins: int | str = "auto") -> int:
    """The published rule for T samples, or the number that was given."""
    if not isinstance(bins, str):
        return int(bins)
    return 20 if T > 200 else max(10, T // 10)


def whole_samples(sample_weight: np.ndarray) -> int:
    """How many samples the weights stand for."""
    return int(sample_weight.sum() * (1 + 1e-12))


def dense_histogram(
    block: Any, codes: np.ndarray, bins: int, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """Counts of a block, or weights of the values that are not missing.

    The shape is (classes, features, bins + 1) with an empty last bin; bins are closed on the left.
    """
    block, weight = np.asarray(block), None
    if sample_weight is not None:
        absent = np.isnan(block)
        weight = ~absent * sample_weight[:, None]
        if absent.any():
            block = np.where(absent, np.nan_to_num(np.fmin.reduce(block)), block)
    place = _Edges(*column_extremes(block), bins).place(block, slice(None))
    joint = count_places(place, codes, codes.max() + 1, bins + 1, weight)
    joint[:, :, -2] += joint[:, :, -1]
    joint[:, :, -1] = 0
    return joint


def count_places(
    place: np.ndarray,
    codes: np.ndarray,
    classes: int,
    bins: int,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Counts (classes, features, bins), or weights, of bins at ``place``, which is used up."""
    n = place.shape[1]
    size = classes * n * bins
    place = place.astype(np.int32 if size < 2**31 else np.intp, copy=False)
    place += np.arange(0, n * bins, bins, dtype=place.dtype)
    place += (codes * (n * bins)).astype(place.dtype)[:, None]
    weights = None if weight is None else weight.ravel()
    return np.bincount(place.ravel(), weights, minlength=size).reshape(classes, n, bins)


def equal_width_bins(
    block: np.ndarray, bins: int, ranges: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """The bin of every value, 0 ... bins - 1, each column cut between its least and largest.

    ``ranges`` gives the least and largest values where the block does not show them.
    """
    low, high = column_extremes(block) if ranges is None else ranges
    place = _Edges(low, high, bins).place(block, slice(None))
    return np.minimum(place, bins - 1, dtype=np.intp)


def sparse_histogram(
    block: Any, codes: np.ndarray, bins: int, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """As :func:`dense_histogram` of a CSC block: the zeros of a column share one bin."""
    n, classes = block.shape[1], codes.max() + 1
    stored = Stored.of(block, codes, classes, sample_weight)
    edges, every = _Edges(*column_extremes(block), bins), np.arange(n)
    place = np.minimum(edges.place(stored.data, stored.column), bins - 1)
    joint = np.bincount(stored.place * bins + place, stored.weight, minlength=classes * n * bins)
    joint = joint.reshape(classes, n, bins)
    within = np.clip(0.0, edges.low, edges.high)  # a column without zeros has none to place
    zero = np.minimum(edges.place(within, every), bins - 1)
    joint[:, every, zero] += stored.zeros.astype(joint.dtype)
    return joint


class _Edges:
    """Equal-width bins between the least and largest value of every column."""

    def __init__(self, low: np.ndarray, high: np.ndarray, bins: int) -> None:
        self.low, self.high = low, high
        self._unit = column_units(low, high)
        self._low = np.ldexp(low, -self._unit)
        span = np.ldexp(high, -self._unit) - self._low
        self._scale = np.divide(bins, span, out=np.zeros_like(span), where=span > 0)

    def place(self, values: np.ndarray, column: Any) -> np.ndarray:
        """The bins of values of these columns; the largest value is beyond the last bin."""
        if self._unit.any():
            values = np.ldexp(values.astype(np.float64, copy=False), -self._unit[column])
        place = (values - self._low[column]) * self._scale[column]
        place += _ON_THE_EDGE
        return place.astype(np.int32)
