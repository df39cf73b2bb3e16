"""Cox models of single features against lifelines, statsmodels and SciPy."""

import numpy as np
import pytest
from scipy import sparse, stats

from inffs import InfFSS, InfFSU, rank
from inffs.measures import concordance, cox_score, effects
from inffs.target import as_survival

# The leukaemia trial of Freireich and others (1963) as lifelines has it (load_leukemia).
WEEKS = [
    35, 34, 32, 32, 25, 23, 22, 20, 19, 17, 16, 13, 11, 10, 10, 9, 7, 6, 6, 6, 6, 23, 22,
    17, 15, 12, 12, 11, 11, 8, 8, 8, 8, 5, 5, 4, 4, 3, 2, 2, 1, 1,
]  # fmt: skip
RELAPSE = [
    0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
]  # fmt: skip
SEX = [
    1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1,
]  # fmt: skip
LOG_WBC = [
    1.45, 1.47, 2.2, 2.53, 1.78, 2.57, 2.32, 2.01, 2.05, 2.16, 3.6, 2.88, 2.6, 2.7, 2.96,
    2.8, 4.43, 3.2, 2.31, 4.06, 3.28, 1.97, 2.73, 2.95, 2.3, 1.5, 3.06, 3.49, 2.12, 3.52,
    3.05, 2.32, 3.26, 3.49, 3.97, 4.36, 2.42, 4.01, 4.91, 4.48, 2.8, 5,
]  # fmt: skip
# CoxPHFitter of lifelines 0.30.3, one column at a time divided by its standard deviation:
# exp(coef), its 95 % interval, concordance_index_ and p.
LIFELINES = {
    "sex": (0.8548994, 0.572753, 1.276035, 0.4642356, 0.4429918),
    "logWBC": (4.529635, 2.65052, 7.740968, 0.8085554, 3.293617e-08),
    "Rx": (2.21575, 1.471895, 3.335528, 0.6900421, 0.000137754),
}


@pytest.fixture(scope="module")
def leukaemia():
    X = np.column_stack([SEX, LOG_WBC, np.repeat([0.0, 1.0], 21)])
    return X, as_survival(np.array(RELAPSE, dtype=bool), WEEKS)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_the_numbers_are_those_of_lifelines(leukaemia, form):
    X, y = leukaemia
    found = effects(form(X), y)
    names = ["hazard_ratio", "hazard_ratio_low", "hazard_ratio_high", "concordance", "effect_p"]
    np.testing.assert_allclose(
        np.transpose([found[name] for name in names]), list(LIFELINES.values()), rtol=2e-5
    )
    np.testing.assert_allclose(found["effect_q"], stats.false_discovery_control(found["effect_p"]))


@pytest.mark.parametrize("ties", [False, True])
def test_coefficients_and_errors_are_those_of_statsmodels(ties, rng):
    phreg = pytest.importorskip("statsmodels.duration.hazard_regression").PHReg
    X = rng.normal(size=(90, 12)) * 10.0 ** np.arange(-6, 6) + 1e3
    X[:, 5] = rng.exponential(size=90) ** 4
    time = rng.exponential(size=90) * np.exp(-2 * stats.zscore(X[:, 7]))
    time = np.ceil(3 * time) if ties else time
    event = rng.uniform(size=90) < 0.6
    found = effects(X, as_survival(event, time))
    for j in range(2, 12):  # of columns 0 and 1 the offset eats the digits
        column = stats.zscore(X[:, j], ddof=1)
        model = phreg(time, column, status=event.astype(int), ties="efron").fit()
        assert np.log(found["hazard_ratio"][j]) == pytest.approx(model.params[0], rel=1e-4)
        ends = np.log([found["hazard_ratio_low"][j], found["hazard_ratio_high"][j]])
        np.testing.assert_allclose(ends, model.conf_int()[0], rtol=1e-4)
        assert found["effect_p"][j] == pytest.approx(model.pvalues[0], rel=1e-3)


