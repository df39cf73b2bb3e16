"""Remove from features what covariates (a batch, an age) explain of them.

As limma's ``removeBatchEffect`` without a design: the residuals of a linear model of the
covariates, plus the mean of the feature. With text only, each feature is centred within its
stratum. The target has no part in it, so the effect of a target that coincides with a covariate is
removed as well (Nygaard and others 2016 on why the other way is misleading).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inffs.target import CLASSIFICATION, REGRESSION, Target

_MOST_COLUMNS = 0.2  # of the design, per sample
_MOST_STRATA = 10  # whole numbers with more values are measured, not a stratum


@dataclass(frozen=True, eq=False)
class Adjustment:
    """The covariates of all samples: their names, and a matrix of shape (n_samples, n_columns).

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.validation.adjustment import Adjustment
    >>> batch = Adjustment.of({"batch": np.repeat(["a", "b"], 5)})
    >>> batch.remove(np.r_[1.0, 2, 3, 4, 5, 11, 12, 13, 14, 15][:, None]).ravel().round(6).tolist()
    [6.0, 7.0, 8.0, 9.0, 10.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    """

    names: tuple[str, ...]
    design: np.ndarray

    @classmethod
    def of(cls, covariates: Mapping[str, np.ndarray]) -> Adjustment:
        """Text, booleans and whole numbers of few values are strata; other numbers are linear."""
        parts = [_columns(name, np.asarray(values)) for name, values in covariates.items()]
        design = np.hstack(parts)
        if design.shape[1] > _MOST_COLUMNS * design.shape[0]:
            raise ValueError(
                f"The covariates {', '.join(covariates)} have {design.shape[1]:,} strata, too many "
                f"for {design.shape[0]:,} samples (p-values would be too small): leave out the "
                "covariate with most values."
            )
        return cls(tuple(covariates), design)

    def remove(self, X: np.ndarray, train: np.ndarray | None = None) -> np.ndarray:
        """The whole table without the effects that its training rows have (all by default)."""
        seen: Any = slice(None) if train is None else train
        design = self.design - self.design[seen].mean(axis=0)
        centred = X[seen] - X[seen].mean(axis=0)
        effects = np.linalg.lstsq(design[seen], centred, rcond=None)[0]
        return X - design @ effects

    def explained(self, target: Target) -> float:
        """The share of the target that the covariates explain; 0 where it cannot be told."""
        if target.type == CLASSIFICATION:
            values = np.eye(target.n_classes)[target.values]
        elif target.type == REGRESSION:
            values = target.values[:, None]
        else:
            return 0.0
        left = self.remove(values) - values.mean(axis=0)
        return 1 - float(np.square(left).sum() / np.square(values - values.mean(axis=0)).sum())

    def sentence(self) -> str:
        """What was done, for a methods section."""
        names = ", ".join(self.names)
        return f"What {names} explain of a feature in a linear model was removed from it."


def _columns(name: str, values: np.ndarray) -> np.ndarray:
    strata, codes = np.unique(values.astype(str), return_inverse=True)
    if strata.size < 2:
        raise ValueError(f"The covariate {name!r} is the same in every row: leave it out.")
    if values.dtype.kind in "iuf" and not _are_strata(values, strata.size):
        numbers = values.astype(np.float64)
        return ((numbers - numbers.mean()) / numbers.std())[:, None]
    if strata.size == values.size:
        raise ValueError(
            f"The covariate {name!r} is different in every row: nothing would be left."
        )
    return np.eye(strata.size)[codes]


def _are_strata(values: np.ndarray, different: int) -> bool:
    return different <= _MOST_STRATA and bool((values == np.round(values)).all())
