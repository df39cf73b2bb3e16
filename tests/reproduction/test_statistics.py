"""Statistics against SciPy and published examples."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from inffs.comparison.summary import fair_means
from inffs.cuts.stability import nogueira
from reproduction.statistics import critical_difference, friedman, holm_wilcoxon, nemenyi, ranks

# Table 6 of Demsar 2006 (JMLR 7): AUC of C4.5, +m, +cf, +m+cf on fourteen data sets; the ranks
# printed there break the tie of two values that are equal to three digits, so it is broken here
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975], [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)  # fmt: skip


def test_published_example_of_average_ranks():
    np.testing.assert_allclose(ranks(DEMSAR).mean(), [3.143, 2.000, 2.893, 1.964], atol=5e-4)


def test_published_critical_difference():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.01)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.01)


def test_friedman_is_scipys():
    statistic, p = friedman(DEMSAR)
    found = stats.friedmanchisquare(*DEMSAR.to_numpy().T)
    assert (statistic, p) == pytest.approx((found.statistic, found.pvalue))
    assert np.isnan(friedman(DEMSAR.iloc[:, :2])[1])


def test_friedman_of_equal_ranks_finds_no_difference():
    """SciPy divides by zero here and warns, which would fail this test."""
    equal = pd.DataFrame({name: [0.9, 0.8, 1.0] for name in "abc"})
    assert friedman(equal) == (0.0, 1.0)


def test_nemenyi_agrees_with_the_critical_difference():
    p, places = nemenyi(DEMSAR), ranks(DEMSAR).mean()
    limit = critical_difference(4, 14)
    for a in DEMSAR:
        for b in DEMSAR:
            if a != b:
                assert (p.loc[a, b] < 0.05) == (abs(places[a] - places[b]) > limit)


def test_holm_on_a_published_kind_of_example():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.normal(size=(12, 3)), columns=list("abc"))
    scores["a"] += 2
    raw = {name: stats.wilcoxon(scores["a"], scores[name]).pvalue for name in "bc"}
    first, second = sorted(raw, key=raw.get)
    found = holm_wilcoxon(scores, "a")
    assert found[first] == pytest.approx(2 * raw[first])
    assert found[second] == pytest.approx(max(2 * raw[first], raw[second]))
    assert holm_wilcoxon(scores.assign(d=scores["a"]), "a")["d"] == 1.0


def test_stability_of_equal_selections():
    assert nogueira([[1, 2], [2, 1]], 10) == pytest.approx(1.0)
    assert np.isnan(nogueira([[1, 2]], 10))
    assert np.isnan(nogueira([[0, 1], [0, 1]], 2))


def test_random_selections_have_stability_zero(rng):
    picked = [rng.choice(200, rng.integers(5, 60), replace=False) for _ in range(300)]
    assert abs(nogueira(picked, 200)) < 0.01


def test_fair_means_are_those_of_a_linear_model(rng):
    """Against least squares on indicators of methods and splits: predictions, averaged."""
    quality = pd.DataFrame(rng.normal(size=(8, 5)) + 3 * rng.normal(size=(8, 1)))
    quality = quality.mask(rng.random((8, 5)) < 0.3)
    long = quality.stack().rename_axis(["split", "method"]).reset_index(name="value")
    model = LinearRegression().fit(indicators(long, quality), long["value"])
    every = pd.MultiIndex.from_product(quality.axes, names=["split", "method"]).to_frame(
        index=False
    )
    every["value"] = model.predict(indicators(every, quality))
    expected = every.groupby("method")["value"].mean()
    lacks = quality.isna().any()
    np.testing.assert_allclose(fair_means(quality)[lacks], expected[lacks])


def indicators(long, quality):
    columns = [long["split"] == split for split in quality.index]
    columns += [long["method"] == method for method in quality.columns]
    return np.column_stack(columns).astype(float)


def test_fair_means_of_who_lacks_the_easy_splits(rng):
    luck = rng.normal(size=(20, 1))
    quality = pd.DataFrame(luck + np.array([0.0, 0.2, -0.3]), columns=list("abc"))
    whole = quality.mean()
    quality.loc[luck[:, 0] > 0, "b"] = np.nan
    np.testing.assert_allclose(fair_means(quality), whole)
    assert quality["b"].mean() < whole["b"] - 0.3
    assert (fair_means(quality) == quality.mean()).tolist() == [True, False, True]
