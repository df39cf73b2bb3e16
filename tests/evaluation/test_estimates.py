"""Folds, choices and estimates: against scikit-learn, by hand, and by simulation."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from inffs.evaluation import make_folds
from inffs.evaluation.assess import choose
from inffs.evaluation.estimates import (
    LEARNED,
    corrected_best,
    interval_of_difference,
    interval_of_mean,
    interval_of_proportion,
    interval_of_repeat,
)
from inffs.evaluation.folds import holdout, splits_of
from inffs.evaluation.metrics import auc, balanced_accuracy


def test_folds_are_stratified_and_part_the_samples():
    y = np.repeat([0, 1, 2], [20, 10, 3])
    folds = make_folds(y, 5)
    assert len(folds) == 3  # the smallest class fills no more
    np.testing.assert_array_equal(
        np.sort(np.concatenate([test for _, test in folds])), np.arange(33)
    )
    assert all((np.bincount(y[test], minlength=3) > 0).all() for _, test in folds)


def test_repeats_are_other_folds_and_the_seed_decides():
    y = np.arange(40) % 2
    twice = make_folds(y, 4, repeats=2)
    assert len(twice) == 8
    assert not np.array_equal(twice[0][1], twice[4][1])
    np.testing.assert_array_equal(make_folds(y, 4, seed=1)[0][1], twice[4][1])


def test_groups_stay_together():
    y, groups = np.arange(60) % 2, np.repeat(np.arange(12), 5)
    for train, test in [*make_folds(y, 4, groups=groups), holdout(y, 0.3, 0, groups)]:
        assert not set(groups[train]) & set(groups[test])


def test_a_class_of_one_sample_leaves_no_training_part_with_one_class():
    for y in (np.array([0, 0, 0, 1]), np.array([0] * 9 + [1])):
        assert all(np.unique(y[train]).size == 2 for train, _ in make_folds(y, 5))
    train, test = holdout(np.array([0, 0, 0, 0, 1]), 0.4, 0)
    assert train.size + test.size == 5


def test_a_splitter_or_a_list_of_the_users_is_taken():
    y = np.arange(12) % 2
    given = [(np.arange(6), np.arange(6, 12))]
    assert len(splits_of(given, np.zeros((12, 1)), y)) == 1
    assert len(splits_of(3, np.zeros((12, 1)), y)) == 3


def test_ties_go_to_the_prior():
    scores = np.array([[0.9, 0.9, 0.7], [0.8, 0.8, 0.9]])
    assert choose(scores, [2, 1, 0], slack=0) == 1
    assert choose(scores, [1, 2, 0], slack=0) == 0


def test_what_is_clearly_better_is_chosen():
    rng = np.random.default_rng(0)
    scores = np.stack([0.6 + 0.01 * rng.random(10), 0.9 + 0.01 * rng.random(10)], axis=1)
    assert choose(scores, [0, 1]) == 1


def test_noise_is_the_priors():
    """Candidates that are all the same leave the prior more seldom, the wider the slack."""
    rng = np.random.default_rng(1)
    trials = [rng.normal(size=(5, 11)) for _ in range(400)]
    kept = [np.mean([choose(t, np.arange(11), s) == 0 for t in trials]) for s in (0, 1, 2)]
    assert kept[0] < 0.15 < kept[1] < kept[2]


def test_one_fold_chooses_by_the_score_alone():
    assert choose(np.array([[0.5, 0.6]]), [0, 1]) == 1


def test_the_interval_of_a_mean_is_nadeau_and_bengios():
    values = np.array([0.8, 0.9, 0.85, 0.7])
    mean, low, high = interval_of_mean(values)
    reach = stats.t.ppf(0.975, 3) * np.sqrt((1 / 4 + 3 / 7) * values.var(ddof=1))
    np.testing.assert_allclose([mean, low, high], [0.8125, 0.8125 - reach, 0.8125 + reach])


def test_proportions_stay_inside_and_certainty_is_not_claimed():
    for values in ([1.0] * 20, [0.98, 1.0, 1.0, 0.97], [0.0] * 5, [0.02, 0.0, 0.1]):
        mean, low, high = interval_of_proportion(values, n_samples=60)
        assert 0 <= low <= mean <= high <= 1
        assert high - low > 0.03
    _, low, _ = interval_of_proportion([0.5] * 30, n_samples=100)
    z = stats.t.ppf(0.975, 29)  # Wilson's formula for 50 of 100
    by_hand = (0.5 + z**2 / 200 - z * np.sqrt(0.0025 + z**2 / 40000)) / (1 + z**2 / 100)
    assert low == pytest.approx(by_hand)
    assert np.isnan(interval_of_proportion([0.5], n_samples=100)[1])


def test_the_interval_of_a_proportion_covers_the_truth():
    """Overlapping splits of the same samples, each predicted rightly with probability 0.9."""
    rng, covered = np.random.default_rng(2), 0
    for _ in range(300):
        right = rng.random(60) < 0.9
        values = [right[rng.permutation(60)[:18]].mean() for _ in range(20)]
        _, low, high = interval_of_proportion(values, n_samples=60)
        covered += low <= 0.9 <= high
    assert covered >= 0.9 * 300


def best_mean(drawn):
    return int(drawn.mean(axis=0).argmax())


def test_the_best_of_many_is_corrected():
    """Fifty guesses on forty samples: the best looks good, the corrected one is near the truth."""
    rng = np.random.default_rng(3)
    naive, corrected = [], []
    for _ in range(30):
        right = (rng.random((40, 50)) < 0.5).astype(float)
        naive.append(right.mean(axis=0).max())
        corrected.append(corrected_best(right, best_mean, n_draws=100))
    assert np.mean(naive) > 0.64
    assert abs(np.mean(corrected) - 0.5) < 0.03


def test_the_correction_leaves_a_single_configuration_alone():
    right = (np.random.default_rng(4).random((200, 1)) < 0.8).astype(float)
    assert abs(corrected_best(right, best_mean) - right.mean()) < 0.01
    assert corrected_best(np.hstack([right, 0 * right]), lambda drawn: 1) == 0


def test_measures_are_scikit_learns():
    rng = np.random.default_rng(5)
    truth = rng.integers(3, size=80)
    outputs = np.round(rng.normal(size=(80, 3)) + np.eye(3)[truth], 1)  # with ties
    positive = truth[:, None] == np.arange(3)
    theirs = np.mean([roc_auc_score(positive[:, k], outputs[:, k]) for k in range(3)])
    assert auc(positive, outputs) == pytest.approx(theirs, abs=1e-12)
    predicted = outputs.argmax(axis=1)
    assert balanced_accuracy(truth, predicted) == pytest.approx(
        balanced_accuracy_score(truth, predicted)
    )


def test_what_another_table_will_show():
    """The share that is right among 60 new samples, by drawing the truth, then the samples."""
    values = np.repeat([0.0, 1.0], [12, 48])
    rng = np.random.default_rng(0)
    truth = rng.beta(0.8 * 60 + 0.5, 0.2 * 60 + 0.5, size=200_000)
    drawn = np.quantile(rng.binomial(60, truth) / 60, [0.025, 0.975])
    assert interval_of_repeat(0.8, values) == pytest.approx(drawn)
    assert interval_of_repeat(1.0, np.ones(20))[1] == 1.0
    assert interval_of_repeat(0.97, np.repeat([0.0, 1.0], [1, 39]))[1] == 1.0
    low, high = interval_of_repeat(0.5, np.random.default_rng(0).normal(size=40) - 1)
    assert low < 0.5 < high <= 1


def test_the_interval_of_a_repeat_holds():
    """Scores of one table, then another of the same source: what it shows lies inside."""
    rng, inside = np.random.default_rng(0), []
    for _ in range(400):
        first, second = rng.random((2, 40)) < rng.uniform(0.5, 0.95)
        low, high = interval_of_repeat(first.mean(), first)
        inside.append(low <= second.mean() <= high)
    assert 0.94 < np.mean(inside) < 0.98


def test_a_paired_difference_is_wider_than_students():
    values = np.random.default_rng(0).normal(size=30)
    mean, low, high = interval_of_difference(values)
    student = stats.t.interval(0.95, 29, values.mean(), stats.sem(values))
    assert mean == pytest.approx(values.mean())
    assert high - low == pytest.approx(np.sqrt(LEARNED) * (student[1] - student[0]))
    assert interval_of_difference([0.1])[1:] == (-np.inf, np.inf)
