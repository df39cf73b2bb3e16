"""Wishes on the subset: for every method, by hand, and nothing changes without them."""

import inspect

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from inffs import Consensus, InfFSS, InfFSU, StabilitySelection, catalogue
from inffs.methods import MRMR, FisherScore
from inffs.subset import SHARED
from inffs.validation.named import find_columns, one_hot_families

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


@pytest.mark.parametrize("key", [entry.key for entry in catalogue()])
def test_every_selector_takes_the_wishes(key):
    entry = next(entry for entry in catalogue() if entry.key == key)
    selector = entry.estimator(include=[1], max_features=3)
    assert clone(selector).get_params()["max_features"] == 3
    assert set(SHARED) <= set(inspect.signature(entry.estimator).parameters)


@pytest.mark.parametrize("key", QUICK)
def test_defaults_change_nothing_and_wishes_no_score(key, labelled, monkeypatch):
    """Bit for bit, also where the wishes are never looked at."""
    X, y = labelled
    make = next(entry for entry in catalogue() if entry.key == key).estimator
    here = make(n_features_to_select=4).fit(X, y)
    asked = make(n_features_to_select=4, include=[9], exclude=[0]).fit(X, y)
    monkeypatch.setattr("inffs.base.grant_wishes", lambda *_: None)
    plain = make(n_features_to_select=4).fit(X, y)
    for name in ("scores_", "order_", "support_", "ties_"):
        np.testing.assert_array_equal(getattr(here, name), getattr(plain, name))
    np.testing.assert_array_equal(asked.scores_, plain.scores_)
    assert asked.n_features_ == 4
    assert asked.support_[9]
    assert not asked.support_[0]
    rest = [one for one in plain.order_ if one not in (0, 9)][:3]
    assert set(asked.get_support(indices=True)) == {9, *rest}


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
    selector = FisherScore(max_correlation=0.8, n_features_to_select=9).fit(table, y)
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
    selector = FisherScore(max_correlation=0.7, n_features_to_select=60).fit(X, y)
    rho = np.abs(spearmanr(X).statistic)
    greedy = []
    for one in FisherScore().fit(X, y).order_:
        if len(greedy) < 60 and (not greedy or rho[one, greedy].max() <= 0.7):
            greedy.append(one)
    assert selector.order_[: selector.n_features_].tolist() == greedy


def test_a_cut_is_not_filled_up_behind_its_place(copies):
    X, y = copies
    plain = FisherScore(n_features_to_select="gap").fit(X, y)
    thin = FisherScore(n_features_to_select="gap", max_correlation=0.8).fit(X, y)
    assert set(thin.get_support(indices=True)) <= set(plain.get_support(indices=True))
    assert thin.cut_.name == "gap"
    assert "no two correlate above 0.8" in thin.cut_.why


def test_bounds_around_a_cut(copies):
    X, y = copies
    plain = InfFSS().fit(X, y).n_features_
    assert InfFSS(min_features=plain + 3).fit(X, y).n_features_ == plain + 3
    assert InfFSS(max_features=plain - 2).fit(X, y).n_features_ == plain - 2
    assert InfFSS(min_features=1, max_features=40).fit(X, y).n_features_ == plain


def test_families_stand_or_fall_together(copies):
    X, y = copies
    labels = np.repeat(np.arange(10), 4)
    selector = FisherScore(feature_groups=labels, n_features_to_select=10).fit(X, y)
    kept = selector.support_.reshape(10, 4)
    assert set(kept.sum(axis=1)) == {0, 4}
    assert selector.n_features_ == 8
    first = labels[FisherScore().fit(X, y).order_[0]]
    assert kept[first].all()
    some = FisherScore(feature_groups={"a": [0, 30]}, n_features_to_select=5).fit(X, y)
    assert some.support_[0] == some.support_[30]


