"""Normalised counts as a transformer of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from inffs.validation.preparation import log_cpm


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
