"""What every method of the catalogue promises. A new method is tested here by being listed."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import catalogue
from tests.quick import draws, is_slow, quick_params

ENTRIES = {entry.key: entry for entry in catalogue()}
every_method = pytest.mark.parametrize("key", ENTRIES)

exact_methods = pytest.mark.parametrize(
    "key", [key for key, entry in ENTRIES.items() if not draws(entry.estimator)]
)


def params_of(cls):
    """Parameters under which a slow method is quick."""
    return quick_params(cls) if is_slow(cls) else {}


def make(key, **params):
    cls = ENTRIES[key].estimator
    selector = cls(**{**params_of(cls), **params})
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    return selector


def checks(estimators):
    """Every check of scikit-learn on every estimator."""
    made = parametrize_with_checks(estimators)
    return pytest.mark.parametrize(made.args[0], list(made.args[1]), **made.kwargs)


CLASSES = [entry.estimator for entry in catalogue()]


# The rule for the size is the same code in every method, so the quick tests try it on two.
WITH_RULE = {"InfFSC", "InfFSU"}
# These differ from MRMR by one formula: the slow tests check them.
LIKE_MRMR = {"MIFS", "CIFE", "ICAP", "JMI", "CMIM", "MRI"}


def checked(cls):
    """The method as the quick tests check it."""
    size = {} if cls.__name__ in WITH_RULE else {"n_features_to_select": 1}
    return cls(**params_of(cls), **size)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@checks([checked(cls) for cls in CLASSES if cls.__name__ not in LIKE_MRMR])
def test_scikit_learn_manners(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@checks([cls() for cls in CLASSES if cls.__name__ not in WITH_RULE])
def test_scikit_learn_manners_by_default(estimator, check):
    check(estimator)


@every_method
def test_scores_order_and_ranking_fit_together(key, labelled):
    X, y = labelled
    selector = make(key, n_features_to_select=4).fit(X, y)
    n = X.shape[1]
    assert np.isfinite(selector.scores_).all()
    assert sorted(selector.order_) == list(range(n))
    np.testing.assert_array_equal(selector.ranking_[selector.order_], np.arange(1, n + 1))
    np.testing.assert_array_equal(np.sort(selector.order_[:4]), selector.get_support(indices=True))
    assert selector.n_features_ == selector.cut_.size == 4


@every_method
def test_constant_column_stands_last(key, labelled):
    X, y = labelled
    selector = make(key, n_features_to_select=2).fit(X, y)
    assert selector.order_[-1] == 5
    assert selector.scores_[5] <= selector.scores_.min()
    others = np.delete(np.arange(12), 5)
    without = make(key, n_features_to_select=2).fit(X[:, others], y)
    np.testing.assert_array_equal(selector.order_[:-1], others[without.order_])


@every_method
def test_the_automatic_cut_explains_itself(key, labelled):
    X, y = labelled
    selector = make(key).fit(X, y)
    assert 1 <= selector.n_features_ <= X.shape[1]
    assert selector.cut_.why.endswith(".")


@every_method
def test_same_answer_twice_and_input_untouched(key, labelled):
    X, y = labelled
    X.setflags(write=False)
    first, second = (make(key, n_features_to_select=4).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.scores_, second.scores_)
    np.testing.assert_array_equal(first.order_, second.order_)


@every_method
def test_memory_layout_and_names_do_not_matter(key, labelled):
    X, y = labelled
    names = [f"gene {j}" for j in range(X.shape[1])]
    plain = make(key, n_features_to_select=3).fit(X, y)
    named = make(key, n_features_to_select=3).fit(pd.DataFrame(X, columns=names), y)
    fortran = make(key, n_features_to_select=3).fit(np.asfortranarray(X), y)
    np.testing.assert_allclose(named.scores_, plain.scores_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(fortran.scores_, plain.scores_, rtol=1e-7, atol=1e-12)
    kept = [names[j] for j in plain.get_support(indices=True)]
    assert list(named.get_feature_names_out()) == kept
    out = named.set_output(transform="pandas").transform(pd.DataFrame(X, columns=names))
    assert list(out.columns) == kept


@every_method
def test_label_names_do_not_matter(key, labelled):
    X, y = labelled
    names = np.array(["ape", "bee", "cat"])
    named, plain = (make(key, n_features_to_select=4).fit(X, labels) for labels in (names[y], y))
    np.testing.assert_array_equal(named.scores_, plain.scores_)


@exact_methods
def test_permuting_columns_permutes_scores(key, labelled, rng):
    X, y = labelled
    X = np.delete(X, 7, axis=1)  # exact duplicates may share their score unequally
    order = rng.permutation(X.shape[1])
    here = make(key, n_features_to_select=5).fit(X, y)
    there = make(key, n_features_to_select=5).fit(X[:, order], y)
    np.testing.assert_allclose(there.scores_, here.scores_[order], rtol=1e-6, atol=1e-9)


@exact_methods
def test_permuting_samples_changes_nothing(key, labelled, rng):
    X, y = labelled
    X = np.delete(X, 7, axis=1)
    order = rng.permutation(X.shape[0])
    here = make(key, n_features_to_select=5).fit(X, y)
    there = make(key, n_features_to_select=5).fit(X[order], y[order])
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-6, atol=1e-9)


@every_method
def test_fitted_selector_pickles_and_does_not_keep_the_table(key, labelled):
    X, y = labelled
    selector = pickle.loads(pickle.dumps(make(key, n_features_to_select=3).fit(X, y)))
    assert selector.transform(X).shape == (40, 3)
    for name, value in vars(clone(selector).fit(X, y)).items():
        assert not (isinstance(value, np.ndarray) and value.shape == X.shape), name


@every_method
def test_catalogue_line_is_complete(key):
    entry = ENTRIES[key]
    assert entry.kind in {"filter", "wrapper", "embedded"}
    assert entry.supervised == entry.estimator._supervised
    assert entry.targets == (entry.estimator._targets if entry.supervised else ())
    assert entry.paper
    assert entry.cost.startswith("O(")
    assert "References" in entry.estimator.__doc__
