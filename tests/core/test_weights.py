"""Weights of samples: 2 is the sample twice, 0 leaves it out, and who cannot says so."""

import inspect
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn import config_context
from sklearn.feature_selection import f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from inffs import (
    BestOf,
    Consensus,
    Constrained,
    InfFS,
    InfFSC,
    InfFSS,
    InfFSU,
    StabilitySelection,
    catalogue,
    open_table,
    rank,
)
from inffs.graph import unit_profiles
from inffs.measures import dispersion, equal_frequency_codes, squared_correlation
from inffs.methods import MRMR, FisherScore, ReliefF
from inffs.relations import Coupling, Decorrelation, Dispersion, Pairwise
from inffs.target import as_survival
from inffs.validation.intake import IGNORING

ENTRIES = {entry.key: entry for entry in catalogue()}
TAKING = [key for key, entry in ENTRIES.items() if entry.estimator._weights]
weighted_methods = pytest.mark.parametrize("key", TAKING)


@pytest.fixture
def table(rng):
    """Class codes and numbers to explain, ties, an offset; weights 0 to 3, and rows so often."""
    X = rng.normal(size=(70, 15))
    y = rng.integers(0, 3, 70)
    X[:, :4] += y[:, None]
    X[:, 3], X[:, 4] = np.round(X[:, 3]), X[:, 4] + 1e4
    weight = rng.integers(0, 4, 70).astype(float)
    return X, y, X[:, 0] + rng.normal(size=70), weight


def repeated(weight):
    return np.repeat(np.arange(weight.size), weight.astype(int))


def same(here, there, atol=1e-10):
    np.testing.assert_allclose(here.scores_, there.scores_, rtol=1e-10, atol=atol)
    np.testing.assert_array_equal(here.order_, there.order_)
    assert here.n_features_ == there.n_features_


def selector_of(key, target="classification"):
    """The method with a given size, but for the two whose automatic size shall be compared."""
    size = "auto" if (key, target) in AUTOMATIC else 5
    return partial(ENTRIES[key].estimator, n_features_to_select=size)


AUTOMATIC = [("inf-fs-s", "classification"), ("inf-fs-u", "classification")]
TARGETS = [
    (key, target)
    for key in TAKING
    for target in ("classification", "multilabel", "regression")
    if target in ENTRIES[key].estimator._targets or target == "classification"
]


@pytest.mark.parametrize(("key", "target"), TARGETS)
def test_weight_two_is_the_row_twice(key, target, table, rng):
    X, y, numbers, weight = table
    make = selector_of(key, target)
    y = {"classification": y, "regression": numbers, "multilabel": rng.integers(0, 2, (70, 2))}[
        target
    ]
    rows = repeated(weight)
    same(make().fit(X, y, sample_weight=weight), make().fit(X[rows], y[rows]))


@pytest.mark.parametrize("key", [key for key in TAKING if ENTRIES[key].estimator._sparse])
def test_sparse_tables_are_weighed_too(key, table):
    X, y, _, weight = table
    X, rows = np.where(np.abs(X) < 0.4, 0, X), repeated(weight)
    make = partial(ENTRIES[key].estimator, n_features_to_select=5)
    thin = make().fit(sparse.csr_array(X), y, sample_weight=weight)
    same(thin, make().fit(sparse.csr_array(X[rows]), y[rows]))


@weighted_methods
def test_weights_of_one_change_nothing(key, table):
    X, y, _, _ = table
    make = selector_of(key)
    same(make().fit(X, y, sample_weight=np.ones(70)), make().fit(X, y))


@pytest.mark.parametrize(
    "relation",
    [Coupling() * Decorrelation("pearson", 2), 0.3 * Dispersion() + Decorrelation("pearson")],
)
def test_relations_are_weighed(relation, table):
    X, y, _, weight = table
    rows = repeated(weight)
    same(InfFS(relation).fit(X, y, sample_weight=weight), InfFS(relation).fit(X[rows], y[rows]))


def test_limits_on_correlation_are_weighed(table):
    X, y, _, weight = table
    rows = repeated(weight)
    thin = Constrained(FisherScore(n_features_to_select=5), max_correlation=0.3)
    here = thin.fit(X, y, sample_weight=weight).represented_by_
    np.testing.assert_array_equal(here, thin.fit(X[rows], y[rows]).represented_by_)


def test_a_table_on_disk_is_weighed(table, tmp_path):
    X, y, _, weight = table
    np.save(tmp_path / "t.npy", X)
    here = InfFSS().fit(open_table(tmp_path / "t.npy"), y, sample_weight=weight)
    same(here, InfFSS().fit(X, y, sample_weight=weight), 1e-13)


