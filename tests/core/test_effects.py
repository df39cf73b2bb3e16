"""Effects of single features against SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.feature_selection import r_regression
from sklearn.metrics import roc_auc_score

from inffs import InfFSC, InfFSS
from inffs.measures import effects


@pytest.fixture
def table(rng):
    """Normal columns, coarse ones (ties), counts, a constant one and one with a large offset."""
    X = rng.normal(size=(60, 40))
    X[:, 10:20] = np.round(X[:, 10:20])
    X[:, 20:30] = rng.poisson(3, size=(60, 10))
    X[:, 30] = 4.25
    X[:, 31] += 1e9
    return X


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_p_values_are_those_of_scipy(table, classes, rng):
    y = rng.permutation(np.arange(60) % classes)
    found = effects(table, y)
    groups = [table[y == code] for code in range(classes)]
    varying = np.delete(np.arange(40), 30)
    expected = [stats.kruskal(*(group[:, j] for group in groups)).pvalue for j in varying]
    np.testing.assert_allclose(found["effect_p"][varying], expected, rtol=1e-9)
    assert found["effect_p"][30] == 1
    np.testing.assert_allclose(found["effect_q"], stats.false_discovery_control(found["effect_p"]))
    if classes == 2:
        mann = stats.mannwhitneyu(*groups, use_continuity=False, method="asymptotic").pvalue
        np.testing.assert_allclose(found["effect_p"][varying], mann[varying], rtol=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
def test_size_and_direction_are_those_of_the_class_farthest_from_the_rest(table, classes, rng):
    y = rng.permutation(np.r_[np.arange(60 - 12) % classes, np.zeros(12, dtype=int)])
    found = effects(table, y)
    way = [None if word is None else word.split(" in ") for word in found["direction"]]
    for j in np.delete(np.arange(40), 30):
        word, where = way[j][0], int(way[j][1])
        areas = np.array([roc_auc_score(y == c, table[:, j]) for c in range(classes)])
        counts = np.bincount(y)
        apart = np.abs(areas - 0.5) * np.sqrt(counts * (60 - counts))
        assert apart[where] == pytest.approx(apart.max())
        own, rest = table[y == where, j], table[y != where, j]
        assert found["difference"][j] == pytest.approx(own.mean() - rest.mean(), rel=1e-6)
        assert (word == "high") == (areas[where] > 0.5)
        assert found["auc"][j] == pytest.approx(np.abs(areas[where] - 0.5) + 0.5)
        assert classes > 2 or word == "high"
        if 20 <= j < 30:
            assert found["fold_change"][j] == pytest.approx(own.mean() / rest.mean())
        else:
            assert np.isnan(found["fold_change"][j])


def test_direction_and_auc_agree_where_an_outlier_turns_the_means():
    column = np.r_[[1.0] * 9, 100.0, [2.0] * 10][:, None]
    found = effects(column, np.repeat(["a", "b"], 10))
    assert found["direction"][0] == "high in b"
    assert found["auc"][0] == pytest.approx(0.9)
    assert found["difference"][0] < 0


def test_fold_change_of_values_that_look_logged_is_a_power_of_two(rng):
    y = np.repeat([0, 1], 10)
    logged = rng.uniform(3, 12, size=(20, 4))
    found = effects(logged, y)
    np.testing.assert_allclose(found["fold_change"], 2 ** found["difference"])
    assert np.isnan(effects(1000 * logged, y)["fold_change"]).all()
    assert np.isnan(effects(logged - 6, y)["fold_change"]).all()


def test_a_constant_column_has_no_effect(table):
    found = effects(table, np.arange(60) % 3)
    shown = found["direction"][30], found["difference"][30], found["auc"][30]
    assert shown == (None, 0, 0.5)


def test_nothing_depends_on_the_form_of_the_table(table):
    y = np.arange(60) % 3
    dense, thin = effects(table, y), effects(sparse.csc_matrix(table), y)
    np.testing.assert_array_equal(thin.pop("direction"), dense.pop("direction"))
    for name in dense:
        np.testing.assert_allclose(thin[name], dense[name])


def test_ranks_do_not_see_a_logarithm_and_moved_columns_move_along(table, rng):
    y, order = np.arange(60) % 2, rng.permutation(40)
    found, moved = effects(table, y), effects(np.exp(table[:, order] / 1e9), y)
    close = np.delete(np.arange(40), np.flatnonzero(np.isin(order, [31])))  # offset eats digits
    np.testing.assert_allclose(moved["effect_p"][close], found["effect_p"][order][close])


def test_correlation_with_numbers_is_that_of_scipy(table, rng):
    y = table[:, 0] + rng.normal(size=60)
    found = effects(table, y)
    for j in np.delete(np.arange(40), 30):
        rho = stats.spearmanr(table[:, j], y)
        assert found["correlation"][j] == pytest.approx(rho.statistic)
        assert found["effect_p"][j] == pytest.approx(rho.pvalue)
        assert found["slope"][j] == pytest.approx(stats.linregress(table[:, j], y).slope, rel=1e-5)
    assert (found["correlation"][30], found["slope"][30], found["effect_p"][30]) == (0, 0, 1)
    assert np.sign(found["slope"][0]) == np.sign(r_regression(table, y)[0])


def test_columns_of_extreme_size_and_a_perfect_one(rng):
    X = rng.normal(size=(20, 3)) * [1e-300, 1.0, 1e300]
    y = np.arange(20) / 3
    X[:, 1] = y
    found = effects(X, y)
    assert found["effect_p"][1] == 0
    assert np.isfinite(found["correlation"]).all()
    assert np.isfinite(effects(X, np.arange(20) % 2)["auc"]).all()


def test_the_ranking_shows_the_effects_in_the_table_s_units(rng):
    pd = pytest.importorskip("pandas")
    y = np.repeat(["healthy", "ill"], 20)
    X = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(10, 1, 40)})
    X.loc[20:, "b"] += 30
    ranking = InfFSS(n_features_to_select=1).fit(X, y).ranking(X, y).set_index("feature")
    assert ranking.loc["b", "direction"] == "high in ill"
    assert ranking.loc["b", "difference"] == pytest.approx(X.b[20:].mean() - X.b[:20].mean())
    assert np.isnan(ranking.loc["a", "fold_change"])
    assert ranking.loc["b", "auc"] == 1
    numbers = -2 * X["b"].to_numpy()
    slopes = InfFSC(n_features_to_select=1).fit(X, numbers).ranking(X, numbers)
    falling = slopes.set_index("feature").loc["b"]
    assert (falling["direction"], falling["slope"]) == ("falls", pytest.approx(-2))
