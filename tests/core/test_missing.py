"""Missing values: refused by default, or left out where a method can do so."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import kruskal, rankdata, spearmanr
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import (
    Consensus,
    Constrained,
    InfFSC,
    InfFSS,
    InfFSU,
    StabilitySelection,
    catalogue,
    open_table,
)
from inffs.graph import unit_profiles
from inffs.measures import fisher, squared_correlation
from inffs.measures.batch import standard_deviation, symmetric_uncertainty
from inffs.methods import FisherScore, MutualInformation, ReliefF
from inffs.validation.missing import FewValuesWarning

ENTRIES = {entry.key: entry for entry in catalogue()}
IGNORING = [key for key, entry in ENTRIES.items() if entry.estimator._ignores_missing]
REFUSING = [key for key in ENTRIES if key not in IGNORING]


def checks_of(*estimators):
    checks = parametrize_with_checks(estimators)
    return pytest.mark.parametrize(checks.args[0], list(checks.args[1]), **checks.kwargs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@checks_of(
    FisherScore(n_features_to_select="knee", missing="ignore"),
    Consensus(["fisher[missing=ignore]", "mi[missing=ignore]"], n_features_to_select="knee"),
)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:No features were selected")
@checks_of(
    *(ENTRIES[key].estimator(missing="ignore") for key in IGNORING if key != "fisher"),
    StabilitySelection(FisherScore(missing="ignore"), pairs=5),
)
def test_scikit_learn_manners_of_all(estimator, check):
    check(estimator)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(80, 12))
    y = np.arange(80) % 3
    X[:, :3] += y[:, None]
    X[:, 4] = np.round(X[:, 4])
    return X, y


@pytest.fixture
def gappy(table, rng):
    """A fifth of the values is missing, at random; y is whole."""
    X, y = table
    return np.where(rng.random(X.shape) < 0.2, np.nan, X), y


def alone(X, j):
    """One column without its gaps, and where it has values."""
    there = ~np.isnan(X[:, j])
    return X[there][:, [j]], there


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_measures_are_those_of_the_samples_that_are_there(form, gappy):
    X, y = gappy
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    numbers, ones, given = y + 0.1 * X[:, 5].clip(-1, 1), np.ones(80), form(X)
    numbers = np.nan_to_num(numbers, nan=1.5)
    found = np.stack(
        [
            standard_deviation(given, ones),
            fisher(given, y, sample_weight=ones),
            symmetric_uncertainty(given, y, 8, ones),
            squared_correlation(given, numbers, ones),
        ]
    )
    for j in range(12):
        column, there = alone(X, j)
        expected = [
            column.std(ddof=1),
            fisher(column, y[there])[0],
            symmetric_uncertainty(column, y[there], 8)[0],
            np.corrcoef(column[:, 0], numbers[there])[0, 1] ** 2,
        ]
        np.testing.assert_allclose(found[:, j], expected, rtol=1e-10, atol=1e-13)


def test_ranks_are_among_those_that_are_there(gappy):
    """Absent ones stand at the mean rank: two columns with the same gaps correlate as without."""
    X, _ = gappy
    rows = unit_profiles(X, sample_weight=np.ones(80)).rows
    assert (rows[np.isnan(X.T)] == 0).all()
    for j in range(12):
        column, there = alone(X, j)
        ranks = rankdata(column[:, 0])
        expected = (ranks - ranks.mean()) / np.linalg.norm(ranks - ranks.mean())
        np.testing.assert_allclose(rows[j, there], expected, atol=1e-14)
    pair = np.where(np.isnan(X[:, [0, 1]]).any(axis=1, keepdims=True), np.nan, X[:, [0, 1]])
    rho = unit_profiles(pair, sample_weight=np.ones(80)).correlations(0, 1)
    expected = spearmanr(pair, nan_policy="omit").statistic
    np.testing.assert_allclose(rho, expected, rtol=1e-12)


@pytest.mark.parametrize("key", IGNORING)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_whole_rows_that_are_missing_are_dropped_rows(key, form, table):
    X, y = table
    make = ENTRIES[key].estimator
    if form is sparse.csr_array and not make._sparse:
        form = np.asarray
    holes = X.copy()
    holes[[3, 30, 31, 77]] = np.nan
    there = ~np.isnan(holes[:, 0])
    here = make(missing="ignore").fit(form(holes), y)
    plain = make().fit(form(X[there]), y[there])
    np.testing.assert_allclose(here.scores_, plain.scores_, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(here.order_, plain.order_)
    assert here.n_features_ == plain.n_features_


@pytest.mark.parametrize("key", IGNORING)
def test_without_gaps_nothing_changes(key, table):
    """Bit for bit: "ignore" takes the plain way where nothing is missing."""
    X, y = table
    make = ENTRIES[key].estimator
    here, there = make(missing="ignore").fit(X, y), make().fit(X, y)
    np.testing.assert_array_equal(here.scores_, there.scores_)


def test_every_form_of_a_table(gappy, tmp_path):
    X, y = gappy
    np.save(tmp_path / "t.npy", X)
    selector = Constrained(InfFSS(missing="ignore"), max_correlation=0.9)
    expected = clone(selector).fit(X, y)
    frame = pd.DataFrame(X).add_prefix("g")
    forms = [frame, open_table(tmp_path / "t.npy"), np.asfortranarray(X)]
    for form in forms:
        found = clone(selector).fit(form, y)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-12)
        np.testing.assert_array_equal(found.represented_by_, expected.represented_by_)
        assert found.transform(form).shape == (80, found.n_features_)
    thin = InfFSS(missing="ignore").fit(sparse.csc_array(X), y)
    np.testing.assert_allclose(thin.scores_, expected.scores_, rtol=1e-10)


def test_dask_tables(gappy):
    dask_array = pytest.importorskip("dask.array")
    X, _ = gappy
    there = dask_array.from_array(X, chunks=(80, 4))
    here = InfFSU(missing="ignore").fit(X).scores_
    np.testing.assert_allclose(InfFSU(missing="ignore").fit(there).scores_, here, rtol=1e-10)


def test_weights_and_gaps_together(gappy, rng):
    X, y = gappy
    X[5] = np.nan
    weight = rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), weight)
    for make in (InfFSU, InfFSS, InfFSC):
        here = make(missing="ignore").fit(X, y, sample_weight=weight)
        there = make(missing="ignore").fit(X[rows], y[rows])
        np.testing.assert_allclose(here.scores_, there.scores_, rtol=1e-10, atol=1e-12)


def test_a_column_without_values_or_of_one_value_stands_last(gappy):
    X, y = gappy
    X[:, 6] = np.nan
    X[:, 7] = np.where(np.isnan(X[:, 7]), np.nan, 2.5)
    with pytest.warns(UserWarning, match="Column 6 has 0 of 80 values"):
        selector = FisherScore(missing="ignore").fit(X, y)
    assert set(selector.order_[-2:]) == {6, 7}
    assert np.isfinite(selector.scores_).all()


def test_a_class_that_no_sample_of_a_column_has(table):
    X, y = table
    X[:, 8] = np.where(y == 2, np.nan, X[:, 8])
    scores = FisherScore(missing="ignore").fit(X, y).scores_
    column, there = alone(X, 8)
    np.testing.assert_allclose(scores[8], fisher(column, y[there])[0], rtol=1e-10)


def test_planted_features_are_found_behind_gaps(rng):
    """Half of the values gone at random: what carries the class still stands first."""
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 40))
    X[:, :4] += 2 * y[:, None]
    X[rng.random(X.shape) < 0.45] = np.nan
    for make in (InfFSS, FisherScore, InfFSC):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert set(make(missing="ignore").fit(X, y).order_[:4]) == {0, 1, 2, 3}


def test_thin_columns_are_named(gappy):
    X, _ = gappy
    X[:45, 2] = np.nan
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(12)])
    with pytest.warns(UserWarning, match=r"Column 'gene 2' \(position 2\) has \d+ of 80 values: "):
        InfFSU(missing="ignore").fit(frame)


def test_in_pipelines_and_selectors_of_selectors(gappy):
    X, y = gappy
    first = InfFSS(missing="ignore", n_features_to_select=4)
    model = make_pipeline(first, SimpleImputer(), StandardScaler(), SVC()).fit(X, y)
    assert model.score(X, y) > 0.5
    keys = ["fisher[missing=ignore]", MutualInformation(missing="ignore")]
    both = Consensus(keys, n_features_to_select=3).fit(X, y)
    assert set(both.get_support(indices=True)) == {0, 1, 2}
    ranks = FisherScore(missing="ignore").fit(X, y).ranking_
    np.testing.assert_array_equal(both.ranks_[:, 0], ranks)
    stable = StabilitySelection(FisherScore(missing="ignore"), pairs=10, random_state=0)
    assert stable.fit(X, y).frequencies_[:3].min() > 0.9


def test_the_table_of_a_ranking(gappy):
    X, y = gappy
    X[:, 7] = np.where(y == 0, X[:, 7], np.nan)
    with pytest.warns(FewValuesWarning, match="Column 7"):
        selector = FisherScore(missing="ignore").fit(X, y)
    with pytest.warns(FewValuesWarning, match="Column 7"):
        found = selector.ranking(X, y).set_index("position").sort_index()
    assert found[["dispersion", "fisher", "mutual_information"]].notna().all(axis=None)
    for j in np.delete(np.arange(12), 7):
        there = ~np.isnan(X[:, j])
        expected = kruskal(*(X[there & (y == g), j] for g in range(3))).pvalue
        np.testing.assert_allclose(found.effect_p[j], expected, rtol=1e-9)
    assert found.effect_p[7] == 1
    assert pd.isna(found.direction[7])


def test_tags():
    assert not get_tags(InfFSS()).input_tags.allow_nan
    assert get_tags(InfFSS(missing="ignore")).input_tags.allow_nan
    assert not get_tags(ReliefF()).input_tags.allow_nan
    ignoring, refusing = FisherScore(missing="ignore"), FisherScore()
    assert get_tags(Consensus([ignoring, ignoring])).input_tags.allow_nan
    assert not get_tags(Consensus([ignoring, refusing])).input_tags.allow_nan


class TestBadInput:
    @pytest.mark.parametrize("key", REFUSING)
    def test_methods_that_need_every_value_have_no_such_parameter(self, key, gappy):
        make = ENTRIES[key].estimator
        assert "missing" not in make().get_params()
        with pytest.raises(TypeError, match="missing"):
            make(missing="ignore")
        with pytest.raises(ValueError, match=r"X has NaN in column \d+, row \d+"):
            make().fit(*gappy)

    def test_a_consensus_with_such_a_method(self, gappy):
        consensus = Consensus(["fisher[missing=ignore]", "relieff"])
        with pytest.raises(ValueError, match=r"X has NaN in column \d+, row \d+"):
            consensus.fit(*gappy)

    def test_the_default_refuses(self, gappy):
        with pytest.raises(ValueError, match="X has NaN in column 0, row"):
            InfFSS().fit(*gappy)

    def test_infinity_is_not_missing(self, gappy):
        X, y = gappy
        X[3, 1] = np.inf
        with pytest.raises(ValueError, match="X has infinity in column 1, row 3"):
            InfFSS(missing="ignore").fit(X, y)

    @pytest.mark.parametrize("missing", ["mean", "median"])
    def test_unknown_values(self, missing, gappy):
        with pytest.raises(ValueError, match="The 'missing' parameter"):
            InfFSS(missing=missing).fit(*gappy)

    @pytest.mark.filterwarnings("ignore:Column 0 has 0 of 80 values, and 11 other")
    def test_nothing_is_there(self, gappy):
        X, y = gappy
        with pytest.raises(ValueError, match=r"Only 0 sample\(s\) have a weight above zero and a"):
            InfFSS(missing="ignore").fit(np.full_like(X, np.nan), y)

    def test_chunks_with_gaps(self, gappy):
        with pytest.raises(ValueError, match="X has NaN in column 0"):
            FisherScore(missing="ignore").partial_fit(*gappy)


@pytest.mark.parametrize("cut", ["stability", "predict"])
def test_cuts_that_rank_parts_of_the_table(cut, gappy):
    """Every part is ranked by the values that are there, as the whole table is."""
    X, y = gappy
    selector = FisherScore(missing="ignore", n_features_to_select=cut).fit(X, y)
    whole = FisherScore(missing="ignore").fit(X, y)
    np.testing.assert_array_equal(selector.scores_, whole.scores_)
    assert selector.cut_.name == cut
    assert set(selector.get_support(indices=True)) == {0, 1, 2}
