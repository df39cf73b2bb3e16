"""Weights by cross-validation: selection inside the folds, shared over the grid."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from inffs import InfFSS, InfFSSCV, InfFSU, InfFSUCV


@pytest.fixture
def table(rng):
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 30))
    X[:, :4] += 1.2 * y[:, None]
    X[:, 10:] *= 4  # loud noise: dispersion alone misleads
    X[:, 20] = 1.0
    return X, y


def by_hand(selector, X, y, cv=5):
    """The same number by scikit-learn alone: the selector inside a pipeline."""
    svm = LinearSVC(C=0.1, dual=False, intercept_scaling=1e4, tol=1e-8)
    model = make_pipeline(selector, StandardScaler(), svm)
    return cross_val_score(model, X, y, cv=StratifiedKFold(cv, shuffle=True, random_state=0))


def test_unsupervised_scores_are_those_of_a_pipeline(table):
    X, y = table
    search = InfFSUCV([0.0, 0.3, 1.0], n_features_to_select=5).fit(X, y)
    for place, alpha in enumerate([0.0, 0.3, 1.0]):
        expected = by_hand(InfFSU(alpha, n_features_to_select=5), X, y)
        ours = [search.cv_results_[f"split{k}_test_score"][place] for k in range(5)]
        np.testing.assert_allclose(ours, expected)
    assert search.alpha_ == search.best_params_["alpha"]
    place = [each["alpha"] for each in search.cv_results_["params"]].index(search.alpha_)
    assert search.best_score_ == search.cv_results_["mean_test_score"][place]
    expected = InfFSU(search.alpha_, n_features_to_select=5).fit(X)
    np.testing.assert_array_equal(search.scores_, expected.scores_)


def test_supervised_scores_are_those_of_a_pipeline(table):
    X, y = table
    grid = [(1, 0, 0), (0, 0, 1), (0.5, 0.25, 0.25)]
    search = InfFSSCV(grid, n_features_to_select="histogram", cv=4).fit(X, y)
    for place, alphas in enumerate(grid):
        expected = by_hand(InfFSS(alphas, n_features_to_select="histogram"), X, y, cv=4)
        ours = [search.cv_results_[f"split{k}_test_score"][place] for k in range(4)]
        np.testing.assert_allclose(ours, expected)
    assert search.weights_ != (0, 0, 1)
    np.testing.assert_array_equal(search.scores_, InfFSS(search.weights_).fit(X, y).scores_)


def test_one_job_is_two_jobs(table):
    X, y = table
    one = InfFSUCV(5, n_features_to_select=4).fit(X, y)
    two = InfFSUCV(5, n_features_to_select=4, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"]
    )


def test_default_grids():
    assert InfFSUCV()._grid()[:, 0].tolist() == pytest.approx(np.linspace(0, 1, 11).tolist())
    simplex = InfFSSCV()._grid()
    assert simplex.shape == (16, 3)
    assert InfFSSCV(4)._grid().shape == (10, 3)  # with equal weights among them
    np.testing.assert_allclose(simplex.sum(axis=1), 1.0)


def test_ties_go_to_the_middle(table):
    X, y = table
    constant = InfFSUCV(n_features_to_select=3, scoring=lambda *_: 0.5).fit(X, y)
    assert constant.alpha_ == 0.5
    constant = InfFSSCV(n_features_to_select=3, scoring=lambda *_: 0.5).fit(X, y)
    assert constant.weights_ == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_an_evaluator_by_name(table):
    X, y = table
    search = InfFSSCV(2, n_features_to_select=4, estimator="knn").fit(X, y)
    assert search.best_score_ > 0.6
    with pytest.raises(ValueError, match="estimator"):
        InfFSSCV(2, estimator="oracle").fit(X, y)


def test_choose_for_several_sizes_is_choosing_one_by_one(table):
    X, y = table
    search = InfFSSCV()
    together = search.choose(X, y, [2, 5, "histogram"])
    for size, chosen in zip([2, 5, "histogram"], together, strict=True):
        alone = InfFSSCV(n_features_to_select=size).fit(X, y)
        assert alone.best_params_ == chosen


def test_groups_stay_together(table):
    X, y = table
    patients = np.repeat(np.arange(15), 4)
    seen = []

    class Spy(GroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(set(groups[train]) & set(groups[test]))
                yield train, test

    InfFSUCV(3, n_features_to_select=4, cv=Spy(3)).fit(X, y, groups=patients)
    assert seen == [set()] * 3


def test_default_folds_keep_groups_together(rng):
    """Patients who come four times are known again, but by folds that part their samples only."""
    patients = np.repeat(np.arange(16), 4)
    X = rng.normal(size=(16, 30))[patients] + 1e-3 * rng.normal(size=(64, 30))
    y = rng.permutation(np.arange(16) % 2)[patients]
    search = InfFSUCV(3, n_features_to_select=20)
    assert search.fit(X, y).best_score_ > 0.95
    assert search.fit(X, y, groups=patients).best_score_ < 0.8


def test_own_estimator_scoring_and_string_labels(table):
    X, y = table
    names = np.array(["healthy", "tumour"])[y]
    search = InfFSSCV(
        3,
        n_features_to_select=4,
        estimator=make_pipeline(StandardScaler(), LogisticRegression()),
        scoring="roc_auc",
    ).fit(X, names)
    assert 0.5 < search.best_score_ <= 1.0
    assert list(search.classes_) == ["healthy", "tumour"]


def test_sparse_multi_label_and_rare_classes(table, rng):
    X, y = table
    thin = sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
    assert InfFSUCV(3, n_features_to_select=4).fit(thin, y).n_features_ == 4
    Y = np.stack([y, 1 - y, rng.integers(0, 2, 60)], axis=1)
    assert InfFSSCV(2, n_features_to_select=4).fit(X, Y).n_features_ == 4
    rare = y.copy()
    rare[0] = 2
    assert InfFSUCV(3, n_features_to_select=4).fit(X, rare).n_features_ == 4


def test_alphas_out_of_range(table):
    with pytest.raises(ValueError, match=r"Every alpha must lie in \[0, 1\]"):
        InfFSUCV([0.5, 1.5]).fit(*table)
    with pytest.raises(ValueError, match="sum to 1"):
        InfFSSCV([(0.5, 0.1, 0.1)]).fit(*table)


@pytest.mark.parametrize("search", [InfFSUCV(cv=3), InfFSSCV(cv=3)])
def test_a_fold_without_a_varying_column_is_told(search):
    """All that varies stands in one sample, which one fold takes away from training."""
    X = np.zeros((12, 3))
    X[4] = [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="3 columns of the training part of a fold are constant"):
        search.fit(X, np.arange(12) % 2)


def test_several_labels_choose_alpha_too(rng):
    X = rng.normal(size=(80, 12))
    Y = (X[:, :3] + 0.3 * rng.normal(size=(80, 3)) > 0).astype(int)
    X[:, 3:] *= 5
    chosen = InfFSUCV([0.0, 1.0], n_features_to_select=3).fit(X, Y)
    alone = {alpha: InfFSU(alpha, n_features_to_select=3).fit(X) for alpha in (0.0, 1.0)}
    np.testing.assert_array_equal(chosen.scores_, alone[chosen.alpha_].scores_)
    assert not alone[1.0].support_[:3].any()


def test_auto_checks_the_size_with_the_weights_that_were_chosen():
    """Chosen weights, given by hand to the plain form, find the same number of features."""
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 120))
    X[:, :6] += 0.8 * y[:, None]
    chosen = InfFSSCV(weight_grid=3).fit(X, y)
    plain = InfFSS(chosen.weights_).fit(X, y)
    assert chosen.weight_grid == 3
    assert chosen.cut_ == plain.cut_
    np.testing.assert_array_equal(chosen.order_, plain.order_)
