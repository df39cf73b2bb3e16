"""The best of several methods: its choice against scikit-learn's folds, the rest as alone."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import BestOf, InfFSC, InfFSS
from inffs.base import RankAgain
from inffs.cuts import Samples
from inffs.methods import FisherScore, MutualInformation, find_entry
from inffs.target import make_target

CHECKS = parametrize_with_checks([BestOf([FisherScore(), InfFSC()])])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


@pytest.fixture
def hidden(rng):
    """Two quiet columns tell the classes apart, loud ones know nothing of them."""
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 30)) * 5
    X[:, [3, 7]] = 0.5 * rng.normal(size=(120, 2)) + y[:, None]
    return X, y


def by_spread(X, y):
    return X.std(axis=0)


def test_the_method_that_scikit_learns_folds_prefer(hidden):
    X, y = hidden
    better, worse = (
        cross_val_score(make_pipeline(SelectKBest(score, k=2), LinearSVC()), X, y, cv=5).mean()
        for score in (f_classif, by_spread)
    )
    assert better > worse + 0.2
    found = BestOf(["inf-fs-u", "fisher"], n_features_to_select=2).fit(X, y)
    assert found.best_ == "fisher"
    assert set(found.order_[:2]) == {3, 7}
    np.testing.assert_allclose(found.fold_scores_.mean(axis=0), [worse, better], atol=0.1)
    assert found.cut_.why.startswith("fisher is best on 5 folds: ")


def test_in_doubt_the_first_named(hidden):
    twice = BestOf([("one", FisherScore()), ("two", FisherScore())]).fit(*hidden)
    assert (twice.names_, twice.best_) == (["one", "two"], "one")
    assert "one is as good as any on 5 folds" in twice.cut_.why
    X, y = load_wine(return_X_y=True)
    near = BestOf(["inf-fs-s", "inf-fs-c"], n_features_to_select=4).fit(X, y)
    folds = near.fold_scores_
    error = (folds[:, 1] - folds[:, 0]).std(ddof=1) / np.sqrt(len(folds))
    assert 0 < np.diff(folds.mean(axis=0))[0] < error
    assert near.best_ == "inf-fs-s"
    assert "inf-fs-s is not clearly worse than the best on 5 folds" in near.cut_.why


@pytest.mark.parametrize("size", ["auto", 4, 0.2, 31])
def test_the_rest_is_what_the_chosen_method_says_alone(size):
    X, y = load_breast_cancer(return_X_y=True)
    X = np.insert(X, 5, 7.0, axis=1)  # a constant column
    found = BestOf([InfFSS(), InfFSC()], n_features_to_select=size).fit(X, y)
    alone = clone_of(found, size).fit(X, y)
    np.testing.assert_array_equal(found.order_, alone.order_)
    np.testing.assert_allclose(found.scores_, alone.scores_)
    np.testing.assert_array_equal(found.ties_, alone.ties_)
    assert found.n_features_ == alone.n_features_
    assert found.cut_.why.endswith(alone.cut_.why)


def clone_of(found, size):
    return {"InfFSS": InfFSS, "InfFSC": InfFSC}[found.best_](n_features_to_select=size)


def test_ties_are_those_of_the_chosen_method(hidden):
    X, y = np.repeat(hidden[0], 2, axis=1), hidden[1]
    found = BestOf([FisherScore(), MutualInformation()], n_features_to_select=3).fit(X, y)
    alone = type(found.best_selector_)(n_features_to_select=3).fit(X, y)
    np.testing.assert_array_equal(found.ties_, alone.ties_)
    assert "The cut goes through 2 features" in alone.cut_.why
    assert found.cut_.why.endswith(alone.cut_.why)


def test_moved_rows_and_other_forms_change_nothing(hidden, rng):
    X, y = hidden
    X = np.where(np.abs(X) > 1, X, 0)
    plain = BestOf(["mi", "fisher"]).fit(X, y)
    moved = rng.permutation(len(y))
    for form, labels in ((X[moved], y[moved]), (sparse.csr_array(X), y)):
        other = BestOf(["mi", "fisher"]).fit(form, labels)
        if sparse.issparse(form):
            np.testing.assert_allclose(other.fold_scores_, plain.fold_scores_)
        assert other.best_ == plain.best_


def test_a_choice_on_other_samples_is_made_there(hidden):
    X, y = hidden
    found = BestOf(["inf-fs-u", "fisher"], n_features_to_select=2).fit(X, y)
    half, samples = np.arange(120) < 60, Samples(X, make_target(y))
    again = RankAgain(found)(samples.take(np.flatnonzero(half)), 2)
    alone = FisherScore().fit(X[half], y[half])
    np.testing.assert_array_equal(again[:2], alone.order_[:2])
    assert found.best_ == "fisher"


def test_numbers_and_labels(hidden, rng):
    X, _ = hidden
    numbers = X[:, 3] + 0.1 * rng.normal(size=120)
    assert BestOf(["inf-fs-u", "fisher"], n_features_to_select=1).fit(X, numbers).order_[0] == 3
    labels = np.stack([X[:, 3] > 0.5, X[:, 7] > 0.5], axis=1).astype(int)
    found = BestOf(["inf-fs-u", "mi"], n_features_to_select=2).fit(X, labels)
    assert set(found.order_[:2]) == {3, 7}


@pytest.mark.parametrize("kind", ["few", "gaps"])
def test_what_cannot_be_compared_gets_the_first_method(hidden, kind):
    X, y = hidden
    X, y, missing = (X[:8], y[:8], "refuse") if kind == "few" else (X.copy(), y, "ignore")
    if kind == "gaps":
        X[0, 0] = np.nan
    found = BestOf([MutualInformation(missing=missing), FisherScore(missing=missing)]).fit(X, y)
    assert (found.best_, found.fold_scores_.shape) == ("MutualInformation", (0, 2))
    assert "named first, and on this table methods cannot be compared" in found.cut_.why


class TestBadInput:
    def test_one_method(self, hidden):
        with pytest.raises(ValueError, match="A choice needs at least two methods; there are 1"):
            BestOf(["fisher"]).fit(*hidden)

    def test_a_selector_from_elsewhere(self, hidden):
        with pytest.raises(ValueError, match=r"SelectKBest\(\) is no selector of this package"):
            BestOf(["fisher", SelectKBest()]).fit(*hidden)

    def test_no_labels(self, hidden):
        with pytest.raises(ValueError, match="it requires y"):
            BestOf(["inf-fs-u", "cfs"]).fit(hidden[0])

    def test_a_target_that_one_method_does_not_take(self, hidden, rng):
        assert "regression" not in find_entry("svm-rfe").estimator._targets
        with pytest.raises(ValueError, match="y is continuous"):
            BestOf(["svm-rfe", "inf-fs-c"]).fit(hidden[0], rng.normal(size=120))
