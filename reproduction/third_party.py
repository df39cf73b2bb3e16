"""Third-party methods: selectors of other packages, as their users know them, in thin adapters.

A third-party method is one class here and one line in ``THIRD_PARTY``. The adapter calls the
installed package; where that is absent, the method is skipped with the name to install. The extra
``third-party`` installs all of them.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.fixes import parse_version

from inffs.base import FeatureSelector
from inffs.scores import Ranking

MOST_CHOICES = 200  # of one that chooses step by step, where no number is asked for
TREES = 500  # of the forests
STEPS, REACH = 40, 1000.0  # of the penalty of the L1 logistic regression


class ThirdPartySelector(FeatureSelector):
    """Base of all third-party methods: supervised, one fit of the package's own selector."""

    _supervised = True

    def __init__(self, *, n_features_to_select: Any = "auto", random_state: Any = None) -> None:
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _choices(self, n: int) -> int:
        """How many features one that chooses step by step is asked for."""
        asked = self._size_asked(self.n_features_in_)
        return min(n, MOST_CHOICES if asked is None else asked)


def chosen_first(chosen: Any, n: int) -> Ranking:
    """The features in the order of choice; those that were not chosen follow by position."""
    chosen = np.asarray(chosen, dtype=int)
    order = np.concatenate([chosen, np.setdiff1d(np.arange(n), chosen)])
    scores = np.zeros(n)
    scores[chosen] = np.arange(chosen.size, 0, -1)
    why = f"{chosen.size} features were chosen step by step."
    return Ranking(scores, own_order=order, size=max(1, chosen.size), why=why)


