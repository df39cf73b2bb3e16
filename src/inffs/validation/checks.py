"""Facts about the columns of a table before any is scored; columns and rows that are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import betaincinv

from inffs._utils.threads import dense, over_columns
from inffs.validation.lazy import LazyTable

_ROWS_AT_ONCE = 16
_FEWEST_GROUPS = 5  # fewer values are more likely classes
_COMPARED = 200  # columns that are compared between groups
_LEVEL = 0.05  # at which the median column differs between them
_FAR = 2.0**16, 2.0**44  # times its range: from here squares lose digits, and here are few left


def canonical(X: Any) -> Any:
    """A sparse matrix with sorted indices and no duplicates; the caller's arrays are not touched.

    SciPy sorts and adds up in place when it is asked for a maximum, so what is handed on is never
    the caller's own object. Anything that is not CSC or CSR comes back as it is.
    """
    if not (sparse.issparse(X) and X.format in ("csc", "csr")):
        return X
    own = type(X)((X.data, X.indices, X.indptr), shape=X.shape, copy=False)
    if own.has_canonical_format:
        return own
    own = own.copy()
    own.sum_duplicates()
    return own


def varying_columns(X: Any, ignore_missing: bool = False) -> np.ndarray:
    """Indices of the columns with at least two different values. Dense (T, n), CSC or lazy.

    With ``ignore_missing`` only the values that are there count.
    """
    if ignore_missing or not isinstance(X, np.ndarray):
        return np.flatnonzero(np.concatenate(over_columns(canonical(X), _varies)))
    alike = np.arange(X.shape[1])
    for start in range(1, X.shape[0], _ROWS_AT_ONCE):
        rows = X[start : start + _ROWS_AT_ONCE]
        if alike.size < X.shape[1]:
            rows = rows[:, alike]
        alike = alike[(rows == X[0, alike]).all(axis=0)]
        if alike.size == 0:
            break
    return np.delete(np.arange(X.shape[1]), alike)


def _varies(block: Any) -> np.ndarray:
    low, high = column_extremes(block)
    return low < high


def column_extremes(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of every column, without missing ones; NaN where all are."""
    if sparse.issparse(X):
        X = X.tocsc()
        counts = np.diff(X.indptr)
        filled = np.flatnonzero(counts)
        low, high = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for take, out in ((np.fmin, low), (np.fmax, high)):
            if filled.size:
                out[filled] = take.reduceat(X.data, X.indptr[filled])
            zeros = counts < X.shape[0]
            out[zeros] = take(out[zeros], 0.0)
        return low, high
    X = np.asarray(X)
    return np.fmin.reduce(X).astype(float), np.fmax.reduce(X).astype(float)


def require_varying_columns(X: Any, ignore_missing: bool = False) -> np.ndarray:
    """Return the indices of the columns that vary; raise an error where none does.

    With ``ignore_missing`` only the values that are there count.
    """
    varying = varying_columns(X, ignore_missing)
    if varying.size == 0:
        raise ValueError(
            f"All {X.shape[1]} columns of X are constant: there is nothing to rank. "
            "Check that samples are rows and features are columns."
        )
    return varying


def identical_columns(X: Any) -> np.ndarray:
    """For every column the index of the first column that equals it (often its own)."""
    if sparse.issparse(X):
        return _first_of_each([_sparse_key(X, j) for j in range(X.shape[1])])
    if isinstance(X, LazyTable):
        return _first_of_each([key for keys in over_columns(X, _digests) for key in keys])
    first = np.arange(X.shape[1])
    suspects = _sharing_a_fingerprint(X)
    if suspects.size:
        columns = np.ascontiguousarray(X[:, suspects].T) + 0.0  # -0.0 equals 0.0
        first[suspects] = suspects[_first_of_each([column.tobytes() for column in columns])]
    return first


def without_offsets(X: np.ndarray) -> np.ndarray:
    """The table with columns that lie far from zero moved there, which rounds nothing.

    For methods on which an offset has no effect except rounding. Other columns stay as they are,
    and so do those that vary in their last digits only: that may be rounding.
    """
    low, high = (np.asarray(each, dtype=np.float64) for each in (X.min(axis=0), X.max(axis=0)))
    reach, span = np.maximum(low, -high), high - low
    far = (reach > _FAR[0] * span) & (reach < _FAR[1] * span)
    if not far.any():
        return X
    moved = np.array(X, dtype=np.float64)
    moved[:, far] -= moved[0, far]
    return moved