def test_a_family_at_its_mean_member(copies):
    """Counted out: families by their mean score, and single columns among them."""
    X, y = copies
    labels = np.repeat(np.arange(10), 4)
    plain = FisherScore().fit(X, y)
    scores = plain.scores_
    means = [scores[labels == label].mean() for label in labels]
    expected = np.argsort(np.negative(means), kind="stable")[:8]
    wished = FisherScore(feature_groups=labels, group_score="mean", n_features_to_select=8)
    assert set(wished.fit(X, y).get_support(indices=True)) == set(expected)
    mixed = [plain.order_[0], *plain.order_[-2:]]
    params = {"feature_groups": {"mixed": mixed}, "n_features_to_select": 3}
    assert FisherScore(**params).fit(X, y).support_[mixed].all()
    assert not FisherScore(group_score="mean", **params).fit(X, y).support_[mixed].any()
    assert not MRMR(group_score="mean", **params).fit(X, y).support_[mixed[1:]].any()


def test_names_patterns_and_positions(copies):
    X, _ = copies
    frame = pd.DataFrame(X, columns=[f"{'ab'[j % 2]}{j}" for j in range(40)])
    selector = InfFSU(include=["a38", -1], exclude="b1*", n_features_to_select=6).fit(frame)
    kept = selector.get_feature_names_out()
    assert {"a38", "b39"} <= set(kept)
    assert not any(name.startswith("b1") for name in kept)
    assert selector.transform(frame).shape == (120, 6)


def test_in_pipelines_and_searches(copies):
    X, y = copies
    model = make_pipeline(FisherScore(n_features_to_select=5), LinearSVC())
    grid = {"fisherscore__max_correlation": [None, 0.8]}
    assert GridSearchCV(model, grid, cv=3).fit(X, y).best_score_ > 0.6


def test_around_selectors_of_selectors(copies):
    X, y = copies
    both = Consensus(["fisher", "mi"], include=[39], n_features_to_select=3).fit(X, y)
    assert both.support_[39]
    stable = StabilitySelection(FisherScore(), pairs=10, random_state=0, exclude=[0]).fit(X, y)
    assert not stable.support_[0]
    with pytest.raises(ValueError, match=r"FisherScore inside StabilitySelection has include="):
        StabilitySelection(FisherScore(include=[3])).fit(X, y)


def test_one_hot_columns_make_families():
    names = ["age", "colour=red", "size=1", "colour=blue", "size=2"]
    assert one_hot_families(names) == {"colour": [1, 3], "size": [2, 4]}
    assert one_hot_families(["age", "weight"]) is None


class TestBadInput:
    @pytest.mark.parametrize(
        ("wishes", "sentence"),
        [
            ({"include": "g1"}, "include='g1', but X has no column names"),
            ({"exclude": [3, 40]}, "exclude=40: columns are numbered 0 to 39"),
            ({"include": 3, "exclude": [1, 3]}, "Column 3 stands in include and in exclude"),
            (
                {"include": range(5), "max_features": 4},
                "include names 5 .* at most 4 are",
            ),
            ({"include": range(5), "n_features_to_select": 2}, "include names 5 .* at most 2 are"),
            ({"min_features": 9, "max_features": 4}, "min_features=9, but at most 4 can be kept"),
            ({"exclude": range(40)}, "wishes leave nothing to keep"),
            ({"feature_groups": [1, 2]}, r"feature_groups has \(2,\) labels for 40 features"),
            ({"feature_groups": {"a": [1], "b": [1]}}, "column 1 in two families"),
            ({"group_score": "mean"}, "group_score='mean' needs families of columns"),
            ({"group_score": "worst"}, "The 'group_score' parameter"),
            ({"max_correlation": 1.5}, "The 'max_correlation' parameter"),
            ({"min_features": 0}, "The 'min_features' parameter"),
        ],
    )
    def test_one_sentence(self, wishes, sentence, copies):
        with pytest.raises(ValueError, match=sentence):
            FisherScore(**wishes).fit(*copies)

    def test_unknown_name(self):
        with pytest.raises(ValueError, match=r"include='x' is no column of X, nor a pattern"):
            find_columns(["a", "x"], 2, ["a", "b"], "include")

    def test_chunks_cannot_be_compared(self, copies):
        with pytest.raises(ValueError, match="max_correlation needs the whole table"):
            FisherScore(max_correlation=0.9).partial_fit(*copies)
