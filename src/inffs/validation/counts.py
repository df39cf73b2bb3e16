"""Counts (of reads, of words) on one scale: the logarithm of counts per million of the sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

NORMALIZATIONS = ("log-cpm",)
LOG_CPM = "Counts were normalised to log2(1 + counts per million of the sample)."


def log_cpm(X: Any) -> Any:
    """log2(1 + counts per million) of every row; a row of zeros stays zero, as do all zeros."""
    X = X.astype(np.float64)
    values = X.data if sparse.issparse(X) else X
    if values.size and not values.min() >= 0:
        raise ValueError(
            "Log counts per million need counts: Negative values in data, or missing ones; "
            "normalise a table of counts without missing values."
        )
    totals = np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    factor = np.divide(1e6, totals, out=np.zeros_like(totals), where=totals > 0)
    if not sparse.issparse(X):
        return np.log2(1 + X * factor)
    scaled = sparse.csr_array(X.multiply(factor)).asformat(X.format)
    scaled.data = np.log2(1 + scaled.data)
    return type(X)(scaled)
