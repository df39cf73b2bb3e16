"""HSIC Lasso (package pyHSICLasso)."""

from __future__ import annotations

import contextlib
import io

import numpy as np

from inffs.scores import Scored
from reproduction.third_party.base import ThirdPartySelector, chosen_first


class HSICLasso(ThirdPartySelector):
    """Non-negative LASSO over kernels of the features against the kernel of the classes.

    Without blocks up to 500 samples, in blocks of 20 above, as its authors advise. Features that
    it does not choose follow by position.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> Scored:
        from pyHSICLasso import HSICLasso as Package

        model = Package()
        with contextlib.redirect_stdout(io.StringIO()):
            model.input(X, y)
            np.random.seed(self._seed() % 2**32)  # noqa: NPY002 (the package draws from it)
            blocks = 0 if y.size <= 500 else 20
            model.classification(self._choices(X.shape[1]), B=blocks, M=1, n_jobs=1)
        return chosen_first(model.get_index(), X.shape[1])
