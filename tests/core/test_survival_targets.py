"""Survival times as a target: selectors, the evaluator, the messages."""

import numpy as np
import pytest
from scipy import sparse

from inffs import InfFS, InfFSS, StabilitySelection, catalogue, rank
from inffs.evaluation import Part, find_evaluator, make_folds
from inffs.evaluation.cox import cox_path
from inffs.measures import concordance, cox_score, dispersion
from inffs.relations import Coupling
from inffs.target import as_survival, make_target

TAKE_TIMES = [
    entry.key
    for entry in catalogue()
    if entry.supervised and "survival" in entry.estimator._targets
]
TRUE = [2, 9, 14]


@pytest.fixture(scope="module")
def patients():
    """Three of twenty columns act on the hazard; a third of the patients is lost from sight."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 20))
    time = rng.exponential(size=150) * np.exp(-X[:, TRUE].sum(axis=1))
    y = np.empty(150, dtype=[("died", bool), ("days", float)])
    y["died"], y["days"] = rng.uniform(size=150) < 2 / 3, np.ceil(100 * time)
    return X, y


def test_the_methods_that_take_survival_times():
    assert set(TAKE_TIMES) == {"inf-fs-s", "fisher", "mi"}


@pytest.mark.parametrize("key", TAKE_TIMES)
def test_what_acts_on_the_hazard_stands_first(key, patients):
    X, y = patients
    found = rank(X, y, method=key, n_features_to_select=3)
    assert sorted(found.order_[:3]) == TRUE
    assert found.target_type_ == "survival"
    assert not hasattr(found, "classes_")
    lost = rank(X, y[::-1], method=key, n_features_to_select=3)
    assert sorted(lost.order_[:3]) != TRUE


@pytest.mark.parametrize("key", TAKE_TIMES)
def test_only_the_order_of_the_times_matters(key, patients):
    X, y = patients
    later = y.copy()
    later["days"] = np.log1p(y["days"]) * 7
    here, there = rank(X, y, method=key), rank(sparse.csc_array(X), later, method=key)
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=1e-10)


def test_fisher_is_the_score_test_and_mi_the_concordance(patients):
    X, y = patients
    np.testing.assert_allclose(
        rank(X, y, method="fisher").scores_, cox_score(X, y["days"], y["died"])
    )
    c = concordance(X, y["days"], y["died"])
    np.testing.assert_allclose(rank(X, y, method="mi").scores_, np.abs(2 * c - 1))


def test_inf_fs_weighs_them_as_it_weighs_fisher_and_information(patients):
    X, y = patients
    test = cox_score(X, y["days"], y["died"])
    order = np.abs(concordance(X, y["days"], y["died"]) - 0.5)
    parts = [(part - part.min()) / np.ptp(part) for part in (test, order)]
    s = 0.5 * parts[0] + 0.2 * parts[1] + 0.3 * dispersion(X)
    found = InfFSS((0.5, 0.2, 0.3)).fit(X, y)
    np.testing.assert_array_equal(found.order_, np.argsort(-s, kind="stable"))
    own = InfFS(Coupling((0.5, 0.2, 0.3))).fit(X, y)
    np.testing.assert_allclose(own.scores_, found.scores_)


def test_cuts_and_stability_selection_take_them(patients):
    X, y = patients
    for cut in ("auto", "fdr", "stability"):
        assert 1 <= InfFSS(n_features_to_select=cut).fit(X, y).n_features_ <= 20
    found = StabilitySelection(InfFSS(n_features_to_select=3), random_state=0).fit(X, y)
    assert set(TRUE) <= set(found.order_[:4])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [4, 90])
def test_the_ridge_cox_fit_is_stationary_by_statsmodels(ties, n, rng):
    """At the least value of |w|^2 / 2 - C l(w) the ridge's slope is C times that of l."""
    phreg = pytest.importorskip("statsmodels.duration.hazard_regression").PHReg
    X = rng.normal(size=(60, n))
    time, event = rng.exponential(size=60) * np.exp(-X[:, 0]), rng.uniform(size=60) < 0.7
    time = np.ceil(4 * time) if ties else time
    model = phreg(time, X, status=event.astype(int), ties="efron")
    Cs = (10.0, 0.01, 1.0)
    for C, w in zip(Cs, cox_path(X, time, event, Cs), strict=True):
        np.testing.assert_allclose(w, C * model.score(w), atol=1e-8)
    if n == 4:
        np.testing.assert_allclose(
            cox_path(X, time, event, [1e9])[0], model.fit().params, rtol=1e-6
        )


