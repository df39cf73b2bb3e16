"""Effects of single features against SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.feature_selection import r_regression
from sklearn.metrics import roc_auc_score

from inffs import InfFSC, InfFSS
from inffs.measures import ClassEffects, NumberEffects, effects


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
    np.testing.assert_allclose(found.p_value[varying], expected, rtol=1e-9)
    assert found.p_value[30] == 1
    np.testing.assert_allclose(found.q_value, stats.false_discovery_control(found.p_value))
    if classes == 2:
        mann = stats.mannwhitneyu(*groups, use_continuity=False, method="asymptotic").pvalue
        np.testing.assert_allclose(found.p_value[varying], mann[varying], rtol=1e-9)


@pytest.mark.parametrize("classes", [2, 4])
def test_size_and_direction_are_those_of_the_class_farthest_from_the_rest(table, classes, rng):
    y = rng.permutation(np.r_[np.arange(60 - 12) % classes, np.zeros(12, dtype=int)])
    found = effects(table, y)
    for j in np.delete(np.arange(40), 30):
        t = [stats.ttest_ind(table[y == c, j], table[y != c, j]) for c in range(classes)]
        own, rest = table[y == found.where[j], j], table[y != found.where[j], j]
        pooled = [  # the class means' distance with one spread for all, that of the whole column
            abs(table[y == c, j].mean() - table[y != c, j].mean())
            / np.sqrt(1 / (y == c).sum() + 1 / (y != c).sum())
            for c in range(classes)
        ]
        assert pooled[found.where[j]] == pytest.approx(max(pooled))
        assert found.difference[j] == pytest.approx(own.mean() - rest.mean(), rel=1e-6)
        assert np.sign(found.difference[j]) == np.sign(t[found.where[j]].statistic)
        area = roc_auc_score(y == found.where[j], np.sign(found.difference[j]) * table[:, j])
        assert found.auc[j] == pytest.approx(area)
        assert classes > 2 or found.difference[j] > 0
        if table[:, j].min() < 0:
            assert np.isnan(found.fold_change[j])
        else:
            assert found.fold_change[j] == pytest.approx(own.mean() / rest.mean())


def test_a_constant_column_has_no_effect(table):
    found = effects(table, np.arange(60) % 3)
    assert (found.where[30], found.difference[30], found.auc[30]) == (-1, 0, 0.5)
    assert found.columns(["a", "b", "c"])["direction"][30] is None


def test_nothing_depends_on_the_form_of_the_table(table):
    y = np.arange(60) % 3
    dense, thin = effects(table, y), effects(sparse.csc_matrix(table), y)
    for name in vars(dense):
        np.testing.assert_allclose(getattr(thin, name), getattr(dense, name))


def test_ranks_do_not_see_a_logarithm_and_moved_columns_move_along(table, rng):
    y, order = np.arange(60) % 2, rng.permutation(40)
    found, moved = effects(table, y), effects(np.exp(table[:, order] / 1e9), y)
    close = np.delete(np.arange(40), np.flatnonzero(np.isin(order, [31])))  # offset eats digits
    np.testing.assert_allclose(moved.p_value[close], found.p_value[order][close])


def test_correlation_with_numbers_is_that_of_scipy(table, rng):
    y = table[:, 0] + rng.normal(size=60)
    found = effects(table, y)
    assert isinstance(found, NumberEffects)
    for j in np.delete(np.arange(40), 30):
        rho = stats.spearmanr(table[:, j], y)
        assert found.correlation[j] == pytest.approx(rho.statistic)
        assert found.p_value[j] == pytest.approx(rho.pvalue)
        assert found.slope[j] == pytest.approx(stats.linregress(table[:, j], y).slope, rel=1e-5)
    assert (found.correlation[30], found.slope[30], found.p_value[30]) == (0, 0, 1)
    assert np.sign(found.slope[0]) == np.sign(r_regression(table, y)[0])


def test_columns_of_extreme_size_and_a_perfect_one(rng):
    X = rng.normal(size=(20, 3)) * [1e-300, 1.0, 1e300]
    y = np.arange(20) / 3
    X[:, 1] = y
    found = effects(X, y)
    assert found.p_value[1] == 0
    assert np.isfinite(found.correlation).all()
    assert isinstance(effects(X, np.arange(20) % 2), ClassEffects)


def test_the_ranking_shows_the_effects_in_the_table_s_units(rng):
    pd = pytest.importorskip("pandas")
    y = np.repeat(["healthy", "ill"], 20)
    X = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(10, 1, 40)})
    X.loc[20:, "b"] += 30
    ranking = InfFSS(n_features_to_select=1).fit(X, y).ranking(X, y).set_index("feature")
    assert ranking.loc["b", "direction"] == "high in ill"
    assert ranking.loc["b", "difference"] == pytest.approx(X.b[20:].mean() - X.b[:20].mean())
    assert ranking.loc["b", "fold_change"] == pytest.approx(X.b[20:].mean() / X.b[:20].mean())
    assert np.isnan(ranking.loc["a", "fold_change"])
    assert ranking.loc["b", "auc"] == 1
    numbers = -2 * X["b"].to_numpy()
    slopes = InfFSC(n_features_to_select=1).fit(X, numbers).ranking(X, numbers)
    falling = slopes.set_index("feature").loc["b"]
    assert (falling["direction"], falling["slope"]) == ("falls", pytest.approx(-2))
