"""Remove from features and numeric targets what covariates (a batch, an age) explain of them.

As limma's ``removeBatchEffect`` without a design: the residuals of a linear model of the
covariates, plus the mean of the feature. If all covariates are categories, each feature is centred
within its stratum. The features are adjusted without the target, so the effect of a target that
coincides with a covariate is removed as well (Nygaard and others 2016 explain why the other way is
misleading). A correlation of residuals is a partial correlation (Frisch, Waugh, Lovell).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inffs.target import CLASSIFICATION, REGRESSION, Target

_MOST_COLUMNS = 0.2  # of the design, per sample
_EXPLAINED = 1e-20  # of the variance: less is left by rounding
_ROUNDING = 8  # units in the last place of the largest value
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
        """Make one; text, booleans and whole numbers with few values are categories."""
        parts = [_columns(name, np.asarray(values)) for name, values in covariates.items()]
        design = np.hstack(parts)
        if design.shape[1] > _MOST_COLUMNS * design.shape[0]:
            raise ValueError(
                f"The covariates {', '.join(covariates)} have {design.shape[1]:,} strata, too many "
                f"for {design.shape[0]:,} samples (p-values would be too small): leave out the "
                "covariate with the most values."
            )
        return cls(tuple(covariates), design)

    def remove(self, X: np.ndarray, train: np.ndarray | None = None) -> np.ndarray:
        """The whole table without the effects that its training rows have (all by default)."""
        return remove_effects(X, self.design, train)

    def explained(self, target: Target) -> float:
        """The share of the target that the covariates explain; 0 for labels and survival times."""
        if target.type == CLASSIFICATION:
            values = np.eye(target.n_classes)[target.values]
        elif target.type == REGRESSION:
            values = target.columns(np.arange(len(target)))
        else:
            return 0.0
        left = self.remove(values) - values.mean(axis=0)
        return 1 - float(np.square(left).sum() / np.square(values - values.mean(axis=0)).sum())

    def sentence(self) -> str:
        """What was done, for a methods section."""
        names = ", ".join(self.names)
        return (
            f"What {names} explain of a feature in a linear model was removed from it, and from a "
            "numeric target as well."
        )


def remove_effects(
    X: np.ndarray,
    design: np.ndarray,
    train: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Subtract the effects of a design, estimated on the training rows (all by default).

    A column that the design explains up to rounding becomes constant.
    """
    seen: Any = slice(None) if train is None else train
    share = None if weight is None else weight[seen]
    mean = np.average(X[seen], axis=0, weights=share)
    design = design - np.average(design[seen], axis=0, weights=share)
    root = 1.0 if share is None else np.sqrt(share)[:, None]
    centred = root * (X[seen] - mean)
    effects = np.linalg.lstsq(root * design[seen], centred, rcond=None)[0]
    left = X - design @ effects
    spread = np.square(root * (left[seen] - mean)).sum(axis=0)
    unit = np.finfo(X.dtype).eps * np.abs(X[seen]).max(axis=0)
    rounding = (_ROUNDING * unit) ** 2 * centred.shape[0]
    explained = spread <= np.maximum(rounding, _EXPLAINED * np.square(centred).sum(axis=0))
    return np.where(explained, mean, left).astype(X.dtype, copy=False)


def adjust_target(
    target: Target,
    design: np.ndarray,
    train: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> Target:
    """A target of numbers without the effects of a design; targets of other types as they are."""
    if target.type != REGRESSION:
        return target
    values = remove_effects(target.columns(np.arange(len(target))), design, train, weight)
    if train is None and not np.ptp(values, axis=0).any():
        raise ValueError(
            "The covariates determine y, so nothing is left to explain: leave one of them out."
        )
    return replace(target, values=values.reshape(target.values.shape))


def check_covariates(covariates: Any, T: int, X: Any) -> np.ndarray:
    """The design of the covariates of T samples, for a table that can be adjusted."""
    if not isinstance(X, np.ndarray):
        raise ValueError(
            f"covariates are removed from tables in memory, not from a {type(X).__name__}: give a "
            "NumPy array or a data frame."
        )
    if np.isnan(X).any():
        raise ValueError(
            "X has missing values, and covariates are removed from complete columns only: fill "
            "them in (SimpleImputer)."
        )
    found = covariates
    if not isinstance(found, Adjustment):
        found = Adjustment.of(_by_name(covariates))
    if found.design.shape[0] != T:
        raise ValueError(
            f"covariates have {found.design.shape[0]} rows, but X has {T} samples: give a row "
            "for each."
        )
    return found.design


def _by_name(covariates: Any) -> dict[str, np.ndarray]:
    """The columns of an array or a data frame."""
    names = getattr(covariates, "columns", None)
    if names is not None:
        return {str(name): np.array(covariates[name].to_list()) for name in names}
    values = np.asarray(covariates)
    values = values[:, None] if values.ndim == 1 else values
    return {str(place): np.array(column.tolist()) for place, column in enumerate(values.T)}


def _columns(name: str, values: np.ndarray) -> np.ndarray:
    missing = np.flatnonzero([each is None or each != each for each in values.tolist()])
    if missing.size:
        raise ValueError(
            f"The covariate {name!r} has no value in row {missing[0]}: fill it in or leave out the "
            "sample."
        )
    strata, codes = np.unique(values.astype(str), return_inverse=True)
    if strata.size < 2:
        raise ValueError(f"The covariate {name!r} is the same in every row: leave it out.")
    if values.dtype.kind in "iuf" and not _are_strata(values, strata.size):
        numbers = values.astype(np.float64)
        return ((numbers - numbers.mean()) / numbers.std())[:, None]
    if strata.size == values.size:
        raise ValueError(
            f"The covariate {name!r} is different in every row, so it explains everything: "
            "leave it out."
        )
    return np.eye(strata.size)[codes]


def _are_strata(values: np.ndarray, different: int) -> bool:
    return different <= _MOST_STRATA and bool((values == np.round(values)).all())
