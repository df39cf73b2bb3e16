"""The target is decided once, and every part of it keeps the type and the classes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from inffs import BestOf, InfFS, InfFSS, Report, StabilitySelection, catalogue, rank
from inffs.relations import Coupling
from inffs.target import make_target


@pytest.fixture(params=[30, 21])
def many_classes(request, rng):
    """Integer classes of five samples each; feature 3 follows the class."""
    y = np.repeat(np.arange(request.param), 5)
    X = rng.normal(size=(y.size, 4))
    X[:, 3] += y / 2
    return X, y


@pytest.mark.parametrize(
    ("y", "found"),
    [
        ([1, 2, 3, 1], "classification"),
        (["a", "b", "a"], "classification"),
        ([True, False, True], "classification"),
        ([1.0, 2.0, 1.0], "classification"),
        (np.array([1, 2, 1], dtype=object), "classification"),
        (np.arange(40), "classification"),
        ([1.5, 2.0, 3.0], "regression"),
        ([[0, 1], [1, 1], [0, 0]], "multilabel"),
    ],
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_scikit_learn_decides_the_type(y, found):
    assert make_target(np.asarray(y)).type == found


def test_a_part_keeps_the_type_and_the_classes():
    numbers = make_target([0.5, 1.0, 2.0, 3.0])
    assert numbers.take(np.array([1, 2, 3])).type == "regression"
    classes = make_target(["c", "a", "b", "a"])
    part = classes.take(np.array([1, 3, 0]))
    assert part.classes.tolist() == ["a", "b", "c"]
    assert part.original().tolist() == ["a", "a", "c"]
    assert part.occurring().values.tolist() == [0, 0, 1]
    assert make_target(part) is part


def test_a_type_that_was_asked_for_wins():
    assert make_target([1, 2, 1, 3], "regression").values.dtype == np.float64
    assert make_target([1.5, 2.5, 1.5], "classification").classes.tolist() == [1.5, 2.5]
    with pytest.raises(ValueError, match="numbers"):
        make_target(["a", "b"], "regression")


def test_a_relation_ranks_integers_as_the_selector_of_the_paper_does(many_classes):
    X, y = many_classes
    both = InfFSS(n_features_to_select=2), InfFS(Coupling(), n_features_to_select=2)
    own, general = (each.fit(X, y) for each in both)
    np.testing.assert_array_equal(own.order_, general.order_)
    np.testing.assert_allclose(own.scores_, general.scores_)


def test_training_parts_are_ranked_by_classes(many_classes):
    X, y = many_classes
    model = make_pipeline(InfFSS(n_features_to_select=3), GaussianNB())
    named = np.array([f"class {label:02d}" for label in y])
    np.testing.assert_array_equal(
        cross_val_score(model, X, y, cv=5), cross_val_score(model, X, named, cv=5)
    )


@pytest.mark.parametrize(
    "selector",
    [
        StabilitySelection(InfFSS(n_features_to_select=2), pairs=4, random_state=0),
        BestOf(["fisher", "mi"]),
        InfFSS(n_features_to_select="predict"),
        InfFSS(n_features_to_select="stability"),
    ],
    ids=["stability selection", "best of", "predict", "stability"],
)
def test_refits_on_parts_keep_the_classes(selector, many_classes):
    X, y = many_classes
    named = np.array([f"class {label:02d}" for label in y])
    numbered, again = (clone(selector).fit(X, target) for target in (y, named))
    assert getattr(numbered, "target_type_", "classification") == "classification"
    np.testing.assert_array_equal(again.order_, numbered.order_)
    np.testing.assert_array_equal(again.scores_, numbered.scores_)
    assert again.n_features_ == numbered.n_features_


def test_the_report_checks_classes_as_classes(many_classes):
    X, y = many_classes
    report = Report(rank(X, y, method="fisher", n_features_to_select=2), X, y, folds=3)
    assert report._study.check.words.measure == "accuracy"


def test_the_parameter_of_every_method_that_takes_both(rng):
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 4
    both = {"classification", "regression"}
    entries = [entry for entry in catalogue() if both <= set(entry.targets) and entry.supervised]
    assert len(entries) >= 15
    for entry in entries:
        selector = entry.estimator(n_features_to_select=2, target_type="regression").fit(X, y)
        assert (entry.key, selector.target_type_) == (entry.key, "regression")
        assert not hasattr(selector, "classes_")