def one_against_the_rest(y: np.ndarray, score: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The scores of a two-class method; of several classes the mean of one against the rest."""
    codes = np.unique(y)
    sides = [y == codes[1]] if codes.size == 2 else [y == code for code in codes]
    return np.mean([score(side.astype(int)) for side in sides], axis=0)


class AnovaF(ThirdPartySelector):
    """The F statistic of a one-way analysis of variance per feature. O(Tn)."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.feature_selection import f_classif

        with np.errstate(divide="ignore", invalid="ignore"):
            F = f_classif(X, y)[0]
        finite = F[np.isfinite(F)]
        top = 2 * finite.max() if finite.size else 1.0
        return np.nan_to_num(F, nan=0.0, posinf=top)


class RandomForest(ThirdPartySelector):
    """Mean decrease of impurity in 500 trees of a random forest. O(500 T log(T) sqrt(n))."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(TREES, random_state=self._seed())
        return forest.fit(X, y).feature_importances_


class ExtraTrees(ThirdPartySelector):
    """Mean decrease of impurity in 500 extremely random trees. O(500 T log(T) sqrt(n))."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import ExtraTreesClassifier

        return ExtraTreesClassifier(TREES, random_state=self._seed()).fit(X, y).feature_importances_


class Permutation(ThirdPartySelector):
    """Accuracy lost on a held-out quarter when a column is shuffled; a forest of 100 trees.

    Three shuffles per column; the impurity importance, scaled below one shuffle's smallest loss,
    orders the many columns that lose nothing. O(n) predictions of the forest.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.inspection import permutation_importance
        from sklearn.model_selection import train_test_split

        seed = self._seed()
        few = np.unique(y, return_counts=True)[1].min() < 2
        train, test = train_test_split(
            np.arange(y.size), test_size=0.25, random_state=seed, stratify=None if few else y
        )
        forest = RandomForestClassifier(100, random_state=seed).fit(X[train], y[train])
        found = permutation_importance(forest, X[test], y[test], n_repeats=3, random_state=seed)
        tie = forest.feature_importances_ / (4 * test.size)
        return found.importances_mean + tie


class L1Logistic(ThirdPartySelector):
    """Features in the order in which they enter the model as the penalty falls.

    Forty penalties from the one at which everything is 0 to a thousandth of it, liblinear; those
    that enter at the same step stand by the size of their weight. Several classes: the mean of one
    against the rest.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return one_against_the_rest(y, lambda side: _entries(X, side))


def _entries(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import l1_min_c

    scores = np.zeros(X.shape[1])
    lowest = l1_min_c(X, y, loss="log", intercept_scaling=10.0)
    for step, C in enumerate(lowest * np.geomspace(1.01, REACH, STEPS)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            weight = np.abs(_l1_logistic(C).fit(X, y).coef_[0])
        new = (weight > 0) & (scores == 0)
        scores[new] = STEPS - step + weight[new] / (1 + weight[new])
    return scores


def _l1_logistic(C: float) -> Any:
    import sklearn
    from sklearn.linear_model import LogisticRegression

    new = parse_version(sklearn.__version__) >= parse_version("1.8")
    penalty = {"l1_ratio": 1.0} if new else {"penalty": "l1"}
    return LogisticRegression(
        C=C, solver="liblinear", intercept_scaling=10.0, random_state=0, **penalty
    )


class Boruta(ThirdPartySelector):
    """Importances of a random forest against those of shuffled copies of the columns.

    BorutaPy with trees of depth 5, at most 100 rounds: confirmed features first, then tentative and
    rejected ones by its ranking; among equals by their mean importance. Rounds of O(T log(T) n).
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from boruta import BorutaPy
        from sklearn.ensemble import RandomForestClassifier

        seed = self._seed()
        forest = RandomForestClassifier(max_depth=5, random_state=seed)
        found = BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y)
        history = np.nan_to_num(found.importance_history_[1:])
        mean = history.mean(axis=0) if len(history) else np.zeros(X.shape[1])
        return -found.ranking_ + mean / (1 + np.abs(mean).max())


class MultiSURF(ThirdPartySelector):
    """Relief with neighbours nearer than half a deviation below the mean distance. O(T^2 n)."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        model = _multisurf(X.shape[1]).fit(np.ascontiguousarray(X, dtype=float), y)
        return np.asarray(model.feature_importances_, dtype=float)


def _multisurf(n: int) -> Any:
    if find_spec("fast_select"):
        from fast_select import MultiSURF as Fast

        return Fast(n_features_to_select=n)
    from skrebate import MultiSURF as Slow

    return Slow(n_features_to_select=n)


class FastCan(ThirdPartySelector):
    """Greedy choice by the canonical correlation with the classes, given what is chosen.

    The classes as 0 / 1 columns. At most as many features as samples can be chosen; the rest
    follows by position. O(k T n) for k features.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        from fastcan import FastCan as Package

        classes = np.eye(y.max() + 1)[y][:, 1:]
        k = min(self._choices(X.shape[1]), X.shape[0] - 2)
        found = Package(max(1, k), verbose=0).fit(X, classes)
        return chosen_first(found.indices_, X.shape[1])


class HSICLasso(ThirdPartySelector):
    """Non-negative LASSO over kernels of the features against the kernel of the classes.

    Without blocks up to 500 samples, in blocks of 20 above, as its authors advise. Features that
    it does not choose follow by position.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        from pyHSICLasso import HSICLasso as Package

        model = Package()
        with contextlib.redirect_stdout(io.StringIO()):
            model.input(X, y)
            np.random.seed(self._seed() % 2**32)  # noqa: NPY002 (the package draws from it)
            blocks = 0 if y.size <= 500 else 20
            model.classification(self._choices(X.shape[1]), B=blocks, M=1, n_jobs=1)
        return chosen_first(model.get_index(), X.shape[1])


class Knockoffs(ThirdPartySelector):
    """The LASSO's weight of a feature minus that of its Gaussian knockoff. O(n^3).

    Several classes: the mean of one against the rest.
    """

    def _score(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return one_against_the_rest(y, lambda side: self._importance(X, side))

    def _importance(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        from hidimstat import ModelXKnockoff

        model = ModelXKnockoff(random_state=self._seed()).fit(X, y.astype(float))
        return np.ravel(model.importance())


class MRMRSelection(ThirdPartySelector):
    """Greedy: the F statistic divided by the mean correlation with what is chosen. O(k T n)."""

    def _score(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        import pandas as pd
        from mrmr import mrmr_classif

        k = self._choices(X.shape[1])
        found = mrmr_classif(X=pd.DataFrame(X), y=pd.Series(y), K=k, n_jobs=1, show_progress=False)
        return chosen_first(found, X.shape[1])


@dataclass(frozen=True)
class ThirdPartyEntry:
    """A third-party method: its class, and the packages of which it needs one.

    ``packages`` are pairs of the name to import and the name to install.
    """

    key: str
    estimator: type[ThirdPartySelector]
    packages: tuple[tuple[str, str], ...] = (("sklearn", "scikit-learn"),)

    def missing(self) -> str:
        """What to install for it; "" where it is there."""
        if any(find_spec(module) for module, _ in self.packages):
            return ""
        return " or ".join(package for _, package in self.packages)


THIRD_PARTY: dict[str, ThirdPartyEntry] = {
    entry.key: entry
    for entry in (
        ThirdPartyEntry("anova-f", AnovaF),
        ThirdPartyEntry("random-forest", RandomForest),
        ThirdPartyEntry("extra-trees", ExtraTrees),
        ThirdPartyEntry("permutation", Permutation),
        ThirdPartyEntry("l1-logistic", L1Logistic),
        ThirdPartyEntry("boruta", Boruta, (("boruta", "boruta"),)),
        ThirdPartyEntry(
            "multisurf",
            MultiSURF,
            (("fast_select", "fast-select"), ("skrebate", "skrebate")),
        ),
        ThirdPartyEntry("fastcan", FastCan, (("fastcan", "fastcan"),)),
        ThirdPartyEntry("hsic-lasso", HSICLasso, (("pyHSICLasso", "pyHSICLasso"),)),
        ThirdPartyEntry("knockoffs", Knockoffs, (("hidimstat", "hidimstat"),)),
        ThirdPartyEntry("mrmr-selection", MRMRSelection, (("mrmr", "mrmr_selection"),)),
    )
}