def looks_like_groups(values: np.ndarray, X: np.ndarray) -> bool:
    """Whether the values repeat and samples of one value resemble each other.

    The numbers of patients with several samples each do. Values repeat if they occur twice or more
    on average. Samples resemble each other if more than half of the numeric columns differ between
    the values (F test at 5 %), which chance hardly brings about.

    Parameters
    ----------
    values : array of shape (n_samples,)
        A text column; None where a value is missing.
    X : ndarray of shape (n_samples, n_features)
        Numeric columns of the same table.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.validation.checks import looks_like_groups
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat([f"p{number}" for number in range(8)], 3)
    >>> own = np.repeat(rng.normal(size=(8, 20)), 3, axis=0)
    >>> looks_like_groups(patient, own + 0.3 * rng.normal(size=(24, 20)))
    True
    >>> looks_like_groups(patient, rng.normal(size=(24, 20)))
    False
    """
    known = np.array([value is not None for value in values])
    names, codes = np.unique(np.asarray(values)[known].astype(str), return_inverse=True)
    T, count = codes.size, names.size
    if not _FEWEST_GROUPS <= count <= T / 2 or X.shape[1] == 0:
        return False
    chosen = np.linspace(0, X.shape[1] - 1, min(X.shape[1], _COMPARED)).astype(int)
    block = X[known][:, chosen].astype(float)
    block = block[:, np.isfinite(block).all(axis=0)]
    block = block[:, np.ptp(block, axis=0) > 0]
    if block.shape[1] == 0:
        return False
    block = block - block.mean(axis=0)
    sums = np.zeros((count, block.shape[1]))
    np.add.at(sums, codes, block)
    between = (sums**2 / np.bincount(codes)[:, None]).sum(axis=0)
    share = between / np.square(block).sum(axis=0)
    level = betaincinv((count - 1) / 2, (T - count) / 2, 1 - _LEVEL)
    return bool(np.median(share) > level)


def _sharing_a_fingerprint(X: np.ndarray) -> np.ndarray:
    """Columns whose values on a few rows are those of another column."""
    rows = np.unique(np.linspace(0, X.shape[0] - 1, 8).astype(int))
    fingerprint = np.zeros(X.shape[1], dtype=np.uint64)
    for row in rows:
        bits = (X[row].astype(np.float64) + 0.0).view(np.uint64)
        fingerprint = (fingerprint ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        fingerprint ^= fingerprint >> np.uint64(29)
    rising = np.sort(fingerprint)
    shared = rising[1:][rising[1:] == rising[:-1]]
    return np.flatnonzero(np.isin(fingerprint, shared)) if shared.size else shared.astype(int)


def _digests(block: np.ndarray) -> list[bytes]:
    columns = np.ascontiguousarray(block.T) + 0.0
    return [hashlib.blake2b(column.tobytes(), digest_size=16).digest() for column in columns]


def _sparse_key(X: Any, j: int) -> bytes:
    rows = slice(X.indptr[j], X.indptr[j + 1])
    order = np.argsort(X.indices[rows], kind="stable")
    return X.indices[rows][order].tobytes() + X.data[rows][order].tobytes()


def _first_of_each(keys: list[bytes]) -> np.ndarray:
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(key, place) for place, key in enumerate(keys)], dtype=int)


def first_bad_value(X: Any) -> tuple[int, int, str] | None:
    """(row, column, "NaN" or "infinity") of the first column's first value that is not finite."""
    found = _first_beyond(X, np.finfo(np.float64).max)
    return None if found is None else (*found[:2], "NaN" if np.isnan(found[2]) else "infinity")


def first_unsquarable(X: Any) -> tuple[int, int, float] | None:
    """(row, column, value) of a finite value so large that sums of squares overflow, if any.

    The bound is sqrt(largest float64 / size of X): the squares of all values have a finite sum.
    """
    return _first_beyond(X, np.sqrt(np.finfo(np.float64).max / (X.shape[0] * X.shape[1])))


