"""Permutation p-values against full enumeration, against scipy, and on noise of many kinds."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse, stats

from inffs import open_table
from inffs.conditional import class_axes
from inffs.cuts.false_discovery_rate import HITS, p_values
from inffs.cuts.samples import sample_of_rows
from inffs.graph import unit_profiles
from inffs.graph.curves import curve_rows, curves_of
from inffs.graph.profiles import clipped_rows
from inffs.measures import cox_score
from inffs.measures.survival import martingale_residuals
from inffs.target import as_survival, make_target

NOISE = {
    "Gaussian": lambda rng, T, n: rng.normal(size=(T, n)),
    "rare counts": lambda rng, T, n: rng.poisson(0.05, size=(T, n)).astype(float),
    "log-normal": lambda rng, T, n: rng.lognormal(0, 2, size=(T, n)),
    "Cauchy": lambda rng, T, n: rng.standard_cauchy(size=(T, n)),
    "genotypes": lambda rng, T, n: rng.binomial(2, 0.15, size=(T, n)).astype(float),
}
TARGETS = {
    "classes": np.array([0, 0, 0, 1, 1, 1, 1]),
    "three classes": np.array([0, 0, 1, 1, 1, 2, 2]),
    "numbers": np.array([0.3, 1.0, 2.5, 2.5, 4.0, 9.0, -3.0]),
    "labels": np.array([[0, 1], [0, 0], [0, 1], [1, 1], [1, 0], [1, 0], [0, 0]]),
    "survival": as_survival([1, 0, 1, 1, 0, 1, 1], [3.0, 5, 2, 2, 9, 7, 4]),
}


def axes_of(y):
    y = martingale_residuals(y["time"], y["event"]) if y.dtype.names else y
    return class_axes(make_target(y)).axes


@pytest.mark.parametrize("target", TARGETS)
def test_agrees_with_all_permutations_of_seven_samples(target, rng):
    y, X = TARGETS[target], np.round(rng.normal(size=(7, 300)), 1)
    profiles, axes = unit_profiles(X, "clipped", np.float64).rows.T, axes_of(y)
    every = np.array([axes[list(order)] for order in permutations(range(7))])
    shares = np.square(np.einsum("btd,tn->bdn", every, profiles)).sum(axis=1)
    observed = np.square(axes.T @ profiles).sum(axis=0)
    exact = (shares >= observed - 1e-9).mean(axis=0)
    found = np.mean([p_values(X, y, random_state=seed) for seed in range(30)], axis=0)
    np.testing.assert_allclose(found, exact, rtol=0.35)
    np.testing.assert_allclose(np.mean(found / exact), 1 + 0.5 / HITS, atol=0.06)


@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.parametrize("few", [4, 24])
def test_p_values_are_valid_feature_by_feature(kind, few, rng):
    """One permutation serves all features, so tables, not features, are the repetitions."""
    y, levels = (np.arange(48) < few).astype(int), np.array([0.2, 0.05, 0.01, 0.002])
    shares = []
    for seed in range(25):
        p = p_values(NOISE[kind](rng, 48, 2000), y, random_state=seed)
        shares.append((p[:, None] <= levels).mean(axis=0))
    error = np.std(shares, axis=0, ddof=1) / np.sqrt(25)
    assert (np.mean(shares, axis=0) <= levels + 3 * error).all()
    if kind in ("Gaussian", "log-normal", "Cauchy"):
        assert (np.mean(shares, axis=0) >= 0.75 * levels).all()


def test_classes_agree_with_scipy(rng):
    X, y = rng.normal(size=(200, 400)), np.arange(200) % 2
    X[:, :100] += np.linspace(0, 0.5, 100) * y[:, None]
    found = p_values(X, y)
    expected = stats.ttest_ind(X[y == 0], X[y == 1]).pvalue
    away = np.abs(np.log(found / np.maximum(expected, 1e-4)))
    assert np.median(away) < 0.3
    assert stats.spearmanr(found, expected).statistic > 0.94


def test_three_classes_agree_with_kruskal(rng):
    X, y = rng.permuted(np.tile(np.arange(90.0), (200, 1)), axis=1).T, np.arange(90) % 3
    found = p_values(X, y)
    expected = np.array([stats.kruskal(*(x[y == g] for g in range(3))).pvalue for x in X.T])
    assert np.median(np.abs(np.log(found / expected))) < 0.3  # ranks are clipped a little


def test_one_feature_agrees_with_a_permutation_test_of_scipy(rng):
    x = rng.lognormal(size=12)
    y = np.arange(12) % 2

    def share(a, b):
        profile = unit_profiles(np.concatenate([a, b])[:, None], "clipped").rows[0]
        return np.abs(profile[: a.size].mean() - profile[a.size :].mean())

    exact = stats.permutation_test(
        (x[y == 0], x[y == 1]), share, n_resamples=np.inf, alternative="greater"
    ).pvalue
    found = [p_values(x[:, None], y, random_state=seed)[0] for seed in range(20)]
    assert np.mean(found) == pytest.approx(exact, rel=0.15)


def test_martingale_residuals_are_the_slope_of_the_score_test(rng):
    time, event = np.round(rng.exponential(size=40), 1), rng.random(40) < 0.6
    X = rng.normal(size=(40, 8))
    residuals = martingale_residuals(time, event)
    assert residuals.sum() == pytest.approx(0)
    slopes = (X - X.mean(axis=0)).T @ residuals
    assert stats.spearmanr(slopes**2, cox_score(X, time, event)).statistic > 0.9


def test_a_planted_feature_has_the_smallest_p_value_that_the_rate_needs(rng):
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2
    X[:, 7] += 4 * y
    p = p_values(X, y)
    assert p[7] <= 0.1 / 2000
    assert p.argmin() == 7


@pytest.fixture
def table(rng):
    X, y = rng.normal(size=(40, 60)), np.arange(40) % 3
    X[:, :10] += y[:, None]
    return X, y


def test_scales_order_of_columns_and_names_of_classes_change_nothing(table, rng):
    X, y = table
    here = p_values(X, y)
    np.testing.assert_array_equal(p_values(X * 2.0 ** rng.integers(-8, 8, 60), y), here)
    np.testing.assert_allclose(p_values(1e3 + X * rng.lognormal(size=60), y), here, rtol=1e-12)
    moved = rng.permutation(60)
    np.testing.assert_array_equal(p_values(X[:, moved], y), here[moved])
    np.testing.assert_array_equal(p_values(X, np.array([2, 0, 1])[y]), here)
    np.testing.assert_array_equal(p_values(X, np.array([7, 3, 5])[y]), here)


def test_the_order_of_rows_changes_no_more_than_another_seed(table, rng):
    X, y = table
    here, moved = p_values(X, y), rng.permutation(40)
    there = p_values(X[moved], y[moved])
    assert np.abs(np.log(here / there)).mean() < 0.5
    assert (here[:10] < 0.002).all()
    assert (there[:10] < 0.002).all()


def test_duplicated_rows_and_weights_are_no_evidence(table):
    X, y = table
    here = p_values(X, y)
    copies = np.concatenate([np.arange(40), np.arange(40), [3, 3, 5]])
    np.testing.assert_array_equal(p_values(X[copies], y[copies]), here)
    weight = np.bincount(copies, minlength=40).astype(float)
    np.testing.assert_array_equal(p_values(X, y, weight), here)
    nothing = np.concatenate([X, X[:7] + 1])
    weight = np.repeat([1.0, 0.0], [40, 7])
    np.testing.assert_array_equal(p_values(nothing, np.append(y, y[:7]), weight), here)


def test_a_table_of_few_values_repeats_itself_without_copies(rng):
    y = np.arange(100) % 2
    X = (rng.random((100, 3)) < 0.3).astype(float)
    X[:, 0] = y
    assert p_values(X, y)[0] < 0.02


def test_rows_of_rare_values_are_copies_and_rows_of_common_ones_are_not(rng):
    """Of rare counts some rows are all zero: they do not keep the copies of others apart."""
    X, copies = rng.poisson(0.05, size=(100, 100)).astype(float), np.repeat(np.arange(100), 2)
    rows = np.unique(sample_of_rows(X[copies], copies), return_index=True)[1]
    counts = (X[copies][rows] > 0).sum(axis=1)
    assert 100 < rows.size < 112
    extra = np.setdiff1d(rows, np.arange(0, 200, 2))
    assert (X[copies][extra] > 0).sum(axis=1).max() <= 1 < counts.max()
    marks = np.unique(X[:, :2], axis=0, return_inverse=True)[1]
    assert np.unique(sample_of_rows(X[:, :2], marks)).size == 100


def test_copies_of_rare_counts_claim_nothing(rng):
    y = np.repeat(np.arange(100) % 2, 2)
    least = [
        p_values(np.repeat(rng.poisson(0.05, size=(100, 100)).astype(float), 2, axis=0), y).min()
        for _ in range(20)
    ]
    assert np.count_nonzero(np.array(least) <= 0.1 / 100) <= 2


@pytest.mark.parametrize("form", ["csc", "csr", "lazy", "float32"])
def test_all_forms_of_a_table(form, rng, tmp_path):
    X, y = rng.poisson(0.5, size=(50, 70)).astype(float), np.arange(50) % 2
    X[:, 0] += 3 * y
    np.save(tmp_path / "table.npy", X)
    forms = {
        "csc": sparse.csc_array,
        "csr": sparse.csr_array,
        "lazy": lambda _: open_table(tmp_path / "table.npy"),
        "float32": lambda values: values.astype(np.float32),
    }
    np.testing.assert_array_equal(p_values(forms[form](X), y), p_values(X, y))


def test_missing_values_are_left_out(rng):
    X, y = rng.normal(size=(60, 4000)), np.arange(60) % 2
    X[:, 0] += 3 * y
    X[rng.random(X.shape) < 0.3] = np.nan
    p = p_values(X, y)
    assert p[0] < 1e-4
    assert abs(np.mean(p[1:] <= 0.05) - 0.05) < 4 * np.sqrt(0.05 / 4000)


class TestGroups:
    def test_groups_of_one_label_are_tested_by_their_means(self, rng):
        groups, y = np.repeat(np.arange(20), 5), np.repeat(np.arange(20) % 2, 5)
        X = np.repeat(rng.normal(size=(20, 300)), 5, axis=0) + 0.1 * rng.normal(size=(100, 300))
        means = X.reshape(20, 5, -1).mean(axis=1)
        names = np.array([f"patient {g}" for g in groups])
        np.testing.assert_allclose(p_values(X, y, groups=names), p_values(means, y[::5]))
        assert np.mean(p_values(X, y) < 0.01) > 0.2  # what samples that are not independent do
        assert np.mean(p_values(X, y, groups=groups) < 0.01) < 0.04

    def test_labels_that_vary_inside_groups_are_permuted_there(self, rng):
        groups, y = np.repeat(np.arange(30), 2), np.tile([0, 1], 30)
        X = np.repeat(10 * rng.normal(size=(30, 500)), 2, axis=0) + rng.normal(size=(60, 500))
        X[:, 0] += 2 * y
        p = p_values(X, y, groups=groups)
        assert p[0] < 1e-3 < p_values(X, y)[0]
        assert abs(np.mean(p[1:] <= 0.05) - 0.05) < 4 * np.sqrt(0.05 / 500)

    def test_one_label_per_group_and_one_group_of_each_is_nothing(self, rng):
        X, y = rng.normal(size=(20, 5)), np.arange(20) // 10
        X += 5 * y[:, None]
        assert (p_values(X, y, groups=y) > 0.9).all()

    def test_missing_values_inside_groups(self, rng):
        groups, y = np.repeat(np.arange(20), 3), np.repeat(np.arange(20) % 2, 3)
        X = rng.normal(size=(60, 50))
        X[:, 0] += 4 * y
        X[rng.random(X.shape) < 0.4] = np.nan
        p = p_values(X, y, groups=groups)
        assert p[0] < 0.01
        assert np.isfinite(p).all()


class TestCurves:
    def test_a_different_variance_is_found(self, rng):
        X, y = rng.normal(size=(150, 100)), np.arange(150) % 2
        X[:, :3] *= 1 + 2 * y[:, None]
        X[:, 3] += 2 * y
        straight, both = p_values(X, y), p_values(X, y, curves=True)
        assert (straight[:3] > 0.01).all()
        assert (both[:4] < 2e-3).all()

    def test_the_statistic_is_the_evidence_of_the_curves(self, rng):
        X = rng.poisson(2, size=(60, 20)).astype(float)
        X[:, :10] += rng.normal(size=(60, 10))
        axes = axes_of(np.arange(60) % 3)
        curves = curves_of(X, unit_profiles(X, "clipped", np.float64))
        rows = curve_rows(X.T.copy(), clipped_rows(X.T.copy()))
        found = np.square(rows @ axes).sum(axis=(1, 2))
        np.testing.assert_allclose(found, curves.evidence(axes, np.arange(20)), atol=1e-10)

    @pytest.mark.parametrize("kind", NOISE)
    def test_p_values_are_valid(self, kind, rng):
        X, y = NOISE[kind](rng, 40, 3000), (np.arange(40) < 6).astype(int)
        X[:, :100][rng.random((40, 100)) < 0.1] = np.nan
        p = p_values(X, y, curves=True)
        assert np.mean(p <= 0.05) <= 0.06
        assert np.mean(p <= 0.01) <= 0.015


def test_constant_columns_have_p_value_one(table):
    X, y = table
    X[:, 30] = 0.1
    assert p_values(X, y)[30] == 1.0
