"""Several numeric targets: scores are means over them, conditional paths have an axis for each."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from inffs import BestOf, Consensus, InfFSC, InfFSS, StabilitySelection, catalogue, rank
from inffs.methods import FisherScore, LaplacianScore
from inffs.target import make_target
from tests.quick import quick_params

NUMBERS = [entry.key for entry in catalogue() if "regression" in entry.targets]
CLASSES = [
    entry.key for entry in catalogue() if entry.supervised and "regression" not in entry.targets
]


@pytest.fixture
def outputs(rng):
    """Two numbers: one follows features 0 and 1, the other 2; 30 features in all."""
    X = rng.normal(size=(120, 30))
    first = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=120)
    second = 1000 * (X[:, 2] + 0.3 * rng.normal(size=120))
    return X, np.column_stack([first, second])


def test_the_type_is_regression(outputs):
    _, Y = outputs
    assert make_target(Y).type == "regression"
    assert make_target(np.round(Y).astype(int), "regression").values.shape == (120, 2)
    with pytest.raises(ValueError, match="target_type='regression'"):
        make_target(np.round(Y).astype(int))


def test_scores_are_the_mean_over_the_outputs(outputs):
    X, Y = outputs
    found = FisherScore(n_features_to_select=3).fit(X, Y)
    each = [FisherScore().fit(X, output).scores_ for output in Y.T]
    np.testing.assert_allclose(found.scores_, np.mean(each, axis=0))
    assert set(found.get_support(indices=True)) == {0, 1, 2}
    assert found.target_type_ == "regression"


@pytest.mark.parametrize("key", NUMBERS)
def test_every_method_of_numbers_takes_several(key, outputs):
    X, Y = outputs
    cls = next(entry.estimator for entry in catalogue() if entry.key == key)
    fits = [
        cls(n_features_to_select=3, **quick_params(cls)).fit(X, target)
        for target in (Y[:, 0], Y[:, [0, 0]], Y)
    ]
    once, twice, both = (set(fitted.get_support(indices=True)) for fitted in fits)
    assert twice == once
    np.testing.assert_array_equal(np.sort(fits[2].order_), np.arange(30))
    if key in {"inf-fs-s", "inf-fs-c", "fisher", "mi", "relieff", "lasso-unhinged"}:
        assert both == {0, 1, 2} != once


@pytest.mark.parametrize("key", CLASSES)
def test_methods_of_classes_refuse_numbers(key, outputs):
    X, Y = outputs
    with pytest.raises(ValueError, match="continuous"):
        rank(X, Y, method=key)


def test_paths_follow_all_outputs(outputs):
    X, Y = outputs
    found = InfFSC(n_features_to_select=3).fit(X, Y)
    assert set(found.get_support(indices=True)) == {0, 1, 2}
    scaled = InfFSC(n_features_to_select=3).fit(X, Y * [1.0, 1e-3])
    np.testing.assert_array_equal(found.order_, scaled.order_)


@pytest.mark.parametrize("method", [InfFSS, InfFSC])
def test_the_size_is_chosen_by_the_mean_r2(method, outputs):
    X, Y = outputs
    found = method().fit(X, Y)
    assert found.cut_.name == "predict"
    assert 3 <= found.n_features_ <= 7
    evidence = found.size_selection_
    assert evidence.measure == "r2"
    pipeline = make_pipeline(method(n_features_to_select=3), Ridge())
    expected = cross_val_score(pipeline, X, Y, cv=5).mean()
    assert evidence.means[evidence.place(3)] == pytest.approx(expected, abs=0.03)


def test_two_equal_outputs_measure_as_one(outputs):
    X, Y = outputs
    folds = [(np.arange(0, 120, 2), np.arange(1, 120, 2)), (np.arange(60), np.arange(60, 120))]
    once = BestOf(["fisher", "mi"], cv=folds).fit(X, Y[:, 0])
    twice = BestOf(["fisher", "mi"], cv=folds).fit(X, Y[:, [0, 0]])
    np.testing.assert_allclose(twice.fold_scores_, once.fold_scores_, atol=1e-12)


def test_selectors_of_selectors(outputs):
    X, Y = outputs
    for selector in (
        Consensus(["fisher", "relieff"], n_features_to_select=3),
        StabilitySelection(FisherScore(), pairs=10, random_state=0),
        InfFSS(n_features_to_select="fdr"),
    ):
        assert set(selector.fit(X, Y).get_support(indices=True)) >= {0, 1, 2}
    assert LaplacianScore(n_features_to_select=3).fit(X, Y).n_features_ == 3


def test_an_output_that_never_varies_is_ignored(outputs):
    X, Y = outputs
    constant = np.column_stack([Y, np.full(120, 2.5)])
    np.testing.assert_allclose(
        FisherScore().fit(X, constant).scores_, FisherScore().fit(X, Y).scores_
    )
    with pytest.raises(ValueError, match="in every row"):
        FisherScore().fit(X, constant[:, [2, 2]])