def test_dask_tables_are_weighed(table):
    dask_array = pytest.importorskip("dask.array")
    X, y, _, weight = table
    there = dask_array.from_array(X, chunks=(70, 5))
    same(InfFSU().fit(there, sample_weight=weight), InfFSU().fit(X, sample_weight=weight), 1e-12)
    same(InfFSS().fit(there, y, sample_weight=weight), InfFSS().fit(X, y, sample_weight=weight))


class TestMeasures:
    """Against formulas and libraries, with weights that are no whole numbers."""

    def test_squared_correlation_is_r2_of_weighted_least_squares(self, table, rng):
        X, _, y, _ = table
        weight = rng.uniform(0.1, 3, 70)
        r2 = [
            LinearRegression().fit(X[:, [j]], y, weight).score(X[:, [j]], y, weight)
            for j in range(15)
        ]
        np.testing.assert_allclose(squared_correlation(X, y, weight), r2, rtol=1e-9, atol=1e-12)

    def test_pearson_and_dispersion_are_those_of_numpy(self, table, rng):
        X, _, _, _ = table
        weight = rng.uniform(0.5, 3, 70)
        covariance = np.cov(X.T, aweights=weight, ddof=0)
        spread = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose(dispersion(X, weight), spread / spread.max(), rtol=1e-10)
        rho = unit_profiles(X, "pearson", sample_weight=weight).correlations(*[slice(None)] * 2)
        np.testing.assert_allclose(rho, covariance / np.outer(spread, spread), atol=1e-9)

    def test_ranks_are_those_of_the_rows_repeated(self, table):
        X, _, _, weight = table
        rho = unit_profiles(X, sample_weight=weight).correlations(*[slice(None)] * 2)
        np.testing.assert_allclose(rho, spearmanr(X[repeated(weight)]).statistic, atol=1e-12)

    def test_small_weights_keep_the_ranking(self, table, rng):
        """Weights that sum to 1 say the same of the features as ten times as large ones."""
        X, y, _, _ = table
        weight = rng.uniform(0.5, 1, 70)
        weight /= weight.sum()
        for make in (FisherScore, InfFSC):
            here = make(n_features_to_select=4).fit(X, y, sample_weight=1e-3 * weight)
            there = make(n_features_to_select=4).fit(X, y, sample_weight=weight)
            np.testing.assert_array_equal(here.order_[:4], there.order_[:4])

    @pytest.mark.parametrize("count", [30, 79, 80, 81, 200])
    def test_bins_of_numbers(self, count, rng):
        y = np.round(rng.normal(size=count), 1)
        weight = rng.integers(1, 4, count).astype(float)
        there = equal_frequency_codes(y[repeated(weight)])
        here = equal_frequency_codes(y, sample_weight=weight)
        np.testing.assert_array_equal(here[repeated(weight)], there)

    def test_fisher_on_numbers_orders_as_weighted_f_regression(self, table):
        X, _, y, weight = table
        rows = repeated(weight)
        expected = np.argsort(-f_regression(X[rows], y[rows])[0], kind="stable")
        np.testing.assert_array_equal(
            FisherScore().fit(X, y, sample_weight=weight).order_, expected
        )


class TestRouting:
    def test_weights_reach_the_selector_through_a_pipeline_and_a_search(self, table):
        X, y, _, weight = table
        weight = weight + 1
        with config_context(enable_metadata_routing=True):
            first = FisherScore(n_features_to_select=3).set_fit_request(sample_weight=True)
            last = LogisticRegression().set_fit_request(sample_weight=True)
            model = make_pipeline(first, last).fit(X, y, sample_weight=weight)
            alone = FisherScore(n_features_to_select=3).fit(X, y, sample_weight=weight)
            np.testing.assert_array_equal(model[0].scores_, alone.scores_)
            assert (model[0].scores_ != FisherScore().fit(X, y).scores_).any()
            scoring = get_scorer("accuracy").set_score_request(sample_weight=True)
            sizes = {"fisherscore__n_features_to_select": [2, 4]}
            search = GridSearchCV(model, sizes, cv=3, scoring=scoring)
            best = search.fit(X, y, sample_weight=weight).best_estimator_[0]
            np.testing.assert_array_equal(best.scores_, alone.scores_)

    def test_by_the_step_without_routing(self, table):
        X, y, _, weight = table
        model = make_pipeline(InfFSS(), LogisticRegression())
        model.fit(X, y, inffss__sample_weight=weight)
        same(model[0], InfFSS().fit(X, y, sample_weight=weight))

    def test_methods_without_weights_have_no_request_for_them(self):
        with config_context(enable_metadata_routing=True):
            FisherScore().set_fit_request(sample_weight=True, groups=True)
            ReliefF().set_fit_request(groups=True)
            with pytest.raises(TypeError, match="sample_weight"):
                ReliefF().set_fit_request(sample_weight=True)


