"""What covariates explain is removed from the features before they are ranked."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from inffs import BestOf, Constrained, InfFSS, InfFSSCV, InfFSU, InfFSUCV, StabilitySelection
from inffs.cuts import Predict
from inffs.methods import FisherScore
from inffs.validation.adjustment import Adjustment, remove_effects


@pytest.fixture
def batches(rng):
    """Ninety samples; ten features follow the batch, two the classes, and age is measured."""
    T, n = 90, 40
    y = np.arange(T) % 2
    batch = np.where(rng.random(T) < 0.15 + 0.7 * y, "late", "early")
    age = rng.normal(50, 10, T)
    X = rng.normal(size=(T, n))
    X[:, :10] += 8 * (batch == "late")[:, None]
    X[:, 20:22] += 1.5 * y[:, None]
    X[:, 30] += 0.5 * age
    return X, y, pd.DataFrame({"batch": batch, "age": age})


def limma(X, frame):
    """limma's removeBatchEffect(x, batch, covariates) without a design, as its R code does."""
    levels = np.unique(frame["batch"])
    sums = -np.ones((len(frame), levels.size - 1))  # contr.sum: the last level is minus one
    for place, level in enumerate(levels[:-1]):
        sums[frame["batch"] == level] = np.eye(levels.size - 1)[place]
    last = np.asarray(frame["batch"] == levels[-1])
    sums[last] = -1
    extra = np.column_stack([sums, frame["age"] - frame["age"].mean()])
    full = np.column_stack([np.ones(len(frame)), extra])
    beta = np.linalg.solve(full.T @ full, full.T @ X)[1:]
    return X - extra @ beta


def test_residuals_are_those_of_limma_up_to_a_constant(batches):
    X, _, frame = batches
    found = remove_effects(
        X, Adjustment.of({name: frame[name].to_numpy() for name in frame}).design
    )
    expected = limma(X, frame)
    np.testing.assert_allclose(
        found - found.mean(axis=0), expected - expected.mean(axis=0), atol=1e-10
    )
    np.testing.assert_allclose(found.mean(axis=0), X.mean(axis=0), atol=1e-10)


@pytest.mark.parametrize("form", [lambda f: f, pl.from_pandas, lambda f: f.to_numpy()])
def test_fit_ranks_the_residuals(batches, form):
    X, y, frame = batches
    found = FisherScore(n_features_to_select=2).fit(X, y, covariates=form(frame))
    expected = FisherScore(n_features_to_select=2).fit(limma(X, frame), y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-8)
    assert set(found.get_support(indices=True)) == {20, 21}
    plain = FisherScore(n_features_to_select=2).fit(X, y)
    assert set(plain.get_support(indices=True)) != {20, 21}
    np.testing.assert_array_equal(found.transform(X), X[:, [20, 21]])


def test_effects_are_learned_from_the_training_part_of_every_fold(batches):
    X, y, frame = batches
    found = InfFSS(n_features_to_select=Predict(estimator=GaussianNB())).fit(X, y, covariates=frame)
    design = np.column_stack([np.ones(90), frame["batch"] == "late", frame["age"]]).astype(float)
    evidence = found.size_selection_
    for fold, (train, test) in enumerate(evidence.folds):
        beta = np.linalg.lstsq(design[train], X[train], rcond=None)[0]
        left = X - design @ beta
        order = InfFSS(n_features_to_select=40).fit(left[train], y[train]).order_
        np.testing.assert_array_equal(evidence.orders[fold][:5], order[:5])
        best = order[:2]
        right = GaussianNB().fit(left[train][:, best], y[train]).score(left[test][:, best], y[test])
        assert evidence.scores[fold, evidence.place(2)] == pytest.approx(right)


@pytest.mark.parametrize("search", [InfFSSCV(weight_grid=3), InfFSUCV(alphas=3)])
def test_weights_are_chosen_on_residuals_of_the_training_part(batches, search):
    X, y, frame = batches
    search.set_params(n_features_to_select=3)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    whole = clone(search).set_params(cv=folds).fit(X, y, covariates=frame).cv_results_
    design = Adjustment.of({name: frame[name].to_numpy() for name in frame}).design
    for place, (train, test) in enumerate(folds):
        residuals = remove_effects(X, design, train)
        alone = clone(search).set_params(cv=[(train, test)]).fit(residuals, y).cv_results_
        np.testing.assert_array_equal(whole[f"split{place}_test_score"], alone["split0_test_score"])


def test_what_covariates_explain_completely_is_constant(batches):
    X, y, frame = batches
    X = np.column_stack([X, frame["age"] * 3 + 1e6, frame["batch"] == "late"])
    scores = FisherScore(n_features_to_select=2).fit(X, y, covariates=frame).scores_
    assert scores[40:].tolist() == [0.0, 0.0]


def test_weights_are_repeated_samples(batches, rng):
    X, y, frame = batches
    times = rng.integers(0, 3, 90)
    rows = np.repeat(np.arange(90), times)
    weighted = FisherScore(n_features_to_select=2).fit(X, y, times, covariates=frame)
    repeated = FisherScore(n_features_to_select=2).fit(
        X[rows], y[rows], covariates=frame.iloc[rows]
    )
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-8)


def test_every_selector_around_selectors_adjusts(batches):
    X, y, frame = batches
    for selector in (
        Constrained(FisherScore(n_features_to_select=2), max_correlation=0.9),
        StabilitySelection(FisherScore(), pairs=10, n_per_half=2, random_state=0),
        BestOf(["inf-fs-s", "fisher"], n_features_to_select=2),
        InfFSSCV(n_features_to_select=2),
    ):
        found = selector.fit(X, y, covariates=frame)
        assert set(found.get_support(indices=True)) == {20, 21}
    assert InfFSU(n_features_to_select=2).fit(X, covariates=frame).n_features_ == 2


def test_correlations_are_those_of_the_residuals(batches):
    X, y, frame = batches
    limited = Constrained(FisherScore(n_features_to_select=40), max_correlation=0.7)
    assert limited.fit(X, y).n_features_ < 40  # ten features share the batch
    assert limited.fit(X, y, covariates=frame).n_features_ == 40


def test_cross_validation_splits_the_covariates(batches):
    X, y, frame = batches
    pipeline = make_pipeline(FisherScore(n_features_to_select=2), GaussianNB())
    found = cross_val_score(pipeline, X, y, params={"fisherscore__covariates": frame})
    assert found.mean() > 0.8


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda X, f: (X, f.iloc[:-1]), "89 rows"),
        (lambda X, f: (X, f.assign(batch="one")), "'batch'"),
        (lambda X, f: (X, f.assign(age=[None, *f["age"][1:]])), "'age'"),
        (lambda X, f: (sparse.csr_array(X), f), "csc"),
    ],
)
def test_what_cannot_be_removed_is_named(batches, change, named):
    X, y, frame = batches
    X, frame = change(X, frame)
    with pytest.raises(ValueError, match=named):
        InfFSS(n_features_to_select=2).fit(X, y, covariates=frame)
