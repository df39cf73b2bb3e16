"""Folds and halves of the meta-estimators: groups stay together, values do not matter."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest, SelectorMixin
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from inffs import BestOf, Consensus, InfFSC, InfFSS, Report, StabilitySelection
from inffs.cuts import Samples
from inffs.evaluation.folds import halves
from inffs.methods import FisherScore
from inffs.target import make_target


@pytest.fixture
def patients(rng):
    """Three samples of each of thirty patients; the label belongs to the patient."""
    groups = rng.permutation(np.repeat(np.arange(30), 3))
    y = (groups % 2).astype(int)
    of_patient = rng.normal(size=(30, 12))[groups]
    X = of_patient + 0.1 * rng.normal(size=(90, 12))
    return X, y, groups


@pytest.fixture
def marked(patients):
    """The same with two columns that tell the classes apart."""
    X, y, groups = patients
    X[:, [4, 9]] += 2.0 * y[:, None]
    return X, y, groups


def test_halves_keep_groups_and_halve_classes(patients):
    _, y, groups = patients
    drawn = list(halves(y, 20, np.random.RandomState(0), groups))
    assert len({half.tobytes() for half in drawn}) == 40
    for first, second in zip(drawn[::2], drawn[1::2], strict=True):
        assert sorted([*first, *second]) == list(range(90))
        assert not set(groups[first]) & set(groups[second])
        assert np.abs(np.bincount(y[first]) - np.bincount(y[second])).max() <= 3


def test_halves_of_groups_with_both_classes(rng):
    groups, y = np.repeat(np.arange(20), 5), rng.integers(0, 2, 100)
    for half in halves(y, 10, np.random.RandomState(0), groups):
        assert 35 <= half.size <= 65
        assert np.abs(np.bincount(y[half]) - np.bincount(y) / 2).max() <= 6


class Watched(SelectorMixin, BaseEstimator):
    """Selects the first feature, and keeps the rows that it was fitted on."""

    seen: list = []

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        self.seen.append(X[:, 0].astype(int))
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) == 0


def test_stability_selection_keeps_groups_in_one_half(patients):
    X, y, groups = patients
    X[:, 0] = np.arange(90)
    Watched.seen.clear()
    StabilitySelection(Watched(), pairs=5, random_state=0, n_per_half=None).fit(X, y, groups=groups)
    assert len(Watched.seen) == 10
    for first, second in zip(Watched.seen[::2], Watched.seen[1::2], strict=True):
        assert not set(groups[first]) & set(groups[second])


def test_best_of_is_not_misled_by_patients(patients):
    """Without groups a patient's other samples are as good as the answer."""
    X, y, groups = patients
    selector = BestOf([FisherScore(), InfFSC()], n_features_to_select=12)
    assert (
        selector.fit(X, y).fold_scores_.mean()
        > selector.fit(X, y, groups=groups).fold_scores_.mean() + 0.1
    )


def test_best_of_compares_in_the_folds_asked_for(marked):
    X, y, groups = marked
    keys = ["fisher", "mi"]
    assert len(BestOf(keys, cv=3).fit(X, y).fold_scores_) == 3
    assert len(BestOf(keys, cv=GroupKFold(4)).fit(X, y, groups=groups).fold_scores_) == 4
    rows = np.arange(90)
    splits = ((rows[rows % 2 != part], rows[rows % 2 == part]) for part in (0, 1))
    assert len(BestOf(keys, cv=splits).fit(X, y).fold_scores_) == 2


def test_best_of_scores_as_asked_for(marked):
    X, y, _ = marked

    def loss(model, X, y):
        return -float(np.mean(model.predict(X) != y))

    assert (BestOf(["fisher", "mi"], scoring=loss, cv=3).fit(X, y).fold_scores_ <= 0).all()
    area = BestOf(["fisher", "mi"], scoring="roc_auc", cv=3).fit(X, y)
    assert (area.fold_scores_ > 0.9).all()


def test_methods_compared_in_parallel_give_the_same_choice(marked):
    X, y, groups = marked
    one, two = (
        BestOf(["fisher", "inf-fs-c"], n_jobs=jobs).fit(X, y, groups=groups) for jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.fold_scores_, two.fold_scores_)
    np.testing.assert_array_equal(one.order_, two.order_)


def renamed(y):
    return np.array(["z", "a"])[y]


