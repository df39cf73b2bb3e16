"""What covariates explain is removed from the features before they are ranked."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from inffs import BestOf, Constrained, InfFSS, InfFSU, StabilitySelection
from inffs.cuts import Predict
from inffs.cuts.false_discovery_rate import p_values
from inffs.cuts.samples import Samples
from inffs.evaluation import Part
from inffs.evaluation.evaluators import find_evaluator
from inffs.methods import FisherScore
from inffs.target import make_target
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


@pytest.fixture
def doses(batches, rng):
    """A dose that follows the batch and the age, and features 20 and 21 apart from these."""
    X, _, frame = batches
    y = X[:, 20] + 0.7 * X[:, 21] + 30 * (frame["batch"] == "late") + frame["age"]
    return X, y.to_numpy() + rng.normal(size=90), frame


def partial_correlations(X, y, frame):
    """Of each column with y, from the t statistic of a regression on it and the covariates."""
    late = (frame["batch"] == "late").to_numpy()
    found = []
    for column in X.T:
        full = np.column_stack([np.ones(y.size), late, frame["age"], column])
        inverse = np.linalg.inv(full.T @ full)
        beta = inverse @ full.T @ y
        free = y.size - full.shape[1]
        t = beta[-1] / np.sqrt(np.sum((y - full @ beta) ** 2) / free * inverse[-1, -1])
        found.append(t / np.sqrt(t**2 + free))
    return np.array(found)


def test_numbers_are_ranked_by_partial_correlations(doses):
    """By the theorem of Frisch, Waugh and Lovell: r^2 / (1 - r^2) of the residuals."""
    X, y, frame = doses
    found = FisherScore(n_features_to_select=2).fit(X, y, covariates=frame)
    share = partial_correlations(X, y, frame) ** 2
    np.testing.assert_allclose(found.scores_, share / (1 - share), rtol=1e-9)
    assert set(found.get_support(indices=True)) == {20, 21}
    both = np.column_stack([y, X[:, 5] + 10 * frame["age"]])
    several = FisherScore(n_features_to_select=3).fit(X, both, covariates=frame)
    second = partial_correlations(X[:, :5], both[:, 1], frame) ** 2
    expected = (share[:5] / (1 - share[:5]) + second / (1 - second)) / 2
    np.testing.assert_allclose(several.scores_[:5], expected, rtol=1e-9)


def test_numbers_are_adjusted_by_the_training_part_of_every_fold(doses):
    X, y, frame = doses
    found = FisherScore(n_features_to_select="predict").fit(X, y, covariates=frame)
    evidence = found.size_selection_
    design = np.column_stack([np.ones(90), frame["batch"] == "late", frame["age"]]).astype(float)
    whole = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    for fold, (train, test) in enumerate(evidence.folds):
        both = np.column_stack([X, y])
        left = both - design @ np.linalg.lstsq(design[train], both[train], rcond=None)[0]
        share = partial_correlations(X[train], y[train], frame.iloc[train]) ** 2
        np.testing.assert_array_equal(evidence.orders[fold][:3], np.argsort(-share)[:3])
        best = evidence.orders[fold][:2]
        part = Part(left[:, best], make_target(left[:, -1]), train, test)
        outputs = find_evaluator(kind="regression").outputs(part, [np.arange(2)], (0.1,))
        error = np.mean((left[test, -1] - outputs[0][0][:, 0]) ** 2)
        score = evidence.scores[fold, evidence.place(2)]
        assert score == pytest.approx(1 - error / whole.var(), abs=1e-9)
    assert {20, 21} <= set(found.get_support(indices=True))


def test_numbers_that_covariates_determine_are_refused(doses):
    X, _, frame = doses
    with pytest.raises(ValueError, match="covariates determine y"):
        FisherScore().fit(X, 3.5 * frame["age"] + 1e5, covariates=frame)


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


@pytest.mark.parametrize("classes", [None, 2, 3])
def test_permutations_have_the_degrees_of_freedom_of_the_residuals(classes):
    """Seven strata of forty samples: p-values of noise below 0.05 are 5 %, not 8 % or 2 %."""
    rng = np.random.default_rng(5)
    batch = rng.permutation(np.arange(40) % 7)
    y = rng.normal(size=40) + 0.5 * batch
    if classes is not None:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    X = rng.uniform(size=(40, 3000)) + batch[:, None]
    part = Samples(X, make_target(y), covariates=np.eye(7)[batch]).adjusted()
    found = p_values(part.X, part.target.values, covariates=part.covariates, random_state=0)
    assert 0.038 < np.mean(found <= 0.05) < 0.062  # three standard errors
    alone = p_values(part.X, part.target.values, random_state=0)
    assert not 0.038 < np.mean(alone <= 0.05) < 0.062
