"""What labels and tables every supervised method takes: a sound answer, never NaN."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from inffs import catalogue, rank
from inffs.methods import find_entry

SUPERVISED = [entry for entry in catalogue() if entry.supervised]
supervised = pytest.mark.parametrize("entry", SUPERVISED, ids=lambda entry: entry.key)


QUICK = {"ensemble-svm-rfe": {"n_estimators": 5}, "lasso-hinge": {"n_alphas": 15}}


def fitted(entry, X, y, **params):
    if "random_state" in entry.estimator().get_params():
        params["random_state"] = 0
    params = {**QUICK.get(entry.key, {}), **params}
    return rank(X, y, method=entry.key, n_features_to_select=3, **params)


def is_sound(selector, n):
    return np.isfinite(selector.scores_).all() and sorted(selector.order_) == list(range(n))


@supervised
def test_a_class_with_one_member(entry, labelled):
    X, y = labelled
    y = np.where(np.arange(40) == 39, 3, y)
    assert is_sound(fitted(entry, X, y), 12)


@supervised
def test_two_classes_one_of_them_a_single_sample(entry, labelled):
    X, _ = labelled
    assert is_sound(fitted(entry, X, np.arange(40) == 7), 12)


@supervised
@pytest.mark.parametrize("kind", [float, str, bool, object, "category"])
def test_labels_of_any_type(entry, kind, labelled):
    X, y = labelled
    y = y > 0
    names = np.array(["no", "yes"])[y.astype(int)]
    given = {
        float: np.where(y, 2.0, -1.0),
        str: names,
        bool: y,
        object: names.astype(object),
        "category": pd.Series(names, dtype="category"),
    }[kind]
    selector = fitted(entry, X, given)
    np.testing.assert_array_equal(selector.scores_, fitted(entry, X, y.astype(int)).scores_)
    assert selector.classes_.size == 2


@supervised
def test_labels_as_a_column(entry, labelled):
    X, y = labelled
    with pytest.warns(DataConversionWarning, match="column-vector"):
        selector = fitted(entry, X, y[:, None])
    np.testing.assert_array_equal(selector.order_, fitted(entry, X, y).order_)


@supervised
def test_several_columns_of_labels(entry, labelled):
    X, y = labelled
    columns = np.c_[y == 0, y == 1].astype(int)
    if "multilabel" in entry.estimator._targets:
        assert is_sound(fitted(entry, X, columns), 12)
        return
    with pytest.raises(ValueError, match=r"y has 2 columns .* takes one column of class labels"):
        fitted(entry, X, columns)


ONE_BY_ONE = ("fisher", "mi", "relieff", "ecfs", "ilfs", "mrmr", "cmim", "lasso-unhinged", "nhtp",
              "grahtp")  # fmt: skip


@pytest.mark.parametrize("key", ONE_BY_ONE)
def test_several_labels_are_the_mean_of_one_against_the_rest(key, rng):
    """Scores of the single labels, averaged; by place where the order is the method's own."""
    X = rng.normal(size=(60, 8))
    Y = (X[:, [2, 5]] + 0.3 * rng.normal(size=(60, 2)) > 0).astype(int)
    Y = np.c_[Y, np.ones(60, dtype=int)]  # a label that all have changes nothing
    entry = find_entry(key)
    single = [fitted(entry, X, label) for label in Y[:, :2].T]
    both = fitted(entry, X, Y)
    greedy = key in ("mrmr", "cmim", "nhtp", "grahtp")
    expected = np.mean([1 - (each.ranking_ - 1) / 7 if greedy else each.scores_
                        for each in single], axis=0)  # fmt: skip
    np.testing.assert_allclose(both.scores_, expected)
    with pytest.raises(ValueError, match="same in all rows"):
        fitted(entry, X, np.ones_like(Y))


@supervised
def test_overlapping_classes(entry, rng):
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    assert is_sound(fitted(entry, X, y), 6)


@supervised
def test_constant_and_duplicate_columns(entry, labelled):
    X, y = labelled
    X = np.c_[X, X[:, 0], X[:, 0], np.zeros(40)]
    selector = fitted(entry, X, y)
    assert is_sound(selector, 15)
    np.testing.assert_array_equal(selector.order_[-2:], [5, 14])


@supervised
def test_all_columns_alike(entry, rng):
    X, y = np.tile(rng.normal(size=(30, 1)), (1, 5)), np.arange(30) % 2
    assert is_sound(fitted(entry, X, y), 5)


@supervised
def test_more_features_than_samples_and_the_reverse(entry, rng):
    y = np.array([0, 1, 1, 0, 1, 0])
    assert is_sound(fitted(entry, rng.normal(size=(6, 30)), y), 30)
    assert is_sound(fitted(entry, rng.normal(size=(60, 3)), np.tile(y, 10)), 3)


@supervised
def test_a_perfect_separator_is_found(entry, rng):
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 8))
    X[:, 6] = np.where(y, 2.0, -2.0)
    selector = fitted(entry, X, y)
    assert is_sound(selector, 8)
    if entry.key != "ilfs":  # its relevant factor may be the other one: see its docstring
        assert selector.order_[0] == 6


@supervised
def test_very_different_scales(entry, labelled):
    X, y = labelled
    power = 4 if entry.key == "ensemble-svm-rfe" else 6
    X = X * 10.0 ** np.tile([-power, 0, power], 4)
    assert is_sound(fitted(entry, X, y), 12)


@supervised
def test_single_precision(entry, labelled):
    X, y = labelled
    assert is_sound(fitted(entry, X.astype(np.float32), y), 12)
