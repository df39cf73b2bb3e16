"""The graph of features: profiles of columns, tiles of edges, operators that are never stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inffs.graph.make_profiles import dense_profiles, sparse_profiles
from inffs.graph.profiles import Profiles
from inffs.validation.checks import canonical


def unit_profiles(
    X: Any, kind: str = "spearman", dtype: Any = None, sample_weight: Any = None
) -> Profiles:
    """Profiles of the columns of X (n_samples, n_features).

    ``kind`` is "spearman" (ranks), "pearson" (values) or "clipped" (values, beyond two standard
    deviations cut off); ``dtype`` that of dense profiles, by default single precision above 2,000
    features. With ``sample_weight`` the correlations are weighted, and missing values (NaN) stand
    at the mean of their column; weighted ranks and missing values make the profiles of a sparse
    table dense.
    """
    if sparse.issparse(X) and (sample_weight is None or _stays_sparse(X, kind)):
        return sparse_profiles(canonical(sparse.csc_array(X)), kind, sample_weight)
    if getattr(X, "distributed", False):
        from inffs.graph.dask import dask_profiles

        return dask_profiles(X, kind, dtype, sample_weight)
    return dense_profiles(X, kind, dtype, sample_weight)


def _stays_sparse(X: Any, kind: str) -> bool:
    """Whether all zeros of a column keep one value where samples have weights."""
    return kind != "spearman" and not np.isnan(X.data).any()
