"""Shared parts of the one-vs-rest methods: targets, standardised columns, folds and votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from inffs.measures.batch import standard_deviation


def sides(y: np.ndarray, classes: int) -> list[np.ndarray]:
    """Targets of +1 and -1: one for two classes, else one per class against the rest."""
    positive = [1] if classes == 2 else range(classes)
    return [np.where(y == label, 1.0, -1.0) for label in positive]


def centre_and_scale(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation (1 where that is 0) of columns, dense or sparse."""
    T, X = X.shape[0], sparse.csc_array(X) if sparse.issparse(X) else X
    scale = standard_deviation(X) * np.sqrt((T - 1) / T)
    centre = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    return centre, np.where(scale > 0, scale, 1.0)


def standardise(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and population variance 1."""
    centre, scale = centre_and_scale(X)
    Z = X - centre
    Z -= Z.mean(axis=0)  # the rounding error of a mean far from zero
    Z /= scale
    return Z


def stratified_folds(y: np.ndarray, most: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    """(train, test) rows: each class is distributed over the folds in turn, without randomness."""
    count = min(most, y.size)
    fold = np.empty(y.size, dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(y.size) % count
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


def vote(decisions: np.ndarray) -> np.ndarray:
    """Class codes from decision values, with one machine per entry of the first axis."""
    if len(decisions) == 1:
        return (decisions[0] > 0).astype(int)
    return decisions.argmax(axis=0)


def standardised_target(y: np.ndarray) -> np.ndarray:
    """Scale y to mean 0 and variance 1, so that its unit does not change any tolerance."""
    target = np.asarray(y) - np.mean(y)
    target /= np.abs(target).max()
    return target / target.std()