def _first_beyond(X: Any, limit: np.float64) -> tuple[int, int, float] | None:
    """(row, column, value) of the first column's first value not within the limit, such as NaN."""

    def find(block: Any) -> tuple[int, tuple[int, int, float] | None]:
        values = dense(block)
        beyond = ~(np.abs(values) <= limit)
        column = int(beyond.any(axis=0).argmax())
        row = int(beyond[:, column].argmax())
        found = (row, column, float(values[row, column])) if beyond[row, column] else None
        return values.shape[1], found

    start = 0
    for width, found in over_columns(X, find):
        if found is not None:
            return found[0], start + found[1], found[2]
        start += width
    return None


def has_finite_squares(X: Any) -> bool:
    """Whether every value is finite and the sum of all squares is, by one pass over the table."""

    def sum_of_squares(block: Any) -> float:
        values = block.data if sparse.issparse(block) else block
        with np.errstate(all="ignore"):
            return np.einsum("i,i->" if values.ndim == 1 else "ij,ij->", values, values)

    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(over_columns(X, sum_of_squares), dtype=np.float64)))


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """These rows; of a table on disk they are taken whenever a column is read."""
    if isinstance(X, LazyTable):
        return X.changed(partial(np.take, indices=rows, axis=0), rows.size)
    return X.tocsr()[rows].asformat(X.format) if hasattr(X, "tocsr") else X[rows]


def find_columns(
    asked: Any, n: int, names: Sequence[str] | None, parameter: str
) -> tuple[int, ...]:
    """Columns by name, position or pattern (* and ?), in their order; an unknown one is named."""
    if asked is None:
        return ()
    alone = isinstance(asked, (str, Integral))
    several = [asked] if alone else np.asarray(asked, dtype=object).ravel().tolist()
    found: dict[int, None] = {}
    for one in several:
        found.update(dict.fromkeys(_find(one, n, names, parameter)))
    return tuple(sorted(found))


def _find(one: Any, n: int, names: Sequence[str] | None, parameter: str) -> list[int]:
    if isinstance(one, (Integral, np.integer)) and not isinstance(one, (bool, np.bool_)):
        if not -n <= int(one) < n:
            raise ValueError(f"{parameter}={one}: columns are numbered 0 to {n - 1}.")
        return [int(one) % n]
    if not isinstance(one, str):
        raise ValueError(
            f"{parameter}={one!r} is no column: give a name or a whole number from 0 to {n - 1}."
        )
    if names is None:
        raise ValueError(f"{parameter}={one!r}, but X has no column names: give positions.")
    exact = [place for place, name in enumerate(names) if name == one]
    found = exact or [place for place, name in enumerate(names) if fnmatchcase(str(name), str(one))]
    if not found:
        raise ValueError(f"{parameter}={one!r} is no column of X, nor a pattern of one.")
    return found


def one_hot_groups(names: Sequence[str]) -> dict[str, list[int]] | None:
    """Columns that one text column was made into ("colour=red", "colour=blue"), by its name."""
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        column, equals, _ = str(name).partition("=")
        if equals:
            groups.setdefault(column, []).append(place)
    return groups or None


def number_groups(groups: Any, n: int, names: Sequence[str] | None) -> np.ndarray:
    """A number for the group of every feature, -1 for a feature without a group."""
    out = np.full(n, -1)
    if groups is None:
        return out
    if isinstance(groups, dict):
        for number, members in enumerate(groups.values()):
            places = list(find_columns(members, n, names, "feature_groups"))
            twice = [place for place in places if out[place] >= 0]
            if twice:
                raise ValueError(
                    f"feature_groups has column {twice[0]} in two groups: name it once."
                )
            out[places] = number
        return out
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(
            f"feature_groups has the shape {labels.shape}, but there are {n} features: give a "
            "label for each, or a dict of groups."
        )
    return np.unique(labels, return_inverse=True)[1]


def is_numeric(kind: Any) -> bool:
    """Whether an Arrow type counts as numbers (truth values do, and columns that are empty)."""
    from pyarrow import types

    checks = types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null
    return any(check(kind) for check in checks)
