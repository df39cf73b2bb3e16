"""Shared parts of the one-vs-rest methods: targets, standardised columns and folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from inffs.measures.batch import standard_deviation


def sides(y: np.ndarray, classes: int) -> list[np.ndarray]:
    """Targets of +1 and -1: one for two classes, else one per class against the rest."""
    positive = [1] if classes == 2 else range(classes)
    return [np.where(y == label, 1.0, -1.0) for label in positive]


def column_scale(X: Any) -> np.ndarray:
    """The population standard deviation of every column, dense or sparse; 1 where it is 0."""
    scale = standard_deviation(X) * np.sqrt((X.shape[0] - 1) / X.shape[0])
    return np.where(scale > 0, scale, 1.0)  # the squares of a denormal column vanish


def standardise(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and population variance 1."""
    Z = X - X.mean(axis=0, dtype=np.float64)
    Z -= Z.mean(axis=0)  # the rounding error of a mean far from zero
    Z /= column_scale(X)
    return Z


def stratified_folds(y: np.ndarray, most: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    """(train, test) rows: each class is distributed over the folds in turn, without randomness."""
    count = min(most, y.size)
    fold = np.empty(y.size, dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(y.size) % count
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


def standardised_target(y: np.ndarray) -> np.ndarray:
    """Scale y to mean 0 and variance 1, so that its unit does not change any tolerance."""
    target = np.asarray(y) - np.mean(y)
    target /= np.abs(target).max()
    return target / target.std()
