"""Selectors of inffs for the feature selection benchmark of TabArena.

The benchmark calls a class that receives a data frame, a target and a time limit, and returns a
score per column. Importing this module needs the package ``tabarena`` from the branch of that
benchmark; ``SELECTORS`` then holds one class per method, by the name under which it is entered.

The methods take seconds on the benchmark's tables and cannot be interrupted, so the time limit is
not used.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from tabarena.benchmark.feature_selection_methods.abstract.abstract_feature_selector import (
    AbstractFeatureSelector,
)

from inffs import rank


def as_numbers(X: pd.DataFrame) -> np.ndarray:
    """The table as numbers: categories as codes, missing values as the median of the column."""
    columns = []
    for name in X:
        column = X[name]
        if not pd.api.types.is_numeric_dtype(column):
            codes = column.astype("category").cat.codes
            column = codes.where(codes >= 0)
        values = column.astype(float)
        columns.append(values.fillna(values.median() if values.notna().any() else 0.0))
    return np.column_stack(columns)


def scores_of(X: pd.DataFrame, y: pd.Series, method: str) -> dict[str, float]:
    """A score per column that falls along the ranking of the method: 1 for the first, down to 0."""
    target = y if pd.api.types.is_float_dtype(y) else y.astype(str)
    fitted = rank(as_numbers(X), target.to_numpy(), method=method, n_features_to_select=1)
    places = (fitted.ranking_ - 1) / max(1, X.shape[1] - 1)
    return dict(zip(map(str, X.columns), (1.0 - places).tolist(), strict=True))


class ConditionalPathsFeatureSelector(AbstractFeatureSelector):
    """Conditional paths (inf-fs-c)."""

    name = "ConditionalPathsFeatureSelector"
    feature_scoring_method = True
    method: ClassVar[str] = "inf-fs-c"

    def _fit_feature_scoring(
        self, *, X: pd.DataFrame, y: pd.Series, time_limit: int | None = None
    ) -> dict[str, float]:
        return scores_of(X, y, self.method)


class InfiniteFeatureSelector(ConditionalPathsFeatureSelector):
    """Supervised Infinite Feature Selection (inf-fs-s)."""

    name = "InfiniteFeatureSelector"
    method = "inf-fs-s"


SELECTORS = {each.name: each for each in (ConditionalPathsFeatureSelector, InfiniteFeatureSelector)}