def test_by_the_key_of_a_method(table):
    X, y, _, weight = table
    same(rank(X, y, "fisher", sample_weight=weight), FisherScore().fit(X, y, sample_weight=weight))


def test_a_class_that_weighs_nothing_is_not_there(table):
    X, y, _, weight = table
    weight = np.where(y == 1, 0, weight + 1)
    here = FisherScore().fit(X, np.array(["a", "b", "c"])[y], sample_weight=weight)
    assert here.classes_.tolist() == ["a", "c"]


def test_forms_of_weights(table):
    X, y, _, weight = table
    method = FisherScore(n_features_to_select=5)
    expected = method.fit(X, y, sample_weight=weight).scores_
    for given in (weight.tolist(), pd.Series(weight, index=range(70, 0, -1)), weight.astype(int)):
        np.testing.assert_array_equal(method.fit(X, y, sample_weight=given).scores_, expected)
    three = method.fit(X, y, sample_weight=3).scores_
    repeated_three_times = method.fit(np.tile(X, (3, 1)), np.tile(y, 3)).scores_
    np.testing.assert_allclose(three, repeated_three_times, rtol=1e-10)


def test_the_messages_name_the_methods_that_ignore_missing_values():
    ignoring = [key for key in TAKING if ENTRIES[key].estimator._ignores_missing]
    assert IGNORING.replace(" and ", ", ").split(", ") == ignoring


class TestBadInput:
    @pytest.mark.parametrize("key", [key for key in ENTRIES if key not in TAKING])
    def test_methods_without_weights(self, key, table):
        X, y, _, weight = table
        make = ENTRIES[key].estimator
        assert "sample_weight" not in inspect.signature(make.fit).parameters
        with pytest.raises(TypeError, match="sample_weight"):
            make().fit(X, y, sample_weight=weight)

    def test_nor_do_selectors_of_selectors(self, table):
        X, y, _, weight = table
        both = ["fisher", "mi"]
        for selector in (Consensus(both), BestOf(both), StabilitySelection(MRMR())):
            with pytest.raises(TypeError, match="sample_weight"):
                selector.fit(X, y, sample_weight=weight)
        with pytest.raises(TypeError, match="weights"):
            ReliefF().fit(X, y, weights=weight)

    @pytest.mark.parametrize(
        ("weight", "sentence"),
        [
            (np.ones(69), r"sample_weight has shape \(69,\), but X has 70 samples"),
            (np.ones((70, 2)), r"sample_weight has shape \(70, 2\), but X has 70"),
            (np.where(np.arange(70) == 5, -1, 1), "sample_weight is -1 in row 5: weights count"),
            (np.where(np.arange(70) == 7, np.nan, 1), "sample_weight is nan in row 7"),
            (np.zeros(70), "All sample weights are zero"),
            (np.arange(70) == 3, r"Only 1 sample\(s\) have a weight above zero"),
            (["a"] * 70, "sample_weight must hold numbers"),
        ],
    )
    def test_one_sentence(self, weight, sentence, table):
        with pytest.raises(ValueError, match=sentence):
            InfFSS().fit(table[0], table[1], sample_weight=weight)

    def test_one_class_left(self, table):
        X, y, _, _ = table
        with pytest.raises(ValueError, match="y has only one class"):
            FisherScore().fit(X, y, sample_weight=y == 1)

    @pytest.mark.parametrize("cut", ["predict", "stability", "fdr"])
    def test_rules_that_rank_parts_of_the_table_take_weights(self, cut, table):
        X, y, _, weight = table
        assert FisherScore(n_features_to_select=cut).fit(X, y, sample_weight=weight).support_.any()

    @pytest.mark.parametrize("make", [FisherScore, InfFSS])
    def test_survival_times(self, make, table):
        X, y, numbers, weight = table
        times = as_survival(y > 0, np.exp(numbers))
        with pytest.raises(ValueError, match="where y holds survival"):
            make().fit(X, times, sample_weight=weight)
        X[3, 1] = np.nan
        with pytest.raises(ValueError, match="fill in the missing values"):
            make(missing="ignore").fit(X, times)

    def test_functions_of_two_columns(self, table):
        X, _, _, weight = table
        with pytest.raises(ValueError, match="neither sample weights nor missing"):
            InfFS(Pairwise(lambda f, g: abs(f @ g))).fit(X, sample_weight=weight)