SELECTORS = [
    BestOf(["fisher", "mi"], n_features_to_select="auto"),
    StabilitySelection(FisherScore(), pairs=10, random_state=0),
]


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("grouped", [False, True])
def test_values_and_names_change_no_fold(selector, grouped, marked, rng):
    X, y, groups = marked
    together = {"groups": groups} if grouped else {}
    plain = clone(selector).fit(X, y, **together)
    moved = rng.permutation(12)
    others = [
        (4.0 * X, y, np.arange(12), together),
        (X[:, moved], y, moved, together),
        (X, renamed(y), np.arange(12), together),
        (X, y, np.arange(12), {"groups": np.array([f"p{99 - each}" for each in groups])}),
    ]
    for table, labels, columns, given in others if grouped else others[:3]:
        other = clone(selector).fit(table, labels, **given)
        np.testing.assert_array_equal(other.support_, plain.support_[columns])
        for name in ("frequencies_", "scores_"):
            if hasattr(plain, name):
                values = getattr(plain, name)[columns]
                np.testing.assert_allclose(getattr(other, name), values, rtol=1e-9)
        if hasattr(plain, "fold_scores_"):
            np.testing.assert_allclose(other.fold_scores_, plain.fold_scores_)


def test_copies_of_a_sample_stay_together(rng):
    X, y = rng.normal(size=(40, 8)), np.arange(40) % 2
    samples = Samples(np.repeat(X, 2, axis=0), make_target(np.repeat(y, 2)))
    np.testing.assert_array_equal(samples.units(), np.repeat(np.arange(40), 2))
    for half in halves(samples.target.values, 5, np.random.RandomState(0), samples.units()):
        np.testing.assert_array_equal(half[::2] + 1, half[1::2])


def test_consensus_passes_groups_to_its_methods(patients):
    X, y, groups = patients
    best = BestOf(["fisher", "mi"], n_features_to_select=12)
    both = Consensus([("best", best), FisherScore()], n_features_to_select=3)
    inside = both.fit(X, y, groups=groups).selectors_[0].fold_scores_
    np.testing.assert_array_equal(inside, clone(best).fit(X, y, groups=groups).fold_scores_)
    assert inside.mean() < clone(best).fit(X, y).fold_scores_.mean()


def test_class_of_one_group_is_refused(patients):
    X, y, groups = patients
    y = np.where(groups == 3, 2, y)
    with pytest.raises(ValueError, match="class 2 has 3 samples in 1 group"):
        StabilitySelection(FisherScore()).fit(X, y, groups=groups)


@pytest.mark.parametrize(
    "selector",
    [
        InfFSS(),
        BestOf(["fisher", "mi"]),
        StabilitySelection(FisherScore(), pairs=5, random_state=0, max_false=2),
        Consensus(["fisher", "mi"]),
    ],
)
def test_groups_are_routed_through_a_pipeline(selector, marked):
    X, y, groups = marked
    alone = clone(selector).fit(StandardScaler().fit_transform(X), y, groups=groups)
    with config_context(enable_metadata_routing=True):
        steps = [("scale", StandardScaler()), ("select", selector.set_fit_request(groups=True))]
        routed = Pipeline([*steps, ("best", SelectKBest(k=1))]).fit(X, y, groups=groups)
    found = routed.named_steps["select"]
    np.testing.assert_array_equal(found.order_, alone.order_)
    for name in ("fold_scores_", "frequencies_"):
        np.testing.assert_array_equal(getattr(found, name, 0), getattr(alone, name, 0))
    if hasattr(alone, "size_selection_"):
        for (_, test), (_, expected) in zip(
            found.size_selection_.folds, alone.size_selection_.folds, strict=True
        ):
            np.testing.assert_array_equal(test, expected)
            assert not set(groups[test]) & set(np.delete(groups, test))


def test_the_report_keeps_groups_together(patients, rng):
    _, y, groups = patients
    X = rng.normal(size=(30, 200))[groups] + 0.1 * rng.normal(size=(90, 200))
    selector = InfFSS(n_features_to_select=200).fit(X, y)
    apart, together = (Report(selector, X, y, groups=each).check for each in (None, groups))
    assert apart.score > 0.9, "it recognises the patients"
    assert together.score < 0.75
    with pytest.raises(ValueError, match="groups has shape"):
        Report(selector, X, y, groups=groups[1:])
