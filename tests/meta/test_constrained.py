"""Constraints on the subset: by hand, around our selectors and scikit-learn's."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_classif,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from inffs import Consensus, Constrained, InfFSS, InfFSU, StabilitySelection, catalogue, open_table
from inffs.cuts import Predict
from inffs.methods import MRMR, FisherScore
from inffs.subset import Constraints, Similarity, choose_subset
from inffs.validation.checks import find_columns, one_hot_groups

QUICK = [
    "inf-fs-u",
    "inf-fs-s",
    "inf-fs-c",
    "laplacian",
    "fisher",
    "mrmr",
    "svm-rfe",
    "lasso-unhinged",
]
CHECKED = [
    Constrained(InfFSS()),
    Constrained(InfFSU(0.2, n_features_to_select=1), max_correlation=0.9),
    Constrained(FisherScore(missing="ignore"), include=[0], min_features=1, max_features=3),
    Constrained(SelectKBest(k=1), max_correlation=0.5),
    Constrained(RFE(LogisticRegression(), n_features_to_select=1), include=[0]),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


@pytest.mark.parametrize("key", QUICK)
def test_constraints_change_the_subset_but_no_score(key, labelled):
    X, y = labelled
    make = next(entry for entry in catalogue() if entry.key == key).estimator
    plain = make(n_features_to_select=4).fit(X, y)
    free = Constrained(make(n_features_to_select=4)).fit(X, y)
    for name in ("scores_", "order_", "ranking_", "support_", "ties_"):
        np.testing.assert_array_equal(getattr(free, name), getattr(plain, name))
    assert free.cut_ == plain.cut_
    asked = Constrained(make(n_features_to_select=4), include=[9], exclude=[0]).fit(X, y)
    np.testing.assert_array_equal(asked.scores_, plain.scores_)
    np.testing.assert_array_equal(asked.estimator_.order_, plain.order_)
    assert asked.n_features_ == 4
    rest = [one for one in plain.order_ if one not in (0, 9)][:3]
    assert set(asked.get_support(indices=True)) == {9, *rest}
    assert sorted(asked.order_[:4]) == asked.get_support(indices=True).tolist()
    np.testing.assert_array_equal(asked.ranking_[asked.order_], np.arange(1, 13))


@pytest.fixture
def copies(rng):
    """Forty columns in ten groups of four near-copies; the first of each group carries most."""
    y = np.arange(120) % 2
    base = rng.normal(size=(120, 10)) + y[:, None] * np.linspace(1.5, 0.5, 10)
    X = np.repeat(base, 4, axis=1) + 0.15 * rng.normal(size=(120, 40))
    return X, y


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array, pd.DataFrame])
def test_no_two_kept_features_correlate_more(form, copies):
    X, y = copies
    table = form(np.where(np.abs(X) < 0.1, 0, X))
    selector = Constrained(FisherScore(n_features_to_select=9), max_correlation=0.8).fit(table, y)
    kept = selector.get_support(indices=True)
    dense = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    rho = np.abs(spearmanr(dense).statistic)
    assert kept.size == 9
    assert rho[np.ix_(kept, kept)][~np.eye(9, dtype=bool)].max() <= 0.8
    greedy = []
    for one in FisherScore(n_features_to_select=9).fit(table, y).order_:
        if len(greedy) < 9 and all(rho[one, other] <= 0.8 for other in greedy):
            greedy.append(one)
    assert sorted(greedy) == kept.tolist()
    for one, by in enumerate(selector.represented_by_):
        alike = rho[one, kept]
        assert by == (-1 if selector.support_[one] or alike.max() <= 0.8 else kept[alike.argmax()])


def test_a_walk_over_many_tiles_is_the_same_walk(rng):
    """More candidates than a tile holds, against the greedy rule with the whole matrix."""
    X = np.repeat(rng.normal(size=(50, 60)), 12, axis=1) + 0.2 * rng.normal(size=(50, 720))
    y = np.arange(50) % 2
    selector = Constrained(FisherScore(n_features_to_select=60), max_correlation=0.7).fit(X, y)
    rho = np.abs(spearmanr(X).statistic)
    greedy = []
    for one in FisherScore().fit(X, y).order_:
        if len(greedy) < 60 and (not greedy or rho[one, greedy].max() <= 0.7):
            greedy.append(one)
    assert selector.order_[: selector.n_features_].tolist() == greedy


def test_a_cut_is_not_filled_up_behind_its_place(copies):
    X, y = copies
    plain = FisherScore(n_features_to_select="knee").fit(X, y)
    thin = Constrained(FisherScore(n_features_to_select="knee"), max_correlation=0.8).fit(X, y)
    assert set(thin.get_support(indices=True)) <= set(plain.get_support(indices=True))
    assert thin.cut_.name == "knee"
    assert "no two correlate above 0.8" in thin.cut_.why


@pytest.mark.parametrize("cut", ["knee", Predict(tolerance=0.05)])
def test_bounds_around_a_cut(cut, copies):
    X, y = copies
    inner = InfFSS(n_features_to_select=cut)
    plain = inner.fit(X, y).n_features_
    assert 3 <= plain <= 37
    assert Constrained(inner, min_features=plain + 3).fit(X, y).n_features_ == plain + 3
    assert Constrained(inner, max_features=plain - 2).fit(X, y).n_features_ == plain - 2
    assert Constrained(inner, min_features=1, max_features=40).fit(X, y).n_features_ == plain


def test_bounds_around_the_default_size(copies):
    X, y = copies
    plain = InfFSS().fit(X, y).n_features_
    assert plain == 30
    assert Constrained(InfFSS(), min_features=plain + 3).fit(X, y).n_features_ == plain + 3
    assert Constrained(InfFSS(), max_features=plain - 2).fit(X, y).n_features_ == plain - 2
    assert Constrained(InfFSS(), min_features=1, max_features=40).fit(X, y).n_features_ == plain


def test_groups_stay_together(copies):
    X, y = copies
    labels = np.repeat(np.arange(10), 4)
    selector = Constrained(FisherScore(n_features_to_select=10), feature_groups=labels).fit(X, y)
    kept = selector.support_.reshape(10, 4)
    assert set(kept.sum(axis=1)) == {0, 4}
    assert selector.n_features_ == 8
    first = labels[FisherScore().fit(X, y).order_[0]]
    assert kept[first].all()
    some = Constrained(FisherScore(n_features_to_select=5), feature_groups={"a": [0, 30]}).fit(X, y)
    assert some.support_[0] == some.support_[30]


def test_correlations_of_groups_that_are_far_apart_in_the_ranking(rng):
    X = rng.normal(size=(50, 600))
    X[:, 500] = X[:, 0] + 1e-6 * X[:, 1]
    groups = np.full(600, -1)
    groups[[2, 500]] = 0
    found = choose_subset(
        Constraints(max_correlation=0.8, groups=groups),
        np.arange(600), -np.arange(600.0), 4,
        refill=True, similarity=Similarity(0.8, X),
    )  # fmt: skip
    assert found.order[: found.size].tolist() == [0, 1, 3, 4]


def test_a_group_at_its_mean(copies):
    """Groups by their mean score, and single columns among them."""
    X, y = copies
    labels = np.repeat(np.arange(10), 4)
    plain = FisherScore().fit(X, y)
    scores = plain.scores_
    means = [scores[labels == label].mean() for label in labels]
    expected = np.argsort(np.negative(means), kind="stable")[:8]
    asked = Constrained(
        FisherScore(n_features_to_select=8), feature_groups=labels, group_score="mean"
    )
    assert set(asked.fit(X, y).get_support(indices=True)) == set(expected)
    mixed = [plain.order_[0], *plain.order_[-2:]]
    fisher, mrmr = FisherScore(n_features_to_select=3), MRMR(n_features_to_select=3)
    groups = {"mixed": mixed}
    assert Constrained(fisher, feature_groups=groups).fit(X, y).support_[mixed].all()
    by_mean = {"feature_groups": groups, "group_score": "mean"}
    assert not Constrained(fisher, **by_mean).fit(X, y).support_[mixed].any()
    assert not Constrained(mrmr, **by_mean).fit(X, y).support_[mixed[1:]].any()


def test_names_patterns_and_positions(copies):
    X, _ = copies
    frame = pd.DataFrame(X, columns=[f"{'ab'[j % 2]}{j}" for j in range(40)])
    selector = Constrained(InfFSU(n_features_to_select=6), include=["a38", -1], exclude="b1*").fit(
        frame
    )
    kept = selector.get_feature_names_out()
    assert {"a38", "b39"} <= set(kept)
    assert not any(name.startswith("b1") for name in kept)
    assert selector.transform(frame).shape == (120, 6)


def test_in_pipelines_and_searches(copies):
    X, y = copies
    model = make_pipeline(Constrained(FisherScore(n_features_to_select=5)), LinearSVC())
    grid = {
        "constrained__max_correlation": [None, 0.8],
        "constrained__estimator__n_features_to_select": [3, 5],
    }
    assert GridSearchCV(model, grid, cv=3).fit(X, y).best_score_ > 0.6


def test_around_and_inside_selectors_of_selectors(copies):
    X, y = copies
    both = Consensus(["fisher", "mi"], n_features_to_select=3)
    assert Constrained(both, include=[39]).fit(X, y).support_[39]
    stable = StabilitySelection(FisherScore(), pairs=10, random_state=0)
    assert stable.fit(X, y).support_[0]
    assert not Constrained(stable, exclude=[0]).fit(X, y).support_[0]
    fisher = FisherScore(n_features_to_select=5)  # a stability selection cannot set it inside
    inside = StabilitySelection(Constrained(fisher, exclude=[0]), pairs=10, random_state=0)
    assert inside.fit(X, y).frequencies_[0] == 0
    first = Consensus([Constrained(FisherScore(), exclude=[0]), "mi"]).fit(X, y)
    assert first.ranks_[0, 0] > FisherScore().fit(X, y).ranking_[0]


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(k=5),
        RFE(LogisticRegression(), n_features_to_select=5),
        SequentialFeatureSelector(LogisticRegression(), n_features_to_select=5, cv=2),
    ],
)
def test_selectors_of_scikit_learn_that_take_a_number(selector, copies):
    """A skipped feature is replaced by the next one."""
    X, y = copies[0][:, :12], copies[1]
    plain = clone(selector).fit(X, y)
    free = Constrained(selector).fit(X, y)
    np.testing.assert_array_equal(free.get_support(), plain.get_support())
    gone = plain.get_support(indices=True)[0]
    asked = Constrained(selector, exclude=[gone]).fit(X, y)
    assert asked.n_features_ == 5
    assert not asked.support_[gone]
    assert asked.transform(X).shape == (120, 5)
    assert np.isfinite(asked.scores_).all()


@pytest.mark.parametrize(
    "selector",
    [
        SelectFromModel(RandomForestClassifier(20, random_state=0)),
        SelectFromModel(LogisticRegression()),
        VarianceThreshold(1.2),
    ],
)
def test_selectors_of_scikit_learn_with_a_threshold(selector, copies):
    """No feature behind the threshold replaces a skipped one."""
    X, y = copies
    plain = clone(selector).fit(X, y).get_support()
    assert 0 < plain.sum() < 40
    asked = Constrained(selector, exclude=[np.flatnonzero(plain)[0]]).fit(X, y)
    assert set(asked.get_support(indices=True)) == set(np.flatnonzero(plain)[1:])
    more = Constrained(selector, min_features=int(plain.sum()) + 1).fit(X, y)
    assert more.n_features_ == plain.sum() + 1
    behind = set(more.get_support(indices=True)) - set(np.flatnonzero(plain))
    rest = np.where(plain, -np.inf, more.scores_)
    assert behind == {int(np.argmax(rest))}


def test_constants_of_scikit_learn_have_finite_scores_and_are_last(copies):
    X, y = copies
    X[:, 3] = 1.0
    with pytest.warns(UserWarning, match="constant"), np.errstate(invalid="ignore"):
        selector = Constrained(SelectKBest(f_classif, k=5), max_correlation=0.8).fit(X, y)
    assert np.isfinite(selector.scores_).all()
    assert selector.scores_[3] == selector.scores_.min()
    assert selector.order_[-1] == 3


def test_equal_scores_go_to_the_smaller_index():
    X = np.random.default_rng(0).normal(size=(20, 6))
    everything = Constrained(VarianceThreshold(0.0), max_features=2)
    everything.fit(np.where(np.arange(6) == 4, 3 * X, X[:, [0]]))
    assert everything.order_.tolist() == [4, 0, 1, 2, 3, 5]
    assert everything.get_support(indices=True).tolist() == [0, 4]


def test_forms_of_a_table(copies, tmp_path):
    X, y = copies
    names = [f"g{place}" for place in range(40)]
    np.save(tmp_path / "t.npy", X)
    selector = Constrained(FisherScore(n_features_to_select=4), max_correlation=0.8)
    expected = clone(selector).fit(X, y)
    kept = expected.get_support(indices=True)
    on_disk = clone(selector).fit(open_table(tmp_path / "t.npy"), y)
    np.testing.assert_array_equal(on_disk.support_, expected.support_)
    np.testing.assert_array_equal(on_disk.transform(open_table(tmp_path / "t.npy")), X[:, kept])
    known = X[:, [0]] + X[:, [4]]  # a method that reads the whole table takes covariates as well
    whole = Constrained(MRMR(n_features_to_select=4), max_correlation=0.8)
    expected_order = clone(whole).fit(X, y, covariates=known).order_
    whole.fit(open_table(tmp_path / "t.npy"), y, covariates=known)
    np.testing.assert_array_equal(whole.order_, expected_order)
    thin = clone(selector).fit(sparse.csr_array(X), y)
    assert sparse.issparse(thin.transform(sparse.csr_array(X)))
    frame = pd.DataFrame(X, columns=names)
    named = clone(selector).set_output(transform="pandas").fit(frame, y)
    assert list(named.transform(frame)) == [names[place] for place in kept]
    found = named.ranking(frame, y)
    assert {"represented_by", "fisher", "position"} <= set(found)
    again = pickle.loads(pickle.dumps(named))
    np.testing.assert_array_equal(again.order_, expected.order_)


def test_metadata_reaches_the_selector(copies):
    X, y = copies
    weight = np.arange(120) % 3
    rows = np.repeat(np.arange(120), weight)
    there = Constrained(FisherScore(n_features_to_select=4), max_correlation=0.5).fit(
        X[rows], y[rows]
    )
    plain = Constrained(FisherScore(n_features_to_select=4), max_correlation=0.5)
    assert (plain.fit(X, y, sample_weight=weight).support_ == there.support_).all()
    np.testing.assert_array_equal(plain.represented_by_, there.represented_by_)
    with config_context(enable_metadata_routing=True):
        asking = FisherScore(n_features_to_select=4).set_fit_request(sample_weight=True)
        model = make_pipeline(Constrained(asking, max_correlation=0.5)).fit(
            X, y, sample_weight=weight
        )
    np.testing.assert_array_equal(model[-1].represented_by_, there.represented_by_)


def test_missing_values_are_the_selectors_business(copies):
    X, y = copies
    X[::7, 2] = np.nan
    ignoring = Constrained(
        FisherScore(missing="ignore", n_features_to_select=4), max_correlation=0.8
    )
    assert get_tags(ignoring).input_tags.allow_nan
    assert ignoring.fit(X, y).transform(X).shape == (120, 4)
    with pytest.raises(ValueError, match="NaN in column 2"):
        Constrained(FisherScore(), max_correlation=0.8).fit(X, y)


def test_the_walk_is_values_to_values():
    order, scores = np.array([2, 0, 1, 3]), np.array([3.0, 2.0, 4.0, 1.0])
    found = choose_subset(Constraints(exclude=(2,)), order, scores, 2, refill=True)
    assert (found.order.tolist(), found.size) == ([0, 1, 2, 3], 2)
    found = choose_subset(Constraints(exclude=(2,)), order, scores, 2, refill=False)
    assert (found.order.tolist(), found.size) == ([0, 2, 1, 3], 1)
    assert choose_subset(Constraints(), order, scores, 0, refill=False).size == 0


def test_one_hot_columns_make_groups():
    names = ["age", "colour=red", "size=1", "colour=blue", "size=2"]
    assert one_hot_groups(names) == {"colour": [1, 3], "size": [2, 4]}
    assert one_hot_groups(["age", "weight"]) is None


class TestBadInput:
    @pytest.mark.parametrize(
        ("constraints", "fact"),
        [
            ({"include": "g1"}, "include='g1'"),
            ({"exclude": [3, 40]}, "exclude=40.* 0 to 39"),
            ({"include": 3, "exclude": [1, 3]}, "include and exclude both name column 3"),
            ({"include": range(5), "max_features": 4}, "include names 5 .* at most 4"),
            ({"min_features": 9, "max_features": 4}, "min_features=9, .* 4"),
            ({"exclude": range(40)}, "exclude fewer"),
            ({"feature_groups": [1, 2]}, r"feature_groups has the shape \(2,\), .* 40 features"),
            ({"feature_groups": {"a": [1], "b": [1]}}, "feature_groups has column 1"),
            ({"group_score": "mean"}, "group_score='mean' .* feature_groups"),
            ({"group_score": "worst"}, "The 'group_score' parameter"),
            ({"max_correlation": 1.5}, "The 'max_correlation' parameter"),
            ({"min_features": 0}, "The 'min_features' parameter"),
        ],
    )
    def test_the_parameter_is_named(self, constraints, fact, copies):
        with pytest.raises(ValueError, match=fact):
            Constrained(FisherScore(), **constraints).fit(*copies)

    def test_more_included_than_asked_for(self, copies):
        with pytest.raises(ValueError, match=r"include names 5 .* at most 2"):
            Constrained(FisherScore(n_features_to_select=2), include=range(5)).fit(*copies)

    def test_what_is_no_selector(self, copies):
        with pytest.raises(ValueError, match="The 'estimator' parameter"):
            Constrained(LogisticRegression()).fit(*copies)

    def test_unknown_name(self):
        with pytest.raises(ValueError, match="include='x'"):
            find_columns(["a", "x"], 2, ["a", "b"], "include")

    @pytest.mark.parametrize("make", [InfFSS, FisherScore, MRMR])
    def test_selectors_themselves_take_no_constraints(self, make):
        with pytest.raises(TypeError, match="include"):
            make(include=[0])


def test_features_that_constraints_add_are_not_part_of_what_a_rule_found():
    """Ten of a hundred features differ; the false discovery rate holds for no others."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 100))
    X[:, :10] += 2 * y[:, None]
    inner = FisherScore(n_features_to_select="fdr")
    found = inner.fit(X, y)
    for constraints in ({"include": [50, 60]}, {"min_features": found.n_features_ + 2}):
        selector = Constrained(inner, **constraints).fit(X, y)
        assert "2 of them are not among" in selector.cut_.why
        assert (selector.cut_.q_values[selector.get_support()] > 0.1).sum() == 2
    fewer = Constrained(inner, max_features=5).fit(X, y)
    assert "not among" not in fewer.cut_.why
    noise = Constrained(inner, min_features=5).fit(rng.normal(size=(60, 100)), y)
    assert noise.cut_.forced
