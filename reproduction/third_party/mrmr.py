"""mRMR with F statistics (package mrmr_selection)."""

from __future__ import annotations

import numpy as np

from inffs.scores import Scored
from reproduction.third_party.base import ThirdPartySelector, chosen_first


class MRMRSelection(ThirdPartySelector):
    """Greedy: the F statistic divided by the mean correlation with what is chosen. O(k T n)."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> Scored:
        import pandas as pd
        from mrmr import mrmr_classif

        k = self._choices(X.shape[1])
        found = mrmr_classif(X=pd.DataFrame(X), y=pd.Series(y), K=k, n_jobs=1, show_progress=False)
        return chosen_first(found, X.shape[1])
