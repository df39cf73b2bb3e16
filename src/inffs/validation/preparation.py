"""Preparation of a table before ranking: normalise counts, fill in missing values, scale.

Every step is learned from samples, so cross-validation learns it from the training part only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from inffs.target import Target
from inffs.validation.adjustment import Adjustment, adjust_target
from inffs.validation.pairs import centred_in_pairs

NORMALIZATIONS = ("log-cpm",)
LOG_CPM = "Counts were normalised to log2(1 + counts per million of the sample)."
SCALES = ("none", "standard", "robust", "range")
_FILLED = {
    "median": "the median of their column",
    "knn": "the mean of the five samples most alike",
}
_SCALED = {
    "standard": "Every column was standardised (mean 0, standard deviation 1).",
    "robust": "Every column was centred at its median and divided by its interquartile range.",
    "range": "Every column was mapped to the range 0 to 1.",
}


@dataclass(frozen=True)
class Preparation:
    """How a table is prepared: ``impute`` is "median", "knn" or None, ``scale`` one of SCALES.

    ``ordinal`` are the places of columns whose numbers stand for sorted values of text: they are
    numbered anew among the values that the training rows have. ``adjustment`` removes what
    covariates explain, after missing values are filled in and before columns are scaled; ``pairs``
    holds the pair of every sample, whose mean is then subtracted.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs.validation.preparation import Preparation
    >>> X = np.array([[1.0, 10.0], [3.0, np.nan], [5.0, 30.0]])
    >>> Preparation(impute="median", scale="range").of(X)
    array([[0. , 0. ],
           [0.5, 0.5],
           [1. , 1. ]])
    """

    impute: str | None = None
    scale: str = "none"
    ordinal: tuple[int, ...] = ()
    adjustment: Adjustment | None = None
    pairs: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Refuse unknown values."""
        if self.scale not in SCALES or self.impute not in (None, "median", "knn"):
            raise ValueError(
                f"scale={self.scale!r} and impute={self.impute!r}: scale is one of "
                f"{', '.join(SCALES)}, impute median, knn or None."
            )

    def __bool__(self) -> bool:
        """Whether anything is done."""
        parts = (self.impute, self.adjustment, self.pairs)
        return self.scale != "none" or any(part is not None for part in parts)

    def of(self, X: Any, train: np.ndarray | None = None) -> Any:
        """The whole table, prepared by steps learned from its training rows (all by default)."""
        if train is not None and self.ordinal:
            X = self._numbered(X, train)
        X = _transformed(X, self._imputer(), train)
        X = X if self.adjustment is None else self.adjustment.remove(X, train)
        X = X if self.pairs is None else centred_in_pairs(X, self.pairs)
        return _transformed(X, self._scaler(sparse.issparse(X)), train)

    def target_of(self, target: Target, train: np.ndarray | None = None) -> Target:
        """The target without what covariates explain of numbers in the training rows."""
        if self.adjustment is None:
            return target
        return adjust_target(target, self.adjustment.design, train)

    def _numbered(self, X: np.ndarray, train: np.ndarray) -> np.ndarray:
        """Codes as places among the codes of the training rows; a new one takes the next place."""
        X = X.copy()
        for place in self.ordinal:
            known = ~np.isnan(X[:, place])
            levels = np.unique(X[train][known[train], place])
            X[known, place] = np.searchsorted(levels, X[known, place])
        return X

    def filled(self, X: Any) -> Any:
        """The table without missing values, in its own units."""
        return replace(self, scale="none").of(X)

    def sentences(self) -> list[str]:
        """What was done, for a methods section; none where nothing was."""
        said = [f"Missing values were replaced by {_FILLED[self.impute]}."] if self.impute else []
        said += [] if self.adjustment is None else [self.adjustment.sentence()]
        if self.pairs is not None:
            said.append("The mean of its pair was subtracted from every sample.")
        return said + ([_SCALED[self.scale]] if self.scale != "none" else [])

    def only_in_the_command(self) -> list[str]:
        """Flags of the steps that no transformer of scikit-learn does."""
        found = {"--adjust": self.adjustment, "--pair": self.pairs}
        return [flag for flag, part in found.items() if part is not None]

    def steps(self, is_sparse: bool = False) -> list[Any]:
        """The same as scikit-learn's transformers."""
        both = self._imputer(), self._scaler(is_sparse)
        return [step for step in both if step is not None]

    def _imputer(self) -> Any:
        from sklearn.impute import KNNImputer, SimpleImputer

        if self.impute == "median":
            return SimpleImputer(strategy="median", keep_empty_features=True)
        return None if self.impute is None else KNNImputer(keep_empty_features=True)

    def _scaler(self, is_sparse: bool) -> Any:
        from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

        return {
            "none": None,
            "standard": StandardScaler(with_mean=not is_sparse),
            "robust": RobustScaler(with_centering=not is_sparse),
            "range": MaxAbsScaler() if is_sparse else MinMaxScaler(),
        }[self.scale]


def _transformed(X: Any, step: Any, train: np.ndarray | None) -> Any:
    """The whole table by a step that is fitted on its training rows."""
    if step is None:
        return X
    return step.fit(X if train is None else X[train]).transform(X)


def log_cpm(X: Any) -> Any:
    """log2(1 + counts per million) of every row; a row of zeros stays zero, as do all zeros."""
    X = X.astype(np.float64)
    values = X.data if sparse.issparse(X) else X
    if values.size and not values.min() >= 0:
        raise ValueError(
            "Negative values in data, or missing ones: log counts per million need a table of "
            "counts without missing values."
        )
    totals = np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    factor = np.divide(1e6, totals, out=np.zeros_like(totals), where=totals > 0)
    if not sparse.issparse(X):
        return np.log2(1 + X * factor)
    scaled = sparse.csr_array(X.multiply(factor)).asformat(X.format)
    scaled.data = np.log2(1 + scaled.data)
    return type(X)(scaled)


class LogCPM(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Normalise counts to log2(1 + counts per million).

    Each sample is divided by its own total, so nothing is learned from other samples. Use it before
    a selector where samples were sequenced to different depths.

    Attributes
    ----------
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    inffs.io.read_table : Has it as ``normalize="log-cpm"``.

    Examples
    --------
    >>> import numpy as np
    >>> from inffs import LogCPM
    >>> LogCPM().fit_transform(np.array([[1, 1, 0], [30, 10, 0]])).round(2)
    array([[18.93, 18.93,  0.  ],
           [19.52, 17.93,  0.  ]])
    """

    def fit(self, X: Any, y: Any = None) -> LogCPM:
        """Check X; nothing is learned.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.
        y : None
            Ignored.

        Returns
        -------
        LogCPM
            The transformer itself.
        """
        log_cpm(validate_data(self, X, accept_sparse=("csr", "csc")))
        return self

    def transform(self, X: Any) -> Any:
        """Normalise each row by its own total.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return log_cpm(validate_data(self, X, accept_sparse=("csr", "csc"), reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