def test_the_evaluator_prefers_the_features_that_act(patients):
    X, y = patients
    target = make_target(as_survival(y["died"], y["days"]))
    evaluator = find_evaluator(kind=target.type)
    folds = make_folds(target.strata())
    good, bad = np.mean(
        [
            evaluator.scores(Part(X, target, *fold), [np.array(TRUE), np.arange(3, 9)])
            for fold in folds
        ],
        axis=0,
    )
    assert evaluator.name == "cox"
    assert good[0] > 0.75 > 0.62 > bad[0] > 0.38


def test_the_evaluator_of_sparse_columns(patients):
    X, y = patients
    X = np.maximum(X, 0)
    target = make_target(as_survival(y["died"], y["days"]))
    split = make_folds(target.strata())[0]
    evaluator, columns = find_evaluator("cox", kind="survival"), [np.arange(5)]
    dense = evaluator.scores(Part(X, target, *split), columns)
    np.testing.assert_allclose(
        evaluator.scores(Part(sparse.csr_array(X), target, *split), columns), dense, atol=0.01
    )


class TestBadInput:
    def wrong(self, patients, match, method="fisher", **fields):
        X, y = patients
        y = y.copy()
        for name, change in fields.items():
            change(y[name])
        with pytest.raises(ValueError, match=match):
            rank(X, y, method=method)

    def test_negative_missing_and_endless_times(self, patients):
        def put(value):
            return lambda times: times.__setitem__(3, value)

        self.wrong(patients, r"time 'days' is -2 in row 3", days=put(-2))
        self.wrong(patients, r"time 'days' is missing in row 3", days=put(np.nan))
        self.wrong(patients, r"time 'days' is inf in row 3", days=put(np.inf))

    def test_no_events_and_equal_times(self, patients):
        self.wrong(patients, "'died' is 0 in all 150 rows", died=lambda died: died.fill(False))
        self.wrong(patients, "Every 'days' is 4", days=lambda days: days.fill(4))

    def test_events_that_are_no_yes_or_no(self, patients):
        X, y = patients
        coded = y.astype([("status", int), ("days", float)])
        np.testing.assert_array_equal(
            rank(X, coded, method="fisher").scores_, rank(X, y, method="fisher").scores_
        )
        coded["status"] += 2
        with pytest.raises(ValueError, match=r"event 'status' is [23] in row 0"):
            rank(X, coded, method="fisher")

    def test_fields(self, patients):
        X, y = patients
        turned = y[["days", "died"]]
        np.testing.assert_array_equal(
            rank(X, turned, method="fisher").scores_, rank(X, y, method="fisher").scores_
        )
        three = np.zeros(150, dtype=[("a", bool), ("b", float), ("c", float)])
        with pytest.raises(ValueError, match=r"y has 3 field"):
            rank(X, three, method="fisher")
        words = np.array([(True, "long")] * 150, dtype=[("a", bool), ("b", "U9")])
        with pytest.raises(ValueError, match="The time 'b' is not a number in every row"):
            rank(X, words, method="fisher")

    @pytest.mark.parametrize("key", ["relieff", "svm-rfe", "mrmr"])
    def test_methods_that_do_not_take_them(self, key, patients):
        self.wrong(patients, r"survival times; \w+ does not take them: inf-fs-s, fisher", key)

    def test_methods_without_y_ignore_them(self, patients):
        X, y = patients
        np.testing.assert_array_equal(
            rank(X, y, method="laplacian").order_, rank(X, method="laplacian").order_
        )

    def test_cuts_and_chunks(self, patients):
        X, y = patients
        with pytest.raises(ValueError, match="partial_fit takes classes"):
            InfFSS(n_features_to_select=3).partial_fit(X, y)