def test_constant_and_perfect_columns_and_outliers(leukaemia):
    X, y = leukaemia
    outlier = X[:, 1].copy()
    outlier[-1] = 1e9
    perfect = -y["time"]
    columns = np.column_stack([np.full(42, 4.2), perfect, -perfect, outlier])
    found = effects(columns, y)
    assert np.isnan(found["hazard_ratio"]).tolist() == [True, True, True, False]
    assert found["concordance"][0] == 0.5
    assert (found["concordance"][1:3] > 0.99).all()  # deaths and censored samples at one time tie
    assert found["effect_p"][0] == 1
    score = stats.chi2.sf(cox_score(columns, y["time"], y["event"]), 1)
    np.testing.assert_allclose(found["effect_p"][1:3], score[1:3])
    assert np.isfinite(found["effect_p"]).all()
    assert found["direction"][0] is None


@pytest.mark.parametrize("far", [1e3, 1e9, 1e15])
def test_a_sample_never_at_risk_has_no_part(leukaemia, far):
    X, y = leukaemia
    more = np.vstack([X, np.full((1, 3), far)])
    longer = as_survival(np.append(y["event"], False), np.append(y["time"], 0.5))
    found, expected = effects(more, longer), effects(X, y)
    for name in ("direction", "concordance", "effect_p"):
        np.testing.assert_array_equal(found[name], expected[name])
    unit = more.std(axis=0, ddof=1) / X.std(axis=0, ddof=1)
    if far < 1e9:  # a larger unit leaves no finite ratio
        log_ratio = unit * np.log(expected["hazard_ratio"])
        np.testing.assert_allclose(np.log(found["hazard_ratio"]), log_ratio, rtol=1e-9)


def test_names_of_fields_and_the_direction_do_not_matter(leukaemia):
    X, y = leukaemia
    named = np.array(
        list(zip(y["time"], y["event"], strict=True)), dtype=[("weeks", float), ("relapse", bool)]
    )
    found, turned = effects(X, named), effects(-X, named)
    np.testing.assert_allclose(turned["hazard_ratio"] * found["hazard_ratio"], 1)
    np.testing.assert_allclose(turned["hazard_ratio_low"] * found["hazard_ratio_high"], 1)
    np.testing.assert_allclose(turned["concordance"], found["concordance"])
    assert found["direction"].tolist() == ["hazard falls", "hazard rises", "hazard rises"]
    c = concordance(X, y["time"], y["event"])
    np.testing.assert_allclose(found["concordance"], np.where(found["hazard_ratio"] < 1, 1 - c, c))


def test_the_ranking_has_the_columns(leukaemia):
    X, y = leukaemia
    fitted = InfFSS(n_features_to_select=1).fit(X, y)
    shown = fitted.ranking(X, y).set_index("position")
    for place, expected in enumerate(LIFELINES.values()):
        names = ["hazard_ratio", "hazard_ratio_low", "hazard_ratio_high", "concordance", "effect_p"]
        np.testing.assert_allclose(shown.loc[place, names].astype(float), expected, rtol=2e-5)
    assert "fisher" not in shown.columns


@pytest.mark.filterwarnings("ignore::inffs.validation.missing.FewValuesWarning")
def test_missing_values_are_left_out_column_by_column(leukaemia):
    X, y = leukaemia
    there = np.arange(42) % 5 > 0
    holes = X.copy()
    holes[~there, 1] = np.nan
    holes[y["event"], 0] = np.nan
    fitted = InfFSU(missing="ignore", n_features_to_select=1).fit(holes)
    shown = fitted.ranking(holes, y).set_index("position")
    only = effects(X[there], y[there])
    assert shown.loc[1, "hazard_ratio"] == pytest.approx(only["hazard_ratio"][1])
    assert np.isnan(shown.loc[0, "hazard_ratio"])
    assert shown.loc[0, "effect_p"] == 1
    assert shown.loc[2, "hazard_ratio"] == pytest.approx(LIFELINES["Rx"][0], rel=2e-5)


def test_the_codes_of_r(leukaemia):
    X, y = leukaemia
    coded = np.array(
        list(zip(y["event"] + 1, y["time"], strict=True)), dtype=[("status", int), ("weeks", float)]
    )
    expected = rank(X, y, method="fisher").scores_
    np.testing.assert_array_equal(rank(X, coded, method="fisher").scores_, expected)
    coded["status"][3] = 0
    with pytest.raises(ValueError, match="'status' is 2"):
        rank(X, coded, method="fisher")
